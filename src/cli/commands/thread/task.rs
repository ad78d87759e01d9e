//! `rye run`: one task, given as text, with permissions by flags.

use std::path::PathBuf;

use clap::Args;

use super::options::{FormatArgs, LimitArgs, ModelArgs, PatienceArgs, watched_then};
use super::saving;
use crate::cli::args;
use crate::cli::commands::warn_of_caller;
use crate::cli::error::{Error, TaskError};
use crate::cli::exit::Exit;
use crate::cli::given::read_stdin;
use crate::cli::output::Output;
use crate::cli::text::{self, quoted};
use crate::context::Context;
use crate::error::with_causes;
use crate::id::{ItemId, ItemType};
use crate::item::{GrantFlags, PersonGrant, TASK};
use crate::ops::permissions::Caller;
use crate::session::Session;
use crate::task::{self, Refusals};
use crate::thread::{self, Outcome, RunOptions};

/// The longest task that a line of advice repeats, in characters.
const SHORT: usize = 60;

/// Do one task, given as text
///
/// Runs the built-in directive `rye/core/task` as a thread, with the text as its input. By default the task reads the project, writes
/// nothing and runs nothing; flags let it do more, and the end of a run names the flags for what was refused. The task works in a private
/// work tree of the last commit. Its changes are on the thread's branch until you run `rye thread accept`.
///
/// A task ends after 50 turns, 1,000,000 tokens, 1.00 USD or an hour; `--limit` sets other values.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye run \"Explain how the cache is invalidated\"
  rye run --write 'src/**' --shell cargo \"Fix the failing test\"
  rye run --read 'docs/**' --host example.org --limit spend=0.20 \"Check the links\"
  rye run - <task.txt
  rye run --write 'src/**' --save team/fix \"Fix the failing test\"")]
pub(in crate::cli) struct TaskArgs {
    /// The task, in quotes; `-` reads it from stdin
    #[arg(value_name = "TEXT")]
    text: Vec<String>,

    #[command(flatten)]
    grant: GrantArgs,

    #[command(flatten)]
    asked: ModelArgs,

    /// Also restrict calls to this capability document
    #[arg(long, value_name = "FILE")]
    permissions: Option<PathBuf>,

    #[command(flatten)]
    limits: LimitArgs,

    #[command(flatten)]
    patience: PatienceArgs,

    /// Begin with your uncommitted changes and untracked files, as the thread's first commit
    #[arg(long)]
    with_changes: bool,

    /// Work in your own work tree: files with uncommitted changes are not written
    #[arg(long, conflicts_with = "with_changes")]
    in_place: bool,

    /// Write the completed task as an unsigned directive, with the narrowest permissions that the run used
    #[arg(long, value_name = "ID", value_parser = saving::directive_id)]
    save: Option<ItemId>,

    /// With --save: run nothing, and write the task of this thread
    #[arg(long, value_name = "THREAD", value_parser = args::name(), requires = "save")]
    from: Option<String>,

    #[command(flatten)]
    output: FormatArgs,
}

/// What the task may do.
#[derive(Debug, Args)]
struct GrantArgs {
    /// Let it read only these paths, instead of the whole project
    #[arg(long, value_name = "GLOB", value_parser = glob)]
    read: Vec<String>,

    /// Let it write these paths
    #[arg(long, value_name = "GLOB", value_parser = glob)]
    write: Vec<String>,

    /// Let it run this program, with any arguments, in the sandbox
    #[arg(long, value_name = "PROGRAM", value_parser = program)]
    shell: Vec<String>,

    /// Let it reach this host
    #[arg(long, value_name = "HOST", value_parser = host)]
    host: Vec<String>,
}

impl GrantArgs {
    /// Returns the permissions. Each flag was read alone before, and together they are read again.
    fn granted(&self) -> Result<PersonGrant, Error> {
        let Self { read, write, shell, host } = self;
        let flags = GrantFlags { read: read.clone(), write: write.clone(), shell: shell.clone(), host: host.clone() };
        Ok(PersonGrant::try_from(flags).map_err(TaskError::Flags)?)
    }
}

impl TaskArgs {
    /// Tells whether it lets the task do more than read the project, under the usual limits and in a tree of its own.
    pub(in crate::cli) fn widens(&self) -> bool {
        let GrantArgs { read: _, write, shell, host } = &self.grant;
        !(write.is_empty() && shell.is_empty() && host.is_empty()) || self.in_place || self.limits.is_given()
    }

    /// Names the act, for the question to the person.
    pub(in crate::cli) fn in_words(&self) -> String {
        let granted = self.grant.granted().map(|granted| granted.to_string()).unwrap_or_default();
        let place = if self.in_place { ", in your work tree" } else { "" };
        let limits = if self.limits.is_given() { ", with other limits" } else { "" };
        let text = self.text.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
        format!("start a task that may {granted}{place}{limits}: {text}")
    }

