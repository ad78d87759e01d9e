//! How a repository is found, checked and opened: storage format first, then ownership, then gix.
//!
//! Invariant: gix is opened with permission for no environment variable; the person's configuration is loaded by
//! [`GitEnvironment`] and put below the repository's own, so the usual precedence holds.
//!
//! Limits: in the repository's own configuration, `include.path = ~/…` is not followed (the home is not known there).

use std::path::{Path, PathBuf};

use gix::{
    bstr::{BStr, ByteSlice},
    config::{File, Source},
    discover::{repository::Path as Found, upwards},
    open::{Options, Permissions, permissions},
};

use super::{Cause, Error, GitEnvironment, Repository};

/// Set above any configuration: ids must mean what they say, and waiting for locks is decided in `reference.rs`.
const OVERRIDES: [&str; 3] =
    ["core.useReplaceRefs=false", "core.filesRefLockTimeout=100", "core.packedRefsTimeout=100"];

/// A repository's places on disk before it is opened.
struct Location {
    work_dir: Option<PathBuf>,
    git_dir: PathBuf,
    common_dir: PathBuf,
}

impl Repository {
    /// Finds the repository that `dir` (absolute) lies in, or `None`. The search stops at another file system and at
    /// the environment's ceiling directories. `GIT_DIR` and its like are not consulted.
    ///
    /// # Errors
    /// [`Error::Reftable`], [`Error::Ownership`], or [`Error::Open`] for a damaged repository.
    pub fn discover(dir: &Path, environment: &GitEnvironment) -> Result<Option<Self>, Error> {
        let options = upwards::Options {
            trust: upwards::TrustPolicy::Assume(gix::sec::Trust::Full),
            ceiling_dirs: environment.ceiling_directories.clone(),
            match_ceiling_dir_or_error: false,
            ..Default::default()
        };
        match gix::discover::upwards_opts(dir, options) {
            Ok((found, _)) => Self::open_found(found, environment).map(Some),
            Err(error) if error.downcast_any_ref::<upwards::Error>().is_some() => Ok(None),
            Err(error) => Err(open_error(dir, error)),
        }
    }

    /// Opens the repository whose work tree or git directory is exactly `dir` (absolute).
    ///
    /// # Errors
    /// [`Error::Open`] if there is none, and as for [`discover`](Self::discover).
    pub fn open(dir: &Path, environment: &GitEnvironment) -> Result<Self, Error> {
        let dot_git = dir.join(gix::discover::DOT_GIT_DIR);
        let candidate = if dot_git.exists() { dot_git } else { dir.to_owned() };
        let kind = gix::discover::is_git(&candidate).map_err(|error| open_error(dir, error))?;
        let found = Found::from_dot_git_dir(candidate, kind, dir)
            .ok_or_else(|| open_error(dir, "the git directory it names is not there"))?;
        Self::open_found(found, environment)
    }

    /// Creates a repository with a work tree at `dir` (absolute), on the unborn branch `main`, and opens it.
    ///
    /// # Errors
    /// [`Error::Init`] if there is one already or the folder cannot be written.
    pub fn init(dir: &Path, environment: &GitEnvironment) -> Result<Self, Error> {
        let (kind, create) = (gix::create::Kind::WithWorktree, gix::create::Options::default());
        gix::ThreadSafeRepository::init_opts(dir, kind, create, options())
            .map_err(|source| Error::Init { path: dir.to_owned(), source: source.into() })?;
        Self::open(dir, environment)
    }

    fn open_found(found: Found, environment: &GitEnvironment) -> Result<Self, Error> {
        let location = Location::of(found);
        let failed = |source: Cause| Error::Open { path: location.shown().to_owned(), source };
        location.check_ref_storage()?;
        let globals = environment.load_globals(&location.git_dir).map_err(failed)?;
        location.check_ownership(&globals, environment)?;
        let overrides = OVERRIDES.map(str::to_owned).into_iter().chain([location.declared_safe()]);
        let opened = options().cli_overrides(overrides).open(location.shown());
        let mut inner = opened.map_err(|error| failed(error.into()))?.to_thread_local();
        merge_globals(&mut inner, globals, environment).map_err(failed)?;
        Ok(Self::new(inner, environment.clone()))
    }
}

