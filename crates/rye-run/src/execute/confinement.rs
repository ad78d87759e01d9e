//! What the script of a tool may reach: in a thread's tree; outside of threads `in_project` says what.
//!
//! In a thread, the same path rules that built-in tools are held to, as far as folders and files can say them: what a rule's text spells out
//! before its first wildcard. The thread leaves out a script's changes there beyond the rules.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::super::executors::{self, KeptAway, ToolChains};
use super::bounds::Bounds;
use super::shell::Granted;
use super::{hosts, in_project};
use crate::capability::{Access, HostRules, ProjectPath, Reach, reach};
use crate::context::{Context, Sandbox as Rule};
use crate::process::{self, Cover, Sandbox};
use crate::project::Project;
use crate::workspace::{ProjectDir, is_closed};

/// Makes sure that the scripts of threads may run here.
///
/// # Errors
///
/// [`process::Error::NoSandbox`] where the person's configuration requires a sandbox and this system has none.
pub fn check_sandbox(ctx: &Context) -> Result<(), process::Error> {
    check(ctx.config().sandbox.mode.unwrap_or(Rule::Require))
}

fn check(rule: Rule) -> Result<(), process::Error> {
    match rule {
        Rule::Require => Sandbox::is_supported(),
        Rule::Prefer | Rule::Off => Ok(()),
    }
}

/// Tells whether what a script said before it failed is that something was refused.
pub(super) fn was_refused(said: &[u8]) -> bool {
    let said = String::from_utf8_lossy(said);
    const OF_FILES: [&str; 3] = ["Permission denied", "Read-only file system", "Operation not permitted"];
    // Without a network no name is found.
    const OF_NAMES: [&str; 4] = ["Could not resolve", "Name or service not known", "name resolution", "EAI_AGAIN"];
    // A call that the sandbox does not know; Node writes it small.
    const OF_CALLS: [&str; 1] = ["unction not implemented"];
    OF_FILES.iter().chain(&OF_NAMES).chain(&OF_CALLS).any(|words| said.contains(words))
}

/// What holds a tool.
#[derive(Debug)]
pub(super) enum Confinement {
    /// A sandbox.
    In {
        sandbox: Sandbox,
        /// The hosts that are reached from it.
        hosts: HostRules,
        /// What is written in place, outside of work trees.
        outside: Vec<PathBuf>,
    },
    /// Nothing, as the person's configuration says.
    Unwanted,
    /// Nothing, because this system has none, and it need not be.
    Missing(process::Error),
}

impl Confinement {
    /// Takes it apart.
    pub(super) fn into_parts(self) -> Parts {
        match self {
            Self::In { sandbox, hosts, outside } => Parts { sandbox: Some(sandbox), hosts, outside, no_sandbox: None },
            Self::Unwanted => Parts::default(),
            Self::Missing(error) => Parts { no_sandbox: Some(error), ..Parts::default() },
        }
    }
}

/// What a tool is held by, if by anything.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub(super) sandbox: Option<Sandbox>,
    /// The hosts that are reached from it.
    pub(super) hosts: HostRules,
    /// What is written in place, outside of work trees.
    pub(super) outside: Vec<PathBuf>,
    /// Why the requested sandbox is missing.
    pub(super) no_sandbox: Option<process::Error>,
}

fn rule(project: &Project, bounds: &Bounds<'_>) -> Rule {
    // A tool run by hand has no path rules.
    let usual = if bounds.paths.is_some() { Rule::Require } else { Rule::Prefer };
    project.context().config().sandbox.mode.unwrap_or(usual)
}

/// Tells whether a sandbox holds a tool.
pub(super) fn is_held(project: &Project, bounds: &Bounds<'_>) -> bool {
    rule(project, bounds) != Rule::Off && Sandbox::is_supported().is_ok()
}

