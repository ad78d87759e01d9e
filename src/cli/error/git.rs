//! Errors of the git repository.

use super::{Facts, hints, quoted, shell};
use crate::git::{Error, Unusable};

pub(super) fn facts(error: &Error) -> Facts {
    match error {
        Error::Open { .. } => Facts::failed("git-open").hint(hints::FSCK),
        Error::Config { path, .. } => {
            Facts::failed("git-config").hint_with(hints::CONFIG_FILE, &[("path", &shell(path))])
        }
        Error::Init { .. } => Facts::failed("git-init"),
        Error::Unusable(error) => unusable(error),
        Error::NotRegular { path, .. } => {
            Facts::failed("git-not-regular").hint_with(hints::NOT_REGULAR, &[("path", &shell(path))])
        }
        Error::ReplaceRefs { .. } => Facts::failed("git-replace-refs").hint(hints::REPLACE_REFS),
        Error::Grafts { path } => Facts::failed("git-grafts").hint_with(hints::GRAFTS, &[("path", &shell(path))]),
        Error::UnknownRevision { .. } => Facts::failed("unknown-revision").without_causes().hint(hints::REVISION),
        Error::AmbiguousRevision { names, .. } => {
            let last = names.last().map(String::as_str).unwrap_or_default();
            Facts::failed("ambiguous-revision").hint_with(hints::WHOLE_REF, &[("name", &quoted(last))])
        }
        Error::ShortTag { tag, .. } => {
            let short = tag.trim_start_matches("refs/tags/");
            let (remote, branch) = short.split_once('/').unwrap_or(("origin", short));
            Facts::failed("short-tag")
                .hint_with(hints::FETCH_BRANCH, &[("name", &quoted(remote)), ("id", &quoted(branch))])
                .hint_with(hints::FULL_TAG, &[("name", &quoted(tag))])
        }
        Error::NoIdentity => Facts::failed("git-identity").hint(hints::IDENTITY),
        Error::InvalidRange { .. } => Facts::invalid("git-range").hint(hints::RANGE),
        Error::InvalidId { .. } => Facts::invalid("git-id"),
        Error::ForeignId { .. } => Facts::invalid("git-foreign-id"),
        Error::MissingObject { .. } | Error::MissingBlob { .. } => {
            Facts::failed("git-missing-object").hint(hints::FSCK)
        }
        Error::Shallow { .. } => Facts::failed("git-shallow").hint(hints::UNSHALLOW),
        Error::Promised { remote, .. } => {
            Facts::failed("git-partial").hint_with(hints::FETCH_ALL, &[("name", &shell(remote.as_ref()))])
        }
        Error::MissingAlternate { path, .. } => {
            Facts::failed("git-alternate").hint_with(hints::ALTERNATE, &[("path", &shell(path))])
        }
        Error::CorruptObject { .. } => Facts::failed("git-corrupt-object").hint(hints::FSCK),
        Error::WrongKind { .. } => Facts::failed("git-wrong-kind"),
        Error::UnsafePath { .. } => Facts::failed("git-unsafe-path"),
        Error::TooLarge { .. } => Facts::failed("git-too-large"),
        Error::NoteTooLarge { object_id, .. } => {
            Facts::failed("git-note-too-large").hint_with(hints::NOTE_REMOVE, &[("name", &shell(object_id.as_ref()))])
        }
        Error::NoMemory { .. } => Facts::failed("git-no-memory"),
        Error::TooManyEntries { .. } | Error::TooLargeTree { .. } => Facts::failed("git-too-many-entries"),
        Error::TooManyCommits { .. } => Facts::failed("git-too-many-commits"),
        Error::InvalidRefName { .. } => Facts::failed("git-ref-name"),
        Error::ReadRef { .. } => Facts::failed("git-read-ref").hint(hints::FSCK),
        Error::SymbolicRef { .. } => Facts::failed("git-symbolic-ref"),
        Error::AlreadyExists { .. } => Facts::failed("git-exists").hint(hints::RETRY),
        Error::Moved { .. } => Facts::failed("git-moved").hint(hints::RETRY),
        Error::Locked { .. } => Facts::failed("git-locked").hint(hints::LOOK_FOR_LOCKS),
        Error::NameConflict { .. } => Facts::failed("git-name-conflict").hint(hints::BRANCH_IN_WAY),
        Error::CheckedOut { work_tree, .. } => {
            Facts::failed("git-checked-out").hint_with(hints::LEAVE_BRANCH, &[("path", &shell(work_tree))])
        }
        Error::Sign { .. } => Facts::failed("git-sign"),
        Error::WriteObject { .. } => Facts::failed("git-write-object").hint(hints::DISK),
        Error::WriteRef { .. } => Facts::failed("git-write-ref").hint(hints::DISK),
        Error::Sync { .. } => Facts::failed("git-sync").hint(hints::DISK),
        Error::ReadIndex { .. } => Facts::failed("git-index").hint(hints::FSCK),
        Error::IndexLocked { path } => {
            Facts::failed("git-index-locked").hint_with(hints::INDEX_LOCK, &[("path", &shell(path))])
        }
        Error::Start { .. } => Facts::failed("git-not-found").hint(hints::INSTALL_GIT),
        Error::Command { .. } => Facts::failed("git-command"),
        Error::CommandOutput { .. } => Facts::failed("git-output"),
        Error::Tree { .. } => Facts::failed("thread-tree").hint(hints::TREE),
        Error::Status { .. } => Facts::failed("git-status").hint(hints::STATUS),
    }
}

fn unusable(error: &Unusable) -> Facts {
    match error {
        Unusable::Reftable { git_dir, .. } => {
            let top = git_dir.parent().filter(|_| git_dir.ends_with(".git")).unwrap_or(git_dir);
            // `git refs migrate` fails where there are reflogs.
            let clone = top.with_file_name(format!("{}-files", top.file_name().unwrap_or_default().display()));
            Facts::failed("git-reftable")
                .hint_with(hints::REF_FORMAT, &[("path", &shell(top)), ("name", &shell(&clone))])
        }
        Unusable::Ownership { path } => {
            Facts::failed("git-ownership").hint_with(hints::OWNERSHIP, &[("path", &shell(path))])
        }
        Unusable::BareInside { work_dir, .. } => {
            Facts::failed("git-bare-inside").hint_with(hints::BARE_INSIDE, &[("path", &shell(work_dir))])
        }
        Unusable::BareDenied { .. } => Facts::failed("git-bare-denied").hint(hints::BARE_DENIED),
        Unusable::WorkTreeElsewhere { path, .. } => {
            Facts::failed("git-work-tree").hint_with(hints::WORK_TREE_ELSEWHERE, &[("path", &shell(path))])
        }
        Unusable::Bare { git_dir } => {
            Facts::failed("git-bare").hint_with(hints::WORK_TREE, &[("path", &shell(git_dir))])
        }
    }
}
