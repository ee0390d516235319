//! Recordings of runs: what went in (seed, lengths of steps, input) and, every second, hashes of what came out.
//!
//! JSON lines, written as the run goes, so that a recording survives a crash:
//!
//! ```text
//! {"recording":{"version":1,"level":"samples/plaza","id":"plaza","seed":0,"dt":"fixed","build":"0.1.0","kernel":"portable","files":{...}}}
//! {"run":{"steps":30,"dt":"3c888889"}}
//! {"run":{"steps":7,"dt":"3c888889","input":[["jump",1.0,0.0]]}}
//! {"check":{"steps":37,"hash":"89ab...","fields":{"hero":{"position_world":"0011aabb"}}}}
//! {"end":{"steps":37,"hash":"89ab..."}}
//! ```
//!
//! `dt` has the bits of a step's seconds (f32, hexadecimal); input belongs to the first step of its line. A check has a
//! hash of all state and of each part of it whose hash has changed since the check before; the first one, before any
//! step, has all parts.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    hash::Hasher,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use sinew_assets::LogicalPath;
use sinew_world::{Input, StableHasher};

use crate::{project::Project, run::KERNEL, session::Session};

/// The form of recordings; another one is refused.
pub(crate) const VERSION: u32 = 1;
/// The most steps in a line.
pub(crate) const MOST_STEPS: u64 = 100_000;

/// A line of a recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Line {
    /// The first line.
    Recording(Header),
    /// Steps of one length.
    Run(Run),
    /// What the state was.
    Check(Check),
    /// The last line.
    End(Check),
}

/// What was run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Header {
    pub version: u32,
    /// Folder of the level, from the project's.
    pub level: String,
    /// Of the level.
    pub id: String,
    pub seed: u64,
    /// Whether steps had one length or went by the time of day.
    pub dt: Pace,
    /// Version of the engine.
    pub build: String,
    /// What poses were evaluated with.
    pub kernel: String,
    /// Ids and versions of the mods, in load order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mods: Vec<String>,
    /// Hashes of the files that were loaded at the start.
    pub files: BTreeMap<String, String>,
}

/// How long steps were.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Pace {
    /// All the same.
    Fixed,
    /// As long as the frames of a window.
    Real,
}

/// Steps of one length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Run {
    pub steps: u64,
    pub dt: String,
    /// Action and value: changes in the first step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub input: Vec<(String, f32, f32)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orbit: Option<[f32; 2]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zoom: Option<f32>,
}

/// What the state was after so many steps.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Check {
    pub steps: u64,
    pub hash: String,
    /// By actor (empty for what belongs to none) and part: hashes that are new.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, BTreeMap<String, String>>,
    /// By actor: parts that are no more.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub gone: BTreeMap<String, Vec<String>>,
}

/// Hashes of all parts of the state, by actor and part.
pub(crate) type Fields = BTreeMap<String, BTreeMap<String, String>>;

/// A recording that is being written.
#[derive(Debug)]
pub struct Recorder {
    out: BufWriter<File>,
    path: PathBuf,
    /// Steps that are not written yet.
    run: Option<Run>,
    clock: Clock,
    known: Fields,
}

/// Counts steps and says when a check is due: in writing and in reading alike.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock {
    pub steps: u64,
    seconds: f64,
    checks: u64,
}

impl Clock {
    /// Counts a step; true where a second of it has passed since the last check.
    pub fn step(&mut self, dt: f32) -> bool {
        self.steps += 1;
        self.seconds += f64::from(dt);
        let due = self.seconds.floor() as u64 > self.checks;
        self.checks = self.seconds.floor() as u64;
        due
    }

    pub fn seconds(&self) -> f64 {
        self.seconds
    }
}

