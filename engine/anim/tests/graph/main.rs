//! Graphs by behaviour, from the written form to poses, events and root motion.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on says so"
)]

mod aligned;
mod anything;
mod blends;
mod codes;
mod compiled_layers;
mod compiled_machines;
mod compiled_motions;
mod compiled_sound;
mod control;
mod curves;
mod errors;
mod events;
mod everything;
mod examples;
mod explained;
mod fades;
mod files;
mod groups;
mod hostile_shapes;
mod inside;
mod interruptions;
mod layers;
mod limits;
mod machine;
mod merge;
mod motions;
mod nested;
mod not_built;
mod order_of_samples;
mod reading;
mod reload;
mod rich;
mod root_axes;
mod root_motion;
mod several;
mod slot_inertia;
mod slots;
mod speakers;
mod splits;
mod support;
mod warnings;
mod windows;
mod wrong_aligned;
mod wrong_layers;
mod wrong_machines;
mod wrong_motions;
