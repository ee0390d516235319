//! From devices and recorded files to actions.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use glam::Vec2;
use serde::Deserialize;
use sinew_assets::{ActionDef, Diagnostic};
use sinew_world::{Change, Controls, Input};
use winit::keyboard::KeyCode;

/// A change of an action at a moment of game time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timed {
    /// Seconds of game time.
    pub t: f64,
    /// What changes.
    pub change: Change,
}

/// Recorded input that plays along with game time.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    changes: Vec<Timed>,
    next: usize,
}

/// Game time is a sum of many steps; a moment that it misses by less than this counts as reached.
const CLOSE: f64 = 1e-6;

impl Recording {
    /// Plays changes in the order of their times; at one moment, in the order given.
    pub fn new(mut changes: Vec<Timed>) -> Self {
        changes.sort_by(|a, b| a.t.total_cmp(&b.t));
        Self { changes, next: 0 }
    }

    /// Adds what happens in the step that begins at `time`.
    pub fn add_to(&mut self, input: &mut Input, time: f64) {
        while let Some(timed) = self
            .changes
            .get(self.next)
            .filter(|timed| timed.t <= time + CLOSE)
        {
            input.changes.push(timed.change);
            self.next += 1;
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    t: f64,
    action: String,
    value: serde_json::Value,
}

/// Reads recorded input: JSON lines `{"t":1.25,"action":"jump","value":1}`; `value` is `[x, y]` for an action with
/// directions: right and forward. Empty lines are skipped.
///
/// # Errors
/// Every line that is wrong, at most 20.
pub fn read_recording(
    text: &str,
    shown: &str,
    controls: &Controls,
) -> Result<Vec<Timed>, Vec<Diagnostic>> {
    let source: Arc<str> = text.into();
    let mut changes = Vec::new();
    let mut faults = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim();
        if !content.is_empty() {
            match read_line(content, controls) {
                Ok(timed) => changes.push(timed),
                Err((message, help)) => {
                    let fault = Diagnostic::error("E-INPUT-LINE", message).help(help);
                    let at = start + (line.len() - line.trim_start().len());
                    faults.push(fault.at(shown, &source, at..at + content.len()));
                }
            }
        }
        start += line.len();
        if faults.len() >= 20 {
            break;
        }
    }
    if faults.is_empty() {
        Ok(changes)
    } else {
        Err(faults)
    }
}

fn read_line(line: &str, controls: &Controls) -> Result<Timed, (String, String)> {
    const SHAPE: &str = r#"write a line like {"t":1.25,"action":"jump","value":1}"#;
    let said = |message: String| (message, SHAPE.to_owned());
    let line: Line =
        serde_json::from_str(line).map_err(|error| said(format!("this is no input: {error}")))?;
    if !(line.t.is_finite() && line.t >= 0.0) {
        return Err(said(format!(
            "`t` must be seconds of game time from 0 on, got {}",
            line.t
        )));
    }
    let action = controls.find(&line.action).ok_or_else(|| {
        let names = controls.actions.iter().map(|action| action.name.as_str());
        let help = match sinew_anim::nearest(&line.action, names.clone()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the level has {}", list(names)),
        };
        (format!("the level has no action `{}`", line.action), help)
    })?;
    let axis = controls.actions[usize::from(action)].axis;
    let value = value_of(&line.value, axis).ok_or_else(|| {
        let wanted = if axis {
            "two numbers from -1 to 1, such as [0, 1] for forward"
        } else {
            "a number from 0 to 1"
        };
        let message = format!(
            "the value of `{}` must be {wanted}, got {}",
            line.action, line.value
        );
        (message, SHAPE.to_owned())
    })?;
    Ok(Timed {
        t: line.t,
        change: Change { action, value },
    })
}

fn value_of(value: &serde_json::Value, axis: bool) -> Option<Vec2> {
    let number = |value: &serde_json::Value| {
        let number = value.as_f64()? as f32;
        (-1.0..=1.0).contains(&number).then_some(number)
    };
    match value {
        serde_json::Value::Array(two) if axis && two.len() == 2 => {
            Some(Vec2::new(number(&two[0])?, number(&two[1])?).clamp_length_max(1.0))
        }
        serde_json::Value::Bool(down) if !axis => Some(Vec2::X * f32::from(u8::from(*down))),
        other if !axis => number(other)
            .filter(|number| *number >= 0.0)
            .map(|number| Vec2::X * number),
        _ => None,
    }
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    if names.is_empty() {
        "no actions".to_owned()
    } else {
        names.join(", ")
    }
}

/// The keyboard: which keys are down, and what that makes of a level's actions.
#[derive(Clone, Debug, Default)]
pub struct Keyboard {
    held: BTreeSet<KeyCode>,
    values: Vec<Vec2>,
}

impl Keyboard {
    /// Notes that a key went down or up.
    pub fn key(&mut self, code: KeyCode, down: bool) {
        if down {
            self.held.insert(code);
        } else {
            self.held.remove(&code);
        }
    }

