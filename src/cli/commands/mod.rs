//! One file per command, one folder per family of them: arguments, and two functions — options in, outcome printed. Here is what
//! several of them tell.

pub(super) mod commit;
pub(super) mod completions;
pub(super) mod diff;
pub(super) mod doctor;
pub(super) mod execute;
pub(super) mod hook;
pub(super) mod import;
pub(super) mod init;
pub(super) mod key;
pub(super) mod lint;
pub(super) mod list;
pub(super) mod load;
pub(super) mod man;
pub(super) mod mcp;
mod mcp_import;
pub(super) mod migrate;
pub(super) mod mv;
pub(super) mod new;
pub(super) mod notes;
pub(super) mod permissions;
pub(super) mod plugin;
pub(super) mod provider;
pub(super) mod publish;
pub(super) mod pull;
pub(super) mod registry;
pub(super) mod search;
pub(super) mod show;
pub(super) mod sign;
pub(super) mod status;
pub(super) mod thread;
pub(super) mod trust;
pub(super) mod verify;

use std::path::Path;

use super::args::AllowSecret;
use super::consent;
use super::error::{Error, Question, Refusal};
use super::hints;
use super::output::Output;
use super::streams::Streams;
use super::text;
use crate::context::Context;
use crate::format::{Finding, Severity};
use crate::git::{Relay, Terminal, Words};
use crate::id::{ItemId, ItemType};
use crate::keys::{KeyInfo, KeyName, KeyStore, PersonKey, TrustDir, drafted_person, person_key};
use crate::ops::decisions::ProjectState;
use crate::ops::permissions::Caller;
use crate::ops::sign::{Item, Status};
use crate::project::Project;
use crate::trust::{Fault, KeyId, Namespace, Place, PublicKey, Signer as _};

/// Picks the person's key, and tells if it was made just now: then stock git is to know it too.
fn person(ctx: &Context, output: &mut Output, named: Option<&str>) -> Result<PersonKey, Error> {
    let store = KeyStore::new(ctx)?;
    let chosen = person_key(ctx, &store, named, output.ask_hidden())?;
    tell_if_new(ctx, output, &store, &chosen)?;
    Ok(chosen)
}

/// Picks the person's key, to plan with: a missing one is made in memory only, until [`keep`].
fn drafted(ctx: &Context, output: &Output, named: Option<&str>) -> Result<PersonKey, Error> {
    Ok(drafted_person(ctx, &KeyStore::new(ctx)?, named, output.ask_hidden())?)
}

/// Writes a key that was made in memory only, and tells of it: now it is going to sign.
fn keep(ctx: &Context, output: &mut Output, drafted: PersonKey) -> Result<PersonKey, Error> {
    let store = KeyStore::new(ctx)?;
    let kept = drafted.keep(&store)?;
    tell_if_new(ctx, output, &store, &kept)?;
    Ok(kept)
}

fn tell_if_new(ctx: &Context, output: &mut Output, store: &KeyStore, key: &PersonKey) -> Result<(), Error> {
    if key.is_new() {
        TrustDir::new(ctx)?.write_git_files(store)?;
        tell_of_key(output, KeyName::Person, &key.public(), key.path());
    }
    Ok(())
}

/// Tells whether git may ask for credentials on the terminal.
fn git_terminal(output: &Output) -> Terminal {
    let is_shared = output.is_stdin_terminal() && !output.is_json();
    let relay = Relay { show: show_words_of_git, is_terminal: output.terminal().is_some() };
    if is_shared { Terminal::Shared(relay) } else { Terminal::None }
}

/// Shows what git, or a server behind it, said. The next line is written over progress, which fits the terminal's width.
fn show_words_of_git(words: Words<'_>) {
    let streams = Streams::Process;
    let line = |text: &str| format!("git: {}", text::one_line(text));
    streams.offer(&match (words, streams.is_stderr_terminal()) {
        (Words::Line(text), true) => format!("{}\u{1b}[K\n", line(text)),
        (Words::Line(text), false) => format!("{}\n", line(text)),
        (Words::Progress(text), true) => {
            let most = streams.stderr_width().unwrap_or(80).saturating_sub(1);
            format!("{}\u{1b}[K\r", line(text).chars().take(most).collect::<String>())
        }
        // In a file nothing is written over; the last one comes as a line.
        (Words::Progress(_), false) => return,
        (Words::Silence, _) => "note: git says nothing yet; if the SSH key is a security key, touch it\n".to_owned(),
    });
}

/// Warns of a key whose signatures do not count here, whoever decided that.
fn warn_of_key(output: &mut Output, project: &Project, key: &PublicKey) {
    let (id, now) = (key.key_id(), project.context().now());
    let state = match project.keys().judge(Namespace::Item, Place::PROJECT, &id, now, |known| known == key) {
        Err(Fault::Revoked { .. }) => "revoked",
        Err(Fault::OutsideValidity { .. }) => "not valid at this time",
        _ => return,
    };
    output.warn(&format!("the key {id} is {state}: what it signs does not count here"));
    output.note(&hints::KEY_RENEW.fill(&[]));
}

