//! Both places where the GPU skins, held against the CPU's reference.

use std::path::Path;

use glam::{Affine3A, vec3};
use sinew_anim::{local_to_model, sample};
use sinew_model::{Model, SkinnedVertices, import, skin_vertices};
use sinew_render::{Draw, MAX_INFLUENCES, Scene, SkinnedVertex, Skinning};

use super::{
    figures::{bent, cube, tube},
    largest_difference, stage,
};

/// Metres.
const TOLERANCE: f32 = 1e-6;

/// The vertices of a model's finest meshes in model space.
fn skinned_on_the_cpu(model: &Model, joints_model: &[Affine3A], morphs: &[f32]) -> SkinnedVertices {
    let mut all = SkinnedVertices::default();
    let mut out = SkinnedVertices::default();
    for mesh in model.meshes.iter().filter(|mesh| mesh.lod == 0) {
        for primitive in &mesh.primitives {
            let skin = mesh.skin.map(|skin| &model.skins[skin]);
            skin_vertices(mesh, primitive, skin, joints_model, morphs, &mut out);
            all.positions.append(&mut out.positions);
            all.normals.append(&mut out.normals);
        }
    }
    all
}

/// Compares what is drawn of `model` with what the CPU makes of `reference`, in both places.
pub fn check(model: &Model, reference: &Model, joints_model: &[Affine3A], morphs: &[f32]) {
    let Some(mut stage) = stage() else { return };
    let id = stage.renderer.upload(stage.gpu, model).expect("fits");
    let draws = [Draw {
        morphs,
        ..Draw::new(id, joints_model)
    }];
    let scene = Scene {
        draws: &draws,
        ..Default::default()
    };
    let expected = skinned_on_the_cpu(reference, joints_model, morphs);
    for skinning in [Skinning::Vertex, Skinning::Compute] {
        stage.renderer.skinning = skinning;
        let shown = stage.renderer.skin(stage.gpu, &scene).expect("readable");
        compare(&shown, &expected, &format!("{skinning:?}"));
    }
}

fn compare(shown: &[SkinnedVertex], expected: &SkinnedVertices, place: &str) {
    assert_eq!(shown.len(), expected.positions.len());
    let mut worst: f32 = 0.0;
    for (vertex, shown) in shown.iter().enumerate() {
        let position = expected.positions[vertex];
        let error = (shown.position_world - position).abs().max_element();
        assert!(
            error <= TOLERANCE,
            "{place}, vertex {vertex}: {} instead of {position}",
            shown.position_world
        );
        worst = worst.max(error);
        let turned = shown.normal_world.distance(expected.normals[vertex]);
        assert!(turned < 1e-4, "{place}, normal {vertex}: off by {turned}");
    }
    eprintln!("{place}: {} vertices within {worst:e} m", shown.len());
}

/// One of the project's own characters.
fn character(file: &str) -> Model {
    let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let mut files = folders.map(|folder| folder.join("assets").join(file));
    let path = files.find(|path| path.is_file()).expect("it is committed");
    let bytes = std::fs::read(path).expect("readable");
    import(&bytes, &mut |uri| Err(format!("no `{uri}`"))).expect("a sound file")
}

#[test]
fn our_characters_agree_with_the_cpu_in_every_clip() {
    for file in ["hero.glb", "fox.glb", "robot.glb"] {
        let model = character(file);
        let mut joints_model = vec![Affine3A::IDENTITY; model.skeleton.len()];
        for (index, clip) in model.clips.iter().enumerate() {
            let mut pose = model.skeleton.rest.clone();
            sample(clip, clip.duration * 0.37, &mut pose);
            // No clip of ours moves a face, so a few of its channels are opened here.
            for (channel, weight) in pose.morphs.iter_mut().enumerate() {
                *weight = if (channel + index) % 3 == 0 { 0.6 } else { 0.0 };
            }
            local_to_model(&model.skeleton, &pose, &mut joints_model);
            check(&model, &model, &joints_model, &pose.morphs);
        }
    }
}