    /// Lets go of all keys: the window lost the focus and hears no more of them.
    pub fn release_all(&mut self) {
        self.held.clear();
    }

    /// Adds what changed since the last call.
    pub fn add_to(
        &mut self,
        input: &mut Input,
        actions: &BTreeMap<String, ActionDef>,
        controls: &Controls,
    ) {
        self.values.resize(controls.actions.len(), Vec2::ZERO);
        for (name, def) in actions {
            let Some(action) = controls.find(name) else {
                continue;
            };
            let value = self.value(def);
            let before = std::mem::replace(&mut self.values[usize::from(action)], value);
            if before != value {
                input.changes.push(Change { action, value });
            }
        }
    }

    fn value(&self, def: &ActionDef) -> Vec2 {
        let held = |keys: &[String]| {
            let any = keys
                .iter()
                .any(|key| self.held.iter().any(|&code| key_name(code) == Some(key)));
            f32::from(u8::from(any))
        };
        if def.is_vector() {
            let value = Vec2::new(
                held(&def.right) - held(&def.left),
                held(&def.forward) - held(&def.back),
            );
            value.clamp_length_max(1.0)
        } else {
            Vec2::X * held(&def.keys)
        }
    }
}

/// The name that levels use for a key; left and right Shift, Ctrl and Alt are one key each.
pub fn key_name(code: KeyCode) -> Option<&'static str> {
    KEYS.iter()
        .find(|(known, _)| *known == code)
        .map(|(_, name)| *name)
}

#[rustfmt::skip]
const KEYS: &[(KeyCode, &str)] = &[
    (KeyCode::KeyA, "A"), (KeyCode::KeyB, "B"), (KeyCode::KeyC, "C"), (KeyCode::KeyD, "D"), (KeyCode::KeyE, "E"),
    (KeyCode::KeyF, "F"), (KeyCode::KeyG, "G"), (KeyCode::KeyH, "H"), (KeyCode::KeyI, "I"), (KeyCode::KeyJ, "J"),
    (KeyCode::KeyK, "K"), (KeyCode::KeyL, "L"), (KeyCode::KeyM, "M"), (KeyCode::KeyN, "N"), (KeyCode::KeyO, "O"),
    (KeyCode::KeyP, "P"), (KeyCode::KeyQ, "Q"), (KeyCode::KeyR, "R"), (KeyCode::KeyS, "S"), (KeyCode::KeyT, "T"),
    (KeyCode::KeyU, "U"), (KeyCode::KeyV, "V"), (KeyCode::KeyW, "W"), (KeyCode::KeyX, "X"), (KeyCode::KeyY, "Y"),
    (KeyCode::KeyZ, "Z"),
    (KeyCode::Digit0, "0"), (KeyCode::Digit1, "1"), (KeyCode::Digit2, "2"), (KeyCode::Digit3, "3"),
    (KeyCode::Digit4, "4"), (KeyCode::Digit5, "5"), (KeyCode::Digit6, "6"), (KeyCode::Digit7, "7"),
    (KeyCode::Digit8, "8"), (KeyCode::Digit9, "9"),
    (KeyCode::Numpad0, "0"), (KeyCode::Numpad1, "1"), (KeyCode::Numpad2, "2"), (KeyCode::Numpad3, "3"),
    (KeyCode::Numpad4, "4"), (KeyCode::Numpad5, "5"), (KeyCode::Numpad6, "6"), (KeyCode::Numpad7, "7"),
    (KeyCode::Numpad8, "8"), (KeyCode::Numpad9, "9"),
    (KeyCode::Space, "Space"), (KeyCode::Enter, "Enter"), (KeyCode::NumpadEnter, "Enter"),
    (KeyCode::Escape, "Escape"), (KeyCode::Tab, "Tab"), (KeyCode::Backspace, "Backspace"),
    (KeyCode::Delete, "Delete"), (KeyCode::Insert, "Insert"), (KeyCode::Home, "Home"), (KeyCode::End, "End"),
    (KeyCode::PageUp, "PageUp"), (KeyCode::PageDown, "PageDown"),
    (KeyCode::ArrowLeft, "Left"), (KeyCode::ArrowRight, "Right"), (KeyCode::ArrowUp, "Up"),
    (KeyCode::ArrowDown, "Down"),
    (KeyCode::ShiftLeft, "Shift"), (KeyCode::ShiftRight, "Shift"), (KeyCode::ControlLeft, "Ctrl"),
    (KeyCode::ControlRight, "Ctrl"), (KeyCode::AltLeft, "Alt"), (KeyCode::AltRight, "Alt"),
    (KeyCode::Minus, "Minus"), (KeyCode::Equal, "Equal"), (KeyCode::Comma, "Comma"), (KeyCode::Period, "Period"),
    (KeyCode::Slash, "Slash"), (KeyCode::Semicolon, "Semicolon"), (KeyCode::Quote, "Quote"),
    (KeyCode::BracketLeft, "BracketLeft"), (KeyCode::BracketRight, "BracketRight"),
    (KeyCode::Backquote, "Backquote"),
    (KeyCode::F1, "F1"), (KeyCode::F2, "F2"), (KeyCode::F3, "F3"), (KeyCode::F4, "F4"), (KeyCode::F5, "F5"),
    (KeyCode::F6, "F6"), (KeyCode::F7, "F7"), (KeyCode::F8, "F8"), (KeyCode::F9, "F9"), (KeyCode::F10, "F10"),
    (KeyCode::F11, "F11"), (KeyCode::F12, "F12"),
];

