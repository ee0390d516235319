//! Two-bone inverse kinematics: hip, knee, foot, or shoulder, elbow, hand.

use glam::{Affine3A, DQuat, DVec3, Quat, Vec3};

use crate::ik::{IkReport, axes_of_space, rest_model};
use crate::rotation::{slerp, unit};
use crate::{Pose, Skeleton};

/// Where the middle joint bends to.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Pole {
    /// Towards a point of model space.
    Point(Vec3),
    /// Towards a direction of model space; its length does not matter.
    Direction(Vec3),
    /// As it is bent now, or, where the chain is straight, as it bends at rest.
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
/// Closed form by the law of cosines. The bend plane turns as a frame, so the bones keep their roll
/// about themselves in it and a pole that follows the target never flips the knee. Rotated, uniformly
/// scaled and mirrored ancestors are allowed; under a non-uniform scale bones have no fixed length
/// and the end is met only nearly. The report is that of the solution at full weight, against the
/// target as asked for, so soft reach near full extension counts as not reached; `reached` is
/// within 1e-4 of the chain's length.
pub fn two_bone(
    skeleton: &Skeleton,
    model: &[Affine3A],
    input: &TwoBoneInput,
    pose: &mut Pose,
) -> IkReport {
    let [hip, knee, foot] = input.joints.map(|joint| position(model, joint));
    let target = input.target_model.as_dvec3();
    let bones = Bones::new(hip, knee, foot);
    let report = |end: DVec3| IkReport {
        reached: end.distance(target) <= 1e-4 * bones.length(),
        error: end.distance(target) as f32,
        limit_hit: false,
    };
    if !target.is_finite() {
        return IkReport {
            reached: false,
            error: f32::INFINITY,
            limit_hit: false,
        };
    }
    let solvable = bones.upper > 1e-9 && bones.lower > 1e-9 && bones.length().is_finite();
    if !solvable {
        return report(foot);
    }
    let solution = solve(skeleton, model, input, &bones, [hip, knee, foot]);
    // Also catches a weight that is not a number.
    if input.weight > 0.0 {
        apply(skeleton, model, input, &solution, pose);
    }
    report(solution.foot)
}

/// Lengths of the bones in model space.
struct Bones {
    upper: f64,
    lower: f64,
}

impl Bones {
    fn new(hip: DVec3, knee: DVec3, foot: DVec3) -> Self {
        Self {
            upper: hip.distance(knee),
            lower: knee.distance(foot),
        }
    }

    fn length(&self) -> f64 {
        self.upper + self.lower
    }

