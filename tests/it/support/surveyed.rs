//! What this machine's own folders hold that no tool may read, looked up once for all tests: a home begins with the answer.
//!
//! Without it each test would look through the system's folders itself. The program believes it as long as it believes its own.

use std::collections::BTreeMap;
use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rye::context::{Context, Surroundings};

const FILE: &str = ".cache/rye/system_folders";
/// Of the hour for which the program believes it.
const YOUNG: Duration = Duration::from_secs(1800);

/// Puts the answer into a home folder, as of a time in seconds since 1970, or of now. A home without it works, too.
pub(crate) fn seed(home: &Path, at: Option<u64>) {
    let to = home.join(FILE);
    let Some(from) = found().or_else(made) else { return };
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    fs::copy(from, &to).unwrap();
    let at = at.map_or_else(SystemTime::now, |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
    File::options().write(true).open(to).unwrap().set_modified(at).unwrap();
}

fn shared() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("surveyed")
}

fn found() -> Option<PathBuf> {
    let age = fs::metadata(shared()).ok()?.modified().ok()?.elapsed().ok()?;
    (age < YOUNG).then(shared)
}

/// Has the program's own code look, in a home that is only for this.
fn made() -> Option<PathBuf> {
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).ok()?;
    let variables = BTreeMap::from([("HOME".to_owned(), home.path().display().to_string())]);
    let surroundings =
        Surroundings { current_dir: home.path().to_path_buf(), program: "/nowhere/rye".into(), variables };
    let _ = rye::process::kept_out(&Context::new(surroundings, None, &[]).ok()?);
    let made = home.path().join(FILE);
    // Other users run tests, too.
    fs::set_permissions(&made, Permissions::from_mode(0o644)).ok()?;
    fs::rename(made, shared()).ok()?;
    Some(shared())
}
