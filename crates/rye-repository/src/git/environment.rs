//! What the person's environment says about git, as values: nothing here reads an environment variable.
//!
//! Which configuration files count, and in which order, follows git-config(1), section FILES: system, then
//! `$XDG_CONFIG_HOME/git/config`, then `~/.gitconfig`; `GIT_CONFIG_GLOBAL` replaces the last two.

use std::path::{Path, PathBuf};

use gix::config::{File, Source, file::Metadata, file::includes, file::init, path::interpolate};

use super::{Cause, Identity};
use crate::context::{Context, bounded};

/// The captured environment variables that matter to git; the default knows nothing and reads no file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GitEnvironment {
    /// `HOME`: where `.gitconfig` is, and what `~/` means.
    pub home: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`.
    pub xdg_config_home: Option<PathBuf>,
    /// `GIT_CONFIG_GLOBAL`: replaces the person's configuration files (`/dev/null`: none).
    pub git_config_global: Option<PathBuf>,
    /// `GIT_CONFIG_SYSTEM`: replaces the system's configuration file; `None` reads `/etc/gitconfig` if
    /// [`read_system_config`](Self::read_system_config).
    pub git_config_system: Option<PathBuf>,
    /// Whether the system's configuration is read: the negation of `GIT_CONFIG_NOSYSTEM`.
    pub read_system_config: bool,
    /// `GIT_CEILING_DIRECTORIES`: absolute folders above which no repository is looked for.
    pub ceiling_directories: Vec<PathBuf>,
    /// The folder that `-C` named, if one was.
    pub named_dir: Option<PathBuf>,
    /// `GIT_AUTHOR_NAME`.
    pub author_name: Option<String>,
    /// `GIT_AUTHOR_EMAIL`.
    pub author_email: Option<String>,
    /// `GIT_COMMITTER_NAME`.
    pub committer_name: Option<String>,
    /// `GIT_COMMITTER_EMAIL`.
    pub committer_email: Option<String>,
    /// `EMAIL`, the address of last resort.
    pub email: Option<String>,
    /// The names of the person's secrets, which no program that git or a filter starts gets to see.
    pub secrets: Vec<String>,
}

/// Which of git's two people of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Author,
    Committer,
}

impl GitEnvironment {
    /// Takes what matters to git from the captured surroundings.
    #[must_use]
    pub fn from_context(ctx: &Context) -> Self {
        let path = |name| ctx.variable(name).map(PathBuf::from);
        let text = |name| ctx.variable(name).map(str::to_owned);
        Self {
            home: path("HOME"),
            xdg_config_home: path("XDG_CONFIG_HOME"),
            git_config_global: path("GIT_CONFIG_GLOBAL"),
            git_config_system: path("GIT_CONFIG_SYSTEM"),
            read_system_config: !ctx.variable("GIT_CONFIG_NOSYSTEM").is_some_and(is_true),
            ceiling_directories: ctx
                .variable("GIT_CEILING_DIRECTORIES")
                .unwrap_or_default()
                .split(':')
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
                .collect(),
            named_dir: ctx.is_named().then(|| ctx.current_dir().to_owned()),
            author_name: text("GIT_AUTHOR_NAME"),
            author_email: text("GIT_AUTHOR_EMAIL"),
            committer_name: text("GIT_COMMITTER_NAME"),
            committer_email: text("GIT_COMMITTER_EMAIL"),
            email: text("EMAIL"),
            secrets: ctx.config().secrets.keys().cloned().collect(),
        }
    }

    /// Reads the system's and the person's configuration, as it applies to the repository `git_dir`.
    pub(super) fn load_globals(&self, git_dir: &Path) -> Result<File, Cause> {
        let branch = head_branch(git_dir);
        let conditional =
            includes::conditional::Context { git_dir: Some(git_dir), branch_name: branch.as_ref().map(AsRef::as_ref) };
        let options = init::Options {
            includes: includes::Options::follow(self.interpolation(), conditional),
            ..Default::default()
        };
        let mut files =
            self.files().into_iter().map(|(source, path)| Metadata::from(source).at(path).with(gix::sec::Trust::Full));
        let missing_is_an_error = false;
        let loaded = File::from_paths_metadata_buf(&mut files, &mut Vec::new(), missing_is_an_error, options)?;
        Ok(loaded.unwrap_or_default())
    }

    /// Returns how `~/` in a configured path is understood.
    pub(super) fn interpolation(&self) -> interpolate::Context<'_> {
        interpolate::Context { home_dir: self.home.as_deref(), ..Default::default() }
    }

    /// Returns the file of ignore rules that holds when `core.excludesFile` is not set.
    pub(super) fn default_excludes_file(&self) -> Option<PathBuf> {
        Some(self.xdg_git_dir()?.join("ignore"))
    }

    /// Returns the file of attributes that holds when `core.attributesFile` is not set.
    pub(super) fn default_attributes_file(&self) -> Option<PathBuf> {
        Some(self.xdg_git_dir()?.join("attributes"))
    }

    /// Returns the identity for `role`: variables, then `author`/`committer`, then `user`, then `EMAIL`.
    pub(super) fn identity(&self, role: Role, config: &File) -> Option<Identity> {
        let (section, name, email) = match role {
            Role::Author => ("author", &self.author_name, &self.author_email),
            Role::Committer => ("committer", &self.committer_name, &self.committer_email),
        };
        let configured = |key: &str| {
            let value = config.string(format!("{section}.{key}").as_str());
            value.or_else(|| config.string(format!("user.{key}").as_str())).map(|value| value.to_string())
        };
        let name = name.clone().or_else(|| configured("name"))?;
        let email = email.clone().or_else(|| configured("email")).or_else(|| self.email.clone())?;
        Some(Identity::new(&name, &email))
    }

    fn files(&self) -> Vec<(Source, PathBuf)> {
        let system = self.git_config_system.clone().unwrap_or_else(|| "/etc/gitconfig".into());
        let system = self.read_system_config.then_some((Source::System, system));
        let global = match &self.git_config_global {
            Some(path) => vec![(Source::User, path.clone())],
            None => self.personal_files(),
        };
        system.into_iter().chain(global).collect()
    }

    fn personal_files(&self) -> Vec<(Source, PathBuf)> {
        let xdg = self.xdg_git_dir().map(|dir| (Source::Git, dir.join("config")));
        let home = self.home.as_ref().map(|home| (Source::User, home.join(".gitconfig")));
        xdg.into_iter().chain(home).collect()
    }

    fn xdg_git_dir(&self) -> Option<PathBuf> {
        let xdg = self.xdg_config_home.clone().filter(|dir| !dir.as_os_str().is_empty());
        Some(xdg.or_else(|| Some(self.home.as_ref()?.join(".config")))?.join("git"))
    }
}

/// The greatest size of a `HEAD` that names a branch, in bytes.
const MAX_HEAD_BYTES: u64 = 64 * 1024;

/// Returns the branch `HEAD` names, for `includeIf.onbranch`; read by hand because configuration precedes opening.
fn head_branch(git_dir: &Path) -> Option<gix::refs::FullName> {
    let head = bounded::read_text(&git_dir.join("HEAD"), MAX_HEAD_BYTES).ok()?;
    gix::refs::FullName::try_from(head.strip_prefix("ref: ")?.trim_end()).ok()
}

/// Reads a truth value as git does.
fn is_true(text: &str) -> bool {
    !matches!(text.to_ascii_lowercase().as_str(), "0" | "false" | "no" | "off" | "")
}
