//! `sinew run`: in a window where there is a display, without one else.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use sinew_script::Budget;
use sinew_world::Input;

use crate::{
    Failure,
    cli::RunArgs,
    demo::{DEMO_SECONDS, demo},
    headless::{Pace, STEP, headless},
    input::{Recording, read_recording},
    picture::save_picture,
    project::Project,
    record::Recorder,
    replay::Replay,
    session::{Options, Session},
    trace::Trace,
    verdicts,
    window::{self, Closed},
};

/// The arithmetic that poses are evaluated with; another one may round differently, so hashes name it.
pub(crate) const KERNEL: &str = "portable";

/// Seconds of game time that a run without a window takes where nothing else is said.
const HEADLESS_SECONDS: f64 = 10.0;

/// What a run reads and leaves, whether there is a window or not.
#[derive(Debug, Default)]
pub struct Outputs {
    /// Input that plays along.
    pub recording: Recording,
    /// What happened.
    pub trace: Option<Trace>,
    /// The last frame, and its size in pixels.
    pub screenshot: Option<(PathBuf, [u32; 2])>,
    /// Print a hash of all state.
    pub hash: bool,
    /// What is written down, to be run again.
    pub recorder: Option<Recorder>,
    /// What is run again.
    pub replay: Option<Replay>,
}

impl Outputs {
    /// What the arguments ask for.
    ///
    /// # Errors
    /// A recording that cannot be read, a trace that cannot be written.
    fn open(
        args: &RunArgs,
        project: &Project,
        session: &mut Session,
        replay: Option<Replay>,
    ) -> Result<Self, Failure> {
        let recording = match &args.input {
            Some(file) => read_input(file, session)?,
            None => Recording::default(),
        };
        let trace = args
            .trace
            .as_ref()
            .map(|file| Trace::create(file, &args.trace_joints, &session.world));
        session.console.record = trace.is_some();
        let recorder = args
            .record
            .as_ref()
            .map(|file| Recorder::create(file, project, session, args.headless));
        let mut replay = replay;
        if let Some(replay) = &mut replay {
            replay.start(session)?;
        }
        if trace.is_some() {
            verdicts::ask(session);
        }
        Ok(Self {
            recorder: recorder.transpose()?,
            replay,
            recording,
            trace: trace.transpose()?,
            screenshot: args.screenshot.clone().map(|file| (file, args.size)),
            hash: args.hash,
        })
    }

    /// Adds recorded input to a step of `dt` seconds; a replay has steps of its own. None where it is over.
    pub fn before_step(&mut self, session: &Session, input: &mut Input, dt: f32) -> Option<f32> {
        if let Some(replay) = &mut self.replay {
            return replay.next_step(session, input);
        }
        self.recording.add_to(input, session.world.clock.time);
        Some(dt)
    }

    /// Writes what a step did, and holds it against a replay.
    ///
    /// # Errors
    /// The trace or the recording cannot be written; the replay is not the recording.
    pub fn after_step(
        &mut self,
        session: &mut Session,
        input: &Input,
        dt: f32,
    ) -> anyhow::Result<()> {
        if let Some(trace) = &mut self.trace {
            trace.step(session)?;
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.step(session, input, dt)?;
        }
        if let Some(replay) = &mut self.replay {
            replay.after_step(session, dt)?;
        }
        Ok(())
    }

    /// Leaves what is left at the end of a run.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn finish(self, session: &Session) -> anyhow::Result<()> {
        if let Some(trace) = self.trace {
            trace.finish()?;
        }
        if let Some(recorder) = self.recorder {
            recorder.finish(session)?;
        }
        if let Some(replay) = self.replay {
            replay.finish()?;
        }
        if let Some((file, size)) = self.screenshot {
            save_picture(session, size, &file)?;
        }
        if self.hash {
            say(&format!("hash {:016x} {KERNEL}", session.hash()))?;
        }
        Ok(())
    }
}

/// Runs a level as the arguments say.
pub(crate) fn run(args: &RunArgs) -> Result<(), Failure> {
    let replay = args.replay.as_deref().map(Replay::read).transpose()?;
    let project = match (&args.level, &replay) {
        (Some(level), _) => Project::of_level(level)?,
        (None, Some(replay)) => Project::of_level(&replay.level()?)?,
        (None, None) => Project::of_default_level()?,
    };
    if args.dt.is_some() && !args.headless {
        return Err(anyhow::anyhow!(
            "--dt is for --headless runs: a window goes by the time of day"
        )
        .into());
    }
    let mods = if args.no_mods {
        Vec::new()
    } else {
        project.mods(&args.mods)
    };
    let options = Options {
        project,
        mods,
        threads: usize::from(args.threads.unwrap_or(0)),
        seed: replay.as_ref().map_or(args.seed.unwrap_or(0), Replay::seed),
        // A file that changes on the way would be in no recording.
        watch: if args.headless || args.record.is_some() || replay.is_some() {
            args.watch
        } else {
            !args.no_watch
        },
        budget: budget(args),
    };
    if args.headless {
        run_headless(args, &options, replay)
    } else {
        run_window(args, &options, replay)
    }
}