    /// Reads the task.
    fn task(&self) -> Result<String, Error> {
        let text = match self.text.as_slice() {
            [] => return Err(TaskError::Missing.into()),
            [dash] if dash == "-" => read_stdin()?,
            [text] => text.clone(),
            words => return Err(TaskError::Words { text: words.join(" ") }.into()),
        };
        if text.trim().is_empty() { Err(TaskError::Missing.into()) } else { Ok(text.trim().to_owned()) }
    }
}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, args: &TaskArgs) -> Result<Exit, Error> {
    if let (Some(thread), Some(item_id)) = (&args.from, &args.save) {
        if !args.text.is_empty() {
            return Err(TaskError::NothingRuns.into());
        }
        return saving::save_from(ctx, output, thread, item_id);
    }
    // It may come from stdin, where Ctrl-C ends the program.
    let (task, granted) = (args.task()?, args.grant.granted()?);
    let caller = args.permissions.as_deref().map(|path| Caller::read(ctx, path)).transpose()?;
    warn_of_caller(output, caller.as_ref());
    let options = |session: &Session, _: &mut Output| {
        refuse_id(session, &task)?;
        args.save.iter().try_for_each(|item_id| saving::check(session, item_id))?;
        let inputs = serde_json::Map::from_iter([("task".to_owned(), task.clone().into())]);
        Ok(RunOptions {
            directive: TASK.parse().map_err(|_| TaskError::Missing)?,
            given: inputs.into(),
            provider: args.asked.provider.clone(),
            model: args.asked.model.clone(),
            script: args.asked.script.clone(),
            limits: args.limits.joined(),
            patience: args.patience.patience,
            caller,
            granted: Some(granted),
            with_changes: args.with_changes,
            rerun_of: None,
            words_of: None,
            in_place: args.in_place,
        })
    };
    let after = |session: &Session, output: &mut Output, outcome: &Outcome, exit: Exit| {
        match task::refusals(session, outcome.thread_id.clone()) {
            Ok(Some(refusals)) => tell_of_refusals(ctx, output, &refusals, &task),
            Ok(None) => {}
            Err(error) => output.warn(&with_causes(&error)),
        }
        args.save.as_ref().map_or(exit, |item_id| saving::save(session, output, outcome, item_id, exit))
    };
    watched_then(ctx, output, &args.output, options, thread::run, after)
}

/// Refuses a task that is the id or the file of a directive: whoever types it means that directive.
fn refuse_id(session: &Session, task: &str) -> Result<(), Error> {
    let Ok(named) = task.parse::<args::Named>() else { return Ok(()) };
    let Ok(item_id) = named.id(session.project(), Some(ItemType::Directive)) else { return Ok(()) };
    let there = session.project().workspace().candidates(ItemType::Directive, &item_id);
    match there {
        Ok(found) if found.is_empty() => Ok(()),
        Ok(_) | Err(_) => Err(TaskError::AnId { item_id }.into()),
    }
}

/// Says what the task was refused, and with which flags it is not. An agent client is not told how to lift a refusal.
fn tell_of_refusals(ctx: &Context, output: &mut Output, refusals: &Refusals, task: &str) {
    let given = GrantFlags::from(refusals.granted.clone());
    let flags = refusals.flags();
    let needs = refusals.needs.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let told = match (needs.is_empty(), ctx.agent_client()) {
        (true, None) if !refusals.granted.widens() => {
            "the task could read the project, and nothing else; to allow more: `rye run --write GLOB --shell PROGRAM --host HOST …`"
                .to_owned()
        }
        (true, _) => return,
        (false, None) if flags != given => format!("refused: {needs}; to allow it: `{}`", command(&flags, task)),
        (false, _) => format!("refused: {needs}"),
    };
    output.note(&text::one_line(&told));
}

/// Writes the command that gives these flags.
fn command(flags: &GrantFlags, task: &str) -> String {
    let GrantFlags { read, write, shell, host } = flags;
    let read: &[String] = if read.iter().any(|glob| glob == "**") { &[] } else { read };
    let flags = [("--read", read), ("--write", write), ("--shell", shell), ("--host", host)];
    let flags =
        flags.iter().flat_map(|(flag, values)| values.iter().map(move |value| format!("{flag} {}", quoted(value))));
    let is_short = task.chars().count() <= SHORT && !task.chars().any(char::is_control);
    let text = if is_short { quoted(task) } else { "…".to_owned() };
    format!("rye run {} {text}", flags.collect::<Vec<_>>().join(" "))
}

/// Reads one flag by itself.
fn one(text: &str, flag: impl FnOnce(&mut GrantFlags, String)) -> Result<String, String> {
    let mut flags = GrantFlags::default();
    flag(&mut flags, text.to_owned());
    PersonGrant::try_from(flags).map(|_| text.to_owned()).map_err(|error| error.to_string())
}

fn glob(text: &str) -> Result<String, String> {
    one(text, |flags, text| flags.read.push(text))
}

fn program(text: &str) -> Result<String, String> {
    one(text, |flags, text| flags.shell.push(text))
}

fn host(text: &str) -> Result<String, String> {
    one(text, |flags, text| flags.host.push(text))
}
