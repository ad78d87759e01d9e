//! What each verb needs of the signatures of a thread's commits: one table, and one judgement of all its commits for all verbs.
//!
//! The table is normative in docs/formats.md, section 6.

use crate::git::CommitInfo;
use crate::id::Timestamp;
use crate::trust::{CommitFault, KeyId, Namespace, PublicKey, ThreadSigner, TrustedKeys, verify_armored};

/// What is done with a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Listing it.
    List,
    /// Showing it.
    Show,
    /// Printing its transcript.
    Log,
    /// Showing or comparing what it changed.
    Diff,
    /// Writing its events to a file.
    Export,
    /// Following it while it runs.
    Tail,
    /// Pushing it.
    Push,
    /// Removing it.
    Remove,
    /// Deriving it again.
    Replay,
    /// Taking over what it changed.
    Accept,
    /// Running its directive again, with the recorded inputs.
    Rerun,
    /// Taking it up again.
    Resume,
    /// Going on from one of its turns.
    Fork,
}

/// Which signatures of a thread's commits a verb needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// None: a thread that is not verified is shown, and the verb says so.
    Nothing,
    /// This person's agent, or a key with the use for turns.
    Turns,
    /// This person's own agent: the verb writes the next turn.
    OwnAgent,
}

impl Verb {
    /// Returns what it needs.
    #[must_use]
    pub const fn needs(self) -> Need {
        match self {
            Self::List
            | Self::Show
            | Self::Log
            | Self::Diff
            | Self::Export
            | Self::Tail
            | Self::Push
            | Self::Remove => Need::Nothing,
            Self::Replay | Self::Accept | Self::Rerun => Need::Turns,
            Self::Resume | Self::Fork => Need::OwnAgent,
        }
    }

    /// Tells whether it takes a thread as a fetch brought it. The others are about branches and logs that are here.
    #[must_use]
    pub const fn takes_fetched(self) -> bool {
        match self {
            Self::List
            | Self::Show
            | Self::Log
            | Self::Diff
            | Self::Export
            | Self::Replay
            | Self::Accept
            | Self::Rerun => true,
            Self::Tail | Self::Push | Self::Remove | Self::Resume | Self::Fork => false,
        }
    }

    /// Judges the commits of a thread, the oldest first, each with the turn whose events it brings: each must bring a turn behind those
    /// before it, by the key that began the thread.
    pub fn judge<'a>(
        self,
        keys: &TrustedKeys,
        commits: impl IntoIterator<Item = (&'a CommitInfo, Option<u32>)>,
    ) -> Vec<Result<ThreadSigner, CommitFault>> {
        let (mut began, mut last) = (None, None);
        let mut judge = |info: &CommitInfo, turn: Option<u32>| {
            let by = self.needs().judge(keys, info)?;
            let Some(key) = signer(info) else {
                return Err(CommitFault::NotOfThread { reason: "its signature is not one of SSH" });
            };
            if *began.get_or_insert(key) != key {
                return Err(CommitFault::NotOfThread { reason: "another key signed the first commit" });
            }
            if turn.is_none() || turn <= last {
                return Err(CommitFault::NotOfThread { reason: "it brings no turn" });
            }
            last = turn;
            Ok(by)
        };
        commits.into_iter().map(|(info, turn)| judge(info, turn)).collect()
    }
}

impl Need {
    /// Judges a commit of a thread, at the time its committer claims.
    ///
    /// # Errors
    ///
    /// Returns the fault that keeps the signature from counting.
    fn judge(self, keys: &TrustedKeys, info: &CommitInfo) -> Result<ThreadSigner, CommitFault> {
        let at = Timestamp::from_milliseconds(info.committer.seconds.saturating_mul(1000));
        let (armored, payload) = match &info.signature {
            Some(signature) => (Some(signature.armored.as_str()), signature.payload.as_slice()),
            None => (None, &[][..]),
        };
        let judged = keys.judge_thread_commit(armored, payload, at);
        match self {
            Self::Nothing | Self::Turns => judged,
            Self::OwnAgent => match judged {
                Ok(signer @ ThreadSigner::Agent(_)) => Ok(signer),
                Ok(ThreadSigner::OtherAgent(_) | ThreadSigner::Trusted(_))
                | Err(CommitFault::NotForTurns { .. } | CommitFault::Untrusted { .. }) => Err(not_own(info)),
                Err(fault) => Err(fault),
            },
        }
    }
}

fn not_own(info: &CommitInfo) -> CommitFault {
    signer(info).map_or(CommitFault::Unsigned, |key| CommitFault::NotOwnAgent {
        key_id: key.key_id(),
        fingerprint: key.fingerprint(),
    })
}

/// Returns the key that signed a commit, whoever's it is.
pub fn signer(info: &CommitInfo) -> Option<PublicKey> {
    let signature = info.signature.as_ref()?;
    verify_armored(&signature.armored, Namespace::Git, &signature.payload).ok()
}

/// Returns the keys that signed commits, each once.
pub fn key_ids<'a>(commits: impl Iterator<Item = &'a CommitInfo>) -> Vec<KeyId> {
    let mut ids: Vec<KeyId> = Vec::new();
    for id in commits.filter_map(signer).map(|key| key.key_id()) {
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    ids
}
