//! Which commit a revision of the command line means.
//!
//! A revision is a name and what follows it (`main~2`, `v1^{commit}`, `origin/main@{1}`). The name is resolved here, in git's
//! order: refs first (gitrevisions(7)), then an object id. gix only follows the rest from the object that was found: its
//! own grammar takes a branch `dead-code` or `release-1-g1234abcd` for an abbreviated id.
//!
//! Stricter than git, because whoever may push a ref could otherwise choose by its name the verified commit, and the
//! trusted one:
//! - A name of several refs with different commits, or of a ref and another object, means none of them.
//! - A name that begins with `refs/` is that ref's alone.
//! - Output of `git describe`, searches of messages (`:/text`) and former branches (`@{-1}`) are not names.

use gix::{bstr::ByteSlice, hash::Prefix, objs::Kind};

use super::{BlobId, Cause, CommitId, Error, Repository};

/// By which names a tag may be meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tags {
    /// By all that git knows.
    ByAnyName,
    /// By the full name alone, `refs/tags/…`: the trusted revision must not be a tag with the name of a missing branch.
    ByFullName,
}

/// The object that a name means.
struct Named {
    id: gix::ObjectId,
    /// The ref's full name; none for an id.
    full_name: Option<String>,
}

impl Repository {
    /// Resolves a revision (gitrevisions(7): `HEAD~2`, `main`, an abbreviated id, a tag) to its commit.
    ///
    /// # Errors
    /// [`Error::UnknownRevision`] if it names nothing, several objects, or an object that leads to no commit;
    /// [`Error::AmbiguousRevision`] if it names several refs, or a ref and an object, and they are not the same commit.
    pub fn resolve(&self, revision: &str) -> Result<CommitId, Error> {
        self.resolve_with(revision, Tags::ByAnyName)
    }

    /// Resolves a revision, and a tag only by such a name as is allowed.
    ///
    /// # Errors
    /// As [`resolve`](Self::resolve), and [`Error::ShortTag`].
    pub fn resolve_with(&self, revision: &str, tags: Tags) -> Result<CommitId, Error> {
        let unknown = |source: Cause| Error::UnknownRevision { revision: revision.to_owned(), source };
        let (name, rest) = split(revision);
        let spec = if name.is_empty() && rest.starts_with("@{") && !rest.starts_with("@{-") {
            // The current branch's upstream, or where it was.
            revision.to_owned()
        } else {
            let name = if name == "@" { "HEAD" } else { name };
            let named = self.named(revision, name, tags)?;
            let named = named.ok_or_else(|| unknown("it is neither a ref nor an object id".into()))?;
            match named.full_name {
                Some(full_name) if rest.starts_with("@{") => format!("{full_name}{rest}"),
                _ => format!("{}{rest}", named.id),
            }
        };
        let object = self.inner.rev_parse_single(spec.as_bytes().as_bstr()).and_then(|id| id.object());
        let commit = object.and_then(|object| object.peel_to_kind(Kind::Commit));
        commit.map(|commit| CommitId::from_gix(commit.id)).map_err(|error| unknown(error.into()))
    }

    /// Finds the one blob whose id begins with these digits.
    #[must_use]
    pub fn blob_by_beginning(&self, digits: &str) -> Option<BlobId> {
        self.by_id(digits).map(BlobId::from_gix)
    }

