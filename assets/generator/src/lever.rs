//! A lever on a pedestal, to be pulled by a standing person in front of it (+Z). Rigid parts in the robot's colours.

use crate::clip::Clip;
use crate::glb::{Character, Material, write};
use crate::machined::{block, drum, shaft};
use crate::mesh::Mesh;
use crate::skeleton::{Pose, Skeleton, turn};
use glam::{Vec3, vec3};

/// Indices into `MATERIALS`.
mod material {
    pub const SHELL: u8 = 0;
    pub const ACCENT: u8 = 1;
    pub const FRAME: u8 = 2;
    pub const GLOW: u8 = 3;
}

const fn painted(name: &'static str, colour: &'static str, roughness: f32) -> Material {
    Material {
        name,
        colour,
        roughness,
        metallic: 0.1,
        variants: &[],
    }
}

const MATERIALS: [Material; 4] = [
    painted("shell", "d9dde2", 0.45),
    painted("accent", "e2622b", 0.45),
    painted("frame", "34383f", 0.5),
    painted("glow", "7fe6ff", 0.2),
];

/// The axle of the arm.
const PIVOT: Vec3 = Vec3::new(0.0, 0.86, 0.0);
/// From the axle to the middle of the grip when the arm is upright.
const ARM: f32 = 0.24;
/// Where the wrist of a hand that holds the grip is, from the middle of the grip: the palm lies on the bar, so a chain that
/// ends at the wrist ends short of it.
const WRIST: Vec3 = Vec3::new(0.0, 0.015, 0.065);
/// The arm leans away from the user when at rest and towards them when pulled, degrees from upright.
const LEAN: [f32; 2] = [-12.0, 58.0];

/// Makes `lever.glb`.
pub fn build() -> Vec<u8> {
    let skeleton = skeleton();
    let mesh = mesh(&skeleton);
    write(&Character {
        name: "lever",
        skeleton: &skeleton,
        materials: &MATERIALS,
        variant_names: &[],
        mesh: &mesh,
        levels: std::slice::from_ref(&mesh.triangles),
        clips: &[pull(&skeleton)],
        precise: &|_| true,
    })
}

fn skeleton() -> Skeleton {
    let grip = PIVOT + turn(LEAN[0], 0.0, 0.0) * Vec3::Y * ARM;
    let mut s = Skeleton::default();
    s.add("root", "", Vec3::ZERO);
    s.add("arm", "root", PIVOT);
    s.add("grip", "arm", grip);
    s.add("handle", "grip", grip + WRIST);
    s
}

/// From rest to pulled at an even pace: whoever scrubs it brings the easing. The grip turns in the hand and stays level,
/// so `handle` is always on the user's side of it.
fn pull(skeleton: &Skeleton) -> Clip {
    let [arm, grip] = ["arm", "grip"].map(|name| skeleton.joint(name));
    let pose = |t: f32| {
        let mut pose = Pose::rest(skeleton.len());
        let turned = (LEAN[1] - LEAN[0]) * t;
        pose.rotation[arm] = turn(turned, 0.0, 0.0);
        pose.rotation[grip] = turn(-turned, 0.0, 0.0);
        pose
    };
    Clip::bake("pull", 30, false, &pose)
        .mark(0.9, "latch", 1.0)
        .window("moving", 0.0, 1.0)
}

fn mesh(skeleton: &Skeleton) -> Mesh {
    let mut all = Mesh::default();
    let mut add = |joint: &str, part: Mesh| all.append(part.bind_rigid(skeleton.joint(joint)));
    pedestal(&mut |part| add("root", part));
    arm(&mut |part| add("arm", part));
    let grip = skeleton.position("grip");
    let (inner, outer) = (Vec3::X * 0.062, Vec3::X * 0.074);
    add(
        "grip",
        drum(grip, Vec3::X, inner.x, 0.017, material::ACCENT),
    );
    add(
        "grip",
        shaft(grip - outer, grip + outer, 0.011, 0.011, material::FRAME),
    );
    all
}

/// What stands still: a foot, a column that the arm's axle goes through the head of, a lamp.
fn pedestal(add: &mut dyn FnMut(Mesh)) {
    let mut put = |x: f32, y: f32, z: f32, half: Vec3, chamfer: f32, m: u8| {
        add(block(vec3(x, y, z), half, chamfer, m));
    };
    put(
        0.0,
        0.03,
        0.0,
        vec3(0.17, 0.03, 0.17),
        0.014,
        material::FRAME,
    );
    put(
        0.0,
        0.08,
        0.0,
        vec3(0.125, 0.025, 0.125),
        0.015,
        material::ACCENT,
    );
    put(
        0.0,
        0.40,
        0.0,
        vec3(0.088, 0.315, 0.088),
        0.026,
        material::SHELL,
    );
    put(
        0.0,
        0.74,
        0.0,
        vec3(0.105, 0.045, 0.105),
        0.018,
        material::FRAME,
    );
    for side in [-1.0, 1.0] {
        let cheek = vec3(0.026, 0.105, 0.085);
        put(side * 0.062, 0.845, 0.0, cheek, 0.022, material::SHELL);
    }
    put(
        0.0,
        0.52,
        0.085,
        vec3(0.046, 0.10, 0.010),
        0.006,
        material::FRAME,
    );
    put(
        0.0,
        0.57,
        0.094,
        vec3(0.028, 0.028, 0.006),
        0.004,
        material::GLOW,
    );
    for side in [Vec3::NEG_X, Vec3::X] {
        let (from, to) = (PIVOT + side * 0.080, PIVOT + side * 0.100);
        add(shaft(from, to, 0.046, 0.038, material::ACCENT));
    }
}

/// What turns about the axle, drawn in its rest position: hub, shaft, collar and fork.
fn arm(add: &mut dyn FnMut(Mesh)) {
    let along = turn(LEAN[0], 0.0, 0.0) * Vec3::Y;
    let at = |distance: f32| PIVOT + along * distance;
    let rim = Vec3::X * 0.030;
    add(shaft(
        PIVOT - rim,
        PIVOT + rim,
        0.058,
        0.058,
        material::FRAME,
    ));
    add(shaft(at(0.04), at(ARM), 0.020, 0.013, material::FRAME));
    add(shaft(at(0.085), at(0.110), 0.027, 0.025, material::ACCENT));
}
