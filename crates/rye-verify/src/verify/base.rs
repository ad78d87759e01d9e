//! A revision that is trusted: its trust files judge what came after it, and its items are what that is compared with.
//!
//! The change under judgement does not count for itself: neither its keys nor its policy. Its trust files only have to
//! be such as may follow.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use super::super::locate::LocateError;
use super::bar::Bar;
use super::content::{Content, Source};
use super::error::Error;
use super::files::{self, File};
use super::predecessor::{self, History, Name};
use super::revocations::Revoked;
use crate::git::{self, BlobId, CommitId, Mode, Repository, Tags};
use crate::id::Space;
use crate::keys::{ProjectFiles, project_config};
use crate::project::Project;
use crate::trust::{
    MAX_TRUST_FILE_BYTES, ManifestFault, Predecessor, Proposal, RevocationList, Roots, Signed, Subject, TrustFile,
    TrustFiles, TrustedKeys, Unverified, check_successor, trust_file_path,
};
use crate::workspace::{self, MAX_ITEM_BYTES};

/// A trusted revision.
pub(super) struct Base {
    pub(super) commit_id: CommitId,
    proposal: Proposal,
    /// Keys that count for nothing, whatever trust files say.
    revoked: RevocationList,
    items: BTreeMap<Name, BaseItem>,
    /// Items in whose place it has something else.
    displaced: BTreeSet<Name>,
    /// The former versions, read on demand.
    history: Mutex<Option<Arc<History>>>,
}

/// An item as the trusted revision has it.
struct BaseItem {
    subject: Subject,
    path: String,
    blob_id: BlobId,
}

/// What an item under judgement is compared by.
pub(super) struct Compared<'a> {
    pub(super) repository: &'a Repository,
    pub(super) keys: &'a TrustedKeys,
    pub(super) path: &'a str,
    pub(super) signed: &'a Signed<Vec<u8>, Unverified>,
}

impl Base {
    /// Reads a revision's trust files and which items it has.
    pub(super) fn read(project: &Project, revision: &str, revoked: &Revoked) -> Result<Self, Error> {
        let repository = files::repository(project)?;
        let commit_id = files::resolve(&repository, revision, Tags::ByFullName)?;
        let unusable = |fault| Error::TrustRoot { revision: revision.to_owned(), fault };
        let trust_files = of_commit(project, &commit_id).map_err(|problem| match problem {
            Unusable::Fault(fault) => unusable(fault),
            Unusable::Error(error) => error.into(),
        })?;
        if trust_files.allowed_signers.is_none() {
            return Err(Error::NoTrustFiles { revision: revision.to_owned() });
        }
        if let Some(config) = &trust_files.config {
            project_config(config).map_err(unusable)?;
        }
        let proposal = Proposal::read(&trust_files).map_err(unusable)?;
        let files = files::revision(&repository, &commit_id)?;
        let is_stray = |file: &&File| matches!(file.content, Content::Stray { .. });
        let displaced = files.iter().filter(is_stray).filter_map(|file| predecessor::name_at(&file.path)).collect();
        let items = files.into_iter().filter_map(item).collect();
        Ok(Self { commit_id, proposal, revoked: revoked.all(), items, displaced, history: Mutex::default() })
    }

    /// Returns the keys that judge: those of the revision, as far as its policy goes, and no others.
    pub(super) fn keys(&self) -> TrustedKeys {
        self.proposal.trusted_keys()
    }

    /// Tells why the trust files of a commit, or of the work tree, may not follow those of the revision; none if they may.
    pub(super) fn trust_fault(
        &self,
        project: &Project,
        commit_id: Option<&CommitId>,
    ) -> Result<Option<ManifestFault>, LocateError> {
        self.follow_fault(project, (&self.commit_id, &self.proposal), commit_id)
    }

    /// Tells why the trust files of a commit may not follow those of another one; none if they may. An unreadable file
    /// cannot announce a change: later commits are checked against the revision alone.
    pub(super) fn step_fault(
        &self,
        project: &Project,
        before: &CommitId,
        commit_id: &CommitId,
    ) -> Result<Option<ManifestFault>, LocateError> {
        match of_commit(project, before).map(|files| Proposal::read(&files)) {
            Ok(Ok(proposal)) => self.follow_fault(project, (before, &proposal), Some(commit_id)),
            Ok(Err(_)) | Err(Unusable::Fault(_)) => Ok(None),
            Err(Unusable::Error(error)) => Err(error),
        }
    }

    /// Tells why the trust files of a commit, or of the work tree, may not follow others.
    fn follow_fault(
        &self,
        project: &Project,
        before: (&CommitId, &Proposal),
        commit_id: Option<&CommitId>,
    ) -> Result<Option<ManifestFault>, LocateError> {
        let next = match commit_id {
            Some(commit_id) => of_commit(project, commit_id),
            None => of_work_tree(project),
        };
        let followed = |next: &TrustFiles| {
            let next = check_successor(before.1, next)?;
            // A root whose key is revoked elsewhere announces nothing.
            if next.digest() != before.1.digest() {
                next.roots_signed(&next, &self.revoked, Roots::Own)?;
                before.1.roots_signed(&next, &self.revoked, Roots::Base)?;
            }
            Ok(next)
        };
        match next {
            Ok(next) => match followed(&next) {
                Ok(next) => project_fault(project, before, &next),
                Err(fault) => Ok(Some(fault)),
            },
            Err(Unusable::Fault(fault)) => Ok(Some(fault)),
            Err(Unusable::Error(error)) => Err(error),
        }
    }

