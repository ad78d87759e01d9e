//! Keys and trust on disk: `$XDG_CONFIG_HOME/rye/keys` and `…/trust`.
//!
//! Two keys: the *person's* signs what a person asks to sign, the *agent's* signs tokens, turn commits, and whatever
//! is signed inside a thread. Both are OpenSSH files of mode 0600 in a folder of mode 0700; the person's may be behind a
//! passphrase, or in an ssh-agent with only its public half here. Never below `.ai`.

mod agent_written;
mod choose;
mod error;
mod import;
mod info;
mod person;
mod read;
mod sign_socket;
mod ssh_agent;
mod store;
mod trust_dir;
mod verdict_store;

pub use agent_written::AgentWritten;
pub use choose::{SIGNING_KEY, drafted_person, known_person, named_file, person_key};
pub use error::KeysError;
pub use import::Import;
pub use info::{Holder, KeyInfo};
pub use person::{Ask, PersonKey};
pub use sign_socket::{AnswerError, SIGN_FLAG, SignSocket, answer_git};
pub use ssh_agent::SshAgent;
pub use store::{KeyName, KeyStore};
pub use trust_dir::{Accepted, GitFiles, Project, ProjectFiles, TrustDir, project_config, read_allowed_signers};
pub use verdict_store::VerdictStore;
