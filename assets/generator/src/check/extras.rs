//! Whether what a clip says about itself makes sense: times inside the clip, spans the right way round, joints that exist.

use super::file::{Clip, File};
use glam::Vec3;

/// Longest name of a marker, window or curve, bytes.
const LONGEST_NAME: usize = 64;

/// Rounding of times in the file, seconds.
const ROUNDING: f32 = 1e-4;

/// Everything that is wrong with the extras of a clip, as sentences.
pub fn problems(file: &File, clip: &Clip) -> Vec<String> {
    let mut found = Vec::new();
    let mut expect = |holds: bool, problem: String| {
        if !holds {
            found.push(problem);
        }
    };
    let e = &clip.extras;
    let end = clip
        .channels
        .iter()
        .filter_map(|c| c.times.last().copied())
        .fold(0.0, f32::max);
    expect(
        e.seconds > 0.0 && end <= e.seconds + ROUNDING,
        format!("seconds is {}, its last key at {end}", e.seconds),
    );
    let inside = |t: f32| (0.0..=e.seconds + ROUNDING).contains(&t);
    let named = |name: &str| (1..=LONGEST_NAME).contains(&name.len());
    for m in &e.events {
        expect(
            named(&m.name) && inside(m.time) && (0.0..=1.0).contains(&m.value),
            format!("event '{}' at {} s, value {}", m.name, m.time, m.value),
        );
    }
    for w in &e.windows {
        expect(
            named(&w.name) && inside(w.begin) && inside(w.end) && w.begin < w.end,
            format!("window '{}' from {} s to {} s", w.name, w.begin, w.end),
        );
    }
    for c in &e.curves {
        let rising = c.keys.is_sorted_by(|a, b| a[0] < b[0]);
        expect(
            named(&c.name) && !c.keys.is_empty() && rising && c.keys.iter().all(|k| inside(k[0])),
            format!("the keys of curve '{}' do not rise within the clip", c.name),
        );
    }
    if let Some(motion) = &e.root_motion {
        let speed = motion.travel.length() / e.seconds;
        expect(
            motion.travel != Vec3::ZERO || motion.turn_degrees != 0.0,
            "root_motion goes nowhere".into(),
        );
        expect(
            (motion.speed - speed).abs() < 1e-2,
            format!(
                "root_motion says {} m/s and travels {speed} m/s",
                motion.speed
            ),
        );
        expect(
            file.nodes.iter().any(|n| n.name == motion.joint),
            format!("root_motion names '{}', which is no joint", motion.joint),
        );
    }
    if let Some(base) = &e.additive_to {
        expect(
            file.clips.iter().any(|c| c.name == *base),
            format!("additive_to names '{base}', which is no clip"),
        );
    }
    found
}
