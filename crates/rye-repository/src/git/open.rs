//! How a repository is checked and opened: storage format first, then ownership, then gix, then where its files are.
//!
//! Invariant: gix is opened with permission for no environment variable; the person's configuration is loaded by
//! [`GitEnvironment`] and put below the repository's own, so the usual precedence holds.
//!
//! Limits: in the repository's own configuration, `include.path = ~/…` is not followed (the home is not known there).

use std::path::{Path, PathBuf};

use gix::{
    bstr::{BStr, ByteSlice},
    config::{File, Source},
    open::{Options, Permissions, permissions},
};

use super::{
    Cause, Error, GitEnvironment, Repository, Unusable,
    discover::{self, Place},
    filters,
};

/// Set above any configuration: ids must mean what they say, waiting for locks is decided in `reference.rs`, and files
/// checked out within the second before the index was written need not be read to be known as unchanged.
const OVERRIDES: [&str; 4] = [
    "core.useReplaceRefs=false",
    "core.filesRefLockTimeout=100",
    "core.packedRefsTimeout=100",
    "gitoxide.core.useNsec=true",
];

impl Repository {
    /// Finds the repository that `dir` (absolute) lies in, or `None`: the nearest folder with a `.git`, or `dir` itself if
    /// it is a bare repository outside of any work tree. The search stops at another file system and at the environment's
    /// ceiling directories. `GIT_DIR` and its like are not consulted.
    ///
    /// # Errors
    /// [`Unusable::Reftable`], [`Unusable::Ownership`], [`Unusable::BareInside`], [`Unusable::BareDenied`], [`Unusable::WorkTreeElsewhere`],
    /// [`Error::NotRegular`], or [`Error::Open`] for a damaged repository.
    pub fn discover(dir: &Path, environment: &GitEnvironment) -> Result<Option<Self>, Error> {
        discover::around(dir, environment)?.map(|place| Self::open_place(&place, environment)).transpose()
    }

    /// Opens the repository whose work tree or git directory is exactly `dir` (absolute).
    ///
    /// # Errors
    /// [`Error::Open`] if there is none, and as for [`discover`](Self::discover).
    pub fn open(dir: &Path, environment: &GitEnvironment) -> Result<Self, Error> {
        let place = discover::at(dir)?.ok_or_else(|| open_error(dir, "it is not a git repository"))?;
        Self::open_place(&place, environment)
    }

    /// Opens the bare repository at `dir` (absolute), which this program names itself as `--git-dir` would: whatever
    /// `safe.bareRepository` says.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_bare(dir: &Path, environment: &GitEnvironment) -> Result<Self, Error> {
        let place = discover::at(dir)?.filter(|place| place.work_dir.is_none());
        let place = place.ok_or_else(|| open_error(dir, "it is not a bare git repository"))?;
        Self::open_checked(&place, environment, |_| Ok(()))
    }

    fn open_place(place: &Place, environment: &GitEnvironment) -> Result<Self, Error> {
        Self::open_checked(place, environment, |globals| place.check_bare(globals))
    }

    fn open_checked(
        place: &Place,
        environment: &GitEnvironment,
        check_bare: impl Fn(&File) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        let failed = |source: Cause| Error::Open { path: place.shown().to_owned(), source };
        place.check_ref_storage()?;
        let globals = environment.load_globals(&place.git_dir).map_err(failed)?;
        place.check_ownership(&globals, environment)?;
        check_bare(&globals)?;
        let overrides = OVERRIDES.map(str::to_owned).into_iter().chain([place.declared_safe()]);
        let opened = options().cli_overrides(overrides).open_path_as_is(true).open(&place.candidate);
        let mut inner = opened.map_err(|error| failed(error.into()))?.to_thread_local();
        place.check_work_tree(inner.workdir())?;
        merge_globals(&mut inner, globals, environment).map_err(failed)?;
        Ok(Self::new(inner, environment.clone()))
    }
}

impl Place {
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
        let unreadable = |error: gix::Error| Error::Config { path: path.clone(), source: error.into() };
        let config = File::from_path_no_includes(path.clone(), Source::Local).map_err(unreadable)?;
        match config.string("extensions.refStorage") {
            Some(format) if format != "files" => {
                Err(Unusable::Reftable { git_dir: self.common_dir.clone(), format: format.to_string() }.into())
            }
            _ => Ok(()),
        }
    }

    /// Follows `safe.bareRepository`: with `explicit`, git takes only what `--git-dir` names, and this program has no
    /// such option.
    fn check_bare(&self, globals: &File) -> Result<(), Error> {
        let is_denied = globals.string("safe.bareRepository").is_some_and(|value| value == "explicit");
        if self.work_dir.is_none() && is_denied {
            return Err(Unusable::BareDenied { git_dir: self.git_dir.clone() }.into());
        }
        Ok(())
    }

    /// Holds the repository to the folder it was found in: `core.worktree`, or a git directory that is another work tree's,
    /// could make any folder the project.
    fn check_work_tree(&self, opened: Option<&Path>) -> Result<(), Error> {
        match opened {
            None => Ok(()),
            Some(opened) if self.work_dir.as_ref().is_some_and(|found| real(found) == real(opened)) => Ok(()),
            Some(opened) => {
                let (path, work_tree) = (self.shown().to_owned(), opened.to_owned());
                Err(Unusable::WorkTreeElsewhere { path, work_tree }.into())
            }
        }
    }

    /// Follows git's rule for `safe.directory`: all places are the caller's own, or the person declared it safe.
    fn check_ownership(&self, globals: &File, environment: &GitEnvironment) -> Result<(), Error> {
        let dot_git = self.work_dir.as_ref().map(|dir| dir.join(gix::discover::DOT_GIT_DIR));
        let mut places = [Some(&self.git_dir), self.work_dir.as_ref(), dot_git.as_ref()].into_iter().flatten();
        if places.all(|path| is_own(path)) || self.is_declared_safe(globals, environment) {
            return Ok(());
        }
        Err(Unusable::Ownership { path: self.shown().to_owned() }.into())
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
pub(super) fn options() -> Options {
    let config = permissions::Config { includes: true, ..permissions::Config::isolated() };
    let permissions = Permissions { config, ..Permissions::isolated() };
    Options::isolated().permissions(permissions).with(gix::sec::Trust::Full)
}

/// Puts the person's configuration below the repository's, with the files of ignore rules and attributes as full paths.
fn merge_globals(repo: &mut gix::Repository, globals: File, environment: &GitEnvironment) -> Result<(), Cause> {
    let mut config = repo.config_snapshot_mut();
    let own = std::mem::replace(&mut *config, globals);
    config.append(own)?;
    for (key, default) in [
        ("core.excludesFile", environment.default_excludes_file()),
        ("core.attributesFile", environment.default_attributes_file()),
    ] {
        let configured = config.path(key).filter(|path| !path.is_empty());
        let path = match configured {
            Some(path) => path.interpolate(environment.interpolation()).ok(),
            None => default,
        };
        if let Some(path) = path.as_deref().and_then(Path::to_str) {
            config.set_raw_value(key, path)?;
        }
    }
    filters::close_environment(&mut config, &environment.secrets)?;
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
