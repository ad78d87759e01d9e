//! A project as the person sees it: context, workspace, repository, trust decisions.
//!
//! What a program needs that finds, verifies and signs items, and nothing of what runs them: no network, no plugins, and
//! it starts no program. Nothing takes it as `&mut`, and OS threads may use one at the same time. The agent key is opened when first
//! needed, a handle on the repository once per caller.
//!
//! Decides nothing about items: `locate` finds and verifies them.

mod error;
mod pulled_items;
mod trust;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

pub use error::Error;
pub use pulled_items::note_lock;
pub use trust::{identity, is_place_known, place};

use crate::capability::{ProjectPath, Standpoint};
use crate::context::Context;
use crate::git::{GitEnvironment, Repository, SharedRepository};
use crate::id::Space;
use crate::keys::{KeyName, KeyStore, KeysError};
use crate::trust::{ContentHash, PublicKey, SigningKey, Subject, TrustedKey, TrustedKeys};
use crate::workspace::{self, OwnPlaces, ProjectDir, Workspace};

/// The folder a person works in, and whom they trust there. Without a repository, their own items alone.
#[derive(Debug)]
pub struct Project {
    ctx: Context,
    workspace: Workspace,
    repository: Option<SharedRepository>,
    /// The private tree of a thread, which takes the place of the person's.
    tree: Option<PathBuf>,
    keys: RwLock<Arc<TrustedKeys>>,
    /// Configurations of the project that the person accepted.
    configs: Arc<[(PathBuf, Vec<u8>)]>,
    /// The one that they accepted for this very project, at this place.
    own_config: Option<Arc<(PathBuf, Vec<u8>)>>,
    agent: OnceLock<SigningKey>,
    /// The folders that the thread's tree has besides the files of its commit.
    furnished: OnceLock<Vec<Furnished>>,
}

/// A folder that a thread's tree got: a copy of one that its person or a set-up made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Furnished {
    /// Its path.
    pub path: ProjectPath,
    /// The top of the folders that have the same files at the same paths, which no tool of the thread writes.
    pub twin: PathBuf,
    /// The tree that files of tools in the twin name as theirs.
    pub named: PathBuf,
}

/// OS threads share these.
const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<Project>();
};

impl Project {
    /// Finds the project and reads whom the person trusts.
    ///
    /// # Errors
    ///
    /// Fails when the repository, the keys or the trust files cannot be read, and in a repository that is part of the project around
    /// it.
    pub fn open(ctx: &Context) -> Result<Self, Error> {
        let repository = Repository::discover(ctx.current_dir(), &GitEnvironment::from_context(ctx))?;
        let root = repository.as_ref().and_then(Repository::work_dir).map(Path::to_path_buf);
        if let Some(root) = &root {
            workspace::check_project(root)?;
        }
        let trust::Trusted { mut keys, configs, own_config } = trust::trusted(ctx, repository.as_ref())?;
        let workspace = Workspace::new(root, ctx.user_root()?);
        pulled_items::note(&mut keys, &workspace);
        Ok(Self {
            ctx: ctx.clone(),
            workspace,
            repository: repository.map(Repository::into_shared),
            tree: None,
            keys: RwLock::new(Arc::new(keys)),
            configs: configs.into(),
            own_config: own_config.map(Arc::new),
            agent: OnceLock::new(),
            furnished: OnceLock::new(),
        })
    }

    /// Returns the project for one thread: the same, with trust of its own, so that what the agent signs in this thread counts
    /// in no other.
    #[must_use]
    pub fn for_thread(&self) -> Self {
        Self {
            ctx: self.ctx.clone(),
            workspace: self.workspace.clone(),
            repository: self.repository.clone(),
            tree: self.tree.clone(),
            keys: RwLock::new(self.keys()),
            configs: Arc::clone(&self.configs),
            own_config: self.own_config.clone(),
            agent: OnceLock::new(),
            furnished: OnceLock::new(),
        }
    }

    /// Returns the project with a private tree in the place of the person's: its project space and the files of its tools lie
    /// there. The repository stays the one that was discovered; nothing is ever discovered from the tree.
    #[must_use]
    pub fn in_tree(self, tree: &Path) -> Self {
        let user_root = self.workspace.root(Space::User).map(Path::to_path_buf).unwrap_or_default();
        let workspace = Workspace::new(Some(tree.to_path_buf()), user_root);
        Self { workspace, tree: Some(tree.to_path_buf()), ..self }
    }

    /// Tells whether this is the project of a thread, whose tools work in a private tree.
    #[must_use]
    pub const fn is_in_tree(&self) -> bool {
        self.tree.is_some()
    }

    /// Returns the surroundings.
    #[must_use]
    pub const fn context(&self) -> &Context {
        &self.ctx
    }