impl Location {
    fn of(found: Found) -> Self {
        let (git_dir, work_dir) = found.into_repository_and_work_tree_directories();
        let common_dir = match std::fs::read_to_string(git_dir.join("commondir")) {
            Ok(text) => git_dir.join(text.trim_end()),
            Err(_) => git_dir.clone(),
        };
        Self { work_dir, git_dir, common_dir }
    }

    /// The folder a person knows the repository by.
    fn shown(&self) -> &Path {
        self.work_dir.as_deref().unwrap_or(&self.git_dir)
    }

    /// The storage of refs decides whether anything else that is read can be believed, so it comes first.
    fn check_ref_storage(&self) -> Result<(), Error> {
        let path = self.common_dir.join("config");
        if !path.exists() {
            return Ok(());
        }
        let config =
            File::from_path_no_includes(path, Source::Local).map_err(|error| open_error(self.shown(), error))?;
        match config.string("extensions.refStorage") {
            Some(format) if format != "files" => {
                Err(Error::Reftable { git_dir: self.common_dir.clone(), format: format.to_string() })
            }
            _ => Ok(()),
        }
    }

    /// Follows git's rule for `safe.directory`: all places are the caller's own, or the person declared it safe.
    fn check_ownership(&self, globals: &File, environment: &GitEnvironment) -> Result<(), Error> {
        let dot_git = self.work_dir.as_ref().map(|dir| dir.join(gix::discover::DOT_GIT_DIR));
        let mut places = [Some(&self.git_dir), self.work_dir.as_ref(), dot_git.as_ref()].into_iter().flatten();
        if places.all(|path| is_own(path)) || self.is_declared_safe(globals, environment) {
            return Ok(());
        }
        Err(Error::Ownership { path: self.shown().to_owned() })
    }

    fn is_declared_safe(&self, globals: &File, environment: &GitEnvironment) -> bool {
        let mut safe = false;
        for value in globals.strings("safe.directory").unwrap_or_default() {
            // An empty value clears what came before it.
            safe = !value.is_empty() && (safe || self.is_covered_by(value.as_bstr(), environment));
        }
        safe
    }

    fn is_covered_by(&self, value: &BStr, environment: &GitEnvironment) -> bool {
        if value == "*" {
            return true;
        }
        let Ok(path) = gix::config::Path::from(value.to_owned()).interpolate(environment.interpolation()) else {
            return false;
        };
        let shown = real(self.shown());
        match path.file_name() {
            Some(name) if name == "*" => path.parent().is_some_and(|parent| shown.starts_with(real(parent))),
            _ => path.is_absolute() && real(&path) == shown,
        }
    }

    /// Ownership is settled here; without this gix would settle it again, without the person's configuration.
    fn declared_safe(&self) -> String {
        format!("safe.directory={}", real(self.shown()).display())
    }
}

/// Returns options under which gix reads the repository's own configuration and nothing else.
fn options() -> Options {
    let config = permissions::Config { includes: true, ..permissions::Config::isolated() };
    let permissions = Permissions { config, ..Permissions::isolated() };
    Options::isolated().permissions(permissions).with(gix::sec::Trust::Full)
}

/// Puts the person's configuration below the repository's, with the file of ignore rules as a full path.
fn merge_globals(repo: &mut gix::Repository, globals: File, environment: &GitEnvironment) -> Result<(), Cause> {
    let mut config = repo.config_snapshot_mut();
    let own = std::mem::replace(&mut *config, globals);
    config.append(own)?;
    let configured = config.path("core.excludesFile").filter(|path| !path.is_empty());
    let excludes = match configured {
        Some(path) => path.interpolate(environment.interpolation()).ok(),
        None => environment.default_excludes_file(),
    };
    if let Some(path) = excludes.as_deref().and_then(Path::to_str) {
        config.set_raw_value("core.excludesFile", path)?;
    }
    config.commit()?;
    Ok(())
}

fn is_own(path: &Path) -> bool {
    gix::sec::identity::is_path_owned_by_current_user(path).unwrap_or(false)
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn open_error(path: &Path, source: impl Into<Cause>) -> Error {
    Error::Open { path: path.to_owned(), source: source.into() }
}
