//! A running level: world, scripts, watched files and what is wrong right now. The window, headless runs and tests
//! all run one of these.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use serde::{Deserialize, Serialize};
use sinew_assets::{Assets, Diagnostic, LogicalPath, ModLevel, ModSet, Severity};
use sinew_script::{
    Budget, LogLevel, LogLine, RestoreError, RestoreReport, ScriptHost, ScriptSnapshot,
};
use sinew_world::{Input, Jobs, Snapshot, World};

use crate::{
    console::{Cause, Console},
    project::Project,
    settle::Change,
    watch::{News, Watcher},
};

/// How a session is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// The level and its project.
    pub project: Project,
    /// Mods, or folders of them.
    pub mods: Vec<PathBuf>,
    /// Threads that evaluate characters; 0 takes one a core.
    pub threads: usize,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Reload files that change.
    pub watch: bool,
    /// How the time of scripts is measured: counted where a run must repeat, by the clock in a window.
    pub budget: Budget,
}

/// A sound that is being told in words.
#[derive(Clone, Debug, PartialEq)]
pub struct Caption {
    /// Name of the sound.
    pub text: String,
    /// Seconds of game time that it stays.
    pub left: f32,
}

/// All state of a session between two steps, as plain data.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Saved {
    /// Everything in the world.
    pub world: Snapshot,
    /// What scripts keep.
    pub scripts: ScriptSnapshot,
}

/// A running level.
pub struct Session {
    /// All that is simulated.
    pub world: World,
    /// All that scripts keep.
    pub host: ScriptHost,
    /// What is wrong right now.
    pub console: Console,
    /// Sounds of the last moments.
    pub captions: Vec<Caption>,
    /// Lines that scripts wrote, until they are taken; only while [`Console::record`].
    pub log: Vec<LogLine>,
    /// Reloads that worked so far.
    pub reloads: u64,
    watcher: Option<Watcher>,
    /// Files that were refused: they come again with the next change.
    refused: BTreeMap<LogicalPath, Vec<u8>>,
}

const CAPTION_SECONDS: f32 = 1.2;
const MOST_CAPTIONS: usize = 5;

impl Session {
    /// Opens a level and starts it; no time has passed yet. Actors whose scripts are broken idle, and the console says
    /// why: they run once a good version is saved.
    ///
    /// # Errors
    /// Everything that is wrong with the level and its models.
    pub fn open(options: &Options) -> Result<Self, Vec<Diagnostic>> {
        // Before anything is read: a file that changes meanwhile is told.
        let mut folders = options.project.watched_folders();
        folders.extend(options.mods.iter().filter(|place| place.is_dir()).cloned());
        let watcher = options.watch.then(|| Watcher::new(folders));
        let mut assets = Assets::new(&options.project.root);
        let level = assets.open_level(&options.project.level)?;
        let found = assets.find_mods(&options.mods);
        assets.use_mods(ModSet::new(found, ModLevel::of(&level)));
        let path = LogicalPath {
            space: level.id.clone(),
            path: "level.toml".to_owned(),
        };
        let no_threads = |error: sinew_world::WorldError| {
            vec![Diagnostic::error("E-THREADS", error.to_string())]
        };
        let jobs = Jobs::on_threads(options.threads).map_err(no_threads)?;
        let mut world = World::new(assets, jobs, options.seed);
        world.start_level(path, level)?;
        let mut host = ScriptHost::new(options.budget);
        // What is wrong with scripts is also among the world's remarks.
        host.load(&mut world);
        let mut session = Self {
            world,
            host,
            console: Console::default(),
            captions: Vec::new(),
            log: Vec::new(),
            reloads: 0,
            watcher: None,
            refused: BTreeMap::new(),
        };
        match watcher.transpose() {
            Ok(watcher) => session.watcher = watcher,
            Err(error) => {
                let message = format!("files are not watched: {error}");
                session.say(Diagnostic::warning("W-WATCH", message), Cause::Running);
            }
        }
        for remark in session.world.assets.mods.remarks() {
            // A mod that is wrong keeps no level from running.
            let severity = Severity::Warning;
            session.say(Diagnostic { severity, ..remark }, Cause::Running);
        }
        session.hear();
        Ok(session)
    }

    /// What people call the level.
    pub fn title(&self) -> &str {
        let def = &self.world.level.def;
        def.title.as_deref().unwrap_or(&def.id)
    }

    /// One step of `dt` seconds: files that changed, then the frame.
    pub fn step(&mut self, input: &Input, dt: f32) {
        if let Some(news) = self.watcher.as_ref().and_then(Watcher::take) {
            self.take_news(news);
        }
        sinew_world::step(&mut self.world, &mut self.host, input, dt);
        self.hear();
        self.console.age(self.world.clock.time);
    }

