//! Root motion: what a clip moves its root over the ground, taken out of the pose and given to the
//! actor, in closed form over any stretch of playback.
//!
//! With `P(t)` the root's place and heading in model space relative to rest, a cycle is
//! `C = P(0)^-1 P(D)`, and from k0 + f0 to k1 + f1 cycles the actor moves by
//! `L(f0)^-1 C^(k1 - k0) L(f1)` with `L(f) = P(0)^-1 P(f D)`. Nothing is summed from step to step, so any
//! partition of the same time gives the same total.

use std::f64::consts::TAU;

use glam::{DAffine3, DQuat, DVec3, Quat, Vec3};

use crate::ik::rest_space;
use crate::root_keys::Keys;
use crate::rotation::{Axes, unit, wide};
use crate::{Clip, LoopMode, Planar, Pose, Skeleton};

/// Which part of the root's motion goes to the actor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum RootAxes {
    /// x, z and yaw; height, pitch and roll stay in the pose.
    #[default]
    Planar,
}

/// The motion of a clip's root in model space, made once for a clip. The ancestors of the motion
/// joint count as they are at rest, so an armature that is rotated or scaled is folded in.
#[derive(Clone, Debug, PartialEq)]
pub struct RootTrack {
    /// The motion joint.
    pub joint: u16,
    /// What is taken.
    pub axes: RootAxes,
    /// Seconds, not negative.
    duration: f64,
    /// Model space, y included though unused by [`RootAxes::Planar`].
    position: Keys<DVec3>,
    rotation: Keys<DQuat>,
    /// Unwrapped heading at each key of `rotation`.
    headings: Vec<f64>,
    /// The inverse of the rest pose's place and heading.
    rest_inverse: Planar,
    /// Where a cycle starts.
    start: Planar,
    /// The motion of one cycle.
    cycle: Planar,
    /// Model space from the joint's local space at rest.
    space: DAffine3,
    /// The way back; none where the space is flat.
    space_inverse: Option<DAffine3>,
    /// The axes of `space`.
    axes_of_space: Axes,
}

impl RootTrack {
    /// Prepares the motion of `joint` in `clip`; a clip that does not move it gives a track that does
    /// not move. `joint` must be one of `skeleton`'s.
    pub fn new(skeleton: &Skeleton, clip: &Clip, joint: u16, axes: RootAxes) -> Self {
        let space = rest_space(skeleton, joint);
        let local_axes = Axes::of(space.matrix3);
        let base = local_axes.rotation().as_dquat();
        // Both maps are linear, so they may be applied to keys and tangents alike.
        let map = wide(space);
        let to_vector = |v: Vec3| map.transform_vector3(v.as_dvec3());
        let to_rotation = |q: Quat| local_axes.to_model(q).as_dquat() * base;

        let rest = skeleton.rest.joint(usize::from(joint));
        let tracks = clip.joints.iter().find(|tracks| tracks.joint == joint);
        let translation = tracks.and_then(|tracks| tracks.translation.as_ref());
        let rotation = tracks.and_then(|tracks| tracks.rotation.as_ref());
        let mut position = Keys::new(translation, rest.translation, to_vector);
        position.offset_values(map.translation);
        let rotation = Keys::new(rotation, rest.rotation, to_rotation);

        let mut track = Self {
            joint,
            axes,
            duration: f64::from(clip.duration).max(0.0),
            position,
            headings: Vec::new(),
            rotation,
            rest_inverse: Planar::IDENTITY,
            start: Planar::IDENTITY,
            cycle: Planar::IDENTITY,
            space: map,
            space_inverse: (map.matrix3.determinant().abs() > f64::MIN_POSITIVE)
                .then(|| map.inverse()),
            axes_of_space: local_axes,
        };
        track.headings = track.unwrapped_headings();
        let at_rest = to_vector(rest.translation) + map.translation;
        track.rest_inverse = Planar {
            x: at_rest.x,
            z: at_rest.z,
            yaw: heading(to_rotation(rest.rotation)).unwrap_or(0.0),
        }
        .inverse();
        track.start = track.place_at(0.0);
        track.cycle = track.start.inverse().then(track.place_at(track.duration));
        track
    }