#[cfg(test)]
mod tests {
    use sinew_assets::KEY_NAMES;

    use sinew_assets::LevelDef;

    use super::*;

    const LEVEL: &str = r#"
        id = "yard"
        version = "1.0.0"
        [actions]
        jump = { keys = ["Space"] }
        move = { left = ["A", "Left"], right = ["D"], forward = ["W"], back = ["S"] }
        run = { keys = ["Shift"] }
    "#;

    fn level() -> (LevelDef, Controls) {
        let level = LevelDef::from_toml(LEVEL, "level.toml").expect("a level");
        let names = level
            .actions
            .iter()
            .map(|(name, def)| (name.clone(), def.is_vector()));
        let controls = Controls::new(names.collect::<Vec<_>>());
        (level, controls)
    }

    #[test]
    fn every_key_that_levels_can_name_is_on_a_keyboard() {
        let known: BTreeSet<&str> = KEYS.iter().map(|(_, name)| *name).collect();
        let wanted: BTreeSet<&str> = KEY_NAMES.iter().copied().collect();
        assert_eq!(known, wanted);
    }

    #[test]
    fn keys_become_actions_and_only_changes_are_told() {
        let (level, controls) = level();
        let mut keyboard = Keyboard::default();
        let told = |keyboard: &mut Keyboard| {
            let mut input = Input::default();
            keyboard.add_to(&mut input, &level.actions, &controls);
            let name = |change: &Change| controls.actions[usize::from(change.action)].name.clone();
            input
                .changes
                .iter()
                .map(|change| (name(change), change.value))
                .collect::<Vec<_>>()
        };
        keyboard.key(KeyCode::KeyW, true);
        keyboard.key(KeyCode::ShiftRight, true);
        assert_eq!(
            told(&mut keyboard),
            [("move".to_owned(), Vec2::Y), ("run".to_owned(), Vec2::X)]
        );
        assert!(told(&mut keyboard).is_empty());
        keyboard.key(KeyCode::ShiftLeft, true);
        keyboard.key(KeyCode::ShiftRight, false);
        keyboard.key(KeyCode::KeyD, true);
        let diagonal = Vec2::ONE.clamp_length_max(1.0);
        assert_eq!(told(&mut keyboard), [("move".to_owned(), diagonal)]);
        keyboard.release_all();
        assert_eq!(
            told(&mut keyboard),
            [
                ("move".to_owned(), Vec2::ZERO),
                ("run".to_owned(), Vec2::ZERO)
            ]
        );
    }

    #[test]
    fn a_recording_plays_each_change_once_in_the_step_that_reaches_it() {
        let (_, controls) = level();
        let text = "{\"t\":0.05,\"action\":\"jump\",\"value\":1}\n\n{\"t\":0,\"action\":\"move\",\"value\":[0,1]}\n";
        let changes = read_recording(text, "in.jsonl", &controls).expect("good lines");
        let mut recording = Recording::new(changes);
        let mut counts = Vec::new();
        let mut time = 0.0;
        for _ in 0..5 {
            let mut input = Input::default();
            recording.add_to(&mut input, time);
            counts.push(input.changes.len());
            time += f64::from(1.0_f32 / 60.0);
        }
        assert_eq!(counts, [1, 0, 0, 1, 0]);
    }

    #[test]
    fn a_bad_line_is_named_with_its_number_and_what_is_nearest() {
        let (_, controls) = level();
        let cases = [
            (
                "{\"t\":1,\"action\":\"jmup\",\"value\":1}",
                "did you mean `jump`?",
            ),
            ("{\"t\":-1,\"action\":\"jump\",\"value\":1}", "from 0 on"),
            ("{\"t\":1,\"action\":\"move\",\"value\":1}", "two numbers"),
            (
                "{\"t\":1,\"action\":\"jump\",\"value\":[0,1]}",
                "a number from 0 to 1",
            ),
            (
                "{\"t\":1,\"action\":\"jump\",\"value\":7}",
                "a number from 0 to 1",
            ),
            ("jump!", "no input"),
            ("{\"t\":1,\"acton\":\"jump\",\"value\":1}", "acton"),
        ];
        for (line, expected) in cases {
            let text = format!("{{\"t\":0,\"action\":\"jump\",\"value\":1}}\n{line}\n");
            let faults = read_recording(&text, "in.jsonl", &controls).expect_err("a bad line");
            let said = faults[0].to_string();
            assert!(
                said.starts_with("in.jsonl:2:1:") && said.contains(expected),
                "{said}"
            );
        }
    }
}
