//! Whose signature `sign` would replace: judged by the item's own line, by the record of agents' writes, and by the
//! committed versions.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use super::super::locate::{project_path, shown_path, subject};
use super::agent_writes::{digest, known_written};
use super::change::{Change, Place};
use super::changes::bases;
use super::error::Error;
use super::notice::{Pending, delta_of};
use super::one::Raw;
use super::origin::Origin;
use super::owners::Owners;
use super::work::Work;
use crate::format::reveal;
use crate::git::{Mode, Repository, TreeEntry};
use crate::id::{ItemType, Space};
use crate::project::Project;
use crate::trust::{PublicKey, SignatureLine, Signed, Verdict};
use crate::workspace::MAX_ITEM_BYTES;

/// The question about each item to sign.
pub(super) struct Replaced<'a> {
    project: &'a Project,
    owners: Owners,
    /// What agents wrote, if anything is known of it; or why it cannot be told.
    written: Result<Option<BTreeSet<String>>, String>,
    committed: OnceCell<Option<Committed>>,
}

/// What the bases of the next commit have below `.ai/`.
struct Committed {
    repository: Repository,
    bases: Vec<BTreeMap<String, TreeEntry>>,
}

impl<'a> Replaced<'a> {
    pub(super) fn new(project: &'a Project, own: Option<PublicKey>) -> Result<Self, Error> {
        let written = known_written(project.context());
        Ok(Self { project, owners: Owners::new(project, own)?, written, committed: OnceCell::new() })
    }

    /// Returns the signature of another person, if it is good.
    pub(super) fn good_by_another(&self, work: &Work) -> Option<SignatureLine> {
        self.owners.good_by_another(&work.raw)
    }

    /// Says what its person should know of an item before they sign it, where it is not their own.
    pub(super) fn pending(&self, work: &Work) -> Result<Option<Pending>, Error> {
        let change = self.change(work)?;
        let origin = self.origin(&change);
        if !origin.is_of_others() {
            return Ok(None);
        }
        let is_skill = work.candidate.item_type == ItemType::Skill && work.before.is_some();
        let before = change.before.first().or(is_skill.then_some(&change.raw));
        let is_changed = change.raw.content() != work.raw.content();
        let verdict = if is_changed { Verdict::Tampered } else { self.owners.verdict(&change.raw) };
        let text = String::from_utf8_lossy(work.raw.content());
        Ok(Some(Pending {
            item_type: work.candidate.item_type,
            item_id: work.candidate.id.clone(),
            path: shown_path(&work.candidate),
            origin,
            verdict: Some(verdict),
            delta: delta_of(before, &work.raw),
            hides: reveal(&text) != text,
        }))
    }

    /// Tells whether an agent is known to have written just this.
    pub(super) fn is_written(&self, raw: &Raw) -> bool {
        let digest = digest(raw).to_string();
        matches!(&self.written, Ok(Some(written)) if written.contains(&digest))
    }

    /// Evidence against this person comes first.
    fn origin(&self, change: &Change) -> Origin {
        let by_an_agent = || self.is_written(&change.raw).then_some(Origin::Written);
        let suspect = self.owners.by_its_line(change).or_else(by_an_agent);
        suspect.or_else(|| self.owners.by_its_bases(change)).unwrap_or_else(|| match &self.written {
            Err(why) => Origin::Unknown { why: why.clone() },
            Ok(_) if change.before.is_empty() => Origin::New,
            Ok(_) => Origin::Own,
        })
    }

    /// The file as it is, and the committed version. Of a skill it is the signed manifest, not the folder.
    fn change(&self, work: &Work) -> Result<Change, Error> {
        let candidate = work.candidate.clone();
        let bytes = work.before.as_ref().unwrap_or_else(|| work.raw.content()).clone();
        let raw: Raw = Signed::new(subject(&candidate), bytes).in_space(candidate.space);
        let path = project_path(&candidate);
        let before = self.committed(&candidate.space, &path, &raw)?;
        Ok(Change { path, place: Place::File, candidate, raw, before, moved_from: Vec::new() })
    }

    fn committed(&self, space: &Space, path: &str, raw: &Raw) -> Result<Vec<Raw>, Error> {
        if *space != Space::Project {
            return Ok(Vec::new());
        }
        let committed = match self.committed.get() {
            Some(committed) => committed,
            None => {
                let read =
                    |repository: Repository| Ok::<_, Error>(Committed { bases: bases(&repository)?, repository });
                let committed = self.project.repository().map(read).transpose()?;
                self.committed.get_or_init(|| committed)
            }
        };
        let Some(Committed { repository, bases }) = committed else { return Ok(Vec::new()) };
        let entries = bases.iter().filter_map(|base| base.get(path));
        let files = entries.filter(|entry| matches!(entry.mode, Mode::File | Mode::Executable));
        files
            .map(|entry| {
                // A file larger than an item was not a signed one.
                let bytes = repository.blob_within(&entry.blob_id, MAX_ITEM_BYTES)?.unwrap_or_default();
                Ok(Signed::new(raw.subject().clone(), bytes).in_space(*space))
            })
            .collect()
    }
}
