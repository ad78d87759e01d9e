//! Which commit a revision of the command line means.
//!
//! Invariant: where one name stands for several refs with different commits, it stands for none. Git takes the tag before
//! the branch and only warns; whoever may push a tag could otherwise choose by its name what `origin/main` is, and with
//! it the trust root of a verification.

use gix::objs::Kind;

use super::{CommitId, Error, Repository};

impl Repository {
    /// Resolves a revision (gitrevisions(7): `HEAD~2`, `main`, an abbreviated id, a tag) to its commit.
    ///
    /// # Errors
    /// [`Error::UnknownRevision`] if it names nothing, several objects, or nothing that leads to a commit;
    /// [`Error::AmbiguousRevision`] if it names several refs, and they are not the same commit.
    pub fn resolve(&self, revision: &str) -> Result<CommitId, Error> {
        self.refuse_ambiguous(revision)?;
        let unknown = |error: gix::Error| Error::UnknownRevision { revision: revision.into(), source: error.into() };
        let object = self.inner.rev_parse_single(revision).and_then(|id| id.object()).map_err(unknown)?;
        let commit = object.peel_to_kind(Kind::Commit).map_err(unknown)?;
        Ok(CommitId::from_gix(commit.id))
    }

    fn refuse_ambiguous(&self, revision: &str) -> Result<(), Error> {
        let name = ref_name(revision);
        if name.is_empty() || is_beside_refs(name) && self.git_dir().join(name).is_file() {
            return Ok(());
        }
        let mut meant: Vec<(String, gix::ObjectId)> = Vec::new();
        for full_name in completions(name) {
            // A name that cannot be a ref's is none's; what leads nowhere stands for nothing.
            let Ok(Some(mut found)) = self.reference(&full_name) else { continue };
            if let Ok(id) = found.peel_to_id() {
                meant.push((full_name, id.detach()));
            }
        }
        match meant.as_slice() {
            [(_, first), others @ ..] if others.iter().any(|(_, id)| id != first) => {
                let names = meant.into_iter().map(|(name, _)| name).collect();
                Err(Error::AmbiguousRevision { revision: revision.to_owned(), names })
            }
            _ => Ok(()),
        }
    }
}

/// Returns the name a revision begins with: `main` of `main~2`, `main^{commit}` and `main@{1}`.
fn ref_name(revision: &str) -> &str {
    let end = revision.find(['~', '^', ':']).unwrap_or(revision.len());
    let name = &revision[..end];
    name.find("@{").map_or(name, |at| &name[..at])
}

/// Tells whether a name is one like `HEAD` and `FETCH_HEAD`: git looks for it first, beside `refs/`, where no push can put
/// anything.
fn is_beside_refs(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
}

/// Returns the refs a name may stand for, in git's order (gitrevisions(7)).
fn completions(name: &str) -> Vec<String> {
    let below = ["refs/", "refs/tags/", "refs/heads/", "refs/remotes/"].map(|folder| format!("{folder}{name}"));
    std::iter::once(name.to_owned()).chain(below).chain([format!("refs/remotes/{name}/HEAD")]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_begins_with_a_name() {
        for revision in ["origin/main", "origin/main~2", "origin/main^{commit}", "origin/main@{1}", "origin/main:a"] {
            assert_eq!(ref_name(revision), "origin/main");
        }
        assert_eq!((ref_name("@{-1}"), ref_name(":/fix"), ref_name("")), ("", "", ""));
    }
}
