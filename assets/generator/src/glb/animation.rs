//! Clips: reduced, quantised tracks and what belongs to them in `extras`.

use super::{Character, FLOAT, I16, Writer, floats};
use crate::clip::{Clip, Curve, Marker, RATE, Window, keep, rotation_track, translation_track};
use crate::skeleton::Skeleton;
use glam::{Quat, Vec3};
use serde_json::{Value, json};

/// The `animations` of the file; all their numbers go into one buffer view.
pub fn write_animations(w: &mut Writer, character: &Character) -> Vec<Value> {
    if character.clips.is_empty() {
        return Vec::new();
    }
    let view = w.views.len();
    w.views.push(Value::Null);
    let animations = character
        .clips
        .iter()
        .map(|clip| write_clip(w, character, clip, view))
        .collect();
    let bytes = std::mem::take(&mut w.animation_bytes);
    w.view(&bytes, None);
    w.views.swap_remove(view);
    animations
}

fn write_clip(w: &mut Writer, character: &Character, clip: &Clip, view: usize) -> Value {
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    let mut channel = |joint: usize, path: &str, input: usize, output: usize| {
        channels.push(json!({"sampler": samplers.len(), "target": {"node": joint, "path": path}}));
        samplers.push(json!({"input": input, "output": output}));
    };
    for joint in (0..character.skeleton.len()).filter(|&j| clip.drives(j)) {
        if let Some((input, output)) = rotation_channel(w, character, clip, joint, view) {
            channel(joint, "rotation", input, output);
        }
        if let Some((input, output)) = translation_channel(w, character, clip, joint, view) {
            channel(joint, "translation", input, output);
        }
    }
    json!({"name": clip.name, "samplers": samplers, "channels": channels, "extras": extras(character.skeleton, clip)})
}

fn rotation_channel(
    w: &mut Writer,
    c: &Character,
    clip: &Clip,
    joint: usize,
    view: usize,
) -> Option<(usize, usize)> {
    let keys = rotation_track(c.skeleton, clip, joint);
    let tolerance = if (c.precise)(&c.skeleton.names[joint]) {
        2.5e-4
    } else {
        1.5e-3
    };
    let apart = |a: Quat, b: Quat| 2.0 * (a - b * a.dot(b).signum()).length();
    let kept = keep(&keys, &|a, b, t| a.slerp(b, t), &|a, b| {
        apart(a, b) < tolerance
    });
    let parent = c.skeleton.parents[joint].map_or(Quat::IDENTITY, |p| c.skeleton.orient[p]);
    let at_rest = apart(
        keys[0],
        (parent.inverse() * c.skeleton.orient[joint]).normalize(),
    ) < 1e-4;
    if kept.len() == 1 && at_rest && clip.joints.is_empty() {
        return None;
    }
    let quantise = |q: Quat| q.to_array().map(|x| (x * 32767.0).round() as i16);
    let bytes: Vec<u8> = kept
        .iter()
        .flat_map(|&k| quantise(keys[k]))
        .flat_map(i16::to_le_bytes)
        .collect();
    let offset = w.animation_offset(&bytes);
    let output = w.accessor(
        json!({"bufferView": view, "byteOffset": offset, "componentType": I16, "normalized": true,
        "count": kept.len(), "type": "VEC4"}),
    );
    Some((times(w, &kept, view), output))
}

fn translation_channel(
    w: &mut Writer,
    c: &Character,
    clip: &Clip,
    joint: usize,
    view: usize,
) -> Option<(usize, usize)> {
    let keys = translation_track(c.skeleton, clip, joint);
    let kept = keep(&keys, &|a, b, t| a.lerp(b, t), &|a, b| a.distance(b) < 1e-4);
    let still = clip.frames.iter().all(|f| f.shift[joint].length() < 1e-6);
    if still {
        return None;
    }
    let offset = w.animation_offset(&floats(kept.iter().flat_map(|&k| keys[k].to_array())));
    let output = w.accessor(
        json!({"bufferView": view, "byteOffset": offset, "componentType": FLOAT, "count": kept.len(), "type": "VEC3"}),
    );
    Some((times(w, &kept, view), output))
}

fn times(w: &mut Writer, kept: &[usize], view: usize) -> usize {
    let seconds: Vec<f32> = kept.iter().map(|&k| k as f32 / RATE).collect();
    let offset = w.animation_offset(&floats(seconds.iter().copied()));
    w.accessor(json!({"bufferView": view, "byteOffset": offset, "componentType": FLOAT, "count": kept.len(),
        "type": "SCALAR", "min": [seconds[0]], "max": [seconds[seconds.len() - 1]]}))
}

fn extras(skeleton: &Skeleton, clip: &Clip) -> Value {
    let short = |x: f32| (f64::from(x) * 1e4).round() / 1e4;
    let mut extras = json!({"loop": clip.looping, "seconds": short(clip.seconds())});
    if !clip.markers.is_empty() {
        let event =
            |m: &Marker| json!({"time": short(m.time), "name": m.name, "value": short(m.value)});
        extras["events"] = clip.markers.iter().map(event).collect();
    }
    if !clip.windows.is_empty() {
        let window =
            |w: &Window| json!({"name": w.name, "begin": short(w.begin), "end": short(w.end)});
        extras["windows"] = clip.windows.iter().map(window).collect();
    }
    if !clip.curves.is_empty() {
        let keys = |c: &Curve| {
            c.keys
                .iter()
                .map(|&(t, v)| [short(t), short(v)])
                .collect::<Vec<_>>()
        };
        extras["curves"] = clip
            .curves
            .iter()
            .map(|c| json!({"name": c.name, "keys": keys(c)}))
            .collect();
    }
    if clip.travel != Vec3::ZERO || clip.turn_degrees != 0.0 {
        extras["root_motion"] = json!({"joint": skeleton.names[0],
            "travel": clip.travel.to_array().map(short), "turn_degrees": short(clip.turn_degrees),
            "speed": short(clip.travel.length() / clip.seconds())});
    }
    if !clip.joints.is_empty() {
        extras["layer"] = json!("upper");
    }
    if let Some(base) = &clip.relative_to {
        extras["additive_to"] = json!(base);
    }
    extras
}