    /// The motion of one lap of the clip, first to last moment.
    pub fn cycle(&self) -> Planar {
        self.cycle
    }

    /// The root's place and heading in model space at `seconds`, relative to rest.
    pub fn place_at(&self, seconds: f64) -> Planar {
        let position = self.position.vector_at(seconds);
        Planar {
            x: position.x,
            z: position.z,
            yaw: self.heading_at(seconds),
        }
        .then(self.rest_inverse)
    }

    /// The motion from `from` to `to` unwrapped cycles, in the frame of its start. Once-clips are
    /// clamped at both ends, so a last partial step counts; ping-pong retraces its way. A clip without
    /// length and cycles that are not finite give no motion.
    pub fn delta(&self, mode: LoopMode, from: f64, to: f64) -> Planar {
        if self.duration <= 0.0 || !from.is_finite() || !to.is_finite() {
            return Planar::IDENTITY;
        }
        let start = self.place_at(mode.phase(from) * self.duration);
        let end = self.place_at(mode.phase(to) * self.duration);
        let laps = (to.floor() - from.floor()) as i64;
        if mode != LoopMode::Loop || laps == 0 {
            return start.inverse().then(end);
        }
        let into_lap = start.inverse().then(self.start);
        into_lap
            .then(self.cycle.power(laps))
            .then(self.start.inverse())
            .then(end)
    }

    /// Takes the motion out of a pose of this clip sampled at `seconds`: in model space the root
    /// becomes `P(t)^-1 root`, so that it keeps the place and heading of rest and all of its height,
    /// pitch and roll. Only the motion joint is written. Blend poses after this, not before.
    pub fn take_out(&self, seconds: f64, pose: &mut Pose) {
        let joint = usize::from(self.joint);
        if joint >= pose.joints {
            return;
        }
        let back = self.place_at(seconds).inverse();
        let turn = Quat::from_rotation_y(back.yaw as f32);
        let local = pose.joint(joint);
        let turn = self.axes_of_space.to_local(turn);
        pose.set_rotation(joint, unit(turn * local.rotation));

        if let Some(to_local) = &self.space_inverse {
            let root = self.space.transform_point3(local.translation.as_dvec3());
            let ground = back.then(Planar {
                x: root.x,
                z: root.z,
                yaw: 0.0,
            });
            let root = DVec3::new(ground.x, root.y, ground.z);
            let translation = to_local.transform_point3(root).as_vec3();
            pose.set_translation(joint, translation);
        }
    }

    fn heading_at(&self, seconds: f64) -> f64 {
        let Some((key, t)) = self.rotation.segment(seconds) else {
            return 0.0;
        };
        let from = self.headings[key];
        if t == 0.0 {
            return from;
        }
        // The keys' headings tell which of the equivalent angles is meant.
        let expected = from + (self.headings[key + 1] - from) * t;
        heading(self.rotation.rotation_in(key, t)).map_or(from, |raw| nearest_turn(raw, expected))
    }

    fn unwrapped_headings(&self) -> Vec<f64> {
        // Finer than any turn of half a circle between two samples that slerp can make.
        const SAMPLES: usize = 64;
        let keys = self.rotation.times.len();
        let mut last = heading(self.rotation.value(0)).unwrap_or(0.0);
        let mut headings = vec![last];
        for key in 1..keys {
            for sample in 1..=SAMPLES {
                let rotation = if sample == SAMPLES {
                    self.rotation.value(key)
                } else {
                    let t = sample as f64 / SAMPLES as f64;
                    self.rotation.rotation_in(key - 1, t)
                };
                last = heading(rotation).map_or(last, |raw| nearest_turn(raw, last));
            }
            headings.push(last);
        }
        headings
    }
}

/// The heading of a rotation, the angle of its twist about +Y; `None` where it has none (half a turn
/// about a level axis).
fn heading(rotation: DQuat) -> Option<f64> {
    let (y, w) = (rotation.y, rotation.w);
    (y * y + w * w >= 1e-8).then(|| 2.0 * y.atan2(w))
}

/// The angle equivalent to `angle` that is nearest to `to`.
fn nearest_turn(angle: f64, to: f64) -> f64 {
    angle + TAU * ((to - angle) / TAU).round()
}

#[cfg(test)]
mod tests;