    /// Returns the three spaces.
    #[must_use]
    pub const fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// Returns a handle on the repository that the current folder lies in.
    #[must_use]
    pub fn repository(&self) -> Option<Repository> {
        self.repository.as_ref().map(SharedRepository::handle)
    }

    /// Returns the folder that holds the project's files: the thread's tree, or else the top of the person's.
    #[must_use]
    pub fn work_dir(&self) -> Option<&Path> {
        self.tree.as_deref().or_else(|| self.persons_tree())
    }

    /// Returns the thread's tree, if this is the project of one.
    #[must_use]
    pub fn private_tree(&self) -> Option<&Path> {
        self.tree.as_deref()
    }

    /// Remembers, once, the folders that the thread's tree got.
    pub fn note_furnished(&self, furnished: Vec<Furnished>) {
        drop(self.furnished.set(furnished));
    }

    /// Returns the folders that the thread's tree got; none outside of threads.
    #[must_use]
    pub fn furnished(&self) -> &[Furnished] {
        self.furnished.get().map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the top of the person's own work tree.
    #[must_use]
    pub fn persons_tree(&self) -> Option<&Path> {
        self.repository.as_ref().and_then(SharedRepository::work_dir)
    }

    /// Returns the folders whose files no tool is run by: the project's, in a thread its person's too, and that of the repository's first
    /// work tree.
    #[must_use]
    pub fn program_free(&self) -> Vec<PathBuf> {
        let first = self.repository().map(|repository| repository.common_dir().to_owned());
        let first = first.as_deref().filter(|folder| folder.ends_with(".git")).and_then(Path::parent);
        let all = [self.work_dir(), self.workspace.root(Space::Project), self.persons_tree(), first];
        let mut folders: Vec<PathBuf> = all.into_iter().flatten().filter_map(|path| path.canonicalize().ok()).collect();
        folders.dedup();
        folders
    }

    /// Opens a folder with the project's files for tools: the person's tree, or a thread's in its place. Files of the
    /// program itself are refused there.
    pub fn open_files(&self, root: &Path) -> Result<ProjectDir, workspace::Error> {
        let mut own = OwnPlaces::find(&self.ctx.own_places())?;
        if let Some(repository) = self.repository() {
            let folders = [repository.git_dir(), repository.common_dir()];
            own = own.with_git(folders).with_git_files(folders)?;
        }
        let files = ProjectDir::open_without(root, self.persons_tree().unwrap_or(root), own)?;
        Ok(if self.private_tree() == Some(root) { files.passing() } else { files })
    }

    /// Looks from where the paths of the project are judged, as of now: at what lies around the person's work tree, and at the links in
    /// it and in a thread's tree.
    pub fn standpoint(&self) -> Result<Standpoint, Error> {
        let (Some(repository), Some(project)) = (self.repository(), self.persons_tree()) else {
            return Ok(Standpoint::default());
        };
        Ok(workspace::standpoint(project, self.tree.as_deref(), &repository.link_paths()?)?)
    }

    /// Returns whom the person trusts, as of now.
    #[must_use]
    pub fn keys(&self) -> Arc<TrustedKeys> {
        Arc::clone(&self.keys.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the configurations that the person accepted for the project, each with the path of its copy: their
    /// denials count with any configuration of the work tree.
    #[must_use]
    pub fn accepted_configs(&self) -> &[(PathBuf, Vec<u8>)] {
        &self.configs
    }

    /// Returns the configuration that the person accepted for this very project, with the path of its copy.
    #[must_use]
    pub fn accepted_config(&self) -> Option<(&Path, &[u8])> {
        self.own_config.as_ref().map(|config| (config.0.as_path(), config.1.as_slice()))
    }

    /// Returns the agent key, made now if missing. From here on its signatures are recognised as the agent's.
    pub fn agent(&self) -> Result<&SigningKey, KeysError> {
        if let Some(agent) = self.agent.get() {
            return Ok(agent);
        }
        let (agent, _) = KeyStore::new(&self.ctx)?.find_or_create(&self.ctx, KeyName::Agent)?;
        self.change_keys(|keys| keys.set_agent(agent.public()));
        Ok(self.agent.get_or_init(|| agent))
    }

    /// Lets an item that the agent signed in this project's thread be used in it.
    pub fn accept_from_agent(&self, subject: Subject, hash: ContentHash) {
        self.change_keys(|keys| keys.accept_from_agent(subject, hash));
    }

    /// Lets the key count with which this person signs now, if no file of trust names it.
    pub fn trust_signer(&self, key: PublicKey) {
        if self.keys().with_id(&key.key_id()).is_empty() {
            self.change_keys(|keys| keys.add(TrustedKey::new(key, "you", "the key that signs")));
        }
    }

    fn change_keys(&self, change: impl FnOnce(&mut TrustedKeys)) {
        change(Arc::make_mut(&mut self.keys.write().unwrap_or_else(PoisonError::into_inner)));
    }
}
