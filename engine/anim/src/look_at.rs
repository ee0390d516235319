//! Looking at a point: a chain of joints shares the turn.

use glam::{Affine3A, Quat, Vec3};

use crate::ik::{IkReport, axes_of_space, rest_model, rest_space};
use crate::rotation::{Axes, slerp, turned, unit};
use crate::{Pose, Skeleton};

/// What [`look_at`] solves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LookAtInput<'a> {
    /// From the root side to the joint that looks, each below the one before it, such as spine, neck,
    /// head. Each takes an equal share of the turn.
    pub chain: &'a [u16],
    /// What to look at, model space, metres.
    pub target_model: Vec3,
    /// Where the last joint looks at rest, in model space; +Z for most characters.
    pub forward_model: Vec3,
    /// The furthest turn to either side of rest, radians, 0 and up; pi and more is no limit.
    pub max_yaw: f32,
    /// The furthest turn up and down from rest, radians, 0..=pi/2.
    pub max_pitch: f32,
    /// 0 leaves the pose, 1 looks; between them the joints' local rotations are blended by slerp.
    pub weight: f32,
    /// The angles that the step before gave back, for a limit on speed; `None` in the first step.
    pub previous: Option<[f32; 2]>,
    /// The most that the angles may change from `previous`, radians: the speed limit times the step's
    /// time, or infinity.
    pub max_turn: f32,
}

/// Turns a chain so that the last joint's forward axis points at the target, by the local rotations
/// of the chain in `pose`. `model` holds the model matrices of `pose`; compute them anew afterwards. Gives a
/// report of the solution at full weight (reached within 1e-3 rad of the target as asked for) and the
/// yaw and pitch in radians that the last joint came to, the next step's `previous`.
///
/// Yaw (about the up axis, towards +X from +Z) and pitch (up) are measured from rest, in the frame that the
/// parent of the first joint carries along, so a turned or lying body looks relative to itself. Yaw
/// goes by the front, never by the back, unless it has no limit, and the head stays upright as
/// animated: each joint turns by yaw and pitch, never by a shortest arc. Nothing changes at
/// weight 0, for an empty chain and for a target that is not finite or at the joint itself.
/// Ancestors may be rotated, scaled and mirrored.
pub fn look_at(
    skeleton: &Skeleton,
    model: &[Affine3A],
    input: &LookAtInput,
    pose: &mut Pose,
) -> (IkReport, [f32; 2]) {
    let previous = input.previous.unwrap_or_default();
    let idle = IkReport {
        reached: false,
        error: f32::INFINITY,
        limit_hit: false,
    };
    let (Some(&first), Some(&last)) = (input.chain.first(), input.chain.last()) else {
        return (idle, previous);
    };
    if !input.target_model.is_finite() {
        return (idle, previous);
    }
    let frame = Frame::new(skeleton, model, first, input.forward_model);
    let forward_local = turned(
        rest_model(skeleton, last).matrix3.inverse(),
        input.forward_model.normalize_or(Vec3::Z),
    );
    let mut forward = turned(model[usize::from(last)].matrix3, forward_local);
    let mut eye = Vec3::from(model[usize::from(last)].translation);
    if forward == Vec3::ZERO || !forward.is_finite() || !eye.is_finite() {
        return (idle, previous);
    }

    // What the joints above have turned, as a rigid motion of everything below them.
    let mut carried = Affine3A::IDENTITY;
    let mut aim = Aim::default();
    for (index, &joint) in input.chain.iter().enumerate() {
        aim = frame.aim(input, eye);
        let share = 1.0 / (input.chain.len() - index) as f32;
        let turn = frame.turn(forward, aim.angles, share, input.max_yaw);
        let center = carried.transform_point3(Vec3::from(model[usize::from(joint)].translation));
        let about_joint = Affine3A::from_translation(center)
            * Affine3A::from_quat(turn)
            * Affine3A::from_translation(-center);

        if input.weight > 0.0 {
            let before_turns = Quat::from_mat3a(&carried.matrix3);
            let in_given_model = before_turns.inverse() * turn * before_turns;
            let turn_local = axes_of_space(skeleton, model, joint).to_local(in_given_model);
            let before = pose.rotation(usize::from(joint));
            let after = unit(turn_local * before);
            pose.set_rotation(usize::from(joint), slerp(before, after, input.weight));
        }
        carried = about_joint * carried;
        forward = (turn * forward).normalize_or(forward);
        eye = about_joint.transform_point3(eye);
    }

    let wanted = (input.target_model - eye).normalize_or(forward);
    let error = forward.angle_between(wanted);
    let report = IkReport {
        reached: error <= 1e-3,
        error,
        limit_hit: aim.limit_hit,
    };
    (report, aim.angles)
}

