//! The guard of threads: a model's reads and writes are not pushed by accident.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::ErrorKind;

use super::name::HookName;
use super::record::is_record;
use super::{Error, git, hooks_dir, io, read};
use crate::git::{BlobId, CommitId, Git, Repository};
use crate::id::ThreadId;
use crate::keys::KeysError;
use crate::project::Project;
use crate::redact::Inspector;

/// The variable by which `thread push` tells the hook which refs it shares on purpose, separated by blanks.
pub const PUSHED_VARIABLE: &str = "RYE_PUSHED_THREADS";

/// Where threads are that are not branches any more.
const ARCHIVE: &str = "refs/rye/archive/";

/// The null id in the input of a `pre-push` hook.
const NOTHING: char = '0';

/// The file that says that its person was told of the hook, in the folder `rye` of the git folder.
const TOLD: &str = "told_of_hook";

/// By these words a hook is known that calls this program, also where another program manages hooks.
const CALL: &str = "hook run pre-push";

/// Where a thread's commits keep its record.
const RECORDS: &str = ".ai/threads";

/// How many commits that touch records are looked at at once, and how many entries of each.
const MAX_COMMITS: usize = 1_000;
const MAX_ENTRIES: usize = 100_000;

/// How many files of the records of all threads here are known by their ids.
const MAX_KNOWN: usize = 1_000_000;
/// Larger files are judged by their beginning: no file of a record is as large, but for results that are known by their ids.
const MAX_READ: u64 = 16 << 20;
const BEGINNING: usize = 1 << 20;

/// Checks a push to `remote`, as git tells its hook: `LOCAL_REF LOCAL_ID REMOTE_REF REMOTE_ID`, a line each.
///
/// # Errors
///
/// Fails, and so stops the push, if a thread is among it: by its branch, by its place in the archive, by the id of its last commit, or
/// because a commit that the remote does not have, as far as is known here, brings a file of a thread's record, under whatever path.
/// Fails also if such a commit brings a secret, and where any of that cannot be told. Deleting a ref there is fine, and so is what
/// `thread push` shares.
pub fn pre_push(project: &Project, remote: &str, pushed: &str) -> Result<(), Error> {
    let ctx = project.context();
    let folders = [ThreadId::branches(&ctx.config().threads.prefix), ARCHIVE.to_owned()];
    let shared: BTreeSet<&str> = ctx.variable(PUSHED_VARIABLE).unwrap_or_default().split(' ').collect();
    let lines: Vec<Line<'_>> = pushed.lines().filter_map(Line::parse).collect();
    let sent = lines.iter().filter(|line| !is_nothing(line.id) && !shared.contains(line.local));
    let sent: Vec<&Line<'_>> = sent.collect();
    let mut tips = Vec::new();
    if let Some(repository) = project.repository() {
        for folder in &folders {
            tips.extend(repository.branches_below(folder)?);
        }
    }
    for line in &sent {
        let is_thread = |name: &&str| folders.iter().any(|folder| name.starts_with(folder));
        let by_id = || tips.iter().find(|(_, commit_id)| commit_id.as_str() == line.id).map(|(name, _)| name.as_str());
        if let Some(name) = [line.local, line.there].into_iter().find(is_thread).or_else(by_id) {
            // `REF~1` is a thread's, too.
            let name = name.split(['~', '^']).next().unwrap_or(name);
            return Err(Error::Thread { name: name.to_owned(), remote: remote.to_owned() });
        }
    }
    match project.repository() {
        Some(repository) if !sent.is_empty() => {
            let known = known(&repository, remote, &lines)?;
            let records = records(&repository, &tips)?;
            let (passed, judged) = (passed(&repository, &known)?, RefCell::default());
            let git = git(project)?;
            let commits = Commits { repository: &repository, git: &git, remote, known, passed, records, judged };
            commits.check(&sent)?;
            let mut inspector = ctx.inspector(&[]).map_err(KeysError::from)?;
            commits.inspect(&mut inspector, &sent)?;
            inspector.finish()?;
            Ok(())
        }
        _ => Ok(()),
    }
}

/// A line that git tells the hook.
struct Line<'a> {
    local: &'a str,
    id: &'a str,
    there: &'a str,
    id_there: &'a str,
}

impl<'a> Line<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let [local, id, there, id_there, ..] = line.split(' ').collect::<Vec<_>>()[..] else { return None };
        Some(Self { local, id, there, id_there })
    }
}

fn is_nothing(id: &str) -> bool {
    id.trim_matches(NOTHING).is_empty()
}

