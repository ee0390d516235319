//! Root motion: what a clip moves its root, taken out of the pose and given to the actor, in closed form
//! over any stretch of playback.
//!
//! With `P(t)` the taken axes of the root's placement in model space relative to rest, a cycle is
//! `C = P(0)^-1 P(D)`, and from k0 + f0 to k1 + f1 cycles the actor moves by
//! `L(f0)^-1 C^(k1 - k0) L(f1)` with `L(f) = P(0)^-1 P(f D)`. Nothing is summed from step to step, so any
//! partition of the same time gives the same total.

use std::f64::consts::TAU;

use glam::{DAffine3, DQuat, DVec3, Quat, Vec3};

use crate::ik::rest_space;
use crate::root_keys::Keys;
use crate::rotation::{Axes, unit, wide};
use crate::travel::heading;
use crate::{Clip, LoopMode, Planar, Pose, Rigid, Skeleton, Transform, Travel};

/// Which part of the root's motion goes to the actor. What is not taken stays in the pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum RootAxes {
    /// x, z and yaw; height, pitch and roll stay in the pose.
    #[default]
    Planar,
    /// x, y, z and yaw; pitch and roll stay in the pose.
    PlanarY,
    /// All of it; the root of the pose stands as at rest.
    Full,
    /// Those that are true, each along the axes of model space. Where yaw is not taken, the actor does not turn,
    /// so the way is along the axes that it had at the start.
    Mask {
        /// Sideways.
        x: bool,
        /// Upwards.
        y: bool,
        /// Ahead.
        z: bool,
        /// Turning about the vertical.
        yaw: bool,
    },
}

/// The axes of an upright motion, each taken or not.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Taken {
    x: bool,
    y: bool,
    z: bool,
    yaw: bool,
}

impl RootAxes {
    fn taken(self) -> Taken {
        match self {
            Self::Planar => Taken {
                x: true,
                y: false,
                z: true,
                yaw: true,
            },
            Self::PlanarY | Self::Full => Taken {
                x: true,
                y: true,
                z: true,
                yaw: true,
            },
            Self::Mask { x, y, z, yaw } => Taken { x, y, z, yaw },
        }
    }
}

/// The motion of a clip's root in model space, made once for a clip. The ancestors of the motion
/// joint count as they are at rest, so an armature that is rotated or scaled is folded in.
#[derive(Clone, Debug, PartialEq)]
pub struct RootTrack {
    /// The motion joint.
    pub joint: u16,
    /// What is taken.
    pub axes: RootAxes,
    taken: Taken,
    /// Clip seconds at which a lap begins.
    first: f64,
    /// Seconds of a lap, not negative.
    duration: f64,
    /// Model space.
    position: Keys<DVec3>,
    rotation: Keys<DQuat>,
    /// Unwrapped heading at each key of `rotation`.
    headings: Vec<f64>,
    /// The joint at rest, as its local transform.
    rest_local: Transform,
    /// Place and heading of the rest pose.
    rest: Planar,
    /// The inverse of the rest pose's placement.
    rest_inverse: Travel,
    /// Where a cycle starts.
    start: Travel,
    /// The motion of one cycle.
    cycle: Travel,
    /// Model space from the joint's local space at rest.
    space: DAffine3,
    /// The way back; none where the space is flat.
    space_inverse: Option<DAffine3>,
    /// The axes of `space`.
    axes_of_space: Axes,
}

impl RootTrack {
    /// Prepares the motion of `joint` in the `duration` seconds of `clip` from `start` on, which make a lap; a
    /// clip that does not move it gives a track that does not move. `joint` must be one of `skeleton`'s. What is not
    /// finite counts as 0, as does a negative duration.
    pub fn new(
        skeleton: &Skeleton,
        clip: &Clip,
        joint: u16,
        axes: RootAxes,
        start: f64,
        duration: f64,
    ) -> Self {
        let space = rest_space(skeleton, joint);
        let local_axes = Axes::of(space.matrix3);
        let base = local_axes.rotation().as_dquat();
        // Both maps are linear, so they may be applied to keys and tangents alike.
        let map = wide(space);
        let to_vector = |v: Vec3| map.transform_vector3(v.as_dvec3());
        let to_rotation = |q: Quat| local_axes.to_model(q).as_dquat() * base;

        let rest_local = skeleton.rest.joint(usize::from(joint));
        let tracks = clip.joints.iter().find(|tracks| tracks.joint == joint);
        let translation = tracks.and_then(|tracks| tracks.translation.as_ref());
        let rotation = tracks.and_then(|tracks| tracks.rotation.as_ref());
        let mut position = Keys::new(translation, rest_local.translation, to_vector);
        position.offset_values(map.translation);
        let rotation = Keys::new(rotation, rest_local.rotation, to_rotation);

        let at_rest = to_vector(rest_local.translation) + map.translation;
        let turned_at_rest = to_rotation(rest_local.rotation);
        let rest = Planar {
            x: at_rest.x,
            y: at_rest.y,
            z: at_rest.z,
            yaw: heading(turned_at_rest).unwrap_or(0.0),
        };
        let rest_placement = match axes {
            RootAxes::Full => placement(at_rest, turned_at_rest),
            _ => Travel::Planar(rest),
        };
        let seconds = |value: f64| if value.is_finite() { value } else { 0.0 };
        let mut track = Self {
            joint,
            axes,
            taken: axes.taken(),
            first: seconds(start),
            duration: seconds(duration).max(0.0),
            position,
            headings: Vec::new(),
            rotation,
            rest_local,
            rest,
            rest_inverse: rest_placement.inverse(),
            start: Travel::identity(axes),
            cycle: Travel::identity(axes),
            space: map,
            space_inverse: (map.matrix3.determinant().abs() > f64::MIN_POSITIVE)
                .then(|| map.inverse()),
            axes_of_space: local_axes,
        };
        track.headings = track.unwrapped_headings();
        track.start = track.place_at(track.first);
        let end = track.place_at(track.first + track.duration);
        track.cycle = track.start.inverse().then(end);
        track
    }

