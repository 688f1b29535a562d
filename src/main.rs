//! The `spotsim` binary: arguments in, exit code out.

use clap::Parser;
use spotsim::cli::Cli;
use spotsim::run::run;
use std::process::ExitCode;

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(code) => ExitCode::from(code.number()),
        Err(failure) => {
            failure.print();
            ExitCode::from(failure.code().number())
        }
    }
}
