//! Two-bone inverse kinematics: hip, knee, foot, or shoulder, elbow, hand.

use glam::{Affine3A, DQuat, DVec3, Quat, Vec3};

use crate::ik::{
    IkReport, arc, frame, position, position_of, rejection, rest_model, rest_space, space_of,
};
use crate::rotation::{Axes, slerp, unit, wide};
use crate::{Pose, Skeleton};

/// Where the middle joint bends to.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Pole {
    /// Towards a point of model space.
    Point(Vec3),
    /// Towards a direction of model space; its length does not matter.
    Direction(Vec3),
    /// As it is bent now; where the chain is straight, as it bends at rest; where it is straight there
    /// too, towards +Z.
    #[default]
    Rest,
}

/// What [`two_bone`] solves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoBoneInput {
    /// The upper joint, the middle joint, the end. Each stands below the one before it; joints between
    /// them, such as twist bones, ride along.
    pub joints: [u16; 3],
    /// Where the end shall be, model space, metres.
    pub target_model: Vec3,
    /// Which way to bend.
    pub pole: Pole,
    /// 0 leaves the pose, 1 is the solution; between them the joints' local rotations are blended by
    /// slerp.
    pub weight: f32,
    /// Share of the chain's length from which on it is slowed so that it never snaps straight,
    /// above 0 and below 1; 1 (and whatever lies outside) is off.
    pub soft: f32,
}

/// Bends a chain of two bones so that its end comes to the target, by turning the upper and the
/// middle joint in `pose`; the end keeps its local rotation. `model` holds the model matrices of `pose`;
/// compute them anew afterwards. Bones keep their lengths: a target out of reach leaves the chain
/// straight (or folded) towards it. Nothing changes at weight 0, for a target that is not finite
/// and for bones without length.
///
/// Closed form by the law of cosines, in the space that the upper joint's local transform stands in, so
/// its ancestors may be rotated, mirrored and scaled in any way. The bend plane turns as a frame:
/// the bones keep their roll about themselves in it, and a pole that follows the target never flips
/// the knee. The report is that of the solution at full weight, against the target as asked for, so
/// soft reach near full extension counts as not reached; `reached` is within 1e-4 of the chain's
/// length.
pub fn two_bone(
    skeleton: &Skeleton,
    model: &[Affine3A],
    input: &TwoBoneInput,
    pose: &mut Pose,
) -> IkReport {
    let [hip, knee, _] = input.joints;
    let target = input.target_model.as_dvec3();
    let places = input.joints.map(|joint| position(model, joint));
    let report = |end: DVec3| {
        let length = places[0].distance(places[1]) + places[1].distance(places[2]);
        IkReport {
            reached: end.distance(target) <= 1e-4 * length,
            error: if target.is_finite() {
                end.distance(target) as f32
            } else {
                f32::INFINITY
            },
            limit_hit: false,
        }
    };
    let space = wide(space_of(skeleton, model, hip));
    let to_space = space.inverse();
    let [hip_place, knee_place, foot_place] = places.map(|place| to_space.transform_point3(place));
    let to_target = to_space.transform_point3(target) - hip_place;
    let bones = Bones {
        upper: knee_place - hip_place,
        lower: foot_place - knee_place,
    };
    if !bones.are_sound() || !to_target.is_finite() {
        return report(places[2]);
    }

    let bend = match input.pole {
        Pole::Point(point) => Some(to_space.transform_point3(point.as_dvec3()) - hip_place),
        Pole::Direction(direction) => Some(to_space.transform_vector3(direction.as_dvec3())),
        Pole::Rest => None,
    };
    let goal = Goal {
        to_target,
        bend,
        forward: to_space.transform_vector3(DVec3::Z),
        soft: f64::from(input.soft),
        rest_hinge: rest_hinge(skeleton, pose, input.joints),
    };
    let solution = solve(&bones, &goal);
    // Also catches a weight that is not a number.
    if input.weight > 0.0 {
        let knee_space = wide(space_of(skeleton, model, knee));
        let knee_axes = Axes::of((to_space.matrix3 * knee_space.matrix3).as_mat3().into());
        let below_hip = solution.hip_turn.inverse() * solution.knee_turn * solution.hip_turn;
        turn_joint(pose, hip, solution.hip_turn.as_quat(), input.weight);
        turn_joint(
            pose,
            knee,
            knee_axes.to_local(below_hip.as_quat()),
            input.weight,
        );
    }
    report(space.transform_point3(hip_place + solution.end))
}

/// Turns a joint's local rotation by a share of `turn`, which stands in the same space.
fn turn_joint(pose: &mut Pose, joint: u16, turn: Quat, weight: f32) {
    let before = pose.rotation(usize::from(joint));
    let after = unit(turn * before);
    pose.set_rotation(usize::from(joint), slerp(before, after, weight));
}

/// The chain as it stands: from hip to knee and from knee to foot.
struct Bones {
    upper: DVec3,
    lower: DVec3,
}

impl Bones {
    fn are_sound(&self) -> bool {
        let lengths = [self.upper.length(), self.lower.length()];
        lengths
            .iter()
            .all(|length| *length > 1e-9 && length.is_finite())
    }
}

/// What is asked of the chain, all in the space of the hip's local transform.
struct Goal {
    to_target: DVec3,
    /// From the hip to where the knee shall bend.
    bend: Option<DVec3>,
    /// Model space's +Z.
    forward: DVec3,
    soft: f64,
    rest_hinge: Option<DVec3>,
}

