//! Clips made from other clips by linear maps, which leave every interpolation exact.

use crate::{MorphTrack, Track};

/// The track with `value` applied to its values and `tangent`, which is the linear part of the same map, to
/// its tangents.
pub(crate) fn map_track<T: Copy>(
    track: &Track<T>,
    value: impl Fn(T) -> T,
    tangent: impl Fn(T) -> T,
) -> Track<T> {
    let stride = track.interpolation.values_per_key();
    let mapped = track.values.iter().enumerate().map(|(index, &v)| {
        if index % stride == stride / 2 {
            value(v)
        } else {
            tangent(v)
        }
    });
    Track {
        interpolation: track.interpolation,
        times: track.times.clone(),
        values: mapped.collect(),
    }
}

/// The track with `value` applied to the weights, given the channel; tangents stay.
pub(crate) fn map_weights(track: &MorphTrack, value: impl Fn(usize, f32) -> f32) -> MorphTrack {
    let (first, count) = (usize::from(track.first), usize::from(track.count).max(1));
    let stride = track.track.interpolation.values_per_key();
    let mut out = track.clone();
    for (index, weight) in out.track.values.iter_mut().enumerate() {
        if (index / count) % stride == stride / 2 {
            *weight = value(first + index % count, *weight);
        }
    }
    out
}
