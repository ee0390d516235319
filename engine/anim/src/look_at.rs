//! Looking at a point: a chain of joints shares the turn.

use glam::{Affine3A, Quat, Vec3};

use crate::ik::{IkReport, rest_model, rest_space, space_of};
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
/// Ancestors may be rotated, uniformly scaled and mirrored.
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
            let turn_local =
                Axes::of(space_of(skeleton, model, joint).matrix3).to_local(in_given_model);
            let before = pose.rotation(usize::from(joint));
            let after = unit(turn_local * before);
            pose.set_rotation(usize::from(joint), slerp(before, after, input.weight));
        }
        carried = about_joint * carried;
        forward = (turn * forward).normalize_or(forward);
        eye = about_joint.transform_point3(eye);
    }

    let wanted = (input.target_model - eye).normalize_or(forward);
    let error = forward.cross(wanted).length().atan2(forward.dot(wanted));
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
        let now = Axes::of(space_of(skeleton, model, first).matrix3);
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
    let most = most.max(0.0);
    if length <= most || length.is_nan() {
        return to;
    }
    let share = most / length;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{Random, chain, forward_kinematics, place_of};
    use crate::{Transform, local_to_model};

    /// Root 0, spine 1, neck 2, head 3, each a span above the one before.
    fn body(root: Transform) -> Skeleton {
        let above = |height: f32| Transform::from_translation(Vec3::Y * height);
        chain(&[root, above(1.0), above(0.4), above(0.15)])
    }

    fn input(target_model: Vec3) -> LookAtInput<'static> {
        LookAtInput {
            chain: &[1, 2, 3],
            target_model,
            forward_model: Vec3::Z,
            max_yaw: std::f32::consts::PI,
            max_pitch: std::f32::consts::FRAC_PI_2,
            weight: 1.0,
            previous: None,
            max_turn: f32::INFINITY,
        }
    }

    fn solve(skeleton: &Skeleton, pose: &mut Pose, input: &LookAtInput) -> (IkReport, [f32; 2]) {
        let mut model = vec![Affine3A::IDENTITY; skeleton.len()];
        local_to_model(skeleton, pose, &mut model);
        look_at(skeleton, &model, input, pose)
    }

    /// How well the head's axis, `forward` at rest, points at the target.
    fn aim_of(skeleton: &Skeleton, pose: &Pose, forward: Vec3, target: Vec3) -> f64 {
        let rest = forward_kinematics(skeleton, &skeleton.rest)[3];
        let now = forward_kinematics(skeleton, pose);
        let looking =
            now[3].transform_vector3(rest.inverse().transform_vector3(forward.as_dvec3()));
        let wanted = target.as_dvec3() - place_of(&now, 3);
        looking.normalize().dot(wanted.normalize())
    }

    #[test]
    fn the_head_points_at_the_target_under_rotated_scaled_and_mirrored_parents() {
        let mut random = Random::new(81);
        for case in 0..300 {
            let scale = random.range(0.1, 2.0) as f32;
            let mirror = if case % 2 == 0 { 1.0 } else { -1.0 };
            let root = Transform {
                translation: random.vec3(1.0),
                rotation: random.rotation(),
                scale: Vec3::new(scale * mirror, scale, scale),
            };
            let skeleton = body(root);
            let mut pose = skeleton.rest.clone();
            pose.set_rotation(0, random.rotation());
            for joint in 1..4 {
                pose.set_rotation(joint, Quat::from_scaled_axis(random.vec3(0.3)));
            }
            let forward = random.direction();
            let forward = if forward.y.abs() > 0.9 {
                Vec3::Z
            } else {
                forward
            };
            let eye = place_of(&forward_kinematics(&skeleton, &pose), 3).as_vec3();
            let target = eye + random.direction() * 20.0;
            let asked = LookAtInput {
                forward_model: forward * 3.0,
                max_pitch: 10.0,
                ..input(target)
            };
            let (report, _) = solve(&skeleton, &mut pose, &asked);
            let aim = aim_of(&skeleton, &pose, forward, target);
            assert!(aim >= 0.99999, "{case}: {aim}");
            assert!(report.reached && !report.limit_hit, "{report:?}");
        }
    }

    #[test]
    fn a_parent_turned_by_quarters_still_looks_right() {
        for quarters in 0..4 {
            for at_rest in [false, true] {
                let turn = Quat::from_rotation_y(std::f32::consts::FRAC_PI_2 * quarters as f32);
                let root = if at_rest { turn } else { Quat::IDENTITY };
                let skeleton = body(Transform::from_rotation(root));
                let mut pose = skeleton.rest.clone();
                pose.set_rotation(0, turn);
                let target = Vec3::new(3.0, 2.0, 4.0);
                solve(&skeleton, &mut pose, &input(target));
                assert!(aim_of(&skeleton, &pose, Vec3::Z, target) >= 0.99999);
            }
        }
    }

    #[test]
    fn the_turn_is_spread_over_the_chain_and_the_head_stays_upright() {
        let skeleton = body(Transform::IDENTITY);
        let mut pose = skeleton.rest.clone();
        let eye = Vec3::Y * 1.55;
        let target = eye + Vec3::new(100.0, 0.0, 100.0);
        let (_, angles) = solve(&skeleton, &mut pose, &input(target));
        let eighth = std::f32::consts::FRAC_PI_4;
        assert!(
            (angles[0] - eighth).abs() < 1e-3 && angles[1].abs() < 1e-3,
            "{angles:?}"
        );
        for joint in 1..4 {
            let share = Quat::from_rotation_y(eighth / 3.0);
            assert!(
                pose.rotation(joint).abs_diff_eq(share, 1e-3),
                "joint {joint}"
            );
        }
        // Up and to the side at once: no roll.
        let mut pose = skeleton.rest.clone();
        solve(
            &skeleton,
            &mut pose,
            &input(eye + Vec3::new(50.0, 60.0, 30.0)),
        );
        let side = forward_kinematics(&skeleton, &pose)[3].x_axis;
        assert!(side.y.abs() < 1e-3, "{side}");
    }

    #[test]
    fn limits_hold_from_rest_and_are_reported() {
        let skeleton = body(Transform::IDENTITY);
        let eye = Vec3::Y * 1.55;
        let limited = |direction: Vec3| LookAtInput {
            max_yaw: 1.0,
            max_pitch: 0.5,
            ..input(eye + direction * 100.0)
        };
        let cases = [
            (Vec3::new(1.0, 0.0, -1.0), [1.0, 0.0]),
            (Vec3::new(-1.0, 0.0, 0.0), [-1.0, 0.0]),
            (Vec3::new(0.0, 5.0, 1.0), [0.0, 0.5]),
            (Vec3::new(0.0, -5.0, 1.0), [0.0, -0.5]),
        ];
        for (direction, expected) in cases {
            let mut pose = skeleton.rest.clone();
            let (report, angles) = solve(&skeleton, &mut pose, &limited(direction));
            assert!(
                (angles[0] - expected[0]).abs() < 0.02,
                "{direction}: {angles:?}"
            );
            assert!(
                (angles[1] - expected[1]).abs() < 0.02,
                "{direction}: {angles:?}"
            );
            assert!(report.limit_hit && !report.reached && report.error > 0.1);
        }
        // The limits go with the body: one that lies down looks along itself.
        let mut pose = skeleton.rest.clone();
        pose.set_rotation(0, Quat::from_rotation_x(std::f32::consts::FRAC_PI_2));
        let above_the_feet = Vec3::new(0.0, -100.0, 0.0);
        let (report, _) = solve(
            &skeleton,
            &mut pose,
            &LookAtInput {
                target_model: above_the_feet,
                ..limited(Vec3::Z)
            },
        );
        assert!(report.reached, "{report:?}");
    }

    #[test]
    fn speed_is_capped_and_the_way_round_goes_by_the_front() {
        let skeleton = body(Transform::IDENTITY);
        let eye = Vec3::Y * 1.55;
        let to_the_right = eye + Vec3::new(-100.0, 0.0, -20.0);
        let mut angles = [1.4, 0.0];
        let mut steps = 0;
        loop {
            let mut pose = skeleton.rest.clone();
            let capped = LookAtInput {
                max_yaw: 1.5,
                previous: Some(angles),
                max_turn: 0.1,
                ..input(to_the_right)
            };
            let (_, next) = solve(&skeleton, &mut pose, &capped);
            let moved = (next[0] - angles[0]).hypot(next[1] - angles[1]);
            assert!(moved < 0.1 + 1e-4, "{moved}");
            let looking = forward_kinematics(&skeleton, &pose)[3].z_axis;
            assert!(looking.z > 0.0, "never behind");
            steps += 1;
            if moved < 1e-3 {
                break;
            }
            angles = next;
            assert!(steps < 100);
        }
        assert!(
            (28..=31).contains(&steps),
            "{steps} steps for 2.9 rad at 0.1"
        );
    }

    #[test]
    fn half_a_weight_turns_half_and_none_or_nonsense_changes_no_bits() {
        let skeleton = body(Transform::IDENTITY);
        let target = Vec3::new(40.0, 1.55, 40.0);
        let mut pose = skeleton.rest.clone();
        let half = LookAtInput {
            weight: 0.5,
            ..input(target)
        };
        solve(&skeleton, &mut pose, &half);
        let eighth = std::f32::consts::FRAC_PI_4;
        let share = Quat::from_rotation_y(eighth / 6.0);
        assert!(pose.rotation(2).abs_diff_eq(share, 2e-3));

        let at_the_head = Vec3::Y * 1.55;
        let nothing = [
            LookAtInput {
                weight: 0.0,
                ..half
            },
            LookAtInput {
                weight: f32::NAN,
                ..half
            },
            LookAtInput { chain: &[], ..half },
            input(Vec3::NAN),
            input(Vec3::INFINITY),
        ];
        for asked in nothing {
            let mut pose = skeleton.rest.clone();
            let (report, _) = solve(&skeleton, &mut pose, &asked);
            assert_eq!(pose, skeleton.rest, "{asked:?}");
            assert!(!report.error.is_nan());
        }
        for asked in [
            input(at_the_head),
            input(Vec3::splat(1e30)),
            LookAtInput {
                forward_model: Vec3::ZERO,
                ..half
            },
            LookAtInput {
                forward_model: Vec3::Y,
                ..half
            },
            LookAtInput {
                max_yaw: f32::NAN,
                max_pitch: -1.0,
                ..half
            },
        ] {
            let mut pose = skeleton.rest.clone();
            solve(&skeleton, &mut pose, &asked);
            for joint in 0..4 {
                assert!(
                    (pose.rotation(joint).length() - 1.0).abs() < 1e-5,
                    "{asked:?}"
                );
            }
        }
    }
}
