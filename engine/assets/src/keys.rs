//! Names of keys that actions can be bound to.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

/// Every key name, by group. Left and right Shift, Ctrl and Alt are one key each.
pub const KEY_NAMES: &[&str] = &[
    "Space",
    "Enter",
    "Escape",
    "Tab",
    "Backspace",
    "Delete",
    "Insert",
    "Home",
    "End",
    "PageUp",
    "PageDown",
    "Left",
    "Right",
    "Up",
    "Down",
    "Shift",
    "Ctrl",
    "Alt",
    "A",
    "B",
    "C",
    "D",
    "E",
    "F",
    "G",
    "H",
    "I",
    "J",
    "K",
    "L",
    "M",
    "N",
    "O",
    "P",
    "Q",
    "R",
    "S",
    "T",
    "U",
    "V",
    "W",
    "X",
    "Y",
    "Z",
    "0",
    "1",
    "2",
    "3",
    "4",
    "5",
    "6",
    "7",
    "8",
    "9",
    "Minus",
    "Equal",
    "Comma",
    "Period",
    "Slash",
    "Semicolon",
    "Quote",
    "BracketLeft",
    "BracketRight",
    "Backquote",
    "F1",
    "F2",
    "F3",
    "F4",
    "F5",
    "F6",
    "F7",
    "F8",
    "F9",
    "F10",
    "F11",
    "F12",
];

/// True for a name of [`KEY_NAMES`], in exactly this spelling.
pub fn is_key_name(name: &str) -> bool {
    KEY_NAMES.contains(&name)
}

/// Stands for one of [`KEY_NAMES`] in a schema.
pub(crate) struct KeyName;

impl JsonSchema for KeyName {
    fn schema_name() -> Cow<'static, str> {
        "KeyName".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A key of the keyboard, named by its place on a US layout.",
            "type": "string",
            "enum": KEY_NAMES,
        })
    }
}
