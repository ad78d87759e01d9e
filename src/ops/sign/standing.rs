//! Whose work a changed item is: whether a person's key may sign it because they asked for a commit.
//!
//! A commit signs what is new and what this person signed last. Everything else may hold what the person has never
//! read: it is named with its reason and waits for their yes. In doubt it waits. That a person signed something is
//! believed of a signature by their own key over this very item, never of a key id that stands on a line.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use super::super::locate::{LocateError, Session};
use super::changes::Change;
use super::error::Error;
use super::one::{Raw, fitting_line, is_by, line_by};
use crate::git::{CommitId, CommitRange, Repository};
use crate::keys::{KeyName, KeyStore};
use crate::trust::{KeyId, LineState, PublicKey, SignatureLine, TrustedKeys};

/// Whose work a changed item is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It is signed as it stands, and stays so.
    Signed(SignatureLine),
    /// It is new, or this person signed it last: theirs to sign.
    Own,
    /// It may be somebody else's.
    Doubtful(Doubt),
}

/// Why an item is not signed without a yes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Doubt {
    /// Somebody else signed it last.
    Others {
        /// With this key.
        key_id: KeyId,
    },
    /// The agent signed it last.
    Agent,
    /// A thread wrote just this.
    Thread {
        /// Its branch.
        branch: String,
    },
    /// It was committed before without any signature.
    NeverSigned,
    /// Its line names this person's key and is not by it, or is damaged.
    Unproven,
}

/// For people, in brackets behind the item.
impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Others { key_id } => write!(f, "last signed by {key_id}"),
            Self::Agent => f.write_str("last signed by the agent"),
            Self::Thread { branch } => {
                write!(f, "written by the thread {}", branch.rsplit('/').next().unwrap_or(branch))
            }
            Self::NeverSigned => f.write_str("committed before and never signed"),
            Self::Unproven => f.write_str("its signature line is not yours"),
        }
    }
}

/// What is asked of each item.
pub(super) struct Judge<'a> {
    repository: &'a Repository,
    keys: Arc<TrustedKeys>,
    own: PublicKey,
    agent: Option<PublicKey>,
    threads: Vec<(String, CommitId)>,
}

impl<'a> Judge<'a> {
    pub(super) fn new(session: &'a Session, repository: &'a Repository, own: PublicKey) -> Result<Self, Error> {
        let ctx = session.context();
        let store = KeyStore::new(ctx).map_err(LocateError::from)?;
        let agent = store.find_public(KeyName::Agent).map_err(LocateError::from)?;
        let threads = repository.branches_below(&format!("refs/heads/{}/threads/", ctx.config().threads.prefix))?;
        Ok(Self { repository, keys: session.keys(), own, agent, threads })
    }

    /// Tells whose work a change is.
    pub(super) fn standing(&self, change: &Change) -> Result<Standing, Error> {
        if let Some(line) = fitting_line(&change.raw).filter(|line| self.stays(&change.raw, line)) {
            return Ok(Standing::Signed(line));
        }
        if change.file().is_some_and(|file| line_by(&file, &self.own).is_some()) {
            return Ok(Standing::Own);
        }
        let doubt = match self.last(change) {
            Some(doubt) => Some(doubt),
            None => self.thread(change)?.map(|branch| Doubt::Thread { branch }),
        };
        Ok(doubt.map_or(Standing::Own, Standing::Doubtful))
    }

    /// Tells whether a line over these very bytes is one to leave alone: this person's, or somebody's whose key is not
    /// known to say otherwise. An agent's is not: what it signed waits for a person.
    fn stays(&self, raw: &Raw, line: &SignatureLine) -> bool {
        match self.keys.with_id(&line.key_id) {
            _ if line.key_id == self.own.key_id() => is_by(raw.subject(), line, &self.own),
            _ if self.is_agents(&line.key_id) => false,
            [] => true,
            known => known.iter().any(|known| is_by(raw.subject(), line, &known.key)),
        }
    }

    fn is_agents(&self, key_id: &KeyId) -> bool {
        self.agent.is_some_and(|agent| agent.key_id() == *key_id)
    }

    /// Names what speaks against this person having signed the item last.
    fn last(&self, change: &Change) -> Option<Doubt> {
        let here = line_in(&change.raw);
        let before: Vec<Found> = change.before.iter().map(line_in).collect();
        if let Found::Line(line) = &here
            && before.iter().all(|found| self.precedes(found, line))
        {
            return self.doubt(line, change);
        }
        match here {
            Found::Damaged if before.is_empty() => Some(Doubt::Unproven),
            Found::Nothing if before.is_empty() => (!change.moved_from.is_empty()).then_some(Doubt::NeverSigned),
            _ => before.iter().find_map(|found| match found.line() {
                Some(line) => self.doubt(line, change),
                None => Some(Doubt::NeverSigned),
            }),
        }
    }

    /// Tells whether a line was made after what a base holds. The same moment speaks for what somebody else made.
    fn precedes(&self, found: &Found, line: &SignatureLine) -> bool {
        found
            .line()
            .is_none_or(|base| base != line && (base.timestamp < line.timestamp || base.key_id == self.own.key_id()))
    }

    /// Names what speaks against this person having made a line.
    fn doubt(&self, line: &SignatureLine, change: &Change) -> Option<Doubt> {
        if self.is_agents(&line.key_id) {
            return Some(Doubt::Agent);
        }
        if line.key_id != self.own.key_id() {
            return Some(Doubt::Others { key_id: line.key_id.clone() });
        }
        let mut names = std::iter::once(change.raw.subject()).chain(&change.moved_from);
        let is_genuine = names.any(|subject| is_by(subject, line, &self.own));
        (!is_genuine).then_some(Doubt::Unproven)
    }

    /// Finds a thread that wrote just this content. What it did not change itself is none of its work.
    fn thread(&self, change: &Change) -> Result<Option<String>, Error> {
        let body = change.raw.split().body();
        for (branch, tip) in &self.threads {
            let Some(bytes) = self.repository.file_at(tip, &change.path)? else { continue };
            let written = Raw::new(change.raw.subject().clone(), bytes);
            if written.split().body() == body && self.changed_there(tip, &change.path)? {
                return Ok(Some(branch.clone()));
            }
        }
        Ok(None)
    }

    /// Tells whether a branch itself changed a file, on the way from what `HEAD` has too.
    fn changed_there(&self, tip: &CommitId, path: &str) -> Result<bool, Error> {
        let after = self.repository.head()?.commit_id().cloned();
        let commits = self.repository.commits_in(&CommitRange { after, last: tip.clone() })?;
        let Some(first) = commits.first() else { return Ok(false) };
        let base = first.info.parents.first().map(|base| self.repository.entry_at(base, path)).transpose()?.flatten();
        let now = self.repository.entry_at(tip, path)?;
        Ok(base.map(|entry| entry.blob_id) != now.map(|entry| entry.blob_id))
    }
}

/// What stands where an item's line belongs.
enum Found {
    Line(SignatureLine),
    Nothing,
    Damaged,
}

impl Found {
    const fn line(&self) -> Option<&SignatureLine> {
        if let Self::Line(line) = self { Some(line) } else { None }
    }
}

fn line_in(raw: &Raw) -> Found {
    match raw.split().line {
        LineState::Present(line) => Found::Line(line),
        LineState::Absent | LineState::Legacy => Found::Nothing,
        LineState::Malformed { .. } | LineState::Doubled => Found::Damaged,
    }
}