/// Reports keys that were just made, so that they do not surprise the person.
fn tell_of_new_keys(output: &mut Output, keys: &[KeyInfo]) {
    for key in keys.iter().filter(|key| key.created) {
        output.note_once(&made(key.name, &key.key_id, &key.path));
    }
}

fn tell_of_key(output: &mut Output, name: KeyName, key: &PublicKey, path: &Path) {
    output.note_once(&made(name.as_str(), &key.key_id(), path));
}

fn made(name: &str, key_id: &KeyId, path: &Path) -> String {
    format!("made the {name} key {key_id} in `{}`", path.display())
}

/// The keys that are missing before a command, so that whatever it makes of them is told, also where it fails.
pub(super) struct MissingKeys(Vec<KeyName>);

impl MissingKeys {
    pub(super) fn before(ctx: &Context) -> Self {
        Self(KeyStore::new(ctx).map(|store| store.missing()).unwrap_or_default())
    }

    /// Tells of those that are there by now, unless the command told of them.
    pub(super) fn tell(self, ctx: &Context, output: &mut Output) {
        let Ok(store) = KeyStore::new(ctx) else { return };
        for name in self.0 {
            if let Ok(Some(key)) = store.find_public(name) {
                tell_of_key(output, name, &key, &store.path(name));
            }
        }
    }
}

/// Tells of what the project proposes, where there is something to do about it, or everything.
fn tell_of_proposal(output: &mut Output, state: &ProjectState, everything: bool) {
    let proposal = text::trust::proposal(state, everything);
    for sentence in proposal.into_iter().chain(text::trust::elsewhere(state)) {
        output.note(&sentence);
    }
    if let Some(sentence) = text::trust::left_behind(state) {
        output.warn(&sentence);
    }
}

/// Shows warnings of the permissions that a caller gives.
fn warn_of_caller(output: &mut Output, caller: Option<&Caller>) {
    for (caller, finding) in caller.iter().flat_map(|caller| caller.warnings().iter().map(move |found| (caller, found)))
    {
        let shown = caller.path().strip_prefix(output.base()).unwrap_or(caller.path()).display().to_string();
        let (message, hint) = (text::one_line(&finding.message), finding.hint.as_deref().unwrap_or_default());
        output.warn(&format!(
            "`{shown}`, line {}: {message}; {} [{}]",
            finding.line,
            text::one_line(hint),
            finding.rule
        ));
    }
}

/// Warns of items that were passed over because their id belongs to the program.
fn warn_of_passed_over(output: &mut Output, paths: &[impl AsRef<std::path::Path>]) {
    for path in paths {
        let shown = path.as_ref().strip_prefix(output.base()).unwrap_or(path.as_ref()).display().to_string();
        output.warn(&format!("`{shown}` was passed over: ids below `rye/` are the program's own"));
    }
}

/// Warns of a project's configuration that cannot be used. What it would tighten is not asked for here, but where it is
/// (threads, MCP) nothing is done until it is corrected.
/// Says what a sparse checkout leaves out, and so is missing from what was shown.
fn tell_of_left_out(output: &mut Output, project: &Project) -> Result<(), Error> {
    if let Some(sentence) = project.left_out()?.sentence() {
        output.note(&format!("{sentence}; `git sparse-checkout add .ai` checks them out"));
    }
    Ok(())
}

fn warn_of_project_config(output: &mut Output, project: &Project) {
    if let Err(error) = project.configs() {
        output.warn(&format!("{error}; threads and connections over MCP refuse to work here until it is corrected"));
    }
}

/// Shows warnings of an item's validation; advice only to those who want to hear more.
fn warn_of_findings(output: &mut Output, item_type: ItemType, item_id: &ItemId, findings: &[Finding]) {
    let verbose = output.is_verbose();
    for finding in findings.iter().filter(|finding| verbose || finding.severity != Severity::Advice) {
        let message = text::one_line(&finding.message);
        output.warn(&format!("{item_type} `{item_id}`, line {}: {message} [{}]", finding.line, finding.rule));
    }
}

/// Warns of features without effect in the signed items, which a later version will refuse.
fn warn_of_signed(output: &mut Output, item: &Item) {
    let Item { item_type, item_id, legacy, idle, .. } = item;
    if item.status == Status::Signed {
        warn_of_findings(output, *item_type, item_id, idle);
    }
    if item.status == Status::Signed && !legacy.is_empty() {
        let hint = hints::MIGRATE_ITEM.fill(&[("id", item_id)]);
        let forms = legacy.join(", ");
        output.warn(&format!("{item_type} `{item_id}` has legacy forms ({forms}), refused from rye 1.0 on: {hint}"));
    }
}

/// Returns the secrets that the person lets out, each by its name. Where an agent client may have named them, the person is asked.
fn allowed(ctx: &Context, output: &Output, secrets: &AllowSecret) -> Result<Vec<String>, Error> {
    let names = secrets.names();
    if ctx.agent_client().is_some() && !names.is_empty() {
        let what = format!("let {} out: {}", text::count(names.len(), "secret"), names.join(", "));
        let answer = consent::agreed(output, ctx.agent_client(), |_| {}, &what)?;
        Refusal::unless(answer, || Question::Authority)?;
    }
    Ok(names.to_vec())
}
