//! Errors around commits: making one, the hooks, the notes, and git's call for a signature.

use super::{Exit, Facts, hints, items, keys, process, shell, workspace};
use crate::cli::hints::Hint;
use crate::git;
use crate::id::{ItemType, ThreadId};
use crate::keys::AnswerError;
use crate::ops::locate::LocateError;
use crate::ops::{commit, hook, notes};

pub(super) fn commit(error: &commit::Error) -> Facts {
    match error {
        commit::Error::InsideHook => Facts::failed("inside-hook").hint(hints::IN_A_HOOK),
        commit::Error::IndexLocked { path } => {
            Facts::failed("index-locked").hint_with(hints::INDEX_LOCK, &[("path", &shell(path))])
        }
        commit::Error::Outside { .. } => Facts::invalid("outside-project"),
        commit::Error::Unknown { .. } => Facts::failed("no-match").hint(hints::NOTHING_TO_COMMIT),
        commit::Error::Converted { .. } => Facts::failed("line-ends").hint(hints::CONVERTED),
        commit::Error::Attributes { path } => {
            Facts::new(Exit::Refused, "attributes").hint_with(hints::ATTRIBUTES, &[("path", &shell(path.as_ref()))])
        }
        commit::Error::AttributesLeft => Facts::new(Exit::Refused, "attributes-left").hint(hints::ATTRIBUTES_LEFT),
        commit::Error::PartOfMerge => Facts::failed("part-of-merge").hint(hints::WHOLE_MERGE),
        commit::Error::Nothing { .. } => Facts::failed("nothing-to-commit").hint(hints::NOTHING_TO_COMMIT),
        commit::Error::Invalid { failures } => invalid(failures),
        commit::Error::Unverified(unverified) => unverified_facts(unverified),
        commit::Error::ChangedByHook { unverified } => unverified_facts(unverified).hint(hints::CHANGED_BY_HOOK),
        commit::Error::Unmerged { .. } => Facts::failed("merge-head"),
        commit::Error::Verify(error) => items::verify(error),
        commit::Error::Draft { .. } => Facts::failed("index-copy"),
        commit::Error::Leaks(leaks) => super::leaks::facts(leaks),
        commit::Error::Stopped => Facts::new(Exit::Stopped, "stopped").hint(hints::STILL_STAGED),
        commit::Error::Refused { .. } => Facts::failed("git-commit").hint(hints::STILL_STAGED),
        commit::Error::Sign(error) => items::sign(error),
        commit::Error::Process(error) => process::facts(error),
        commit::Error::Keys(error) => keys::facts(error),
    }
}

pub(super) fn hook(error: &hook::Error) -> Facts {
    match error {
        hook::Error::TwoKept { path, .. } => {
            Facts::failed("two-hooks").hint_with(hints::TWO_HOOKS, &[("path", &shell(path))])
        }
        hook::Error::Unreadable(_) | hook::Error::Io { .. } => Facts::failed("hook-file"),
        hook::Error::Invalid { failures } => invalid(failures),
        hook::Error::Unverified(unverified) => unverified_facts(unverified),
        hook::Error::Verify(error) => items::verify(error),
        hook::Error::Draft { .. } => Facts::failed("index-copy"),
        hook::Error::Thread { name, remote } => Facts::new(Exit::Refused, "thread-pushed")
            .hint_with(hints::PUSH_ANYWAY, &[("name", &shell(remote.as_ref())), ("id", &shell(name.as_ref()))]),
        hook::Error::Record { name, remote, path, .. } => record(name, remote, path),
        hook::Error::Untold { remote, source, .. } => {
            Facts::new(Exit::Refused, "push-untold").hint_with(untold(source), &[("name", &shell(remote.as_ref()))])
        }
        hook::Error::Leaks(leaks) => super::leaks::of_hook(leaks).hint(hints::PUSH_UNSEEN),
        hook::Error::StagedLeaks { leaks } => super::leaks::facts(leaks).hint(hints::COMMIT_UNSEEN),
        hook::Error::Unseen { .. } => Facts::new(Exit::Refused, "push-untold").hint(hints::PUSH_UNSEEN),
        hook::Error::Workspace(error) => workspace::facts(error),
        hook::Error::Sign(error) => items::sign(error),
        hook::Error::Process(error) => process::facts(error),
        hook::Error::Keys(error) => keys::facts(error),
    }
}

