//! Trust as a type: bytes that were verified are another type than bytes that were not.
//!
//! [`Signed<T, Unverified>`] becomes [`Signed<T, Verified>`] only through [`Signed::verify`]. What executes, enters
//! a thread's context or grants a permission takes the second, so forgetting the check does not compile:
//!
//! ```compile_fail
//! use rye_trust::trust::{Signed, Subject, Unverified, Verified};
//!
//! fn execute(item: Signed<Vec<u8>, Verified>) {}
//!
//! fn shortcut(item: Signed<Vec<u8>, Unverified>) {
//!     execute(item); // expected `Verified`, found `Unverified`
//! }
//! ```
//!
//! The same code with the check in its place does compile:
//!
//! ```
//! use rye_trust::trust::{Fault, Signed, Subject, TrustedKeys, Unverified, Verified};
//!
//! fn execute(item: Signed<Vec<u8>, Verified>) {}
//!
//! fn checked(item: Signed<Vec<u8>, Unverified>, keys: &TrustedKeys) -> Result<(), Fault> {
//!     execute(item.verify(keys)?);
//!     Ok(())
//! }
//! ```

use thiserror::Error;

use super::legacy;
use super::line::{LineState, SignatureLine, Split, split, with_line};
use crate::id::{Space, Timestamp};
use crate::trust::{
    Fault, KeyId, MAX_NOTE_SIGNATURES, Namespace, Place, PublicKey, RawSignature, Signatory, Signer, SignerError,
    Subject, TrustedKeys, Verdict, people,
};

/// State of an unchecked item: where it lies, and who countersigned it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unverified {
    // Private, so that no code outside this file makes one of the other.
    space: Option<Space>,
    notes: Vec<SignatureLine>,
}

/// State of an item whose signature was checked and is trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    verdict: Verdict,
    signer: Option<KeyId>,
}

/// Something that came from an item's file, with the facts about its signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signed<T, S> {
    subject: Subject,
    content: T,
    state: S,
}

/// Bytes that no signature line would hold for.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("a signature line would not hold: {reason}")]
pub struct Unsignable {
    /// What would be wrong with the line.
    pub reason: &'static str,
}

