//! The command line: what can be asked, and in which words it is answered.

use std::{ffi::OsString, io::IsTerminal, path::PathBuf, process::ExitCode};

use clap::{Args, Parser, Subcommand, ValueEnum, error::ErrorKind};

use crate::{Failure, commands, run};

/// What joins script to skeleton: runs a level whose characters are moved by Lua and Rhai scripts.
///
/// Without a command, a level runs in a window; edit its scripts, graphs and models meanwhile and see the change.
/// Without a display, ten seconds of it run unseen and leave a picture and a trace in target/sinew.
#[derive(Debug, Parser)]
#[command(
    name = "sinew",
    version,
    args_conflicts_with_subcommands = true,
    after_help = KEYS
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    run: RunArgs,
}

/// What the window itself listens to.
const KEYS: &str = "In the window: the level's own keys, drag to look around, wheel to come closer, F1 for figures, Escape to \
close. SINEW_LOG=debug says more.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Runs a level (also what `sinew` does without a command)
    #[command(after_help = KEYS)]
    Run(RunArgs),
    /// Checks scripts, graphs, models, levels and mods without running them
    ///
    /// Compiles every script, validates graphs, clips, joints, parameters and properties. Exits with 1 if there is
    /// an error.
    Check(CheckArgs),
    /// Shows what is in a model: joints, clips, markers, meshes, warnings
    Info(InfoArgs),
    /// Writes the definitions for editors and the API reference
    Docs(DocsArgs),
    /// Shows which mods load for a level, in what order, and what they change
    Mods(ModsArgs),
}

/// How a level runs.
#[derive(Clone, Debug, Args)]
pub struct RunArgs {
    /// Folder of the level, or its level.toml [default: samples/plaza]
    pub level: Option<PathBuf>,
    /// A mod (folder or .zip with a mod.toml), or a folder of mods; may stand several times [default: mods in the project]
    #[arg(long, value_name = "DIR", conflicts_with = "no_mods")]
    pub mods: Vec<PathBuf>,
    /// Use no mods, also where the project has some
    #[arg(long)]
    pub no_mods: bool,
    /// Run without a window, in steps of a fixed length, as fast as possible
    #[arg(long)]
    pub headless: bool,
    /// Stop after this many steps [default in headless runs: 10 s of game time]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub frames: Option<u64>,
    /// Seconds of game time a step; needs --headless [default: 1/60]
    #[arg(long, value_name = "S", value_parser = seconds, allow_negative_numbers = true)]
    pub dt: Option<f32>,
    /// Threads that evaluate characters; the result is the same for any number [default: one a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: Option<u16>,
    /// Seed of all random numbers [default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Input that was written down, to be played.
    #[arg(
        long,
        value_name = "FILE.jsonl",
        help = "Play recorded input: lines like {\"t\":1.25,\"action\":\"jump\",\"value\":1}; directions have a value like [0,1]"
    )]
    pub input: Option<PathBuf>,
    /// Write down seed, steps and input, and a hash of all state every second, to be run again with --replay
    #[arg(long, value_name = "FILE", conflicts_with = "watch")]
    pub record: Option<PathBuf>,
    /// Run what --record wrote down, and say where the state is not the same; the level is the recorded one unless given
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["record", "seed", "dt", "input", "watch"]
    )]
    pub replay: Option<PathBuf>,
    /// Reload files that change [default in a window]; a headless run then keeps to real time
    #[arg(long, overrides_with = "no_watch")]
    pub watch: bool,
    /// Do not look at files again [default in headless runs]
    #[arg(long, overrides_with = "watch")]
    pub no_watch: bool,
    /// Write what every actor does in every step: states, parameters, events, root motion, position; and why: every
    /// transition with its verdict, and who set parameters
    #[arg(long, value_name = "FILE.jsonl")]
    pub trace: Option<PathBuf>,
    /// Add the world positions of these joints to the trace
    #[arg(long, value_name = "A,B", value_delimiter = ',', requires = "trace")]
    pub trace_joints: Vec<String>,
    /// Draw the last frame into a picture
    #[arg(long, value_name = "FILE.png")]
    pub screenshot: Option<PathBuf>,
    /// Size of the picture or window in pixels
    #[arg(long, value_name = "WxH", value_parser = size, default_value = "1280x720")]
    pub size: [u32; 2],
    /// Print `hash <16 hex digits> <kernel>` over all state at the end
    #[arg(long)]
    pub hash: bool,
}

/// What is to be checked.
#[derive(Clone, Debug, Args)]
pub struct CheckArgs {
    /// Levels, mods, scripts, graphs, models, or folders of them [default: the levels, mods, scripts and assets of the project]
    pub paths: Vec<PathBuf>,
    /// Check graphs against this model: clips, joints, masks, chains; without it their form only
    #[arg(long, value_name = "MODEL.glb")]
    pub model: Option<PathBuf>,
    /// How faults are shown
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
}

/// How faults are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// With the line and a caret under it
    Human,
    /// One JSON object a line
    Json,
}

