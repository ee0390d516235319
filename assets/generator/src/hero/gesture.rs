//! Clips of the upper body: waving, pointing, reaching, talking, being hit, leaning.

use super::rig::{Arm, LEFT, RIGHT, Rig};
use super::skeleton::ARM;
use super::stance::{idle, idle_arms, plant};
use crate::clip::Clip;
use crate::ease::{cowave, keys, wave};
use crate::skeleton::{Pose, turn};
use glam::{Quat, Vec3, vec3};

pub fn clips(rig: &Rig) -> Vec<Clip> {
    let upper = upper_body(rig);
    let planted = [(0.0, 1.0)];
    let stay = |c: Clip| {
        c.lock("foot_lock_l", &planted)
            .lock("foot_lock_r", &planted)
    };
    let lean = |name: &str, degrees: f32| {
        let mut clip =
            Clip::bake(name, 1, false, &|_| leaning(rig, degrees)).driving(upper.clone());
        clip.relative_to = (degrees != 0.0).then(|| "lean_rest".to_string());
        clip
    };
    vec![
        Clip::bake("wave", 66, false, &|t| waving(rig, t))
            .window("waving", 0.2, 0.8)
            .driving(upper.clone()),
        stay(
            Clip::bake("reach", 48, false, &|t| reaching(rig, t))
                .mark(0.46, "grab", 1.0)
                .window("grab", 0.42, 0.58),
        ),
        Clip::bake("point", 60, false, &|t| pointing(rig, t)).driving(upper.clone()),
        stay(Clip::bake("hit_front", 20, false, &|t| hit(rig, t)).mark(0.12, "hit", 1.0)),
        Clip::bake("talk_gesture", 90, true, &|t| talking(rig, t)).driving(upper.clone()),
        lean("lean_rest", 0.0),
        lean("lean_left", 16.0),
        lean("lean_right", -16.0),
    ]
}

/// Every joint above the hips.
fn upper_body(rig: &Rig) -> Vec<usize> {
    let lower = [
        "root", "hips", "upperLeg", "lowerLeg", "foot", "toes", "eye", "jaw",
    ];
    (0..rig.skeleton.len())
        .filter(|&j| !lower.iter().any(|l| rig.skeleton.names[j].starts_with(l)))
        .collect()
}

fn about(axis: Vec3, degrees: f32) -> Quat {
    Quat::from_axis_angle(axis.normalize_or_zero(), degrees.to_radians())
}

fn waving(rig: &Rig, t: f32) -> Pose {
    let mut pose = idle(rig, 0.0);
    let up = keys(t, &[(0.0, 0.0), (0.2, 1.0), (0.8, 1.0), (1.0, 0.0)]);
    let swing = wave(3.0 * (t - 0.2) / 0.6)
        * keys(
            t,
            &[
                (0.0, 0.0),
                (0.2, 0.0),
                (0.28, 1.0),
                (0.72, 1.0),
                (0.8, 0.0),
                (1.0, 0.0),
            ],
        );
    rig.bend_spine(&mut pose, 1.5, 4.0 - 4.0 * up, 2.0 * up);
    rig.turn_head(&mut pose, -2.0, 1.0 - 6.0 * up, 4.0 * up);
    let s = &rig.sides[RIGHT];
    let along = ARM * vec3(-1.0, 1.0, 1.0);
    let raised = [
        (s.shoulder, turn(0.0, 0.0, -12.0)),
        (s.upper_arm, turn(-12.0, 0.0, -48.0)),
        (
            s.lower_arm,
            about(Vec3::Z, -(75.0 + 18.0 * swing)) * about(along, 70.0),
        ),
        (s.hand, about(Vec3::Z, -10.0 * swing)),
    ];
    for (joint, rotation) in raised {
        pose.rotation[joint] = pose.rotation[joint].slerp(rotation, up);
    }
    let curl = idle_arms(0.0)[RIGHT].curl * (1.0 - up) + 4.0 * up;
    rig.curl_fingers(&mut pose, RIGHT, [curl; 4], curl * 0.5, 5.0 * up);
    pose
}

fn reaching(rig: &Rig, t: f32) -> Pose {
    let mut pose = idle(rig, 0.0);
    let out = keys(t, &[(0.0, 0.0), (0.42, 1.0), (0.56, 1.0), (1.0, 0.0)]);
    pose.shift[rig.hips] += vec3(0.0, -0.03, 0.05) * out;
    pose.rotation[rig.hips] = turn(2.0 + 6.0 * out, -5.0 + 10.0 * out, 0.0);
    rig.bend_spine(&mut pose, 1.5 + 10.0 * out, 4.0 + 14.0 * out, 0.0);
    rig.turn_head(&mut pose, -2.0 + 2.0 * out, 1.0 - 16.0 * out, 0.0);
    arm_to(
        rig,
        &mut pose,
        out,
        vec3(-0.13, 1.12, 0.60),
        vec3(-0.6, -0.8, -0.3),
    );
    let grip = keys(
        t,
        &[
            (0.0, 24.0),
            (0.30, 4.0),
            (0.40, 6.0),
            (0.48, 62.0),
            (0.85, 50.0),
            (1.0, 24.0),
        ],
    );
    rig.curl_fingers(&mut pose, RIGHT, [grip; 4], grip * 0.6, 0.0);
    plant(rig, &mut pose);
    pose
}

