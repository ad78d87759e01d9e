//! The guard of threads: a model's reads and writes are not pushed by accident.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::ErrorKind;

use super::announcement::{ARCHIVE, Told};
use super::commits::{Commits, Line, MAX_ENTRIES, Pushed, RECORDS, is_nothing};
use super::name::HookName;
use super::{Error, git, hooks_dir, io, read};
use crate::git::{BlobId, CommitId, Git, Repository, Terminal};
use crate::id::ThreadId;
use crate::process;
use crate::project::Project;
use crate::redact::without_keys;

/// The file that says that its person was told of the hook, in the folder `rye` of the git folder.
const TOLD: &str = "told_of_hook";

/// By these words a hook is known that calls this program, also where another program manages hooks.
const CALL: &str = "hook run pre-push";

/// How many files of the records of all threads here are known by their ids.
const MAX_KNOWN: usize = 1_000_000;

/// A push, as git tells its hook of it.
#[derive(Debug, Clone, Copy)]
pub struct Push<'a> {
    /// The name of the remote, or a URL.
    pub remote: &'a str,
    /// The URL that it goes to, where that is known.
    pub url: Option<&'a str>,
    /// `LOCAL_REF LOCAL_ID REMOTE_REF REMOTE_ID`, a line each.
    pub refs: &'a str,
    /// Whether git may talk to the person.
    pub terminal: Terminal,
}

/// Checks a push. Puts into `unasked` why the remote could not be asked what it has, if that is so: all commits were looked at then.
///
/// # Errors
///
/// Fails, and so stops the push, if a thread is among it: by its branch, by its place in the archive, by the id of its last commit, or
/// because a commit that the remote does not have brings a file of a thread's record, under whatever path. Fails also if such a commit
/// brings a secret, and where any of that cannot be told. Deleting a ref there is fine. What `thread push` shares may be a thread, and is looked
/// at for secrets as everything is.
///
/// The remote has what git says on stdin, and what it answers itself if a ref is new there or something was found. Refs here say nothing
/// of it: others may have written them, or they lead to another place than this URL.
pub fn pre_push(project: &Project, push: &Push<'_>, unasked: &mut Option<git::Error>) -> Result<(), Error> {
    let ctx = project.context();
    let remote = without_keys(push.remote);
    let folders = [ThreadId::branches(&ctx.config().threads.prefix), ARCHIVE.to_owned()];
    let lines: Vec<Line<'_>> = push.refs.lines().map(Line::parse).collect::<Result<_, _>>()?;
    let all: Vec<&Line<'_>> = lines.iter().filter(|line| !is_nothing(line.id)).collect();
    let Some(repository) = project.repository().filter(|_| !all.is_empty()) else { return Ok(()) };
    let told_of = Told::read(&repository, ctx.variable("RYE_PUSHED_THREADS"), push.remote);
    let (shared, sent): (Vec<&Line<'_>>, Vec<_>) = all.iter().partition(|line| told_of.has(line, &folders[0]));
    let pushed = Pushed { sent: &sent, shared: &shared, passed: &told_of.passed };
    let mut tips = Vec::new();
    for folder in &folders {
        tips.extend(repository.branches_below(folder)?);
    }
    refuse_threads(&sent, &folders, &tips, &remote)?;
    let git = git(project)?;
    let records = records(&repository, &tips)?;
    let told = lines.iter().filter(|line| !is_nothing(line.id_there)).map(|line| line.id_there.to_owned()).collect();
    let mut commits = Commits::new(&repository, &git, &remote, told, records);
    let is_here = |line: &&Line<'_>| !is_nothing(line.id_there) && repository.resolve(line.id_there).is_ok();
    // A remote is not asked over the network if what git told is enough.
    let mut judged = if all.iter().all(is_here) { Some(commits.judge(ctx, &pushed)) } else { None };
    if !matches!(judged, Some(Ok(()))) {
        match ask(&git, push) {
            Ok(ids) => {
                let has_new = commits.learn(ids);
                judged = judged.filter(|_| !has_new);
            }
            Err(error) => *unasked = Some(error),
        }
    }
    judged.unwrap_or_else(|| commits.judge(ctx, &pushed))
}

/// Fails if a ref is of a thread, or leads to the last commit of one.
fn refuse_threads(
    sent: &[&Line<'_>],
    folders: &[String],
    tips: &[(String, CommitId)],
    remote: &str,
) -> Result<(), Error> {
    for line in sent {
        let is_thread = |name: &&str| folders.iter().any(|folder| name.starts_with(folder));
        let by_id = || tips.iter().find(|(_, commit_id)| commit_id.as_str() == line.id).map(|(name, _)| name.as_str());
        if let Some(name) = [line.local, line.there].into_iter().find(is_thread).or_else(by_id) {
            // `REF~1` is a thread's, too.
            let name = name.split(['~', '^']).next().unwrap_or(name);
            return Err(Error::Thread { name: name.to_owned(), remote: remote.to_owned() });
        }
    }
    Ok(())
}

/// Asks the URL of a push what it has.
fn ask(git: &Git, push: &Push<'_>) -> Result<Vec<String>, git::Error> {
    let unknown = || git::Error::CommandOutput {
        command: "git push".to_owned(),
        reason: "it does not tell the hook where it goes".to_owned(),
    };
    let url = push.url.ok_or_else(unknown)?;
    git.clone().with_terminal(push.terminal).waited_for_by(process::wait_for_an_answer).ids_at(url)
}

/// Lists the files of the records of threads that are here.
fn records(repository: &Repository, tips: &[(String, CommitId)]) -> Result<BTreeSet<BlobId>, git::Error> {
    let mut records = BTreeSet::new();
    for (_, tip) in tips {
        records.extend(repository.entries_below(tip, RECORDS, MAX_ENTRIES)?.into_iter().map(|entry| entry.blob_id));
        if records.len() > MAX_KNOWN {
            return Err(git::Error::TooManyEntries { path: RECORDS.to_owned(), limit: MAX_KNOWN });
        }
    }
    Ok(records)
}

/// Tells whether its person is to hear now that nothing stops threads from being pushed: there is a remote and no hook.
/// The warning is recorded, so that they hear it once in a repository.
///
/// # Errors
///
/// Fails when the folder of hooks cannot be told or read, and when it cannot be remembered.
pub fn is_to_be_told(project: &Project) -> Result<bool, Error> {
    let repository = project.require_repository()?;
    let told = repository.common_dir().join("rye").join(TOLD);
    if told.exists() || repository.remotes().is_empty() {
        return Ok(false);
    }
    let hook = read(&hooks_dir(project)?.join(HookName::PrePush.as_str()))?.unwrap_or_default();
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
