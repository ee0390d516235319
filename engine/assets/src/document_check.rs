//! A TOML document held against the JSON schema of its type, so that all faults of its structure are
//! told at once, each with its place and the nearest name. It knows the part of JSON Schema that
//! `schemars` writes for plain data.

use std::{ops::Range, sync::Arc};

use serde::de::DeserializeOwned;
use serde_json::Value;
use sinew_anim::nearest;
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use crate::{Color, Diagnostic, Edit, diagnostic::shown};

/// More than these are not told: the first ones mostly explain the rest.
pub(crate) const MAX_FAULTS: usize = 50;

/// Something wrong at a place of the document.
#[derive(Debug, Default)]
pub(crate) struct Fault {
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) range: Range<usize>,
    pub(crate) help: Option<String>,
    pub(crate) replacement: Option<String>,
    pub(crate) actor: Option<String>,
}

impl Fault {
    pub(crate) fn diagnostic(self, file: &str, source: &Arc<str>) -> Diagnostic {
        let edit = self.replacement.map(|replacement| Edit {
            start: self.range.start,
            end: self.range.end,
            replacement,
        });
        Diagnostic {
            help: self.help,
            edit,
            actor: self.actor,
            ..Diagnostic::error(self.code, self.message).at(file, source, self.range)
        }
    }

    /// Adds "did you mean", and the edit where what stands at the place is a bare key or a string.
    pub(crate) fn meant(mut self, nearest: Option<&str>, quoted: bool) -> Self {
        if let Some(name) = nearest {
            self.help = Some(format!("did you mean `{name}`?"));
            self.replacement = Some(if quoted {
                format!("\"{}\"", name.escape_default())
            } else {
                name.to_owned()
            });
        }
        self
    }
}

/// A kind of document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    /// How messages call it.
    pub(crate) word: &'static str,
    /// How its codes begin.
    pub(crate) codes: &'static str,
}

/// How the codes of [`Fault`] begin.
const CODES: &str = "E-LEVEL-";

/// Reads and checks a document: every fault of the syntax, else every fault of the structure, else every fault that
/// `content` finds, each with its place. `shown` is its path as messages should show it.
pub(crate) fn read<T: DeserializeOwned>(
    text: &str,
    shown: &str,
    kind: Kind,
    schema: &Value,
    content: fn(&T, &DeTable) -> Vec<Fault>,
) -> Result<T, Vec<Diagnostic>> {
    let source: Arc<str> = text.into();
    let code = |code: &str| code.replacen(CODES, kind.codes, 1);
    let syntax = |error: toml::de::Error| {
        let message = error.message().trim().replace('\n', ": ");
        let range = error.span().unwrap_or(0..0);
        Diagnostic::error(code("E-LEVEL-SYNTAX"), message).at(shown, &source, range)
    };
    let place = |faults: Vec<Fault>| -> Vec<Diagnostic> {
        let placed = faults.into_iter().map(|fault| {
            let fault = fault.diagnostic(shown, &source);
            let code = code(&fault.code);
            Diagnostic { code, ..fault }
        });
        placed.collect()
    };
    let root = parse(text).map_err(|errors| errors.into_iter().map(syntax).collect::<Vec<_>>())?;
    let found = faults(root.get_ref(), schema, kind.word);
    if !found.is_empty() {
        return Err(place(found));
    }
    let document = T::deserialize(toml::Deserializer::from(root.clone()))
        .map_err(|error| vec![syntax(error)])?;
    let found = content(&document, root.get_ref());
    if found.is_empty() {
        Ok(document)
    } else {
        Err(place(found))
    }
}

fn parse(text: &str) -> Result<Spanned<DeTable<'_>>, Vec<toml::de::Error>> {
    let (root, mut errors) = DeTable::parse_recoverable(text);
    if errors.is_empty() {
        return Ok(root);
    }
    errors.sort_by_key(|error| error.span().map_or(0, |Range { start, .. }| start));
    errors.truncate(MAX_FAULTS);
    Err(errors)
}

/// Every fault of the structure, in the order of the text. `what` names the document's kind.
fn faults(root: &DeTable, schema: &Value, what: &str) -> Vec<Fault> {
    let mut check = Check {
        root: schema,
        faults: Vec::new(),
        actor: None,
    };
    check.table(root, 0..0, schema, &format!("the {what}"));
    check.faults.sort_by_key(|fault| fault.range.start);
    check.faults.truncate(MAX_FAULTS);
    check.faults
}

struct Check<'a> {
    root: &'a Value,
    faults: Vec<Fault>,
    /// Name of the actor inside which the check is.
    actor: Option<String>,
}

impl<'a> Check<'a> {
    fn fault(&mut self, fault: Fault) {
        if self.faults.len() < 4 * MAX_FAULTS {
            let actor = self.actor.clone();
            self.faults.push(Fault { actor, ..fault });
        }
    }

