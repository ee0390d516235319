//! Clips reflected from one side of the body to the other.

use std::collections::HashMap;

use glam::{Affine3A, Mat3, Quat, Vec3};

use crate::additive::NO_SCALE;
use crate::rotation::Axes;
use crate::track_map::map_track;
use crate::{
    Clip, JointTracks, MAX_MARK_NAME, MorphTrack, NO_PARENT, Skeleton, Track, local_to_model,
    mirrored_name,
};

#[cfg(test)]
mod tests;

/// Which joint stands where another one does in a mirror.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct MirrorPairs {
    /// The counterpart of each joint; itself in the middle. Going twice leads back.
    pub joints: Vec<u16>,
}

impl MirrorPairs {
    /// Pairs joints whose names differ by left and right ([`mirrored_name()`]); all others are in the middle.
    pub fn by_name(skeleton: &Skeleton) -> Self {
        Self {
            joints: paired(&skeleton.names),
        }
    }

    /// The pairs given, and the rest by name. A joint that is given loses the partner that its name has; given with
    /// itself it is in the middle. Of two pairs with one joint the later counts; joints that the skeleton lacks
    /// are passed over.
    pub fn new(skeleton: &Skeleton, pairs: &[(u16, u16)]) -> Self {
        let mut out = Self::by_name(skeleton);
        for &(a, b) in pairs {
            if usize::from(a.max(b)) >= out.joints.len() {
                continue;
            }
            for joint in [a, b] {
                let partner = usize::from(out.joints[usize::from(joint)]);
                out.joints[partner] = partner as u16;
                out.joints[usize::from(joint)] = joint;
            }
            out.joints[usize::from(a)] = b;
            out.joints[usize::from(b)] = a;
        }
        out
    }
}

/// The index of each name's counterpart, its own where there is none.
fn paired(names: &[String]) -> Vec<u16> {
    let by_name: HashMap<&str, usize> = names
        .iter()
        .enumerate()
        .map(|(index, name)| (name.as_str(), index))
        .collect();
    let other = |name: &str| by_name.get(mirrored_name(name)?.as_str()).copied();
    let pairs = names.iter().enumerate();
    pairs
        .map(|(index, name)| other(name).unwrap_or(index) as u16)
        .collect()
}

/// The clip reflected in the plane x = 0 of model space: what a joint did, its counterpart does on the other
/// side. What counts are differences from rest in model space, so local axes may point anywhere, and a
/// rest pose that is symmetric in model space gives poses that are exact reflections. Where the parent
/// of a counterpart is not the counterpart of the parent, the difference is still taken against both
/// parents' rest.
///
/// Every key is mapped by a fixed linear map of its joint (tangents by its linear part), so what is sampled between keys
/// is exact too, and mirroring twice gives the clip back. Scales are ratios to rest; unless uniform, they are exact
/// where the axes of both joints are reflections of each other up to order and sign.
///
/// Morph channels with a counterpart by name change places; markers, windows, curves and the root joint
/// change names. Joints that the skeleton lacks are left out.
pub fn mirror_clip(skeleton: &Skeleton, clip: &Clip, pairs: &MirrorPairs) -> Clip {
    let rest = RestFrames::new(skeleton);
    let known = |joint: u16| Some(usize::from(joint)).filter(|&joint| joint < skeleton.len());
    let mut joints: Vec<JointTracks> = clip
        .joints
        .iter()
        .filter_map(|tracks| {
            let from = known(tracks.joint)?;
            let to = known(*pairs.joints.get(from)?)?;
            Some(mirrored_tracks(skeleton, &rest, tracks, from, to))
        })
        .collect();
    joints.sort_by_key(|tracks| tracks.joint);
    let mut out = Clip {
        joints,
        morphs: mirrored_morphs(&clip.morphs, &paired(&skeleton.morphs)),
        ..clip.clone()
    };
    let markers = out.markers.iter_mut().map(|marker| &mut marker.name);
    let windows = out.windows.iter_mut().map(|window| &mut window.name);
    let curves = out.curves.iter_mut().map(|curve| &mut curve.name);
    for name in markers.chain(windows).chain(curves) {
        let other = mirrored_name(name).filter(|other| other.len() <= MAX_MARK_NAME);
        *name = other.unwrap_or_else(|| std::mem::take(name));
    }
    out.root_joint = clip.root_joint.as_ref().map(|name| {
        let joint = skeleton.find(name).map(usize::from);
        let other = joint.and_then(|joint| known(*pairs.joints.get(joint)?));
        other.map_or_else(|| name.clone(), |other| skeleton.names[other].clone())
    });
    out
}

/// Where joints turn at rest.
struct RestFrames {
    /// From the space of a joint's local transform to model space, by joint.
    parents: Vec<Affine3A>,
    /// From a joint's own axes to model space.
    joints: Vec<Affine3A>,
}