/// The distance that a chain of `length` goes to for a target at `distance`: the same up to `soft *
/// length`, then slower with a continuous slope, never more than `length`. `soft` outside 0..1 is
/// off. (The ease of Spine and of Maya's soft IK, with a quartic in place of the exponential.)
fn soft_reach(distance: f64, length: f64, soft: f64) -> f64 {
    let free = soft * length;
    if !(soft > 0.0 && soft < 1.0) || distance <= free {
        return distance.min(length);
    }
    let slack = length - free;
    let alpha = (distance - free) / slack;
    free + slack * (1.0 - 256.0 / (alpha + 4.0).powi(4))
}

/// Rotations that bring the chain from where it is to the solution.
struct Solution {
    hip_turn: DQuat,
    /// Applied after `hip_turn`, about the new knee.
    knee_turn: DQuat,
    /// From the hip.
    end: DVec3,
}

fn solve(bones: &Bones, goal: &Goal) -> Solution {
    let (upper, lower) = (bones.upper.length(), bones.lower.length());
    let (upper_now, lower_now) = (bones.upper / upper, bones.lower / lower);
    let to_foot = (bones.upper + bones.lower).normalize_or(upper_now);
    let distance = goal.to_target.length();
    let axis = if distance > 1e-6 * (upper + lower) {
        goal.to_target / distance
    } else {
        to_foot
    };
    let hinge_now = across(upper_now, lower_now).or(goal.rest_hinge);
    let bend = bend(goal, axis, upper_now, to_foot, hinge_now);
    let hinge = axis.cross(bend);

    let shortest = (upper - lower).abs() + 1e-7 * (upper + lower);
    let reach = soft_reach(distance, upper + lower, goal.soft).clamp(shortest, upper + lower);
    // (u^2 - l^2) factored: it cancels for bones of one length
    let cos = ((upper - lower) * (upper + lower) + reach * reach) / (2.0 * upper * reach);
    let cos = cos.clamp(-1.0, 1.0);
    let sin = (1.0 - cos * cos).sqrt();
    let upper_new = axis * cos + bend * sin;
    let lower_new = (axis * reach - upper_new * upper) / lower;

    let hip_turn = match hinge_now.and_then(|hinge_now| frame(upper_now, hinge_now)) {
        Some(old) => frame(upper_new, hinge).map_or(DQuat::IDENTITY, |new| new * old.inverse()),
        None => arc(upper_now, upper_new, hinge),
    };
    let carried = hip_turn * lower_now;
    let sine = hinge.dot(carried.cross(lower_new));
    let about_hinge = DQuat::from_axis_angle(hinge, sine.atan2(carried.dot(lower_new)));
    // What a chain bent slightly out of the hinge's plane still lacks.
    let lower_new = lower_new.normalize_or(carried);
    let rest = arc(about_hinge * carried, lower_new, hinge);
    Solution {
        hip_turn,
        knee_turn: rest * about_hinge,
        end: axis * reach,
    }
}

/// The direction, across `axis`, to which the knee shall go: the pole, else the knee's own, else the rest
/// pose's, else any.
fn bend(
    goal: &Goal,
    axis: DVec3,
    upper_now: DVec3,
    to_foot: DVec3,
    hinge_now: Option<DVec3>,
) -> DVec3 {
    let wanted = match (goal.bend, hinge_now) {
        (Some(pole), _) => rejection(pole, axis),
        // The hinge swings with the line from hip to foot, so that it stays across it.
        (None, Some(hinge)) => rejection((arc(to_foot, axis, hinge) * hinge).cross(axis), axis),
        // Forward is as good as any direction, and it does not change from step to step.
        (None, None) => rejection(goal.forward, axis),
    };
    wanted
        .or_else(|| rejection(upper_now, axis))
        .or_else(|| rejection(goal.rest_hinge?.cross(axis), axis))
        .or_else(|| rejection(goal.forward, axis))
        .unwrap_or_else(|| axis.any_orthonormal_vector())
}

/// The hinge of a knee: across both bones, turning the lower one from `upper` on; `None` for a
/// chain that is straight within a thousandth.
fn across(upper: DVec3, lower: DVec3) -> Option<DVec3> {
    // Bent to the side n with the foot along u, the hinge is u x n, as lower x upper is.
    let hinge = lower.cross(upper);
    (hinge.length_squared() > 1e-6).then(|| hinge.normalize_or_zero())
}

/// The hinge that the rest pose shows, carried along with the hip's local rotation; `None` where the
/// chain is straight at rest too.
fn rest_hinge(skeleton: &Skeleton, pose: &Pose, joints: [u16; 3]) -> Option<DVec3> {
    let to_space = wide(rest_space(skeleton, joints[0])).inverse();
    let place = |joint| position_of(rest_model(skeleton, joint));
    let [hip, knee, foot] = joints.map(|joint| to_space.transform_point3(place(joint)));
    let hinge = across(
        (knee - hip).try_normalize()?,
        (foot - knee).try_normalize()?,
    )?;
    let rotation = |pose: &Pose| pose.rotation(usize::from(joints[0])).as_dquat();
    Some(rotation(pose) * rotation(&skeleton.rest).inverse() * hinge)
}

#[cfg(test)]
mod tests;