    /// The distance from hip to foot for a target at `distance`.
    fn reach(&self, distance: f64, soft: f32) -> f64 {
        let shortest = (self.upper - self.lower).abs() + 1e-7 * self.length();
        soft_reach(distance, self.length(), f64::from(soft)).clamp(shortest, self.length())
    }
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

/// Rotations of model space that bring the chain from where it is to the solution.
struct Solution {
    hip_turn: DQuat,
    /// Applied after `hip_turn`, about the new knee.
    knee_turn: DQuat,
    foot: DVec3,
}

fn solve(
    skeleton: &Skeleton,
    model: &[Affine3A],
    input: &TwoBoneInput,
    bones: &Bones,
    [hip, knee, foot]: [DVec3; 3],
) -> Solution {
    let upper_now = (knee - hip) / bones.upper;
    let lower_now = (foot - knee) / bones.lower;
    let to_foot = (foot - hip).normalize_or(upper_now);
    let to_target = input.target_model.as_dvec3() - hip;
    let distance = to_target.length();
    let axis = if distance > 1e-6 * bones.length() {
        to_target / distance
    } else {
        to_foot
    };

    let rest_hinge = || rest_hinge(skeleton, model, input.joints);
    let hinge_now = across(upper_now, lower_now).or_else(rest_hinge);
    let bend = bend(input.pole, hip, knee - hip, axis, to_foot, hinge_now)
        .or_else(|| {
            Some(rest_hinge()?.cross(axis).normalize_or_zero()).filter(|n| *n != DVec3::ZERO)
        })
        .or_else(|| rejection(DVec3::Z, axis))
        .unwrap_or_else(|| axis.any_orthonormal_vector());
    let hinge = axis.cross(bend);

    let reach = bones.reach(distance, input.soft);
    let (upper, lower) = (bones.upper, bones.lower);
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
    let angle = hinge
        .dot(carried.cross(lower_new))
        .atan2(carried.dot(lower_new));
    let about_hinge = DQuat::from_axis_angle(hinge, angle);
    // What a chain bent slightly out of the hinge's plane still lacks.
    let rest = arc(
        about_hinge * carried,
        lower_new.normalize_or(carried),
        hinge,
    );
    Solution {
        hip_turn,
        knee_turn: rest * about_hinge,
        foot: hip + axis * reach,
    }
}

/// The direction, across `axis`, to which the knee shall go.
fn bend(
    pole: Pole,
    hip: DVec3,
    to_knee: DVec3,
    axis: DVec3,
    to_foot: DVec3,
    hinge_now: Option<DVec3>,
) -> Option<DVec3> {
    let wanted = match pole {
        Pole::Point(point) => rejection(point.as_dvec3() - hip, axis),
        Pole::Direction(direction) => rejection(direction.as_dvec3(), axis),
        // The hinge swings with the line from hip to foot, so that it stays across it.
        Pole::Rest => hinge_now.and_then(|hinge| {
            let hinge = arc(to_foot, axis, hinge) * hinge;
            rejection(hinge.cross(axis), axis)
        }),
    };
    wanted.or_else(|| rejection(to_knee, axis))
}

/// The part of `vector` across the unit vector `axis`, as a unit vector; `None` where it is tiny or not
/// finite.
fn rejection(vector: DVec3, axis: DVec3) -> Option<DVec3> {
    let direction = vector.try_normalize()?;
    let across = direction - axis * axis.dot(direction);
    (across.length_squared() > 1e-6).then(|| across.normalize_or_zero())
}

/// The hinge of a knee: across both bones, turning the lower one from `upper` on; `None` for a
/// chain that is straight within a thousandth.
fn across(upper: DVec3, lower: DVec3) -> Option<DVec3> {
    // Bent to the side n with the foot along u, the hinge is u x n, as lower x upper is.
    let hinge = lower.cross(upper);
    (hinge.length_squared() > 1e-6).then(|| hinge.normalize_or_zero())
}

/// The hinge that the rest pose shows, carried along with the upper joint; `None` where the chain is
/// straight at rest too.
fn rest_hinge(skeleton: &Skeleton, model: &[Affine3A], joints: [u16; 3]) -> Option<DVec3> {
    let [hip, knee, foot] = joints.map(|joint| rest_model(skeleton, joint));
    let carry = model.get(usize::from(joints[0]))?.matrix3 * hip.matrix3.inverse();
    let carried = |vector: glam::Vec3A| Vec3::from(carry * vector).as_dvec3().try_normalize();
    let upper = carried(knee.translation - hip.translation)?;
    let lower = carried(foot.translation - knee.translation)?;
    across(upper, lower)
}

/// The frame of a bone and its hinge; `None` where they are parallel.
fn frame(bone: DVec3, hinge: DVec3) -> Option<DQuat> {
    let hinge = rejection(hinge, bone)?;
    let third = bone.cross(hinge);
    Some(DQuat::from_mat3(&glam::DMat3::from_cols(bone, hinge, third)).normalize_or_identity())
}

/// The shortest turn between unit vectors; about `axis` where they are opposite.
fn arc(from: DVec3, to: DVec3, axis: DVec3) -> DQuat {
    let w = 1.0 + from.dot(to);
    if w < 1e-9 {
        return DQuat::from_axis_angle(axis, std::f64::consts::PI);
    }
    let v = from.cross(to);
    DQuat::from_xyzw(v.x, v.y, v.z, w).normalize_or_identity()
}

/// Small safety for quaternions that `glam` leaves to the caller.
trait NormalizeOrIdentity {
    fn normalize_or_identity(self) -> Self;
}

impl NormalizeOrIdentity for DQuat {
    fn normalize_or_identity(self) -> Self {
        let length = self.length();
        if length > 1e-12 && length.is_finite() {
            self * length.recip()
        } else {
            Self::IDENTITY
        }
    }
}

fn apply(
    skeleton: &Skeleton,
    model: &[Affine3A],
    input: &TwoBoneInput,
    solution: &Solution,
    pose: &mut Pose,
) {
    let [hip, knee, _] = input.joints;
    let in_hip_frame = solution.hip_turn.inverse() * solution.knee_turn * solution.hip_turn;
    for (joint, turn) in [(hip, solution.hip_turn), (knee, in_hip_frame)] {
        let turn = axes_of_space(skeleton, model, joint).to_local(turn.as_quat());
        let before = pose.rotation(usize::from(joint));
        let after: Quat = unit(turn * before);
        pose.set_rotation(usize::from(joint), slerp(before, after, input.weight));
    }
}

fn position(model: &[Affine3A], joint: u16) -> DVec3 {
    Vec3::from(model[usize::from(joint)].translation).as_dvec3()
}
