//! Tests that cross crates, in one binary.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "a test fails by panicking and says what it skipped"
)]

mod allocations;
mod conformance;
mod corpus;
mod dependencies;
mod graphs;
mod guide;
mod picture;
mod plaza;
mod scripts;
mod snapshots;
