//! `rye verify`

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Args, ValueEnum};

use super::tell_of_proposal;
use crate::cli::args::{self, Format};
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::hints;
use crate::cli::output::Output;
use crate::cli::sarif::Ended;
use crate::cli::text::{self, Page};
use crate::cli::{annotations, sarif};
use crate::context::Context;
use crate::format::Position;
use crate::ops::verify::{self, Finding, Outcome, Signers, Source, Status};
use crate::ops::{decisions, sign};
use crate::project::Project;

/// Verify the signature of every item of the project
///
/// Exits with 3 when an item is unsigned, changed, signed by an untrusted key, or signed in version 1, and with 7 when there is no item, or
/// no commit for `--commits`, to verify. With a trust root, the trust files of that revision decide who may sign and how many must; the
/// verified state must not be older, and may change these files only as their roots allow.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye verify
  rye verify .ai/tools demo/greet
  rye verify --rev HEAD --trust-root refs/remotes/origin/main
  rye verify --range refs/remotes/origin/main..HEAD --commits --trust-root refs/remotes/origin/main
  rye verify --format sarif
  rye verify --format github          annotate the lines of a pull request
  rye verify demo/greet --format sshsig
                                      print input for `ssh-keygen -Y verify -n rye`")]
pub(in crate::cli) struct VerifyArgs {
    /// Ids, files or folders (default: everything)
    #[arg(value_name = "ID|PATH", value_parser = args::name())]
    only: Vec<String>,

    /// A commit instead of the work tree
    #[arg(long, value_parser = args::name())]
    rev: Option<String>,

    /// Each commit of a range, and the whole tree at its end
    #[arg(long, value_name = "A..B", value_parser = args::name())]
    range: Option<String>,

    /// Also verify the signatures of the commits. `authored` lets merge commits pass without a signature
    #[arg(long, value_enum, value_name = "WHICH", num_args = 0..=1, require_equals = true, default_missing_value = "all")]
    commits: Option<Commits>,

    /// Trust only the keys of this file, except those that you revoked; use a file that is not part of the change
    #[arg(long, value_name = "FILE")]
    allowed_signers: Option<PathBuf>,

    /// Also treat the keys of this file as revoked
    #[arg(long, value_name = "FILE")]
    revoked: Option<PathBuf>,

    /// Trust the trust files of this revision, except keys that you revoked, and compare with it; use a revision from before the change
    #[arg(long, value_name = "REV", value_parser = args::name())]
    trust_root: Option<String>,

    /// A branch whose signed commits a forge merged or squashed, besides those of every ref; may be repeated
    #[arg(long, value_name = "REV", value_parser = args::name())]
    merged: Vec<String>,

    /// Verify every item again, also those that an earlier run found good
    #[arg(long)]
    no_cache: bool,

    /// Only warn about items signed in version 1, whose signatures do not cover everything
    #[arg(long)]
    allow_legacy: bool,

    /// Exit with 0 when there is no item, or no commit, to verify
    #[arg(long)]
    allow_empty: bool,

    /// Print text, one JSON object, SARIF 2.1.0, annotations for GitHub, or messages and envelopes for ssh-keygen
    #[arg(long, value_parser = args::formats(FORMATS), default_value = "human")]
    format: Format,
}

/// The formats of this command.
pub(in crate::cli) const FORMATS: &[Format] =
    &[Format::Human, Format::Json, Format::Sarif, Format::Github, Format::Sshsig];

/// Which commits must be signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Commits {
    /// All commits
    All,
    /// Commits that are not merges
    Authored,
}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, args: &VerifyArgs) -> Result<Exit, Error> {
    let options = options(args)?;
    let project = Project::open(ctx)?;
    let outcome = verify::verify(&project, &options)?;
    outcome.warnings.iter().for_each(|warning| output.warn(&text::one_line(warning)));
    print(output, args, &outcome)?;
    if let Some(line) = text::verify::ignored(&outcome.ignored) {
        output.note(&line);
    }
    if options.source == Source::WorkTree
        && let Some(sentence) = project.left_out()?.sentence()
    {
        output.note(&format!("{sentence}; the index has them, and they were judged as it has them"));
    }
    tell_of_nothing(output, args, &outcome, &project)?;
    if matches!(options.signers, Signers::Trusted)
        && let Some(state) = decisions::project_state(&project)?
    {
        tell_of_proposal(output, &state, false);
    }
    match outcome.status {
        Status::Ok => Ok(Exit::Done),
        Status::Findings => Ok(Exit::Refused),
        Status::Empty if args.allow_empty => Ok(Exit::Done),
        Status::Empty => Ok(Exit::Nothing),
    }
}