    /// `name` is how a message calls the value, such as `` `yaw` ``.
    fn value(&mut self, value: &Spanned<DeValue>, schema: &'a Value, name: &str) {
        let schema = self.resolve(schema);
        let range = value.span();
        match value.get_ref() {
            DeValue::Datetime(_) => return self.mismatch(range, "plain data", "a date", name),
            DeValue::Float(float) => {
                let number = float.as_str().parse::<f64>().unwrap_or(f64::NAN);
                self.finite(number, &range, schema, name);
            }
            _ => {}
        }
        let Some(wanted) = schema_type(schema) else {
            return self.free(value, name);
        };
        match (wanted, value.get_ref()) {
            ("object", DeValue::Table(table)) => self.table(table, range, schema, name),
            ("array", DeValue::Array(items)) => {
                self.length(items.len(), range, schema, name);
                for item in items.iter() {
                    self.item(item, &schema["items"], name);
                }
            }
            ("string", DeValue::String(text)) => self.text(text, range, schema, name),
            ("number", DeValue::Float(float)) => {
                self.bounds(float.as_str().parse().ok(), range, schema, name);
            }
            ("number" | "integer", DeValue::Integer(integer)) => {
                let number = i64::from_str_radix(integer.as_str(), integer.radix()).ok();
                self.bounds(number.map(|number| number as f64), range, schema, name);
            }
            ("boolean", DeValue::Boolean(_)) => {}
            (_, other) => {
                let expected = expected(schema, self.root);
                self.mismatch(range, &expected, kind(other), name);
                if wanted == "array"
                    && other.is_table()
                    && let Some(fault) = self.faults.last_mut()
                {
                    fault.help = Some(format!(
                        "write `[[{}]]`, with two brackets",
                        name.trim_matches('`')
                    ));
                }
            }
        }
    }

    /// One entry of a list. A table has a name of its own for messages: `[[actor]]` `hero`.
    fn item(&mut self, item: &Spanned<DeValue>, schema: &'a Value, list: &str) {
        let DeValue::Table(table) = item.get_ref() else {
            return self.value(item, schema, &format!("an entry of {list}"));
        };
        let own_name = table.get("name").and_then(|name| name.get_ref().as_str());
        let bare = list.trim_matches('`');
        if bare == "actor" {
            self.actor = own_name.map(shown);
        }
        let name = match own_name {
            Some(own_name) => format!("[[{bare}]] `{}`", shown(own_name)),
            None => format!("[[{bare}]]"),
        };
        self.value(item, schema, &name);
        self.actor = None;
    }

    fn table(&mut self, table: &DeTable, range: Range<usize>, schema: &'a Value, name: &str) {
        let known = schema["properties"].as_object();
        for (key, value) in table.iter() {
            let text: &str = key.get_ref();
            let inner = format!("`{}`", shown(text));
            if let Some(schema) = known.and_then(|known| known.get(text)) {
                self.value(value, schema, &inner);
            } else if schema["additionalProperties"] == Value::Bool(false) {
                let names = || {
                    known
                        .into_iter()
                        .flat_map(|known| known.keys().map(String::as_str))
                };
                let mut fault = Fault {
                    code: "E-LEVEL-UNKNOWN-KEY",
                    message: format!("unknown key {inner} in {name}"),
                    range: key.span(),
                    help: Some(format!(
                        "known are: {}",
                        names().collect::<Vec<_>>().join(", ")
                    )),
                    ..Fault::default()
                };
                fault = fault.meant(nearest(text, names()), false);
                self.fault(fault);
            } else {
                self.value(value, &schema["additionalProperties"], &inner);
            }
        }
        let required = schema["required"].as_array().into_iter().flatten();
        for missing in required.filter_map(Value::as_str) {
            if !table.contains_key(missing) {
                self.fault(Fault {
                    code: "E-LEVEL-MISSING-KEY",
                    message: format!("{name} has no `{missing}`"),
                    range: range.clone(),
                    help: self.example(missing, &schema["properties"][missing]),
                    ..Fault::default()
                });
            }
        }
    }

    fn example(&self, key: &str, schema: &'a Value) -> Option<String> {
        let schema = self.resolve(schema);
        let value = match schema_type(schema)? {
            "string" => "\"...\"",
            "number" | "integer" => "0",
            "array" if schema["maxItems"] == 3 => "[0, 0, 0]",
            _ => return None,
        };
        Some(format!("add `{key} = {value}`"))
    }

    fn text(&mut self, text: &str, range: Range<usize>, schema: &'a Value, name: &str) {
        if schema["format"] == "color" {
            if let Err(error) = Color::parse(text) {
                let fault = Fault {
                    code: "E-LEVEL-COLOR",
                    message: format!("{name} cannot be \"{}\", which is no colour", shown(text)),
                    range,
                    help: Some("write \"#rrggbb\" or a name such as \"gold\"".to_owned()),
                    ..Fault::default()
                };
                self.fault(fault.meant(error.nearest, true));
            }
            return;
        }
        let choices = choices(schema);
        if choices.is_empty() || choices.contains(&text) {
            return;
        }
        let nearest = nearest(text, choices.iter().copied());
        let fault = Fault {
            code: "E-LEVEL-CHOICE",
            message: format!("{name} cannot be \"{}\"", shown(text)),
            range,
            help: Some(known(&choices)),
            ..Fault::default()
        };
        self.fault(fault.meant(nearest, true));
    }

