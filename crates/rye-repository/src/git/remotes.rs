//! The remotes of a repository, as its configuration names them.

use super::{Head, Repository};

/// A remote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    /// Its name.
    pub name: String,
    /// What a plain `git fetch` brings, in order.
    pub fetch: Vec<String>,
}

impl Repository {
    /// Lists the remotes, by name.
    pub fn remotes(&self) -> Vec<Remote> {
        let config = self.inner.config_snapshot();
        let fetch = |name: &str| {
            let values = config.strings(format!("remote.{name}.fetch").as_str()).unwrap_or_default();
            values.into_iter().map(|value| value.to_string()).collect()
        };
        let names = self.inner.remote_names();
        names.iter().map(ToString::to_string).map(|name| Remote { fetch: fetch(&name), name }).collect()
    }

    /// Returns the remote that a command means which names none: the current branch's, the only one, or `origin`.
    pub fn default_remote(&self) -> Option<String> {
        let names: Vec<String> = self.remotes().into_iter().map(|remote| remote.name).collect();
        let branch = match self.head() {
            Ok(Head::Branch { name, .. } | Head::Unborn { branch: name }) => Some(name),
            _ => None,
        };
        let short = branch.as_deref().and_then(|name| name.strip_prefix("refs/heads/"));
        let config = self.inner.config_snapshot();
        let of_branch = short.and_then(|name| config.string(format!("branch.{name}.remote").as_str()));
        let wanted = match (of_branch, names.as_slice()) {
            (Some(name), _) => name.to_string(),
            (None, [only]) => only.clone(),
            (None, _) => "origin".to_owned(),
        };
        names.into_iter().find(|name| *name == wanted)
    }
}