/// Returns what holds a tool. `git_file` is what it sees of git's in the place of another file, `copy` is where it works, if
/// not in the project, and `granted` is what it reaches besides. On a system without a sandbox, a person who runs a tool
/// outside of threads does without; a model does not.
///
/// # Errors
///
/// As [`check_sandbox`].
pub(super) fn of_tool(
    project: &Project,
    interpreter: &Path,
    private: &Path,
    git_file: Option<&Path>,
    copy: Option<&Path>,
    granted: Granted<'_>,
    bounds: &Bounds<'_>,
) -> Result<Confinement, process::Error> {
    let rule = rule(project, bounds);
    check(rule)?;
    match (rule, Sandbox::is_supported()) {
        (Rule::Off, _) => return Ok(Confinement::Unwanted),
        (Rule::Require | Rule::Prefer, Err(error)) => return Ok(Confinement::Missing(error)),
        (Rule::Require | Rule::Prefer, Ok(())) => {}
    }
    let private = whole(private);
    let hosts = hosts::permitted(project, bounds).or(granted.hosts().into_iter().collect());
    let mut sandbox = Sandbox {
        reads: executors::programs::reachable(project, interpreter),
        network: !hosts.is_empty(),
        ..Sandbox::of(granted.profile())
    };
    granted.share(&mut sandbox)?;
    if let Some(chains) = ToolChains::of(project) {
        sandbox.reads.extend(chains.reads()?);
    }
    let kept_away = KeptAway::of(project)?;
    let tree = project.private_tree().map(whole);
    if tree.is_none() {
        in_project::grant_configured(&mut sandbox, project)?;
    }
    // What it writes itself, unjudged.
    let outside = sandbox.writes.clone();
    kept_away.check_outside(&outside)?;
    sandbox.writes.push(private.clone());
    let of_git = match (copy, tree) {
        (Some(copy), _) => {
            sandbox.writes.push(copy.to_owned());
            BTreeSet::new()
        }
        (None, Some(tree)) => share_tree(&mut sandbox, project, &tree, git_file, bounds)?,
        (None, None) => in_project::share(&mut sandbox, project, &kept_away, git_file, bounds),
    };
    kept_away.keep_from(&mut sandbox, &private, &of_git, bounds.cancel)?;
    Ok(Confinement::In { sandbox, hosts, outside })
}

/// Shares a thread's tree, as far as its rules of paths reach, and returns what it lets be read of git folders.
///
/// # Errors
///
/// [`process::Error::Grant`] for rules that name a place no tool may touch.
fn share_tree(
    sandbox: &mut Sandbox,
    project: &Project,
    tree: &Path,
    git_file: Option<&Path>,
    bounds: &Bounds<'_>,
) -> Result<BTreeSet<PathBuf>, process::Error> {
    let rules = bounds.paths.unwrap_or_default();
    let (read, written) = (reach(rules, Access::Read), reach(rules, Access::Write));
    let mut of_git = BTreeSet::new();
    if read.contains(&Reach::Project)
        && let Some(repository) = project.repository()
    {
        of_git.extend(repository.object_folders());
        // History has every file of the project; the git folder is the tools' own.
        sandbox.reads.extend(of_git.iter().cloned());
        sandbox.writes.extend(repository.tools_folder(tree));
    }
    // On top of the tree, wherever that can be written: it is not the tool's to replace.
    sandbox.covers.extend(git_file.map(|with| Cover { path: tree.join(".git"), with: whole(with) }));
    // A process that cannot open the tree has nothing in it to share.
    let files = project.open_files(tree).ok();
    sandbox.reads.extend(read.iter().map(|part| place(tree, part)));
    for part in &written {
        if is_closed(tree, &place(tree, part)) {
            return Err(process::Error::Grant { path: place(tree, part), reason: CLOSED });
        }
        sandbox.writes.push(written_place(tree, files.as_ref(), part));
    }
    sandbox.writes.sort();
    sandbox.writes.dedup();
    Ok(of_git)
}

const CLOSED: &str = "no tool may write a git folder, or trust, threads, settings and plugins below `.ai`: take the path out of the permissions to write";

/// The path of a folder of this program's own, without links: the sandbox follows none.
fn whole(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn place(tree: &Path, part: &Reach) -> PathBuf {
    match part {
        Reach::Project => tree.to_path_buf(),
        Reach::Folder(path) | Reach::File(path) => tree.join(path.as_str()),
    }
}

/// Returns what must be writable for a part to be written. A folder that is not there yet is made: git does not record it, and
/// the alternative is the folder above. For a file that is not there it is.
fn written_place(tree: &Path, files: Option<&ProjectDir>, part: &Reach) -> PathBuf {
    let (Reach::Folder(path) | Reach::File(path)) = part else { return tree.to_path_buf() };
    let Some(files) = files else { return tree.join(path.as_str()) };
    match part {
        Reach::Folder(_) => drop(files.make_folder(path)),
        Reach::File(_) if !files.exists(path) => return above(tree, files, path),
        Reach::Project | Reach::File(_) => {}
    }
    tree.join(path.as_str())
}

/// The folder that a file lies in, made if it is missing.
fn above(tree: &Path, files: &ProjectDir, path: &ProjectPath) -> PathBuf {
    let Some((above, _)) = path.as_str().rsplit_once('/') else { return tree.to_path_buf() };
    if let Ok(folder) = above.parse() {
        drop(files.make_folder(&folder));
    }
    tree.join(above)
}
