//! The set-up that an accepted project proposes for the trees of threads: what a person agrees to, and making its folders in a new tree.
//!
//! The command sees of the tree what `tree.setup.locks` names and nothing else, and it sees that of the person's commit. So its result
//! depends on nothing but the key under which it is kept.

use std::fmt;
use std::fs::{DirBuilder, File};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

use serde_json::json;

use super::set_up::{SetUp, set_up};
use super::shared_folders::{self, LIMITS, NewTree};
use crate::capability::{ProjectPath, shell};
use crate::context::{Context, ProposedTree, Share, TreeSetup};
use crate::error::with_causes;
use crate::git::{CommitId, Mode, Repository};
use crate::locate::LocateError;
use crate::process::CancelFlag;
use crate::project::{Furnished, Project};
use crate::redact::Redactor;
use crate::session::Session;
use crate::trust::ContentHash;
use crate::workspace::{KeptFolders, TreeStamps, replace_file};

/// The file of the configuration folder with the digests of the set-ups that the person agreed to, one on each line.
const AGREED: &str = "set_ups";

/// The commit of the person that a set-up is made from.
#[derive(Debug, Clone, Copy)]
pub struct SetUpBase<'a> {
    /// Its id, if the project has a commit.
    pub commit_id: Option<&'a CommitId>,
    /// Whether the new tree has the files of this very commit. If not, a kept result is taken and none is made.
    pub is_checked_out: bool,
}

/// A set-up that is in force.
#[derive(Debug)]
pub struct TreeSetUp {
    setup: TreeSetup,
    share: Vec<Share>,
    /// The folders that it makes.
    folders: Vec<ProjectPath>,
    digest: String,
}

/// What of the base the command reads.
struct Inputs {
    /// Patterns for its paths.
    reads: Vec<String>,
    /// Each path with the object that git has there.
    objects: Vec<[String; 2]>,
}

impl TreeSetUp {
    /// Returns the set-up that this person accepted for the project, if it has one.
    ///
    /// # Errors
    ///
    /// Fails when the accepted configuration cannot be used.
    pub fn of(project: &Project) -> Result<Option<Self>, LocateError> {
        let ProposedTree { share, setup } = project.accepted_tree()?;
        let Some(setup) = setup else { return Ok(None) };
        let folders = share.iter().filter_map(|share| share.folder().cloned()).collect();
        let digest = digest(project, &share, &setup);
        Ok(Some(Self { setup, share, folders, digest }))
    }

    /// Returns the digest of everything that a person agrees to: the project, the command, and what it may do.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Returns the command as a shell reads it.
    #[must_use]
    pub fn command(&self) -> String {
        self.setup.command.iter().map(|word| shell::quoted(word)).collect::<Vec<_>>().join(" ")
    }

    /// Tells whether the person agreed to it before.
    ///
    /// # Errors
    ///
    /// Says why that cannot be read.
    pub fn is_agreed(&self, ctx: &Context) -> Result<bool, String> {
        let agreed = ctx.own_text(AGREED).map_err(|error| with_causes(&error))?.unwrap_or_default();
        Ok(agreed.lines().any(|line| line == self.digest))
    }

    /// Remembers that the person agreed to it.
    ///
    /// # Errors
    ///
    /// Says why that cannot be written.
    pub fn agree(&self, ctx: &Context) -> Result<(), String> {
        let folder = ctx.config_dir().map_err(|error| with_causes(&error))?;
        DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(|error| error.to_string())?;
        let lock = File::open(&folder).and_then(|opened| opened.lock().map(|()| opened));
        let _lock = lock.map_err(|error| error.to_string())?;
        let now = ctx.own_text(AGREED).map_err(|error| with_causes(&error))?.unwrap_or_default();
        let text = format!("{now}{}\n", self.digest);
        replace_file(&folder.join(AGREED), text.as_bytes()).map_err(|error| with_causes(&error))
    }

    /// Tells whether its result for a commit of the person is kept.
    ///
    /// # Errors
    ///
    /// Says why the set-up cannot be made from that commit.
    pub fn is_kept(&self, project: &Project, repository: &Repository, base: SetUpBase<'_>) -> Result<bool, String> {
        Ok(self.kept(project.context(), &self.inputs(repository, base)?)?.is_filled())
    }

    /// Makes the folders in a new tree: as copies of the kept result, or by the command, whose result is kept then. `begins` hears when the
    /// command begins.
    ///
    /// # Errors
    ///
    /// Says why the tree does not have them.
    pub fn make(
        &self,
        session: &Session,
        tree: NewTree<'_>,
        base: SetUpBase<'_>,
        secrets: &Redactor,
        cancel: &CancelFlag,
        begins: &mut dyn FnMut(),
    ) -> Result<Vec<Furnished>, String> {
        self.folders.iter().try_for_each(|path| shared_folders::prepare(tree, path))?;
        let inputs = self.inputs(&session.project().repository().ok_or("there is no repository")?, base)?;
        let kept = self.kept(session.context(), &inputs)?;
        let (root, is_wanted) = (tree.linked.work_dir(), || !cancel.is_set());
        let stopped = || "it was stopped".to_owned();
        let is_kept = kept.take(&self.folders, (tree.files, root), &is_wanted).map_err(|error| with_causes(&error))?;
        if !is_kept.ok_or_else(stopped)? {
            if !base.is_checked_out {
                return Err("a thread's own files are never set up, and no result for its base is kept".to_owned());
            }
            begins();
            self.run(session, tree, &inputs, secrets, cancel)?;
            let is_whole = kept.keep(&self.folders, (tree.files, root), &is_wanted);
            if !is_whole.map_err(|error| with_causes(&error))? {
                return Err(stopped());
            }
        }
        let named = kept.made_at().unwrap_or_else(|| root.to_owned());
        let of = |path: &ProjectPath| Furnished { path: path.clone(), twin: kept.content(), named: named.clone() };
        Ok(self.folders.iter().map(of).collect())
    }

