//! Graphs by behaviour, from the written form to poses, events and root motion.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on says so"
)]

mod anything;
mod blends;
mod codes;
mod control;
mod errors;
mod events;
mod examples;
mod fades;
mod layers;
mod limits;
mod machine;
mod not_built;
mod reading;
mod reload;
mod root_axes;
mod root_motion;
mod speakers;
mod support;
