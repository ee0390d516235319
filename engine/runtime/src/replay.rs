//! Runs a recording again and holds the state against it.

use std::{
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use anyhow::Context as _;
use glam::Vec2;
use sinew_assets::Diagnostic;
use sinew_world::{Change, Input};

use crate::{
    Failure,
    record::{
        Check, Clock, Fields, Header, Line, MOST_STEPS, Run, VERSION, fields_of, file_hashes,
        mod_names,
    },
    run::{KERNEL, note, say},
    session::Session,
};

/// Longer recordings are refused, in bytes.
const LARGEST: u64 = 1 << 30;
/// The most steps between two checks: none of them may take time.
const MOST_UNCHECKED: u64 = 2 * MOST_STEPS;
/// Radians, and powers of two, that a camera turns and comes closer in a step at most.
const MOST_TURN: f32 = 1000.0;
/// Differences that are told.
const MOST_TOLD: usize = 10;

/// A recording that is being run again.
#[derive(Debug)]
pub struct Replay {
    header: Header,
    shown: String,
    items: Vec<Item>,
    /// The item that comes next, and how many steps of it are done.
    next: usize,
    done: u64,
    clock: Clock,
    checks: u64,
    /// What the recording says of all parts, as of the last check.
    known: Fields,
    /// It has its last line.
    complete: bool,
    /// The line, from 1, that was not written whole and is left out.
    cut_off: Option<usize>,
}

#[derive(Debug)]
enum Item {
    Run { run: Run, dt: f32, line: usize },
    Check(Check),
}

impl Replay {
    /// Reads a recording. A last line that was cut off is left out and told; so is a missing end.
    ///
    /// # Errors
    /// A file that cannot be read or is no recording; a line that is wrong.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let shown = path.display().to_string();
        let said = || format!("cannot read the recording `{shown}`");
        let size = std::fs::metadata(path).with_context(said)?.len();
        if size > LARGEST {
            return Err(anyhow::anyhow!("{}: it has {size} bytes", said()).into());
        }
        let bytes = std::fs::read(path).with_context(said)?;
        let text = text_of(bytes, &shown)?;
        let replay = Self::parse(&text, &shown)?;
        if let Some(line) = replay.cut_off {
            note(&format!(
                "line {line} of the recording `{shown}` was cut off and is left out"
            ));
        }
        if !replay.complete {
            note(&format!(
                "the recording `{shown}` was cut off after {} steps: it has no last line",
                replay.total()
            ));
        }
        Ok(replay)
    }

    fn parse(text: &str, shown: &str) -> Result<Self, Vec<Diagnostic>> {
        let source: Arc<str> = text.into();
        let at = |start: usize, line: &str, fault: Diagnostic| {
            vec![fault.at(shown, &source, start..start + line.trim_end().len())]
        };
        let mut reader = Reader::default();
        let (mut start, mut cut_off) = (0, None);
        for (number, line) in text.split_inclusive('\n').enumerate() {
            let whole = line.ends_with('\n');
            match serde_json::from_str::<Line>(line.trim_end()) {
                Ok(read) => reader
                    .take(read, number + 1)
                    .map_err(|message| at(start, line, fault("E-RECORDING-LINE", message)))?,
                // The last line of a run that was ended from outside.
                Err(_) if !whole && reader.header.is_some() => cut_off = Some(number + 1),
                Err(_) if reader.header.is_none() => {
                    let message =
                        "this is no recording: its first line is not `{\"recording\":{...}}`";
                    return Err(at(start, line, fault("E-RECORDING", message.to_owned())));
                }
                Err(error) => {
                    let message = format!("this is no line of a recording: {error}");
                    return Err(at(start, line, fault("E-RECORDING-LINE", message)));
                }
            }
            start += line.len();
        }
        let Some(header) = reader.header else {
            let empty = fault("E-RECORDING", "the recording is empty".to_owned());
            return Err(vec![empty.in_file(shown)]);
        };
        Ok(Self {
            header,
            shown: shown.to_owned(),
            items: reader.items,
            next: 0,
            done: 0,
            clock: Clock::default(),
            checks: 0,
            known: Fields::new(),
            complete: reader.complete,
            cut_off,
        })
    }

    /// Seed of the run.
    pub fn seed(&self) -> u64 {
        self.header.seed
    }

    /// The folder of the level: in the current folder or one above it, or in one above the recording.
    ///
    /// # Errors
    /// There is none.
    pub fn level(&self) -> anyhow::Result<PathBuf> {
        let name = Path::new(&self.header.level);
        let inside = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        if name.components().all(inside) {
            let current = std::env::current_dir().ok();
            let file = Path::new(&self.shown).canonicalize().ok();
            let folders = [&current, &file]
                .into_iter()
                .flatten()
                .flat_map(|start| start.ancestors());
            let mut levels = folders.map(|folder| folder.join(name));
            if let Some(level) = levels.find(|level| level.join("level.toml").is_file()) {
                return Ok(level);
            }
        }
        anyhow::bail!(
            "there is no level `{0}` here or in a folder above; name it: `sinew run LEVEL --replay {1}`",
            self.header.level,
            self.shown
        )
    }

    /// Holds a session that has not run yet against the recording: its level must be the same; files that changed are told.
    ///
    /// # Errors
    /// Another level; an action that the level lacks; a state that is not the recorded one.
    pub fn start(&mut self, session: &Session) -> Result<(), Failure> {
        let running = &session.world.level.def.id;
        if *running != self.header.id {
            return Err(anyhow::anyhow!(
                "the recording `{}` is of the level `{}`, not of `{running}`",
                self.shown,
                self.header.id
            )
            .into());
        }
        let mods = mod_names(session);
        if mods != self.header.mods {
            let shown = |mods: &[String]| match mods {
                [] => "no mods".to_owned(),
                mods => mods.join(", "),
            };
            return Err(anyhow::anyhow!(
                "the recording `{}` is of a run with {}, this one has {}: name them with `--mods`, or use `--no-mods`",
                self.shown,
                shown(&self.header.mods),
                shown(&mods)
            )
            .into());
        }
        let build = env!("CARGO_PKG_VERSION");
        if (&*self.header.build, &*self.header.kernel) != (build, KERNEL) {
            note(&format!(
                "warning: the recording is of sinew {} ({}), this is {build} ({KERNEL}): it may well differ",
                self.header.build, self.header.kernel
            ));
        }
        let files = file_hashes(session);
        for (file, hash) in &self.header.files {
            match files.get(file) {
                Some(now) if now == hash => {}
                Some(_) => note(&format!(
                    "warning: `{file}` has changed since the recording"
                )),
                None => note(&format!(
                    "warning: `{file}` of the recording is not used now"
                )),
            }
        }
        for file in files.keys() {
            if !self.header.files.contains_key(file) {
                note(&format!("warning: `{file}` is new since the recording"));
            }
        }
        for item in &self.items {
            let Item::Run { run, line, .. } = item else {
                continue;
            };
            for (action, ..) in &run.input {
                if session.world.controls.find(action).is_none() {
                    return Err(anyhow::anyhow!(
                        "{}:{line}: the level has no action `{action}`",
                        self.shown
                    )
                    .into());
                }
            }
        }
        Ok(self.hold(session)?)
    }

    /// How long the next step is; none at the end.
    pub fn next_dt(&self) -> Option<f32> {
        match self.items.get(self.next)? {
            Item::Run { dt, .. } => Some(*dt),
            Item::Check(_) => None,
        }
    }

    /// Puts the next step's input in place of what is there and gives its length; none at the end.
    pub fn next_step(&mut self, session: &Session, input: &mut Input) -> Option<f32> {
        let Item::Run { run, dt, .. } = self.items.get(self.next)? else {
            return None;
        };
        *input = Input::default();
        if self.done == 0 {
            let changes = run.input.iter().filter_map(|(action, x, y)| {
                Some(Change {
                    action: session.world.controls.find(action)?,
                    value: Vec2::new(*x, *y),
                })
            });
            input.changes.extend(changes);
            input.orbit = run.orbit.map_or(Vec2::ZERO, Vec2::from);
            input.zoom = run.zoom.unwrap_or(0.0);
        }
        self.done += 1;
        Some(*dt)
    }

    /// Counts a step that was made, and checks the state where the recording does.
    ///
    /// # Errors
    /// The first part of the state that is not as it was.
    pub fn after_step(&mut self, session: &Session, dt: f32) -> anyhow::Result<()> {
        self.clock.step(dt);
        if let Some(Item::Run { run, .. }) = self.items.get(self.next)
            && self.done >= run.steps
        {
            self.next += 1;
            self.done = 0;
        }
        self.hold(session)
    }

    /// Says how it went.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub fn finish(&self) -> anyhow::Result<()> {
        let (steps, all) = (self.clock.steps, self.total());
        let seconds = self.clock.seconds();
        let part = if steps < all {
            format!(" of {all}")
        } else {
            String::new()
        };
        say(&format!(
            "replayed {steps}{part} steps ({seconds:.1} s): equal at all {} checks",
            self.checks
        ))
    }

    fn total(&self) -> u64 {
        let steps = self.items.iter().map(|item| match item {
            Item::Run { run, .. } => run.steps,
            Item::Check(_) => 0,
        });
        steps.sum()
    }

    /// Makes the checks that come now.
    fn hold(&mut self, session: &Session) -> anyhow::Result<()> {
        while let Some(Item::Check(check)) = self.items.get(self.next) {
            for (actor, parts) in &check.gone {
                if let Some(known) = self.known.get_mut(actor) {
                    known.retain(|part, _| !parts.contains(part));
                }
            }
            for (actor, parts) in &check.fields {
                let known = self.known.entry(actor.clone()).or_default();
                known.extend(parts.clone());
            }
            let hash = format!("{:016x}", session.hash());
            if hash != check.hash {
                return Err(self.divergence(session));
            }
            self.checks += 1;
            self.next += 1;
        }
        Ok(())
    }

    fn divergence(&self, session: &Session) -> anyhow::Error {
        let now = fields_of(session);
        let differing = differences(&self.known, &now, session);
        let mut told = differing.iter().take(MOST_TOLD).cloned();
        let first = told.next().unwrap_or_else(|| {
            "in nothing that the recording tells apart; was its file changed by hand?".to_owned()
        });
        let mut text = format!(
            "the replay is not the recording: first seen after {:.1} s (step {}), {first}",
            self.clock.seconds(),
            self.clock.steps
        );
        for line in told {
            text.push_str("\n  then ");
            text.push_str(&line);
        }
        if differing.len() > MOST_TOLD {
            let more = differing.len() - MOST_TOLD;
            text.push_str(&format!("\n  and {more} more"));
        }
        anyhow::anyhow!(text)
    }
}