    /// Runs the command in the tree. Whatever the sandbox let through, a change outside of its folders is a failure.
    fn run(
        &self,
        session: &Session,
        tree: NewTree<'_>,
        inputs: &Inputs,
        secrets: &Redactor,
        cancel: &CancelFlag,
    ) -> Result<(), String> {
        let root = tree.linked.work_dir();
        let look = || TreeStamps::of(root, &self.folders).map_err(|error| format!("the tree cannot be read: {error}"));
        let before = look()?;
        let inner = session.for_thread().in_tree(root);
        let TreeSetup { command, hosts, .. } = &self.setup;
        let asked = SetUp { command, hosts, reads: &inputs.reads, folders: &self.folders };
        let ended = set_up(&inner, asked, secrets, cancel).map_err(|error| with_causes(&error))?;
        if !ended.is_done {
            let hosts = match ended.refused_hosts.as_slice() {
                [] => String::new(),
                hosts => format!("\nit asked for hosts that `tree.setup.hosts` does not name: {}", hosts.join(", ")),
            };
            return Err(format!("it {}{hosts}\n{}", ended.ending, ended.said));
        }
        if !tree.files.is_at(root) {
            return Err("it replaced the folder of the tree".to_owned());
        }
        tree.linked.check_files().map_err(|error| with_causes(&error))?;
        match before.difference(&look()?) {
            Some(path) => Err(format!("it changed `{}`, which is not in a folder that it makes", path.display())),
            None => Ok(()),
        }
    }

    /// Names the place of the result in the cache: by what was agreed to, and by what the command reads.
    fn kept(&self, ctx: &Context, inputs: &Inputs) -> Result<KeptFolders, String> {
        let text = json!({"v": 2, "set_up": self.digest, "objects": inputs.objects}).to_string();
        let cache = ctx.cache_dir().map_err(|error| with_causes(&error))?.join("set_ups");
        Ok(KeptFolders::new(cache.join(ContentHash::of(text.as_bytes()).to_string()), LIMITS))
    }

    /// Finds in the base what the command reads, and the attributes by which git writes it into a tree.
    fn inputs(&self, repository: &Repository, base: SetUpBase<'_>) -> Result<Inputs, String> {
        let commit_id = base.commit_id.ok_or("the project has no commit")?;
        let mut inputs = Inputs { reads: Vec::new(), objects: Vec::new() };
        for lock in &self.setup.locks {
            let path = lock.as_str();
            let failed = |error| format!("lock file `{path}`: {}", with_causes(&error));
            let file = repository.entry_at(commit_id, path).map_err(failed)?;
            let folder = repository.folder_id_at(commit_id, path).map_err(failed)?;
            let object = match (file, folder) {
                (Some(file), _) if matches!(file.mode, Mode::File | Mode::Executable) => {
                    inputs.reads.push(path.to_owned());
                    format!("{:?} {}", file.mode, file.blob_id)
                }
                (None, Some(tree_id)) => {
                    inputs.reads.push(format!("{path}/**"));
                    format!("Tree {tree_id}")
                }
                (Some(_), _) => return Err(format!("lock file `{path}` is not a file in the commit")),
                (None, None) => return Err(format!("lock file `{path}` is not in the commit")),
            };
            inputs.objects.push([path.to_owned(), object]);
            for above in Path::new(path).ancestors().skip(1) {
                let attributes = above.join(".gitattributes").display().to_string();
                let found = repository.entry_at(commit_id, &attributes).map_err(failed)?;
                inputs.objects.extend(found.map(|found| [attributes, found.blob_id.to_string()]));
            }
        }
        Ok(inputs)
    }
}

impl fmt::Display for TreeSetUp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted =
            |paths: &[ProjectPath]| paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ");
        let hosts = match self.setup.hosts.as_slice() {
            [] => "no host".to_owned(),
            hosts => hosts.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
        };
        let (reads, writes) = (quoted(&self.setup.locks), quoted(&self.folders));
        write!(formatter, "`{}`; it reads {reads}, reaches {hosts}, and writes {writes}", self.command())?;
        let presets: Vec<String> =
            self.share.iter().filter(|share| share.preset().is_some()).map(|share| format!("`{share}`")).collect();
        if presets.is_empty() { Ok(()) } else { write!(formatter, "; with {}", presets.join(", ")) }
    }
}

/// The digest of everything that a person agrees to.
fn digest(project: &Project, share: &[Share], setup: &TreeSetup) -> String {
    let place = project.repository().map(|repository| repository.common_dir().to_owned()).unwrap_or_default();
    let place = place.canonicalize().unwrap_or(place);
    let hosts: Vec<String> = setup.hosts.iter().map(ToString::to_string).collect();
    let share: Vec<String> = share.iter().map(ToString::to_string).collect();
    let text = json!({
        "v": 2,
        "project": ContentHash::of(place.as_os_str().as_encoded_bytes()).to_string(),
        "command": setup.command,
        "hosts": hosts,
        "locks": setup.locks,
        "share": share,
    });
    ContentHash::of(text.to_string().as_bytes()).to_string()
}