/// Names the files that a commit lacks; each finding is told with its own hint.
fn unverified_facts(unverified: &commit::Unverified) -> Facts {
    let mut facts = Facts::new(Exit::Refused, "commit-unverified");
    let words = |paths: &[&String]| paths.iter().map(|path| shell(path.as_ref())).collect::<Vec<_>>().join(" ");
    let (ignored, others): (Vec<&String>, Vec<&String>) =
        unverified.lacking.iter().partition(|path| unverified.ignored.contains(path));
    if !others.is_empty() {
        facts = facts.hint_with(hints::STAGE_LACKING, &[("path", &words(&others))]);
    }
    if !ignored.is_empty() {
        facts = facts.hint_with(hints::STAGE_IGNORED, &[("path", &words(&ignored))]);
    }
    facts
}

/// A skill that changed after it was signed is told with a hint of its own, and `rye lint` finds nothing in it.
fn invalid(failures: &[LocateError]) -> Facts {
    let facts = Facts::invalid("invalid-items");
    // Each says itself what to do.
    let is_of_a_skill = |failure: &LocateError| {
        matches!(
            failure,
            LocateError::SkillChanged { .. }
                | LocateError::SkillPlace { .. }
                | LocateError::SkillNotStaged { .. }
                | LocateError::Refused { item_type: ItemType::Skill, .. }
        )
    };
    match failures {
        [LocateError::SkillNotStaged { paths, is_ignored, .. }] => {
            let paths: Vec<String> = paths.iter().map(|path| shell(path.as_ref())).collect();
            let hint = if *is_ignored { hints::STAGE_IGNORED } else { hints::STAGE };
            facts.hint_with(hint, &[("path", &paths.join(" "))])
        }
        _ if failures.iter().all(is_of_a_skill) => facts,
        _ => facts.hint(hints::MEND_ITEMS),
    }
}

fn record(name: &str, remote: &str, path: &str) -> Facts {
    let facts = Facts::new(Exit::Refused, "thread-pushed");
    let [name, remote] = [name, remote].map(|word| shell(word.as_ref()));
    let facts = facts.hint_with(hints::PUSH_WITHOUT, &[("id", &name), ("name", &remote)]);
    match path.split('/').nth(2).and_then(|id| id.parse::<ThreadId>().ok()) {
        Some(thread_id) => facts.hint_with(hints::PUSH_FIRST, &[("name", &remote), ("id", &thread_id)]),
        None => facts,
    }
}

fn untold(source: &git::Error) -> Hint {
    match source {
        git::Error::UnknownRevision { .. } => hints::PUSH_COMMITS,
        _ => hints::PUSH_FETCH,
    }
}

pub(super) fn notes(error: &notes::Error) -> Facts {
    match error {
        notes::Error::NoRemote { .. } => Facts::failed("no-remote").hint(hints::REMOTES),
        notes::Error::Fetch { remote, .. } | notes::Error::Push { remote, .. } => {
            Facts::failed("remote").hint_with(hints::REACH_REMOTE, &[("name", &shell(remote.as_ref()))])
        }
        notes::Error::Refused { .. } => Facts::failed("notes-refused").hint(hints::NOTES_REFUSED),
        notes::Error::Leaks(leaks) => super::leaks::of_hook(leaks),
        notes::Error::Contended { .. } => Facts::failed("notes-contended").hint(hints::RETRY),
        notes::Error::Sign(error) => items::sign(error),
        notes::Error::Process(error) => process::facts(error),
    }
}

pub(super) fn answer(error: &AnswerError) -> Facts {
    match error {
        AnswerError::NotOurs => Facts::invalid("not-for-git"),
        AnswerError::Gone { .. } => Facts::failed("no-signer"),
        AnswerError::Unreadable(_) | AnswerError::Io { .. } => Facts::failed("signature-file"),
        AnswerError::Refused { .. } => Facts::failed("no-signature"),
    }
}
