//! Both places where the GPU skins, against sums written out here.

use glam::{Affine3A, Vec3, vec3};
use sinew_model::{Mesh, Model, Primitive};
use sinew_render::{Draw, MAX_INFLUENCES, Scene, Skinning};

use super::{
    figures::{bent, cube, tube},
    largest_difference, stage,
};

/// Metres.
const TOLERANCE: f32 = 1e-6;

/// The vertices of a model's finest meshes in model space, by the formula of glTF 2.0, section 3.7.3.3.
fn skinned_on_the_cpu(model: &Model, joints_model: &[Affine3A], morphs: &[f32]) -> Vec<Vec3> {
    let mut points = Vec::new();
    for mesh in model.meshes.iter().filter(|mesh| mesh.lod == 0) {
        let drawn = |primitive: &&Primitive| !primitive.triangles.is_empty();
        for primitive in mesh.primitives.iter().filter(drawn) {
            for vertex in 0..primitive.positions.len() {
                let point = morphed(mesh, primitive, vertex, morphs);
                points.push(skinned(model, mesh, primitive, vertex, point, joints_model));
            }
        }
    }
    points
}

fn morphed(mesh: &Mesh, primitive: &Primitive, vertex: usize, morphs: &[f32]) -> Vec3 {
    let mut point = primitive.positions[vertex];
    for (target, channel) in primitive.targets.iter().zip(mesh.morphs.clone()) {
        let weight = morphs.get(channel).copied().unwrap_or(0.0);
        point += target.positions.get(vertex).copied().unwrap_or_default() * weight;
    }
    point
}

fn skinned(
    model: &Model,
    mesh: &Mesh,
    primitive: &Primitive,
    vertex: usize,
    point: Vec3,
    joints_model: &[Affine3A],
) -> Vec3 {
    let count = primitive.influences.per_vertex;
    let Some(skin) = mesh.skin.filter(|_| count > 0) else {
        return joints_model[usize::from(mesh.joint)].transform_point3(point);
    };
    let skin = &model.skins[skin];
    let kept = vertex * count..vertex * count + count.min(MAX_INFLUENCES);
    let sum: f32 = primitive.influences.weights[kept.clone()].iter().sum();
    kept.map(|at| {
        let entry = usize::from(primitive.influences.joints[at]);
        let joint = joints_model[usize::from(skin.joints[entry])];
        let weight = primitive.influences.weights[at] / sum;
        joint.transform_point3(skin.inverse_bind[entry].transform_point3(point)) * weight
    })
    .sum()
}

/// Compares both places with the CPU.
fn check(model: &Model, joints_model: &[Affine3A], morphs: &[f32]) {
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
    let expected = skinned_on_the_cpu(model, joints_model, morphs);
    for skinning in [Skinning::Vertex, Skinning::Compute] {
        stage.renderer.skinning = skinning;
        let shown = stage.renderer.skin(stage.gpu, &scene).expect("readable");
        assert_eq!(shown.len(), expected.len());
        let mut worst: f32 = 0.0;
        for (vertex, (shown, expected)) in shown.iter().zip(&expected).enumerate() {
            let error = (shown.position_world - expected).abs().max_element();
            assert!(
                error <= TOLERANCE,
                "{skinning:?}, vertex {vertex}: {} instead of {expected}",
                shown.position_world
            );
            assert!((shown.normal_world.length() - 1.0).abs() < 1e-5);
            worst = worst.max(error);
        }
        eprintln!(
            "{skinning:?}: {} vertices within {worst:e} m",
            expected.len()
        );
    }
}

#[test]
fn four_influences_agree_with_the_cpu() {
    check(&tube(5, 4), &bent(5, 0.4), &[]);
}

#[test]
fn eight_influences_agree_with_the_cpu() {
    check(&tube(9, 8), &bent(9, -0.2), &[]);
}

#[test]
fn of_eleven_influences_the_eight_strongest_are_drawn() {
    check(&tube(11, 11), &bent(11, 0.1), &[]);
}

#[test]
fn open_morph_targets_agree_with_the_cpu() {
    check(&tube(5, 2), &bent(5, 0.4), &[0.37]);
}

#[test]
fn a_rigid_mesh_agrees_with_the_cpu() {
    let joint = Affine3A::from_rotation_x(0.7) * Affine3A::from_scale(vec3(0.5, 1.2, -2.0));
    check(&cube(), &[joint], &[]);
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
            let expected = (normal_map * normal).normalize();
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
    assert_eq!(vertex.stats, compute.stats);
}
