//! `rye hook`

use clap::{Args, Subcommand, ValueEnum};

use super::commit::tell_of_proof;
use super::{git_terminal, person, warn_of_key, warn_of_signed};
use crate::cli::consent::{self, Signs};
use crate::cli::error::{Error, shell};
use crate::cli::exit::Exit;
use crate::cli::given::read_stdin;
use crate::cli::hints;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;
use crate::keys::{KeyName, KeyStore, known_person};
use crate::ops::hook::{self, Staged};
use crate::project::Project;
use crate::redact::without_keys;

/// Sign items in `git commit`
///
/// There are three hooks. `pre-commit` looks for secrets in what is staged, and signs staged items as `rye commit` does: it lists
/// them and asks on the terminal; without a terminal it stops the commit. It signs nothing if no item needs a signature. It also stops a
/// commit that would not verify. `post-commit` writes the notes. No hook can sign
/// the commit itself: git does, if `commit.gpgSign` is set, and `install` says how. `pre-push` keeps `git push` from
/// pushing threads and secrets. Your own hooks run first; `rye hook remove` restores them.
#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  rye hook install
  rye hook remove")]
pub(in crate::cli) enum HookCommand {
    /// Put the hooks in place
    #[command(after_help = "Examples:\n  rye hook install")]
    Install,
    /// Remove the hooks, and restore the former ones
    #[command(after_help = "Examples:\n  rye hook remove")]
    Remove,
    Run(RunArgs),
}

impl HookCommand {
    /// Tells whether the command is about its process: a hook reads what git hands to it.
    pub(in crate::cli) const fn needs_process(&self) -> bool {
        match self {
            Self::Run(_) => true,
            Self::Install | Self::Remove => false,
        }
    }
}

/// Run a hook, for programs that manage hooks
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye hook run pre-commit
  rye hook run pre-push origin URL    reads the hook's stdin from git")]
pub(in crate::cli) struct RunArgs {
    /// Which hook
    #[arg(value_name = "HOOK", value_enum)]
    hook: Hook,

    /// The arguments that git passes to the hook
    #[arg(value_name = "ARGUMENT")]
    arguments: Vec<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Hook {
    PreCommit,
    PostCommit,
    PrePush,
}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, command: &HookCommand) -> Result<Exit, Error> {
    let project = Project::open(ctx)?;
    match command {
        HookCommand::Install => {
            let outcome = hook::install(&project)?;
            let exit = tell(output, &outcome)?;
            if !outcome.signs_commits {
                let key = KeyStore::new(ctx)?.path(KeyName::Person);
                output.note("git does not sign the commits themselves here; `rye commit` does");
                output.note(&hints::SIGN_COMMITS.fill(&[("path", &shell(&key))]));
            }
            Ok(exit)
        }
        HookCommand::Remove => tell(output, &hook::remove(&project)?),
        HookCommand::Run(RunArgs { hook: Hook::PreCommit, .. }) => pre_commit(ctx, output, &project),
        HookCommand::Run(RunArgs { hook: Hook::PostCommit, .. }) => {
            hook::post_commit(&project)?;
            Ok(Exit::Done)
        }
        HookCommand::Run(RunArgs { hook: Hook::PrePush, arguments }) => {
            pre_push(output, &project, arguments, &read_stdin()?)
        }
    }
}

fn tell(output: &mut Output, outcome: &hook::Outcome) -> Result<Exit, Error> {
    output.outcome(outcome, |page| text::hook::write(page, outcome))?;
    if outcome.is_shared {
        output.note("`core.hooksPath` says where hooks lie: whatever else uses that folder has these too");
    }
    Ok(Exit::Done)
}

fn pre_push(output: &mut Output, project: &Project, arguments: &[String], refs: &str) -> Result<Exit, Error> {
    let remote = arguments.first().map_or("the remote", String::as_str);
    let url = arguments.get(1).map(String::as_str);
    let mut unasked = None;
    let push = hook::Push { remote, url, refs, terminal: git_terminal(output) };
    let judged = hook::pre_push(project, &push, &mut unasked);
    if let Some(error) = unasked {
        let why = text::one_line(&without_keys(&error.to_string()));
        output.note(&format!("the remote was not asked what it has, so all commits were checked: {why}"));
    }
    judged?;
    Ok(Exit::Done)
}

fn pre_commit(ctx: &Context, output: &mut Output, project: &Project) -> Result<Exit, Error> {
    hook::inspect_staged(project)?;
    let own = known_person(ctx, &KeyStore::new(ctx)?, None)?;
    let staged = Staged::find(project, own).inspect_err(|error| {
        if let hook::Error::Invalid { failures } = error {
            output.on_stderr(|page| text::sign::write_failures(page, failures));
        }
    })?;
    let Some(staged) = staged else {
        // Git says nothing of what it does not change, and neither does its hook.
        hook::prove_staged(project, own).inspect_err(|error| write_findings(output, error))?;
        return Ok(Exit::Done);
    };
    own.iter().for_each(|own| warn_of_key(output, project, own));
    // A flag does not answer: a command in a hook manager's configuration is not the person's consent.
    consent::to_sign(ctx, output, staged.plan(), Signs::Items)?;
    let key = person(ctx, output, None)?;
    let signed = staged.sign(&key).inspect_err(|error| write_findings(output, error))?;
    signed.items.iter().for_each(|item| warn_of_signed(output, item));
    output.outcome(&signed, |page| text::commit::write_signed(page, &signed.items))?;
    tell_of_proof(output, signed.proof);
    Ok(Exit::Done)
}

fn write_findings(output: &mut Output, error: &hook::Error) {
    if let hook::Error::Unverified(unverified) = error {
        output.on_stderr(|page| text::verify::write_findings(page, &unverified.findings));
    }
}
