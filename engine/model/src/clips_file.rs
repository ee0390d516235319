//! `NAME.clips.json` beside `NAME.glb` or `NAME.gltf`: what is marked on the model's clips, for models whose authoring
//! tool cannot write it into the file, and for those who tune it without that tool.
//!
//! ```json
//! { "version": 1,
//!   "clips": {
//!     "walk": {
//!       "markers": [{ "name": "footstep_l", "time": 0.5, "value": 1.0 }],
//!       "windows": [{ "name": "hit", "begin": 0.2, "end": 0.4 }],
//!       "curves": [{ "name": "foot_lock_l", "keys": [[0.0, 1.0], [0.5, 0.0]] }],
//!       "loop": true, "root_joint": "hips" } } }
//! ```
//!
//! A list that is given takes the place of the whole list of that kind in the model; what is left out stays as the
//! model has it.

use std::{collections::BTreeMap, sync::Arc};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinew_anim::{Clip, nearest};

use crate::{
    Model, Warning,
    error::{ImportError, Result},
    marks::{self, Fitted},
};

/// What a clips file holds.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "Sinew clips file")]
pub struct ClipsFile {
    /// For editors: where the schema of this file is.
    #[serde(rename = "$schema", default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// 1.
    #[schemars(range(min = 1, max = 1))]
    pub version: u32,
    /// By the name of a clip of the model.
    pub clips: BTreeMap<String, ClipMarks>,
}

/// What is marked on one clip. What is left out stays as the model has it.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClipMarks {
    /// Moments, in place of all that the model has on this clip.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub markers: Option<Vec<MarkerDef>>,
    /// Spans, in place of all that the model has on this clip.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub windows: Option<Vec<WindowDef>>,
    /// Numbers over time, in place of all that the model has on this clip.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub curves: Option<Vec<CurveDef>>,
    /// Whether the clip is made to be played in a loop. For tools to show: a state's mode decides.
    #[serde(rename = "loop", skip_serializing_if = "Option::is_none")]
    pub looping: Option<bool>,
    /// The joint that carries root motion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root_joint: Option<String>,
}

/// A named moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MarkerDef {
    /// 1 to 64 bytes.
    #[schemars(length(min = 1, max = 64))]
    pub name: String,
    /// Clip seconds. A time after the end is moved to the end, with a warning.
    #[schemars(range(min = 0.0))]
    pub time: f32,
    /// A number for whoever listens.
    #[serde(default)]
    pub value: f32,
}

/// A named span.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WindowDef {
    /// 1 to 64 bytes.
    #[schemars(length(min = 1, max = 64))]
    pub name: String,
    /// Clip seconds.
    #[schemars(range(min = 0.0))]
    pub begin: f32,
    /// Clip seconds, not before `begin`.
    #[schemars(range(min = 0.0))]
    pub end: f32,
}

/// A named number over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CurveDef {
    /// 1 to 64 bytes; no two curves of a clip have the same.
    #[schemars(length(min = 1, max = 64))]
    pub name: String,
    /// `[seconds, value]`, times strictly increasing; straight between keys, held before and after.
    #[schemars(length(min = 1))]
    pub keys: Vec<[f32; 2]>,
}

impl ClipsFile {
    /// What stands behind the model's name in the name of its clips file.
    pub const ENDING: &'static str = ".clips.json";

    /// The name of the clips file that belongs to a model file; `None` for names of other kinds of files.
    pub fn name_for(model_file: &str) -> Option<String> {
        let (name, kind) = model_file.rsplit_once('.')?;
        let is_model = ["glb", "gltf"]
            .iter()
            .any(|model| kind.eq_ignore_ascii_case(model));
        is_model.then(|| format!("{name}{}", Self::ENDING))
    }

    /// Reads the text of a clips file.
    ///
    /// # Errors
    /// The first thing that is wrong, with a pointer to it.
    pub fn from_json(text: &str) -> Result<Self> {
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let file: Self =
            serde_path_to_error::deserialize(&mut deserializer).map_err(|error| explain(&error))?;
        deserializer
            .end()
            .map_err(|error| ImportError::new("E-CLIPS-JSON", "", error.to_string()))?;
        if file.version != 1 {
            let message = format!("version {} cannot be read, only 1", file.version);
            return Err(ImportError::new("E-CLIPS-VERSION", "/version", message));
        }
        Ok(file)
    }

    /// Puts what is marked in place of what `model` has. `name` is what remarks call the file.
    ///
    /// # Errors
    /// The first thing that does not fit the model; the model is then as it was.
    pub fn merge_into(&self, model: &mut Model, name: &str) -> Result<()> {
        let mut remarks = Vec::new();
        let mut merged = Vec::with_capacity(self.clips.len());
        for (clip_name, marks) in &self.clips {
            let pointer = format!("/clips/{}", escape(clip_name));
            let mut clips = model.clips.iter();
            let index = clips
                .position(|clip| clip.name == *clip_name)
                .ok_or_else(|| {
                    let names = model.clips.iter().map(|clip| clip.name.as_str());
                    unknown(&pointer, "clip", clip_name, names)
                })?;
            let mut clip = Clip::clone(&model.clips[index]);
            let mut merge = Merge {
                model,
                pointer: &pointer,
                file: name,
                remarks: &mut remarks,
            };
            merge.clip(marks, &mut clip)?;
            merged.push((index, clip));
        }
        for (index, clip) in merged {
            model.clips[index] = Arc::new(clip);
        }
        model.warnings.append(&mut remarks);
        Ok(())
    }
}