    /// Returns the earliest allowed time of a signature over other content: that of the revision's version, or of the
    /// last one.
    pub(super) fn bars(&self, item: &Compared<'_>) -> Result<Vec<Bar>, LocateError> {
        match self.of(item.signed.subject()) {
            None => self.former_bars(item),
            Some(base) if base.blob_id == item.repository.blob_id_of(item.signed.content()) => Ok(Vec::new()),
            Some(_) => {
                let there = self.counterpart(item)?;
                let mut bars = Vec::from_iter(there.as_ref().and_then(|there| Bar::signed(Predecessor::Base, there)));
                if there.is_none_or(|there| there.judge_line(item.keys).is_err()) {
                    bars.extend(self.former_bars(item)?);
                }
                Ok(bars)
            }
        }
    }

    /// Returns the same of an item whose place is empty, or badly taken, in a commit on the way: nothing where the revision
    /// has a good item, which its end is compared with.
    pub(super) fn bars_of_absent(&self, item: &Compared<'_>) -> Result<Vec<Bar>, LocateError> {
        match self.counterpart_in_place(item)? {
            Some(there) if there.judge_line(item.keys).is_ok() => Ok(Vec::new()),
            Some(_) | None => self.former_bars(item),
        }
    }

    /// Returns when the item was removed and, if another entry is in its place, its last good version.
    fn former_bars(&self, item: &Compared<'_>) -> Result<Vec<Bar>, LocateError> {
        let subject = item.signed.subject();
        let name = (subject.item_type, subject.item_id.clone());
        let former = self.history(item.repository)?.of(&name);
        let is_in_place = self.items.contains_key(&name) || self.displaced.contains(&name);
        let removed = former.removal(is_in_place).map(|removed| Bar::Removed { by: Predecessor::Base, removed });
        let mut last_good: Option<Bar> = None;
        for (subject, blob_id) in former.versions.iter().filter(|_| is_in_place) {
            let Some(bytes) = item.repository.blob_within(blob_id, MAX_ITEM_BYTES)? else { continue };
            let version = Signed::new(subject.clone(), bytes).in_space(Space::Project);
            if version.judge_line(item.keys).is_ok()
                && let Some(bar) = Bar::signed(Predecessor::Base, &version)
                && last_good.as_ref().is_none_or(|last| last.moment() < bar.moment())
            {
                last_good = Some(bar);
            }
        }
        Ok(removed.into_iter().chain(last_good).collect())
    }

    /// Reads the versions before the revision, once.
    fn history(&self, repository: &Repository) -> Result<Arc<History>, LocateError> {
        let mut history = self.history.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(history) = &*history {
            return Ok(Arc::clone(history));
        }
        let read = Arc::new(History::read(repository, &self.commit_id)?);
        *history = Some(Arc::clone(&read));
        Ok(read)
    }

    /// Tells whether the revision has the item signed in version 2.
    pub(super) fn is_current(&self, item: &Compared<'_>) -> Result<bool, LocateError> {
        Ok(self.counterpart(item)?.is_some_and(|base| base.judge_line(item.keys).is_ok()))
    }

    /// Tells whether the revision has the very same file.
    pub(super) fn has_same(&self, item: &Compared<'_>) -> bool {
        let base = self.of(item.signed.subject()).filter(|base| base.path == item.path);
        base.is_some_and(|base| base.blob_id == item.repository.blob_id_of(item.signed.content()))
    }

    /// Returns the items that are gone, and by which another one takes effect, with their paths.
    pub(super) fn unshadowed(&self, project: &Project, files: &[File]) -> Result<Vec<(Subject, String)>, Error> {
        let name = |file: &File| match &file.content {
            Content::Item(subject, _) if file.is_last => Some((subject.item_type, subject.item_id.clone())),
            _ => None,
        };
        let there: BTreeSet<_> = files.iter().filter_map(name).collect();
        let gone = self.items.iter().filter(|(name, _)| !there.contains(name)).map(|(_, item)| item);
        let mut found = Vec::new();
        for BaseItem { subject, path, .. } in gone {
            if takes_effect(project, subject)? {
                found.push((subject.clone(), path.clone()));
            }
        }
        Ok(found)
    }

    /// Reads what the revision has in an item's place, if that is another file.
    fn counterpart(&self, item: &Compared<'_>) -> Result<Option<Signed<Vec<u8>, Unverified>>, LocateError> {
        let is_same = |base: &BaseItem| base.blob_id == item.repository.blob_id_of(item.signed.content());
        if self.of(item.signed.subject()).is_some_and(is_same) { Ok(None) } else { self.counterpart_in_place(item) }
    }

