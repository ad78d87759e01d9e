//! What may be written in a work tree of git: a tool writes a private copy, and each changed path is judged on the way back like the write
//! of a built-in tool.
//!
//! So no tool writes the person's tree itself, where git, editors and agents would obey some files at once.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::kept_away::SEARCH_TIME;
use crate::capability::{Access, Denial, PathRules, ProjectPath, Reach, Standpoint, check_path_from, reach};
use crate::process::{self, CancelFlag, Deadline};
use crate::project::Project;
use crate::workspace::{CopiedBack, Error, IsIgnored, ProjectCopy, Stops};

/// What a tool may write in the project, and what it sees of it.
#[derive(Debug, Clone)]
pub struct ProjectWrites {
    /// The project's folder, without links.
    pub project: PathBuf,
    /// What the tool sees.
    pub parts: BTreeSet<Reach>,
    /// Who lets it write: what all rules of one of these allow.
    pub grants: Vec<Vec<PathRules>>,
}

const GIT: &str = "no tool may reach a git folder";
const LINKED: &str = "a link leads it out of the project";
const HOME: &str = "a tool cannot get a whole project to write that contains your home folder: name folders in it";

impl ProjectWrites {
    /// Returns what a tool may write in the person's project at `root`, a path without links, and what it sees of it; none if it may write
    /// nothing there. `read` and `write` are paths of the person's configuration. A tool with `rules` sees what these let it read,
    /// one without sees what is named.
    ///
    /// # Errors
    ///
    /// [`process::Error::Grant`] for a git folder, for what a link leads out of the project, and for a whole project that contains the
    /// home folder.
    pub fn of(
        project: &Project,
        root: &Path,
        (read, write): (&[PathBuf], &[PathBuf]),
        rules: Option<&[PathRules]>,
    ) -> Result<Option<Self>, process::Error> {
        let ruled = rules.filter(|rules| rules.iter().any(|rules| !rules.is_empty()));
        let ruled = ruled.filter(|rules| !reach(rules, Access::Write).is_empty());
        let write = rules_of(named(root, write)?).write;
        let is_named = !reach(&[PathRules { read: Vec::new(), write: write.clone() }], Access::Write).is_empty();
        let is_named = is_named && !write.is_empty();
        if !is_named && ruled.is_none() {
            return Ok(None);
        }
        let configured = vec![PathRules { read: rules_of(named(root, read)?).write, write }];
        let configured: Vec<Vec<PathRules>> = is_named.then_some(configured).into_iter().collect();
        let mut parts = parts_of(&configured);
        let home = home_in(project, root);
        // Of a home, which contains keys, a tool sees what is named for it and what it may write.
        let seen = if home.is_some() {
            ruled.map(|rules| (rules, Access::Write))
        } else {
            rules.map(|rules| (rules, Access::Read))
        };
        parts.extend(seen.into_iter().flat_map(|(rules, access)| reach(rules, access)));
        let place = |part: &Reach| match part {
            Reach::Project => root.to_owned(),
            Reach::Folder(path) | Reach::File(path) => root.join(path.as_str()),
        };
        let holds_home = |path: &PathBuf| home.as_ref().is_some_and(|home| home.starts_with(path));
        if let Some(path) = parts.iter().map(place).find(holds_home) {
            return Err(process::Error::Grant { path, reason: HOME });
        }
        let grants = configured.into_iter().chain(ruled.map(<[PathRules]>::to_vec)).collect();
        Ok(Some(Self { project: root.to_owned(), parts, grants }))
    }

    /// Copies what the tool sees. `None` if the run is cancelled meanwhile.
    ///
    /// # Errors
    ///
    /// Fails when there is too much to copy, or no room for it.
    pub fn copy(&self, project: &Project, temp_dir: &Path, cancel: &CancelFlag) -> Result<Option<ProjectCopy>, Error> {
        let open = |root: &Path| project.open_files(root);
        let deadline = Deadline::after(SEARCH_TIME);
        let stops = Stops { is_stopped: &|| cancel.is_set(), is_late: &|| deadline.is_over() };
        with_ignored(project, |is_ignored| {
            ProjectCopy::make(&open, self.project.clone(), self.parts.clone(), temp_dir, (is_ignored, stops))
        })
    }

