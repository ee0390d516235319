//! The values that cross between scripts and the engine. Both languages convert to and from these and nothing else.

use glam::Vec3;
use sinew_assets::Color;
use sinew_world::{ActorId, Data, Ease, RootMode};

pub use crate::language::ScriptGraph;
pub use crate::types::{Field, Record, Type};

/// An argument of a call, as a script gave it. Copied freely: text and tables stay where the language keeps them.
#[derive(Clone, Copy, Debug, Default)]
pub enum Value<'a> {
    /// Nothing: `nil`, `()`, or no argument at all.
    #[default]
    Nil,
    /// True or false.
    Bool(bool),
    /// A whole number of a language that tells them apart.
    Int(i64),
    /// Any other number.
    Number(f64),
    /// A vector.
    Vec3(Vec3),
    /// Text.
    Text(&'a str),
    /// An actor's handle.
    Actor(ActorId),
    /// A list or a table.
    Data(&'a Data),
    /// A graph.
    Graph(&'a ScriptGraph),
    /// A function or another thing of the language that is no plain data; what it is called.
    Other(&'static str),
}

impl<'a> Value<'a> {
    /// The value of plain data.
    pub fn of(data: &'a Data) -> Self {
        match data {
            Data::Nil => Value::Nil,
            Data::Bool(value) => Value::Bool(*value),
            Data::Int(value) => Value::Int(*value),
            Data::Number(value) => Value::Number(*value),
            Data::Vec3(value) => Value::Vec3(*value),
            Data::Text(text) => Value::Text(text),
            Data::Actor(id) => Value::Actor(*id),
            Data::List(_) | Data::Map(_) => Value::Data(data),
        }
    }

    /// What was given, in words for people: `"fast"`, `7`, `a table`.
    pub fn words(&self) -> String {
        match self {
            Value::Nil => "nothing".to_owned(),
            Value::Bool(value) => value.to_string(),
            Value::Int(value) => value.to_string(),
            Value::Number(value) => value.to_string(),
            Value::Vec3(_) => "a vector".to_owned(),
            Value::Text(text) => shown(text),
            Value::Actor(_) => "an actor".to_owned(),
            Value::Data(data) => data.kind().to_owned(),
            Value::Graph(_) => "a graph".to_owned(),
            Value::Other(kind) => (*kind).to_owned(),
        }
    }
}

/// Text in quotes, short, without control characters.
fn shown(text: &str) -> String {
    let short: String = text.chars().take(60).collect();
    let dots = if short.len() < text.len() { "..." } else { "" };
    format!("\"{}{dots}\"", short.escape_debug())
}

/// A Rust type that may stand among the parameters of an API function.
pub trait Argument<'a>: Sized {
    /// Its kind in the table.
    const TYPE: Type;
    /// The value, or `None` where it is of another kind.
    fn read(value: Value<'a>) -> Option<Self>;
}

/// A Rust type that an API function may give back.
pub trait Answer {
    /// Its kind in the table.
    const TYPE: Type;
    /// As plain data.
    fn answer(self) -> Data;
}

impl Argument<'_> for bool {
    const TYPE: Type = Type::Bool;
    fn read(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Bool(value) => Some(value),
            _ => None,
        }
    }
}

impl Argument<'_> for f64 {
    const TYPE: Type = Type::Number;
    fn read(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Int(value) => Some(value as f64),
            Value::Number(value) => Some(value).filter(|value| value.is_finite()),
            _ => None,
        }
    }
}

impl Argument<'_> for f32 {
    const TYPE: Type = Type::Number;
    fn read(value: Value<'_>) -> Option<Self> {
        f64::read(value)
            .map(|value| value as f32)
            .filter(|value| value.is_finite())
    }
}

impl Argument<'_> for i64 {
    const TYPE: Type = Type::Int;
    fn read(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Int(value) => Some(value),
            Value::Number(value) => whole(value),
            _ => None,
        }
    }
}

/// A number without a fraction that fits.
pub(crate) fn whole(value: f64) -> Option<i64> {
    // 2^53: every whole number up to it is exact.
    (value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0).then_some(value as i64)
}

impl Argument<'_> for Vec3 {
    const TYPE: Type = Type::Vec3;
    fn read(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Vec3(value) => Some(value).filter(|value| value.is_finite()),
            _ => None,
        }
    }
}

impl<'a> Argument<'a> for &'a str {
    const TYPE: Type = Type::Text;
    fn read(value: Value<'a>) -> Option<Self> {
        match value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl Argument<'_> for ActorId {
    const TYPE: Type = Type::Actor;
    fn read(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Actor(id) => Some(id),
            _ => None,
        }
    }
}

