//! A search under way: its query, the part of the answer it wants, and where it finds its indexes.

use std::path::Path;

use super::options::Options;
use crate::id::Space;
use crate::index::{Place, Query};
use crate::project::Project;
use crate::workspace::Candidate;

/// A search under way.
pub(super) struct Search<'a> {
    pub(super) project: &'a Project,
    pub(super) options: &'a Options<'a>,
    pub(super) query: &'a Query,
    pub(super) offset: usize,
    pub(super) max: usize,
}

impl Search<'_> {
    /// Tells whether an item may be found.
    pub(super) fn accepts(&self, candidate: &Candidate) -> bool {
        let Options { item_type, space, .. } = self.options;
        space.is_none_or(|space| space == candidate.space)
            && item_type.is_none_or(|item_type| item_type == candidate.item_type)
            && self.options.allows(candidate.item_type, &candidate.id)
    }
}

/// Returns where the index of a corpus is kept: every project and person together have one of their own.
pub(super) fn place(search: &Search<'_>, corpus: &str) -> Place {
    let project = search.project;
    let roots = [Space::Project, Space::User].map(|space| project.workspace().root(space));
    let roots: Vec<&Path> = roots.into_iter().flatten().chain([Path::new(corpus)]).collect();
    // Without a folder for caches the index is made anew for each search.
    project.context().cache_dir().map_or_else(|_| Place::memory(), |cache| Place::at(&cache, &roots))
}
