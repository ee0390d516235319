//! The robot: rigid parts on a Mixamo-like skeleton in a T-pose, its joint axes along the bones. It has other names,
//! proportions and rest axes than the hero on purpose, so that clips can be retargeted onto it.

mod clips;
mod limbs;
mod parts;

use crate::glb::{Character, Material, write};
use crate::skeleton::Skeleton;
use glam::{Mat3, Quat, Vec3, vec3};

/// Indices into `MATERIALS`.
mod material {
    pub const SHELL: u8 = 0;
    pub const ACCENT: u8 = 1;
    pub const FRAME: u8 = 2;
    pub const GLOW: u8 = 3;
}

const MATERIALS: [Material; 4] = [
    Material {
        name: "shell",
        colour: "d9dde2",
        roughness: 0.45,
        metallic: 0.1,
        variants: &["d9dde2", "4d5a3c"],
    },
    Material {
        name: "accent",
        colour: "e2622b",
        roughness: 0.45,
        metallic: 0.1,
        variants: &["e2622b", "c9a227"],
    },
    Material {
        name: "frame",
        colour: "34383f",
        roughness: 0.5,
        metallic: 0.6,
        variants: &[],
    },
    Material {
        name: "glow",
        colour: "7fe6ff",
        roughness: 0.2,
        metallic: 0.0,
        variants: &["7fe6ff", "ff7a4d"],
    },
];

const VARIANTS: [&str; 2] = ["service", "field"];

/// Joints: name, parent, rest position (left side and middle), direction of the bone.
const JOINTS: [(&str, &str, Vec3, Vec3); 15] = [
    ("Hips", "", Vec3::new(0.0, 0.86, 0.0), Vec3::Y),
    ("Spine", "Hips", Vec3::new(0.0, 0.99, 0.0), Vec3::Y),
    ("Spine1", "Spine", Vec3::new(0.0, 1.12, 0.0), Vec3::Y),
    ("Neck", "Spine1", Vec3::new(0.0, 1.42, 0.0), Vec3::Y),
    ("Head", "Neck", Vec3::new(0.0, 1.49, 0.01), Vec3::Y),
    (
        "LeftShoulder",
        "Spine1",
        Vec3::new(0.07, 1.36, 0.0),
        Vec3::X,
    ),
    (
        "LeftArm",
        "LeftShoulder",
        Vec3::new(0.23, 1.36, 0.0),
        Vec3::X,
    ),
    (
        "LeftForeArm",
        "LeftArm",
        Vec3::new(0.50, 1.36, 0.0),
        Vec3::X,
    ),
    (
        "LeftHand",
        "LeftForeArm",
        Vec3::new(0.76, 1.36, 0.0),
        Vec3::X,
    ),
    (
        "LeftHandThumb1",
        "LeftHand",
        Vec3::new(0.80, 1.35, 0.045),
        Vec3::new(0.8, 0.0, 0.6),
    ),
    (
        "LeftHandIndex1",
        "LeftHand",
        Vec3::new(0.855, 1.36, 0.0),
        Vec3::X,
    ),
    ("LeftUpLeg", "Hips", Vec3::new(0.11, 0.81, 0.0), Vec3::NEG_Y),
    (
        "LeftLeg",
        "LeftUpLeg",
        Vec3::new(0.11, 0.45, 0.01),
        Vec3::NEG_Y,
    ),
    (
        "LeftFoot",
        "LeftLeg",
        Vec3::new(0.11, 0.10, -0.02),
        Vec3::new(0.0, -0.4, 0.9),
    ),
    (
        "LeftToeBase",
        "LeftFoot",
        Vec3::new(0.11, 0.012, 0.11),
        Vec3::Z,
    ),
];

/// Makes `robot.glb`.
pub fn build() -> Vec<u8> {
    let skeleton = skeleton();
    let mesh = parts::build(&skeleton);
    // Flat faces have no shared vertices to collapse, and there are few of them: one level is enough.
    let levels = [mesh.triangles.clone()];
    write(&Character {
        name: "robot",
        skeleton: &skeleton,
        materials: &MATERIALS,
        variant_names: &VARIANTS,
        mesh: &mesh,
        levels: &levels,
        clips: &clips::clips(&skeleton),
        precise: &|name| name.contains("Leg") || name.contains("Foot") || name == "Hips",
    })
}

fn mirror_name(name: &str) -> String {
    name.replace("Left", "Right")
}

fn skeleton() -> Skeleton {
    let mut s = Skeleton::default();
    let mut put = |name: &str, parent: &str, p: Vec3, along: Vec3| {
        let j = s.add(name, parent, p);
        s.orient[j] = bone_frame(along);
    };
    JOINTS
        .iter()
        .for_each(|(name, parent, p, along)| put(name, parent, *p, *along));
    for (name, parent, p, along) in JOINTS.iter().filter(|j| j.0.starts_with("Left")) {
        let flip = vec3(-1.0, 1.0, 1.0);
        put(
            &mirror_name(name),
            &mirror_name(parent),
            *p * flip,
            *along * flip,
        );
    }
    s
}

/// Axes of a joint whose Y goes along its bone, Z as far forward as can be.
fn bone_frame(along: Vec3) -> Quat {
    let y = along.normalize_or_zero();
    let ahead = if y.z.abs() > 0.85 { Vec3::Y } else { Vec3::Z };
    let x = y.cross(ahead).normalize_or_zero();
    Quat::from_mat3(&Mat3::from_cols(x, y, x.cross(y)))
}