/// Yaw and pitch to go to.
#[derive(Clone, Copy, Debug, Default)]
struct Aim {
    angles: [f32; 2],
    limit_hit: bool,
}

/// The frame in which yaw and pitch are measured, in model space.
struct Frame {
    side: Vec3,
    up: Vec3,
    forward: Vec3,
    /// Pitch of the forward axis at rest.
    rest_pitch: f32,
}

impl Frame {
    fn new(skeleton: &Skeleton, model: &[Affine3A], first: u16, forward_model: Vec3) -> Self {
        let now = axes_of_space(skeleton, model, first);
        let rest = Axes::of(rest_space(skeleton, first).matrix3);
        let carry = now.matrix * rest.matrix.transpose();
        let looking = forward_model.normalize_or(Vec3::Z);
        let level = looking - Vec3::Y * looking.y;
        let forward = level.try_normalize().unwrap_or(Vec3::Z);
        Self {
            side: carry * Vec3::Y.cross(forward),
            up: carry * Vec3::Y,
            forward: carry * forward,
            rest_pitch: looking.y.clamp(-1.0, 1.0).asin(),
        }
    }

    /// Yaw and pitch of a unit vector, from rest.
    fn angles(&self, direction: Vec3) -> [f32; 2] {
        let level = [direction.dot(self.side), direction.dot(self.forward)];
        let up = direction.dot(self.up);
        let pitch = up.atan2(level[0].hypot(level[1]));
        [level[0].atan2(level[1]), pitch - self.rest_pitch]
    }

    /// The rotation that takes the frame's forward axis to yaw and pitch.
    fn rotation(&self, [yaw, pitch]: [f32; 2]) -> Quat {
        Quat::from_axis_angle(self.up, yaw)
            * Quat::from_axis_angle(self.side, -(pitch + self.rest_pitch))
    }

    /// Where to look from `eye`: the target's angles within the limits and the speed.
    fn aim(&self, input: &LookAtInput, eye: Vec3) -> Aim {
        let previous = input.previous.unwrap_or_default();
        let Some(direction) = (input.target_model - eye).try_normalize() else {
            return Aim {
                angles: previous,
                limit_hit: false,
            };
        };
        let asked = self.angles(direction);
        let limits = [input.max_yaw, input.max_pitch].map(|limit| limit.max(0.0));
        let wanted = [0, 1].map(|i| asked[i].clamp(-limits[i], limits[i]));
        let angles = match input.previous {
            Some(previous) => approach(previous, wanted, input.max_turn, input.max_yaw),
            None => wanted,
        };
        Aim {
            angles,
            limit_hit: wanted != asked,
        }
    }

    /// The rotation that takes `forward` a `share` of the way to the angles.
    fn turn(&self, forward: Vec3, to: [f32; 2], share: f32, max_yaw: f32) -> Quat {
        let now = self.angles(forward);
        let next = [
            now[0] + yaw_between(now[0], to[0], max_yaw) * share,
            now[1] + (to[1] - now[1]) * share,
        ];
        self.rotation(next) * self.rotation(now).inverse()
    }
}

/// From one pair of angles towards another, at most `most` radians far.
fn approach(from: [f32; 2], to: [f32; 2], most: f32, max_yaw: f32) -> [f32; 2] {
    let way = [yaw_between(from[0], to[0], max_yaw), to[1] - from[1]];
    let length = way[0].hypot(way[1]);
    if !(length > most.max(0.0)) {
        return to;
    }
    let share = most.max(0.0) / length;
    [from[0] + way[0] * share, from[1] + way[1] * share]
}

/// The way from one yaw to another: past the front, or the shorter one where all are allowed.
fn yaw_between(from: f32, to: f32, max_yaw: f32) -> f32 {
    let way = to - from;
    if max_yaw < std::f32::consts::PI {
        way
    } else {
        way - std::f32::consts::TAU * (way / std::f32::consts::TAU).round()
    }
}
