//! The robot's arms and legs, drawn for the left side.

use super::material;
use crate::machined::{block, drum, shaft};
use crate::mesh::Mesh;
use crate::solid::slab;
use glam::{Vec3, vec3};

/// An arm; `flip` mirrors it to the right.
pub fn arm(add: &mut dyn FnMut(&str, Mesh), flip: Vec3) {
    let at = |x: f32, y: f32, z: f32| vec3(x, y, z) * flip;
    add(
        "LeftShoulder",
        shaft(
            at(0.10, 1.36, 0.0),
            at(0.20, 1.36, 0.0),
            0.040,
            0.036,
            material::FRAME,
        ),
    );
    add(
        "LeftArm",
        drum(at(0.23, 1.36, 0.0), Vec3::Z, 0.062, 0.066, material::FRAME),
    );
    add(
        "LeftArm",
        block(
            at(0.262, 1.375, 0.0),
            vec3(0.078, 0.066, 0.082),
            0.026,
            material::SHELL,
        ),
    );
    add(
        "LeftArm",
        block(
            at(0.262, 1.436, 0.0),
            vec3(0.050, 0.010, 0.050),
            0.005,
            material::ACCENT,
        ),
    );
    add(
        "LeftArm",
        shaft(
            at(0.30, 1.36, 0.0),
            at(0.47, 1.36, 0.0),
            0.042,
            0.036,
            material::FRAME,
        ),
    );
    add(
        "LeftArm",
        drum(at(0.40, 1.36, 0.0), Vec3::X, 0.018, 0.048, material::SHELL),
    );
    add(
        "LeftForeArm",
        drum(at(0.50, 1.36, 0.0), Vec3::Y, 0.046, 0.046, material::ACCENT),
    );
    add(
        "LeftForeArm",
        block(
            at(0.640, 1.36, 0.0),
            vec3(0.095, 0.052, 0.050),
            0.020,
            material::SHELL,
        ),
    );
    add(
        "LeftForeArm",
        block(
            at(0.640, 1.414, 0.0),
            vec3(0.060, 0.008, 0.026),
            0.004,
            material::FRAME,
        ),
    );
    add(
        "LeftForeArm",
        drum(at(0.742, 1.36, 0.0), Vec3::X, 0.010, 0.038, material::FRAME),
    );
    add(
        "LeftHand",
        block(
            at(0.803, 1.36, 0.0),
            vec3(0.046, 0.022, 0.044),
            0.010,
            material::FRAME,
        ),
    );
    add(
        "LeftHand",
        block(
            at(0.800, 1.384, 0.0),
            vec3(0.034, 0.006, 0.034),
            0.003,
            material::SHELL,
        ),
    );
    for z in [-0.030, 0.0, 0.030] {
        add(
            "LeftHandIndex1",
            block(
                at(0.885, 1.36, z),
                vec3(0.034, 0.012, 0.0115),
                0.004,
                material::SHELL,
            ),
        );
        add(
            "LeftHandIndex1",
            block(
                at(0.931, 1.358, z),
                vec3(0.018, 0.010, 0.0100),
                0.004,
                material::FRAME,
            ),
        );
    }
    let along = vec3(0.8 * flip.x, 0.0, 0.6);
    let axes = [along, Vec3::Y, along.cross(Vec3::Y)];
    add(
        "LeftHandThumb1",
        slab(
            at(0.80, 1.35, 0.045) + along * 0.034,
            vec3(0.036, 0.012, 0.012),
            axes,
            0.004,
            material::SHELL,
        ),
    );
}

/// A leg; `flip` mirrors it to the right.
pub fn leg(add: &mut dyn FnMut(&str, Mesh), flip: Vec3) {
    let at = |x: f32, y: f32, z: f32| vec3(x, y, z) * flip;
    add(
        "LeftUpLeg",
        drum(at(0.115, 0.81, 0.0), Vec3::X, 0.052, 0.066, material::FRAME),
    );
    add(
        "LeftUpLeg",
        block(
            at(0.112, 0.665, 0.0),
            vec3(0.062, 0.110, 0.070),
            0.026,
            material::SHELL,
        ),
    );
    add(
        "LeftUpLeg",
        block(
            at(0.112, 0.670, 0.072),
            vec3(0.030, 0.070, 0.008),
            0.004,
            material::ACCENT,
        ),
    );
    add(
        "LeftUpLeg",
        shaft(
            at(0.11, 0.57, 0.003),
            at(0.11, 0.47, 0.008),
            0.042,
            0.036,
            material::FRAME,
        ),
    );
    add(
        "LeftLeg",
        drum(at(0.11, 0.45, 0.01), Vec3::X, 0.056, 0.054, material::FRAME),
    );
    add(
        "LeftLeg",
        drum(
            at(0.11, 0.45, 0.01),
            Vec3::X,
            0.062,
            0.032,
            material::ACCENT,
        ),
    );
    add(
        "LeftLeg",
        block(
            at(0.11, 0.462, 0.058),
            vec3(0.036, 0.044, 0.016),
            0.010,
            material::SHELL,
        ),
    );
    add(
        "LeftLeg",
        block(
            at(0.11, 0.280, -0.006),
            vec3(0.058, 0.115, 0.064),
            0.024,
            material::SHELL,
        ),
    );
    add(
        "LeftLeg",
        block(
            at(0.11, 0.285, -0.070),
            vec3(0.034, 0.070, 0.014),
            0.008,
            material::FRAME,
        ),
    );
    add(
        "LeftLeg",
        shaft(
            at(0.11, 0.17, -0.014),
            at(0.11, 0.11, -0.018),
            0.038,
            0.032,
            material::FRAME,
        ),
    );
    add(
        "LeftFoot",
        drum(
            at(0.11, 0.10, -0.02),
            Vec3::X,
            0.046,
            0.040,
            material::FRAME,
        ),
    );
    add(
        "LeftFoot",
        block(
            at(0.11, 0.045, 0.010),
            vec3(0.056, 0.033, 0.094),
            0.012,
            material::SHELL,
        ),
    );
    add(
        "LeftFoot",
        block(
            at(0.11, 0.006, 0.010),
            vec3(0.060, 0.006, 0.098),
            0.003,
            material::FRAME,
        ),
    );
    add(
        "LeftToeBase",
        block(
            at(0.11, 0.034, 0.158),
            vec3(0.056, 0.022, 0.046),
            0.012,
            material::ACCENT,
        ),
    );
    add(
        "LeftToeBase",
        block(
            at(0.11, 0.006, 0.158),
            vec3(0.060, 0.006, 0.048),
            0.003,
            material::FRAME,
        ),
    );
}
