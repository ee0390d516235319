//! Reading a [`GraphDef`] with errors that point at the culprit.

use serde_json::Value;

use super::def::GraphDef;
use super::error::{GraphError, pointer};
use super::shapes::Shapes;
use crate::nearest;

/// Tables and lists that may be nested in each other.
const MAX_DEPTH: usize = 64;

impl GraphDef {
    /// Reads the text of an `.animgraph.json`.
    ///
    /// # Errors
    /// The first thing that is wrong, with a pointer to it.
    pub fn from_json(text: &str) -> Result<Self, GraphError> {
        // Read as plain values first: this finds text that is no JSON, and how deep it goes.
        let value: Value = serde_json::from_str(text)
            .map_err(|error| GraphError::new("E-GRAPH-SYNTAX", "", error.to_string()))?;
        check_depth(&value)?;
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let deserializer = Shapes::new(&mut deserializer, false);
        serde_path_to_error::deserialize(deserializer).map_err(|error| explain(&error))
    }

    /// Reads a graph from plain values, such as those of a script's table. An empty table may stand for an empty
    /// list, since Lua cannot tell them apart.
    ///
    /// # Errors
    /// The first thing that is wrong, with a pointer to it.
    pub fn from_value(value: Value) -> Result<Self, GraphError> {
        check_depth(&value)?;
        let deserializer = Shapes::new(value, true);
        serde_path_to_error::deserialize(deserializer).map_err(|error| explain(&error))
    }
}

fn check_depth(value: &Value) -> Result<(), GraphError> {
    let mut open = vec![(value, 0)];
    while let Some((value, depth)) = open.pop() {
        if depth > MAX_DEPTH {
            let message = format!("tables are nested deeper than {MAX_DEPTH} levels");
            return Err(GraphError::new("E-GRAPH-TOO-DEEP", "", message));
        }
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(items) => open.extend(items.values().map(|item| (item, depth + 1))),
            _ => {}
        }
    }
    Ok(())
}

/// Turns serde's words into ours.
fn explain(error: &serde_path_to_error::Error<serde_json::Error>) -> GraphError {
    use serde_path_to_error::Segment;
    let mut place = String::new();
    for segment in error.path() {
        match segment {
            Segment::Seq { index } => place = pointer(&place, index),
            Segment::Map { key } => place = pointer(&place, key),
            Segment::Enum { .. } | Segment::Unknown => {}
        }
    }
    let text = error.inner().to_string();
    // The position that serde_json adds says less than the pointer.
    let text = text.split(" at line ").next().unwrap_or(&text).to_owned();
    let (code, what) = if text.starts_with("unknown field") {
        ("E-GRAPH-UNKNOWN-KEY", "unknown key")
    } else if text.starts_with("unknown variant") {
        ("E-GRAPH-UNKNOWN-WORD", "unknown word")
    } else if text.starts_with("missing field") {
        ("E-GRAPH-MISSING", "missing key")
    } else if text.starts_with("duplicate field") {
        ("E-GRAPH-DUPLICATE", "duplicate key")
    } else {
        return GraphError::new("E-GRAPH-WRONG-TYPE", place, plain_types(&text));
    };
    let quoted: Vec<&str> = text.split('`').skip(1).step_by(2).collect();
    let (name, known) = quoted
        .split_first()
        .map_or(("", &[][..]), |(name, known)| (*name, known));
    if code == "E-GRAPH-UNKNOWN-KEY" && !place.ends_with(&format!("/{name}")) {
        place = pointer(&place, name);
    }
    let message = match code {
        "E-GRAPH-UNKNOWN-KEY" | "E-GRAPH-UNKNOWN-WORD" => {
            let known: Vec<String> = known.iter().map(|known| format!("`{known}`")).collect();
            format!("{what} `{name}`, expected {}", join(&known))
        }
        _ => format!("{what} `{name}`"),
    };
    let help = nearest(name, known.iter().copied()).map(|near| format!("did you mean `{near}`?"));
    GraphError::new(code, place, message).with_help(help)
}

fn join(words: &[String]) -> String {
    match words {
        [] => "nothing".to_owned(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// Names of Rust types as a designer would say them.
fn plain_types(text: &str) -> String {
    let mut text = text.to_owned();
    for (rust, plain) in [
        ("expected f32", "expected a number"),
        ("expected f64", "expected a number"),
        ("expected u32", "expected a whole number"),
        ("expected i32", "expected a whole number"),
        ("expected a boolean", "expected true or false"),
        ("expected a string", "expected text"),
        ("invalid type: map", "invalid type: table"),
        ("invalid type: sequence", "invalid type: list"),
    ] {
        text = text.replace(rust, plain);
    }
    if let Some(start) = text.find("expected struct ") {
        text.truncate(start);
        text.push_str("expected a table");
    }
    text
}
