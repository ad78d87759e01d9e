//! The set-up of a thread's tree: what an accepted project proposes in `tree.setup`, agreed to by its person, run once for each state of
//! the lock files, and kept in the person's cache.

use std::fs::{DirBuilder, File};
use std::os::unix::fs::DirBuilderExt as _;

use serde_json::json;

use super::observer::{Observer, SetUpCommand};
use crate::capability::ProjectPath;
use crate::context::{Context, ProposedTree, TreeSetup};
use crate::error::with_causes;
use crate::execute::{SetUp, set_up};
use crate::process::CancelFlag;
use crate::session::Session;
use crate::thread::error::Error;
use crate::thread::model::Guard;
use crate::thread::tree::OwnTree;
use crate::thread::tree::shared_folders::{self, LIMITS};
use crate::trust::ContentHash;
use crate::workspace::{KeptFolders, replace_file};

/// The file of the configuration folder with the digests of the commands that the person agreed to, one on each line.
const AGREED: &str = "set_ups";

/// The largest lock file.
const MOST_LOCK_BYTES: u64 = 64 * 1024 * 1024;

/// A set-up that is in force.
struct InForce<'a> {
    setup: &'a TreeSetup,
    /// The folders that it makes.
    folders: Vec<ProjectPath>,
    /// What the person agrees to.
    digest: String,
}

/// Makes the folders of an accepted set-up in a new tree, and returns their paths.
///
/// # Errors
///
/// Fails when the person does not agree, and when the command does not make the folders. No thread begins then.
pub(in crate::thread) fn make(
    tree: &mut OwnTree,
    session: &Session,
    cancel: &CancelFlag,
    observer: &mut dyn Observer,
) -> Result<Vec<ProjectPath>, Error> {
    if session.project().proposes_another_tree()? {
        observer.tree_proposed();
    }
    let proposed = session.project().accepted_tree()?;
    let Some(setup) = &proposed.setup else { return Ok(Vec::new()) };
    let folders: Vec<ProjectPath> = proposed.share.iter().filter_map(|share| share.folder().cloned()).collect();
    let in_force = InForce { setup, folders, digest: digest(&proposed, setup) };
    agree(session.context(), &in_force, observer)?;
    for path in &in_force.folders {
        shared_folders::prepare(tree, path).map_err(|reason| in_force.failed(reason))?;
    }
    let kept = kept(session.context(), tree, &in_force)?;
    let (is_wanted, stopped) = (|| !cancel.is_set(), || in_force.failed("it was stopped".to_owned()));
    let root = tree.linked().work_dir().to_owned();
    if !kept.take(&in_force.folders, (tree.project(), &root), &is_wanted)?.ok_or_else(stopped)? {
        observer.setting_up(&setup.command);
        run(tree, session, &in_force, cancel)?;
        if !kept.keep(&in_force.folders, (tree.project(), &root), &is_wanted)? {
            return Err(stopped());
        }
    }
    tree.note_set_up(in_force.digest.clone());
    Ok(in_force.folders)
}

impl InForce<'_> {
    fn failed(&self, reason: String) -> Error {
        Error::SetUpFailed { command: self.setup.command.join(" "), reason }
    }
}

/// The digest of everything that the person agrees to.
fn digest(proposed: &ProposedTree, setup: &TreeSetup) -> String {
    let hosts: Vec<String> = setup.hosts.iter().map(ToString::to_string).collect();
    let share: Vec<String> = proposed.share.iter().map(ToString::to_string).collect();
    let text = json!({"v": 1, "command": setup.command, "hosts": hosts, "locks": setup.locks, "share": share});
    ContentHash::of(text.to_string().as_bytes()).to_string()
}

/// Makes sure that the person agreed to the command, now or before.
fn agree(ctx: &Context, in_force: &InForce<'_>, observer: &mut dyn Observer) -> Result<(), Error> {
    let failed = |reason: String| in_force.failed(reason);
    let before = ctx.own_text(AGREED).map_err(|error| failed(with_causes(&error)))?.unwrap_or_default();
    if before.lines().any(|line| line == in_force.digest) {
        return Ok(());
    }
    let InForce { setup, folders, digest } = in_force;
    let shown = SetUpCommand { command: &setup.command, hosts: &setup.hosts, folders, digest };
    // No person can be asked in a tool.
    if ctx.is_in_tool() || !observer.agrees_to_set_up(&shown) {
        return Err(Error::SetUpNotAgreed { command: setup.command.join(" ") });
    }
    let folder = ctx.config_dir()?;
    let write = || {
        DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(|error| error.to_string())?;
        let lock = File::open(&folder).and_then(|opened| opened.lock().map(|()| opened));
        let _lock = lock.map_err(|error| error.to_string())?;
        let now = ctx.own_text(AGREED).map_err(|error| with_causes(&error))?.unwrap_or_default();
        replace_file(&folder.join(AGREED), format!("{now}{digest}\n").as_bytes()).map_err(|error| with_causes(&error))
    };
    write().map_err(failed)
}

/// Runs the command in the tree.
fn run(tree: &OwnTree, session: &Session, in_force: &InForce<'_>, cancel: &CancelFlag) -> Result<(), Error> {
    let InForce { setup, folders, .. } = in_force;
    let guard = Guard::new(session)?;
    let inner = session.for_thread().in_tree(tree.linked().work_dir());
    let asked = SetUp { command: &setup.command, hosts: &setup.hosts, folders };
    let ended =
        set_up(&inner, asked, guard.redactor(), cancel).map_err(|error| in_force.failed(with_causes(&error)))?;
    if !ended.is_done {
        let hosts = match ended.refused_hosts.as_slice() {
            [] => String::new(),
            hosts => format!("\nit asked for hosts that `tree.setup.hosts` does not name: {}", hosts.join(", ")),
        };
        return Err(in_force.failed(format!("it {}{hosts}\n{}", ended.ending, ended.said)));
    }
    if let Some(fault) = tree.fault() {
        return Err(in_force.failed(fault.message));
    }
    Ok(())
}

/// Names the place of the result in the cache: by the command, and by the content of the lock files in the tree.
fn kept(ctx: &Context, tree: &OwnTree, in_force: &InForce<'_>) -> Result<KeptFolders, Error> {
    let mut text = format!("{}\n", in_force.digest);
    for path in &in_force.setup.locks {
        let read = tree.project().read(path, MOST_LOCK_BYTES);
        let content = read.map_err(|error| in_force.failed(format!("lock file `{path}`: {}", with_causes(&error))))?;
        if content.truncated {
            return Err(in_force.failed(format!("lock file `{path}` is too large")));
        }
        text.push_str(&format!("{path} {}\n", ContentHash::of(&content.bytes)));
    }
    let key = ContentHash::of(text.as_bytes()).to_string();
    Ok(KeptFolders::new(ctx.cache_dir()?.join("set_ups").join(key), LIMITS))
}
