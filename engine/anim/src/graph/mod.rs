//! Animation graphs: the written form, the compiled form, and what runs for each actor.

mod advance;
mod align;
mod begin;
mod check;
mod choose;
mod compile;
mod compiled;
mod compiled_motion;
mod control;
mod count;
mod curve;
mod def;
mod def_motion;
mod def_parameter;
mod def_parts;
mod def_rig;
mod error;
mod evaluate;
mod explain;
mod fade;
mod forms;
mod hash;
mod hear;
mod inline;
mod leave;
mod merge;
mod migrate;
mod motion;
mod parameters;
mod passage;
mod random;
mod read;
mod root;
mod scratch;
mod slot;
mod slot_step;
mod state;
mod step;
mod stretch;
mod sync;
mod warn;
mod windows;

pub use advance::{
    Advanced, EndReason, EventSource, GraphEvent, GraphEventKind, MAX_MARKERS, advance,
};
pub use check::StateError;
pub use choose::Held;
pub use compiled::*;
pub use curve::curve_value;
pub use def::*;
pub use error::{GRAPH_CODES, GRAPH_WARNINGS, GraphError};
pub use evaluate::evaluate;
pub use explain::{Candidate, Explanation, Verdict, explain};
pub use scratch::Scratch;
pub use slot::*;
pub use state::*;
