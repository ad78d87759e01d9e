//! Whoever can sign with a key: a key in memory, or an ssh-agent that holds it and never gives it away.
//!
//! A signer is handed the finished data of one use, so it cannot be made to sign under another; and its answer is
//! verified before use. How an agent is reached is not known here.

use std::fmt;
use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::sshsig::{SignedData, armored};
use crate::trust::{KeyError, KeyId, Namespace, NoPassphrase, PublicKey, RawSignature, SigningKey};

/// Something that can sign with one key.
pub trait Signer: fmt::Debug {
    /// Returns the public half of its key.
    fn public(&self) -> PublicKey;

    /// Signs the data of one use. Callers want [`Signer::sign`], which verifies what comes back.
    ///
    /// # Errors
    ///
    /// Fails when the private half cannot be reached, or its holder refuses.
    fn sign_data(&self, data: &SignedData) -> Result<RawSignature, SignerError>;

    /// Signs `message` for one use.
    ///
    /// # Errors
    ///
    /// Fails when the private half cannot be reached, its holder refuses, or what it made does not verify.
    fn sign(&self, namespace: Namespace, message: &[u8]) -> Result<RawSignature, SignerError> {
        let signature = self.sign_data(&SignedData::new(namespace, message))?;
        let fits = self.public().verifies(namespace, message, signature);
        if fits { Ok(signature) } else { Err(SignerError::Unfit { key_id: self.public().key_id() }) }
    }

    /// Signs `message` and returns the armored envelope, as in a commit's `gpgsig` header.
    ///
    /// # Errors
    ///
    /// As [`Signer::sign`].
    fn sign_armored(&self, namespace: Namespace, message: &[u8]) -> Result<String, SignerError> {
        Ok(armored(&self.public(), namespace, self.sign(namespace, message)?))
    }
}

/// Why a signer made no signature.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum SignerError {
    /// The key needs a passphrase that was not given.
    #[error("the key `{}` is protected by a passphrase", path.display())]
    Passphrase {
        /// Where the key is from.
        path: PathBuf,
        #[source]
        source: NoPassphrase,
    },
    /// Wrong passphrase for the key.
    #[error("the key `{}` stays closed: no passphrase that was given opens it", path.display())]
    WrongPassphrase {
        /// Where the key is from.
        path: PathBuf,
    },
    /// The key opens, and is of no use.
    #[error("the key `{}` cannot be used", path.display())]
    Key {
        /// Where the key is from.
        path: PathBuf,
        #[source]
        source: KeyError,
    },
    /// Only the public half is known, and no agent has the private one.
    #[error("cannot sign with {key_id}: no ssh-agent has its private key")]
    NoAgent {
        key_id: KeyId,
        /// The file of its private half, if it is next to the public one.
        private: Option<PathBuf>,
    },
    /// The agent does not have the key.
    #[error("the ssh-agent does not hold the key {key_id}")]
    NotHeld {
        key_id: KeyId,
        /// The file of its private half, if it is next to the public one.
        private: Option<PathBuf>,
    },
    /// The agent has the key and did not sign.
    #[error("the ssh-agent refused to sign with the key {key_id}")]
    Refused { key_id: KeyId },
    /// The agent's socket does not answer.
    #[error("the ssh-agent at `{}` cannot be asked: {kind}", socket.display())]
    Unreachable { socket: PathBuf, kind: io::ErrorKind },
    /// The agent took the question and was silent for too long.
    #[error("the ssh-agent at `{}` gave no answer for {seconds} seconds", socket.display())]
    Silent { socket: PathBuf, seconds: u64 },
    /// The answer is not one of an agent.
    #[error("the ssh-agent at `{}` gave an answer that means nothing: {reason}", socket.display())]
    Garbled { socket: PathBuf, reason: &'static str },
    /// The signature does not verify.
    #[error("the signature of the key {key_id} is invalid")]
    Unfit { key_id: KeyId },
}

impl Signer for SigningKey {
    fn public(&self) -> PublicKey {
        Self::public(self)
    }

    fn sign_data(&self, data: &SignedData) -> Result<RawSignature, SignerError> {
        Ok(RawSignature(self.sign_raw(data.as_bytes())))
    }
}
