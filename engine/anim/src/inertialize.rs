//! Inertialization: what a sudden change of pose leaves behind is added to the new motion and dies out.
//!
//! At the moment of the change the offset from the new pose to the one that was shown is taken apart
//! into a magnitude on a fixed axis for each translation, rotation, scale and morph weight. A quintic
//! brings each magnitude to rest at zero; it begins with the speed that the offset had, so that what is
//! shown has no jump and no kink, and only the new motion is evaluated (Bollo, "Inertialization:
//! high-performance animation transitions in Gears of War", 2018).

use glam::{DQuat, Quat, Vec3};
use serde::{Deserialize, Serialize};

use crate::layer::share;
use crate::rotation::{Lanes, RotationLanes, cosine, product, sine_over};
use crate::{LANES, Pose};

#[cfg(test)]
mod tests;

/// Offsets below this (metres, radians, factors) are not worth a curve.
const SMALLEST: f64 = 1e-6;

/// A shorter time (seconds) is none.
const SHORTEST: f64 = 1e-6;

/// How one magnitude goes to zero: `(1 - u)^3 (c0 + c1 u + c2 u^2)` at the share `u` of its time, which is the
/// quintic with value, speed and acceleration zero at its end.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Decay {
    curve: [f64; 3],
    seconds: f64,
}

impl Decay {
    /// From the magnitude `x0` at the speed `v0` (a second) to zero. Speed away from zero counts as none. Where the
    /// speed would overshoot, the time is cut to `-5 x0 / v0`. `None` where there is nothing to do.
    fn new(x0: f64, v0: f64, seconds: f64) -> Option<Self> {
        let worth = x0 >= SMALLEST && x0.is_finite();
        if !worth || !seconds.is_finite() {
            return None;
        }
        let (v0, seconds) = if v0 < 0.0 && v0.is_finite() {
            (v0, seconds.min(-5.0 * x0 / v0))
        } else {
            (0.0, seconds)
        };
        if seconds < SHORTEST {
            return None;
        }
        let speed = v0 * seconds;
        let acceleration = (-8.0 * speed - 20.0 * x0).max(0.0);
        Some(Self {
            curve: [
                x0,
                speed + 3.0 * x0,
                acceleration * 0.5 + 3.0 * speed + 6.0 * x0,
            ],
            seconds,
        })
    }
}

/// The magnitudes of eight neighbours over time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Curves {
    /// Of [`Decay`]; zero where nothing decays.
    curve: [Lanes; 3],
    /// One over the seconds of the decay.
    rate: Lanes,
    /// The longest decay of the eight; 0 for none.
    seconds: f32,
}

impl Curves {
    const NONE: Self = Self {
        curve: [[0.0; LANES]; 3],
        rate: [0.0; LANES],
        seconds: 0.0,
    };

    fn set(&mut self, lane: usize, decay: Decay, sign: f64) {
        for (curve, factor) in self.curve.iter_mut().zip(decay.curve) {
            curve[lane] = (factor * sign) as f32;
        }
        self.rate[lane] = decay.seconds.recip() as f32;
        self.seconds = self.seconds.max(decay.seconds as f32);
    }

    /// What is left after `elapsed` seconds.
    #[inline(always)]
    fn at(&self, elapsed: f32) -> Lanes {
        std::array::from_fn(|lane| {
            let u = (elapsed * self.rate[lane]).min(1.0);
            let left = 1.0 - u;
            let [c0, c1, c2] = self.curve.each_ref().map(|curve| curve[lane]);
            left * left * left * (c0 + u * (c1 + u * c2))
        })
    }
}

/// The offsets of one property of eight joints.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Offsets {
    axis: [Lanes; 3],
    magnitude: Curves,
}

impl Offsets {
    const NONE: Self = Self {
        axis: [[0.0; LANES]; 3],
        magnitude: Curves::NONE,
    };

    fn set(&mut self, lane: usize, offset: Option<(Vec3, Decay)>) {
        if let Some((axis, decay)) = offset {
            for (out, value) in self.axis.iter_mut().zip(axis.to_array()) {
                out[lane] = value;
            }
            self.magnitude.set(lane, decay, 1.0);
        }
    }

    fn add_to(&self, vectors: &mut [Lanes; 3], elapsed: f32) {
        if elapsed >= self.magnitude.seconds {
            return;
        }
        let left = self.magnitude.at(elapsed);
        for (vector, axis) in vectors.iter_mut().zip(&self.axis) {
            for lane in 0..LANES {
                let moved = vector[lane] + axis[lane] * left[lane];
                vector[lane] = kept_where_still(vector[lane], moved, left[lane]);
            }
        }
    }

