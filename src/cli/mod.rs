//! The command line: words in, an operation called, words and an exit code out.
//!
//! Nothing is decided here that another front end would have to decide again: a command turns arguments into `Options`
//! and an `Outcome` into text. The contract that scripts rely on is docs/reference/cli.md, generated from the definition in
//! `command.rs`.

mod annotations;
mod args;
mod authority;
mod command;
mod commands;
mod consent;
mod doctor;
mod error;
mod exit;
mod given;
mod hints;
mod html;
mod output;
mod output_path;
mod reference;
mod report;
mod sarif;
mod screen;
mod seed_names;
mod status;
mod streams;
mod text;
mod usage;

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use clap::{CommandFactory as _, FromArgMatches as _, ValueEnum as _};

use crate::context::{self, Clock, Context, Surroundings};
use crate::keys;
use crate::process;
use args::{Early, Format};
use command::Cli;
use commands::MissingKeys;
use error::Error;
use exit::Exit;
use output::Output;
use report::Report;
use streams::{Streams, Texts};

pub use reference::reference;

/// Runs the program on this process's command line, with a clock.
#[must_use]
pub fn run(clock: Clock) -> ExitCode {
    let arguments = context::command_line();
    if arguments.get(1).is_some_and(|verb| verb == process::CONFINE_VERB) {
        return confine(&arguments[2..]);
    }
    if arguments.get(1).is_some_and(|flag| flag == keys::SIGN_FLAG) {
        return sign_for_git(&arguments[1..]);
    }
    let mut output = Output::new(Streams::Process, &Early::of(&arguments), context::is_colour_unwanted());
    let exit = ended(&mut output, |output| {
        process::survive_file_size_limit()?;
        dispatch(output, parse(&arguments), || Ok(Surroundings::of_this_process()?), clock)
    });
    ExitCode::from(exit.code())
}

/// What is left of a run inside another program.
#[doc(hidden)]
#[derive(Debug)]
pub struct Ran {
    /// The exit code.
    pub code: u8,
    /// What was written to stdout.
    pub stdout: Vec<u8>,
    /// What was written to stderr.
    pub stderr: Vec<u8>,
}

/// Runs the program inside this process, without a terminal and with an empty stdin: for tests. `arguments` begins with the program's name.
///
/// Returns nothing, and has done nothing, for a command that is about its process: one that hands streams to another program, serves on them,
/// or runs what is stopped by signals. While it runs, panics of this process are reported as this program's; some commands leave handlers of
/// signals behind.
#[doc(hidden)]
#[must_use]
pub fn run_in(surroundings: Surroundings, clock: Clock, arguments: &[OsString]) -> Option<Ran> {
    if arguments.get(1).is_some_and(|verb| verb == process::CONFINE_VERB || verb == keys::SIGN_FLAG) {
        return None;
    }
    let streams = Streams::kept();
    let no_color = context::is_colour_unwanted_in(&surroundings);
    let mut output = Output::new(streams.clone(), &Early::of(arguments), no_color);
    let mut needs_process = false;
    let exit = ended(&mut output, |output| {
        let parsed = parse(arguments);
        needs_process = parsed.as_ref().is_ok_and(|cli| cli.command.needs_process());
        if needs_process { Ok(Exit::Done) } else { dispatch(output, parsed, || Ok(surroundings), clock) }
    });
    let Texts { stdout, stderr } = streams.take();
    (!needs_process).then(|| Ran { code: exit.code(), stdout, stderr })
}

/// Does a run's work, and reports how it failed.
fn ended(output: &mut Output, work: impl FnOnce(&mut Output) -> Result<Exit, Error>) -> Exit {
    let done = guarded(|| work(output).and_then(|exit| Ok(output.finish().map(|()| exit)?)));
    let exit = match done {
        Ok(Ok(exit)) => exit,
        Ok(Err(error)) => report(output, &error),
        Err(panic) => {
            output.report(&Report::internal(&panic));
            Exit::Internal
        }
    };
    // The last message has no other place to go.
    drop(output.finish());
    exit
}

/// Keeps the program named after the hidden verb, or becomes it; then it returns only when that failed.
fn confine(arguments: &[OsString]) -> ExitCode {
    match process::confine_main(arguments) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            report_plainly(&Error::Process(error));
            ExitCode::from(127)
        }
    }
}

