//! Keys and trust on disk: `$XDG_CONFIG_HOME/rye/keys` and `…/trust`.
//!
//! Two keys: the *person's* signs what a person asks to sign, the *agent's* signs tokens, turn commits, and whatever
//! is signed inside a thread. Both are OpenSSH files of mode 0600 in a folder of mode 0700. Never below `.ai`.

mod choose;
mod error;
mod info;
mod store;
mod trust_dir;
mod verdict_store;

pub use choose::{PersonKey, person_key};
pub use error::KeysError;
pub use info::KeyInfo;
pub use store::{KeyName, KeyStore};
pub use trust_dir::{Accepted, GitFiles, Project, ProjectFiles, TrustDir, read_allowed_signers};
pub use verdict_store::VerdictStore;
