//! Scripts in a running level: what they do, how they fail, and what a reload keeps.

#[path = "scripts/bench.rs"]
pub mod bench;
#[path = "scripts/running.rs"]
mod running;
