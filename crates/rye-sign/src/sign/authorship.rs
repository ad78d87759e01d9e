//! Whose work a changed item is: what whoever is asked to sign it should know.
//!
//! Ownership is proven, never assumed. An item is a person's own only if every base of the commit that has it holds a
//! version which this person's key signed, over this very item and content, and no record says that the new content
//! comes from another person. In doubt it is not.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use super::agent_writes::{digest, known_written};
use super::change::Change;
use super::error::Error;
use super::histories::{Has, Histories};
use super::one::{MOST_LINE, Raw, fitting_line};
use super::origin::{Origin, short};
use super::owners::Owners;
use crate::context::CommitSigning;
use crate::error::with_causes;
use crate::git::{self, BlobId, CommitId, CommitRange, Mode, Repository, Tip};
use crate::project::Project;
use crate::trust::{PublicKey, SignatureLine};

/// The most branches, tags and the like that are searched for a content. With more, the origin of the content is
/// unproven.
const MAX_TIPS: usize = 2_000;

/// What becomes of a changed item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It is signed, and stays so.
    Signed(SignatureLine),
    /// This person signed it in the work tree after it was staged: that signature is taken.
    SignedInFile,
    /// It would be signed.
    ToSign(Origin),
}

/// The question about each item.
pub(super) struct Judge<'a> {
    repository: &'a Repository,
    owners: Owners,
    threads: String,
    /// Where content may come from, or why that is not known.
    tips: Result<Vec<(String, Tip)>, String>,
    /// The content to be committed, and its versions elsewhere: asked once, and only where a signature would be made
    /// without a question.
    paths: BTreeSet<String>,
    histories: Option<OnceCell<Result<Histories<'a>, String>>>,
    /// What agents wrote, if anything is known of it; or why it cannot be told.
    written: Result<Option<BTreeSet<String>>, String>,
}

impl<'a> Judge<'a> {
    pub(super) fn new(
        project: &'a Project,
        repository: &'a Repository,
        own: Option<PublicKey>,
        changed: &[Change],
    ) -> Result<Self, Error> {
        let ctx = project.context();
        let threads = format!("refs/heads/{}/threads/", ctx.config().threads.prefix);
        let written = known_written(ctx);
        let tips = repository.other_tips().map_err(|error| with_causes(&error)).and_then(few);
        let paths = changed.iter().map(|change| change.path.clone()).collect();
        let histories = match ctx.config().commit.sign {
            CommitSigning::Ask => None,
            CommitSigning::Own => Some(OnceCell::new()),
        };
        Ok(Self { repository, owners: Owners::new(project, own)?, threads, tips, paths, histories, written })
    }

    /// Tells what becomes of a change, and whose work it is.
    pub(super) fn standing(&self, change: &Change) -> Standing {
        if let Some(line) = fitting_line(&change.raw).filter(|line| self.owners.stays(&change.raw, line)) {
            return Standing::Signed(line);
        }
        if change.file().is_some_and(|file| self.owners.has_own_line(&file)) {
            return Standing::SignedInFile;
        }
        Standing::ToSign(self.origin(change))
    }

    /// Evidence against this person comes first.
    fn origin(&self, change: &Change) -> Origin {
        let suspect = self.owners.by_its_line(change).or_else(|| self.by_others(change));
        suspect.or_else(|| self.owners.by_its_bases(change)).unwrap_or_else(|| match &self.written {
            Err(why) => Origin::Unknown { why: why.clone() },
            Ok(_) if change.before.is_empty() => Origin::New,
            Ok(None) => Origin::Unchecked,
            Ok(Some(_)) => self.by_other_histories(change).or_else(|| self.by_what_waits()).unwrap_or(Origin::Own),
        })
    }

    /// Tells by what agents wrote, and by what other branches have.
    fn by_others(&self, change: &Change) -> Option<Origin> {
        let digest = digest(&change.raw).to_string();
        let is_written = matches!(&self.written, Ok(Some(written)) if written.contains(&digest));
        match self.elsewhere(change) {
            Ok(Some(name)) if name.starts_with(&self.threads) => Some(Origin::Thread { branch: name }),
            _ if is_written => Some(Origin::Written),
            Ok(name) => Some(self.brought_by(name?)),
            Err(why) => Some(Origin::Unknown { why }),
        }
    }

