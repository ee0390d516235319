//! Baked animation: one pose a frame at 30 Hz, with markers and curves.

use crate::skeleton::{Pose, Skeleton};
use glam::{Quat, Vec3};

/// Frames per second of every clip.
pub const RATE: f32 = 30.0;

/// A moment of a clip that scripts hear of.
#[derive(Clone)]
pub struct Marker {
    /// Seconds.
    pub time: f32,
    /// What happens, such as `footstep_l`.
    pub name: String,
    /// How strongly, 0 to 1.
    pub value: f32,
}

/// A span of a clip that scripts hear the beginning and the end of.
#[derive(Clone)]
pub struct Window {
    /// What goes on, such as `waving`.
    pub name: String,
    /// Seconds.
    pub begin: f32,
    /// Seconds, after `begin`.
    pub end: f32,
}

/// A named scalar over time, `(seconds, value)`, linear between keys.
#[derive(Clone)]
pub struct Curve {
    /// What it says, such as `foot_lock_l`.
    pub name: String,
    /// In rising order of time.
    pub keys: Vec<(f32, f32)>,
}

/// One animation.
#[derive(Clone)]
pub struct Clip {
    /// Unique within a character.
    pub name: String,
    /// Whether it is meant to be repeated.
    pub looping: bool,
    /// `frames[0]` is time 0; a looping clip repeats its first pose at the end.
    pub frames: Vec<Pose>,
    /// The joints it drives; empty means all.
    pub joints: Vec<usize>,
    /// The clip that this one is an offset from, when it is meant to be added.
    pub relative_to: Option<String>,
    /// In order of time.
    pub markers: Vec<Marker>,
    /// In order of their beginning.
    pub windows: Vec<Window>,
    /// In the order they were added.
    pub curves: Vec<Curve>,
    /// Travel over the clip, metres in the frame of the first pose.
    pub travel: Vec3,
    /// Turn over the clip about +Y.
    pub turn_degrees: f32,
}

impl Clip {
    /// Samples `pose` at phases 0 to 1. Looping clips are sampled on the circle, so that the last pose is the first.
    pub fn bake(name: &str, frames: usize, looping: bool, pose: &dyn Fn(f32) -> Pose) -> Clip {
        let at = |k: usize| {
            if looping && k == frames {
                0.0
            } else {
                k as f32 / frames as f32
            }
        };
        Clip {
            name: name.into(),
            looping,
            frames: (0..=frames).map(|k| pose(at(k))).collect(),
            joints: Vec::new(),
            relative_to: None,
            markers: Vec::new(),
            windows: Vec::new(),
            curves: Vec::new(),
            travel: Vec3::ZERO,
            turn_degrees: 0.0,
        }
    }

    /// Length of the clip.
    pub fn seconds(&self) -> f32 {
        (self.frames.len() - 1) as f32 / RATE
    }

    /// Moves joint 0 (the root) evenly by `travel` over the clip.
    pub fn travelling(mut self, travel: Vec3) -> Clip {
        let last = (self.frames.len() - 1) as f32;
        for (k, frame) in self.frames.iter_mut().enumerate() {
            frame.shift[0] += travel * (k as f32 / last);
        }
        self.travel = travel;
        self
    }

    /// Adds a marker at a phase of the clip.
    pub fn mark(mut self, phase: f32, name: &str, value: f32) -> Clip {
        let time = phase * self.seconds();
        self.markers.push(Marker {
            time,
            name: name.into(),
            value,
        });
        self.markers.sort_by(|a, b| a.time.total_cmp(&b.time));
        self
    }

    /// Adds a window between two phases of the clip.
    pub fn window(mut self, name: &str, begin: f32, end: f32) -> Clip {
        let seconds = self.seconds();
        self.windows.push(Window {
            name: name.into(),
            begin: begin * seconds,
            end: end * seconds,
        });
        self.windows.sort_by(|a, b| a.begin.total_cmp(&b.begin));
        self
    }

