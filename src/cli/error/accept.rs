//! Errors of `thread accept`.

use std::collections::BTreeMap;

use super::{Exit, Facts, commits, git, hints, items, keys, process, quoted, thread, workspace};
use crate::cli::hints::Hint;
use crate::git::CommitId;
use crate::id::ThreadName;
use crate::thread::{AcceptError as Error, Conflict, InTheWay, Obstacle, StuckFile};
use crate::trust::CommitFault;

pub(super) fn facts(error: &Error) -> Facts {
    match error {
        Error::Busy { .. } => Facts::failed("accept-running").hint(hints::ACCEPT_WAIT),
        Error::LeftRunning { .. } => Facts::failed("accept-running").hint(hints::ACCEPT_WAIT),
        Error::Unfinished { .. } => Facts::failed("unfinished").hint(hints::END_GIT),
        Error::Unverified { fault: CommitFault::NotForTurns { .. }, .. } => {
            Facts::new(Exit::Refused, "thread-unverified").hint(hints::TURNS_USE)
        }
        Error::Unverified { thread, .. } => {
            Facts::new(Exit::Refused, "thread-unverified").hint_with(hints::THREAD_COMMITS, &[("id", thread)])
        }
        Error::Rewritten { thread, .. } => {
            Facts::new(Exit::Refused, "thread-rewritten").hint_with(hints::THREAD_COMMITS, &[("id", thread)])
        }
        Error::NotChanged { thread, .. } => {
            Facts::failed("not-changed").hint_with(hints::THREAD_DIFF, &[("id", thread)])
        }
        Error::TooWide { thread, path, .. } => {
            let path = quoted(path);
            Facts::invalid("too-wide").hint_with(hints::ACCEPT_COMMIT, &[("id", thread), ("path", &path)])
        }
        Error::Nothing { by_name: false, .. } => Facts::failed("nothing-to-accept"),
        Error::Nothing { thread, .. } => {
            Facts::failed("nothing-to-accept").hint_with(hints::ACCEPT_LEFT_OUT, &[("id", thread)])
        }
        Error::InTheWay { obstacles } => obstacles.iter().fold(Facts::failed("in-the-way"), in_the_way),
        Error::Conflicts { thread, conflicts, range } => self::conflicts(thread, conflicts, range),
        Error::Leaks(leaks) => super::leaks::facts(leaks),
        Error::Moved { .. } => Facts::failed("head-moved").hint(hints::ACCEPT_LOOK),
        Error::Changed { .. } => Facts::failed("changed-meanwhile").hint(hints::ACCEPT_LOOK),
        Error::Refused { .. } => Facts::failed("git-commit").hint(hints::MEND_HOOK),
        Error::Stopped => Facts::new(Exit::Stopped, "stopped"),
        Error::EmptyMessage => Facts::failed("no-message").hint(hints::GIVE_MESSAGE),
        Error::NoMessage => Facts::failed("no-message").hint(hints::MEND_HOOK),
        Error::Stuck { files, reason, .. } => stuck(files, facts(reason)),
        Error::Journal { path, .. } => {
            Facts::failed("accept-journal").hint_with(hints::WRITABLE, &[("path", &path.display())])
        }
        Error::Damaged { .. } => Facts::failed("accept-damaged").hint(hints::ACCEPT_JOURNAL),
        Error::Thread(error) => thread::facts(error),
        Error::Sign(error) => items::sign(error),
        Error::Commit(error) => commits::commit(error),
        Error::Git(error) => git::facts(error),
        Error::Workspace(error) => workspace::facts(error),
        Error::Process(error) => process::facts(error),
        Error::Keys(error) => keys::facts(error),
        Error::Locate(error) => items::locate(error),
    }
}

/// Says what to do about something in the way, once for each kind that has one hint for all.
fn in_the_way(facts: Facts, Obstacle { path, reason }: &Obstacle) -> Facts {
    let is_first = |hint: Hint| facts.hints.iter().all(|known| known.person != hint.fill(&[]));
    let (shown, folder) = (quoted(path), path.rsplit_once('/').map_or(path.as_str(), |(folder, _)| folder));
    match reason {
        InTheWay::Uncommitted | InTheWay::Staged | InTheWay::Untracked => match is_first(hints::ACCEPT_MOVE) {
            true => facts.hint(hints::ACCEPT_MOVE),
            false => facts,
        },
        InTheWay::Ignored | InTheWay::Folder => {
            let aside = quoted(&format!("{path}.mine"));
            facts.hint_with(hints::ACCEPT_MOVE_AWAY, &[("path", &shown), ("name", &aside)])
        }
        InTheWay::OnTheWay => match is_first(hints::ACCEPT_ABOVE) {
            true => facts.hint(hints::ACCEPT_ABOVE),
            false => facts,
        },
        InTheWay::Sparse => facts.hint_with(hints::ACCEPT_SPARSE, &[("path", &shown), ("name", &quoted(folder))]),
        InTheWay::Twin { name } => facts.hint_with(hints::ACCEPT_TWIN, &[("name", name)]),
        InTheWay::Unwritable { .. } => facts.hint_with(hints::ACCEPT_WRITABLE, &[("path", path)]),
    }
}

/// Names the commands that put the person's versions back, then the faults to correct.
fn stuck(files: &[StuckFile], reason: Facts) -> Facts {
    let mut facts = Facts { exit: reason.exit, ..Facts::failed("accept-stuck") };
    let mut together: BTreeMap<(Option<&str>, bool), Vec<String>> = BTreeMap::new();
    for StuckFile { pathspec, revision, is_staged, .. } in files {
        together.entry((revision.as_deref(), *is_staged)).or_default().push(quoted(pathspec));
    }
    for ((revision, is_staged), paths) in together {
        let (paths, revision) = (paths.join(" "), revision.map(|revision| revision.get(..12).unwrap_or(revision)));
        facts = match (revision, is_staged) {
            (Some(id), false) => facts.hint_with(hints::PUT_BACK, &[("id", &id), ("path", &paths)]),
            (Some(id), true) => facts.hint_with(hints::PUT_BACK_STAGED, &[("id", &id), ("path", &paths)]),
            (None, false) => facts.hint_with(hints::PUT_AWAY, &[("path", &paths)]),
            (None, true) => facts.hint_with(hints::PUT_AWAY_STAGED, &[("path", &paths)]),
        };
    }
    facts.hints.extend(reason.hints);
    facts
}

fn conflicts(thread: &ThreadName, conflicts: &[Conflict], [from, to]: &[CommitId; 2]) -> Facts {
    let [from, to] = [from, to].map(|commit_id| &commit_id.as_str()[..12]);
    let mut facts = Facts::failed("conflicts").hint_with(hints::ACCEPT_MERGE, &[("id", thread)]);
    for Conflict { path, moved_to, .. } in conflicts {
        let Some(new) = moved_to else { continue };
        let [ours, before, after] =
            [format!("HEAD:{new}"), format!("{from}:{path}"), format!("{to}:{path}")].map(|name| quoted(&name));
        let versions = format!("{ours} {before} {after} >{}", quoted(new));
        facts = facts.hint_with(hints::ACCEPT_MOVED, &[("name", &versions)]);
    }
    if conflicts.iter().any(|conflict| conflict.moved_to.is_none()) {
        facts = facts.hint_with(hints::ACCEPT_BY_HAND, &[("name", &format!("{from} {to}"))]);
    }
    facts.hint_with(hints::ACCEPT_PART, &[("id", thread)])
}