    /// Reads what the revision has in an item's place.
    fn counterpart_in_place(&self, item: &Compared<'_>) -> Result<Option<Signed<Vec<u8>, Unverified>>, LocateError> {
        let Some(base) = self.of(item.signed.subject()) else { return Ok(None) };
        // A file larger than an item is not an item, whoever signed it.
        let Some(bytes) = item.repository.blob_within(&base.blob_id, MAX_ITEM_BYTES)? else { return Ok(None) };
        Ok(Some(Signed::new(base.subject.clone(), bytes).in_space(Space::Project)))
    }

    fn of(&self, subject: &Subject) -> Option<&BaseItem> {
        self.items.get(&(subject.item_type, subject.item_id.clone()))
    }
}

/// Tells whether trust files are of another project, where those before do not say which one is meant.
fn project_fault(
    project: &Project,
    (commit_id, before): (&CommitId, &Proposal),
    next: &Proposal,
) -> Result<Option<ManifestFault>, LocateError> {
    if before.names_project() || !next.names_project() {
        return Ok(None);
    }
    let root_commit = files::repository(project)?.root_of(commit_id)?;
    Ok(next.check_project(root_commit.as_str()).err())
}

fn item(file: File) -> Option<(Name, BaseItem)> {
    let Content::Item(subject, Source::Blob(blob_id)) = file.content else { return None };
    Some(((subject.item_type, subject.item_id.clone()), BaseItem { subject, path: file.path, blob_id }))
}

/// Tells whether an item farther away takes the place of one that is gone. Reserved ids were never the project's.
fn takes_effect(project: &Project, subject: &Subject) -> Result<bool, LocateError> {
    let candidate = |space| project.workspace().candidate_in(space, subject.item_type, &subject.item_id);
    let was_passed_over = subject.item_id.is_reserved() && !project.context().config().items.shadow_reserved;
    // Two files that contradict each other stop whoever asks: nothing takes effect in silence.
    let there = |space| match candidate(space) {
        Err(workspace::Error::Ambiguous { .. }) => Ok(false),
        found => found.map(|found| found.is_some()),
    };
    Ok(there(Space::User)? || there(Space::System)? && !was_passed_over)
}

/// Trust files that cannot be used, or cannot be looked at.
pub(super) enum Unusable {
    Fault(ManifestFault),
    Error(LocateError),
}

/// An existing, unreadable trust file, in words; or an error without a fault.
enum Unread {
    Reason(String),
    Error(LocateError),
}

impl Unread {
    /// Says it of the file with a name.
    fn of(self, name: &str) -> Unusable {
        match (self, TrustFile::ALL.into_iter().find(|file| file.as_str() == name)) {
            (Self::Reason(reason), Some(file)) => Unusable::Fault(ManifestFault::Unreadable { file, reason }),
            (Self::Reason(reason), None) => Unusable::Fault(ManifestFault::Malformed { line: 1, reason }),
            (Self::Error(error), _) => Unusable::Error(error),
        }
    }
}

fn of_commit(project: &Project, commit_id: &CommitId) -> Result<TrustFiles, Unusable> {
    let repository = files::repository(project).map_err(Unusable::Error)?;
    gather(project, |name| read_at(&repository, commit_id, name))
}

/// Reads a trust file of a commit by its name; none if it does not exist.
pub(super) fn trust_file_at(
    repository: &Repository,
    commit_id: &CommitId,
    name: &str,
) -> Result<Option<Vec<u8>>, Unusable> {
    read_at(repository, commit_id, name).map_err(|unread| unread.of(name))
}

fn read_at(repository: &Repository, commit_id: &CommitId, name: &str) -> Result<Option<Vec<u8>>, Unread> {
    let failed = |error: git::Error| Unread::Error(error.into());
    match repository.entry_at(commit_id, &trust_file_path(name)).map_err(failed)? {
        None if repository.has_at(commit_id, &trust_file_path(name)).map_err(failed)? => {
            Err(Unread::Reason("it is a folder".to_owned()))
        }
        None => Ok(None),
        Some(entry) if matches!(entry.mode, Mode::File | Mode::Executable) => {
            let bytes = repository.blob_within(&entry.blob_id, MAX_TRUST_FILE_BYTES as u64).map_err(failed)?;
            let too_large = || Unread::Reason(format!("it is larger than {MAX_TRUST_FILE_BYTES} bytes"));
            bytes.map(Some).ok_or_else(too_large)
        }
        Some(_) => Err(Unread::Reason("it is not a regular file".to_owned())),
    }
}

fn of_work_tree(project: &Project) -> Result<TrustFiles, Unusable> {
    let space = files::space(project);
    gather(project, |name| match project.workspace().proposal_file(space, name) {
        Ok(None) => project.trust_file_left_out(name).map_err(Unread::Error),
        Ok(bytes) => Ok(bytes),
        Err(error) => Err(Unread::Reason(error.to_string())),
    })
}

fn gather(project: &Project, read: impl Fn(&str) -> Result<Option<Vec<u8>>, Unread>) -> Result<TrustFiles, Unusable> {
    let files = ProjectFiles::gather(|name| read(name).map_err(|unread| unread.of(name)))?;
    files.parsed(&project.context().zone()).map_err(Unusable::Fault)
}
