//! Properties: what a script lets levels and inspectors set.

use std::{collections::BTreeMap, sync::Arc};

use glam::Vec3;
use sinew_anim::nearest;
use sinew_world::Data;

/// What a property holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyKind {
    /// A number; the type of a number unless `type = "int"`.
    Float,
    /// A whole number.
    Int,
    /// True or false.
    Bool,
    /// Text.
    Text,
    /// A vector.
    Vec3,
    /// The name of an actor; scripts get the handle.
    Actor,
    /// A list.
    List,
    /// A table.
    Table,
}

/// One property.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    /// What it holds.
    pub kind: PropertyKind,
    /// What it is unless a level or an inspector says otherwise.
    pub value: Data,
    /// The lowest number.
    pub min: Option<f64>,
    /// The highest number.
    pub max: Option<f64>,
    /// What a number counts, for people.
    pub unit: Option<String>,
    /// What it is for, for people.
    pub hint: Option<String>,
}

/// The properties of a script, by name.
pub type Properties = BTreeMap<String, Property>;

/// The properties of an instance, ready to be read by its script.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Props {
    /// Values by name.
    pub values: BTreeMap<String, Data>,
    /// Names of actors by property; scripts get the living actor of that name or nothing.
    pub actors: BTreeMap<String, String>,
}

/// What is wrong with a property.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault {
    pub message: String,
    pub help: Option<String>,
    /// The word in the script or level that it is about.
    pub token: String,
}

impl Fault {
    fn new(token: &str, message: String) -> Self {
        Self {
            message,
            help: None,
            token: token.to_owned(),
        }
    }
}

const KEYS: [&str; 6] = ["value", "min", "max", "unit", "hint", "type"];
const TYPES: [(&str, PropertyKind); 5] = [
    ("float", PropertyKind::Float),
    ("int", PropertyKind::Int),
    ("actor", PropertyKind::Actor),
    ("bool", PropertyKind::Bool),
    ("text", PropertyKind::Text),
];

/// Reads what a script declares.
pub(crate) fn read(declared: &Data) -> Result<Properties, Fault> {
    let entries = match declared {
        Data::Nil => return Ok(Properties::new()),
        Data::Map(entries) => entries,
        Data::List(items) if items.is_empty() => return Ok(Properties::new()),
        other => {
            return Err(Fault::new(
                "properties",
                format!("properties must be a table by name, not {}", other.kind()),
            ));
        }
    };
    entries
        .iter()
        .map(|(name, entry)| Ok((name.clone(), read_one(name, entry)?)))
        .collect()
}

fn read_one(name: &str, entry: &Data) -> Result<Property, Fault> {
    let Data::Map(entry) = entry else {
        let mut fault = Fault::new(
            name,
            format!(
                "property `{name}` must be a table with a `value`, not {}",
                entry.kind()
            ),
        );
        fault.help = Some(format!("write `{name} = {{ value = ... }}`"));
        return Err(fault);
    };
    if let Some(key) = entry.keys().find(|key| !KEYS.contains(&key.as_str())) {
        let mut fault = Fault::new(key, format!("property `{name}` has no `{key}`"));
        fault.help = nearest(key, KEYS.into_iter()).map(|near| format!("did you mean `{near}`?"));
        return Err(fault);
    }
    let value = entry.get("value").cloned().unwrap_or_default();
    let kind = kind_of(name, entry, &value)?;
    let property = Property {
        kind,
        min: number(name, entry, "min")?,
        max: number(name, entry, "max")?,
        unit: text(name, entry, "unit")?,
        hint: text(name, entry, "hint")?,
        value: Data::Nil,
    };
    let value = property.fit(name, &value)?;
    Ok(Property { value, ..property })
}

fn kind_of(
    name: &str,
    entry: &BTreeMap<String, Data>,
    value: &Data,
) -> Result<PropertyKind, Fault> {
    if let Some(word) = text(name, entry, "type")? {
        let named = TYPES.iter().find(|(known, _)| *known == word);
        return named.map(|(_, kind)| *kind).ok_or_else(|| {
            let mut fault = Fault::new(
                &word,
                format!("property `{name}` has the unknown type `{word}`"),
            );
            let known: Vec<String> = TYPES
                .iter()
                .map(|(known, _)| format!("`{known}`"))
                .collect();
            fault.help = Some(format!("types are {}", known.join(", ")));
            fault
        });
    }
    Ok(match value {
        Data::Int(_) | Data::Number(_) => PropertyKind::Float,
        Data::Bool(_) => PropertyKind::Bool,
        Data::Text(_) => PropertyKind::Text,
        Data::Vec3(_) => PropertyKind::Vec3,
        Data::List(_) => PropertyKind::List,
        Data::Map(_) => PropertyKind::Table,
        Data::Nil | Data::Actor(_) => {
            let mut fault = Fault::new(name, format!("property `{name}` has no `value`"));
            fault.help = Some("its type is that of its value".to_owned());
            return Err(fault);
        }
    })
}