/// The parts that are not as recorded: those of actors in the order of the world, then those of the world itself, which
/// mostly follow.
fn differences(recorded: &Fields, now: &Fields, session: &Session) -> Vec<String> {
    let living = session.world.actors.iter().map(|actor| &*actor.name);
    let mut order: Vec<&str> = living.collect();
    let gone = recorded.keys().map(String::as_str);
    let gone: Vec<&str> = gone
        .filter(|actor| !actor.is_empty() && !order.contains(actor))
        .collect();
    order.extend(gone);
    order.push("");
    let mut lines = Vec::new();
    for actor in order {
        let whose = match actor {
            "" => "the world".to_owned(),
            name => format!("actor `{name}`"),
        };
        let (before, after) = (recorded.get(actor), now.get(actor));
        match (before, after) {
            (Some(_), None) => lines.push(format!("{whose}: it is not there")),
            (None, Some(_)) => lines.push(format!("{whose}: it was not there")),
            _ => {}
        }
        if let (Some(before), Some(after)) = (before, after) {
            let changed = before
                .iter()
                .filter(|(part, hash)| after.get(*part) != Some(hash));
            lines.extend(changed.map(|(part, _)| format!("{whose}: `{part}`")));
            let new = after.keys().filter(|part| !before.contains_key(*part));
            lines.extend(new.map(|part| format!("{whose}: `{part}`, which was not there")));
        }
    }
    lines
}

