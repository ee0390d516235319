//! The keys of a root's tracks in model space, in f64: what root motion is evaluated from.

use glam::{DQuat, DVec3};

use crate::{Interpolation, Track};

/// The keys of a track in model space, in f64.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Keys<T> {
    interpolation: Interpolation,
    pub times: Vec<f64>,
    values: Vec<T>,
}

impl<T: Copy> Keys<T> {
    /// The mapped keys of `track`; where it is absent or incomplete, `rest` at all times.
    pub fn new<S: Copy>(track: Option<&Track<S>>, rest: S, map: impl Fn(S) -> T) -> Self {
        let needed = |track: &&Track<S>| {
            let stride = track.interpolation.values_per_key();
            !track.times.is_empty() && track.values.len() >= track.times.len() * stride
        };
        match track.filter(needed) {
            Some(track) => Self {
                interpolation: track.interpolation,
                times: track.times.iter().map(|&t| f64::from(t)).collect(),
                values: track.values.iter().map(|&v| map(v)).collect(),
            },
            None => Self {
                interpolation: Interpolation::Step,
                times: vec![0.0],
                values: vec![map(rest)],
            },
        }
    }

    pub fn value(&self, key: usize) -> T {
        let stride = self.interpolation.values_per_key();
        self.values[key * stride + stride / 2]
    }

    /// Out-tangent of a key of a cubic track.
    fn tangent_out(&self, key: usize) -> T {
        self.values[key * 3 + 2]
    }

    /// In-tangent of a key of a cubic track.
    fn tangent_in(&self, key: usize) -> T {
        self.values[key * 3]
    }

    /// The key at or before a time and the share of the way to the next one; 0 where the end holds
    /// or the track steps.
    pub fn segment(&self, seconds: f64) -> Option<(usize, f64)> {
        let last = self.times.len().checked_sub(1)?;
        let after = self.times.partition_point(|&key| key <= seconds);
        let key = after.saturating_sub(1);
        let held = after == 0 || key >= last || self.interpolation == Interpolation::Step;
        let span = if held {
            1.0
        } else {
            self.times[key + 1] - self.times[key]
        };
        Some((
            key,
            if held {
                0.0
            } else {
                (seconds - self.times[key]) / span
            },
        ))
    }

    fn span(&self, key: usize) -> f64 {
        self.times[key + 1] - self.times[key]
    }
}

impl Keys<DVec3> {
    /// Moves the values, not the tangents.
    pub fn offset_values(&mut self, offset: DVec3) {
        let stride = self.interpolation.values_per_key();
        for value in self.values.iter_mut().skip(stride / 2).step_by(stride) {
            *value += offset;
        }
    }

    pub fn vector_at(&self, seconds: f64) -> DVec3 {
        let Some((key, t)) = self.segment(seconds) else {
            return DVec3::ZERO;
        };
        if t == 0.0 {
            return self.value(key);
        }
        let (a, b) = (self.value(key), self.value(key + 1));
        if self.interpolation != Interpolation::Cubic {
            return a + (b - a) * t;
        }
        let f = hermite(t, self.span(key));
        a * f[0] + self.tangent_out(key) * f[1] + b * f[2] + self.tangent_in(key + 1) * f[3]
    }
}

impl Keys<DQuat> {
    /// At `t` in 0..1 after a key that is not the last; the length does not matter to a heading.
    pub fn rotation_in(&self, key: usize, t: f64) -> DQuat {
        let (a, b) = (self.value(key), self.value(key + 1));
        match self.interpolation {
            Interpolation::Step => a,
            Interpolation::Linear => slerp(a, b, t),
            Interpolation::Cubic => {
                let f = hermite(t, self.span(key));
                let sum = a * f[0]
                    + self.tangent_out(key) * f[1]
                    + b * f[2]
                    + self.tangent_in(key + 1) * f[3];
                sum * sum.length().max(f64::MIN_POSITIVE).recip()
            }
        }
    }
}

/// Slerp along the shorter arc.
fn slerp(a: DQuat, b: DQuat, t: f64) -> DQuat {
    let b = if a.dot(b) < 0.0 { -b } else { b };
    let angle = 2.0 * (a - b).length().atan2((a + b).length());
    let sine = angle.sin();
    if sine < 1e-12 {
        return a + (b - a) * t;
    }
    a * (((1.0 - t) * angle).sin() / sine) + b * ((t * angle).sin() / sine)
}

/// The cubic Hermite basis; tangents a second, span in seconds.
fn hermite(t: f64, span: f64) -> [f64; 4] {
    let (t2, t3) = (t * t, t * t * t);
    [
        2.0 * t3 - 3.0 * t2 + 1.0,
        (t3 - 2.0 * t2 + t) * span,
        3.0 * t2 - 2.0 * t3,
        (t3 - t2) * span,
    ]
}
