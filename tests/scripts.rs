//! Scripts in a running level: what they do, how they fail, and what a reload keeps.

pub mod bench;
mod examples;
mod graphs;
mod hostile;
mod mistakes;
mod modules;
mod morphs;
mod performance;
mod reloading;
mod running;
