//! The places that belong to the program itself, whatever project it works in: one list for all code that keeps tools
//! out of them.
//!
//! The default folders count in addition to those that the environment names: a server that a client started without
//! the person's variables uses them, and the person's own commands do not, or the other way round.

use std::path::{Path, PathBuf};

use super::Context;
use crate::id::SPACE_FOLDER;

/// What the program opens in its configuration folder: each may be a link of its own, as tools for dotfiles make them.
const IN_CONFIG: [&str; 5] = ["config.toml", "keys", "registries.toml", "secrets", "trust"];

/// The folders for configuration, state, data and cache in a home folder.
const DEFAULTS: [(&str, Kind); 4] =
    [(".config", Kind::Config), (".local/state", Kind::State), (".local/share", Kind::Data), (".cache", Kind::Cache)];

/// What decides over a model below the user space's `.ai`.
const IN_USER_SPACE: [&str; 4] = ["config.toml", "plugins", "threads", "trust"];

/// How many levels of folders below its top `CONFIG` has: `trust/projects/ROOT/PLACE/FILE`.
const CONFIG_LEVELS: usize = 5;

#[derive(Debug, Clone, Copy)]
enum Kind {
    Config,
    State,
    Data,
    Cache,
}

/// A file or folder of the program's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnPlace {
    /// Where it is said to be; it may be a link, and there may be nothing.
    pub path: PathBuf,
    /// How many levels of folders below it may hold links to more of its own.
    pub levels: usize,
}

impl Context {
    /// Lists the files and folders of the program's own: configuration, keys, trust and secrets, state with the threads'
    /// trees and the record of what agents wrote, local registries, cache and search index, the settings of
    /// the user space, and the program.
    #[must_use]
    pub fn own_places(&self) -> Vec<OwnPlace> {
        let mut places = Vec::new();
        let named = [
            (self.config_dir(), Kind::Config),
            (self.state_dir(), Kind::State),
            (self.data_dir(), Kind::Data),
            (self.cache_dir(), Kind::Cache),
        ];
        // Where a folder cannot be named, nothing of it is used either.
        places.extend(named.into_iter().filter_map(|(dir, kind)| Some((dir.ok()?, kind))));
        if let Ok(home) = self.home() {
            places.extend(DEFAULTS.map(|(dir, kind)| (home.join(dir).join("rye"), kind)));
        }
        let mut places: Vec<OwnPlace> = places.into_iter().flat_map(|(dir, kind)| places_of(&dir, kind)).collect();
        if let Ok(user) = self.user_root() {
            let space = user.join(SPACE_FOLDER);
            places.extend(IN_USER_SPACE.map(|name| OwnPlace { path: space.join(name), levels: 1 }));
        }
        let key =
            self.variable("RYE_SIGNING_KEY").filter(|value| value.len() < 4096 && !value.contains(char::is_control));
        places.extend(key.map(|path| OwnPlace { path: self.current_dir().join(path), levels: 0 }));
        places.push(OwnPlace { path: self.program().to_path_buf(), levels: 0 });
        places
    }
}

fn places_of(dir: &Path, kind: Kind) -> Vec<OwnPlace> {
    let top = |levels| OwnPlace { path: dir.to_path_buf(), levels };
    match kind {
        Kind::Config => {
            let within = IN_CONFIG.map(|name| OwnPlace { path: dir.join(name), levels: CONFIG_LEVELS });
            [top(0)].into_iter().chain(within).collect()
        }
        Kind::State => vec![top(1)],
        Kind::Data | Kind::Cache => vec![top(0)],
    }
}