    /// Adds a curve that is 1 over the given phase spans and 0 elsewhere; it switches within a frame.
    pub fn lock(mut self, name: &str, spans: &[(f32, f32)]) -> Clip {
        let seconds = self.seconds();
        let step = 0.5 / RATE;
        let mut keys: Vec<(f32, f32)> = Vec::new();
        for &(from, to) in spans {
            if from > 0.0 {
                keys.extend([(from * seconds - step, 0.0), (from * seconds, 1.0)]);
            } else {
                keys.push((0.0, 1.0));
            }
            keys.push((to * seconds, 1.0));
            if to < 1.0 {
                keys.push((to * seconds + step, 0.0));
            }
        }
        if keys.is_empty() || keys[0].0 > 0.0 {
            keys.insert(0, (0.0, 0.0));
        }
        self.curves.push(Curve {
            name: name.into(),
            keys,
        });
        self
    }

    /// Makes the clip one of a layer: it drives these joints, and all of them.
    pub fn driving(mut self, joints: Vec<usize>) -> Clip {
        self.joints = joints;
        self
    }

    /// Whether the clip has a say in a joint.
    pub fn drives(&self, joint: usize) -> bool {
        self.joints.is_empty() || self.joints.contains(&joint)
    }
}

/// Rotation keys of a joint as exported: in its own axes, on one hemisphere.
pub fn rotation_track(skeleton: &Skeleton, clip: &Clip, joint: usize) -> Vec<Quat> {
    let parent = skeleton.parents[joint].map_or(Quat::IDENTITY, |p| skeleton.orient[p]);
    let local =
        |f: &Pose| (parent.inverse() * f.rotation[joint] * skeleton.orient[joint]).normalize();
    let mut keys: Vec<Quat> = clip.frames.iter().map(local).collect();
    for k in 1..keys.len() {
        if keys[k].dot(keys[k - 1]) < 0.0 {
            keys[k] = -keys[k];
        }
    }
    keys
}

/// Translation keys of a joint as exported, metres.
pub fn translation_track(skeleton: &Skeleton, clip: &Clip, joint: usize) -> Vec<Vec3> {
    let parent = skeleton.parents[joint].map_or(Quat::IDENTITY, |p| skeleton.orient[p]);
    clip.frames
        .iter()
        .map(|f| parent.inverse() * (skeleton.rest_offset(joint) + f.shift[joint]))
        .collect()
}

/// Indices of the keys worth keeping: between them, linear interpolation stays within tolerance (`close`).
pub fn keep<T: Copy>(
    keys: &[T],
    mix: &dyn Fn(T, T, f32) -> T,
    close: &dyn Fn(T, T) -> bool,
) -> Vec<usize> {
    if keys.iter().all(|k| close(*k, keys[0])) {
        return vec![0];
    }
    let fits = |a: usize, b: usize| {
        (a + 1..b).all(|m| {
            close(
                mix(keys[a], keys[b], (m - a) as f32 / (b - a) as f32),
                keys[m],
            )
        })
    };
    let (mut kept, mut at) = (vec![0], 0);
    while at + 1 < keys.len() {
        let mut next = at + 1;
        while next + 1 < keys.len() && fits(at, next + 1) {
            next += 1;
        }
        kept.push(next);
        at = next;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_only_the_keys_that_bend() {
        let check = |keys: &[f32], expected: &[usize]| {
            let kept = keep(keys, &|a, b, t| a + (b - a) * t, &|a, b| {
                (a - b).abs() < 1e-3
            });
            assert_eq!(kept, expected, "{keys:?}");
        };
        check(&[1.0, 1.0, 1.0], &[0]);
        check(&[0.0, 1.0, 2.0, 3.0], &[0, 3]);
        check(&[0.0, 1.0, 2.0, 1.0, 0.0], &[0, 2, 4]);
    }
}
