//! Scripts for actors, in Lua (Luau) and Rhai: one API table, one host, live reload.

mod actors;
mod api;
mod budget;
mod callbacks;
mod frame;
mod graph_value;
mod host;
mod language;
mod lua;
mod problems;
mod properties;
mod reload;
mod report;
mod rhai;
mod stage;
mod value;

pub use api::{ApiError, Function, Languages, LogLevel, LogLine, Owner, Parameter, api, find, services};
pub use budget::Budget;
pub use callbacks::{CALLBACKS, Callback, CallbackInfo};
pub use host::{MAX_SOURCE_BYTES, ScriptHost, ScriptLanguage};
pub use problems::Problem;
pub use reload::ReloadReport;
pub use properties::{Properties, Property, PropertyKind};
pub use value::{Field, Record, Type, Value};
#[cfg(test)]
extern crate self as sinew_script;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, missing_docs)]
#[path = "../../tests/scripts.rs"]
mod scripts_test;
