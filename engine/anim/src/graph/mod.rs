//! Animation graphs: the written form, the compiled form, and what runs for each actor.

mod advance;
mod begin;
mod check;
mod choose;
mod compile;
mod compiled;
mod control;
mod def;
mod def_motion;
mod def_parameter;
mod def_parts;
mod def_rig;
mod error;
mod evaluate;
mod fade;
mod forms;
mod hash;
mod hear;
mod migrate;
mod motion;
mod read;
mod root;
mod scratch;
mod state;
mod step;

pub use advance::{Advanced, GraphEvent, GraphEventKind, MAX_MARKERS, advance};
pub use check::StateError;
pub use compiled::*;
pub use def::*;
pub use error::{GRAPH_CODES, GraphError};
pub use evaluate::evaluate;
pub use scratch::Scratch;
pub use state::*;