fn pointing(rig: &Rig, t: f32) -> Pose {
    let mut pose = idle(rig, 0.0);
    let out = keys(
        t,
        &[
            (0.0, 0.0),
            (0.24, 1.06),
            (0.32, 1.0),
            (0.70, 1.0),
            (1.0, 0.0),
        ],
    );
    rig.bend_spine(&mut pose, 1.5, 4.0 + 10.0 * out, 0.0);
    rig.turn_head(&mut pose, -2.0, 1.0 - 12.0 * out, 0.0);
    arm_to(
        rig,
        &mut pose,
        out,
        vec3(-0.20, 1.40, 0.62),
        vec3(-0.7, -0.8, 0.0),
    );
    let curl = 24.0 + 48.0 * out.min(1.0);
    rig.curl_fingers(
        &mut pose,
        RIGHT,
        [24.0 * (1.0 - out.min(1.0)), curl, curl, curl],
        12.0 + 26.0 * out.min(1.0),
        0.0,
    );
    pose
}

/// Moves the right arm by a share from where it hangs to a place for the wrist, root space.
fn arm_to(rig: &Rig, pose: &mut Pose, share: f32, wrist: Vec3, pole: Vec3) {
    let s = &rig.sides[RIGHT];
    let hanging = pose.clone();
    rig.reach(pose, RIGHT, wrist, pole);
    for joint in [s.upper_arm, s.lower_arm] {
        pose.rotation[joint] = hanging.rotation[joint].slerp(pose.rotation[joint], share);
    }
}

fn hit(rig: &Rig, t: f32) -> Pose {
    let mut pose = idle(rig, 0.0);
    let k = keys(t, &[(0.0, 0.0), (0.20, 1.0), (0.45, 0.45), (1.0, 0.0)]);
    let snap = keys(t, &[(0.0, 0.0), (0.14, 1.0), (0.40, 0.0), (1.0, 0.0)]);
    pose.shift[rig.hips] += vec3(0.0, -0.035, -0.035) * k;
    pose.rotation[rig.hips] = turn(2.0 - 7.0 * k, -5.0 + 5.0 * k, 0.0);
    rig.bend_spine(&mut pose, 1.5 - 15.0 * k, 4.0 + 12.0 * k, 5.0 * k);
    rig.turn_head(&mut pose, -2.0 + 14.0 * k - 20.0 * snap, 1.0 - 8.0 * k, 0.0);
    let arms = idle_arms(0.0);
    let flung = Arm::hanging(-6.0, 26.0, 48.0, 10.0);
    [LEFT, RIGHT]
        .iter()
        .for_each(|&s| rig.hang_arm(&mut pose, s, arms[s].lerp(flung, k)));
    plant(rig, &mut pose);
    pose
}

/// Both hands at work, one after the other, with a nod on each beat.
fn talking(rig: &Rig, t: f32) -> Pose {
    let mut pose = idle(rig, t);
    let beat = |phase: f32| 0.5 - 0.5 * cowave(phase);
    rig.bend_spine(
        &mut pose,
        2.5 + 1.5 * wave(t),
        4.0 + 4.0 * wave(t + 0.1),
        0.0,
    );
    rig.turn_head(
        &mut pose,
        -2.0 + 3.0 * wave(3.0 * t) * beat(t),
        1.0 + 6.0 * wave(t + 0.2),
        3.0 * wave(2.0 * t),
    );
    for side in [LEFT, RIGHT] {
        let phase = t + 0.5 * side as f32;
        let (raise, open) = (
            beat(2.0 * phase) * (0.45 + 0.55 * beat(phase)),
            beat(3.0 * phase),
        );
        let arm = Arm {
            swing: 14.0 + 16.0 * raise,
            out: 5.0 + 8.0 * open * raise,
            twist: 30.0 - 46.0 * raise,
            elbow: 62.0 + 34.0 * raise,
            wrist: -10.0 + 14.0 * open,
            curl: 26.0 - 14.0 * open,
        };
        rig.hang_arm(&mut pose, side, arm);
    }
    pose
}

/// A pose that leans to the left by degrees, to the right below 0; the offset from `lean_rest` is what is added.
fn leaning(rig: &Rig, degrees: f32) -> Pose {
    let mut pose = idle(rig, 0.0);
    rig.bend_spine(&mut pose, 1.5, 4.0 - degrees * 0.3, -degrees);
    rig.turn_head(&mut pose, -2.0, 1.0, degrees * 0.6);
    pose
}
