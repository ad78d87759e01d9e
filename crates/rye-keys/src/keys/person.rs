//! The key a person signs with: in memory, behind a passphrase, or in an ssh-agent.
//!
//! It is opened when the first signature is wanted and not before, so that what signs nothing asks for nothing. A
//! protected key that an ssh-agent holds is not opened at all: the agent signs. The passphrase is asked for at most
//! three times, by whoever the caller lets ask.

use std::cell::{OnceCell, RefCell};
use std::fmt;
use std::path::{Path, PathBuf};

use super::{KeyName, KeyStore, KeysError, SshAgent};
use crate::trust::{
    KeyError, KeyText, LockedKey, NoPassphrase, Passphrase, PublicKey, RawSignature, SignedData, Signer, SignerError,
    SigningKey,
};

/// How often a passphrase is asked for.
const ATTEMPTS: u32 = 3;

/// Asks a person for a passphrase, by the question given.
pub type Ask = Box<dyn FnMut(&str) -> Result<Passphrase, NoPassphrase>>;

/// The key a person's signatures are made with.
pub struct PersonKey {
    text: KeyText,
    path: PathBuf,
    origin: Origin,
    agent: Option<SshAgent>,
    ask: RefCell<Ask>,
    opened: OnceCell<Opened>,
}

/// Where a key is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// It was there.
    Stored,
    /// It was made and written now.
    Made,
    /// It was made now, and is in memory only.
    Draft,
}

/// What signs in the end.
enum Opened {
    /// A key that was opened by its passphrase.
    Memory(SigningKey),
    /// An agent that holds it.
    Agent(SshAgent),
}

impl PersonKey {
    pub(super) fn new(text: KeyText, path: PathBuf, agent: Option<SshAgent>, ask: Ask) -> Self {
        let origin = Origin::Stored;
        Self { text, path, origin, agent, ask: RefCell::new(ask), opened: OnceCell::new() }
    }

    pub(super) fn from(self, origin: Origin) -> Self {
        Self { origin, ..self }
    }

    /// Tells whether the key was made just now: something to tell.
    #[must_use]
    pub const fn is_new(&self) -> bool {
        matches!(self.origin, Origin::Made)
    }

    /// Tells whether the key is in memory only: a plan may use it, and [`PersonKey::keep`] writes it.
    #[must_use]
    pub const fn is_draft(&self) -> bool {
        matches!(self.origin, Origin::Draft)
    }

    /// Writes a key that is in memory only, so that what it signs counts afterwards.
    ///
    /// # Errors
    ///
    /// Fails when another program made a key meanwhile, or the folder cannot be written.
    pub fn keep(self, store: &KeyStore) -> Result<Self, KeysError> {
        match (self.origin, &self.text) {
            (Origin::Draft, KeyText::Open(key)) => match store.keep_new(KeyName::Person, key) {
                Err(KeysError::Exists { .. }) => Err(KeysError::MadeMeanwhile),
                kept => kept.map(|()| self.from(Origin::Made)),
            },
            (Origin::Draft | Origin::Stored | Origin::Made, _) => Ok(self),
        }
    }

    /// Returns where the key is from: a file, or the variable that holds it.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes sure that the key can sign: asks for its passphrase, or finds it in the agent.
    ///
    /// # Errors
    ///
    /// As [`Signer::sign`], but for what an agent only says when it signs.
    pub fn open(&self) -> Result<(), SignerError> {
        match &self.text {
            KeyText::Open(_) => Ok(()),
            KeyText::Locked(key) => self.opened(|| self.unlock(key)).map(drop),
            KeyText::Public(key) => self.opened(|| self.holder(key)).map(drop),
        }
    }

    pub(super) const fn text(&self) -> &KeyText {
        &self.text
    }

    fn opened(&self, open: impl FnOnce() -> Result<Opened, SignerError>) -> Result<&Opened, SignerError> {
        match self.opened.get() {
            Some(opened) => Ok(opened),
            None => open().map(|opened| self.opened.get_or_init(|| opened)),
        }
    }

    /// Finds the agent that holds the private half of a key whose public half is all there is.
    fn holder(&self, key: &PublicKey) -> Result<Opened, SignerError> {
        let key_id = key.key_id();
        match &self.agent {
            None => Err(SignerError::NoAgent { key_id, private: self.private_half() }),
            Some(agent) if agent.holds(key)? => Ok(Opened::Agent(agent.clone())),
            Some(_) => Err(SignerError::NotHeld { key_id, private: self.private_half() }),
        }
    }

    /// Returns the file that `ssh-add` would take: the one next to `NAME.pub`, if it exists.
    fn private_half(&self) -> Option<PathBuf> {
        let is_public = self.path.extension().is_some_and(|extension| extension == "pub");
        Some(self.path.with_extension("")).filter(|private| is_public && private.is_file())
    }

    /// Leaves a protected key to the agent that holds it, or opens it.
    fn unlock(&self, key: &LockedKey) -> Result<Opened, SignerError> {
        let held = self.agent.as_ref().map_or(Ok(false), |agent| agent.holds(&self.text.public()));
        match (held, &self.agent) {
            (Ok(true), Some(agent)) => Ok(Opened::Agent(agent.clone())),
            (held, _) => self.open_by_passphrase(key).map(Opened::Memory).map_err(|error| match (error, held) {
                // Without a terminal for the passphrase, the error of the agent is the one to report.
                (SignerError::Passphrase { source: NoPassphrase::Nobody, .. }, Err(error)) => error,
                (error, _) => error,
            }),
        }
    }

    fn open_by_passphrase(&self, key: &LockedKey) -> Result<SigningKey, SignerError> {
        let path = || self.path.clone();
        let first = format!("Passphrase for `{}`: ", self.path.display());
        let again = format!("Wrong passphrase. {first}");
        let mut question = &first;
        for _ in 0..ATTEMPTS {
            let passphrase = (*self.ask.borrow_mut())(question)
                .map_err(|source| SignerError::Passphrase { path: path(), source })?;
            match key.open(&passphrase) {
                Err(KeyError::WrongPassphrase) => question = &again,
                opened => return opened.map_err(|source| SignerError::Key { path: path(), source }),
            }
        }
        Err(SignerError::WrongPassphrase { path: path() })
    }
}

impl Signer for PersonKey {
    fn public(&self) -> PublicKey {
        self.text.public()
    }

    fn sign_data(&self, data: &SignedData) -> Result<RawSignature, SignerError> {
        let opened = match &self.text {
            KeyText::Open(key) => return key.sign_data(data),
            KeyText::Locked(key) => self.opened(|| self.unlock(key))?,
            KeyText::Public(key) => self.opened(|| self.holder(key))?,
        };
        match opened {
            Opened::Memory(key) => key.sign_data(data),
            Opened::Agent(agent) => agent.sign(&self.public(), data),
        }
    }
}

impl fmt::Debug for PersonKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PersonKey({})", self.public().key_id())
    }
}