    /// Hands new versions of files over, all or nothing, together with those that were refused before. True if they
    /// are in use now.
    pub fn reload(&mut self, changed: Vec<(LogicalPath, Vec<u8>)>) -> bool {
        let mut files = std::mem::take(&mut self.refused);
        files.extend(changed);
        let names: Vec<String> = files
            .keys()
            .map(|path| self.world.assets.display(path))
            .collect();
        match self
            .host
            .reload(&mut self.world, files.clone().into_iter().collect())
        {
            Ok(report) => {
                if report.cancelled > 0 {
                    tracing::info!("{} coroutines were cancelled", report.cancelled);
                }
                self.console.clear(self.host.problems());
                self.reloads += 1;
                tracing::info!("reloaded {}", names.join(", "));
                self.hear();
                true
            }
            Err(faults) => {
                self.refused = files;
                self.console.forget_refusal();
                for fault in faults {
                    self.say(fault, Cause::Reload);
                }
                false
            }
        }
    }

    /// All state between two steps: of the world and of its scripts.
    pub fn snapshot(&self) -> Saved {
        Saved {
            world: self.world.snapshot(),
            scripts: self.host.snapshot(),
        }
    }

    /// Takes all state back, also in a fresh session of the same level. What is on the console stays.
    ///
    /// # Errors
    /// What is wrong with the snapshot; nothing changes then.
    pub fn restore(&mut self, saved: &Saved) -> Result<RestoreReport, RestoreError> {
        let report = self
            .host
            .restore(&mut self.world, &saved.world, &saved.scripts)?;
        self.captions.clear();
        self.hear();
        Ok(report)
    }

    /// A hash of all state; equal runs have equal hashes.
    pub fn hash(&self) -> u64 {
        sinew_world::hash(&self.world, &self.host)
    }

    fn take_news(&mut self, news: News) {
        for remark in news.remarks {
            self.say(Diagnostic::warning("W-WATCH", remark), Cause::Running);
        }
        let used: BTreeSet<LogicalPath> = self
            .world
            .assets
            .loaded()
            .cloned()
            .chain(self.host.files())
            .collect();
        let mut written = Vec::new();
        for (file, change) in news.changes {
            let Some(path) = self.world.assets.path_of(&file) else {
                continue;
            };
            let is_used = used.contains(&path);
            match change {
                Change::Written(bytes) => {
                    self.console.found(&self.world.assets.display(&path));
                    // A file that nothing uses may be the one that a refused one wants.
                    if is_used || !self.refused.is_empty() {
                        written.push((path, bytes));
                    }
                }
                Change::Gone => self.lost(&path, is_used, file),
                Change::Unreadable(reason) if is_used => {
                    let message =
                        format!("cannot be read ({reason}): its last good version goes on");
                    self.say_missing(&path, Diagnostic::error("E-RELOAD-UNREADABLE", message));
                }
                Change::Unreadable(_) => {}
            }
        }
        if !written.is_empty() {
            self.reload(written);
        }
    }

    fn lost(&mut self, path: &LogicalPath, is_used: bool, file: PathBuf) {
        let was_refused = self.refused.remove(path).is_some();
        if is_used {
            let message = format!(
                "`{}` is gone: its last good version goes on",
                file_name(&file)
            );
            self.say_missing(path, Diagnostic::warning("W-RELOAD-GONE", message));
        }
        if was_refused && self.refused.is_empty() {
            self.console.forget_refusal();
        }
    }

    fn say_missing(&mut self, path: &LogicalPath, fault: Diagnostic) {
        let fault = fault.in_file(&self.world.assets.display(path));
        self.say(fault, Cause::Missing);
    }

    fn say(&mut self, fault: Diagnostic, cause: Cause) {
        self.console.say(fault, cause, self.world.clock.time);
    }

    /// Takes up what the step left for people: remarks, lines of the log and sounds.
    fn hear(&mut self) {
        for remark in std::mem::take(&mut self.world.remarks) {
            self.say(remark, Cause::Running);
        }
        self.console.count(self.host.problems());
        for line in self.host.take_log() {
            log(&line);
            if self.console.record {
                self.log.push(line);
            }
        }
        self.caption();
    }

    fn caption(&mut self) {
        let dt = self.world.clock.dt;
        self.captions.retain_mut(|caption| {
            caption.left -= dt;
            caption.left > 0.0
        });
        for sound in &self.world.debug.sounds {
            self.captions.retain(|caption| caption.text != sound.name);
            if self.captions.len() >= MOST_CAPTIONS {
                self.captions.remove(0);
            }
            self.captions.push(Caption {
                text: sound.name.clone(),
                left: CAPTION_SECONDS,
            });
        }
    }
}

fn log(line: &LogLine) {
    let actor = line.actor.as_deref().unwrap_or("script");
    match line.level {
        LogLevel::Info => tracing::info!("{actor}: {}", line.text),
        LogLevel::Warn => tracing::warn!("warning: {actor}: {}", line.text),
        LogLevel::Error => tracing::error!("error: {actor}: {}", line.text),
    }
}

fn file_name(file: &std::path::Path) -> String {
    file.file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}
