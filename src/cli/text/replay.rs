//! What a replay came to.

use serde_json::Value;

use super::{Page, count, one_line, review};
use crate::git::CommitId;
use crate::thread::{BadSignature, Difference, Replay, ReplayStatus};
use crate::trust::{CommitFault, KeyId};

/// How many bad signatures are listed.
const LISTED: usize = 5;

/// Writes what a replay came to.
pub(in crate::cli) fn write(page: &mut Page<'_>, replay: &Replay) {
    let paint = page.paint();
    let commits = count(replay.commits, "commit");
    match replay.status {
        ReplayStatus::Same => {
            page.line(format!("{} {}: {commits} derived from the record", paint.green("same"), replay.thread_id));
            if !replay.has_ended {
                page.line("the record has no end: the thread runs, or was interrupted");
            }
        }
        ReplayStatus::Different | ReplayStatus::Untrusted => {
            let word = if replay.status == ReplayStatus::Different { "different" } else { "untrusted" };
            page.line(format!("{} {}: {} of {commits} derived", paint.red(word), replay.thread_id, replay.derived));
        }
    }
    for BadSignature { commit_id, rule, message, .. } in replay.signatures.iter().take(LISTED) {
        page.line(format!(
            "  {} {}: {message} {}",
            paint.red("commit"),
            short(commit_id),
            paint.dim(format!("[{rule}]"))
        ));
    }
    if let Some(more) = replay.signatures.len().checked_sub(LISTED).filter(|more| *more > 0) {
        page.line(format!("  and {}", count(more, "more commit")));
    }
    if let Some(difference) = &replay.difference {
        write_difference(page, difference);
    }
}

/// Says what to do about keys without a use for turns.
pub(in crate::cli) fn without_use(replay: &Replay) -> Option<String> {
    let mut keys: Vec<KeyId> = Vec::new();
    for bad in &replay.signatures {
        if let CommitFault::NotForTurns { key_id, .. } = &bad.fault
            && !keys.contains(key_id)
        {
            keys.push(key_id.clone());
        }
    }
    review::without_use(&keys)
}

fn write_difference(page: &mut Page<'_>, difference: &Difference) {
    let paint = page.paint();
    let mut row = |name: &str, value: String| page.line(format!("  {} {value}", paint.dim(format!("{name:<9}"))));
    let turn = difference.turn.map_or_else(String::new, |turn| format!(" (turn {turn})"));
    row("commit", format!("{}{turn}", short(&difference.commit_id)));
    if let Some(path) = &difference.path {
        row("path", one_line(path));
    }
    let event = difference.seq.map(|seq| format!("event {seq}"));
    let field = difference.field.as_deref().filter(|field| !field.is_empty()).map(one_line);
    let field: Vec<String> = event.into_iter().chain(field).collect();
    if !field.is_empty() {
        row("field", field.join(", "));
    }
    row("problem", one_line(&difference.message));
    if difference.recorded != difference.derived {
        row("recorded", shown(&difference.recorded));
        row("derived", shown(&difference.derived));
    }
}

fn shown(value: &Value) -> String {
    if value.is_null() { "nothing".to_owned() } else { one_line(&value.to_string()) }
}

/// Twelve digits name a commit in any repository one is likely to meet.
fn short(commit_id: &CommitId) -> &str {
    &commit_id.as_str()[..12]
}
