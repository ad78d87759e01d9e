//! Verifies every item of a project with the keys of one file, and nothing else of the machine's.
//!
//! `verify-items PROJECT ALLOWED_SIGNERS`, where the second is a file as OpenSSH's. Exits with 0 only if there are items
//! and each is signed by one of these keys and unchanged; with 1 if not, with 2 if that cannot be told.

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use rye_context::context::{Clock, Context, Surroundings};
use rye_verify::project::Project;
use rye_verify::verify::{Options, Outcome, Signers, Status, verify};

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(project), Some(signers), None) = (arguments.next(), arguments.next(), arguments.next()) else {
        eprintln!("usage: verify-items PROJECT ALLOWED_SIGNERS");
        return ExitCode::from(2);
    };
    match judge(project, signers) {
        Ok(outcome) => {
            tell(&outcome);
            if outcome.status == Status::Ok { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("error: {error}");
            let mut cause = error.source();
            while let Some(error) = cause {
                eprintln!("  caused by: {error}");
                cause = error.source();
            }
            ExitCode::from(2)
        }
    }
}

fn judge(project: PathBuf, signers: PathBuf) -> Result<Outcome, Box<dyn Error>> {
    // The environment, the clock and the project's folder are taken once, here.
    let surroundings = Surroundings::of_this_process()?;
    let context = Context::with_clock(surroundings, Some(&project), &[], Clock::system())?;
    let project = Project::open(&context)?;
    let options = Options { signers: Signers::File(std::path::absolute(signers)?), ..Options::default() };
    Ok(verify(&project, &options)?)
}

fn tell(outcome: &Outcome) {
    for finding in &outcome.findings {
        println!("{}:{}: {} [{}]", finding.path, finding.line, finding.message, finding.rule);
    }
    match outcome.status {
        Status::Empty => println!("no items to verify"),
        Status::Ok | Status::Findings => println!("{} of {} items are good", outcome.summary.good, outcome.checked),
    }
}