    /// The motion of one lap, first to last moment.
    pub fn cycle(&self) -> Travel {
        self.cycle
    }

    /// The taken axes of the root's placement in model space at `seconds` of the clip, relative to rest.
    pub fn place_at(&self, seconds: f64) -> Travel {
        let position = self.position.vector_at(seconds);
        if self.axes == RootAxes::Full {
            let rotation = self.rotation_at(seconds);
            return placement(position, rotation).then(self.rest_inverse);
        }
        let pick = |taken: bool, value: f64, rest: f64| if taken { value } else { rest };
        Travel::Planar(Planar {
            x: pick(self.taken.x, position.x, self.rest.x),
            y: pick(self.taken.y, position.y, self.rest.y),
            z: pick(self.taken.z, position.z, self.rest.z),
            yaw: if self.taken.yaw {
                self.heading_at(seconds)
            } else {
                self.rest.yaw
            },
        })
        .then(self.rest_inverse)
    }

    /// The motion from `from` to `to` unwrapped cycles, in the frame of its start. Once-clips are
    /// clamped at both ends, so a last partial step counts; ping-pong retraces its way. A clip without
    /// length and cycles that are not finite give no motion.
    pub fn delta(&self, mode: LoopMode, from: f64, to: f64) -> Travel {
        if self.duration <= 0.0 || !from.is_finite() || !to.is_finite() {
            return Travel::identity(self.axes);
        }
        let place = |cycles| self.place_at(self.first + mode.phase(cycles) * self.duration);
        let (start, end) = (place(from), place(to));
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
    /// becomes `P(t)^-1 root`, so that on the axes that are taken it stands as at rest and keeps all of the others.
    /// Only the motion joint is written. Blend poses after this, not before.
    pub fn take_out(&self, seconds: f64, pose: &mut Pose) {
        let joint = usize::from(self.joint);
        if joint >= pose.joints {
            return;
        }
        let place = match self.place_at(seconds) {
            Travel::Full(_) => {
                pose.set_rotation(joint, self.rest_local.rotation);
                pose.set_translation(joint, self.rest_local.translation);
                return;
            }
            Travel::Planar(place) => place,
        };
        let back = place.inverse();
        let local = pose.joint(joint);
        if self.taken.yaw {
            let turn = Quat::from_rotation_y(back.yaw as f32);
            let turn = self.axes_of_space.to_local(turn);
            pose.set_rotation(joint, unit(turn * local.rotation));
        }
        if let Some(to_local) = &self.space_inverse {
            let root = self.space.transform_point3(local.translation.as_dvec3());
            let root = Planar {
                x: root.x,
                y: root.y,
                z: root.z,
                yaw: 0.0,
            };
            let root = Travel::Planar(back.then(root)).translation();
            let translation = to_local.transform_point3(root).as_vec3();
            pose.set_translation(joint, translation);
        }
    }

    fn rotation_at(&self, seconds: f64) -> DQuat {
        match self.rotation.segment(seconds) {
            Some((key, t)) if t > 0.0 => self.rotation.rotation_in(key, t),
            Some((key, _)) => self.rotation.value(key),
            None => DQuat::IDENTITY,
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

/// A free placement; a rotation without length counts as none.
fn placement(translation: DVec3, rotation: DQuat) -> Travel {
    let length = rotation.length();
    let rotation = if length > 1e-12 && length.is_finite() {
        rotation * length.recip()
    } else {
        DQuat::IDENTITY
    };
    Travel::Full(Rigid {
        translation,
        rotation,
    })
}

/// The angle equivalent to `angle` that is nearest to `to`.
fn nearest_turn(angle: f64, to: f64) -> f64 {
    angle + TAU * ((to - angle) / TAU).round()
}

#[cfg(test)]
mod tests;
