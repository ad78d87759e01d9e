//! Where a folder of a git repository is: `git+URL//PATH`, with `@REV` for a branch, a tag or a commit.
//!
//! The URL is a folder, `file://`, `ssh://`, `https://` or `user@host:path`. It has no password, no query and nothing that git
//! takes for an option or for a program to run, so it may be written to a file that others read.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The prefix of every such text.
const PREFIX: &str = "git+";

/// What separates the repository from the folder in it.
const SEPARATOR: &str = "//";

/// The longest text, in bytes.
const MAX_BYTES: usize = 2048;

/// The longest revision, in bytes.
const MAX_REV_BYTES: usize = 250;

/// A folder of a git repository, at a revision or at its default branch.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GitSource {
    url: String,
    path: String,
    rev: Option<String>,
}

/// A text that is not a git source. It never repeats the text, which may hold a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("invalid git source: {reason}")]
pub struct GitSourceError {
    /// The fault, for people.
    pub reason: &'static str,
}

impl GitSource {
    /// Tells whether a text is meant as one.
    #[must_use]
    pub fn is_meant_by(text: &str) -> bool {
        text.starts_with(PREFIX)
    }

    /// Returns what git fetches from.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the folder in the repository, with `/` between names; empty for the whole repository.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the branch, tag or commit; none for the default branch.
    #[must_use]
    pub fn rev(&self) -> Option<&str> {
        self.rev.as_deref()
    }

    /// Returns the last name of the folder, or of the repository where all of it is meant.
    #[must_use]
    pub fn name(&self) -> &str {
        let of_url = || {
            let last = self.url.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or_default();
            last.strip_suffix(".git").unwrap_or(last)
        };
        if self.path.is_empty() { of_url() } else { self.path.rsplit('/').next().unwrap_or_default() }
    }

    /// Returns the same folder at another revision.
    ///
    /// # Errors
    ///
    /// Fails on a text that cannot be a revision.
    pub fn at(&self, rev: Option<&str>) -> Result<Self, GitSourceError> {
        rev.map(check_rev).transpose()?;
        Ok(Self { rev: rev.map(str::to_owned), ..self.clone() })
    }

    /// Returns the same folder in the repository at another URL.
    ///
    /// # Errors
    ///
    /// Fails on a text that cannot be a URL.
    pub fn in_repository(&self, url: &str) -> Result<Self, GitSourceError> {
        check_url(url)?;
        Ok(Self { url: url.to_owned(), ..self.clone() })
    }

    /// Tells whether the URL is a path of this machine without a scheme.
    #[must_use]
    pub fn is_plain_path(&self) -> bool {
        !self.url.contains("://") && host_before_colon(&self.url).is_none()
    }
}

impl fmt::Display for GitSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { url, path, rev } = self;
        write!(f, "{PREFIX}{url}{SEPARATOR}{path}")?;
        rev.iter().try_for_each(|rev| write!(f, "@{rev}"))
    }
}

impl FromStr for GitSource {
    type Err = GitSourceError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = |reason| Err(GitSourceError { reason });
        let Some(rest) = text.strip_prefix(PREFIX) else { return wrong(FORM) };
        if rest.len() > MAX_BYTES {
            return wrong("it is longer than 2048 bytes");
        }
        if rest.chars().any(|letter| letter.is_control() || letter.is_whitespace()) {
            return wrong("it has blanks or control characters");
        }
        let after_scheme = rest.find("://").map_or(0, |at| at + 3);
        let Some(at) = rest[after_scheme..].find(SEPARATOR).map(|at| after_scheme + at) else { return wrong(FORM) };
        let (url, path) = (&rest[..at], &rest[at + SEPARATOR.len()..]);
        let (path, rev) = path.rsplit_once('@').map_or((path, None), |(path, rev)| (path, Some(rev)));
        check_url(url)?;
        let path = path.strip_suffix('/').unwrap_or(path);
        check_path(path)?;
        rev.map(check_rev).transpose()?;
        Ok(Self { url: url.to_owned(), path: path.to_owned(), rev: rev.map(str::to_owned) })
    }
}

super::serde_as_text!(GitSource);

const FORM: &str = "expected `git+URL//PATH` or `git+URL//PATH@REV`";

fn check_url(url: &str) -> Result<(), GitSourceError> {
    let wrong = |reason| Err(GitSourceError { reason });
    if url.is_empty() {
        return wrong(FORM);
    }
    if url.starts_with('-') {
        return wrong("its URL begins with `-`");
    }
    let after_scheme = url.find("://").map_or(url, |at| &url[at + 3..]);
    if after_scheme.contains(SEPARATOR) || url.chars().any(|letter| letter.is_control() || letter.is_whitespace()) {
        return wrong("its URL has `//`, blanks or control characters");
    }
    if url.contains("::") {
        return wrong("its URL names a program (`::`), which is not supported");
    }
    if let Some((scheme, rest)) = url.split_once("://") {
        let host = rest.split('/').next().unwrap_or_default();
        let (user, host) = host.rsplit_once('@').map_or((None, host), |(user, host)| (Some(user), host));
        if user.is_some_and(|user| user.contains(':')) || (scheme == "https" && user.is_some()) {
            return wrong("its URL has a user or a password; let git ask for it");
        }
        if host.starts_with('-') || user.is_some_and(|user| user.starts_with('-')) {
            return wrong("its host begins with `-`");
        }
        return match scheme {
            "https" | "ssh" if host.is_empty() => wrong("its URL has no host"),
            "https" if rest.contains(['?', '#']) => wrong("its URL has a query"),
            "file" | "https" | "ssh" => Ok(()),
            _ => wrong("expected a folder, `file`, `ssh` or `https`"),
        };
    }
    match host_before_colon(url) {
        None => Ok(()),
        Some(host) if host.split('@').any(|part| part.is_empty() || part.starts_with('-')) => {
            wrong("its URL is not of the form `user@host:path`")
        }
        Some(host) if host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_@".contains(&byte)) => Ok(()),
        Some(_) => wrong("its URL is not of the form `user@host:path`"),
    }
}

