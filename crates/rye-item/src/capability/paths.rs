//! Which paths of the project a thread's tools may touch.
//!
//! A directive that declares no path rule leaves its tools the whole project (the capability is then the gate). One
//! rule of either kind makes both lists explicit: a path without a matching rule is refused. To write where content
//! runs code (`code_place.rs`), a rule must also name the place. Places that no tool may ever touch are refused by the
//! workspace, whatever the rules say.

use std::fmt;
use std::str::FromStr;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::raw_name::is_raw;
use crate::id::glob_bounds;

/// What a tool wants of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    /// Read or list it.
    Read,
    /// Create, change or remove it.
    Write,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::Write => "write",
        })
    }
}

/// A relative path inside the project, `/` between its parts, without `.` and `..`; empty for the project itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProjectPath(String);

/// A text that is not a path inside the project.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{text}` is not a path inside the project: {reason}")]
pub struct ProjectPathError {
    /// The text as given.
    pub text: String,
    /// The fault.
    pub reason: &'static str,
}

impl ProjectPath {
    /// Returns the path as written, empty for the project's own folder.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the parts between the slashes.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.split('/').filter(|part| !part.is_empty())
    }
}

impl fmt::Display for ProjectPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(if self.0.is_empty() { "." } else { &self.0 })
    }
}

impl FromStr for ProjectPath {
    type Err = ProjectPathError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refuse = |reason| Err(ProjectPathError { text: text.to_owned(), reason });
        if text.starts_with('/') {
            return refuse("it is absolute; give it relative to the project's folder");
        }
        if text.len() > 4096 {
            return refuse("it is longer than 4096 bytes");
        }
        if text.contains(['\\', '\0']) {
            return refuse("it contains a backslash or a NUL");
        }
        if is_raw(text) {
            return refuse("it is not UTF-8");
        }
        if text.split('/').any(|part| part == "..") {
            return refuse("it leaves the project");
        }
        let parts: Vec<&str> = text.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
        Ok(Self(parts.join("/")))
    }
}

crate::id::serde_as_text!(ProjectPath);

/// The path patterns a directive grants, for reading and for writing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathRules {
    /// Patterns of paths that may be read.
    #[serde(default)]
    pub read: Vec<String>,
    /// Patterns of paths that may be written.
    #[serde(default)]
    pub write: Vec<String>,
}

/// A pattern that cannot be enforced.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the path pattern `{pattern}` cannot be enforced: {reason}")]
pub struct PathRulesError {
    /// The pattern as given.
    pub pattern: String,
    /// The fault.
    pub reason: String,
}

impl PathRules {
    /// Tells whether no rule was declared at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.read.is_empty() && self.write.is_empty()
    }

    /// Adds the comma-separated patterns of one `<read>` or `<write>` element.
    ///
    /// # Errors
    ///
    /// Fails on a pattern that is absolute, leaves the project or is not a glob.
    pub fn add(&mut self, access: Access, patterns: &str) -> Result<(), PathRulesError> {
        for pattern in patterns.split(',').map(str::trim).filter(|pattern| !pattern.is_empty()) {
            glob(pattern)?;
            self.list_mut(access).push(pattern.to_owned());
        }
        Ok(())
    }

    /// Tells whether one of these rules matches `path`, or no rule exists. A write rule also lets its paths be read,
    /// and a rule for all that is in a folder (`src/**`) lets the folder be read: it is listed.
    pub(super) fn match_path(&self, access: Access, path: &ProjectPath) -> bool {
        if self.is_empty() {
            return true;
        }
        match access {
            Access::Write => any_matches(&self.write, path),
            Access::Read => {
                [&self.read, &self.write].into_iter().any(|list| any_matches(list, path) || any_lists(list, path))
            }
        }
    }

    /// Returns the write patterns that match `path`.
    pub(super) fn writing(&self, path: &ProjectPath) -> impl Iterator<Item = &String> {
        self.write.iter().filter(|pattern| any_matches([*pattern], path))
    }

    fn list_mut(&mut self, access: Access) -> &mut Vec<String> {
        match access {
            Access::Read => &mut self.read,
            Access::Write => &mut self.write,
        }
    }
}

