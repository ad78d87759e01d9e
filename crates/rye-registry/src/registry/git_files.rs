//! The files of a registry that git fetched: those of one commit of its mirror. A mirror that turns out to be damaged is made again.

use std::cell::RefCell;

use super::bare::{Transport, is_damage};
use super::error::Error;
use super::layout::Top;
use super::mirror::{AtCommit, Registry};
use super::source::FileSource;
use crate::context::Context;
use crate::format::registry_files::KnownRegistry;
use crate::git::CommitId;
use crate::id::Segment;

/// The files of one commit of a mirror.
#[derive(Debug)]
pub(super) struct GitFiles<'c> {
    name: Segment,
    registry: RefCell<Registry<'c>>,
    commit_id: CommitId,
    top: Top,
    is_offline: bool,
}

impl<'c> GitFiles<'c> {
    /// Fetches a registry, or takes the last fetched state that passed the checks of its reader.
    pub(super) fn open(
        ctx: &'c Context,
        transport: &Transport,
        known: &KnownRegistry,
        is_offline: bool,
    ) -> Result<Self, Error> {
        let mut registry = Registry::open(ctx, transport, known)?;
        let found = match found(&registry, is_offline) {
            Err(error) if !is_offline && is_damage(&error) => {
                registry.make_again()?;
                found(&registry, is_offline)
            }
            found => found,
        };
        let (commit_id, top) = found.map_err(|error| kept(&registry, error, is_offline))?;
        let (name, registry) = (known.name.clone(), RefCell::new(registry));
        Ok(Self { name, registry, commit_id, top, is_offline })
    }

    fn at_commit<T>(&self, read: impl FnOnce(&AtCommit<'_, 'c>) -> Result<T, Error>) -> Result<T, Error> {
        let registry = self.registry.borrow();
        read(&AtCommit { registry: &registry, commit_id: &self.commit_id, top: self.top })
    }
}

impl FileSource for GitFiles<'_> {
    fn registry(&self) -> &Segment {
        &self.name
    }

    fn read(&self, path: &str, most: u64) -> Result<Option<Vec<u8>>, Error> {
        match self.at_commit(|files| files.read(path, most)) {
            Err(error) if !self.is_offline && is_damage(&error) => {
                let mut registry = self.registry.borrow_mut();
                registry.make_again()?;
                registry.fetch()?;
                drop(registry);
                self.at_commit(|files| files.read(path, most))
            }
            Err(error) => Err(kept(&self.registry.borrow(), error, self.is_offline)),
            read => read,
        }
    }

    fn listed_below(&self, folder: &str) -> Vec<String> {
        let listed = self.at_commit(|files| files.registry.entries_below(files.commit_id, files.top, folder));
        listed.map(|entries| entries.into_iter().map(|entry| entry.path).collect()).unwrap_or_default()
    }

    fn accept(&self) -> Result<(), Error> {
        self.at_commit(|files| files.registry.accept(&mut files.registry.mirror.writer(), files.commit_id))
    }

    fn unlock(&self) {
        self.registry.borrow_mut().unlock();
    }
}

/// Finds the commit, and where the registry is in it.
fn found(registry: &Registry<'_>, is_offline: bool) -> Result<(CommitId, Top), Error> {
    let commit_id = if is_offline { registry.checked()? } else { registry.fetch()? };
    registry.refuse_rewrites()?;
    let top = registry.top(&commit_id)?;
    Ok((commit_id, top))
}

/// Tells damage of a mirror where it must not be made again.
fn kept(registry: &Registry<'_>, error: Error, is_offline: bool) -> Error {
    if is_offline { registry.not_made_again(error) } else { error }
}
