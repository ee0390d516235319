//! Saving a file while a level runs, through the real file system, in the ways in which editors save.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and waits for real files"
)]

mod common;

use std::{
    fs,
    io::Write,
    path::Path,
    time::{Duration, Instant},
};

use common::{TestProject, companion, hero};
use sinew::{Options, Project, Session};
use sinew_world::Input;

/// The longest that anything may take.
const CAP: Duration = Duration::from_secs(5);
const STEP: f32 = 1.0 / 60.0;

/// A session that runs in real time, and what is watched about one of its actors.
struct Run {
    session: Session,
    actor: &'static str,
    /// Speeds in the order in which they came, each once in a row; m/s in hundredths.
    speeds: Vec<i32>,
    phase: f32,
}

impl Run {
    fn new(project: &TestProject, actor: &'static str) -> Self {
        let options = Options {
            project: Project::of_level(&project.level).unwrap(),
            mods: Vec::new(),
            threads: 1,
            seed: 0,
            watch: true,
            budget: sinew_script::Budget::default(),
        };
        let session = Session::open(&options).unwrap_or_else(|faults| panic!("{faults:?}"));
        let mut run = Self {
            session,
            actor,
            speeds: Vec::new(),
            phase: f32::NAN,
        };
        for _ in 0..40 {
            run.step();
        }
        run.speeds.clear();
        run
    }

    fn step(&mut self) {
        let start = Instant::now();
        self.session.step(&Input::default(), STEP);
        let actors = &self.session.world.actors;
        let actor = actors.find(self.actor).unwrap();
        let speed = (actor.velocity_world.length() * 100.0).round() as i32;
        if self.speeds.last() != Some(&speed) {
            self.speeds.push(speed);
        }
        let animation = actor.animation.as_ref().unwrap();
        let phase = animation.state.layer_status(&animation.graph, 0).progress;
        let moved = (phase - self.phase).rem_euclid(1.0);
        assert!(
            self.phase.is_nan() || (0.0..0.06).contains(&moved),
            "the phase jumps from {} to {phase}",
            self.phase
        );
        self.phase = phase;
        std::thread::sleep(Duration::from_secs_f32(STEP).saturating_sub(start.elapsed()));
    }

    /// Runs until something holds.
    fn until(&mut self, what: &str, holds: impl Fn(&Session) -> bool) {
        let end = Instant::now() + CAP;
        while !holds(&self.session) {
            assert!(
                Instant::now() < end,
                "{what} did not come in {CAP:?}; shown: {:?}",
                self.shown()
            );
            self.step();
        }
    }

    fn steps(&mut self, count: usize) {
        (0..count).for_each(|_| self.step());
    }

    fn shown(&self) -> Vec<&str> {
        self.session
            .console
            .entries
            .iter()
            .map(|entry| entry.rendered.as_str())
            .collect()
    }
}

fn plain(file: &Path, text: &str) {
    fs::write(file, text).unwrap();
}

/// Two halves, with a pause in which the file is empty and then half there.
fn truncate_then_write(file: &Path, text: &str) {
    let mut open = fs::File::create(file).unwrap();
    let (first, second) = text.split_at(text.len() / 2);
    for part in [first, second] {
        std::thread::sleep(Duration::from_millis(10));
        open.write_all(part.as_bytes()).unwrap();
        open.flush().unwrap();
    }
}

fn atomic_rename(file: &Path, text: &str) {
    let other = file.with_extension("tmp~");
    fs::write(&other, text).unwrap();
    fs::rename(&other, file).unwrap();
}

/// Renames the old file away first, so that for a moment there is none.
fn backup_then_write(file: &Path, text: &str) {
    fs::rename(file, file.with_extension("bak")).unwrap();
    fs::write(file, text).unwrap();
}

fn saving_changes_behaviour(actor: &'static str, name: &str, script: fn(f32) -> String) {
    for save in [plain, truncate_then_write, atomic_rename, backup_then_write] {
        let project = TestProject::new();
        let mut run = Run::new(&project, actor);
        run.steps(5);
        assert_eq!(run.speeds, [120], "the old script walks");
        save(&project.level.join(name), &script(0.8));
        run.until("the reload", |session| session.reloads == 1);
        run.steps(40);
        assert_eq!(run.session.reloads, 1, "one change is one reload");
        assert_eq!(
            run.speeds,
            [120, 80],
            "the old script until the new one, and nothing between"
        );
        assert!(run.shown().is_empty(), "{:?}", run.shown());
    }
}

#[test]
fn a_saved_lua_script_changes_behaviour_once_and_keeps_the_walk() {
    saving_changes_behaviour("hero", "hero.lua", hero);
}

