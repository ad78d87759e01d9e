//! Which commits a protected branch has already, as far as this repository can tell: nobody should rewrite these.
//!
//! A branch is taken to be protected if it is the trust root, or the default branch of a remote, or if it is called
//! `main` or `master` there. Other protected branches are not known here.

use std::collections::BTreeSet;

use crate::git::{CommitId, CommitRange, Repository};

/// The names of default branches, the remote's own word for it first.
const DEFAULT: [&str; 3] = ["HEAD", "main", "master"];

/// Returns which of some commits a protected branch has; all of them build up to `last`.
pub(super) fn kept<'c>(
    repository: &Repository,
    root: Option<&CommitId>,
    commits: impl Iterator<Item = &'c CommitId> + Clone,
    last: &CommitId,
) -> BTreeSet<CommitId> {
    let mut kept = BTreeSet::new();
    for tip in root.into_iter().cloned().chain(default_branches(repository)).collect::<BTreeSet<_>>() {
        let range = CommitRange { after: Some(tip), last: last.clone() };
        // Where history is missing, all of them may be there: a hint that is too careful does no harm.
        let beyond = repository.commits_in(&range).unwrap_or_default();
        let beyond: BTreeSet<&CommitId> = beyond.iter().map(|commit| &commit.commit_id).collect();
        kept.extend(commits.clone().filter(|commit_id| !beyond.contains(commit_id)).cloned());
    }
    kept
}

/// Returns the tips of the remotes' default branches, as last fetched.
fn default_branches(repository: &Repository) -> impl Iterator<Item = CommitId> {
    let names = repository.remotes().into_iter().flat_map(|remote| {
        let name = remote.name;
        DEFAULT.map(|branch| format!("refs/remotes/{name}/{branch}"))
    });
    names.filter_map(|name| repository.resolve(&name).ok())
}
