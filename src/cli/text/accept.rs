//! What accepting a thread takes and leaves out, before and after.

use super::{Page, count, name, one_line};
use crate::thread::{Acceptance, Accepted, ByHook, Conflict, DiffKind, HookDid, LeftOut, Taken};

/// Writes what would be taken, and what not.
pub(in crate::cli) fn write_plan(page: &mut Page<'_>, acceptance: &Acceptance) {
    let taken = acceptance.taken();
    let fitting: Vec<&Taken> =
        taken.iter().filter(|taken| acceptance.conflicts.iter().all(|conflict| conflict.path != taken.path)).collect();
    write_taken(page, &fitting);
    write_conflicts(page, &acceptance.conflicts);
    write_left_out(page, &acceptance.left_out);
}

/// Writes the taken changes, and the others.
pub(in crate::cli) fn write(page: &mut Page<'_>, accepted: &Accepted) {
    let conflicts = &accepted.conflicts;
    let fitting: Vec<&Taken> =
        accepted.taken.iter().filter(|taken| conflicts.iter().all(|conflict| conflict.path != taken.path)).collect();
    write_taken(page, &fitting);
    write_conflicts(page, conflicts);
}

/// Writes what hooks made of the commit that was not agreed to.
pub(in crate::cli) fn write_by_hooks(page: &mut Page<'_>, by_hooks: &[ByHook]) {
    let paint = page.paint();
    for ByHook { path, did } in by_hooks {
        let what = match did {
            HookDid::Added => "committed too",
            HookDid::Changed => "committed with other content",
            HookDid::LeftOut => "not committed",
        };
        page.line(format!("  {} {}{}", paint.yellow("hook"), name(path), paint.dim(format!("  ({what})"))));
    }
}

fn write_taken(page: &mut Page<'_>, taken: &[&Taken]) {
    let paint = page.paint();
    let moved: Vec<&str> = taken.iter().filter_map(|taken| taken.from.as_deref()).collect();
    for taken in taken.iter().filter(|taken| taken.change != DiffKind::Removed || !moved.contains(&taken.path.as_str()))
    {
        let letter = match taken.change {
            DiffKind::Added if taken.from.is_some() => paint.yellow("R"),
            DiffKind::Added => paint.green("A"),
            DiffKind::Changed => paint.yellow("M"),
            DiffKind::Removed => paint.red("D"),
        };
        let stays = if taken.committed { String::new() } else { paint.dim("  (work tree only, not committed)") };
        let from = taken.from.as_ref().map(|from| format!("{} -> ", name(from))).unwrap_or_default();
        let becomes =
            taken.becomes.as_ref().map(|becomes| paint.dim(format!("  ({})", one_line(&becomes.to_string()))));
        page.line(format!("  {letter} {from}{}{}{stays}", name(&taken.path), becomes.unwrap_or_default()));
    }
}

fn write_conflicts(page: &mut Page<'_>, conflicts: &[Conflict]) {
    let paint = page.paint();
    for Conflict { path, kind, moved_to } in conflicts {
        let to = moved_to.as_ref().map(|to| format!(", moved to {}", name(to))).unwrap_or_default();
        page.line(format!("  {} {}{}", paint.red("conflict"), name(path), paint.dim(format!("  ({kind}{to})"))));
    }
}

/// Writes the omitted changes, and why.
pub(in crate::cli) fn write_left_out(page: &mut Page<'_>, left_out: &[LeftOut]) {
    let paint = page.paint();
    for LeftOut { path, reason, detail } in left_out {
        let detail = detail.as_ref().map(|detail| format!(": {}", one_line(detail))).unwrap_or_default();
        page.line(format!("  {} {}{}", paint.dim("left out"), name(path), paint.dim(format!("  ({reason}{detail})"))));
    }
}

/// Returns the question about the taken changes.
pub(in crate::cli) fn question(acceptance: &Acceptance) -> String {
    let branch = acceptance.branch().map_or("a detached `HEAD`", |name| name.trim_start_matches("refs/heads/"));
    let taken = acceptance.taken();
    // A move is one line of the list.
    let moves = taken.iter().filter(|taken| taken.from.is_some()).count();
    let files = count(taken.len() - moves, "file");
    match (acceptance.conflicts.len(), taken.iter().any(|taken| taken.committed)) {
        (0, true) => format!("commit {files} to {branch}"),
        (0, false) => format!("change {files} in your work tree"),
        (conflicts, _) => format!("leave {} in your work tree", count(conflicts, "conflict")),
    }
}