    /// The rotations turned on by what is left of the angles.
    fn turn(&self, rotations: &mut RotationLanes, elapsed: f32) {
        if elapsed >= self.magnitude.seconds {
            return;
        }
        let left = self.magnitude.at(elapsed);
        for lane in 0..LANES {
            let half = left[lane] * 0.5;
            let sine = half * sine_over(half * half);
            let [x, y, z] = self.axis.each_ref().map(|axis| axis[lane] * sine);
            let turn = [x, y, z, cosine(half * half)];
            let turned = product(turn, rotations.each_ref().map(|part| part[lane]));
            for (part, value) in rotations.iter_mut().zip(turned) {
                part[lane] = kept_where_still(part[lane], value, left[lane]);
            }
        }
    }
}

/// The bits of what no offset moves, which an addition of nothing would not keep at -0.
#[inline(always)]
fn kept_where_still(value: f32, moved: f32, left: f32) -> f32 {
    if left == 0.0 { value } else { moved }
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct OffsetBlock {
    translation: Offsets,
    rotation: Offsets,
    scale: Offsets,
}

/// How what was shown and what is shown now move at the moment of a change: each from one pose to another
/// within the same few seconds. All four have the size of the poses that change.
#[derive(Clone, Copy, Debug)]
pub struct ChangeMotion<'a> {
    /// What was shown.
    pub source: [&'a Pose; 2],
    /// What the new motion says.
    pub target: [&'a Pose; 2],
    /// Above zero.
    pub seconds: f32,
}

/// What the speeds of offsets are measured by.
#[derive(Clone, Copy)]
enum Speeds<'a> {
    Rest,
    /// The source so many seconds earlier, against the same target.
    Earlier(&'a Pose, f32),
    Motion(ChangeMotion<'a>),
}

/// What a change of motion has left of the pose before it, on its way to nothing. Plain data; allocates
/// only for poses larger than any before.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct Inertia {
    /// Empty where nothing decays.
    blocks: Vec<OffsetBlock>,
    /// Eight channels each.
    morphs: Vec<Curves>,
    /// Seconds since the change.
    elapsed: f64,
    /// Of the longest decay.
    seconds: f32,
}

impl Inertia {
    /// Nothing to decay yet, and room for poses of this size, so that the first change allocates nothing.
    pub fn with_room(joints: usize, morphs: usize) -> Self {
        Self {
            blocks: Vec::with_capacity(joints.div_ceil(LANES)),
            morphs: Vec::with_capacity(morphs.div_ceil(LANES)),
            ..Self::default()
        }
    }

    /// Begins anew with the offsets from `target`, what the new motion says, to `source`, what is shown (with
    /// what is left of an earlier change in it, which this replaces).
    ///
    /// `source_before` is what was shown some seconds earlier; its offset from the same target, along the
    /// same axes, gives the speeds. Without it, or where it was not earlier, the offsets begin at rest.
    /// The decay takes `seconds`, times `profile`'s factor of the joint (0..=1, absent ones count as 1); morph weights
    /// take all of it. It is shorter where an offset shrinks so fast that it would overshoot. Zero seconds, offsets
    /// below 1e-6 and ones that are not finite are dropped.
    pub fn begin(
        &mut self,
        source: &Pose,
        source_before: Option<(&Pose, f32)>,
        target: &Pose,
        seconds: f32,
        profile: Option<&[f32]>,
    ) {
        let joints = source.joints.min(target.joints);
        let before = source_before.filter(|(pose, dt)| *dt > 0.0 && pose.joints >= joints);
        let speeds = before.map_or(Speeds::Rest, |(pose, dt)| Speeds::Earlier(pose, dt));
        self.begin_with(source, speeds, target, seconds, profile);
    }

    /// The same where both motions are known: the speeds are those of the difference itself, so that what is
    /// shown goes on without a kink whatever the new motion does.
    pub fn begin_moving(
        &mut self,
        source: &Pose,
        target: &Pose,
        motion: ChangeMotion<'_>,
        seconds: f32,
    ) {
        self.begin_with(source, Speeds::Motion(motion), target, seconds, None);
    }

    fn begin_with(
        &mut self,
        source: &Pose,
        speeds: Speeds<'_>,
        target: &Pose,
        seconds: f32,
        profile: Option<&[f32]>,
    ) {
        self.clear();
        let joints = source.joints.min(target.joints);
        for first in (0..joints).step_by(LANES) {
            let mut block = OffsetBlock {
                translation: Offsets::NONE,
                rotation: Offsets::NONE,
                scale: Offsets::NONE,
            };
            for joint in first..joints.min(first + LANES) {
                let factor = profile.and_then(|profile| profile.get(joint));
                let change = Change {
                    source,
                    speeds,
                    target,
                    joint,
                    seconds: f64::from(seconds) * f64::from(share(*factor.unwrap_or(&1.0))),
                };
                let lane = joint - first;
                block
                    .translation
                    .set(lane, change.vector(Pose::translation));
                block.rotation.set(lane, change.rotation());
                block.scale.set(lane, change.vector(Pose::scale));
            }
            for part in [&block.translation, &block.rotation, &block.scale] {
                self.seconds = self.seconds.max(part.magnitude.seconds);
            }
            self.blocks.push(block);
        }
        self.begin_morphs(source, speeds, target, f64::from(seconds));
        if self.is_over() {
            self.clear();
        }
    }

    fn begin_morphs(&mut self, source: &Pose, speeds: Speeds<'_>, target: &Pose, seconds: f64) {
        let channels = source.morphs.len().min(target.morphs.len());
        for first in (0..channels).step_by(LANES) {
            let mut curves = Curves::NONE;
            for channel in first..channels.min(first + LANES) {
                let goal = f64::from(target.morphs[channel]);
                let offset = f64::from(source.morphs[channel]) - goal;
                let sign = if offset < 0.0 { -1.0 } else { 1.0 };
                let weight = |pose: &Pose| pose.morphs.get(channel).map_or(goal, |w| f64::from(*w));
                let speed = match speeds {
                    Speeds::Rest => 0.0,
                    Speeds::Earlier(pose, dt) => {
                        (offset - (weight(pose) - goal)) * sign / f64::from(dt)
                    }
                    Speeds::Motion(motion) => {
                        let [source, target] =
                            [motion.source, motion.target].map(|[a, b]| weight(b) - weight(a));
                        (source - target) * sign / f64::from(motion.seconds)
                    }
                };
                if let Some(decay) = Decay::new(offset.abs(), speed, seconds) {
                    curves.set(channel - first, decay, sign);
                }
            }
            self.seconds = self.seconds.max(curves.seconds);
            self.morphs.push(curves);
        }
    }

    /// Moves on by `dt` seconds; what is not above zero moves nothing.
    pub fn step(&mut self, dt: f32) {
        if dt > 0.0 {
            self.elapsed += f64::from(dt);
        }
        if self.is_over() {
            self.clear();
        }
    }

    /// Adds what is left to `pose`, which holds the new motion; once all is over `pose` keeps its bits.
    pub fn apply(&self, pose: &mut Pose) {
        let elapsed = self.elapsed as f32;
        for (block, offsets) in pose.blocks.iter_mut().zip(&self.blocks) {
            offsets.translation.add_to(&mut block.translation, elapsed);
            offsets.rotation.turn(&mut block.rotation, elapsed);
            offsets.scale.add_to(&mut block.scale, elapsed);
        }
        for (weights, curves) in pose.morphs.chunks_mut(LANES).zip(&self.morphs) {
            if elapsed < curves.seconds {
                let left = curves.at(elapsed);
                weights.iter_mut().zip(left).for_each(|(w, x)| *w += x);
            }
        }
    }

    /// Seconds since the change.
    pub(crate) fn elapsed(&self) -> f64 {
        self.elapsed
    }

    /// Moves to so many seconds after the change, to look at what is left then.
    pub(crate) fn set_elapsed(&mut self, seconds: f64) {
        self.elapsed = seconds;
    }

    /// True where nothing decays.
    pub fn is_over(&self) -> bool {
        self.elapsed as f32 >= self.seconds
    }

    /// Whether all of it is numbers, as what comes from outside may not be.
    pub(crate) fn is_finite(&self) -> bool {
        let of = |curves: &Curves| {
            let lanes = curves.curve.iter().chain([&curves.rate]).flatten();
            lanes.copied().all(f32::is_finite) && curves.seconds.is_finite()
        };
        let of_offsets = |offsets: &Offsets| {
            of(&offsets.magnitude) && offsets.axis.iter().flatten().copied().all(f32::is_finite)
        };
        let blocks = self.blocks.iter().all(|block| {
            let parts = [&block.translation, &block.rotation, &block.scale];
            parts.into_iter().all(of_offsets)
        });
        blocks && self.morphs.iter().all(of) && self.elapsed.is_finite() && self.seconds.is_finite()
    }

    /// Forgets every offset; room stays.
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.morphs.clear();
        self.elapsed = 0.0;
        self.seconds = 0.0;
    }
}

/// An angle (radians) the shorter way round, whatever the signs of the quaternions.
fn shorter_way(turn: f64) -> f64 {
    turn - std::f64::consts::TAU * (turn / std::f64::consts::TAU).round()
}

/// One joint at the moment of a change.
struct Change<'a> {
    source: &'a Pose,
    speeds: Speeds<'a>,
    target: &'a Pose,
    joint: usize,
    seconds: f64,
}

