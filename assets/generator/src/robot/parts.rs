//! The robot's parts, each bound to one joint: its trunk and head; the limbs stand beside it.

use super::limbs::{arm, leg};
use super::{material, mirror_name};
use crate::machined::{block, drum, shaft};
use crate::mesh::Mesh;
use crate::skeleton::Skeleton;
use glam::{Vec3, vec3};

/// The whole robot in its T-pose.
pub fn build(skeleton: &Skeleton) -> Mesh {
    let mut all = Mesh::default();
    let mut add = |joint: &str, part: Mesh| all.append(part.bind_rigid(skeleton.joint(joint)));
    trunk(&mut add);
    head(&mut add);
    for side in [1.0, -1.0] {
        let flip = vec3(side, 1.0, 1.0);
        let name = |left: &str| {
            if side > 0.0 {
                left.to_string()
            } else {
                mirror_name(left)
            }
        };
        arm(&mut |joint, part| add(&name(joint), part), flip);
        leg(&mut |joint, part| add(&name(joint), part), flip);
    }
    all
}

fn trunk(add: &mut dyn FnMut(&str, Mesh)) {
    add(
        "Hips",
        block(
            vec3(0.0, 0.87, 0.0),
            vec3(0.115, 0.060, 0.085),
            0.020,
            material::SHELL,
        ),
    );
    add(
        "Hips",
        block(
            vec3(0.0, 0.80, 0.0),
            vec3(0.050, 0.055, 0.060),
            0.015,
            material::FRAME,
        ),
    );
    add(
        "Hips",
        block(
            vec3(0.0, 0.885, 0.082),
            vec3(0.045, 0.022, 0.012),
            0.006,
            material::ACCENT,
        ),
    );
    for (joint, y) in [("Spine", 0.965), ("Spine", 1.01), ("Spine1", 1.055)] {
        add(
            joint,
            drum(vec3(0.0, y, 0.0), Vec3::Y, 0.019, 0.078, material::FRAME),
        );
    }
    add(
        "Spine",
        drum(
            vec3(0.0, 0.9875, 0.0),
            Vec3::Y,
            0.010,
            0.062,
            material::ACCENT,
        ),
    );
    add(
        "Spine1",
        block(
            vec3(0.0, 1.235, 0.005),
            vec3(0.175, 0.150, 0.115),
            0.040,
            material::SHELL,
        ),
    );
    add(
        "Spine1",
        block(
            vec3(0.0, 1.290, 0.108),
            vec3(0.105, 0.060, 0.022),
            0.014,
            material::ACCENT,
        ),
    );
    add(
        "Spine1",
        drum(
            vec3(0.0, 1.185, 0.118),
            Vec3::Z,
            0.012,
            0.036,
            material::FRAME,
        ),
    );
    add(
        "Spine1",
        drum(
            vec3(0.0, 1.185, 0.128),
            Vec3::Z,
            0.008,
            0.026,
            material::GLOW,
        ),
    );
    add(
        "Spine1",
        block(
            vec3(0.0, 1.25, -0.135),
            vec3(0.100, 0.095, 0.040),
            0.018,
            material::FRAME,
        ),
    );
    for x in [-0.055, 0.055] {
        add(
            "Spine1",
            shaft(
                vec3(x, 1.15, -0.155),
                vec3(x, 1.36, -0.155),
                0.026,
                0.026,
                material::ACCENT,
            ),
        );
    }
    for k in 0..4 {
        let y = 1.115 + 0.012 * k as f32;
        add(
            "Spine1",
            block(
                vec3(0.0, y, 0.112),
                vec3(0.070, 0.0035, 0.012),
                0.0015,
                material::FRAME,
            ),
        );
    }
}

fn head(add: &mut dyn FnMut(&str, Mesh)) {
    add(
        "Neck",
        drum(
            vec3(0.0, 1.405, 0.0),
            Vec3::Y,
            0.022,
            0.060,
            material::FRAME,
        ),
    );
    add(
        "Neck",
        shaft(
            vec3(0.0, 1.41, 0.0),
            vec3(0.0, 1.50, 0.0),
            0.040,
            0.034,
            material::FRAME,
        ),
    );
    add(
        "Head",
        block(
            vec3(0.0, 1.595, 0.005),
            vec3(0.125, 0.100, 0.110),
            0.036,
            material::SHELL,
        ),
    );
    add(
        "Head",
        block(
            vec3(0.0, 1.600, 0.104),
            vec3(0.100, 0.062, 0.018),
            0.014,
            material::FRAME,
        ),
    );
    for x in [-0.045, 0.045] {
        add(
            "Head",
            drum(vec3(x, 1.608, 0.120), Vec3::Z, 0.008, 0.024, material::GLOW),
        );
    }
    for k in 0..5 {
        let x = -0.028 + 0.014 * k as f32;
        add(
            "Head",
            block(
                vec3(x, 1.560, 0.1215),
                vec3(0.0045, 0.007, 0.004),
                0.0015,
                material::GLOW,
            ),
        );
    }
    add(
        "Head",
        block(
            vec3(0.0, 1.688, 0.0),
            vec3(0.030, 0.018, 0.080),
            0.010,
            material::ACCENT,
        ),
    );
    for side in [-1.0, 1.0] {
        add(
            "Head",
            drum(
                vec3(side * 0.132, 1.595, 0.0),
                Vec3::X,
                0.014,
                0.042,
                material::ACCENT,
            ),
        );
        add(
            "Head",
            drum(
                vec3(side * 0.146, 1.595, 0.0),
                Vec3::X,
                0.006,
                0.024,
                material::FRAME,
            ),
        );
    }
    add(
        "Head",
        shaft(
            vec3(0.132, 1.61, -0.01),
            vec3(0.150, 1.80, -0.03),
            0.006,
            0.003,
            material::FRAME,
        ),
    );
    add(
        "Head",
        drum(
            vec3(0.151, 1.805, -0.031),
            Vec3::Y,
            0.010,
            0.010,
            material::GLOW,
        ),
    );
}