impl Argument<'_> for Data {
    const TYPE: Type = Type::Data;
    fn read(value: Value<'_>) -> Option<Self> {
        Some(match value {
            Value::Nil => Data::Nil,
            Value::Bool(value) => Data::Bool(value),
            Value::Int(value) => Data::Int(value),
            Value::Number(value) => Data::Number(value),
            Value::Vec3(value) => Data::Vec3(value),
            Value::Text(text) => Data::Text(text.to_owned()),
            Value::Actor(id) => Data::Actor(id),
            Value::Data(data) => data.clone(),
            Value::Graph(_) | Value::Other(_) => return None,
        })
    }
}

/// A list of plain data.
#[derive(Clone, Copy, Debug)]
pub struct List<'a>(pub &'a [Data]);

impl<'a> Argument<'a> for List<'a> {
    const TYPE: Type = Type::List;
    fn read(value: Value<'a>) -> Option<Self> {
        match value {
            Value::Data(Data::List(items)) => Some(List(items)),
            // An empty table of Lua may be either.
            Value::Data(Data::Map(map)) if map.is_empty() => Some(List(&[])),
            _ => None,
        }
    }
}

/// A table of plain data.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a>(pub Option<&'a std::collections::BTreeMap<String, Data>>);

impl<'a> Argument<'a> for Table<'a> {
    const TYPE: Type = Type::Table;
    fn read(value: Value<'a>) -> Option<Self> {
        match value {
            Value::Data(Data::Map(map)) => Some(Table(Some(map))),
            Value::Data(Data::List(items)) if items.is_empty() => Some(Table(None)),
            _ => None,
        }
    }
}

/// A colour, linear red, green, blue and alpha.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rgba(pub [f32; 4]);

impl Argument<'_> for Rgba {
    const TYPE: Type = Type::Color;
    fn read(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Text(text) => {
                let [red, green, blue] = Color::parse(text).ok()?.linear();
                Some(Self([red, green, blue, 1.0]))
            }
            Value::Vec3(rgb) => Some(Self(rgb.extend(1.0).to_array())),
            _ => None,
        }
    }
}

/// A parameter of a graph.
#[derive(Clone, Copy, Debug)]
pub enum ParameterKey<'a> {
    /// By name.
    Name(&'a str),
    /// By what `parameter_id` gave for the name.
    Id(i64),
}

impl<'a> Argument<'a> for ParameterKey<'a> {
    const TYPE: Type = Type::Parameter;
    fn read(value: Value<'a>) -> Option<Self> {
        match value {
            Value::Text(name) => Some(Self::Name(name)),
            other => i64::read(other).map(Self::Id),
        }
    }
}

/// A joint of a model.
#[derive(Clone, Copy, Debug)]
pub enum JointKey<'a> {
    /// By name.
    Name(&'a str),
    /// By index, from 0.
    Index(i64),
}

impl<'a> Argument<'a> for JointKey<'a> {
    const TYPE: Type = Type::Joint;
    fn read(value: Value<'a>) -> Option<Self> {
        match value {
            Value::Text(name) => Some(Self::Name(name)),
            other => i64::read(other).map(Self::Index),
        }
    }
}

/// What to reach or look at.
#[derive(Clone, Copy, Debug)]
pub enum Aim {
    /// A point, world space.
    Point(Vec3),
    /// An actor.
    Actor(ActorId),
}

impl Argument<'_> for Aim {
    const TYPE: Type = Type::Target;
    fn read(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Actor(id) => Some(Self::Actor(id)),
            other => Vec3::read(other).map(Self::Point),
        }
    }
}

impl Argument<'_> for RootMode {
    const TYPE: Type = Type::OneOf(&RootMode::NAMES);
    fn read(value: Value<'_>) -> Option<Self> {
        <&str>::read(value).and_then(RootMode::named)
    }
}

impl Argument<'_> for Ease {
    const TYPE: Type = Type::OneOf(&Ease::NAMES);
    fn read(value: Value<'_>) -> Option<Self> {
        <&str>::read(value).and_then(Ease::named)
    }
}

/// A graph to play.
#[derive(Clone, Copy, Debug)]
pub enum GraphSource<'a> {
    /// A file.
    Path(&'a str),
    /// One that a script made or loaded.
    Graph(&'a ScriptGraph),
}

impl<'a> Argument<'a> for GraphSource<'a> {
    const TYPE: Type = Type::Graph;
    fn read(value: Value<'a>) -> Option<Self> {
        match value {
            Value::Text(path) => Some(Self::Path(path)),
            Value::Graph(graph) => Some(Self::Graph(graph)),
            _ => None,
        }
    }
}

