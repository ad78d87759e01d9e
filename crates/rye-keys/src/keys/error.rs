//! Errors with keys and trust files.

use std::path::PathBuf;

use thiserror::Error;

use crate::context::{ContextError, Exposed, Unreadable};
use crate::trust::{KeyError, KeyId, ManifestFault, NoPassphrase, RevocationError, SignerError};

/// A key or trust file that cannot be used.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum KeysError {
    /// A file or folder cannot be read or written.
    #[error("cannot {action} `{}`", path.display())]
    Io {
        action: &'static str,
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// A list of keys that was named cannot be read.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// The file of a key cannot be read.
    #[error("{source}")]
    KeyUnreadable { path: PathBuf, source: Unreadable },
    /// Others could read a private key.
    #[error("the {what} `{}` can be read by others (mode {mode:04o})", path.display())]
    LooseMode {
        /// A private key, or the folder of them.
        what: &'static str,
        path: PathBuf,
        mode: u32,
    },
    /// Others could change the trusted keys.
    #[error("`{}` can be changed by everybody (mode {mode:04o}), so what it says is not trusted", path.display())]
    WritableByOthers { path: PathBuf, mode: u32 },
    /// Another user could have written it.
    #[error("`{}` belongs to another user (user {owner}), so what it says is not trusted", path.display())]
    Foreign { path: PathBuf, owner: u32 },
    /// A link leads to nothing.
    #[error("`{}` is a link to something that is not there", path.display())]
    Nowhere { path: PathBuf },
    /// The file is larger than any key.
    #[error("`{}` is larger than 64 KiB, so it is not a key", path.display())]
    TooLarge { path: PathBuf },
    /// A key itself was given where its path belongs.
    #[error("a key was given where the path of its file belongs")]
    TextAsPath,
    /// The variable holds neither a key nor a path. Its content may be secret.
    #[error("`RYE_SIGNING_KEY` is neither a key nor the path of one")]
    NoKeyInVariable,
    /// The variable names a file that does not exist.
    #[error("cannot read the key `{}` of `RYE_SIGNING_KEY`: no such file", path.display())]
    NoFileOfVariable {
        /// The path: never the text of a key.
        path: PathBuf,
    },
    /// The agent's key is no person's.
    #[error("`{}` is the key of your own agent, whose signatures are never yours", path.display())]
    AgentsOwn {
        /// Where the key is from.
        path: PathBuf,
    },
    /// Another key would be replaced.
    #[error("you have a key already, {key_id}")]
    OtherKey {
        key_id: KeyId,
        /// The file of the new one.
        from: PathBuf,
    },
    /// There is no passphrase for a new key.
    #[error("no passphrase for the new key")]
    NoPassphrase {
        #[source]
        source: NoPassphrase,
    },
    /// The passphrase for a new key is empty.
    #[error("the passphrase is empty")]
    EmptyPassphrase,
    /// The passphrase for a new key was typed in two ways.
    #[error("the passphrases do not match")]
    OtherPassphrase,
    /// Nothing says whose the key is.
    #[error("nothing names the holder of the {name} key")]
    NoHolder { name: &'static str },
    /// An agent's key would count for everything, where its line names no use.
    #[error("the agent key is exported as a line of allowed_signers only, with its use for turns")]
    AgentWithoutUse,
    /// A comment is the rest of one line.
    #[error("a comment must be one line of text")]
    Comment,
    /// The key does not sign.
    #[error(transparent)]
    Signer(#[from] SignerError),
    /// The key file cannot be read.
    #[error("the key `{}` cannot be used", path.display())]
    Key {
        path: PathBuf,
        #[source]
        source: KeyError,
    },
    /// The file to import is not a key that can sign.
    #[error("cannot import `{}`", path.display())]
    NotImported {
        path: PathBuf,
        #[source]
        source: KeyError,
    },
    /// The person has no such key yet.
    #[error("you have no {name} key yet")]
    Missing { name: String },
    /// Another program made the person's key since this one planned with another.
    #[error("another program made your key in the meantime")]
    MadeMeanwhile,
    /// No file has the path that names a key.
    #[error("cannot read `{name}`: no such file")]
    NoFile { name: String },
    /// A key of that name exists already.
    #[error("the key `{}` exists already", path.display())]
    Exists { path: PathBuf },
    /// A list of revoked keys cannot be read.
    #[error(transparent)]
    Revoked(#[from] RevocationError),
    /// A trust file is endless, or no file.
    #[error("`{}` cannot be read: {reason}", path.display())]
    NotReadable { path: PathBuf, reason: String },
    /// The copies of an accepted proposal are unusable.
    #[error("the accepted proposal of this project is unusable: `{}` {reason}", path.display())]
    Pin { path: PathBuf, reason: String },
    /// The copy of an accepted proposal's files is damaged.
    #[error("the copy of the accepted proposal in `{}` cannot be used", path.display())]
    AcceptedFiles {
        path: PathBuf,
        #[source]
        fault: ManifestFault,
    },
    /// Somebody accepted another proposal for the project meanwhile.
    #[error("another proposal was accepted for this project meanwhile")]
    AcceptedMeanwhile,
    /// The surroundings are wrong.
    #[error(transparent)]
    Context(#[from] ContextError),
}

impl From<Exposed> for KeysError {
    fn from(exposed: Exposed) -> Self {
        match exposed {
            Exposed::Writable { path, mode } => Self::WritableByOthers { path, mode },
            Exposed::Foreign { path, owner } => Self::Foreign { path, owner },
            Exposed::Nowhere { path } => Self::Nowhere { path },
        }
    }
}
