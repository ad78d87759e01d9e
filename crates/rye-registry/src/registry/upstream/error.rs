//! Why another person's repository is not used.

use thiserror::Error;

use super::super::error::Error;
use super::super::outage::Unreached;
use crate::git;
use crate::id::GitSourceError;

/// Why another person's repository is not used.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum UpstreamError {
    /// It is not reached, for a reason that git named.
    #[error("cannot reach `{url}`: {why}")]
    Unreached {
        /// Where it is.
        url: String,
        why: Unreached,
    },
    /// It cannot be fetched.
    #[error("cannot fetch from `{url}`: {said}")]
    Fetch {
        /// Where it is.
        url: String,
        /// What git said, without who logs in.
        said: String,
    },
    /// There is no such folder on this machine.
    #[error("no such folder `{path}`")]
    NoRepository { path: String },
    /// Its address cannot be written down.
    #[error(transparent)]
    Source(#[from] GitSourceError),
    /// It has no commit.
    #[error("`{url}` has no commits")]
    Empty {
        /// Where it is.
        url: String,
    },
    /// It has no such branch, tag or commit.
    #[error("unknown revision `{rev}` in `{url}`")]
    UnknownRevision {
        /// Where it is.
        url: String,
        rev: String,
    },
    /// It has a branch and a tag of that name.
    #[error("`{rev}` is a branch and a tag in `{url}`, with different commits")]
    Ambiguous {
        /// Where it is.
        url: String,
        rev: String,
    },
    /// It has no such folder.
    #[error("`{url}` has no folder `{path}` at commit {commit}")]
    NoFolder {
        /// Where it is.
        url: String,
        path: String,
        commit: String,
        /// The folders that have a skill.
        skills: Vec<String>,
    },
    /// It is not a skill as a whole.
    #[error("`{url}` has no `SKILL.md` at its top, and several skills below, at commit {commit}")]
    NoSkill {
        /// Where it is.
        url: String,
        commit: String,
        /// The folders that have a skill.
        skills: Vec<String>,
    },
    /// A file in the folder cannot be part of a skill.
    #[error("`{path}` in `{url}` is refused: {reason}")]
    Refused {
        /// Where it is.
        url: String,
        /// The file, from the top of the repository.
        path: String,
        reason: String,
    },
    /// The cache cannot be read.
    #[error(transparent)]
    Git(#[from] git::Error),
    /// A folder of the person's own cannot be written.
    #[error(transparent)]
    Registry(Box<Error>),
}

impl UpstreamError {
    pub(super) fn of_registry(error: Error) -> Self {
        Self::Registry(Box::new(error))
    }

    /// Says why git did not fetch.
    pub(super) fn unreached(url: &str, error: git::Error) -> Self {
        let said = match error {
            git::Error::Command { stderr, ending, .. } if stderr.is_empty() => format!("git {ending}"),
            git::Error::Command { stderr, .. } => without_users(&stderr),
            other => return Self::Git(other),
        };
        let url = url.to_owned();
        if said.contains("mismatched algorithms") {
            return Self::Fetch { url, said: "it uses SHA-256, and only SHA-1 repositories are supported".to_owned() };
        }
        match Unreached::of(&said) {
            Some(why) => Self::Unreached { url, why },
            None => Self::Fetch { url, said },
        }
    }
}

/// Leaves out who logs in, which git may have from the person's configuration.
fn without_users(said: &str) -> String {
    let mut shown = String::new();
    let mut rest = said;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        shown.push_str(before);
        let end = after.find(['/', ' ', '\'']).unwrap_or(after.len());
        rest = match after[..end].rfind('@') {
            Some(user) => &after[user + 1..],
            None => after,
        };
    }
    shown + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_logs_in_is_left_out() {
        for (said, shown) in [
            ("unable to access 'https://ada:secret@host/x/': no", "unable to access 'https://host/x/': no"),
            ("a https://t@h b ssh://u:p@g/x@y", "a https://h b ssh://g/x@y"),
            ("nothing", "nothing"),
        ] {
            assert_eq!(without_users(said), shown);
        }
    }
}