/// A slot of a graph, or what was played in one.
#[derive(Clone, Copy, Debug)]
pub enum SlotKey<'a> {
    /// The slot, by name.
    Name(&'a str),
    /// What `play_slot` gave.
    Handle(i64),
}

impl<'a> Argument<'a> for SlotKey<'a> {
    const TYPE: Type = Type::Slot;
    fn read(value: Value<'a>) -> Option<Self> {
        match value {
            Value::Text(name) => Some(Self::Name(name)),
            other => i64::read(other).map(Self::Handle),
        }
    }
}

/// Whose axes a place is told in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Space {
    /// The level's.
    World,
    /// The actor's.
    Model,
}

impl Argument<'_> for Space {
    const TYPE: Type = Type::OneOf(&["world", "model"]);
    fn read(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Text("world") => Some(Self::World),
            Value::Text("model") => Some(Self::Model),
            _ => None,
        }
    }
}

impl<'a, T: Argument<'a>> Argument<'a> for Option<T> {
    const TYPE: Type = Type::Optional(&T::TYPE);
    fn read(value: Value<'a>) -> Option<Self> {
        match value {
            Value::Nil => Some(None),
            value => T::read(value).map(Some),
        }
    }
}

macro_rules! answers {
    ($($ty:ty => $tag:ident, |$value:ident| $data:expr;)*) => {
        $(impl Answer for $ty {
            const TYPE: Type = Type::$tag;
            fn answer(self) -> Data {
                let $value = self;
                $data
            }
        })*
    };
}

answers! {
    bool => Bool, |value| Data::Bool(value);
    f32 => Number, |value| Data::Number(f64::from(value));
    f64 => Number, |value| Data::Number(value);
    i64 => Int, |value| Data::Int(value);
    Vec3 => Vec3, |value| Data::Vec3(value);
    String => Text, |value| Data::Text(value);
    ActorId => Actor, |value| Data::Actor(value);
    Data => Data, |value| value;
}

impl Answer for () {
    const TYPE: Type = Type::Nil;
    fn answer(self) -> Data {
        Data::Nil
    }
}

impl<T: Answer> Answer for Option<T> {
    const TYPE: Type = Type::Optional(&T::TYPE);
    fn answer(self) -> Data {
        self.map_or(Data::Nil, T::answer)
    }
}

impl<T: Answer> Answer for Vec<T> {
    const TYPE: Type = Type::ListOf(&T::TYPE);
    fn answer(self) -> Data {
        Data::List(self.into_iter().map(T::answer).collect())
    }
}

/// What a row of the table may write as a default or a good value.
pub trait IntoData {
    /// As plain data.
    fn into_data(self) -> Data;
}

impl IntoData for Data {
    fn into_data(self) -> Data {
        self
    }
}

impl IntoData for bool {
    fn into_data(self) -> Data {
        Data::Bool(self)
    }
}

impl IntoData for f32 {
    fn into_data(self) -> Data {
        Data::Number(f64::from(self))
    }
}

impl IntoData for f64 {
    fn into_data(self) -> Data {
        Data::Number(self)
    }
}

impl IntoData for i64 {
    fn into_data(self) -> Data {
        Data::Int(self)
    }
}

impl IntoData for &str {
    fn into_data(self) -> Data {
        Data::Text(self.to_owned())
    }
}

impl IntoData for [f32; 3] {
    fn into_data(self) -> Data {
        Data::Vec3(self.into())
    }
}

impl IntoData for Vec3 {
    fn into_data(self) -> Data {
        Data::Vec3(self)
    }
}

impl IntoData for ActorId {
    fn into_data(self) -> Data {
        Data::Actor(self)
    }
}

impl IntoData for Rgba {
    fn into_data(self) -> Data {
        Data::Vec3(Vec3::from_slice(&self.0[..3]))
    }
}

impl IntoData for Space {
    fn into_data(self) -> Data {
        Data::Text(
            if self == Space::World {
                "world"
            } else {
                "model"
            }
            .to_owned(),
        )
    }
}

impl IntoData for RootMode {
    fn into_data(self) -> Data {
        Data::Text(self.name().to_owned())
    }
}

impl IntoData for Ease {
    fn into_data(self) -> Data {
        Data::Text(Ease::NAMES[self as usize].to_owned())
    }
}
