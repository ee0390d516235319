//! `generator OUT_DIR` writes every character, `generator --mods PROJECT` those of the sample mods; `generator --check DIR` measures the files that lie there.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line talks on its standard streams"
)]

use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "\
usage: generator OUT_DIR          write every character into a directory
       generator --mods PROJECT   write what the sample mods bring into a project
       generator --check DIR      measure the .glb files of a directory; exit code 1 past a limit";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["-h" | "--help"] => {
            println!("{USAGE}");
            ExitCode::SUCCESS
        }
        ["--check", dir] => check(Path::new(dir)),
        ["--mods", project] => done(generator::write_mods(Path::new(project))),
        [dir] if !dir.starts_with('-') => done(generator::write_all(Path::new(dir))),
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn done(written: Result<(), generator::WriteError>) -> ExitCode {
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error),
    }
}

fn check(dir: &Path) -> ExitCode {
    match generator::check::check(dir) {
        Ok(report) => {
            print!("{report}");
            if report.passes() {
                return ExitCode::SUCCESS;
            }
            eprintln!("generator: something is past its limit; look for the lines that end in '!'");
            ExitCode::FAILURE
        }
        Err(error) => fail(&error),
    }
}

fn fail(error: &dyn std::error::Error) -> ExitCode {
    eprint!("generator: {error}");
    let mut cause = error.source();
    while let Some(inner) = cause {
        eprint!(": {inner}");
        cause = inner.source();
    }
    eprintln!();
    ExitCode::FAILURE
}
