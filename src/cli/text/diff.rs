//! What changed in items since they were signed.

use super::{Page, Patch, one_line};
use crate::ops::diff::{AgentFileDiff, ItemDiff, MOST_COMMITS, Outcome, SignedVersion, State};
use crate::ops::locate::AgentFileChange;
use crate::trust::Verdict;

/// Writes the diffs, one after the other, as `git diff` does.
pub(in crate::cli) fn write(page: &mut Page<'_>, outcome: &Outcome) {
    let of_items = outcome.items.iter().map(|item| &item.diff);
    for diff in of_items.chain(outcome.agent_files.iter().map(|file| &file.diff)) {
        let mut patch = Patch::new(page.paint());
        for line in diff.lines() {
            // In a pipe the text stays as it is.
            let line = if page.is_on_terminal() { patch.line(line) } else { line.to_owned() };
            page.verbatim(line);
        }
    }
}

/// Says of an item what it is compared with.
pub(in crate::cli) fn sentence(item: &ItemDiff) -> String {
    let name = format!("{} `{}`", item.item_type, item.item_id);
    let signed = item.signed.as_ref().map(by).unwrap_or_default();
    match item.state {
        State::Unchanged if item.verdict == Verdict::Builtin => format!("{name} is part of this program"),
        State::Unchanged => format!("{name} is as it was signed {signed}"),
        State::Changed => format!("{name} changed since it was signed {signed}"),
        State::LineOnly => format!("only the signature line of {name} changed since it was signed {signed}"),
        State::LineEnds => {
            let ends = item.line_ends.as_ref().map(|ends| format!(": {}; {}", ends.cause, ends.mend));
            format!("only the line ends of {name} changed{}", ends.unwrap_or_default())
        }
        State::NoFolder => format!("{name}: its folder is missing"),
        State::NeverSigned => {
            format!("{name} is new: no signed version of it is in the last {MOST_COMMITS} commits of HEAD")
        }
        State::Removed => format!("{name} is in the last commit, and `{}` is not a file of the work tree", item.path),
    }
}

/// Says of a file that instructs agents how it differs from the list.
pub(in crate::cli) fn agent_file(file: &AgentFileDiff) -> String {
    let path = one_line(&file.path);
    match file.change {
        AgentFileChange::Unlisted => format!("`{path}` instructs an agent and is not in the signed list"),
        AgentFileChange::Changed if file.diff.is_empty() => {
            format!(
                "`{path}` changed since it was signed; the signed version is not in the last {MOST_COMMITS} commits"
            )
        }
        AgentFileChange::Changed => format!("`{path}` changed since it was signed"),
        AgentFileChange::Missing => format!("`{path}` was removed since it was signed"),
    }
}

/// Says who signed a version, when, and which commit has it.
fn by(signed: &SignedVersion) -> String {
    let SignedVersion { key_id, principals, signed_at, commit_id } = signed;
    let who = if principals.is_empty() { key_id.to_string() } else { principals.join(", ") };
    let commit = commit_id.as_ref().map(|commit| format!(" (commit {:.12})", commit.to_string()));
    format!("by {who} at {signed_at}{}", commit.unwrap_or_default())
}
