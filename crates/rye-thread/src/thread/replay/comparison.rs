//! Compares a derived commit with a recorded one: first as bytes, then, if these differ, field by field and path by path.

use serde_json::Value;

use super::difference::{At, Difference};
use crate::git::{CommitInfo, Error, NewCommit, Repository, Signature, TreeChange, TreeEntry};

/// The most entries of a tree that are looked at.
const MOST_ENTRIES: usize = 2_000_000;

/// The largest file in which the difference is looked for.
const MOST_BYTES: u64 = 256 * 1024 * 1024;

/// Finds what differs. `repository` holds the objects of the derived commit.
pub(super) fn commits(
    repository: &Repository,
    at: At<'_>,
    recorded: &CommitInfo,
    derived: &NewCommit,
) -> Result<Difference, Error> {
    if recorded.tree_id != derived.tree_id {
        let derived_id = repository.writer().commit(derived, None)?;
        let from = std::slice::from_ref(at.commit_id);
        let changes = repository.changes_below(from, &derived_id, "", MOST_ENTRIES)?;
        if let Some(change) = changes.into_iter().next() {
            return path(repository, at, change);
        }
    }
    let ids = |ids: &[crate::git::CommitId]| ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let pairs = [
        ("parent", ids(&recorded.parents), ids(&derived.parents)),
        ("author", person(&recorded.author), person(&derived.author)),
        ("committer", person(&recorded.committer), person(&derived.committer)),
    ];
    if let Some((field, recorded, derived)) = pairs.into_iter().find(|(_, recorded, derived)| recorded != derived) {
        return Ok(at.field(field, &recorded, &derived));
    }
    if let Some((line, recorded, derived)) = lines(&recorded.message, &derived.message) {
        return Ok(at.field(&format!("message, line {line}"), &recorded, &derived));
    }
    Ok(at.wrong("the commit has other headers"))
}

fn person(signature: &Signature) -> String {
    format!("{} <{}> {}", signature.identity.name, signature.identity.email, signature.seconds)
}

/// Finds what differs at a path; `before` is the record.
fn path(repository: &Repository, at: At<'_>, change: TreeChange) -> Result<Difference, Error> {
    let TreeChange { path, before, after } = change;
    let in_path = |difference: Difference| Difference { path: Some(path.clone()), ..difference };
    let (Some(before), Some(after)) = (&before, &after) else {
        let message = if before.is_some() { "is recorded, and nothing leads to it" } else { "is missing" };
        return Ok(in_path(at.wrong(format!("`{path}` {message}"))));
    };
    if before.mode != after.mode {
        let mode = |mode| serde_json::to_value(mode).unwrap_or_default();
        let difference = at.wrong(format!("`{path}` has another mode"));
        let (recorded, derived) = (mode(before.mode), mode(after.mode));
        return Ok(in_path(Difference { field: Some("mode".to_owned()), recorded, derived, ..difference }));
    }
    let read = |entry: &TreeEntry| repository.blob_within(&entry.blob_id, MOST_BYTES);
    let (Some(before), Some(after)) = (read(before)?, read(after)?) else {
        return Ok(in_path(at.wrong(format!("`{path}` has other bytes"))));
    };
    let json = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).ok().filter(Value::is_object);
    if let (Some(recorded), Some(derived)) = (json(&before), json(&after))
        && recorded != derived
    {
        return Ok(at.json(path, &recorded, &derived));
    }
    let (before, after) = (String::from_utf8_lossy(&before), String::from_utf8_lossy(&after));
    let Some((line, recorded, derived)) = lines(&before, &after) else {
        return Ok(in_path(at.wrong(format!("`{path}` has other bytes"))));
    };
    let field = format!("line {line}");
    Ok(Difference {
        message: format!("`{path}` has another line"),
        path: Some(path),
        ..at.field(&field, &recorded, &derived)
    })
}

/// Returns the first line that differs, by number from 1, and what each text has there.
fn lines(recorded: &str, derived: &str) -> Option<(usize, String, String)> {
    let (mut one, mut other) = (recorded.split('\n'), derived.split('\n'));
    for number in 1.. {
        match (one.next(), other.next()) {
            (None, None) => break,
            (recorded, derived) if recorded == derived => {}
            (recorded, derived) => {
                return Some((number, recorded.unwrap_or_default().to_owned(), derived.unwrap_or_default().to_owned()));
            }
        }
    }
    None
}