/// Reports checks without anything to check. Where that is why the program fails, it is said to whoever asked for
/// quiet, too.
fn tell_of_nothing(output: &mut Output, args: &VerifyArgs, outcome: &Outcome, project: &Project) -> Result<(), Error> {
    let is_failure = is_failure(args, outcome);
    let mut tell = |write: &dyn Fn(&mut Page<'_>)| {
        if is_failure {
            output.on_stderr(write);
        } else {
            output.status(write);
        }
    };
    if let (Some(range), true) = (&args.range, outcome.is_without_commits()) {
        let advice = hints::NO_COMMITS.fill(&[("name", &text::quoted(range))]);
        tell(&|page| text::verify::write_no_commits(page, range, &advice));
    }
    if outcome.has_only_merges() {
        tell(&|page| text::verify::write_only_merges(page, &hints::ONLY_MERGES.fill(&[])));
    }
    if outcome.status == Status::Empty && outcome.checked == 0 {
        let is_here = args.rev.is_none() && args.range.is_none();
        let has_skills = is_here && sign::has_unsigned_skills(project)?;
        let advice = if has_skills { hints::SIGN_SKILLS } else { hints::SIGN_ALL };
        tell(&|page| {
            if is_failure {
                text::verify::write_empty(page, &advice.fill(&[]));
            } else {
                text::verify::write_allowed_empty(page);
            }
        });
    }
    Ok(())
}

/// Tells whether the program fails because there was nothing to check.
fn is_failure(args: &VerifyArgs, outcome: &Outcome) -> bool {
    outcome.status == Status::Empty && !args.allow_empty
}

/// Reads the command line; options that contradict each other are a mistake, and the sentence says why.
fn options(args: &VerifyArgs) -> Result<verify::Options, Error> {
    let commits = args.commits.map(|which| match which {
        Commits::All => verify::Commits::All,
        Commits::Authored => verify::Commits::Authored,
    });
    let source = match (&args.rev, &args.range) {
        (Some(_), Some(_)) => {
            return Err(contradiction("`--rev` and `--range` both say what to verify; a range ends with a revision"));
        }
        (None, None) if commits.is_some() => {
            return Err(contradiction("`--commits` is about commits; say which with `--range A..B` or `--rev REV`"));
        }
        (None, None) => Source::WorkTree,
        (Some(revision), None) => Source::Revision { revision: revision.clone(), commits },
        (None, Some(range)) => Source::Range { range: range.clone(), commits },
    };
    let signers = match (&args.allowed_signers, &args.trust_root) {
        (Some(_), Some(_)) => {
            return Err(contradiction("`--allowed-signers` and `--trust-root` both say who may sign"));
        }
        (None, None) => Signers::Trusted,
        (Some(path), None) => Signers::File(path.clone()),
        (None, Some(revision)) => Signers::Root(revision.clone()),
    };
    Ok(verify::Options {
        only: args.only.clone(),
        source,
        signers,
        revoked: args.revoked.clone(),
        merged: args.merged.clone(),
        no_cache: args.no_cache,
        allow_legacy: args.allow_legacy,
        envelopes: args.format == Format::Sshsig,
    })
}

fn contradiction(sentence: &str) -> Error {
    Error::Usage(clap::Error::raw(ErrorKind::ArgumentConflict, sentence))
}

fn print(output: &mut Output, args: &VerifyArgs, outcome: &Outcome) -> Result<(), Error> {
    let messages: Vec<String> = outcome.findings.iter().map(message).collect();
    let noted = || outcome.findings.iter().zip(&messages).map(noted).collect::<Vec<_>>();
    match args.format {
        Format::Sarif if !output.is_json() => {
            let ended = if is_failure(args, outcome) { Ended::WithoutCheck } else { Ended::Well };
            output.json(&sarif::log(&verify::rules(), &noted(), ended))?;
        }
        Format::Github if !output.is_json() => output.raw(annotations::lines(&noted()).as_bytes())?,
        Format::Sshsig if !output.is_json() => {
            let parts = outcome.envelopes.iter().map(|envelope| format!("{}{}", envelope.message, envelope.armored));
            output.raw(parts.collect::<String>().as_bytes())?;
            output.status(|page| text::verify::write(page, outcome));
        }
        _ => output.outcome(outcome, |page| text::verify::write(page, outcome))?,
    }
    Ok(())
}

/// Adds the explanation of a finding to its sentence.
fn message(finding: &Finding) -> String {
    match &finding.because {
        Some(because) => format!("{} ({because})", finding.message),
        None => finding.message.clone(),
    }
}

/// Tells a finding to code scanning.
fn noted<'o>((finding, message): (&'o Finding, &'o String)) -> sarif::Noted<'o> {
    sarif::Noted {
        rule: finding.rule,
        severity: finding.severity,
        message,
        hint: Some(&finding.hint),
        path: &finding.path,
        start: Position { line: finding.line, column: 1 },
        end: None,
    }
}