/// Lists the known commits of the remote: its branches at the last fetch or push, and the present targets of the pushed
/// refs.
fn known(repository: &Repository, remote: &str, lines: &[Line<'_>]) -> Result<Vec<String>, Error> {
    let mut known = commits_of(repository, remote)?;
    known.extend(lines.iter().filter(|line| !is_nothing(line.id_there)).map(|line| line.id_there.to_owned()));
    Ok(known)
}

/// Lists the commits of a remote's branches, as they were at the last fetch or push.
///
/// # Errors
///
/// Fails when the refs cannot be read.
pub fn commits_of(repository: &Repository, remote: &str) -> Result<Vec<String>, git::Error> {
    let remotes = repository.remotes();
    let folder = |name: &str| format!("refs/remotes/{name}/");
    // `a/b` is another remote than `a`.
    let others: Vec<String> =
        remotes.iter().map(|known| folder(&known.name)).filter(|known| *known != folder(remote)).collect();
    let is_other =
        |name: &str| others.iter().any(|other| name.starts_with(other) && other.starts_with(&folder(remote)));
    let mut known = Vec::new();
    if remotes.iter().any(|known| known.name == remote) {
        let branches = repository.direct_below(&folder(remote))?.into_iter();
        known.extend(branches.filter(|(name, _)| !is_other(name)).map(|(_, commit_id)| commit_id.to_string()));
    }
    Ok(known)
}

/// Lists the commits whose contents are not looked at: those that the remote has. If none of these is here, as for a URL or a new remote,
/// those that any remote has.
fn passed(repository: &Repository, known: &[String]) -> Result<Vec<String>, Error> {
    if known.iter().any(|id| repository.resolve(id).is_ok()) {
        return Ok(known.to_vec());
    }
    let of_remotes = repository.direct_below("refs/remotes/")?.into_iter();
    Ok(of_remotes.map(|(_, commit_id)| commit_id.to_string()).collect())
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

/// The commits that a push sends.
struct Commits<'a> {
    repository: &'a Repository,
    git: &'a Git,
    remote: &'a str,
    known: Vec<String>,
    /// The commits whose contents are not looked at.
    passed: Vec<String>,
    /// The files of the records of threads that are here.
    records: BTreeSet<BlobId>,
    /// The files that are of no record.
    judged: RefCell<BTreeSet<BlobId>>,
}

impl Commits<'_> {
    /// Fails if a record of a thread is among them. All refs are looked at together, and in halves only to name the one that fails.
    fn check(&self, sent: &[&Line<'_>]) -> Result<(), Error> {
        let tips: Result<Vec<CommitId>, git::Error> =
            sent.iter().map(|line| self.repository.resolve(line.id)).collect();
        let found = tips.and_then(|tips| match self.first_record(&tips)? {
            Some(found) => Ok(Some(found)),
            None => self.moved_record(&tips),
        });
        let [line] = sent else {
            let (first, second) = sent.split_at(sent.len() / 2);
            return if matches!(found, Ok(None)) {
                Ok(())
            } else {
                self.check(first).and_then(|()| self.check(second))
            };
        };
        let (name, remote) = (line.local.to_owned(), self.remote.to_owned());
        match found {
            Ok(None) => Ok(()),
            Ok(Some((commit_id, path))) => Err(Error::Record { name, remote, commit_id, path }),
            Err(source) => Err(Error::Untold { name, remote, source }),
        }
    }

    /// Looks for secrets in them, in one pass for all refs.
    fn inspect(&self, inspector: &mut Inspector, sent: &[&Line<'_>]) -> Result<(), Error> {
        let tips: Result<Vec<CommitId>, git::Error> =
            sent.iter().map(|line| self.repository.resolve(line.id)).collect();
        let inspected = tips.and_then(|tips| self.repository.inspect_commits(inspector, self.git, &tips, &self.passed));
        inspected.map_err(|source| {
            let name = sent.iter().map(|line| line.local).collect::<Vec<_>>().join("`, `");
            Error::Unseen { name, remote: self.remote.to_owned(), source }
        })
    }

    fn first_record(&self, tips: &[CommitId]) -> Result<Option<(CommitId, String)>, git::Error> {
        let changing = self.git.commits_changing(tips, &self.known, RECORDS, MAX_COMMITS)?;
        for commit_id in &changing {
            let parents = self.repository.commit_info(commit_id)?.parents;
            let changes = self.repository.changes_below(&parents, commit_id, RECORDS, MAX_ENTRIES)?;
            if let Some(change) = changes.into_iter().find(|change| change.after.is_some()) {
                return Ok(Some((commit_id.clone(), change.path)));
            }
        }
        if changing.len() < MAX_COMMITS {
            return Ok(None);
        }
        Err(git::Error::TooManyEntries { path: RECORDS.to_owned(), limit: MAX_COMMITS })
    }

    /// Finds a file of a record under another path, by its content.
    fn moved_record(&self, tips: &[CommitId]) -> Result<Option<(CommitId, String)>, git::Error> {
        let look = |blob_id: BlobId, path: &str| Ok(self.is_record(blob_id)?.then(|| path.to_owned()));
        let Some(path) = self.git.find_blob_beyond(tips, &self.passed, look)? else { return Ok(None) };
        let changing = self.git.commits_changing(tips, &self.known, &path, MAX_COMMITS)?;
        Ok(changing.last().or(tips.last()).map(|commit_id| (commit_id.clone(), path)))
    }

    fn is_record(&self, blob_id: BlobId) -> Result<bool, git::Error> {
        if self.records.contains(&blob_id) {
            return Ok(true);
        }
        if self.judged.borrow().contains(&blob_id) {
            return Ok(false);
        }
        let bytes = match self.repository.blob_within(&blob_id, MAX_READ)? {
            Some(bytes) => bytes,
            None => self.git.beginning_of(&blob_id, BEGINNING)?,
        };
        let is_record = is_record(&bytes);
        if !is_record {
            self.judged.borrow_mut().insert(blob_id);
        }
        Ok(is_record)
    }
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
