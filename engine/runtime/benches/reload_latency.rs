//! Milliseconds from the last byte of a saved script to the first step under the new code: median and worst of 50.
//!
//! `cargo bench -p sinew`; the aim is 80 ms.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a bench measures time, prints it and stops at the first fault"
)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::{
    fs,
    time::{Duration, Instant},
};

use common::{TestProject, companion, hero};
use sinew::{Options, Project, Session};
use sinew_world::Input;

const ROUNDS: usize = 50;
const STEP: Duration = Duration::from_micros(16_667);

fn main() {
    // `cargo test` also builds benches and asks them for their tests: there are none.
    if std::env::args().any(|argument| argument == "--test" || argument == "--list") {
        return;
    }
    for (name, script) in [
        ("hero.lua", hero as fn(f32) -> String),
        ("companion.rhai", companion),
    ] {
        let mut latencies = latencies(name, script);
        latencies.sort_by(f64::total_cmp);
        let (median, worst) = (latencies[ROUNDS / 2], latencies[ROUNDS - 1]);
        println!("{name}: median {median:.1} ms, worst {worst:.1} ms of {ROUNDS}");
    }
}

fn latencies(name: &str, script: fn(f32) -> String) -> Vec<f64> {
    let project = TestProject::new();
    let options = Options {
        project: Project::of_level(&project.level).unwrap(),
        mods: Vec::new(),
        threads: 1,
        seed: 0,
        watch: true,
        budget: sinew_script::Budget::default(),
    };
    let mut session = Session::open(&options).unwrap_or_else(|faults| panic!("{faults:?}"));
    let mut latencies = Vec::new();
    for round in 0..ROUNDS {
        // At another point of the frame each time.
        pass(
            &mut session,
            Duration::from_millis(300 + (round as u64 * 7) % 17),
        );
        let speed = 0.5 + round as f32 * 0.01;
        fs::write(project.level.join(name), script(speed)).unwrap();
        let saved = Instant::now();
        let before = session.reloads;
        while session.reloads == before {
            assert!(
                saved.elapsed() < Duration::from_secs(5),
                "{:?}",
                session.console.entries
            );
            pass(&mut session, STEP);
        }
        latencies.push((saved.elapsed() - STEP).as_secs_f64() * 1e3);
    }
    latencies
}

/// Steps in real time for a while.
fn pass(session: &mut Session, time: Duration) {
    let end = Instant::now() + time;
    while Instant::now() < end {
        let start = Instant::now();
        session.step(&Input::default(), STEP.as_secs_f32());
        let rest = STEP
            .saturating_sub(start.elapsed())
            .min(end.saturating_duration_since(Instant::now()));
        std::thread::sleep(rest);
    }
}
