//! The last survey, in `$XDG_CACHE_HOME/rye/system_folders`, and in this process where that cannot be written.
//!
//! It counts for an hour, and only while no folder of the first three levels has changed: whoever adds something there makes a new survey.
//! What was for everybody within that hour and is not any more, or lies deeper and is new, is read until then. Only a file that is
//! this user's own and that nobody else can write counts. Stamps are taken before the survey, so a change meanwhile makes another one. Commit point: the rename of the finished file.

use std::fs::{self, DirBuilder, File};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use rustix::process::geteuid;
use serde::{Deserialize, Serialize};

use super::roots::surveyed;
use super::survey::Survey;
use crate::context::Context;
use crate::id::Timestamp;

const FILE: &str = "system_folders";
const VERSION: u32 = 1;
/// How long a survey counts, in seconds.
const LIFETIME: i64 = 3600;
/// The levels of folders below a root whose stamps count.
const LEVELS: usize = 2;
/// More than this is not read, in bytes.
const MOST_BYTES: u64 = 4 * 1024 * 1024;

#[derive(Serialize, Deserialize)]
struct Stored {
    version: u32,
    /// What the stamps of the folders come to.
    stamps: u64,
    survey: Survey,
}

/// The survey of this process, and when it was made.
static MADE: Mutex<Option<(Timestamp, Stored)>> = Mutex::new(None);

/// Returns the survey of an earlier call, if it still counts.
pub(super) fn read(ctx: &Context) -> Option<Survey> {
    let made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let counts = |(made, stored): &&(Timestamp, Stored)| stored.counts(ctx.now().seconds() - made.seconds());
    let own = made.as_ref().filter(counts).map(|(_, stored)| stored.survey.clone());
    own.or_else(|| of_file(ctx))
}

fn of_file(ctx: &Context) -> Option<Survey> {
    let file = File::open(ctx.cache_dir().ok()?.join(FILE)).ok()?;
    let found = file.metadata().ok()?;
    if found.uid() != geteuid().as_raw() || found.mode() & 0o022 != 0 {
        return None;
    }
    let mut text = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut text).ok()?;
    let stored: Stored = serde_json::from_slice(&text).ok()?;
    stored.counts(ctx.now().seconds().checked_sub(found.mtime())?).then_some(stored.survey)
}

impl Stored {
    /// Tells whether a survey of this age, in seconds, still counts.
    fn counts(&self, age: i64) -> bool {
        self.version == VERSION && (0..LIFETIME).contains(&age) && self.stamps == stamps()
    }
}

/// Makes a survey and keeps it for later calls, if it can be written.
pub(super) fn renewed(ctx: &Context) -> Survey {
    let stamps = stamps();
    let stored = Stored { version: VERSION, stamps, survey: Survey::of(&surveyed()) };
    let survey = stored.survey.clone();
    if let Ok(folder) = ctx.cache_dir() {
        let _ = write(&folder, ctx.now(), &stored);
    }
    *MADE.lock().unwrap_or_else(PoisonError::into_inner) = Some((ctx.now(), stored));
    survey
}

fn write(folder: &Path, made: Timestamp, stored: &Stored) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(&serde_json::to_vec(stored)?)?;
    // Its age is told by the clock of this program, which need not be the file system's.
    let made = Duration::from_secs(made.seconds().try_into().unwrap_or_default());
    file.as_file().set_modified(SystemTime::UNIX_EPOCH + made)?;
    file.persist(folder.join(FILE))?;
    Ok(())
}

/// Joins the stamps of the folders near the roots: what is added, renamed or removed in one changes its stamp.
fn stamps() -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut folders: Vec<(PathBuf, usize)> = surveyed().into_iter().map(|root| (root, 0)).collect();
    while let Some((folder, level)) = folders.pop() {
        let Ok(found) = fs::metadata(&folder) else { continue };
        let times = (found.mtime(), found.mtime_nsec(), found.ctime(), found.ctime_nsec());
        (&folder, found.dev(), found.ino(), times).hash(&mut hasher);
        if level == LEVELS {
            continue;
        }
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        let below = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        folders.extend(below.map(|entry| (entry.path(), level + 1)));
    }
    hasher.finish()
}