    /// Finds the object that a name means: the first ref in git's order, else the one object whose id begins like this.
    fn named(&self, revision: &str, name: &str, tags: Tags) -> Result<Option<Named>, Error> {
        if is_beside_refs(name) && self.git_dir().join(name).is_file() {
            return Ok(self.beside_refs(name));
        }
        let mut meant = Vec::new();
        for full_name in completions(name) {
            let mut found = match self.reference(&full_name) {
                Ok(Some(found)) => found,
                // A name that cannot be a ref's names no ref.
                Ok(None) | Err(Error::InvalidRefName { .. }) => continue,
                Err(error) => return Err(error),
            };
            // A dangling ref means nothing.
            let Ok(id) = found.follow_to_object().map(gix::Id::detach) else { continue };
            meant.push(Named { id, full_name: Some(full_name) });
        }
        if let [Named { full_name: Some(tag), .. }, ..] = meant.as_slice()
            && (tags == Tags::ByFullName || self.is_named_like_a_branch_of_a_remote(name))
            && tag != name
            && meant.iter().all(Named::is_tag)
        {
            return Err(Error::ShortTag { revision: revision.to_owned(), tag: tag.clone() });
        }
        if let [Named { full_name: Some(branch), .. }, ..] = meant.as_slice()
            && tags == Tags::ByFullName
            && branch != name
            && branch.starts_with("refs/heads/")
            && (self.is_named_like_a_branch_of_a_remote(name) || is_beginning_of_a_full_name(name))
        {
            let cause = format!("it is a local branch with the name of another ref; name it in full: `{branch}`");
            return Err(Error::UnknownRevision { revision: revision.to_owned(), source: cause.into() });
        }
        let object = self.by_id(name).map(|id| Named { id, full_name: None });
        let peeled = |named: &Named| self.inner.find_object(named.id).ok()?.peel_tags_to_end().ok().map(|end| end.id);
        let mut all = object.iter().chain(&meant);
        let first = all.next().and_then(peeled);
        if all.any(|other| peeled(other) != first) {
            let names = object.iter().chain(&meant).map(Named::shown).collect();
            return Err(Error::AmbiguousRevision { revision: revision.to_owned(), names });
        }
        Ok(meant.into_iter().next().or(object))
    }

    /// Tells whether a name is what a branch of a remote would have here. A tag of such a name passes for a branch that was not
    /// fetched.
    fn is_named_like_a_branch_of_a_remote(&self, name: &str) -> bool {
        name.split_once('/').is_some_and(|(first, _)| self.remotes().iter().any(|remote| remote.name == first))
    }

    /// Reads a ref like `HEAD` and `FETCH_HEAD`.
    fn beside_refs(&self, name: &str) -> Option<Named> {
        let mut found = self.inner.try_find_reference(name).ok()??;
        let is_it = found.name().as_bstr() == name;
        let id = found.follow_to_object().ok()?.detach();
        is_it.then(|| Named { id, full_name: Some(name.to_owned()) })
    }

    /// Finds the one object whose id begins with these digits.
    fn by_id(&self, name: &str) -> Option<gix::ObjectId> {
        let is_id = name.len() >= Prefix::MIN_HEX_LEN && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        let prefix = if is_id { Prefix::from_hex(&name.to_ascii_lowercase()).ok()? } else { return None };
        self.inner.objects.lookup_prefix(prefix, None).ok()??.ok()
    }
}

impl Named {
    fn is_tag(&self) -> bool {
        self.full_name.as_ref().is_some_and(|name| name.starts_with("refs/tags/"))
    }

    fn shown(&self) -> String {
        self.full_name.clone().unwrap_or_else(|| self.id.to_string())
    }
}

/// Splits a revision into the name it begins with and the rest: `main` of `main~2`, `main^{commit}` and `main@{1}`.
fn split(revision: &str) -> (&str, &str) {
    let end = revision.find(['~', '^', ':']).unwrap_or(revision.len());
    let end = revision[..end].find("@{").unwrap_or(end);
    revision.split_at(end)
}

/// Tells whether a name is one like `HEAD` and `FETCH_HEAD`: git looks for it first, outside of `refs/`, where a push
/// cannot write.
fn is_beside_refs(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
}

/// Tells whether a name begins like a ref's name without `refs/`.
fn is_beginning_of_a_full_name(name: &str) -> bool {
    ["heads/", "tags/", "remotes/"].iter().any(|folder| name.starts_with(folder))
}

/// Returns the refs that a name may mean, in git's order (gitrevisions(7)).
fn completions(name: &str) -> Vec<String> {
    // Stricter than git: a full name names only that ref, or a branch could be given the full name of another.
    if name.starts_with("refs/") {
        return vec![name.to_owned()];
    }
    let below = ["refs/", "refs/tags/", "refs/heads/", "refs/remotes/"].map(|folder| format!("{folder}{name}"));
    std::iter::once(name.to_owned()).chain(below).chain([format!("refs/remotes/{name}/HEAD")]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_begins_with_a_name() {
        for rest in ["", "~2", "^{commit}", "@{1}", ":a", "@{u}~1", "^2@{1}"] {
            assert_eq!(split(&format!("origin/main{rest}")), ("origin/main", rest));
        }
        assert_eq!((split("@{-1}"), split(":/fix"), split("")), (("", "@{-1}"), ("", ":/fix"), ("", "")));
        assert_eq!((split("@~1"), split("a@b")), (("@", "~1"), ("a@b", "")));
    }
}
