//! The one table of everything that scripts can call. The two languages, the definitions for editors, the reference
//! and the conformance test are loops over [`api`].

mod actors;
mod call;
mod camera;
mod draw;
mod events;
mod explain;
mod graphs;
mod ik;
mod input;
mod joints;
mod layers;
mod log;
mod maths;
mod messages;
mod morphs;
mod movement;
mod parameters;
mod playback;
mod random;
mod root_motion;
mod slots;
mod sound;
mod tasks;
mod timers;
mod ui;
mod world;

use sinew_anim::nearest;
use sinew_world::{ActorId, Data};

pub(crate) use call::release;
pub use call::{ApiError, Ask, Asked, Call, Caller, Host, LogLevel, LogLine, Refusal};
pub(crate) use events::{reason_name, words_of};
pub(crate) use explain::setter;
pub(crate) use slots::handle_of;

use crate::value::{Argument, Type, Value};

/// Whose function it is, which is how scripts write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    /// `length(v)`.
    Global,
    /// `world.find("door")`.
    Service(&'static str),
    /// `actor:play("run")` in Lua, `actor.play("run")` in Rhai.
    Method,
    /// `actor.position`, read.
    Get,
    /// `actor.position = v`.
    Set,
}

/// Which languages have a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Languages {
    /// Both, alike.
    Both,
    /// Lua alone: what needs a coroutine.
    Lua,
}

/// One parameter, or one entry of the table of options.
#[derive(Debug)]
pub struct Parameter {
    /// As messages and the reference name it.
    pub name: &'static str,
    /// What it means; lines joined by spaces.
    pub doc: &'static [&'static str],
    /// What it must be.
    pub ty: Type,
    /// What a number counts.
    pub unit: Option<&'static str>,
    /// What it is where it is left out; without one, it must be given unless its type is optional.
    pub default: Option<fn() -> Data>,
    /// A good value, for examples and the conformance test.
    pub sample: fn() -> Data,
}

impl Parameter {
    /// True where it may be left out.
    pub fn is_optional(&self) -> bool {
        self.default.is_some() || matches!(self.ty, Type::Optional(_))
    }
}

/// One row of the table.
#[derive(Debug)]
pub struct Function {
    /// Whose it is.
    pub owner: Owner,
    /// Its name.
    pub name: &'static str,
    /// What it does; the first line is a whole sentence.
    pub doc: &'static [&'static str],
    /// In order.
    pub parameters: &'static [Parameter],
    /// Entries of the table that may follow the parameters.
    pub options: &'static [Parameter],
    /// What it gives back.
    pub result: Type,
    /// The API version that brought it.
    pub since: &'static str,
    /// Who has it.
    pub languages: Languages,
    call: Body,
}

type Body = for<'a> fn(&mut Call<'_>, ActorId, &[Value<'a>]) -> Result<Data, ApiError>;

/// The most positional arguments of a row.
#[cfg(test)]
const MAX_PARAMETERS: usize = 5;
/// The most values of a row: parameters and options.
pub const MAX_VALUES: usize = 12;

impl Function {
    /// As scripts write it, in Lua: `actor:play`, `world.find`, `length`.
    pub fn path(&self) -> String {
        match self.owner {
            Owner::Global => self.name.to_owned(),
            Owner::Service(service) => format!("{service}.{}", self.name),
            Owner::Method => format!("actor:{}", self.name),
            Owner::Get | Owner::Set => format!("actor.{}", self.name),
        }
    }

    /// The most arguments that it takes, the table of options included.
    pub fn most_arguments(&self) -> usize {
        self.parameters.len() + usize::from(!self.options.is_empty())
    }

    /// Checks the number of arguments; each language calls it first.
    ///
    /// # Errors
    /// Too many. Too few are found by [`Self::invoke`], since a missing argument is the same as nothing.
    pub fn check_count(&self, given: usize) -> Result<(), ApiError> {
        let most = self.most_arguments();
        if given <= most {
            return Ok(());
        }
        let takes = match most {
            0 => "no arguments".to_owned(),
            1 => "at most 1 argument".to_owned(),
            more => format!("at most {more} arguments"),
        };
        Err(ApiError::new(
            "E-SCRIPT-ARGUMENTS",
            format!("`{}` takes {takes}, got {given}", self.name),
        )
        .about(self.name))
    }

    /// Checks one key of a table of options.
    ///
    /// # Errors
    /// A key that is no option, with the nearest one.
    pub fn check_option(&self, key: &str) -> Result<(), ApiError> {
        let names = || self.options.iter().map(|option| option.name);
        if names().any(|name| name == key) {
            return Ok(());
        }
        let known: Vec<String> = names().map(|name| format!("`{name}`")).collect();
        let error = ApiError::new(
            "E-SCRIPT-OPTION",
            format!("`{}` has no option `{key}`", self.name),
        )
        .about(key);
        Err(match nearest(key, names()) {
            Some(name) => error.nearest(name),
            None => error.help(format!("its options are {}", known.join(", "))),
        })
    }

    /// The error for something that is given where the table of options belongs.
    pub fn no_options(&self, given: &Value<'_>) -> ApiError {
        let message = format!(
            "the options of `{}` must be a table, got {}",
            self.name,
            given.words()
        );
        ApiError::new("E-SCRIPT-ARGUMENT", message).about(self.name)
    }

    /// The only door from a script into the engine: `values` are the parameters and then the options in the order of
    /// the row, [`Value::Nil`] for those that were left out.
    ///
    /// # Errors
    /// A value of the wrong kind, or what the function itself refuses.
    pub fn invoke(
        &self,
        call: &mut Call<'_>,
        actor: ActorId,
        values: &[Value<'_>],
    ) -> Result<Data, ApiError> {
        if call.host.loading && !self.works_while_loading() {
            let message = format!(
                "`{}` works only inside functions, while the level runs",
                self.path()
            );
            return Err(ApiError::new("E-SCRIPT-LOADING", message).about(self.name));
        }
        (self.call)(call, actor, values)
    }

    fn works_while_loading(&self) -> bool {
        match self.owner {
            Owner::Global => !matches!(self.name, "after" | "every" | "cancel" | "timer_pending"),
            Owner::Service(service) => service == "log",
            Owner::Method | Owner::Get | Owner::Set => false,
        }
    }
}

/// Walks over the values of a call in the order of the row.
struct Values<'s, 'a> {
    function: &'static str,
    values: std::slice::Iter<'s, Value<'a>>,
}

impl<'a> Values<'_, 'a> {
    fn take<T: Argument<'a>>(
        &mut self,
        name: &'static str,
        unit: Option<&'static str>,
        default: Option<T>,
    ) -> Result<T, ApiError> {
        let value = self.values.next().copied().unwrap_or_default();
        if let (Value::Nil, Some(default)) = (value, default) {
            return Ok(default);
        }
        T::read(value).ok_or_else(|| {
            let message = format!(
                "`{name}` must be {}, got {}",
                T::TYPE.words(unit),
                value.words()
            );
            let mut error = ApiError::new("E-SCRIPT-ARGUMENT", message).about(self.function);
            error.value = match value {
                Value::Nil => None,
                value => Some(value.words()),
            };
            error
        })
    }
}

