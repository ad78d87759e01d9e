//! The guard of threads: what a model read and wrote is not pushed by accident.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::ErrorKind;

use super::super::locate::Session;
use super::name::HookName;
use super::{Error, hooks_dir, io, read};
use crate::id::ThreadId;

/// The variable by which `thread push` tells the hook which refs it shares on purpose, separated by blanks.
pub const PUSHED_VARIABLE: &str = "RYE_PUSHED_THREADS";

/// Where threads are that are no branches any more.
const ARCHIVE: &str = "refs/rye/archive/";

/// The id that stands for nothing in what git tells a `pre-push` hook.
const NOTHING: char = '0';

/// The file that says that its person was told of the hook, in the folder `rye` of the git folder.
const TOLD: &str = "told_of_hook";

/// By these words a hook is known that calls this program, also where another program manages hooks.
const CALL: &str = "hook run pre-push";

/// Looks at what is about to be pushed to `remote`, as git tells its hook: `LOCAL_REF LOCAL_ID REMOTE_REF REMOTE_ID`, a
/// line each.
///
/// # Errors
///
/// Fails, and so stops the push, if a thread is among it: by its branch, by its place in the archive, or by the id of its last commit.
/// Deleting one there is fine, and so is what `thread push` shares.
pub fn pre_push(session: &Session, remote: &str, pushed: &str) -> Result<(), Error> {
    let ctx = session.context();
    let folders = [ThreadId::branches(&ctx.config().threads.prefix), ARCHIVE.to_owned()];
    let shared: BTreeSet<&str> = ctx.variable(PUSHED_VARIABLE).unwrap_or_default().split(' ').collect();
    let mut tips = Vec::new();
    if let Some(repository) = session.repository() {
        for folder in &folders {
            tips.extend(repository.branches_below(folder)?);
        }
    }
    for line in pushed.lines() {
        let [local, id, there, ..] = line.split(' ').collect::<Vec<_>>()[..] else { continue };
        if id.trim_matches(NOTHING).is_empty() || shared.contains(local) {
            continue;
        }
        let is_thread = |name: &&str| folders.iter().any(|folder| name.starts_with(folder));
        let by_id = || tips.iter().find(|(_, commit_id)| commit_id.as_str() == id).map(|(name, _)| name.as_str());
        if let Some(name) = [local, there].into_iter().find(is_thread).or_else(by_id) {
            return Err(Error::Thread { name: name.to_owned(), remote: remote.to_owned() });
        }
    }
    Ok(())
}

/// Tells whether its person is to hear now that nothing stops threads from being pushed: there is a remote and no hook. That is
/// remembered, so that they hear it once in a repository.
///
/// # Errors
///
/// Fails when the folder of hooks cannot be told or read, and when it cannot be remembered.
pub fn is_to_be_told(session: &Session) -> Result<bool, Error> {
    let repository = session.require_repository()?;
    let told = repository.common_dir().join("rye").join(TOLD);
    if told.exists() || repository.remotes().is_empty() {
        return Ok(false);
    }
    let hook = read(&hooks_dir(session)?.join(HookName::PrePush.as_str()))?.unwrap_or_default();
    if String::from_utf8_lossy(&hook).contains(CALL) {
        return Ok(false);
    }
    fs::create_dir_all(repository.common_dir().join("rye")).map_err(io("make the folder of", &told))?;
    match OpenOptions::new().write(true).create_new(true).open(&told) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(io("write", &told)(error)),
    }
}
