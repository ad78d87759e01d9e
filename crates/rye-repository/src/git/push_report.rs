//! What became of each ref of a push: git-push(1), `--porcelain`.

use serde::Serialize;

/// A ref as a push left it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PushedRef {
    /// The ref of the remote.
    pub name: String,
    /// Its result.
    #[serde(flatten)]
    pub status: PushStatus,
}

/// What became of a ref.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "status", rename_all = "lowercase")]
pub enum PushStatus {
    /// It was moved on.
    Updated,
    /// It was moved to something that does not build on what it was.
    Forced,
    /// It was made.
    Created,
    /// It was deleted.
    Deleted,
    /// It was there already.
    Unchanged,
    /// It was refused, and with it, since pushes are atomic, all the others.
    Rejected {
        /// Git's words, such as `[rejected] (fetch first)`.
        reason: String,
    },
}

impl PushedRef {
    /// Tells whether the ref is now where it should be.
    pub fn is_fine(&self) -> bool {
        !matches!(self.status, PushStatus::Rejected { .. })
    }

    /// Tells whether the remote has unknown commits: fetch, merge, push again.
    pub fn is_behind(&self) -> bool {
        const BEHIND: [&str; 7] = [
            // The message of an atomic push whose ref another push is moving.
            "atomic transaction failed",
            "fetch first",
            "non-fast-forward",
            "stale info",
            "incorrect old value provided",
            "failed to update ref",
            "cannot lock ref",
        ];
        matches!(&self.status, PushStatus::Rejected { reason } if BEHIND.iter().any(|word| reason.contains(word)))
    }

    /// Reads what git wrote: `FLAG<tab>FROM:TO<tab>SUMMARY (REASON)` for each ref, among other lines.
    pub(super) fn parse_all(stdout: &[u8]) -> Result<Vec<Self>, String> {
        let text = String::from_utf8_lossy(stdout);
        text.lines().filter(|line| line.chars().nth(1) == Some('\t')).map(Self::parse).collect()
    }

    fn parse(line: &str) -> Result<Self, String> {
        let not_understood = || format!("`{}`", line.escape_debug());
        let mut fields = line.splitn(3, '\t');
        let (Some(flag), Some(refs), Some(summary)) = (fields.next(), fields.next(), fields.next()) else {
            return Err(not_understood());
        };
        let (_, name) = refs.rsplit_once(':').ok_or_else(not_understood)?;
        let status = match flag {
            " " => PushStatus::Updated,
            "+" => PushStatus::Forced,
            "*" => PushStatus::Created,
            "-" => PushStatus::Deleted,
            "=" => PushStatus::Unchanged,
            "!" => PushStatus::Rejected { reason: summary.to_owned() },
            _ => return Err(not_understood()),
        };
        Ok(Self { name: name.to_owned(), status })
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn each_ref_has_its_status() {
        let output = "To file:///r\n*\trefs/notes/rye:refs/notes/rye\t[new reference]\n \ta:refs/b\t1..2\nDone\n";
        let pushed = |name: &str, status| PushedRef { name: name.into(), status };
        let expected = [pushed("refs/notes/rye", PushStatus::Created), pushed("refs/b", PushStatus::Updated)];
        assert_eq!(PushedRef::parse_all(output.as_bytes()).unwrap(), expected);
        let refused = PushedRef::parse_all(b"!\ta:b\t[rejected] (fetch first)\n").unwrap().remove(0);
        assert!(refused.is_behind() && !refused.is_fine());
        let hook = PushedRef::parse_all(b"!\ta:b\t[remote rejected] (hook declined)\n").unwrap().remove(0);
        assert!(!hook.is_behind() && !hook.is_fine());
        assert_eq!(PushedRef::parse_all(b"?\ta:b\tc\n"), Err("`?\\ta:b\\tc`".to_owned()));
    }
}