impl Change<'_> {
    /// The offset of a translation or a scale.
    fn vector(&self, of: fn(&Pose, usize) -> Vec3) -> Option<(Vec3, Decay)> {
        let goal = of(self.target, self.joint).as_dvec3();
        let offset = of(self.source, self.joint).as_dvec3() - goal;
        let length = offset.length();
        let axis = offset / length.max(SMALLEST);
        let speed = match self.speeds {
            Speeds::Rest => 0.0,
            Speeds::Earlier(pose, dt) => {
                let before = (of(pose, self.joint).as_dvec3() - goal).dot(axis);
                (length - before) / f64::from(dt)
            }
            Speeds::Motion(motion) => {
                let moved = |[a, b]: [&Pose; 2]| {
                    (of(b, self.joint).as_dvec3() - of(a, self.joint).as_dvec3()).dot(axis)
                };
                (moved(motion.source) - moved(motion.target)) / f64::from(motion.seconds)
            }
        };
        Some((axis.as_vec3(), Decay::new(length, speed, self.seconds)?))
    }

    /// The offset of a rotation: an angle in 0..=pi about an axis of the parent's space.
    fn rotation(&self) -> Option<(Vec3, Decay)> {
        let goal = self.target.rotation(self.joint);
        let from_goal = |q: Quat| (q.as_dquat() * goal.as_dquat().conjugate()).normalize();
        let offset = from_goal(self.source.rotation(self.joint));
        let offset = if offset.w < 0.0 { -offset } else { offset };
        let sine = offset.xyz().length();
        let axis = offset.xyz() / sine.max(f64::MIN_POSITIVE);
        let angle = 2.0 * sine.atan2(offset.w);
        let about_axis = |q: DQuat| 2.0 * q.xyz().dot(axis).atan2(q.w);
        let speed = match self.speeds {
            Speeds::Rest => 0.0,
            Speeds::Earlier(pose, dt) => {
                let before = about_axis(from_goal(pose.rotation(self.joint)));
                shorter_way(angle - before) / f64::from(dt)
            }
            // The axis stands still in the turn from target to source, so both turns count about it as they are.
            Speeds::Motion(motion) => {
                let turned = |[a, b]: [&Pose; 2]| {
                    let [a, b] = [a, b].map(|pose| pose.rotation(self.joint).as_dquat());
                    shorter_way(about_axis((b * a.conjugate()).normalize()))
                };
                (turned(motion.source) - turned(motion.target)) / f64::from(motion.seconds)
            }
        };
        Some((axis.as_vec3(), Decay::new(angle, speed, self.seconds)?))
    }
}