    /// Tells by every commit that refs reach and `HEAD` does not, where nothing else speaks against this person.
    fn by_other_histories(&self, change: &Change) -> Option<Origin> {
        let read = || {
            let tips = self.tips.as_ref().map_err(Clone::clone)?;
            Histories::read(self.repository, tips, &self.paths)
        };
        let found = match self.histories.as_ref()?.get_or_init(read) {
            Ok(histories) => {
                histories.find(change, |text| self.owners.has_own_line(text)).map_err(|error| with_causes(&error))
            }
            Err(why) => Err(why.clone()),
        };
        match found {
            Ok(None) => None,
            Ok(Some(Has::Same(name))) => Some(self.brought_by(name)),
            Ok(Some(Has::Other(name))) => Some(Origin::Shared { name }),
            Ok(Some(Has::Gone(name))) => Some(Origin::Unknown { why: format!("{} moved or removed it", short(&name)) }),
            Err(why) => Some(Origin::Unknown { why }),
        }
    }

    /// Tells by what git picked or merged and did not commit: once no ref has it, it cannot be told apart.
    fn by_what_waits(&self) -> Option<Origin> {
        let is_known = self.repository.bases().is_ok_and(|bases| bases.len() > 1);
        let why = "what git picked or merged waits for its commit";
        (self.repository.is_mixing() && !is_known).then(|| Origin::Unknown { why: why.to_owned() })
    }

    fn brought_by(&self, name: String) -> Origin {
        if name.starts_with(&self.threads) { Origin::Thread { branch: name } } else { Origin::Elsewhere { name } }
    }

    /// Finds a branch or the like that brought just this content, and is not part of the history of `HEAD`.
    fn elsewhere(&self, change: &Change) -> Result<Option<String>, String> {
        let tips = self.tips.as_ref().map_err(Clone::clone)?;
        self.found_in(tips, change).map_err(|error| with_causes(&error))
    }

    fn found_in(&self, tips: &[(String, Tip)], change: &Change) -> Result<Option<String>, git::Error> {
        for (name, tip) in tips {
            let is_brought = match tip {
                Tip::Commit(commit_id) => {
                    let entry = self.repository.entry_at(commit_id, &change.path)?;
                    let blob_id = entry.filter(|entry| entry.mode != Mode::Submodule).map(|entry| entry.blob_id);
                    let is_version = blob_id.map(|blob_id| self.is_version(&blob_id, change)).transpose()?;
                    is_version == Some(true) && self.changed_there(commit_id, &change.path)?
                }
                Tip::Blob(blob_id) => self.is_version(blob_id, change)?,
                // Searched with all other histories.
                Tip::Tree(_) => false,
            };
            if is_brought {
                return Ok(Some(name.clone()));
            }
        }
        // Content that git merged may differ from both sides.
        let is_merged = self.repository.is_squashing() && self.repository.bases()?.len() == 1;
        Ok(is_merged.then(|| "a squashed merge".to_owned()))
    }

    /// Tells whether a blob is the item but for its signature line and carriage returns.
    fn is_version(&self, blob_id: &BlobId, change: &Change) -> Result<bool, git::Error> {
        let most = 2 * change.raw.content().len() + MOST_LINE;
        let bytes = match self.repository.blob_within(blob_id, most as u64) {
            // It is not here, so nothing was copied from it.
            Err(git::Error::Promised { .. }) => None,
            bytes => bytes?,
        };
        let there = bytes.map(|bytes| Raw::new(change.raw.subject().clone(), bytes));
        Ok(there.is_some_and(|there| digest(&there) == digest(&change.raw)))
    }

    /// Tells whether a branch itself changed a file, on the way from what `HEAD` has too.
    fn changed_there(&self, tip: &CommitId, path: &str) -> Result<bool, git::Error> {
        let after = self.repository.head()?.commit_id().cloned();
        let commits = self.repository.commits_in(&CommitRange { after, last: tip.clone() })?;
        let Some(first) = commits.first() else { return Ok(false) };
        let base = first.info.parents.first().map(|base| self.repository.entry_at(base, path)).transpose()?.flatten();
        let now = self.repository.entry_at(tip, path)?;
        Ok(base.map(|entry| entry.blob_id) != now.map(|entry| entry.blob_id))
    }
}

fn few(tips: Vec<(String, Tip)>) -> Result<Vec<(String, Tip)>, String> {
    if tips.len() <= MAX_TIPS { Ok(tips) } else { Err(format!("{} refs are too many to look at", tips.len())) }
}