/// Answers git's call for a commit's signature.
fn sign_for_git(arguments: &[OsString]) -> ExitCode {
    match keys::answer_git(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            report_plainly(&Error::Answer(error));
            ExitCode::FAILURE
        }
    }
}

fn report_plainly(error: &Error) {
    let mut output = Output::plain();
    output.report(&Report::of(error));
    drop(output.finish());
}

fn dispatch(
    output: &mut Output,
    parsed: Result<Cli, clap::Error>,
    surroundings: impl FnOnce() -> Result<Surroundings, Error>,
    clock: Clock,
) -> Result<Exit, Error> {
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() => return Err(Error::Usage(usage::harmless(error))),
        Err(help) => {
            output.help(&help.render())?;
            return Ok(Exit::Done);
        }
    };
    check_format(&cli)?;
    output.adopt(&cli.global);
    let (change_dir, overrides) = (cli.global.change_dir.as_deref(), &cli.global.config);
    let ctx = Context::with_clock(surroundings()?, change_dir, overrides, clock)?;
    output.show_paths_from(ctx.current_dir());
    authority::check(&ctx, output, &cli.command)?;
    let missing = MissingKeys::before(&ctx);
    let done = command::perform(&ctx, output, &cli.command);
    missing.tell(&ctx, output);
    done
}

fn parse(arguments: &[OsString]) -> Result<Cli, clap::Error> {
    Cli::from_arg_matches(&Cli::command().try_get_matches_from(arguments)?)
}

/// Refuses a form of output that another command has.
fn check_format(cli: &Cli) -> Result<(), Error> {
    let Some(format) = (!cli.command.formats().contains(&cli.global.format)).then_some(cli.global.format) else {
        return Ok(());
    };
    let name = format.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
    let others = match format {
        Format::Human | Format::Json | Format::Sarif | Format::Github => "`rye lint` and `rye verify` have it",
        Format::Sshsig => "`rye verify` has it",
        Format::Jsonl => "`rye thread run`, `fork`, `rerun`, `tail` and `export` have it",
        Format::Md => "`rye thread export` has it",
    };
    let message = format!("this command has no `--format {name}`; {others}");
    Err(Error::Usage(Cli::command().error(clap::error::ErrorKind::InvalidValue, message)))
}

fn report(output: &mut Output, error: &Error) -> Exit {
    match error {
        Error::Usage(usage) if !output.is_json() => output.usage(&usage.render()),
        _ => output.report(&Report::of(error)),
    }
    error::exit(error)
}

/// Runs `work`; a panic comes back as its sentence and place instead of as the runtime's own message.
fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    let told = Arc::new(Mutex::new(String::new()));
    let hook = Arc::clone(&told);
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        *hook.lock().unwrap_or_else(PoisonError::into_inner) = panic.to_string();
    }));
    let done = catch_unwind(AssertUnwindSafe(work));
    std::panic::set_hook(before);
    done.map_err(|_| told.lock().unwrap_or_else(PoisonError::into_inner).clone())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    /// The hook that panics go to is the process's: one test at a time changes it.
    static HOOK: Mutex<()> = Mutex::new(());

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_panic_inside_another_program_is_reported_as_in_this_one() {
        let _turn = HOOK.lock().unwrap_or_else(PoisonError::into_inner);
        let streams = Streams::kept();
        let mut output = Output::new(streams.clone(), &Early::of(&[]), true);
        let exit = ended(&mut output, |_| panic!("it broke"));
        let said = String::from_utf8(streams.take().stderr).unwrap();
        assert_eq!(exit.code(), 70);
        assert!(said.starts_with("error: ") && said.contains("it broke"), "{said}");
    }

    #[test]
    fn a_panic_becomes_a_calm_report() {
        let _turn = HOOK.lock().unwrap_or_else(PoisonError::into_inner);
        let panic = guarded(|| -> () { panic!("it broke") }).unwrap_err();
        let report = Report::internal(&panic);
        assert_eq!((report.code, Exit::Internal.code()), ("internal", 70));
        assert!(report.causes[0].contains("src/cli/mod.rs:") && report.causes[0].ends_with("it broke"), "{report:?}");
    }
}
