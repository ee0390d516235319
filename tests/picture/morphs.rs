//! Many morph targets at once, held against the CPU's reference, and the two ways in which they are blended against
//! each other.

use glam::{Affine3A, Vec3, vec3};
use sinew_model::{Model, MorphTarget};
use sinew_render::{Camera, Draw, MAX_VERTEX_TARGETS, Scene, Skinning};

use super::{
    figures::{bent, tube},
    largest_difference,
    skinning::check,
    stage,
};

/// As many as a model can have.
const TARGETS: usize = sinew_model::MAX_MORPH_TARGETS;

/// A plain sequence of numbers from -1 to 1.
fn noise(seed: usize) -> f32 {
    let bits = (seed as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    bits as f32 / (1_u64 << 23) as f32 - 1.0
}

/// A tube whose targets each move their own stretch of vertices by some millimetres, and turn their normals.
fn face() -> Model {
    let mut model = tube(3, 2);
    let mesh = &mut model.meshes[0];
    mesh.morphs = (0..TARGETS as u16).collect();
    let primitive = &mut mesh.primitives[0];
    let count = primitive.positions.len();
    let target = |index: usize| {
        let stretch = (index * 7) % count..=(index * 7) % count + 90;
        let delta = |scale: f32, salt: usize| {
            (0..count)
                .map(|vertex| {
                    let seed = (index * count + vertex) * 6 + salt;
                    let moved = vec3(noise(seed), noise(seed + 1), noise(seed + 2)) * scale;
                    if stretch.contains(&vertex) {
                        moved
                    } else {
                        Vec3::ZERO
                    }
                })
                .collect()
        };
        MorphTarget {
            positions: delta(0.004, 0),
            normals: delta(0.01, 3),
        }
    };
    primitive.targets = (0..TARGETS).map(target).collect();
    model
}

/// Weights of which `open` are not 0: negative ones, and some beyond 1.
fn weights(open: usize) -> Vec<f32> {
    let mut weights = vec![0.0; TARGETS];
    for index in 0..open {
        // Spread over all targets, whatever their number.
        weights[(index * 37) % TARGETS] = noise(index * 11 + 5) * 1.5 + 0.01;
    }
    assert_eq!(
        weights.iter().filter(|&&weight| weight != 0.0).count(),
        open
    );
    weights
}

#[test]
fn any_number_of_open_targets_agrees_with_the_cpu() {
    let model = face();
    for open in [0, 1, 8, 9, 64, 256] {
        let weights = weights(open);
        if open > 1 {
            assert!(weights.iter().any(|&weight| weight < 0.0));
        }
        if open > 8 {
            assert!(weights.iter().any(|&weight| weight > 1.0));
        }
        check(&model, &model, &bent(3, 0.2), &weights);
    }
}

const CAMERA: Camera = Camera {
    eye_world: vec3(0.5, 1.4, 3.0),
    target_world: vec3(0.0, 1.0, 0.0),
    fov_y: 0.75,
    near: 0.05,
    far: 500.0,
};

#[test]
fn an_actor_that_goes_from_one_way_to_the_other_does_not_move() {
    let Some(mut stage) = stage() else { return };
    let model = stage.renderer.upload(stage.gpu, &face()).expect("fits");
    let joints = bent(3, 0.2);
    let mut shown = |morphs: &[f32], skinning: Skinning| {
        stage.renderer.skinning = skinning;
        let draws = [-0.4, 0.4].map(|x| Draw {
            world: Affine3A::from_translation(vec3(x, 0.0, 0.0)),
            morphs,
            ..Draw::new(model, &joints)
        });
        stage.picture(&Scene {
            camera: CAMERA,
            draws: &draws,
            ..Default::default()
        })
    };
    let eight = weights(MAX_VERTEX_TARGETS);
    let mut nine = eight.clone();
    let closed = nine.iter().position(|&weight| weight == 0.0);
    nine[closed.expect("all but eight are")] = 1e-9;
    let (before, after) = (
        shown(&eight, Skinning::Vertex),
        shown(&nine, Skinning::Vertex),
    );
    assert_eq!(
        (before.stats.skinned_ahead, after.stats.skinned_ahead),
        (0, 2)
    );
    assert!(largest_difference(&before, &after) <= 1);

    let many = weights(64);
    let (mixed, ahead) = (
        shown(&many, Skinning::Vertex),
        shown(&many, Skinning::Compute),
    );
    assert!(largest_difference(&mixed, &ahead) == 0);
    assert!(
        largest_difference(&before, &mixed) > 10,
        "64 targets do show"
    );
}

#[test]
fn actors_of_both_ways_stand_in_one_picture() {
    let Some(mut stage) = stage() else { return };
    let model = stage.renderer.upload(stage.gpu, &face()).expect("fits");
    let joints = bent(3, 0.2);
    let (few, many) = (weights(3), weights(100));
    let draws = [(-0.9, &few), (-0.3, &many), (0.3, &few), (0.9, &many)].map(|(x, morphs)| Draw {
        world: Affine3A::from_translation(vec3(x, 0.0, 0.0)),
        morphs,
        ..Draw::new(model, &joints)
    });
    let scene = Scene {
        camera: CAMERA,
        draws: &draws,
        ..Default::default()
    };
    let mixed = stage.picture(&scene);
    stage.renderer.skinning = Skinning::Compute;
    let all_ahead = stage.picture(&scene);
    assert_eq!(
        (mixed.stats.skinned_ahead, all_ahead.stats.skinned_ahead),
        (2, 4)
    );
    assert_eq!(mixed.stats.open_targets, all_ahead.stats.open_targets);
    assert!(largest_difference(&mixed, &all_ahead) <= 2);
}