#[test]
fn a_saved_rhai_script_changes_behaviour_once_and_keeps_the_walk() {
    saving_changes_behaviour("companion", "companion.rhai", companion);
}

fn a_syntax_error_leaves_everything_running(
    actor: &'static str,
    name: &str,
    script: fn(f32) -> String,
) {
    let project = TestProject::new();
    let file = project.level.join(name);
    let mut run = Run::new(&project, actor);
    plain(&file, &format!("{}\n)) this is no script", script(0.8)));
    run.until("the error", |session| session.console.has_errors());
    run.steps(20);
    assert_eq!(run.speeds, [120], "the old script goes on");
    assert_eq!(run.session.reloads, 0);
    assert!(
        run.shown().iter().any(|text| text.contains(name)),
        "{:?}",
        run.shown()
    );
    plain(&file, &script(0.8));
    run.until("the good version", |session| session.reloads == 1);
    run.steps(5);
    assert_eq!(run.speeds, [120, 80]);
    assert!(
        run.shown().is_empty(),
        "a good version clears the error: {:?}",
        run.shown()
    );
}

#[test]
fn a_syntax_error_in_lua_is_shown_and_nothing_stops() {
    a_syntax_error_leaves_everything_running("hero", "hero.lua", hero);
}

#[test]
fn a_syntax_error_in_rhai_is_shown_and_nothing_stops() {
    a_syntax_error_leaves_everything_running("companion", "companion.rhai", companion);
}

#[test]
fn files_that_were_refused_together_come_back_together() {
    let project = TestProject::new();
    let mut run = Run::new(&project, "hero");
    plain(&project.level.join("hero.lua"), &hero(0.8));
    plain(&project.level.join("companion.rhai"), "fn on_update( {");
    run.until("the error", |session| session.console.has_errors());
    run.steps(10);
    assert_eq!(
        run.speeds,
        [120],
        "all or nothing: the good file waits for the bad one"
    );
    plain(&project.level.join("companion.rhai"), &companion(0.8));
    run.until("both", |session| session.reloads == 1);
    run.steps(5);
    assert_eq!(run.speeds, [120, 80]);
}

#[test]
fn a_deleted_script_runs_on_and_is_told_until_it_is_back() {
    let project = TestProject::new();
    let file = project.level.join("hero.lua");
    let mut run = Run::new(&project, "hero");
    fs::remove_file(&file).unwrap();
    run.until("the message", |session| !session.console.entries.is_empty());
    run.steps(10);
    assert_eq!(run.speeds, [120], "the last good version goes on");
    assert!(run.shown()[0].contains("hero.lua"), "{:?}", run.shown());
    plain(&file, &hero(0.8));
    run.until("the new version", |session| session.reloads == 1);
    assert!(run.shown().is_empty(), "{:?}", run.shown());
}

#[test]
fn a_changed_level_moves_its_walls_and_a_broken_one_changes_nothing() {
    let project = TestProject::new();
    let file = project.level.join("level.toml");
    let level = fs::read_to_string(&file).unwrap();
    let mut run = Run::new(&project, "hero");
    plain(&file, &level.replace("[[plane]]", "[[plain]]"));
    run.until("the error", |session| session.console.has_errors());
    assert_eq!(run.session.world.level.statics.len(), 1);
    plain(
        &file,
        &format!("{level}\n[[box]]\ncenter = [9, 0.5, 9]\nsize = [1, 1, 1]\n"),
    );
    run.until("the box", |session| session.world.level.statics.len() == 2);
    run.steps(5);
    assert!(run.shown().is_empty(), "{:?}", run.shown());
}

#[test]
fn a_saved_model_is_taken_up() {
    let project = TestProject::new();
    let file = project.out("assets/hero.glb");
    let mut run = Run::new(&project, "hero");
    let generation = |session: &Session| {
        let actors = &session.world.actors;
        let actor = actors.find("hero").unwrap();
        actor.animation.as_ref().unwrap().model.generation
    };
    let before = generation(&run.session);
    let mut bytes = fs::read(&file).unwrap();
    fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    run.until("the refusal of half a file", |session| {
        session.console.has_errors()
    });
    assert_eq!(generation(&run.session), before);
    // A space after the JSON of the file is another file with the same model.
    let json_length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    bytes.splice(20 + json_length..20 + json_length, *b"    ");
    bytes[12..16].copy_from_slice(&(json_length as u32 + 4).to_le_bytes());
    let length = bytes.len() as u32;
    bytes[8..12].copy_from_slice(&length.to_le_bytes());
    fs::write(&file, &bytes).unwrap();
    run.until("the new model", |session| generation(session) > before);
    run.steps(5);
    assert!(run.shown().is_empty(), "{:?}", run.shown());
}

