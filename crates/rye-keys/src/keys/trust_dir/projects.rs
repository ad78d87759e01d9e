//! Proposals of projects that were accepted, each for one project: `projects/ROOT_COMMIT/PLACE/`.
//!
//! PLACE is the first 16 hexadecimal digits of the SHA-256 of the work tree's path. `pin.toml` names the accepted
//! proposal by its digest; the folder of that name next to it holds exact copies of its files. So the rename of
//! `pin.toml` is the commit point, and before it the old copies are untouched.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::files::{replace, sync};
use super::{ProjectFiles, TrustDir};
use crate::context::bounded;
use crate::format::{trust_pin, trust_pin_text};
use crate::id::Timestamp;
use crate::keys::KeysError;
use crate::trust::{ContentHash, Pin, Proposal, TrustFile};

const PIN: &str = "pin.toml";

/// Which project: both must match for an accepted proposal to count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// The commit that its history began with.
    pub root_commit: String,
    /// Where its work tree lies, without symlinks.
    pub path: PathBuf,
}

/// A proposal that was accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// That it was.
    pub pin: Pin,
    /// The proposal.
    pub proposal: Proposal,
    /// Where the copies of its files are.
    pub copies: PathBuf,
}

impl TrustDir {
    /// Tells whether anything was accepted for a project at this place, whatever its history: a cheap question.
    #[must_use]
    pub fn knows_place(&self, path: &Path) -> bool {
        let place = place(path);
        let roots = self.names(&self.projects()).unwrap_or_default();
        roots.iter().any(|root| self.projects().join(root).join(&place).join(PIN).exists())
    }

    /// Reads the accepted proposal of a project.
    ///
    /// # Errors
    ///
    /// Fails when it cannot be read, is damaged, or can be changed by every user.
    pub fn accepted(&self, project: &Project) -> Result<Option<Accepted>, KeysError> {
        let folder = self.project_dir(project);
        let Some(pin) = self.pin(&folder)? else { return Ok(None) };
        if !is_of(&pin, project) {
            let reason = "is the pin of another project".to_owned();
            return Err(KeysError::Pin { path: folder.join(PIN), reason });
        }
        let copies = folder.join(pin.proposal.to_string());
        let files = ProjectFiles::gather(|name| self.bytes(&copies.join(name)))?;
        let damaged = |fault| KeysError::AcceptedFiles { path: copies.clone(), fault };
        let proposal = Proposal::read(&files.parsed(&self.zone).map_err(damaged)?).map_err(damaged)?;
        if proposal.digest() != pin.proposal {
            return Err(KeysError::Pin { path: copies, reason: "has other files than those accepted".to_owned() });
        }
        Ok(Some(Accepted { pin, proposal, copies }))
    }

    /// Returns where else something was accepted for projects of the same history: other clones, or this one before it
    /// was moved. Unreadable entries are left out.
    pub fn accepted_elsewhere(&self, project: &Project) -> Result<Vec<Pin>, KeysError> {
        let folder = self.projects().join(&project.root_commit);
        let pins = self.names(&folder)?.into_iter().filter_map(|place| self.pin(&folder.join(place)).ok().flatten());
        Ok(pins.filter(|pin| !is_of(pin, project)).collect())
    }