#[test]
fn four_influences_agree_with_the_cpu() {
    let model = tube(5, 4);
    check(&model, &model, &bent(5, 0.4), &[]);
}

#[test]
fn eight_influences_agree_with_the_cpu() {
    let model = tube(9, 8);
    check(&model, &model, &bent(9, -0.2), &[]);
}

#[test]
fn of_eleven_influences_the_eight_strongest_are_drawn() {
    let model = tube(11, 11);
    check(&model, &with_the_strongest(&model), &bent(11, 0.1), &[]);
}

/// Without the influences that the GPU leaves out.
fn with_the_strongest(model: &Model) -> Model {
    let mut model = model.clone();
    for primitive in model
        .meshes
        .iter_mut()
        .flat_map(|mesh| &mut mesh.primitives)
    {
        let all = std::mem::take(&mut primitive.influences);
        primitive.influences.per_vertex = MAX_INFLUENCES;
        let joints = all.joints.chunks(all.per_vertex);
        for (joints, weights) in joints.zip(all.weights.chunks(all.per_vertex)) {
            let kept = &weights[..MAX_INFLUENCES];
            let sum: f32 = kept.iter().sum();
            let rescaled = kept.iter().map(|weight| weight / sum);
            let influences = &mut primitive.influences;
            influences.joints.extend(&joints[..MAX_INFLUENCES]);
            influences.weights.extend(rescaled);
        }
    }
    model
}

#[test]
fn open_morph_targets_agree_with_the_cpu() {
    let model = tube(5, 2);
    check(&model, &model, &bent(5, 0.4), &[0.37]);
}

#[test]
fn a_rigid_mesh_agrees_with_the_cpu() {
    let joint = Affine3A::from_rotation_x(0.7) * Affine3A::from_scale(vec3(0.5, 1.2, -2.0));
    let model = cube();
    check(&model, &model, &[joint], &[]);
}

#[test]
fn normals_stay_upright_on_a_stretched_surface() {
    let Some(mut stage) = stage() else { return };
    let model = cube();
    let id = stage.renderer.upload(stage.gpu, &model).expect("fits");
    for scale in [vec3(3.0, 1.0, 0.2), vec3(-3.0, 1.0, 0.2)] {
        let world = Affine3A::from_rotation_y(0.6) * Affine3A::from_scale(scale);
        let draws = [Draw {
            world,
            ..Draw::new(id, &[])
        }];
        let scene = Scene {
            draws: &draws,
            ..Default::default()
        };
        let shown = stage.renderer.skin(stage.gpu, &scene).expect("readable");
        let normal_map = world.matrix3.inverse().transpose();
        let normals = &model.meshes[0].primitives[0].normals;
        for (shown, &normal) in shown.iter().zip(normals) {
            let expected = (normal_map * normal).normalize_or_zero();
            assert!(shown.normal_world.distance(expected) < 1e-5, "{scale}");
        }
    }
}

#[test]
fn both_places_give_the_same_picture() {
    let Some(mut stage) = stage() else { return };
    let models = [tube(4, 4), tube(9, 8), cube()];
    let [four, eight, rigid] = models.map(|m| stage.renderer.upload(stage.gpu, &m).expect("fits"));
    let joints = bent(9, 0.15);
    let at = |x: f32| Affine3A::from_translation(vec3(x, 0.0, 0.0));
    let draws = [(eight, -1.0), (four, 0.0), (rigid, 1.5), (eight, 1.0)].map(|(model, x)| Draw {
        world: at(x),
        morphs: &[0.5],
        ..Draw::new(model, &joints)
    });
    let scene = Scene {
        draws: &draws,
        ..Default::default()
    };
    let vertex = stage.picture(&scene);
    stage.renderer.skinning = Skinning::Compute;
    let compute = stage.picture(&scene);
    assert!(largest_difference(&vertex, &compute) <= 2);
    assert_eq!(
        (vertex.stats.skinned_ahead, compute.stats.skinned_ahead),
        (0, 4)
    );
}