/// A run that may be repeated counts what scripts do; a window that leaves nothing goes by the clock.
fn budget(args: &RunArgs) -> Budget {
    let files = [&args.trace, &args.input, &args.record, &args.replay];
    if args.headless || args.hash || files.into_iter().any(Option::is_some) {
        Budget::default()
    } else {
        Budget::WINDOW
    }
}

/// Nobody can put a broken script right in a run that does not look at files again.
fn refuse_broken(session: &Session) -> Result<(), Failure> {
    // The console has said it already.
    if session.console.has_errors() {
        Err(Failure::Said)
    } else {
        Ok(())
    }
}

fn run_headless(args: &RunArgs, options: &Options, replay: Option<Replay>) -> Result<(), Failure> {
    let mut session = Session::open(options)?;
    if !options.watch {
        refuse_broken(&session)?;
    }
    let mut outputs = Outputs::open(args, &options.project, &mut session, replay)?;
    let dt = args.dt.unwrap_or(STEP);
    let frames = match args.frames {
        None if options.watch || outputs.replay.is_some() => None,
        None => Some(frames_of(HEADLESS_SECONDS, dt)),
        given => given,
    };
    let pace = if options.watch {
        Pace::RealTime
    } else {
        Pace::Fast
    };
    headless(&mut session, &mut outputs, dt, frames, pace)?;
    Ok(outputs.finish(&session)?)
}

fn run_window(args: &RunArgs, options: &Options, replay: Option<Replay>) -> Result<(), Failure> {
    // The level comes first: its errors are worth more than those of a display.
    let mut session = Session::open(options)?;
    let outputs = Outputs::open(args, &options.project, &mut session, replay)?;
    match window::run(session, outputs, args.size, args.frames)? {
        Closed::ByUser(session, outputs) => Ok(outputs.finish(&session)?),
        Closed::NoDisplay(reason, mut session, mut outputs) if outputs.replay.is_some() => {
            note(&format!("no window ({reason}): replaying unseen"));
            headless(&mut session, &mut outputs, STEP, args.frames, Pace::Fast)?;
            Ok(outputs.finish(&session)?)
        }
        Closed::NoDisplay(reason, mut session, outputs) => {
            note(&format!(
                "no window ({reason}): running {DEMO_SECONDS} s of the level unseen"
            ));
            run_unseen(args, options, &mut session, outputs)
        }
    }
}

/// There is nobody to see it: run the level anyway, with input of our own, and leave a picture and a trace.
fn run_unseen(
    args: &RunArgs,
    options: &Options,
    session: &mut Session,
    mut outputs: Outputs,
) -> Result<(), Failure> {
    refuse_broken(session)?;
    if args.input.is_none() {
        outputs.recording = Recording::new(demo(&session.world.level.def, &session.world.controls));
    }
    let trace = args
        .trace
        .clone()
        .unwrap_or_else(|| options.project.output("jsonl"));
    if outputs.trace.is_none() {
        session.console.record = true;
        verdicts::ask(session);
        outputs.trace = Some(Trace::create(&trace, &args.trace_joints, &session.world)?);
    }
    let frames = args.frames.unwrap_or_else(|| frames_of(DEMO_SECONDS, STEP));
    headless(session, &mut outputs, STEP, Some(frames), Pace::Fast)?;
    note(&format!("wrote {}", shown(&trace)));
    if outputs.screenshot.is_none() {
        let picture = options.project.output("png");
        match save_picture(session, args.size, &picture) {
            Ok(()) => note(&format!("wrote {}", shown(&picture))),
            Err(error) => note(&format!("no picture: {error:#}")),
        }
    }
    Ok(outputs.finish(session)?)
}

fn read_input(file: &Path, session: &Session) -> Result<Recording, Failure> {
    let shown = file.display().to_string();
    let bytes = std::fs::read(file).with_context(|| format!("cannot read the input `{shown}`"))?;
    let text =
        String::from_utf8(bytes).with_context(|| format!("the input `{shown}` is no text"))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let changes = read_recording(text, &shown, &session.world.controls)?;
    Ok(Recording::new(changes))
}

/// From the current folder, where the file is in it.
pub(crate) fn shown(file: &Path) -> String {
    let current = std::env::current_dir()
        .and_then(|folder| folder.canonicalize())
        .unwrap_or_default();
    file.strip_prefix(current)
        .unwrap_or(file)
        .display()
        .to_string()
}

fn frames_of(seconds: f64, dt: f32) -> u64 {
    (seconds / f64::from(dt)).round().max(1.0) as u64
}

/// A line of the answer. A reader that has seen enough (`| head`) is no error.
pub(crate) fn say(line: &str) -> anyhow::Result<()> {
    match writeln!(std::io::stdout(), "{line}") {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        done => done.context("cannot write to standard output"),
    }
}

/// A remark beside the answer.
#[allow(
    clippy::print_stderr,
    reason = "the command line remarks on standard error"
)]
pub(crate) fn note(line: &str) {
    eprintln!("sinew: {line}");
}