/// Returns what comes before the colon of `user@host:path`.
fn host_before_colon(url: &str) -> Option<&str> {
    url.split_once(':').map(|(host, _)| host).filter(|host| !host.contains('/'))
}

fn check_path(path: &str) -> Result<(), GitSourceError> {
    let wrong = |reason| Err(GitSourceError { reason });
    if path.is_empty() {
        return Ok(());
    }
    if path.starts_with('/') {
        return wrong("its path is absolute");
    }
    if path.contains('\\') {
        return wrong("its path has a backslash");
    }
    if path.split('/').any(|part| part == "..") {
        return wrong("its path has `..`");
    }
    if path.split('/').any(|part| part.is_empty() || part == ".") {
        return wrong("its path has an empty name or `.`");
    }
    if path.split('/').any(|part| part.eq_ignore_ascii_case(".git")) {
        return wrong("its path has `.git`");
    }
    Ok(())
}

/// A revision is one name, without anything that git would follow from there.
fn check_rev(rev: &str) -> Result<(), GitSourceError> {
    let wrong = |reason| Err(GitSourceError { reason });
    if rev.is_empty() || rev.len() > MAX_REV_BYTES {
        return wrong("its revision is empty or longer than 250 bytes");
    }
    if rev.starts_with('-') {
        return wrong("its revision begins with `-`");
    }
    let is_odd = |letter: char| letter.is_control() || letter.is_whitespace() || "~^:?*[\\".contains(letter);
    if rev.contains(is_odd)
        || rev.contains("..")
        || rev.contains(SEPARATOR)
        || rev.starts_with('/')
        || rev.ends_with('/')
    {
        return wrong("its revision is not the name of a branch or a tag, or the id of a commit");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn parts(text: &str) -> (String, String, Option<String>) {
        let source: GitSource = text.parse().unwrap();
        assert_eq!(source.to_string().trim_end_matches('/'), text.trim_end_matches('/'));
        (source.url().to_owned(), source.path().to_owned(), source.rev().map(str::to_owned))
    }

    #[test]
    fn a_source_is_a_url_a_path_and_a_revision() {
        for (text, url, path, rev, name) in [
            ("git+https://host/a/repo//skills/pdf", "https://host/a/repo", "skills/pdf", None, "pdf"),
            ("git+https://host/repo.git//skills/pdf/@v1", "https://host/repo.git", "skills/pdf", Some("v1"), "pdf"),
            ("git+ssh://git@host/repo//x@feature/y", "ssh://git@host/repo", "x", Some("feature/y"), "x"),
            ("git+git@host:team/repo.git//x", "git@host:team/repo.git", "x", None, "x"),
            ("git+file:///srv/repo//x", "file:///srv/repo", "x", None, "x"),
            ("git+../repo//x@main", "../repo", "x", Some("main"), "x"),
            ("git+/srv/repo//@v1", "/srv/repo", "", Some("v1"), "repo"),
            ("git+git@host:pdf.git//", "git@host:pdf.git", "", None, "pdf"),
        ] {
            let source: GitSource = text.parse().unwrap();
            assert_eq!((source.url(), source.path(), source.rev(), source.name()), (url, path, rev, name), "{text}");
        }
        parts("git+https://host/repo//skills/pdf@0123456789abcdef0123456789abcdef01234567");
    }

    #[test]
    fn options_programs_credentials_and_ways_out_are_refused() {
        for (text, reason) in [
            ("https://host/repo//x", "expected `git+URL"),
            ("git+https://host/repo", "expected `git+URL"),
            ("git+//x", "expected `git+URL"),
            ("git+--upload-pack=sh//x", "begins with `-`"),
            ("git+-oProxyCommand=sh:repo//x", "begins with `-`"),
            ("git+ssh://-oProxyCommand=sh/repo//x", "host begins with `-`"),
            ("git+git@-oProxyCommand=sh:repo//x", "not of the form"),
            ("git+ext::sh%20-c//x", "names a program"),
            ("git+http://host/repo//x", "expected a folder"),
            ("git+ftp://host/repo//x", "expected a folder"),
            ("git+https://ada:secret@host/repo//x", "user or a password"),
            ("git+https://token@host/repo//x", "user or a password"),
            ("git+ssh://ada:secret@host/repo//x", "user or a password"),
            ("git+https://host/repo?token=secret//x", "query"),
            ("git+https://host/repo//../x", "`..`"),
            ("git+https://host/repo//a/../x", "`..`"),
            ("git+https://host/repo///etc", "absolute"),
            ("git+https://host/repo//a//x", "empty name"),
            ("git+https://host/repo//a/.git/hooks", "`.git`"),
            ("git+https://host/repo//a\\x", "backslash"),
            ("git+https://host/repo//x@", "revision is empty"),
            ("git+https://host/repo//x@-v1", "begins with `-`"),
            ("git+https://host/repo//x@a..b", "not the name"),
            ("git+https://host/repo//x@HEAD~1", "not the name"),
            ("git+https://host/repo//x@a:b", "not the name"),
            ("git+https://host/repo//x y", "blanks"),
            ("git+https://host/repo//x\n", "blanks"),
        ] {
            let error = text.parse::<GitSource>().unwrap_err().to_string();
            assert!(error.contains(reason) && !error.contains("secret"), "{text}: {error}");
        }
    }
}