    /// Brings into the project what the tool changed in its copy and may write.
    ///
    /// # Errors
    ///
    /// Fails when the copy cannot be read any more.
    pub fn bring_back(
        &self,
        project: &Project,
        standpoint: &Standpoint,
        copy: &ProjectCopy,
        cancel: &CancelFlag,
    ) -> Result<CopiedBack, Error> {
        let open = |root: &Path| project.open_files(root);
        copy.bring_back(&open, &|path| self.judge(standpoint, path), &|| cancel.is_set())
    }

    fn judge(&self, standpoint: &Standpoint, path: &ProjectPath) -> Result<(), String> {
        let mut refused = None;
        for rules in &self.grants {
            match check_path_from(standpoint, rules, Access::Write, path) {
                Ok(()) => return Ok(()),
                // A rule that covers the path says more about it than one that does not.
                Err(denial @ Denial::Path { .. }) => refused = refused.or(Some(denial)),
                Err(denial) => refused = Some(denial),
            }
        }
        Err(refused.map_or_else(|| "nothing lets the tool write it".to_owned(), |denial| said_of(&denial)))
    }
}

/// Makes a copy what the project is now. False if the run is cancelled meanwhile.
///
/// # Errors
///
/// As [`ProjectWrites::copy`].
pub(super) fn renew(project: &Project, copy: &mut ProjectCopy, cancel: &CancelFlag) -> Result<bool, Error> {
    let open = |root: &Path| project.open_files(root);
    let deadline = Deadline::after(SEARCH_TIME);
    let stops = Stops { is_stopped: &|| cancel.is_set(), is_late: &|| deadline.is_over() };
    with_ignored(project, |is_ignored| copy.renew(&open, is_ignored, stops))
}

/// Does something with what tells what git ignores; where git cannot, that is nothing.
fn with_ignored<T>(project: &Project, mut work: impl FnMut(IsIgnored<'_>) -> T) -> T {
    let told = project.repository().and_then(|repository| repository.with_ignored(&mut work).ok());
    match told {
        Some(done) => done,
        None => work(&|_, _| false),
    }
}

/// Returns the home folder, if the project contains it.
#[must_use]
pub fn home_in(project: &Project, root: &Path) -> Option<PathBuf> {
    let home = project.context().home().ok().and_then(|home| home.canonicalize().ok());
    home.filter(|home| home.starts_with(root))
}

/// Returns those of the configured paths that lie in the project, as paths of it.
fn named(root: &Path, paths: &[PathBuf]) -> Result<Vec<String>, process::Error> {
    let mut named = Vec::new();
    for path in paths.iter().filter_map(|path| in_project(root, path)) {
        let refused = |reason| Err(process::Error::Grant { path: root.join(&path), reason });
        if path.split('/').any(|part| part.eq_ignore_ascii_case(".git")) {
            return refused(GIT);
        }
        if root.join(&path).canonicalize().is_ok_and(|whole| !whole.starts_with(root)) {
            return refused(LINKED);
        }
        named.push(path);
    }
    Ok(named)
}

/// Rules that let some paths of the project be written, with all below them; `.` is the whole project.
fn rules_of(paths: impl IntoIterator<Item = String>) -> PathRules {
    let write = paths.into_iter().flat_map(|path| match path.trim_end_matches('/') {
        "." | "" => vec!["**".to_owned()],
        path => vec![path.to_owned(), format!("{path}/**")],
    });
    PathRules { read: Vec::new(), write: write.collect() }
}

/// Returns a path of the person's configuration as one of the project that is seen from its folder; none if it lies elsewhere.
#[must_use]
pub fn in_project(root: &Path, path: &Path) -> Option<String> {
    if path.is_relative() {
        return (!path.starts_with("~")).then(|| path.to_string_lossy().into_owned());
    }
    let below = path.strip_prefix(root).map(Path::to_path_buf).ok();
    let below = below.or_else(|| path.canonicalize().ok()?.strip_prefix(root).map(Path::to_path_buf).ok())?;
    Some(if below.as_os_str().is_empty() { ".".to_owned() } else { below.to_string_lossy().into_owned() })
}

/// What a tool sees that may write by these rules: what it may read or write.
fn parts_of(grants: &[Vec<PathRules>]) -> BTreeSet<Reach> {
    grants.iter().flat_map(|rules| reach(rules, Access::Read)).collect()
}

/// Says why a path is not written, without naming it again.
fn said_of(denial: &Denial) -> String {
    match denial {
        Denial::CodePlace { rule, .. } => {
            format!("other programs execute or follow this file, and no write permission names it, such as `{rule}`")
        }
        Denial::Path { .. } => "no declared path covers it".to_owned(),
        denial => denial.for_people(),
    }
}