struct Merge<'a> {
    model: &'a Model,
    pointer: &'a str,
    file: &'a str,
    remarks: &'a mut Vec<Warning>,
}

impl Merge<'_> {
    fn clip(&mut self, marks: &ClipMarks, clip: &mut Clip) -> Result<()> {
        let duration = clip.duration;
        if let Some(markers) = &marks.markers {
            clip.markers = self.list("markers", markers, |marker| {
                marks::marker(marker.name.clone(), marker.time, marker.value, duration)
            })?;
            clip.markers.sort_by(|a, b| a.time.total_cmp(&b.time));
        }
        if let Some(windows) = &marks.windows {
            clip.windows = self.list("windows", windows, |window| {
                marks::window(window.name.clone(), window.begin, window.end, duration)
            })?;
            clip.windows.sort_by(|a, b| a.begin.total_cmp(&b.begin));
        }
        if let Some(curves) = &marks.curves {
            clip.curves = self.list("curves", curves, |curve| {
                let mark = marks::curve(curve.name.clone(), curve.keys.clone())?;
                Ok(Fitted { mark, moved: None })
            })?;
            self.check_once(curves)?;
        }
        if let Some(joint) = &marks.root_joint {
            let joints = &self.model.skeleton.names;
            if !joints.contains(joint) {
                let pointer = format!("{}/root_joint", self.pointer);
                let names = joints.iter().map(String::as_str);
                return Err(unknown(&pointer, "joint", joint, names));
            }
            clip.root_joint = Some(joint.clone());
        }
        clip.looping = marks.looping.or(clip.looping);
        Ok(())
    }

    fn list<T, U>(
        &mut self,
        kind: &str,
        entries: &[T],
        fit: impl Fn(&T) -> std::result::Result<Fitted<U>, String>,
    ) -> Result<Vec<U>> {
        let mut fitted = Vec::with_capacity(entries.len());
        for (index, entry) in entries.iter().enumerate() {
            let pointer = format!("{}/{kind}/{index}", self.pointer);
            let Fitted { mark, moved } = fit(entry)
                .map_err(|reason| ImportError::new("E-CLIPS-VALUE", pointer.clone(), reason))?;
            fitted.push(mark);
            self.remarks.extend(moved.map(|message| Warning {
                code: "W-MARK-CLAMPED",
                pointer,
                message,
                file: Some(self.file.to_owned()),
            }));
        }
        Ok(fitted)
    }

    fn check_once(&self, curves: &[CurveDef]) -> Result<()> {
        for (index, curve) in curves.iter().enumerate() {
            if curves[..index].iter().any(|other| other.name == curve.name) {
                let pointer = format!("{}/curves/{index}/name", self.pointer);
                let message = format!("the clip has another curve `{}`", curve.name);
                return Err(ImportError::new("E-CLIPS-VALUE", pointer, message));
            }
        }
        Ok(())
    }
}

fn unknown<'n>(
    pointer: &str,
    what: &str,
    name: &str,
    names: impl Iterator<Item = &'n str> + Clone,
) -> ImportError {
    let message = format!("the model has no {what} `{name}`");
    let error = ImportError::new("E-CLIPS-UNKNOWN", pointer, message);
    let known: Vec<&str> = names.clone().take(12).collect();
    match nearest(name, names) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None if known.is_empty() => error,
        None => error.help(format!("its {what}s are {}", known.join(", "))),
    }
}

fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// serde's words as a pointer, a code and the nearest key.
fn explain(error: &serde_path_to_error::Error<serde_json::Error>) -> ImportError {
    use serde_path_to_error::Segment;
    let mut pointer = String::new();
    for segment in error.path() {
        match segment {
            Segment::Seq { index } => pointer += &format!("/{index}"),
            Segment::Map { key } => pointer += &format!("/{}", escape(key)),
            Segment::Enum { .. } | Segment::Unknown => {}
        }
    }
    let inner = error.inner();
    let text = inner.to_string();
    if text.starts_with("number out of range") {
        return ImportError::new("E-CLIPS-VALUE", pointer, "the number is too large");
    }
    if !inner.is_data() {
        return ImportError::new("E-CLIPS-JSON", "", text);
    }
    // The position that serde_json adds says less than the pointer.
    let text = text.split(" at line ").next().unwrap_or(&text);
    if !text.starts_with("unknown field") {
        let text = text
            .replace("expected f32", "expected a number")
            .replace("expected u32", "expected a whole number");
        return ImportError::new("E-CLIPS-JSON", pointer, text);
    }
    let quoted: Vec<&str> = text.split('`').skip(1).step_by(2).collect();
    let (name, known) = quoted.split_first().unwrap_or((&"", &[]));
    let last = format!("/{}", escape(name));
    if !pointer.ends_with(&last) {
        pointer += &last;
    }
    let message = format!("unknown key `{name}`, expected {}", known.join(", "));
    let error = ImportError::new("E-CLIPS-UNKNOWN-KEY", pointer, message);
    match nearest(name, known.iter().copied()) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error,
    }
}

#[cfg(test)]
mod tests;