fn any_matches<'p>(patterns: impl IntoIterator<Item = &'p String>, path: &ProjectPath) -> bool {
    let mut set = GlobSetBuilder::new();
    for glob in patterns.into_iter().filter_map(|pattern| glob(pattern).ok()) {
        set.add(glob);
    }
    // A pattern that does not compile grants nothing.
    set.build().unwrap_or_else(|_| GlobSet::empty()).is_match(path.as_str())
}

/// Tells whether a pattern matches all that is in a folder.
fn any_lists(patterns: &[String], folder: &ProjectPath) -> bool {
    let of_folders: Vec<String> =
        patterns.iter().filter_map(|pattern| pattern.strip_suffix("/**")).map(str::to_owned).collect();
    any_matches(&of_folders, folder)
}

fn glob(pattern: &str) -> Result<globset::Glob, PathRulesError> {
    let refuse = |reason: &str| PathRulesError { pattern: pattern.to_owned(), reason: reason.to_owned() };
    if pattern.starts_with('/') || pattern.split('/').any(|part| part == "..") {
        return Err(refuse("it must stay inside the project, relative to its folder"));
    }
    if let Some(reason) = glob_bounds::excess(pattern) {
        return Err(PathRulesError { pattern: pattern.chars().take(80).collect(), reason: reason.to_owned() });
    }
    if pattern.contains('\\') {
        return Err(refuse("no path of the project contains a backslash; write `/` between folders"));
    }
    GlobBuilder::new(pattern.trim_start_matches("./"))
        .literal_separator(true)
        .backslash_escape(false)
        .build()
        .map_err(|error| refuse(&error.kind().to_string()))
}

/// Returns the folders (or the file) before the first part that holds a wildcard.
pub(super) fn literal_prefix(pattern: &str) -> String {
    let literal = |part: &&str| !part.contains(['*', '?', '[', '{']);
    pattern.split('/').take_while(literal).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn rules(read: &str, write: &str) -> PathRules {
        let mut rules = PathRules::default();
        rules.add(Access::Read, read).unwrap();
        rules.add(Access::Write, write).unwrap();
        rules
    }

    fn allowed(rules: &PathRules, access: Access, path: &str) -> bool {
        rules.match_path(access, &path.parse().unwrap())
    }

    #[test]
    fn one_rule_makes_both_lists_explicit() {
        let rules = rules("docs/**, *.md", "target/out/**");
        assert!(allowed(&rules, Access::Read, "docs/a/b.md"));
        assert!(allowed(&rules, Access::Read, "README.md"));
        assert!(allowed(&rules, Access::Read, "target/out/x"));
        assert!(allowed(&rules, Access::Write, "target/out/x/y"));
        assert!(!allowed(&rules, Access::Read, "src/README.md"));
        assert!(allowed(&rules, Access::Read, "docs") && allowed(&rules, Access::Read, "target/out"));
        assert!(!allowed(&rules, Access::Read, "target") && !allowed(&rules, Access::Read, ""));
        assert!(!allowed(&rules, Access::Write, "docs") && !allowed(&rules, Access::Write, "target/out"));
        assert!(!allowed(&rules, Access::Write, "docs/a.md"));
        assert!(!allowed(&rules, Access::Write, "target/other"));
        assert!(allowed(&PathRules::default(), Access::Write, "anything"));
    }

    #[test]
    fn what_leaves_the_project_is_refused() {
        let mut rules = PathRules::default();
        for pattern in ["/etc/**", "../x", "a/../../b", "a[", "{a", "a\\b"] {
            assert!(rules.add(Access::Read, pattern).is_err(), "{pattern}");
        }
        for path in ["/a", "../a", "a/../b", "a\\b", "a\0"] {
            assert!(path.parse::<ProjectPath>().is_err(), "{path}");
        }
        assert_eq!("./a//b/.".parse::<ProjectPath>().unwrap().as_str(), "a/b");
    }
}