fn number(name: &str, entry: &BTreeMap<String, Data>, key: &str) -> Result<Option<f64>, Fault> {
    let Some(value) = entry.get(key) else {
        return Ok(None);
    };
    let number = value.as_number().filter(|number| number.is_finite());
    number.map(Some).ok_or_else(|| {
        Fault::new(
            key,
            format!(
                "`{key}` of property `{name}` must be a number, not {}",
                value.kind()
            ),
        )
    })
}

fn text(name: &str, entry: &BTreeMap<String, Data>, key: &str) -> Result<Option<String>, Fault> {
    match entry.get(key) {
        None => Ok(None),
        Some(Data::Text(text)) => Ok(Some(text.clone())),
        Some(other) => Err(Fault::new(
            key,
            format!(
                "`{key}` of property `{name}` must be text, not {}",
                other.kind()
            ),
        )),
    }
}

impl Property {
    /// A value brought into the form of this property: numbers clamped to its range, lists of three numbers read as
    /// vectors where the default has vectors.
    pub(crate) fn fit(&self, name: &str, given: &Data) -> Result<Data, Fault> {
        let fitted = match (self.kind, given) {
            (PropertyKind::Float, given) => given
                .as_number()
                .filter(|number| number.is_finite())
                .map(|number| Data::Number(self.clamp(number))),
            (PropertyKind::Int, given) => given
                .as_number()
                .and_then(crate::value::whole)
                .map(|number| Data::Int(self.clamp(number as f64) as i64)),
            (PropertyKind::Bool, Data::Bool(_)) | (PropertyKind::Text, Data::Text(_)) => {
                Some(given.clone())
            }
            (PropertyKind::Vec3, given) => vector(given).map(Data::Vec3),
            (PropertyKind::Actor, Data::Text(_) | Data::Nil) => Some(given.clone()),
            (PropertyKind::List, Data::List(items)) => Some(Data::List(self.fit_items(items))),
            (PropertyKind::List, Data::Map(map)) if map.is_empty() => Some(Data::List(Vec::new())),
            (PropertyKind::Table, Data::Map(_)) => Some(given.clone()),
            _ => None,
        };
        fitted.ok_or_else(|| {
            let wanted = match self.kind {
                PropertyKind::Float => "a number",
                PropertyKind::Int => "a whole number",
                PropertyKind::Bool => "true or false",
                PropertyKind::Text => "text",
                PropertyKind::Vec3 => "a vector",
                PropertyKind::Actor => "the name of an actor",
                PropertyKind::List => "a list",
                PropertyKind::Table => "a table",
            };
            let got = crate::value::Value::of(given).words();
            Fault::new(
                name,
                format!("property `{name}` must be {wanted}, got {got}"),
            )
        })
    }

    fn clamp(&self, number: f64) -> f64 {
        let number = self.min.map_or(number, |min| number.max(min));
        self.max.map_or(number, |max| number.min(max))
    }

    /// Files have no vectors: a list of lists of three numbers stands for vectors where the script's own list has them.
    fn fit_items(&self, items: &[Data]) -> Vec<Data> {
        let vectors = matches!(&self.value, Data::List(own) if own.iter().any(|item| matches!(item, Data::Vec3(_))));
        items
            .iter()
            .map(|item| {
                vector(item)
                    .filter(|_| vectors)
                    .map_or_else(|| item.clone(), Data::Vec3)
            })
            .collect()
    }
}

fn vector(data: &Data) -> Option<Vec3> {
    match data {
        Data::Vec3(value) => Some(*value),
        Data::List(items) => {
            let numbers: Vec<f32> = items
                .iter()
                .filter_map(Data::as_number)
                .map(|number| number as f32)
                .collect();
            <[f32; 3]>::try_from(numbers)
                .ok()
                .filter(|_| items.len() == 3)
                .map(Vec3::from)
        }
        _ => None,
    }
}

