//! What a commit of a thread changed, on the page.

use super::elements::Html;
use super::value::{FOLDED, MOST};
use crate::cli::text::count;
use crate::format::event_text::abridged;
use crate::thread::DiffKind;
use crate::thread::review::{FileChange, FileContent, ReviewedCommit};

pub(super) fn write_changes(html: &mut Html, commit: &ReviewedCommit) {
    for change in &commit.changes {
        let (class, word) = match change.change {
            DiffKind::Added => ("tag good", "added"),
            DiffKind::Changed => ("tag new", "changed"),
            DiffKind::Removed => ("tag bad", "removed"),
        };
        html.open("div", "file");
        html.open("p", "name");
        html.element("span", class, word);
        html.text(" ");
        html.element("code", "", &change.path);
        html.close("p");
        write_content(html, change);
        html.close("div");
    }
}

fn write_content(html: &mut Html, change: &FileChange) {
    match &change.content {
        FileContent::Text(hunks) if hunks.is_empty() => {}
        FileContent::Text(hunks) => write_diff(html, hunks),
        FileContent::Opaque => html.element("p", "note", "no text, or too large to compare"),
        FileContent::Link(_, Some(target)) => html.element("p", "note", &format!("a link to {target}")),
        FileContent::Link(_, None) => html.element("p", "note", "a link"),
        FileContent::Submodule => html.element("p", "note", "a submodule"),
        FileContent::Unreadable(reason) => html.element("p", "note", reason),
        FileContent::Unread => {}
    }
}

fn write_diff(html: &mut Html, hunks: &str) {
    let (shown, left) = abridged(hunks, MOST);
    let lines = shown.lines().count();
    let is_folded = lines > 3 * FOLDED;
    if is_folded {
        html.open("details", "");
        html.element("summary", "", &count(lines, "line"));
    }
    html.open("pre", "diff");
    for line in shown.lines() {
        let class = match line.bytes().next() {
            Some(b'+') => "plus",
            Some(b'-') => "minus",
            Some(b'@' | b'\\') => "hunk",
            _ => "",
        };
        html.element("span", class, line);
        html.text("\n");
    }
    html.close("pre");
    if left > 0 {
        html.element("p", "note", &format!("… {left} more characters"));
    }
    if is_folded {
        html.close("details");
    }
}
