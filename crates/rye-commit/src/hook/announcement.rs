//! What `thread push` tells the hook of its own push: a file in the git folder that counts only while that push runs, and only for the
//! refs and objects in it.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::commits::Line;
use crate::git::{self, Git, Repository};
use crate::id::ThreadId;
use crate::redact::Passed;

/// Where threads are that are not branches any more.
pub(super) const ARCHIVE: &str = "refs/rye/archive/";

/// The variable that names the file to the hook.
const VARIABLE: &str = "RYE_PUSHED_THREADS";

/// How the name of the file begins; the id of the process follows.
const BEGINNING: &str = "pushed-";

/// The largest file that is read, in bytes.
const MOST_BYTES: u64 = 16 << 20;

/// A thread that is shared: its ref here, the id of its last commit, and its ref there.
pub type Announced = [String; 3];

/// What the file says.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Content {
    remote: String,
    refs: BTreeSet<Announced>,
    /// The SHA-256 of the secrets that the person let through.
    passed: Vec<String>,
}

/// The file of a push that runs: whoever made it has locked it, and removes it.
#[derive(Debug)]
pub struct Announcement {
    path: PathBuf,
    name: String,
    _lock: File,
}

impl Announcement {
    /// Writes and locks the file.
    ///
    /// # Errors
    ///
    /// Fails when it cannot be written.
    pub fn new(
        repository: &Repository,
        remote: &str,
        refs: impl IntoIterator<Item = Announced>,
        passed: &Passed,
    ) -> Result<Self, git::Error> {
        let name = format!("{BEGINNING}{}", std::process::id());
        let path = repository.common_dir().join("rye").join(&name);
        let content = Content {
            remote: remote.to_owned(),
            refs: refs.into_iter().collect(),
            passed: passed.digests().map(|digest| digest.to_string()).collect(),
        };
        let written = || {
            fs::create_dir_all(path.parent().unwrap_or(&path))?;
            // What a killed push left.
            let _ = fs::remove_file(&path);
            let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
            file.try_lock()?;
            serde_json::to_writer(&mut file, &content)?;
            file.flush()?;
            Ok(file)
        };
        let _lock = written().map_err(|source| git::Error::Sync { path: path.clone(), source })?;
        Ok(Self { path, name, _lock })
    }

    /// Returns a git whose hook reads the file.
    #[must_use]
    pub fn told_to(&self, git: Git) -> Git {
        git.with_variable(VARIABLE, &self.name)
    }
}

impl Drop for Announcement {
    fn drop(&mut self) {
        // Without its lock it counts no more.
        let _ = fs::remove_file(&self.path);
    }
}

/// What the hook was told.
#[derive(Debug, Default)]
pub(super) struct Told {
    refs: BTreeSet<Announced>,
    /// The secrets that the person let through.
    pub(super) passed: Passed,
}

impl Told {
    /// Reads the file that the variable names; nothing, unless a push to this remote has locked it.
    pub(super) fn read(repository: &Repository, variable: Option<&str>, remote: &str) -> Self {
        let content = variable.and_then(|name| content(repository, name)).filter(|content| content.remote == remote);
        let Content { refs, passed, .. } = content.unwrap_or_default();
        Self { refs, passed: Passed::of(passed.iter().filter_map(|digest| digest.parse().ok())) }
    }

    /// Tells whether a line of the push is that of a shared thread: its own ref, to its own branch, at the same commit. `branches` is the
    /// folder of all threads' branches.
    pub(super) fn has(&self, line: &Line<'_>, branches: &str) -> bool {
        let id = line.there.strip_prefix(branches).filter(|id| id.parse::<ThreadId>().is_ok());
        let is_own = id.is_some_and(|id| line.local == line.there || line.local.strip_prefix(ARCHIVE) == Some(id));
        is_own && self.refs.contains(&[line.local, line.id, line.there].map(str::to_owned))
    }
}

fn content(repository: &Repository, name: &str) -> Option<Content> {
    let process = name.strip_prefix(BEGINNING)?;
    if process.is_empty() || !process.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let file = File::open(repository.common_dir().join("rye").join(name)).ok()?;
    if !matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)) {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}