/// Takes lines in their order.
#[derive(Default)]
struct Reader {
    header: Option<Header>,
    items: Vec<Item>,
    steps: u64,
    unchecked: u64,
    unchecked_seconds: f64,
    complete: bool,
}

impl Reader {
    fn take(&mut self, line: Line, number: usize) -> Result<(), String> {
        if self.complete {
            return Err("there is a line after the last one".to_owned());
        }
        match (line, self.header.is_some()) {
            (Line::Recording(header), false) => {
                if header.version != VERSION {
                    return Err(format!(
                        "the recording has form {}, this engine reads form {VERSION}",
                        header.version
                    ));
                }
                self.header = Some(header);
                Ok(())
            }
            (Line::Recording(_), true) => Err("a second recording begins".to_owned()),
            (_, false) => Err("the first line must be `{\"recording\":{...}}`".to_owned()),
            (Line::Run(run), true) => self.take_run(run, number),
            (Line::Check(check), true) => self.take_check(check),
            (Line::End(check), true) => {
                self.complete = true;
                self.take_check(check)
            }
        }
    }

    fn take_run(&mut self, run: Run, line: usize) -> Result<(), String> {
        let dt = seconds_of(&run.dt)?;
        if !(1..=MOST_STEPS).contains(&run.steps) {
            return Err(format!(
                "a line has 1 to {MOST_STEPS} steps, this one {}",
                run.steps
            ));
        }
        let unit = -1.0..=1.0;
        for (action, x, y) in &run.input {
            if !(unit.contains(x) && unit.contains(y)) {
                return Err(format!(
                    "a value of `{action}` is from -1 to 1, this one {x}, {y}"
                ));
            }
        }
        let turns = run.orbit.into_iter().flatten().chain(run.zoom);
        if !turns.into_iter().all(|turn| turn.abs() <= MOST_TURN) {
            return Err("the camera turns too far".to_owned());
        }
        self.steps += run.steps;
        self.unchecked += run.steps;
        self.unchecked_seconds += run.steps as f64 * f64::from(dt);
        if self.unchecked > MOST_UNCHECKED || self.unchecked_seconds > 2.5 {
            return Err("a check is missing in front of this line".to_owned());
        }
        self.items.push(Item::Run { run, dt, line });
        Ok(())
    }