    fn length(&mut self, length: usize, range: Range<usize>, schema: &Value, name: &str) {
        let bound = |key: &str| schema[key].as_u64();
        let short = bound("minItems").is_some_and(|least| (length as u64) < least);
        let long = bound("maxItems").is_some_and(|most| (length as u64) > most);
        if short || long {
            let expected = expected(schema, self.root);
            self.mismatch(range, &expected, &format!("{length}"), name);
        }
    }

    fn bounds(&mut self, number: Option<f64>, range: Range<usize>, schema: &Value, name: &str) {
        let Some(number) = number else {
            return self.mismatch(range, "a number", "one that is too large", name);
        };
        let least = schema["minimum"].as_f64();
        let most = schema["maximum"].as_f64();
        let wanted = match (least, most) {
            (Some(least), _) if number < least => format!("at least {least}"),
            (_, Some(most)) if number > most => format!("at most {most}"),
            _ => return,
        };
        self.fault(Fault {
            code: "E-LEVEL-RANGE",
            message: format!("{name} must be {wanted}, got {number}"),
            range,
            ..Fault::default()
        });
    }

    /// Not-a-number and infinity are numbers in TOML and nowhere in a level.
    fn finite(&mut self, number: f64, range: &Range<usize>, schema: &Value, name: &str) {
        let single = schema["format"] == "float";
        if number.is_finite() && !(single && (number as f32).is_infinite()) {
            return;
        }
        self.fault(Fault {
            code: "E-LEVEL-NOT-FINITE",
            message: format!("{name} must be a finite number"),
            range: range.clone(),
            ..Fault::default()
        });
    }

    /// Plain data of any shape: only what cannot be handed to a script is a fault.
    fn free(&mut self, value: &Spanned<DeValue>, name: &str) {
        match value.get_ref() {
            DeValue::Array(items) => {
                for item in items.iter() {
                    self.value(item, &Value::Null, name);
                }
            }
            DeValue::Table(table) => {
                for (key, value) in table.iter() {
                    self.value(value, &Value::Null, &format!("`{}`", shown(key.get_ref())));
                }
            }
            _ => {}
        }
    }

    fn mismatch(&mut self, range: Range<usize>, expected: &str, got: &str, name: &str) {
        self.fault(Fault {
            code: "E-LEVEL-TYPE",
            message: format!("{name} must be {expected}, got {got}"),
            range,
            ..Fault::default()
        });
    }

    /// Follows references and the option that is not null.
    fn resolve(&self, schema: &'a Value) -> &'a Value {
        resolve(schema, self.root)
    }
}

fn resolve<'a>(mut schema: &'a Value, root: &'a Value) -> &'a Value {
    loop {
        let named = schema["$ref"]
            .as_str()
            .and_then(|name| name.strip_prefix('#'));
        let options = schema["anyOf"].as_array();
        let next = match (named, options) {
            (Some(pointer), _) => root.pointer(pointer),
            (None, Some(options)) => options.iter().find(|option| option["type"] != "null"),
            (None, None) => return schema,
        };
        let Some(next) = next else { return schema };
        schema = next;
    }
}

/// The type that is not null; strings for a list of choices; `None` where anything goes.
fn schema_type(schema: &Value) -> Option<&str> {
    match &schema["type"] {
        Value::String(name) => Some(name),
        Value::Array(names) => names
            .iter()
            .filter_map(Value::as_str)
            .find(|name| *name != "null"),
        _ if schema["oneOf"].is_array() => Some("string"),
        _ => None,
    }
}

/// The strings of `enum`, or of `oneOf` with a `const` each.
fn choices(schema: &Value) -> Vec<&str> {
    let list = schema["enum"].as_array().into_iter().flatten();
    let single = schema["oneOf"].as_array().into_iter().flatten();
    list.chain(single.map(|choice| &choice["const"]))
        .filter_map(Value::as_str)
        .collect()
}

fn known(names: &[&str]) -> String {
    const SHOWN: usize = 24;
    let list = names[..names.len().min(SHOWN)].join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => format!("known are: {list}"),
        more => format!("known are: {list} and {more} more"),
    }
}

fn expected(schema: &Value, root: &Value) -> String {
    match schema_type(schema) {
        Some("object") => "a table".to_owned(),
        Some("array") => {
            let items = match schema_type(resolve(&schema["items"], root)) {
                Some("number" | "integer") => "numbers",
                Some("string") => "strings",
                Some("object") => "tables",
                _ => "values",
            };
            match (schema["minItems"].as_u64(), schema["maxItems"].as_u64()) {
                (Some(least), Some(most)) if least == most => format!("a list of {most} {items}"),
                _ => format!("a list of {items}"),
            }
        }
        Some("string") => "a string".to_owned(),
        Some("integer") => "a whole number".to_owned(),
        Some("number") => "a number".to_owned(),
        Some("boolean") => "`true` or `false`".to_owned(),
        _ => "plain data".to_owned(),
    }
}

fn kind(value: &DeValue) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(true) => "`true`",
        DeValue::Boolean(false) => "`false`",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
