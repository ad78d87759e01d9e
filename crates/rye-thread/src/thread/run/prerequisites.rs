//! What has to be there before a thread begins: a repository, keys, the files by which git checks signatures, and a log.

use std::path::PathBuf;

use super::preparation::Prepared;
use crate::git::{Identity, Repository};
use crate::keys::{KeyInfo, KeyName, KeyStore, TrustDir};
use crate::session::Session;
use crate::thread::error::Error;
use crate::thread::record::{Log, branch, log};
use crate::thread::tree::own_tree;

/// What a thread needs to be there before it begins.
pub(in crate::thread) struct Ready {
    pub(in crate::thread) repository: Repository,
    pub(in crate::thread) keys_created: Vec<KeyInfo>,
    pub(in crate::thread) allowed_signers: PathBuf,
    pub(in crate::thread) identity: Identity,
    pub(in crate::thread) identity_is_fallback: bool,
}

impl Ready {
    /// Begins the work of a thread: in a session of its own, where what the agent signs counts in this thread and in no other.
    pub(in crate::thread) fn for_thread(session: &Session) -> Result<(Session, Self), Error> {
        let session = session.for_thread();
        session.project().root()?;
        let ready = Self::new(&session, false)?;
        Ok((session, ready))
    }

    /// Makes the keys and files that a thread needs. A folder that cannot be written must not cost a finished thread its
    /// outcome. `is_made` tells that the agent's key was made for this thread already.
    pub(in crate::thread) fn new(session: &Session, is_made: bool) -> Result<Self, Error> {
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
    pub(in crate::thread) fn begin(&self, session: &Session, prepared: &Prepared) -> Result<Log, Error> {
        own_tree::sweep(&self.repository, |id| log::is_running(self.repository.common_dir(), id))?;
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
