//! `init`: makes a folder a workspace. Running it twice changes nothing.
//!
//! Each file is written whole or not at all, and what exists is added to, never replaced.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Serialize;
use thiserror::Error;

use crate::context::Context;
use crate::git::{self, Git, GitEnvironment, Repository};
use crate::id::ItemType;
use crate::keys::{KeyInfo, KeyStore, KeysError, TrustDir};
use crate::process::find_program;
use crate::workspace::{self, PROJECT_ATTRIBUTES, Site, USER_ATTRIBUTES};

/// Files of a thread in the work tree are on its branch already; the other is a leftover of a killed program.
const IGNORED: [&str; 2] = ["/threads/", ".rye-tmp-*"];

/// Where to make a workspace.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The folder; none means the current one.
    pub dir: Option<PathBuf>,
    /// Make the user space instead.
    pub user: bool,
}

/// The created files.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    /// The workspace's folder.
    pub root: PathBuf,
    /// What did not exist before, relative to it.
    pub created: Vec<String>,
    /// Remotes whose notes a plain `git fetch` brings from now on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes_from: Vec<String>,
    /// The keys.
    pub keys: Vec<KeyInfo>,
}

/// Why no workspace can be made.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum Error {
    /// A file or folder cannot be written.
    #[error("cannot write `{}`", path.display())]
    Write {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// A file has the name of the folder.
    #[error("`{}` is not a folder", path.display())]
    NotAFolder { path: PathBuf },
    /// A file cannot be replaced.
    #[error(transparent)]
    Workspace(#[from] workspace::Error),
    /// The git repository cannot be opened or made.
    #[error(transparent)]
    Git(#[from] git::Error),
    /// The keys cannot be read or made.
    #[error(transparent)]
    Keys(#[from] KeysError),
}

/// Makes a folder a workspace.
pub fn init(ctx: &Context, options: &Options) -> Result<Outcome, Error> {
    let mut created = Vec::new();
    let (root, items, attributes) =
        if options.user { user_space(ctx, options, &mut created)? } else { project(ctx, options, &mut created)? };
    let site = Site::open(&root)?;
    // The folder of the signatures of skills is made with the first of them: it has every skill judged.
    for item_type in ItemType::ALL.into_iter().filter(|item_type| *item_type != ItemType::Skill) {
        let name = format!("{items}{}", item_type.folder());
        if site.make_folder(&name)? {
            created.push(name);
        }
    }
    for ignored in IGNORED {
        line(&site, &format!("{items}.gitignore"), ignored, &mut created)?;
    }
    line(&site, ".gitattributes", attributes, &mut created)?;
    let store = KeyStore::new(ctx)?;
    let keys = store.ensure(ctx)?;
    TrustDir::new(ctx)?.write_git_files(&store)?;
    let notes_from = fetch_notes(ctx, &root)?;
    Ok(Outcome { root, created, notes_from, keys })
}

/// Has `git fetch` bring the notes of each remote. Nothing is set for pushing: a refspec for that would take the place of
/// what a plain `git push` pushes. A remote that fetches nothing by configuration is left alone for the same reason.
fn fetch_notes(ctx: &Context, root: &Path) -> Result<Vec<String>, Error> {
    let repository = Repository::open(root, &GitEnvironment::from_context(ctx))?;
    let mut notes_from = Vec::new();
    for remote in repository.remotes().into_iter().filter(|remote| !remote.fetch.is_empty()) {
        let refspec = format!("+refs/notes/rye*:refs/notes/remotes/{}/rye*", remote.name);
        // Without git, nothing is fetched.
        let program = find_program("git", ctx.variable("PATH").unwrap_or_default(), &[root]);
        if let (false, Ok(program)) = (remote.fetch.contains(&refspec), program) {
            let git = Git::new(&program, &repository, &ctx.environment_for_git());
            git.add_config(&format!("remote.{}.fetch", remote.name), &refspec)?;
            notes_from.push(remote.name);
        }
    }
    Ok(notes_from)
}

/// The found or created parts: the repository's folder, the items' folder in it, and the attributes' line.
type Place = (PathBuf, &'static str, &'static str);

/// A project is the repository its folder lies in; its items are below `.ai/`.
fn project(ctx: &Context, options: &Options, created: &mut Vec<String>) -> Result<Place, Error> {
    let here = ctx.current_dir();
    let dir = options.dir.as_ref().map_or_else(|| here.to_path_buf(), |dir| here.join(dir));
    create_dir(&dir)?;
    Repository::remove_leftovers(&dir);
    let environment = GitEnvironment::from_context(ctx);
    let repository = match Repository::discover(&dir, &environment)? {
        Some(repository) => repository,
        None => new_repository(&dir, &environment, created)?,
    };
    let root = repository.require_work_dir()?.to_path_buf();
    workspace::check_project(&root)?;
    Ok((root, ".ai/", PROJECT_ATTRIBUTES))
}

/// The user space is a repository of its own, so that the home folder around it is left alone.
fn user_space(ctx: &Context, options: &Options, created: &mut Vec<String>) -> Result<Place, Error> {
    let home = ctx.user_root().map_err(KeysError::from)?;
    let dir = options.dir.as_ref().map_or_else(|| home.clone(), |dir| ctx.current_dir().join(dir)).join(".ai");
    create_dir(&dir)?;
    Repository::remove_leftovers(&dir);
    if !dir.join(".git").exists() {
        new_repository(&dir, &GitEnvironment::from_context(ctx), created)?;
    }
    Ok((dir, "", USER_ATTRIBUTES))
}

fn new_repository(dir: &Path, environment: &GitEnvironment, created: &mut Vec<String>) -> Result<Repository, Error> {
    created.push(".git".to_owned());
    Ok(Repository::init(dir, environment)?)
}

fn create_dir(dir: &Path) -> Result<(), Error> {
    fs::create_dir_all(dir).map_err(|source| match source.kind() {
        ErrorKind::AlreadyExists => Error::NotAFolder { path: dir.to_path_buf() },
        _ => Error::Write { path: dir.to_path_buf(), source },
    })
}

/// Makes sure a file has a line.
fn line(site: &Site, name: &str, line: &str, created: &mut Vec<String>) -> Result<(), Error> {
    if site.add_line(name, line)? && created.last().is_none_or(|last| last != name) {
        created.push(name.to_owned());
    }
    Ok(())
}
