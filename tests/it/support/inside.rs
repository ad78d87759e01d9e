//! The program inside the process of a test, where nothing is about its own process.
//!
//! Only with a test runner that gives each test a process: then nobody else sees the working folder and the panic hook of a run.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use rye::cli::Ran;
use rye::context::{Clock, Surroundings};

use super::{RYE, users};

/// One run at a time: another one becomes a process.
static TURN: Mutex<()> = Mutex::new(());

/// The working folder of this process, until it is dropped.
struct Place {
    before: PathBuf,
}

impl Place {
    fn enter(folder: &Path) -> Self {
        let before = std::env::current_dir().unwrap();
        std::env::set_current_dir(folder).unwrap();
        Self { before }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        std::env::set_current_dir(&self.before).unwrap();
    }
}

/// Runs the program as a process in this folder with this environment would, with nothing to read. Returns nothing where that has to be a
/// process.
pub(crate) fn run(folder: &Path, variables: &BTreeMap<String, String>, args: &[String]) -> Option<Ran> {
    let has_own_process = std::env::var("NEXTEST_EXECUTION_MODE").is_ok_and(|mode| mode == "process-per-test");
    if !has_own_process || users::is_another() {
        return None;
    }
    let _turn = TURN.try_lock().ok()?;
    let variable = |name| variables.get(name).filter(|value| !value.is_empty());
    let now = variable("RYE_NOW").map(|text| text.parse()).transpose().ok()?;
    let _place = Place::enter(folder);
    let surroundings = Surroundings {
        current_dir: std::env::current_dir().unwrap(),
        program: Path::new(RYE).canonicalize().unwrap(),
        variables: variables.clone(),
    };
    let words: Vec<OsString> = [RYE].into_iter().chain(args.iter().map(String::as_str)).map(OsString::from).collect();
    rye::cli::run_in(surroundings, Clock::fixed(now, variable("RYE_SEED").cloned()), &words)
}