impl RestFrames {
    fn new(skeleton: &Skeleton) -> Self {
        let mut joints = vec![Affine3A::IDENTITY; skeleton.len()];
        local_to_model(skeleton, &skeleton.rest, &mut joints);
        let mut parents: Vec<Affine3A> = skeleton
            .parents
            .iter()
            .map(|&parent| match parent {
                NO_PARENT => Affine3A::IDENTITY,
                parent => joints[usize::from(parent)],
            })
            .collect();
        for (joint, pre) in &skeleton.pre {
            parents[usize::from(*joint)] *= *pre;
        }
        Self { parents, joints }
    }
}

fn mirrored_tracks(
    skeleton: &Skeleton,
    frames: &RestFrames,
    tracks: &JointTracks,
    from: usize,
    to: usize,
) -> JointTracks {
    let rest = &skeleton.rest;
    let (space_from, space_to) = (frames.parents[from].matrix3, frames.parents[to].matrix3);
    let reflect = Mat3::from_diagonal(Vec3::new(-1.0, 1.0, 1.0));

    let (axes_from, axes_to) = (Axes::of(space_from), Axes::of(space_to));
    let (back, forth) = (rest.rotation(from).conjugate(), rest.rotation(to));
    let turn = |q: Quat| {
        let model = axes_from.to_model(q * back);
        let reflected = Quat::from_xyzw(model.x, -model.y, -model.z, model.w);
        axes_to.to_local(reflected) * forth
    };

    let shift = inverse_or_zero(Mat3::from(space_to)) * reflect * Mat3::from(space_from);
    let (t_from, t_to) = (rest.translation(from), rest.translation(to));

    let own = |joint: usize| Axes::of(frames.joints[joint].matrix3).matrix;
    let axes = own(to).transpose() * reflect * own(from);
    // How much of each axis of one lies along each axis of the other.
    let shares = Mat3::from_cols(
        axes.x_axis * axes.x_axis,
        axes.y_axis * axes.y_axis,
        axes.z_axis * axes.z_axis,
    );
    let (s_from, s_to) = (rest.scale(from), rest.scale(to));
    let empty = s_from.abs().cmplt(Vec3::splat(NO_SCALE));
    let ratio = |s: Vec3, none: Vec3| shares * Vec3::select(empty, none, s / s_from) * s_to;

    JointTracks {
        joint: to as u16,
        translation: map(
            tracks.translation.as_ref(),
            |v| t_to + shift * (v - t_from),
            |v| shift * v,
        ),
        rotation: map(tracks.rotation.as_ref(), turn, turn),
        scale: map(
            tracks.scale.as_ref(),
            |v| ratio(v, Vec3::ONE),
            |v| ratio(v, Vec3::ZERO),
        ),
    }
}

fn map<T: Copy>(
    track: Option<&Track<T>>,
    value: impl Fn(T) -> T,
    tangent: impl Fn(T) -> T,
) -> Option<Track<T>> {
    track.map(|track| map_track(track, value, tangent))
}

/// A flattened space has no way back; nothing moves in it.
fn inverse_or_zero(matrix: Mat3) -> Mat3 {
    let inverse = matrix.inverse();
    if inverse.is_finite() {
        inverse
    } else {
        Mat3::ZERO
    }
}

/// The tracks with their channels in the places of their counterparts. A track whose counterparts are
/// not its own channels is cut into one track a channel.
fn mirrored_morphs(tracks: &[MorphTrack], pairs: &[u16]) -> Vec<MorphTrack> {
    let other = |channel: u16| pairs.get(usize::from(channel)).copied().unwrap_or(channel);
    let mut out = Vec::new();
    for track in tracks {
        let channels = track.first..track.first.saturating_add(track.count);
        if channels
            .clone()
            .all(|channel| channels.contains(&other(channel)))
        {
            let order: Vec<u16> = channels
                .map(|channel| other(channel) - track.first)
                .collect();
            out.push(picked(track, track.first, &order));
        } else {
            let single = |channel| picked(track, other(channel), &[channel - track.first]);
            out.extend(channels.map(single));
        }
    }
    out.sort_by_key(|track| track.first);
    out
}

/// A track of the given columns of `track`.
fn picked(track: &MorphTrack, first: u16, columns: &[u16]) -> MorphTrack {
    let rows = track
        .track
        .values
        .chunks_exact(usize::from(track.count).max(1));
    let values = rows.flat_map(|row| columns.iter().map(|&column| row[usize::from(column)]));
    MorphTrack {
        first,
        count: columns.len() as u16,
        track: Track {
            interpolation: track.track.interpolation,
            times: track.track.times.clone(),
            values: values.collect(),
        },
    }
}