/// The values that an instance sees: what the level or inspector gave, else the script's own.
pub(crate) fn resolve(
    declared: &Properties,
    given: &BTreeMap<String, Data>,
) -> Result<Props, Fault> {
    let mut props = Props::default();
    for (name, property) in declared {
        let value = match given.get(name) {
            Some(given) => property.fit(name, given)?,
            None => property.value.clone(),
        };
        match (property.kind, value) {
            (PropertyKind::Actor, Data::Text(actor)) => {
                props.actors.insert(name.clone(), actor);
            }
            (PropertyKind::Actor, _) => {
                props.actors.insert(name.clone(), String::new());
            }
            (_, value) => {
                props.values.insert(name.clone(), value);
            }
        }
    }
    Ok(props)
}

/// The error for a property that none of an actor's scripts declares.
pub(crate) fn unknown<'a>(name: &str, declared: impl Iterator<Item = &'a Properties>) -> Fault {
    let names: Vec<&str> = declared
        .flat_map(|properties| properties.keys().map(String::as_str))
        .collect();
    let mut fault = Fault::new(
        name,
        format!("no script of the actor has a property `{name}`"),
    );
    fault.help = match nearest(name, names.iter().copied()) {
        Some(near) => Some(format!("did you mean `{near}`?")),
        None if names.is_empty() => Some("its scripts declare no properties".to_owned()),
        None => Some(format!("its scripts declare `{}`", names.join("`, `"))),
    };
    fault
}

/// The error for a property that a script reads but does not declare.
pub(crate) fn undeclared(name: &str, props: &Arc<Props>) -> crate::ApiError {
    let known = props.values.keys().chain(props.actors.keys());
    crate::ApiError::unknown("`props`", "property", name, known.map(String::as_str))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(entries: &[(&str, Data)]) -> Data {
        Data::Map(
            entries
                .iter()
                .map(|(name, data)| ((*name).to_owned(), data.clone()))
                .collect(),
        )
    }

    fn declared() -> Properties {
        let speed = table(&[
            ("value", Data::Int(2)),
            ("min", Data::Number(0.0)),
            ("max", Data::Number(3.0)),
        ]);
        let count = table(&[
            ("value", Data::Int(2)),
            ("type", Data::Text("int".to_owned())),
        ]);
        let door = table(&[
            ("value", Data::Text("door_a".to_owned())),
            ("type", Data::Text("actor".to_owned())),
        ]);
        let points = table(&[("value", Data::List(vec![Data::Vec3(Vec3::X)]))]);
        read(&table(&[
            ("speed", speed),
            ("count", count),
            ("door", door),
            ("points", points),
        ]))
        .expect("well formed")
    }

    #[test]
    fn values_of_levels_win_are_clamped_and_take_the_declared_form() {
        let given = [
            ("speed".to_owned(), Data::Int(9)),
            (
                "points".to_owned(),
                Data::List(vec![Data::List(vec![
                    Data::Int(1),
                    Data::Number(2.0),
                    Data::Int(3),
                ])]),
            ),
        ]
        .into();
        let props = resolve(&declared(), &given).expect("fits");
        assert_eq!(props.values["speed"], Data::Number(3.0));
        assert_eq!(props.values["count"], Data::Int(2));
        assert_eq!(
            props.values["points"],
            Data::List(vec![Data::Vec3(Vec3::new(1.0, 2.0, 3.0))])
        );
        assert_eq!(props.actors["door"], "door_a");
    }

    #[test]
    fn faults_name_the_property_and_what_was_expected() {
        let cases = [
            (
                table(&[("a", Data::Int(1))]),
                "property `a` must be a table with a `value`, not a number",
            ),
            (table(&[("a", table(&[]))]), "property `a` has no `value`"),
            (
                table(&[("a", table(&[("valeu", Data::Int(1))]))]),
                "property `a` has no `valeu`",
            ),
            (
                table(&[(
                    "a",
                    table(&[("value", Data::Int(1)), ("min", Data::Bool(true))]),
                )]),
                "`min` of property `a` must be a number, not true or false",
            ),
        ];
        for (data, expected) in cases {
            assert_eq!(read(&data).expect_err("refused").message, expected);
        }
        let given = [("speed".to_owned(), Data::Text("fast".to_owned()))].into();
        let fault = resolve(&declared(), &given).expect_err("refused");
        assert_eq!(
            fault.message,
            "property `speed` must be a number, got \"fast\""
        );
        let declared = declared();
        let fault = unknown("sped", [&declared].into_iter());
        assert_eq!(fault.help.as_deref(), Some("did you mean `speed`?"));
    }
}
