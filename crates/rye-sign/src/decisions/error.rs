//! Why a decision of trust cannot be made.

use std::path::PathBuf;

use thiserror::Error;

use super::super::locate::LocateError;
use crate::context::Unreadable;
use crate::git;
use crate::keys::KeysError;
use crate::trust::{KeyError, KeyId, ManifestFault, RevocationError, SignerError, SkippedLine};
use crate::workspace;

/// How a key that is proposed without a name could get one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// It is to be a root, which `trust add` does not make.
    Root,
    /// It is to be an author of a project whose trust files have a root.
    Author,
    /// It is to be an author of a project without trust files.
    First,
}

/// Why a decision of trust cannot be made.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum Error {
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] Unreadable),
    /// The file has no key.
    #[error("no public key in `{origin}` (expected OpenSSH, PEM or allowed_signers lines)")]
    NoKey {
        origin: String,
        #[source]
        source: Option<KeyError>,
    },
    /// A private key was named where its public half belongs.
    #[error("`{origin}` is a private key (expected a public key)")]
    Private {
        origin: String,
        /// Whether it is one of OpenPGP.
        is_openpgp: bool,
    },
    /// Trust files name the key of the person's own agent.
    #[error("`.ai/trust/allowed_signers` names the key of your own agent, {key_id}, as the key of `{principal}`")]
    AgentNamed {
        /// Whose the line says it is.
        principal: String,
        key_id: KeyId,
    },
    /// The key is that of the person's own agent.
    #[error("`{origin}` is the key of your own agent, which is trusted only in its threads")]
    Agent { origin: String },
    /// The line of a key names other uses than those that were asked for.
    #[error("the line of key {key_id} in `{origin}` names other uses: {uses}")]
    OtherUses {
        key_id: KeyId,
        origin: String,
        /// Those of the line.
        uses: String,
    },
    /// The line of an author names the use of a root.
    #[error("cannot propose key {key_id} as an author: its line names the use of a root (`{uses}`)")]
    AuthorIsRoot {
        key_id: KeyId,
        /// All uses of the line.
        uses: String,
    },
    /// The key is revoked from now on; the rest failed.
    #[error(
        "the key {key_id} is revoked, and the revocation is in force; the files for stock git could not be renewed"
    )]
    InForce {
        key_id: KeyId,
        #[source]
        source: KeysError,
    },
    /// The key is revoked.
    #[error("the key {key_id} in `{origin}` is revoked")]
    Revoked { key_id: KeyId, origin: String, list: PathBuf },
    /// Nothing says whose key it is.
    #[error("`{origin}` does not say whose key {key_id} is")]
    Unnamed { key_id: KeyId, origin: String },
    /// Nothing says whose key it is that is proposed.
    #[error("`{origin}` does not say whose key {key_id} is")]
    UnnamedProposed {
        key_id: KeyId,
        origin: String,
        /// How it could get a name.
        naming: Naming,
    },
    /// No line could be written with it.
    #[error(
        "`{principal}` is not a valid principal: it must not be empty, begin with `!`, or contain blanks or quotes"
    )]
    Principal { principal: String },
    /// A reason of several lines would be several lines of the list.
    #[error("the reason must be one line of text")]
    Reason,
    /// Nobody knows such a key.
    #[error("unknown key `{name}`")]
    Unknown {
        /// The key id, fingerprint, principal or file.
        name: String,
        nearest: Option<String>,
    },
    /// The name fits several keys.
    #[error("`{name}` matches {} keys: {}", key_ids.len(), joined(key_ids))]
    Ambiguous { name: String, key_ids: Vec<KeyId> },
    /// The person's own keys count without a decision.
    #[error("cannot change {key_id}: it is your own {name} key")]
    Own { key_id: KeyId, name: &'static str },
    /// No line of the files names the key.
    #[error("no line of {place} names the key {key_id}")]
    NoLine { key_id: KeyId, place: &'static str },
    /// The project proposes nothing.
    #[error("this project has no proposal: `.ai/trust/allowed_signers` is missing")]
    NoProposal,
    /// What the project proposes counts for nothing.
    #[error("invalid trust files: {fault}")]
    Unusable { fault: ManifestFault },
    /// It cannot replace the accepted proposal.
    #[error("what this project proposes cannot follow version {accepted}, which you accepted: {fault}")]
    NoSuccessor {
        /// The version that counts.
        accepted: u64,
        fault: ManifestFault,
    },
    /// There is nothing to withdraw.
    #[error("nothing that this project proposes was accepted here")]
    NothingAccepted,
    /// A project is known by its first commit.
    #[error("this project has no commit yet, and a project is known by its first one")]
    NoCommit,
    /// The proposer must be a root.
    #[error(
        "your key {key_id} is not a root of this project: no line of `.ai/trust/allowed_signers` gives it `rye-trust`"
    )]
    NotRoot { key_id: KeyId },
    /// The name of the holder is unknown.
    #[error("git knows no e-mail address to name you by in `.ai/trust/allowed_signers`")]
    NoPrincipal,
    /// The key cannot sign.
    #[error(transparent)]
    Signer(#[from] SignerError),
    /// Keys or trust files cannot be read or written.
    #[error(transparent)]
    Keys(#[from] KeysError),
    /// A line that is to be added would not count.
    #[error("line {} of `{}` would not count: {}", .0.line, .0.origin, .0.reason)]
    Line(SkippedLine),
    /// The project's list of revoked keys cannot be read.
    #[error(transparent)]
    RevokedList(#[from] RevocationError),
    /// The project cannot be found.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// Its history cannot be followed.
    #[error(transparent)]
    Git(#[from] git::Error),
    /// A file of the project cannot be read or written.
    #[error(transparent)]
    Workspace(#[from] workspace::Error),
}

impl From<ManifestFault> for Error {
    fn from(fault: ManifestFault) -> Self {
        Self::Unusable { fault }
    }
}

fn joined(key_ids: &[KeyId]) -> String {
    key_ids.iter().map(KeyId::as_str).collect::<Vec<_>>().join(", ")
}
