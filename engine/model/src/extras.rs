//! What authors mark on clips through `extras`: events, windows, curves, looping, root motion.
//!
//! ```json
//! {"loop": true, "root_motion": {"joint": "hips"},
//!  "events":  [{"time": 0.5, "name": "footstep_l", "value": 1.0}],
//!  "windows": [{"begin": 0.2, "end": 0.4, "name": "hit"}],
//!  "curves":  [{"name": "foot_lock_l", "keys": [[0.0, 1.0], [0.5, 0.0]]}]}
//! ```
//!
//! Other properties belong to other tools and are passed over.

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use sinew_anim::Clip;

use crate::{
    document::Animation,
    error::Warnings,
    marks::{self, Fitted},
};

/// Fills in what `animation` marks on `clip`, whose duration is known. Times outside of the clip are moved to its nearer
/// end, entries that make no sense left out, each with a warning below `pointer`.
pub(crate) fn read(animation: &Animation, clip: &mut Clip, pointer: &str, warnings: &mut Warnings) {
    let Some(Value::Object(extras)) = &animation.extras else {
        return;
    };
    let mut extras = Extras {
        extras,
        pointer,
        warnings,
    };
    let duration = clip.duration;
    clip.markers = extras.list("events", |event: Event| {
        marks::marker(event.name, event.time, event.value, duration)
    });
    clip.windows = extras.list("windows", |window: Span| {
        marks::window(window.name, window.begin, window.end, duration)
    });
    clip.curves = extras.list("curves", |curve: Keys| {
        let mark = marks::curve(curve.name, curve.keys)?;
        Ok(Fitted { mark, moved: None })
    });
    clip.markers.sort_by(|a, b| a.time.total_cmp(&b.time));
    clip.windows.sort_by(|a, b| a.begin.total_cmp(&b.begin));
    clip.looping = extras.one("loop");
    clip.root_joint = extras.one("root_motion").map(|root: RootMotion| root.joint);
}

#[derive(Deserialize)]
struct Event {
    name: String,
    time: f32,
    #[serde(default)]
    value: f32,
}

#[derive(Deserialize)]
struct Span {
    name: String,
    begin: f32,
    end: f32,
}

#[derive(Deserialize)]
struct Keys {
    name: String,
    keys: Vec<[f32; 2]>,
}

#[derive(Deserialize)]
struct RootMotion {
    joint: String,
}

struct Extras<'a> {
    extras: &'a Map<String, Value>,
    pointer: &'a str,
    warnings: &'a mut Warnings,
}

impl Extras<'_> {
    fn one<T: DeserializeOwned>(&mut self, name: &str) -> Option<T> {
        let value = self.extras.get(name)?;
        let read = T::deserialize(value);
        if let Err(error) = &read {
            let pointer = format!("{}/{name}", self.pointer);
            self.warnings
                .add("W-EXTRAS", pointer, format!("ignored: {error}"));
        }
        read.ok()
    }

    /// The entries of a list that can be read and that `fit` takes.
    fn list<T: DeserializeOwned, U>(
        &mut self,
        name: &str,
        fit: impl Fn(T) -> Result<Fitted<U>, String>,
    ) -> Vec<U> {
        let entries: Vec<Value> = self.one(name).unwrap_or_default();
        let mut accepted = Vec::with_capacity(entries.len());
        for (index, entry) in entries.into_iter().enumerate() {
            let pointer = format!("{}/{name}/{index}", self.pointer);
            let read = T::deserialize(entry).map_err(|error| error.to_string());
            match read.and_then(&fit) {
                Ok(Fitted { mark, moved }) => {
                    accepted.push(mark);
                    if let Some(message) = moved {
                        self.warnings.add("W-MARK-CLAMPED", pointer, message);
                    }
                }
                Err(reason) => {
                    self.warnings
                        .add("W-EXTRAS", pointer, format!("left out: {reason}"));
                }
            }
        }
        accepted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(extras: &str) -> (Clip, Vec<String>) {
        let animation = serde_json::from_str(&format!(
            r#"{{"channels":[],"samplers":[],"extras":{extras}}}"#
        ))
        .expect(extras);
        let mut clip = Clip {
            duration: 1.0,
            ..Clip::default()
        };
        let mut warnings = Warnings::default();
        read(&animation, &mut clip, "/extras", &mut warnings);
        (
            clip,
            warnings
                .list
                .into_iter()
                .map(|warning| warning.pointer)
                .collect(),
        )
    }

    #[test]
    fn marks_are_read_in_the_order_of_time() {
        let (clip, told) = check(
            r#"{"loop":true,"root_motion":{"joint":"hips","speed":1.2},"layer":"upper",
                "events":[{"time":1.0004,"name":"b"},{"time":0.5,"name":"a","value":2}],
                "windows":[{"begin":0.2,"end":0.4,"name":"hit"}],
                "curves":[{"name":"lock","keys":[[0,1],[0.5,0]]}]}"#,
        );
        assert!(told.is_empty(), "{told:?}");
        let times: Vec<_> = clip
            .markers
            .iter()
            .map(|marker| (marker.name.as_str(), marker.time))
            .collect();
        assert_eq!(times, [("a", 0.5), ("b", 1.0)]);
        assert_eq!((clip.windows.len(), clip.curves[0].keys.len()), (1, 2));
        assert_eq!(
            (clip.looping, clip.root_joint.as_deref()),
            (Some(true), Some("hips"))
        );
    }

    #[test]
    fn nonsense_is_left_out_or_moved_and_told_where_it_stands() {
        let (clip, told) = check(
            r#"{"loop":"yes","root_motion":7,"windows":{"a":1},
                "events":[{"time":5,"name":"late"},{"time":0,"name":""},{"time":0,"name":"ok"},3],
                "curves":[{"name":"back","keys":[[1,1],[0,0]]}]}"#,
        );
        let times: Vec<_> = clip
            .markers
            .iter()
            .map(|marker| (marker.name.as_str(), marker.time))
            .collect();
        assert_eq!(times, [("ok", 0.0), ("late", 1.0)]);
        assert_eq!(
            told,
            [
                "/extras/events/0",
                "/extras/events/1",
                "/extras/events/3",
                "/extras/windows",
                "/extras/curves/0",
                "/extras/loop",
                "/extras/root_motion"
            ]
        );
    }

    #[test]
    fn extras_of_other_tools_are_passed_over() {
        for extras in ["3", "\"text\"", "null", "[1]", r#"{"notes":"x"}"#] {
            assert!(check(extras).1.is_empty(), "{extras}");
        }
    }
}
