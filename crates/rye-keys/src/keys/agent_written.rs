//! What agents wrote: a digest of each content that a model's tool put below some `.ai/`, in the person's own state.
//!
//! `$XDG_STATE_HOME/rye/agent_written`, mode 0600, is only ever appended to: a line feed, 64 hexadecimal digits, a line
//! feed. Commit point: the flush of that line, before the content is written anywhere. Writers hold the file's lock, so
//! no two lines mix; a crash leaves only the first digits of a line, which were not confirmed and are skipped. A full
//! file takes no more digests and is not read: nothing is forgotten in silence.
//!
//! The default place, `~/.local/state/rye`, is read too: a server that a client started without the person's
//! `XDG_STATE_HOME` writes there.

use std::collections::BTreeSet;
use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use super::KeysError;
use super::store::sync;
use crate::context::Context;
use crate::trust::Blake3Hash;

const NAME: &str = "agent_written";

/// The most that the file may hold: about 64,000 digests.
const MOST: u64 = 4 * 1024 * 1024;

/// The length of a digest as text.
const DIGITS: usize = 64;

/// The file of digests.
#[derive(Debug)]
pub struct AgentWritten {
    dir: PathBuf,
    path: PathBuf,
    /// The file in the default place, where that is another one.
    default: Option<PathBuf>,
}

impl AgentWritten {
    /// Names the file of this person.
    ///
    /// # Errors
    ///
    /// Fails without a folder for it.
    pub fn new(ctx: &Context) -> Result<Self, KeysError> {
        let dir = ctx.state_dir()?;
        let default = ctx.default_state_dir().ok().filter(|default| *default != dir);
        Ok(Self { path: dir.join(NAME), default: default.map(|default| default.join(NAME)), dir })
    }

    /// Returns the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Remembers a content. It survives a crash when this returns.
    ///
    /// # Errors
    ///
    /// Fails when the file cannot be written, or others can change it.
    pub fn remember(&self, digest: &Blake3Hash) -> Result<(), KeysError> {
        let mut file = self.open()?;
        let known = text(&self.path, &file)?;
        let digest = digest.to_string();
        if known.len() as u64 > MOST || known.lines().any(|line| line == digest) {
            return Ok(());
        }
        file.write_all(format!("\n{digest}\n").as_bytes())
            .and_then(|()| file.sync_all())
            .map_err(|source| io(&self.path, "write", source))
    }

    /// Makes an empty file, unless there is one.
    ///
    /// # Errors
    ///
    /// As [`remember`](Self::remember).
    pub fn begin(&self) -> Result<(), KeysError> {
        self.open().map(drop)
    }

    /// Reads all digests, those in the default place too; `None` without a file: then nothing is known of agents'
    /// writing.
    ///
    /// # Errors
    ///
    /// Fails when others can change the file, it is full, or holds anything but digests.
    pub fn read(&self) -> Result<Option<BTreeSet<String>>, KeysError> {
        let here = read(&self.path)?;
        let there = self.default.as_deref().map(read).transpose()?.flatten();
        Ok(match (here, there) {
            (Some(here), Some(there)) => Some(&here | &there),
            (here, there) => here.or(there),
        })
    }

    /// Opens the file and locks it; made if missing.
    fn open(&self) -> Result<File, KeysError> {
        let create = |source| KeysError::Io { action: "create", path: self.dir.clone(), source };
        DirBuilder::new().recursive(true).mode(0o700).create(&self.dir).map_err(create)?;
        let is_new = match self.path.symlink_metadata() {
            Ok(found) if !found.is_file() => {
                return Err(KeysError::NotReadable { path: self.path.clone(), reason: "it is not a file".to_owned() });
            }
            found => found.is_err_and(|error| error.kind() == ErrorKind::NotFound),
        };
        let opened = OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(&self.path);
        let file = opened.map_err(|source| io(&self.path, "write", source))?;
        file.lock().map_err(|source| io(&self.path, "lock", source))?;
        check(&self.path, &file.metadata().map_err(|source| io(&self.path, "read", source))?)?;
        if is_new {
            sync(&self.dir)?;
        }
        Ok(file)
    }
}

/// Reads the digests of one file, if there is one.
fn read(path: &Path) -> Result<Option<BTreeSet<String>>, KeysError> {
    let wrong = |reason: &str| KeysError::NotReadable { path: path.to_owned(), reason: reason.to_owned() };
    match path.symlink_metadata() {
        Ok(found) if !found.is_file() => return Err(wrong("it is not a file")),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        found => check(path, &found.map_err(|source| io(path, "read", source))?)?,
    }
    let text = text(path, &File::open(path).map_err(|source| io(path, "read", source))?)?;
    if text.len() as u64 > MOST {
        return Err(wrong("it is full"));
    }
    let is_digits = |line: &str| line.len() <= DIGITS && line.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !text.lines().all(is_digits) {
        return Err(wrong("it is damaged"));
    }
    Ok(Some(text.lines().filter(|line| line.len() == DIGITS).map(str::to_owned).collect()))
}

/// Refuses a file that others can change.
fn check(path: &Path, found: &Metadata) -> Result<(), KeysError> {
    let mode = found.mode() & 0o7777;
    if mode & 0o022 == 0 { Ok(()) } else { Err(KeysError::WritableByOthers { path: path.to_owned(), mode }) }
}

fn text(path: &Path, file: &File) -> Result<String, KeysError> {
    let mut bytes = Vec::new();
    file.take(MOST + 1).read_to_end(&mut bytes).map_err(|source| io(path, "read", source))?;
    // A line that is not text is not a digest.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn io(path: &Path, action: &'static str, source: io::Error) -> KeysError {
    KeysError::Io { action, path: path.to_owned(), source }
}
