//! The program `sinew`; everything is in the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    sinew::cli::main(std::env::args_os())
}
