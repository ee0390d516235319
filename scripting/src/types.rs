//! Kinds of values, as rows of the API table and messages to people name them.

/// A kind of value, as it stands in the API table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Type {
    /// No value.
    Nil,
    /// True or false.
    Bool,
    /// A finite number.
    Number,
    /// A whole number.
    Int,
    /// Three finite numbers.
    Vec3,
    /// Text.
    Text,
    /// An actor's handle.
    Actor,
    /// Plain data of any shape: numbers, text, vectors, actors, lists and tables of them.
    Data,
    /// A list of plain data.
    List,
    /// A table of plain data by name.
    Table,
    /// The name of a parameter of the graph, or the id that `parameter_id` gave for it.
    Parameter,
    /// A joint's name or index.
    Joint,
    /// A point or an actor.
    Target,
    /// A graph, or the path of a file with one.
    Graph,
    /// The name of a slot, or what `play_slot` gave.
    Slot,
    /// A colour: a name, `#rrggbb`, or a vector of red, green and blue, each 0 to 1 and linear.
    Color,
    /// A function of the script.
    Function,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// The value, or nothing.
    Optional(&'static Type),
    /// A list of these.
    ListOf(&'static Type),
    /// A table with these entries.
    Record(&'static Record),
}

/// A table that calls give back, with its name in the definitions for editors.
#[derive(Debug, PartialEq)]
pub struct Record {
    /// Name of the type.
    pub name: &'static str,
    /// Its entries.
    pub fields: &'static [Field],
}

/// One entry of a [`Record`].
#[derive(Debug, PartialEq)]
pub struct Field {
    /// Its key.
    pub name: &'static str,
    /// What it holds.
    pub ty: Type,
    /// What it means.
    pub doc: &'static str,
}

impl Type {
    /// What is expected, in words for people; `unit` belongs to numbers ("a number of seconds").
    pub fn words(&self, unit: Option<&str>) -> String {
        let word = match self {
            Type::Nil => "nothing",
            Type::Bool => "true or false",
            Type::Number => {
                return unit.map_or_else(
                    || "a number".to_owned(),
                    |unit| format!("a number of {unit}"),
                );
            }
            Type::Int => "a whole number",
            Type::Vec3 => "a vector",
            Type::Text => "text",
            Type::Actor => "an actor",
            Type::Data => "plain data",
            Type::List | Type::ListOf(_) => "a list",
            Type::Table | Type::Record(_) => "a table",
            Type::Parameter => "a parameter's name or id",
            Type::Joint => "a joint's name or index",
            Type::Target => "a point or an actor",
            Type::Graph => "a graph or the path of one",
            Type::Slot => "a slot's name or a handle",
            Type::Color => "a colour",
            Type::Function => "a function",
            Type::OneOf(words) => return one_of(words),
            Type::Optional(inner) => return inner.words(unit),
        };
        word.to_owned()
    }
}

fn one_of(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    match quoted.as_slice() {
        [] => "nothing".to_owned(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}
