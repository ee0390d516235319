//! What a clip does to the body, frame by frame: every vertex of the finest level is skinned.

use super::document::Curve;
use super::file::{Channel, Clip, File, Values, Vertex};
use crate::elementary::atan2;
use glam::{Mat4, Quat, Vec3, Vec4};

/// A foot: the name of its lock curve and the joints whose sole it is.
const FEET: [(&str, &[&str]); 6] = [
    (
        "foot_lock_l",
        &["foot_L", "toes_L", "LeftFoot", "LeftToeBase"],
    ),
    (
        "foot_lock_r",
        &["foot_R", "toes_R", "RightFoot", "RightToeBase"],
    ),
    ("foot_lock_fl", &["frontPaw_L"]),
    ("foot_lock_fr", &["frontPaw_R"]),
    ("foot_lock_hl", &["hindPaw_L"]),
    ("foot_lock_hr", &["hindPaw_R"]),
];

/// Joints of the legs whose speed is shown: hips and knees.
const LEG_JOINTS: [&str; 7] = [
    "upperLeg",
    "lowerLeg",
    "Leg",
    "frontUpper",
    "frontLower",
    "hindUpper",
    "hindLower",
];

/// Vertices of a sole within this height of the floor count as touching it, metres.
const TOUCH: f32 = 0.004;

const RATE: f32 = 30.0;

/// Figures of a clip; degrees and millimetres, at 30 frames a second.
pub struct Motion {
    /// Largest angle between first and last pose of a loop, over all joints.
    pub open: Option<f32>,
    /// Largest change of a joint's rotation from one frame to the next: over the seam of a loop, and anywhere inside it.
    pub seam: Option<(f32, f32)>,
    /// Largest rotation of a hip or knee in a frame.
    pub leg_step: f32,
    /// Largest way of a planted sole in a frame.
    pub slide: Option<f32>,
    /// Largest height of the lowest vertex of a planted sole.
    pub hover: Option<f32>,
    /// How deep the lowest vertex of the body gets.
    pub below: Option<f32>,
}

/// Local translation and rotation of each node.
type Locals = Vec<(Vec3, Quat)>;

impl Motion {
    /// Plays a clip and measures it. Clips of a layer leave the legs to others: contacts are not measured there.
    pub fn measure(file: &File, clip: &Clip) -> Motion {
        let frames = (clip.extras.seconds * RATE).round().clamp(1.0, 10_000.0) as usize;
        let poses: Vec<Locals> = (0..=frames)
            .map(|k| sample(file, clip, k as f32 / RATE))
            .collect();
        let looping = clip.extras.looping;
        let mut motion = Motion {
            open: looping.then(|| loop_error(file, &poses)),
            seam: looping.then(|| seam(file, &poses)),
            leg_step: leg_step(file, &poses),
            slide: None,
            hover: None,
            below: None,
        };
        if clip.extras.layer.is_none() {
            motion.contacts(file, clip, &poses);
        }
        motion
    }

    fn contacts(&mut self, file: &File, clip: &Clip, poses: &[Locals]) {
        let bodies: Vec<Vec<Vec3>> = poses.iter().map(|p| skinned(file, p)).collect();
        let lowest = bodies
            .iter()
            .flatten()
            .map(|p| p.y)
            .fold(f32::MAX, f32::min);
        self.below = Some((-lowest * 1000.0).max(0.0));
        for curve in &clip.extras.curves {
            if let Some((_, joints)) = FEET.iter().find(|f| curve.name == f.0) {
                self.contact(&sole(file, joints), curve, &bodies);
            }
        }
    }

    /// Slide and hover of one sole while its curve says that it is planted.
    fn contact(&mut self, sole: &[usize], curve: &Curve, bodies: &[Vec<Vec3>]) {
        let locked = |k: usize| value_at(&curve.keys, k as f32 / RATE) > 0.99;
        for k in (0..bodies.len()).filter(|&k| locked(k)) {
            let low = sole
                .iter()
                .map(|&v| bodies[k][v].y)
                .fold(f32::MAX, f32::min);
            self.hover = Some(self.hover.unwrap_or(0.0).max(low * 1000.0));
            if k + 1 < bodies.len() && locked(k + 1) {
                let (a, b) = (&bodies[k], &bodies[k + 1]);
                let touching = sole.iter().filter(|&&v| a[v].y < TOUCH && b[v].y < TOUCH);
                let moved = touching
                    .map(|&v| (b[v] - a[v]).with_y(0.0).length() * 1000.0)
                    .fold(0.0, f32::max);
                self.slide = Some(self.slide.unwrap_or(0.0).max(moved));
            }
        }
    }
}

fn sample(file: &File, clip: &Clip, time: f32) -> Locals {
    let mut locals: Locals = file
        .nodes
        .iter()
        .map(|n| (n.translation, n.rotation))
        .collect();
    for channel in &clip.channels {
        let (k, next, f) = span(channel, time);
        let local = &mut locals[channel.node];
        match &channel.values {
            Values::Rotation(q) => local.1 = q[k].slerp(q[next], f),
            Values::Translation(v) => local.0 = v[k].lerp(v[next], f),
        }
    }
    locals
}

