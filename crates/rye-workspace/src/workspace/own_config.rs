//! Lines of the person's configuration that a command writes.
//!
//! Commit point: the rename of the new configuration over the old one.

use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use super::item_file::replace_file;
use crate::context::{Config, Context};
use crate::error::with_causes;

/// The person's configuration file.
#[derive(Debug)]
pub struct OwnConfig<'a> {
    ctx: &'a Context,
    path: PathBuf,
}

impl<'a> OwnConfig<'a> {
    /// The file at `path`.
    #[must_use]
    pub const fn new(ctx: &'a Context, path: PathBuf) -> Self {
        Self { ctx, path }
    }

    /// Replaces the file's text by what `change` makes of it, if `is_meant` finds in the settings before and after that nothing else
    /// changes.
    ///
    /// # Errors
    ///
    /// Says why nothing was written; `by_hand` is what to do if the text cannot be changed.
    pub fn edit(
        &self,
        change: impl FnOnce(&str) -> String,
        is_meant: impl FnOnce(Config, Config) -> bool,
        by_hand: &str,
    ) -> Result<(), String> {
        let Self { ctx, path } = self;
        let _lock = lock(path.parent().unwrap_or(path)).map_err(|error| error.to_string())?;
        let before = ctx.own_text("config.toml").map_err(|error| with_causes(&error))?.unwrap_or_default();
        let after = change(&before);
        let (old, new) = (Config::parse(path, &before, &[]), Config::parse(path, &after, &[]));
        let (old, new) = (old.map_err(|error| error.to_string())?, new.map_err(|error| error.to_string())?);
        if !is_meant(old, new) {
            return Err(by_hand.to_owned());
        }
        // A link stays one: some people keep their configuration elsewhere.
        let target = path.canonicalize().unwrap_or_else(|_| path.clone());
        replace_file(&target, after.as_bytes()).map_err(|error| with_causes(&error))
    }
}

/// Locks the folder of the configuration until the lock is dropped.
fn lock(folder: &Path) -> io::Result<File> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let opened = File::open(folder)?;
    opened.lock()?;
    Ok(opened)
}
