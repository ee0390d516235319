//! Scripts for actors, in Lua (Luau) and Rhai: one API table, one host, live reload.

mod actors;
mod allowance;
mod api;
mod budget;
mod callbacks;
mod check;
mod docs;
mod events;
mod frame;
mod graph_value;
mod host;
mod language;
mod library;
mod lua;
mod problems;
mod properties;
mod reload;
mod render;
mod report;
mod rhai;
mod setters;
mod snapshot;
mod stage;
mod types;
mod value;

pub use api::{
    ApiError, Function, Languages, LogLevel, LogLine, Owner, Parameter, Refusal, api, find,
    services,
};
pub use budget::Budget;
pub use callbacks::{CALLBACKS, Callback, CallbackInfo};
pub use check::{check, check_script};
pub use docs::documents;
pub use host::{MAX_SOURCE_BYTES, ScriptHost, ScriptLanguage};
pub use problems::Problem;
pub use properties::{Properties, Property, PropertyKind};
pub use reload::ReloadReport;
pub use render::render;
pub use snapshot::{RestoreError, RestoreReport, ScriptSnapshot};
pub use value::{Field, Record, Type, Value};