/// Why an item was not signed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SignError {
    /// No signature line would hold in it.
    #[error(transparent)]
    Unsignable(#[from] Unsignable),
    /// The signer made no signature.
    #[error(transparent)]
    Signer(#[from] SignerError),
}

impl Signed<Vec<u8>, Unverified> {
    /// Takes in the bytes of a file as they were read.
    #[must_use]
    pub const fn new(subject: Subject, bytes: Vec<u8>) -> Self {
        Self { subject, content: bytes, state: Unverified { space: None, notes: Vec::new() } }
    }

    /// Says in which space the file lies. Without it, keys that are trusted for the project alone do not count.
    #[must_use]
    pub fn in_space(mut self, space: Space) -> Self {
        self.state.space = Some(space);
        self
    }

    /// Says which signatures the notes of the file have. Without them, there are no countersignatures.
    #[must_use]
    pub fn countersigned(mut self, notes: impl IntoIterator<Item = SignatureLine>) -> Self {
        self.state.notes.extend(notes.into_iter().take(MAX_NOTE_SIGNATURES));
        self
    }

    /// Returns the file's bytes taken apart at its signature line.
    #[must_use]
    pub fn split(&self) -> Split<'_> {
        split(self.subject.item_type, self.subject.extension.comment(), &self.content)
    }

    /// Checks the signatures against the trusted keys. Items compiled into the program count by their bytes.
    ///
    /// # Errors
    ///
    /// Returns the fault that keeps the item from being used.
    pub fn verify(self, keys: &TrustedKeys) -> Result<Signed<Vec<u8>, Verified>, Fault> {
        let state = if keys.is_builtin(&self.subject, &self.content) {
            Verified { verdict: Verdict::Builtin, signer: None }
        } else {
            let line = self.judge(keys)?;
            Verified { verdict: Verdict::Good, signer: Some(line.key_id) }
        };
        Ok(Signed { subject: self.subject, content: self.content, state })
    }

    /// Judges the item's own signature line and whether enough people signed, whatever is compiled in.
    ///
    /// # Errors
    ///
    /// Returns the fault that keeps the item from being accepted.
    pub fn judge(&self, keys: &TrustedKeys) -> Result<SignatureLine, Fault> {
        let line = self.judge_line(keys);
        // A signature of version 1 may be let pass; that too few people signed may not.
        if matches!(line, Ok(_) | Err(Fault::Legacy { .. })) {
            self.judge_policy(keys, |_| true)?;
        }
        line
    }

    /// Judges whether enough people signed where not every signature counts.
    ///
    /// # Errors
    ///
    /// Returns the fault of the policy's rule that is furthest from being met.
    pub fn judge_policy(&self, keys: &TrustedKeys, counts: impl Fn(&SignatureLine) -> bool) -> Result<(), Fault> {
        let requirement = keys.requirement(self.state.space, &self.subject);
        if requirement.is_empty() { Ok(()) } else { requirement.check(&self.signers_by(keys, counts)) }
    }

    /// Returns the people whose trusted keys signed these bytes under this name, in the file's own line or in notes.
    /// Keys that share a principal count once: they may belong to one person.
    #[must_use]
    pub fn signers(&self, keys: &TrustedKeys) -> Vec<Signatory> {
        self.signers_by(keys, |_| true)
    }

    fn signers_by(&self, keys: &TrustedKeys, counts: impl Fn(&SignatureLine) -> bool) -> Vec<Signatory> {
        let split = self.split();
        let covered = split.covered();
        let own = if let LineState::Present(line) = &split.line { Some(line) } else { None };
        let lines = own.into_iter().chain(&self.state.notes).filter(|line| line.hash == covered && counts(line));
        people(lines.filter_map(|line| self.judge_trusted(line, keys).ok()))
    }

    /// Judges the item's own signature line, whatever is compiled in and whoever else must sign. A line that is not a
    /// signature of version 2 may be one of version 1, which is a fault of its own.
    ///
    /// # Errors
    ///
    /// Returns the fault that keeps the line from being accepted.
    pub fn judge_line(&self, keys: &TrustedKeys) -> Result<SignatureLine, Fault> {
        self.judge_current(keys).map_err(|fault| match fault {
            Fault::Changed | Fault::Misplaced | Fault::MalformedLine { .. } => {
                let judge_key = |line: &_, fits: &dyn Fn(&_) -> bool| self.judge_key(line, keys, fits);
                legacy::judge(&self.subject, &self.content, judge_key).unwrap_or(fault)
            }
            fault => fault,
        })
    }

    /// Judges the line as one of version 2.
    fn judge_current(&self, keys: &TrustedKeys) -> Result<SignatureLine, Fault> {
        let split = self.split();
        let line = match &split.line {
            LineState::Absent | LineState::Legacy => return Err(Fault::Unsigned),
            LineState::Malformed { reason } => return Err(Fault::MalformedLine { reason }),
            LineState::Doubled => return Err(Fault::SecondLine),
            LineState::Present(line) => line.clone(),
        };
        if split.covered() != line.hash {
            return Err(Fault::Changed);
        }
        self.judge_key(&line, keys, |key| self.fits(&line, key))?;
        Ok(line)
    }

    /// Judges the key a line names; `fits` tells whether a key made its signature.
    fn judge_key(
        &self,
        line: &SignatureLine,
        keys: &TrustedKeys,
        fits: impl Fn(&PublicKey) -> bool,
    ) -> Result<(), Fault> {
        let place = self.place(keys);
        let fault = match keys.judge(Namespace::Item, place, &line.key_id, line.timestamp, &fits) {
            Ok(_) => return Ok(()),
            Err(fault @ (Fault::UntrustedKey { .. } | Fault::Misplaced)) => fault,
            Err(fault) => return Err(fault),
        };
        match keys.agent_with_id(&line.key_id) {
            None => Err(fault),
            Some(agent) if !fits(agent) => Err(Fault::Misplaced),
            Some(_) if keys.counts_from_agent(&self.subject, &line.hash) => Ok(()),
            Some(_) => Err(Fault::AgentSigned),
        }
    }

    /// Judges a line by the keys that people decided to trust.
    fn judge_trusted(&self, line: &SignatureLine, keys: &TrustedKeys) -> Result<Signatory, Fault> {
        let place = self.place(keys);
        keys.judge(Namespace::Item, place, &line.key_id, line.timestamp, |key| self.fits(line, key))
    }

    fn place(&self, keys: &TrustedKeys) -> Place<'_> {
        let is_pulled = self.state.space.is_some_and(|space| keys.is_pulled(space, &self.subject, &self.content));
        Place::item(self.state.space, &self.subject).pulled(is_pulled)
    }

    fn fits(&self, line: &SignatureLine, key: &PublicKey) -> bool {
        key.verifies(Namespace::Item, &self.subject.message(line.timestamp, &line.hash), line.signature)
    }

    /// Signs the bytes, in the place of any line they have, and returns the new line and the new file. Every other
    /// byte stays.
    ///
    /// The caller has validated the item and decided that a damaged line may be replaced. The signer is asked last: whom
    /// it asks in turn is not bothered in vain.
    ///
    /// # Errors
    ///
    /// Fails when the new line would not be read back (the item's own text has `rye:signed:` where only a signature may
    /// be, or its `#!` line has no newline), and when the signer makes no signature.
    pub fn sign(&self, signer: &dyn Signer, now: Timestamp) -> Result<(SignatureLine, Vec<u8>), SignError> {
        let body = self.split().body();
        let mut line = self.unsigned_line(signer, now);
        self.check_holds(&body, &line)?;
        line.signature = signer.sign(Namespace::Item, &self.subject.message(line.timestamp, &line.hash))?;
        let bytes = self.with_line(&body, &line);
        Ok((line, bytes))
    }

    /// Signs the bytes without their line, for a note.
    ///
    /// # Errors
    ///
    /// Fails when the signer makes no signature.
    pub fn countersign(&self, signer: &dyn Signer, now: Timestamp) -> Result<SignatureLine, SignerError> {
        let mut line = self.unsigned_line(signer, now);
        line.signature = signer.sign(Namespace::Item, &self.subject.message(line.timestamp, &line.hash))?;
        Ok(line)
    }

    /// Makes a line that has everything but its signature.
    fn unsigned_line(&self, signer: &dyn Signer, now: Timestamp) -> SignatureLine {
        SignatureLine {
            timestamp: Timestamp::from_milliseconds(now.seconds() * 1000),
            hash: self.split().covered(),
            signature: RawSignature([0; 64]),
            key_id: signer.public().key_id(),
        }
    }

    /// Makes sure that the line would be read back, whatever the signature in it.
    fn check_holds(&self, body: &[u8], line: &SignatureLine) -> Result<(), Unsignable> {
        let Subject { item_type, extension, .. } = &self.subject;
        match split(*item_type, extension.comment(), &self.with_line(body, line)).line {
            LineState::Malformed { reason } => Err(Unsignable { reason }),
            LineState::Doubled => Err(Unsignable { reason: "the text below it has `rye:signed:` on its first line" }),
            LineState::Absent | LineState::Legacy | LineState::Present(_) => Ok(()),
        }
    }

    fn with_line(&self, body: &[u8], line: &SignatureLine) -> Vec<u8> {
        with_line(self.subject.item_type, body, &line.render(self.subject.extension.comment()))
    }
}

impl<T, S> Signed<T, S> {
    /// Returns what the signature binds besides the bytes.
    #[must_use]
    pub const fn subject(&self) -> &Subject {
        &self.subject
    }

    /// Returns the content.
    #[must_use]
    pub const fn content(&self) -> &T {
        &self.content
    }
}

impl<T> Signed<T, Verified> {
    /// Returns why the item is accepted.
    #[must_use]
    pub const fn verdict(&self) -> Verdict {
        self.state.verdict
    }

    /// Returns the key that signed it; none for items compiled in.
    #[must_use]
    pub const fn signer(&self) -> Option<&KeyId> {
        self.state.signer.as_ref()
    }

    /// Derives something from verified content, such as its parsed form: it stays verified.
    ///
    /// # Errors
    ///
    /// Passes on the error of `derive`.
    pub fn try_map<U, E>(self, derive: impl FnOnce(&Subject, T) -> Result<U, E>) -> Result<Signed<U, Verified>, E> {
        let content = derive(&self.subject, self.content)?;
        Ok(Signed { subject: self.subject, content, state: self.state })
    }
}