/// The keys around a time, and where it is between them.
fn span(channel: &Channel, time: f32) -> (usize, usize, f32) {
    let times = &channel.times;
    let k = times.partition_point(|t| *t <= time).max(1) - 1;
    let next = (k + 1).min(times.len() - 1);
    if next == k {
        return (k, k, 0.0);
    }
    let f = (time - times[k]) / (times[next] - times[k]);
    (k, next, f.clamp(0.0, 1.0))
}

fn skinned(file: &File, locals: &Locals) -> Vec<Vec3> {
    let mut global = vec![Mat4::IDENTITY; file.nodes.len()];
    for &i in &file.order {
        let local = Mat4::from_rotation_translation(locals[i].1, locals[i].0);
        let parent = file.nodes[i].parent.map_or(Mat4::IDENTITY, |p| global[p]);
        global[i] = parent * local;
    }
    let joints = file.joints.iter().zip(&file.inverse_bind);
    let palette: Vec<Mat4> = joints.map(|(&j, b)| global[j] * *b).collect();
    let place = |v: &Vertex| {
        let sum: Vec4 = (0..4)
            .map(|k| palette[v.joints[k]] * v.position.extend(1.0) * v.weights[k])
            .sum();
        sum.truncate()
    };
    file.vertices.iter().map(place).collect()
}

fn loop_error(file: &File, poses: &[Locals]) -> f32 {
    let (a, b) = (&poses[0], &poses[poses.len() - 1]);
    let joints = file.joints.iter();
    joints.map(|&j| angle(a[j].1, b[j].1)).fold(0.0, f32::max)
}

fn seam(file: &File, poses: &[Locals]) -> (f32, f32) {
    let step = |j: usize, k: usize| poses[k][j].1.inverse() * poses[k + 1][j].1;
    let last = poses.len() - 2;
    let (mut seam, mut inside) = (0.0f32, 0.0f32);
    for &j in &file.joints {
        seam = seam.max(angle(step(j, last), step(j, 0)));
        inside = (0..last)
            .map(|k| angle(step(j, k), step(j, k + 1)))
            .fold(inside, f32::max);
    }
    (seam, inside)
}

fn leg_step(file: &File, poses: &[Locals]) -> f32 {
    let of_leg = |&j: &usize| LEG_JOINTS.iter().any(|n| file.nodes[j].name.contains(n));
    let legs: Vec<usize> = file.joints.iter().copied().filter(of_leg).collect();
    let steps = poses
        .windows(2)
        .flat_map(|w| legs.iter().map(move |&j| angle(w[0][j].1, w[1][j].1)));
    steps.fold(0.0, f32::max)
}

/// Vertices near the floor at rest that follow one of the joints for more than half.
fn sole(file: &File, names: &[&str]) -> Vec<usize> {
    let named = |j: usize| names.contains(&file.nodes[file.joints[j]].name.as_str());
    let follows = |v: &Vertex| {
        let share = |k: usize| {
            if named(v.joints[k]) {
                v.weights[k]
            } else {
                0.0
            }
        };
        v.position.y < 0.02 && (0..4).map(share).sum::<f32>() > 0.5
    };
    (0..file.vertices.len())
        .filter(|&i| follows(&file.vertices[i]))
        .collect()
}

fn angle(a: Quat, b: Quat) -> f32 {
    let d = a.inverse() * b;
    (2.0 * atan2(d.xyz().length(), d.w.abs())).to_degrees()
}

/// A curve at a time; its ends hold, and one without keys is 0.
fn value_at(keys: &[[f32; 2]], time: f32) -> f32 {
    let k = keys.partition_point(|k| k[0] <= time + 1e-4).max(1) - 1;
    match (keys.get(k), keys.get(k + 1)) {
        (Some(a), Some(b)) if b[0] > a[0] => {
            a[1] + (b[1] - a[1]) * ((time - a[0]) / (b[0] - a[0])).clamp(0.0, 1.0)
        }
        (Some(a), _) => a[1],
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_hold_their_ends_and_are_linear_between() {
        let check = |keys: &[[f32; 2]], time: f32, expected: f32| {
            assert!((value_at(keys, time) - expected).abs() < 1e-4, "{time}");
        };
        let ramp = [[0.5, 0.0], [1.5, 2.0]];
        check(&[], 1.0, 0.0);
        check(&ramp, 0.0, 0.0);
        check(&ramp, 1.0, 1.0);
        check(&ramp, 9.0, 2.0);
    }

    #[test]
    fn angles_do_not_care_for_the_sign_of_a_quaternion() {
        let q = Quat::from_rotation_x(0.3);
        let expected = 0.3f32.to_degrees();
        assert!((angle(Quat::IDENTITY, q) - expected).abs() < 1e-3);
        assert!((angle(Quat::IDENTITY, -q) - expected).abs() < 1e-3);
    }
}