/// Which model is shown.
#[derive(Clone, Debug, Args)]
pub struct InfoArgs {
    /// A .glb or .gltf file
    pub file: PathBuf,
    /// As one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Where definitions go.
#[derive(Clone, Debug, Args)]
pub struct DocsArgs {
    /// Folder to write into [default: the project that the current folder is in]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Which mods are shown, and what of them.
#[derive(Clone, Debug, Args)]
pub struct ModsArgs {
    /// What is shown of them
    #[arg(value_enum, default_value_t = ModsView::List)]
    pub view: ModsView,
    /// Folder of the level, or its level.toml [default: samples/plaza]
    pub level: Option<PathBuf>,
    /// A mod (folder or .zip with a mod.toml), or a folder of mods; may stand several times [default: mods in the project]
    #[arg(long, value_name = "DIR")]
    pub mods: Vec<PathBuf>,
    /// With `order`: why each mod loads where it does, and why others do not
    #[arg(long)]
    pub explain: bool,
    /// As one JSON object
    #[arg(long)]
    pub json: bool,
}

/// What is shown of mods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ModsView {
    /// What each is, and which are left out
    List,
    /// The load order
    Order,
    /// What several mods replace
    Conflicts,
}

/// Does what the arguments say. Errors go to standard error, in words; the code is then 1.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    start_log(matches!(cli.command, Some(Command::Check(_))));
    explain_panics();
    let done = match cli.command {
        None => run::run(&cli.run),
        Some(Command::Run(args)) => run::run(&args),
        Some(Command::Check(args)) => commands::check::check(&args),
        Some(Command::Info(args)) => commands::info::info(&args),
        Some(Command::Docs(args)) => commands::docs::docs(&args),
        Some(Command::Mods(args)) => commands::mods::mods(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            say_failure(&failure);
            ExitCode::FAILURE
        }
    }
}

/// Help and version are answers, all else is an error; there is one code for errors.
fn usage(error: &clap::Error) -> ExitCode {
    // Nothing can be said where standard error is closed.
    let _ = error.print();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

#[allow(
    clippy::print_stderr,
    reason = "the command line answers on standard error"
)]
fn say_failure(failure: &Failure) {
    match failure {
        Failure::Said => {}
        Failure::Faults(faults) => {
            let color = std::io::stderr().is_terminal();
            for fault in faults {
                eprintln!("{}\n", sinew_script::render(fault, color).trim_end());
            }
        }
        Failure::Other(error) => eprintln!("error: {error:#}"),
    }
}

/// `check` gives as its answer what other commands log.
fn start_log(silent: bool) {
    use tracing_subscriber::EnvFilter;
    const QUIET: &str = "info,wgpu_core=error,wgpu_hal=error,naga=error,wgpu=error,winit=error,egui=error,sctk=error";
    let filter = std::env::var("SINEW_LOG")
        .ok()
        .and_then(|text| EnvFilter::try_new(text).ok())
        .unwrap_or_else(|| EnvFilter::new(if silent { "off" } else { QUIET }));
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false)
        // What is said begins with its own word, such as `error[E-JSON]` or `warning`.
        .with_level(false)
        .without_time();
    // A second call in one process (a test) keeps the first log.
    let _ = log.try_init();
}

/// A panic is a fault of the engine: say so in one paragraph and where, without a backtrace.
fn explain_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic
            .location()
            .map_or_else(String::new, |at| format!(" at {}:{}", at.file(), at.line()));
        let said = panic.payload_as_str().unwrap_or("no words");
        tracing::error!("error: this is a fault in sinew itself, not in your files{place}: {said}");
    }));
}

fn seconds(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(dt) if (0.0001..=1.0).contains(&dt) => Ok(dt),
        _ => Err("a step is 0.0001 to 1 second long, such as 0.016667".to_owned()),
    }
}

/// A picture takes about 40 bytes a pixel while it is drawn.
const MOST_PIXELS: u32 = 8192 * 4096;

fn size(text: &str) -> Result<[u32; 2], String> {
    let parsed = text.split_once(['x', 'X']).and_then(|(width, height)| {
        let sides = [width.parse().ok()?, height.parse().ok()?];
        let fits = sides.iter().all(|side| (1..=16384).contains(side));
        (fits && sides[0] * sides[1] <= MOST_PIXELS).then_some(sides)
    });
    parsed.ok_or_else(|| {
        "a size is width x height in pixels, such as 1280x720; at most 8192x4096 pixels in all"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn parse(line: &str) -> Result<Cli, clap::Error> {
        Cli::try_parse_from(line.split_whitespace())
    }

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_level_runs_with_and_without_the_word_run() {
        for line in [
            "sinew samples/plaza --headless --hash",
            "sinew run samples/plaza --headless --hash",
        ] {
            let cli = parse(line).expect(line);
            let args = match cli.command {
                Some(Command::Run(args)) => args,
                None => cli.run,
                other => unreachable!("{other:?}"),
            };
            assert_eq!(args.level, Some("samples/plaza".into()));
            assert!(args.headless && args.hash);
        }
        assert!(parse("sinew").expect("no level").run.level.is_none());
    }

    #[test]
    fn the_last_of_watch_and_no_watch_counts() {
        let args = parse("sinew --watch --no-watch").expect("both").run;
        assert!(!args.watch && args.no_watch);
    }

    #[test]
    fn sizes_and_steps_are_checked() {
        assert_eq!(
            parse("sinew --size 64x48").expect("a size").run.size,
            [64, 48]
        );
        for line in [
            "sinew --size 0x48",
            "sinew --size 64",
            "sinew --dt 0",
            "sinew --dt nan",
            "sinew --threads 0",
            "sinew --trace-joints a",
            "sinew check --format xml",
            "sinew info",
        ] {
            let error = parse(line).expect_err(line);
            assert!(!error.to_string().contains("panic"));
        }
    }

    #[test]
    fn steps_and_sizes_that_could_eat_the_machine_are_refused() {
        for text in ["0", "-1", "NaN", "inf", "1e-30", "1.5", "1e9", ""] {
            assert!(seconds(text).is_err(), "{text}");
        }
        for text in ["0x0", "99999x99999", "16384x16384", "1280", "-1x5", "x"] {
            assert!(size(text).is_err(), "{text}");
        }
        assert_eq!(size("8192x4096"), Ok([8192, 4096]));
        assert_eq!(size("16384X2048"), Ok([16384, 2048]));
        assert_eq!(seconds("0.0001"), Ok(0.0001));
    }
}