/// [`Inertia`] of one number, such as a component of the root's velocity.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct InertiaScalar {
    curve: [f64; 3],
    elapsed: f64,
    /// 0 where nothing decays.
    seconds: f64,
}

impl InertiaScalar {
    /// Begins anew with the offset `x0` and its speed `v0` (a second), to decay in `seconds`.
    pub fn begin(&mut self, x0: f64, v0: f64, seconds: f64) {
        let sign = if x0 < 0.0 { -1.0 } else { 1.0 };
        *self = Decay::new(x0.abs(), v0 * sign, seconds).map_or_else(Self::default, |decay| Self {
            curve: decay.curve.map(|factor| factor * sign),
            elapsed: 0.0,
            seconds: decay.seconds,
        });
    }

    /// Moves on by `dt` seconds; what is not above zero moves nothing.
    pub fn step(&mut self, dt: f64) {
        if dt > 0.0 {
            self.elapsed += dt;
        }
        if self.is_over() {
            *self = Self::default();
        }
    }

    /// What is left of the offset.
    pub fn value(&self) -> f64 {
        if self.is_over() {
            return 0.0;
        }
        let u = self.elapsed / self.seconds;
        let [c0, c1, c2] = self.curve;
        (1.0 - u).powi(3) * (c0 + u * (c1 + u * c2))
    }

    /// True where nothing decays.
    pub fn is_over(&self) -> bool {
        self.elapsed >= self.seconds
    }
}