    fn take_check(&mut self, check: Check) -> Result<(), String> {
        if check.steps != self.steps {
            return Err(format!(
                "this check is of step {}, but {} steps stand in front of it",
                check.steps, self.steps
            ));
        }
        self.unchecked = 0;
        self.unchecked_seconds = 0.0;
        self.items.push(Item::Check(check));
        Ok(())
    }
}

/// The seconds of a step, from their bits.
fn seconds_of(bits: &str) -> Result<f32, String> {
    let number = u32::from_str_radix(bits, 16)
        .ok()
        .filter(|_| bits.len() == 8);
    let dt = number.map(f32::from_bits);
    dt.filter(|dt| (0.0..=1.0).contains(dt)).ok_or_else(|| {
        format!("`dt` is 8 hexadecimal digits, the bits of 0 to 1 seconds, got `{bits}`")
    })
}

/// What is no text at the end was cut off within a letter.
fn text_of(bytes: Vec<u8>, shown: &str) -> Result<String, Failure> {
    String::from_utf8(bytes).or_else(|error| {
        let fault = error.utf8_error();
        if fault.error_len().is_none() {
            let whole = fault.valid_up_to();
            let bytes = error.into_bytes();
            return Ok(String::from_utf8_lossy(&bytes[..whole]).into_owned());
        }
        Err(anyhow::anyhow!("`{shown}` is no recording: it is no text").into())
    })
}

fn fault(code: &str, message: String) -> Diagnostic {
    Diagnostic::error(code, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORDING: &str = concat!(
        r#"{"recording":{"version":1,"level":"samples/yard","id":"yard","seed":18446744073709551615,"dt":"real","build":"1","kernel":"k","files":{"a":"0"}}}"#,
        "\n",
        r#"{"check":{"steps":0,"hash":"00","fields":{"":{"seed":"1"},"hero":{"yaw":"2"}}}}"#,
        "\n",
        r#"{"run":{"steps":40,"dt":"3c888889","input":[["jump",1.0,0.0]],"orbit":[0.1,-0.2],"zoom":0.5}}"#,
        "\n",
        r#"{"run":{"steps":20,"dt":"3c888889"}}"#,
        "\n",
        r#"{"check":{"steps":60,"hash":"01","gone":{"hero":["yaw"]}}}"#,
        "\n",
        r#"{"end":{"steps":60,"hash":"01"}}"#,
        "\n",
    );

    #[test]
    fn a_good_recording_is_read_whole() {
        let replay = Replay::parse(RECORDING, "a.rec").expect("good");
        assert!(replay.complete);
        assert_eq!((replay.total(), replay.seed()), (60, u64::MAX));
    }

    #[test]
    fn no_change_of_a_byte_brings_the_reader_down() {
        let mut random = 1_u64;
        let mut next = |below: usize| {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (random >> 33) as usize % below
        };
        let (mut good, mut bad) = (0, 0);
        for _ in 0..3000 {
            let mut bytes = RECORDING.as_bytes().to_vec();
            for _ in 0..=next(3) {
                if bytes.is_empty() {
                    break;
                }
                let at = next(bytes.len());
                match next(4) {
                    0 => bytes[at] = b"0123456789{}[],:\"\n-e."[next(21)],
                    1 => drop(bytes.remove(at)),
                    2 => bytes.insert(at, b'9'),
                    _ => bytes.truncate(at.max(1)),
                }
            }
            let text = String::from_utf8_lossy(&bytes);
            match Replay::parse(&text, "a.rec") {
                Ok(replay) => {
                    good += 1;
                    assert!(replay.total() <= MOST_UNCHECKED * 3);
                }
                Err(faults) => {
                    bad += 1;
                    assert!(faults[0].code.starts_with("E-RECORDING"));
                }
            }
        }
        assert!(good > 300 && bad > 300, "{good} read, {bad} refused");
    }
}