/// Rows of the table. Each names the ordinary function beside it, so that the compiler checks row against body:
///
/// ```text
/// /// What it does.
/// method "play" play(
///     /// What the parameter means.
///     state: &str => "walk",                      // => a good value, for examples and tests
/// ) options {
///     fade: f32["seconds"] = 0.2 => 0.25,         // [what a number counts] = default
/// } -> ();
/// ```
macro_rules! rows {
    ($(
        $(#[doc = $doc:literal])+
        $owner:ident $(($service:literal))? $name:literal $body:ident (
            $($(#[doc = $pdoc:literal])* $arg:ident: $ty:ty $([$unit:literal])? $(= $default:expr)? => $sample:expr),*
            $(,)?
        ) $(options {
            $($(#[doc = $odoc:literal])* $opt:ident: $oty:ty $([$ounit:literal])? $(= $odefault:expr)? => $osample:expr),*
            $(,)?
        })? -> $ret:ty $(, $languages:ident)?;
    )*) => {
        pub(super) const ROWS: &[$crate::api::Function] = &[$($crate::api::Function {
            owner: $crate::api::owner!($owner $($service)?),
            name: $name,
            doc: &[$($doc),+],
            parameters: &[$($crate::api::parameter!([$($pdoc),*] $arg: $ty, [$($unit)?] [$($default)?] $sample)),*],
            options: &[$($($crate::api::parameter!([$($odoc),*] $opt: $oty, [$($ounit)?] [$($odefault)?] $osample)),*)?],
            result: <$ret as $crate::value::Answer>::TYPE,
            since: "1.0",
            languages: $crate::api::languages!($($languages)?),
            call: |call, actor, values| {
                #[allow(unused_mut, unused_variables, reason = "rows without parameters")]
                let mut values = $crate::api::Values { function: $name, values: values.iter() };
                $(let $arg: $ty = values.take(stringify!($arg), $crate::api::maybe!($($unit)?), $crate::api::maybe!($($default)?))?;)*
                $($(let $opt: $oty = values.take(stringify!($opt), $crate::api::maybe!($($ounit)?), $crate::api::maybe!($($odefault)?))?;)*)?
                let result: $ret = $crate::api::pass!($owner, $body, call, actor, $($arg,)* $($($opt,)*)?)?;
                Ok($crate::value::Answer::answer(result))
            },
        }),*];
    };
}

macro_rules! owner {
    (global) => {
        $crate::api::Owner::Global
    };
    (service $service:literal) => {
        $crate::api::Owner::Service($service)
    };
    (method) => {
        $crate::api::Owner::Method
    };
    (get) => {
        $crate::api::Owner::Get
    };
    (set) => {
        $crate::api::Owner::Set
    };
}

macro_rules! languages {
    () => {
        $crate::api::Languages::Both
    };
    (lua) => {
        $crate::api::Languages::Lua
    };
}

macro_rules! maybe {
    () => {
        None
    };
    ($value:expr) => {
        Some($value)
    };
}

macro_rules! parameter {
    ([$($doc:literal),*] $name:ident: $ty:ty, [$($unit:literal)?] [$($default:expr)?] $sample:expr) => {
        $crate::api::Parameter {
            name: stringify!($name),
            doc: &[$($doc),*],
            ty: <$ty as $crate::value::Argument<'_>>::TYPE,
            unit: $crate::api::maybe!($($unit)?),
            default: $crate::api::maybe!($(|| $crate::value::IntoData::into_data($default))?),
            sample: || $crate::value::IntoData::into_data($sample),
        }
    };
}

macro_rules! pass {
    (global, $body:ident, $call:ident, $actor:ident, $($arg:ident,)*) => { { let _ = $actor; $body($call, $($arg),*) } };
    (service, $body:ident, $call:ident, $actor:ident, $($arg:ident,)*) => { { let _ = $actor; $body($call, $($arg),*) } };
    ($kind:ident, $body:ident, $call:ident, $actor:ident, $($arg:ident,)*) => { $body($call, $actor, $($arg),*) };
}

pub(crate) use {languages, maybe, owner, parameter, pass, rows};

const AREAS: &[&[Function]] = &[
    actors::ROWS,
    movement::ROWS,
    parameters::ROWS,
    playback::ROWS,
    graphs::ROWS,
    slots::ROWS,
    layers::ROWS,
    events::ROWS,
    explain::ROWS,
    ik::ROWS,
    joints::ROWS,
    morphs::ROWS,
    root_motion::ROWS,
    world::ROWS,
    messages::ROWS,
    timers::ROWS,
    tasks::ROWS,
    input::ROWS,
    camera::ROWS,
    draw::ROWS,
    ui::ROWS,
    log::ROWS,
    sound::ROWS,
    random::ROWS,
    maths::ROWS,
];

/// Every row, area by area.
pub fn api() -> impl Iterator<Item = &'static Function> {
    AREAS.iter().flat_map(|area| area.iter())
}

/// The row of a name.
pub fn find(owner: Owner, name: &str) -> Option<&'static Function> {
    api().find(|function| function.owner == owner && function.name == name)
}

/// The names of all services, each once.
pub fn services() -> Vec<&'static str> {
    let mut names: Vec<&str> = api()
        .filter_map(|function| match function.owner {
            Owner::Service(service) => Some(service),
            _ => None,
        })
        .collect();
    names.dedup();
    names.sort_unstable();
    names.dedup();
    names
}

/// What is wrong with a name that an owner does not have, with the nearest one that it has.
pub fn unknown(owner: Owner, name: &str) -> ApiError {
    let service = match owner {
        Owner::Service(service) => Some(service),
        _ => None,
    };
    let known = api().filter(|function| match (service, function.owner) {
        (Some(service), Owner::Service(other)) => service == other,
        (None, Owner::Method | Owner::Get) => true,
        _ => false,
    });
    let near = nearest(name, known.map(|function| function.name));
    let whose = service.map_or_else(|| "an actor".to_owned(), |service| format!("`{service}`"));
    let error = ApiError::new("E-SCRIPT-NAME", format!("{whose} has no `{name}`")).about(name);
    match near {
        Some(near) => error.nearest(near),
        None => error,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Words that Rhai or Lua keep for themselves.
    const RESERVED: &[&str] = &[
        "spawn",
        "match",
        "default",
        "new",
        "with",
        "shared",
        "sync",
        "async",
        "await",
        "yield",
        "thread",
        "go",
        "goto",
        "case",
        "var",
        "void",
        "null",
        "nil",
        "static",
        "public",
        "private",
        "protected",
        "package",
        "super",
        "this",
        "module",
        "export",
        "import",
        "is",
        "as",
        "in",
        "use",
        "until",
        "continue",
        "print",
        "debug",
        "eval",
        "call",
        "curry",
        "type_of",
        "loop",
        "end",
        "repeat",
        "function",
        "local",
        "not",
        "and",
        "or",
        "then",
    ];

    #[test]
    fn rows_are_unique_documented_and_fit_the_bindings() {
        let mut seen = BTreeSet::new();
        for function in api() {
            let path = function.path();
            assert!(seen.insert((function.owner, function.name)), "{path} twice");
            assert!(!RESERVED.contains(&function.name), "{path} is reserved");
            assert!(function.parameters.len() <= MAX_PARAMETERS, "{path}");
            assert!(
                function.parameters.len() + function.options.len() <= MAX_VALUES,
                "{path}"
            );
            let first = function.doc[0].trim();
            assert!(
                first.ends_with(['.', ':']) || function.doc.len() > 1,
                "{path}: {first}"
            );
            for parameter in function.parameters.iter().chain(function.options) {
                assert!(
                    !parameter.doc.is_empty() || function.owner == Owner::Set,
                    "{path}: {}",
                    parameter.name
                );
                assert!(
                    !RESERVED.contains(&parameter.name),
                    "{path}: {}",
                    parameter.name
                );
            }
        }
    }
}
