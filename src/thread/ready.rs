//! What has to be there before a thread begins: a repository, keys, the files by which git checks signatures, and a log.

use std::path::PathBuf;

use super::branch;
use super::error::Error;
use super::log::{self, Log};
use super::prepare::Prepared;
use super::tree;
use crate::git::{Identity, Repository};
use crate::keys::{KeyInfo, KeyName, KeyStore, TrustDir};
use crate::session::Session;

/// What a thread needs to be there before it begins.
pub(super) struct Ready {
    pub(super) repository: Repository,
    pub(super) keys_created: Vec<KeyInfo>,
    pub(super) allowed_signers: PathBuf,
    pub(super) identity: Identity,
    pub(super) identity_is_fallback: bool,
}

impl Ready {
    /// Begins the work of a thread: in a session of its own, where what the agent signs counts in this thread and in no other.
    pub(super) fn for_thread(session: &Session) -> Result<(Session, Self), Error> {
        let session = session.for_thread();
        session.project().root()?;
        let ready = Self::new(&session, false)?;
        Ok((session, ready))
    }

    /// Makes the keys and files that a thread needs. A folder that cannot be written must not cost a finished thread its
    /// outcome. `is_made` tells that the agent's key was made for this thread already.
    pub(super) fn new(session: &Session, is_made: bool) -> Result<Self, Error> {
        let ctx = session.context();
        let repository = session.project().require_repository()?;
        let store = KeyStore::new(ctx)?;
        // The person's is made when they sign something themselves.
        let agent = store.ensure_one(ctx, KeyName::Agent)?;
        let agent = KeyInfo { created: agent.created || is_made, ..agent };
        let keys_created = if agent.created { vec![agent] } else { Vec::new() };
        let allowed_signers = TrustDir::new(ctx)?.write_git_files(&store)?.allowed_signers;
        let (identity, identity_is_fallback) = identity(&repository);
        Ok(Self { repository, keys_created, allowed_signers, identity, identity_is_fallback })
    }

    /// Takes the lock and begins the log of a thread.
    pub(super) fn begin(&self, session: &Session, prepared: &Prepared) -> Result<Log, Error> {
        tree::sweep(&self.repository, |id| log::is_running(self.repository.common_dir(), id))?;
        let name = branch::name(&session.context().config().threads.prefix, &prepared.thread_id);
        self.repository.refuse_name_conflict(&name)?;
        Log::create(self.repository.common_dir(), &prepared.thread_id)
    }
}

/// Takes whom git knows, or a placeholder: a thread must run in a fresh environment too.
fn identity(repository: &Repository) -> (Identity, bool) {
    match repository.committer() {
        Some(identity) => (identity, false),
        None => (Identity::new("rye", "rye@localhost"), true),
    }
}
