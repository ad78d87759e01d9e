//! A thread in short: what was refused, what it touched, what it changed, which instructions it followed.

use super::{Page, count, one_line};
use crate::id::ThreadId;
use crate::thread::DiffKind;

use crate::thread::review::{ChangedFile, Instruction, ProjectInstruction, RefusedCall, Summary, Touched};
use crate::trust::KeyId;

/// The most entries of one kind that are listed.
const MOST: usize = 10;

/// How many characters of a digest are shown.
const DIGEST: usize = 12;

/// How many characters of a call are shown.
const CALL: usize = 160;

/// Writes a summary.
pub(in crate::cli) fn write(page: &mut Page<'_>, thread_id: &ThreadId, summary: &Summary) {
    let paint = page.paint();
    let facts = facts(thread_id, summary);
    for Fact { name, first, rest, is_bad } in facts {
        let label = format!("{name:<9}");
        let label = if is_bad { paint.yellow(label) } else { paint.dim(label) };
        page.line(format!("{label} {first}"));
        rest.iter().for_each(|line| page.line(format!("          {line}")));
    }
}

/// One kind of fact: its first line, and those below it.
#[derive(Debug)]
pub(in crate::cli) struct Fact {
    pub(in crate::cli) name: &'static str,
    pub(in crate::cli) first: String,
    pub(in crate::cli) rest: Vec<String>,
    /// Whether it asks for attention.
    pub(in crate::cli) is_bad: bool,
}

/// Says what there is to say, kind by kind. Every kind is said, also where there is nothing of it, but for files of the project: many
/// have none.
pub(in crate::cli) fn facts(thread_id: &ThreadId, summary: &Summary) -> Vec<Fact> {
    let granted = summary.granted.as_ref().map(|granted| Fact {
        name: "allowed",
        first: one_line(&granted.to_string()),
        rest: Vec::new(),
        is_bad: false,
    });
    let others = [
        refused(summary),
        touched(&summary.touched),
        changed(thread_id, &summary.changes),
        followed(&summary.instructions),
    ];
    granted.into_iter().chain(others).chain(project(&summary.project)).collect()
}

fn refused(summary: &Summary) -> Fact {
    let calls = summary.refused.iter().map(|refused| {
        let RefusedCall { turn, call, paths } = refused;
        let named = paths.iter().filter(|path| !call.contains(path.as_str()));
        let named: String = named.map(|path| format!(" {}", one_line(path))).collect();
        format!("turn {turn}: {}{named}", short(call))
    });
    let hosts = summary.touched.refused_hosts.iter().map(|host| format!("host {}", one_line(host)));
    let all: Vec<String> = calls.chain(hosts).collect();
    let first = if all.is_empty() { "nothing".to_owned() } else { count(all.len(), "call") };
    Fact { name: "refused", is_bad: !all.is_empty(), first, rest: some(all) }
}

fn touched(touched: &Touched) -> Fact {
    let Touched { read, ran, hosts, refused_hosts: _ } = touched;
    let named = |verb: &str, names: &std::collections::BTreeSet<String>| {
        let shown = names.iter().take(MOST).map(|name| one_line(name)).collect::<Vec<_>>().join(", ");
        let more = names.len().saturating_sub(MOST);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        (!names.is_empty()).then(|| format!("{verb} {shown}{more}"))
    };
    let mut lines: Vec<String> =
        [named("read", read), named("ran", ran), named("reached", hosts)].into_iter().flatten().collect();
    let first = if lines.is_empty() { "nothing besides".to_owned() } else { lines.remove(0) };
    Fact { name: "touched", first, rest: lines, is_bad: false }
}

fn changed(thread_id: &ThreadId, changes: &[ChangedFile]) -> Fact {
    let sum = |side: fn((usize, usize)) -> usize| changes.iter().filter_map(|file| file.lines).map(side).sum::<usize>();
    let first = match changes.len() {
        0 => "nothing".to_owned(),
        many => format!(
            "{}, +{} -{}; see `rye thread diff {thread_id}`",
            count(many, "file"),
            sum(|(added, _)| added),
            sum(|(_, removed)| removed)
        ),
    };
    let line = |file: &ChangedFile| {
        let word = match file.change {
            DiffKind::Added => "added",
            DiffKind::Changed => "changed",
            DiffKind::Removed => "removed",
        };
        let lines = file.lines.map(|(added, removed)| format!("  +{added} -{removed}")).unwrap_or_default();
        format!("{word:<7} {}{lines}", one_line(&file.path))
    };
    Fact { name: "changed", first, rest: some(changes.iter().map(line).collect()), is_bad: false }
}

fn followed(instructions: &[Instruction]) -> Fact {
    let line = |one: &Instruction| {
        let version = one.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
        let digest = one.sha256.as_ref().map(ToString::to_string).unwrap_or_default();
        let digest = match digest.get(..DIGEST) {
            Some(start) => format!(", sha256 {start}"),
            None => ", not at hand".to_owned(),
        };
        let signer = signed_by(one.key_id.as_ref(), &one.signers);
        format!("{} {}{version}{digest}{signer}", one.item_type, one.item_id)
    };
    let mut lines: Vec<String> = instructions.iter().map(line).collect();
    let first = if lines.is_empty() { "nothing".to_owned() } else { lines.remove(0) };
    Fact { name: "followed", first, rest: some(lines), is_bad: false }
}

fn project(files: &[ProjectInstruction]) -> Option<Fact> {
    let line = |one: &ProjectInstruction| {
        let blob = one.blob_id.as_deref().and_then(|id| id.get(..DIGEST)).map(|id| format!(", blob {id}"));
        let bytes = one.bytes.map(|bytes| format!(", {}", count(usize::try_from(bytes).unwrap_or(usize::MAX), "byte")));
        let reason = one.reason.as_deref().map(|reason| format!(": {}", one_line(reason)));
        let signer = signed_by(one.key_id.as_ref(), &one.signers);
        let more: String = [blob, bytes, Some(signer), reason].into_iter().flatten().collect();
        format!("{} as {}{more}", one_line(&one.path), one.told.as_str())
    };
    let mut lines: Vec<String> = files.iter().map(line).collect();
    let first = (!lines.is_empty()).then(|| lines.remove(0))?;
    Some(Fact { name: "project", first, rest: some(lines), is_bad: false })
}

fn signed_by(key_id: Option<&KeyId>, signers: &[String]) -> String {
    match (key_id, signers.is_empty()) {
        (Some(key_id), true) => format!(", signed by the key {key_id}"),
        (Some(key_id), false) => format!(", signed by {} ({key_id})", one_line(&signers.join(", "))),
        (None, _) => String::new(),
    }
}

/// Lists some of many.
fn some(mut lines: Vec<String>) -> Vec<String> {
    let left = lines.len().saturating_sub(MOST);
    if left > 0 {
        lines.truncate(MOST);
        lines.push(format!("and {left} more"));
    }
    lines
}

fn short(text: &str) -> String {
    let line = one_line(text);
    match line.char_indices().nth(CALL) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