    /// Reads accepted proposals whose project cannot be found now: at this place for another history (an orphan branch,
    /// a shallow clone, another project), and for this history at places that are gone. Its trusted keys do not count
    /// here; its prohibitions stay in force until a proposal is accepted here, or it is withdrawn.
    ///
    /// # Errors
    ///
    /// As [`TrustDir::accepted`].
    pub fn left_behind(&self, path: &Path, project: Option<&Project>) -> Result<Vec<Accepted>, KeysError> {
        if project.map(|project| self.accepted(project)).transpose()?.flatten().is_some() {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        for root_commit in self.names(&self.projects())? {
            found.extend(self.accepted(&Project { root_commit, path: path.to_owned() })?);
        }
        for pin in project.map(|project| self.accepted_elsewhere(project)).transpose()?.unwrap_or_default() {
            let Pin { root_commit, path, .. } = pin;
            let gone = Project { root_commit, path: PathBuf::from(path) };
            if is_gone(&gone.path) {
                found.extend(self.accepted(&gone)?);
            }
        }
        Ok(found)
    }

    /// Tells whether something may have been accepted for a project at a place that is gone.
    #[must_use]
    pub fn knows_lost_place(&self) -> bool {
        let projects = self.projects();
        // An unreadable entry may forbid something: the reader gets the reason.
        let Ok(roots) = self.names(&projects) else { return true };
        roots.into_iter().map(|root| projects.join(root)).any(|root| match self.names(&root) {
            Err(_) => true,
            Ok(places) => places.into_iter().any(|place| match self.pin(&root.join(place)) {
                Ok(pin) => pin.is_some_and(|pin| is_gone(Path::new(&pin.path))),
                Err(_) => true,
            }),
        })
    }

    /// Accepts a proposal for a project, in the place of the one whose digest is `before`. The caller has checked it.
    ///
    /// # Errors
    ///
    /// Fails when another was accepted meanwhile, or when something cannot be written.
    pub fn accept(
        &self,
        project: &Project,
        files: &ProjectFiles,
        proposal: &Proposal,
        before: Option<ContentHash>,
        now: Timestamp,
    ) -> Result<Pin, KeysError> {
        let _lock = self.lock()?;
        let folder = self.project_dir(project);
        if self.pin(&folder).ok().flatten().map(|pin| pin.proposal) != before {
            return Err(KeysError::AcceptedMeanwhile);
        }
        let pin = Pin {
            proposal: proposal.digest(),
            root_commit: project.root_commit.clone(),
            path: project.path.display().to_string(),
            accepted_at: now,
        };
        let copies = folder.join(pin.proposal.to_string());
        for (name, bytes) in files.named() {
            // Copies that the pin does not name are removed.
            let is_pinned = name != TrustFile::Config.as_str() || proposal.covers_config();
            if let Some(bytes) = bytes.filter(|_| is_pinned) {
                replace(&copies.join(name), bytes)?;
            }
        }
        sync(&self.projects())?;
        replace(&folder.join(PIN), trust_pin_text(&pin))?;
        self.drop_others(&folder, &pin);
        Ok(pin)
    }

    /// Withdraws the accepted proposal of a project, or else its leftovers, and returns it; `None` without one. Commit
    /// point: the removal of `pin.toml`.
    ///
    /// # Errors
    ///
    /// As [`TrustDir::accepted`], and when the pin cannot be removed.
    pub fn withdraw(&self, project: &Project) -> Result<Option<Accepted>, KeysError> {
        let _lock = self.lock()?;
        let all = match self.accepted(project)? {
            Some(accepted) => vec![accepted],
            None => self.left_behind(&project.path, Some(project))?,
        };
        for Accepted { pin, .. } in &all {
            let of = Project { root_commit: pin.root_commit.clone(), path: PathBuf::from(&pin.path) };
            let folder = self.project_dir(&of);
            let path = folder.join(PIN);
            std::fs::remove_file(&path).map_err(|source| KeysError::Io { action: "remove", path, source })?;
            sync(&folder)?;
            // Copies that no pin names count for nothing.
            let _stays = std::fs::remove_dir_all(&folder);
        }
        Ok(all.into_iter().next())
    }

    /// Returns the folders of every project something was accepted for, with what it was; none where it cannot be read.
    pub(super) fn every_project(&self) -> Result<Vec<(PathBuf, Option<Accepted>)>, KeysError> {
        let mut found = Vec::new();
        for root_commit in self.names(&self.projects())? {
            let root = self.projects().join(&root_commit);
            for folder in self.names(&root)?.into_iter().map(|place| root.join(place)) {
                let project = |pin: Pin| Project { root_commit: pin.root_commit, path: PathBuf::from(pin.path) };
                let pinned = self.pin(&folder).ok().flatten().map(project);
                let pinned = pinned.filter(|project| self.project_dir(project) == folder);
                let accepted = pinned.and_then(|project| self.accepted(&project).ok().flatten());
                found.push((folder, accepted));
            }
        }
        Ok(found)
    }

    /// Returns the folder of a project.
    pub(super) fn project_dir(&self, project: &Project) -> PathBuf {
        self.projects().join(&project.root_commit).join(place(&project.path))
    }

    fn projects(&self) -> PathBuf {
        self.dir.join("projects")
    }

    fn pin(&self, folder: &Path) -> Result<Option<Pin>, KeysError> {
        let path = folder.join(PIN);
        let read = self.bytes(&path)?.map(|bytes| trust_pin(&bytes)).transpose();
        read.map_err(|reason| KeysError::Pin { path, reason: format!("cannot be read: {reason}") })
    }

    /// Removes copies that no pin names any more. One that stays does no harm.
    fn drop_others(&self, folder: &Path, pin: &Pin) {
        let is_copy = |name: &String| name.parse::<ContentHash>().is_ok_and(|digest| digest != pin.proposal);
        for name in self.names(folder).unwrap_or_default().into_iter().filter(is_copy) {
            let _stays = std::fs::remove_dir_all(folder.join(name));
        }
    }
}

fn is_of(pin: &Pin, project: &Project) -> bool {
    pin.root_commit == project.root_commit && pin.path == project.path.display().to_string()
}

/// How much is read of a `.git` that is a file, in bytes.
const MOST_OF_LINK: u64 = 64 * 1024;

/// Tells whether no work tree is at a place any more: it was removed, or moved and a link to it, or to its `.git`, was left.
fn is_gone(path: &Path) -> bool {
    let git = path.join(".git");
    !is_of_a_repository(&git) || git.is_symlink() || path.canonicalize().is_ok_and(|place| place != path)
}

/// Tells whether a `.git` is a repository's, or names one: something empty says nothing of the one that was there.
fn is_of_a_repository(git: &Path) -> bool {
    let folder = match bounded::read_text(git, MOST_OF_LINK) {
        Ok(link) => link.strip_prefix("gitdir: ").map(|target| git.with_file_name(target.trim_end())),
        Err(_) => Some(git.to_owned()),
    };
    folder.is_some_and(|folder| folder.join("HEAD").is_file())
}

fn place(path: &Path) -> String {
    ContentHash::of(path.as_os_str().as_bytes()).to_string()[..16].to_owned()
}