#[test]
fn a_clips_file_that_appears_beside_a_model_marks_its_clips() {
    let project = TestProject::new();
    let mut run = Run::new(&project, "hero");
    let file = project.out("assets/hero.clips.json");
    let marks = |clip: &str| {
        format!(
            "{{ \"version\": 1, \"clips\": {{ \"{clip}\": {{ \"markers\": [{{ \"name\": \"midway\", \"time\": 0.3 }}] }} }} }}"
        )
    };
    let is_marked = |session: &Session| {
        let hero = session.world.actors.find("hero").unwrap();
        let clips = &hero.animation.as_ref().unwrap().model.value.clips;
        let mut markers = clips.iter().flat_map(|clip| &clip.markers);
        markers.any(|marker| marker.name == "midway")
    };
    assert!(!is_marked(&run.session));
    plain(&file, &marks("walk"));
    run.until("the marker", is_marked);
    plain(&file, &marks("wlak"));
    run.until("the fault", |session| {
        let mut entries = session.console.entries.iter();
        entries.any(|entry| {
            entry.rendered.contains("did you mean `walk`?")
                && entry.rendered.contains("hero.clips.json")
        })
    });
    assert!(is_marked(&run.session), "the last good version goes on");
}

/// The level's scripts with their speed in a module of their own, `lib/pace`.
fn with_modules() -> TestProject {
    let project = TestProject::bare(common::LEVEL);
    fs::create_dir(project.level.join("lib")).unwrap();
    for (name, text) in modules(1.2) {
        project.write(name, &text);
    }
    let hero = format!(
        "local pace = require(\"lib/pace\")\n{}",
        common::HERO.replace("SPEED", "pace.speed()")
    );
    let companion = format!(
        "import \"lib/pace\" as pace;\n{}",
        common::COMPANION.replace("SPEED", "pace::speed()")
    );
    project.write("hero.lua", &hero);
    project.write("companion.rhai", &companion);
    project
}

fn modules(speed: f32) -> [(&'static str, String); 2] {
    [
        (
            "lib/pace.lua",
            format!(
                "local pace = {{}}\nfunction pace.speed() return {speed:.2} end\nreturn pace\n"
            ),
        ),
        (
            "lib/pace.rhai",
            format!("const SPEED = {speed:.2};\nfn speed() {{ SPEED }}\n"),
        ),
    ]
}

#[test]
fn a_saved_module_changes_the_scripts_that_use_it_and_a_broken_one_nothing() {
    for (actor, index) in [("hero", 0), ("companion", 1)] {
        let project = with_modules();
        let mut run = Run::new(&project, actor);
        run.steps(5);
        assert_eq!(run.speeds, [120]);
        let file = project.level.join(modules(0.0)[index].0);
        plain(&file, ")) this is no module");
        run.until("the error", |session| session.console.has_errors());
        run.steps(10);
        assert_eq!(run.speeds, [120], "the old module goes on");
        let name = if index == 0 {
            "lib/pace.lua"
        } else {
            "lib/pace.rhai"
        };
        assert!(run.shown()[0].contains(name), "{:?}", run.shown());
        atomic_rename(&file, &modules(0.8)[index].1);
        run.until("the good version", |session| session.reloads == 1);
        run.steps(20);
        assert_eq!(run.speeds, [120, 80]);
        assert!(run.shown().is_empty(), "{:?}", run.shown());
    }
}

#[test]
fn a_script_and_a_module_that_are_missing_at_the_start_are_taken_up_when_they_appear() {
    for (actor, script, index) in [("hero", "hero.lua", 0), ("companion", "companion.rhai", 1)] {
        let project = with_modules();
        let module = modules(0.0)[index].0;
        let text = fs::read_to_string(project.level.join(script)).unwrap();
        fs::remove_file(project.level.join(script)).unwrap();
        fs::remove_file(project.level.join(module)).unwrap();
        let mut run = Run::new(&project, actor);
        assert!(run.session.console.has_errors());
        run.phase = f32::NAN;
        plain(&project.level.join(script), &text);
        run.until("the next error", |session| {
            let mut entries = session.console.entries.iter();
            entries.any(|entry| entry.rendered.contains("there is no `pace."))
        });
        plain(&project.level.join(module), &modules(0.8)[index].1);
        run.until("both", |session| session.reloads == 1);
        run.phase = f32::NAN;
        for _ in 0..10 {
            run.phase = f32::NAN;
            run.step();
        }
        assert_eq!(run.speeds.last(), Some(&80));
        assert!(run.shown().is_empty(), "{:?}", run.shown());
    }
}