impl Recorder {
    /// Begins a recording of a session that has not run yet.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn create(
        path: &Path,
        project: &Project,
        session: &Session,
        fixed: bool,
    ) -> anyhow::Result<Self> {
        let said = || format!("cannot write the recording `{}`", path.display());
        if let Some(folder) = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
        {
            std::fs::create_dir_all(folder).with_context(said)?;
        }
        let mut recorder = Self {
            out: BufWriter::new(File::create(path).with_context(said)?),
            path: path.to_owned(),
            run: None,
            clock: Clock::default(),
            known: Fields::new(),
        };
        let header = Header {
            version: VERSION,
            level: level_name(project),
            id: session.world.level.def.id.clone(),
            seed: session.world.seed,
            dt: if fixed { Pace::Fixed } else { Pace::Real },
            build: env!("CARGO_PKG_VERSION").to_owned(),
            kernel: KERNEL.to_owned(),
            mods: mod_names(session),
            files: file_hashes(session),
        };
        recorder.write(&Line::Recording(header))?;
        let check = recorder.check(session);
        recorder.write(&Line::Check(check))?;
        recorder.flush()?;
        Ok(recorder)
    }

    /// Writes down a step that has just been made.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn step(&mut self, session: &Session, input: &Input, dt: f32) -> anyhow::Result<()> {
        let step = run_of(session, input, dt);
        match &mut self.run {
            Some(run) if is_quiet(&step) && run.dt == step.dt && run.steps < MOST_STEPS => {
                run.steps += 1;
            }
            _ => {
                self.write_run()?;
                self.run = Some(step);
            }
        }
        if self.clock.step(dt) {
            self.write_run()?;
            let check = self.check(session);
            self.write(&Line::Check(check))?;
            self.flush()?;
        }
        Ok(())
    }

    /// Writes what is still held back, and the last line.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(mut self, session: &Session) -> anyhow::Result<()> {
        self.write_run()?;
        let check = self.check(session);
        self.write(&Line::End(check))?;
        self.flush()
    }

    /// The hash of all state, and of the parts that are not as they were at the last check.
    fn check(&mut self, session: &Session) -> Check {
        let fields = fields_of(session);
        let mut check = Check {
            steps: self.clock.steps,
            hash: format!("{:016x}", session.hash()),
            ..Check::default()
        };
        let none = BTreeMap::new();
        for (actor, parts) in &fields {
            let before = self.known.get(actor).unwrap_or(&none);
            let fresh = parts
                .iter()
                .filter(|(part, hash)| before.get(*part) != Some(hash));
            let fresh: BTreeMap<String, String> = fresh
                .map(|(part, hash)| (part.clone(), hash.clone()))
                .collect();
            if !fresh.is_empty() {
                check.fields.insert(actor.clone(), fresh);
            }
        }
        for (actor, parts) in &self.known {
            let now = fields.get(actor).unwrap_or(&none);
            let gone = parts.keys().filter(|part| !now.contains_key(*part));
            let gone: Vec<String> = gone.cloned().collect();
            if !gone.is_empty() {
                check.gone.insert(actor.clone(), gone);
            }
        }
        self.known = fields;
        check
    }

    fn write_run(&mut self) -> anyhow::Result<()> {
        match self.run.take() {
            Some(run) => self.write(&Line::Run(run)),
            None => Ok(()),
        }
    }

    fn write(&mut self, line: &Line) -> anyhow::Result<()> {
        let written = serde_json::to_writer(&mut self.out, line)
            .map_err(std::io::Error::from)
            .and_then(|()| self.out.write_all(b"\n"));
        written.with_context(|| format!("cannot write the recording `{}`", self.path.display()))
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        let flushed = self.out.flush();
        flushed.with_context(|| format!("cannot write the recording `{}`", self.path.display()))
    }
}

fn run_of(session: &Session, input: &Input, dt: f32) -> Run {
    let actions = &session.world.controls.actions;
    let changes = input.changes.iter().filter_map(|change| {
        let action = actions.get(usize::from(change.action))?;
        Some((action.name.clone(), change.value.x, change.value.y))
    });
    let orbit = input.orbit.to_array();
    Run {
        steps: 1,
        dt: format!("{:08x}", dt.to_bits()),
        input: changes.collect(),
        orbit: (orbit != [0.0; 2]).then_some(orbit),
        zoom: (input.zoom != 0.0).then_some(input.zoom),
    }
}

fn is_quiet(run: &Run) -> bool {
    run.input.is_empty() && run.orbit.is_none() && run.zoom.is_none()
}

/// The hashes of all parts of a session's state.
pub(crate) fn fields_of(session: &Session) -> Fields {
    let mut fields = Fields::new();
    for part in sinew_world::hash_fields(&session.world, &session.host) {
        // Half of it tells a difference well enough and keeps recordings small.
        let short = (part.hash ^ part.hash >> 32) as u32;
        let actor = fields.entry(part.actor).or_default();
        actor.insert(part.field, format!("{short:08x}"));
    }
    fields
}

/// Hashes of the files that a session has loaded, by the path that messages show.
pub(crate) fn file_hashes(session: &Session) -> BTreeMap<String, String> {
    let assets = &session.world.assets;
    let paths: BTreeSet<LogicalPath> = assets
        .loaded()
        .cloned()
        .chain(session.host.files())
        .collect();
    let hash = |path: &LogicalPath| {
        let mut hasher = StableHasher::default();
        hasher.write(&assets.read(path).ok()?);
        Some((assets.display(path), format!("{:016x}", hasher.finish())))
    };
    paths.iter().filter_map(hash).collect()
}

/// The mods of a session as recordings name them.
pub(crate) fn mod_names(session: &Session) -> Vec<String> {
    let mods = session.world.assets.mods.mods.iter();
    mods.map(|one| format!("{} {}", one.manifest.id, one.manifest.version))
        .collect()
}

/// The folder of a level as recordings name it: from the project's folder, with `/`.
fn level_name(project: &Project) -> String {
    let inside = project.level.strip_prefix(&project.root);
    let inside = inside.unwrap_or(&project.level);
    let parts = inside
        .components()
        .map(|part| part.as_os_str().to_string_lossy());
    let name = parts.collect::<Vec<_>>().join("/");
    if name.is_empty() {
        ".".to_owned()
    } else {
        name
    }
}
