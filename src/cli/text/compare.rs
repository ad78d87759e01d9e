//! Two runs side by side.

use super::{Cell, Page, Paint, Table, one_line};
use crate::event::CallStatus;
use crate::thread::{Call, CallPair, Comparison, FilePair, OutputPair, Run, RunDifference};

/// How many characters of a value are shown.
const SHOWN: usize = 100;

/// Writes two runs side by side.
pub(in crate::cli) fn write(page: &mut Page<'_>, comparison: &Comparison) {
    let Comparison { a, b, outputs, files, calls } = comparison;
    let mut table = Table::new(vec!["", "A", "B"]);
    let rows = |run: &Run| {
        [
            ("thread", run.thread_id.to_string()),
            ("directive", run.directive.to_string()),
            ("status", run.status.as_str().to_owned()),
            ("model", one_line(&run.model)),
            ("provider", run.provider.to_string()),
            ("turns", run.turns.to_string()),
            ("tokens", run.usage.total().to_string()),
            ("spend", format!("{} {}", run.spend.amount, run.spend.currency)),
        ]
    };
    for ((name, a), (_, b)) in rows(a).into_iter().zip(rows(b)) {
        table.row(vec![Cell::dim(name), Cell::new(a), Cell::new(b)]);
    }
    page.table(&table);
    section(page, "Outputs", outputs.is_empty());
    outputs.iter().for_each(|output| write_output(page, output));
    section(page, "Files that differ", files.is_empty());
    for FilePair { path, difference } in files {
        page.line(format!("  {} {}", word(page.paint(), *difference), one_line(path)));
    }
    section(page, "Calls", calls.is_empty());
    calls.iter().for_each(|call| write_call(page, call));
}

fn section(page: &mut Page<'_>, title: &str, is_empty: bool) {
    page.line("");
    page.line(page.paint().bold(title));
    if is_empty {
        page.line(format!("  {}", page.paint().dim("none")));
    }
}

fn write_output(page: &mut Page<'_>, OutputPair { name, same, a, b }: &OutputPair) {
    let difference = match (same, a, b) {
        (true, _, _) => RunDifference::None,
        (false, Some(_), Some(_)) => RunDifference::Content,
        (false, Some(_), None) => RunDifference::OnlyA,
        (false, None, _) => RunDifference::OnlyB,
    };
    page.line(format!("  {} {}", word(page.paint(), difference), one_line(name)));
    if difference == RunDifference::Content {
        for (side, value) in [("a", a), ("b", b)] {
            let value = value.as_ref().map(|value| shortened(&value.to_string())).unwrap_or_default();
            page.line(format!("    {} {value}", page.paint().dim(side)));
        }
    }
}

fn write_call(page: &mut Page<'_>, CallPair { difference, a, b }: &CallPair) {
    let paint = page.paint();
    let Some(call) = a.as_ref().or(b.as_ref()) else { return };
    let name = call.item_id.as_ref().map_or_else(|| one_line(&call.tool), ToString::to_string);
    let input = |call: &Call| paint.dim(shortened(&call.input.to_string()));
    let line = format!("  {} {name}", word(paint, *difference));
    match (difference, a, b) {
        (RunDifference::Content, Some(a), Some(b)) => {
            page.line(line);
            page.line(format!("    {} {}", paint.dim("a"), input(a)));
            page.line(format!("    {} {}", paint.dim("b"), input(b)));
        }
        (RunDifference::Result, Some(a), Some(b)) => {
            let status = |call: &Call| call.status.map_or("no result", status);
            page.line(format!("{line} {}", input(a)));
            page.line(format!("    result: {} in a, {} in b", status(a), status(b)));
        }
        _ => page.line(format!("{line} {}", input(call))),
    }
}

const fn status(status: CallStatus) -> &'static str {
    match status {
        CallStatus::Ok => "ok",
        CallStatus::Error => "error",
        CallStatus::Denied => "denied",
    }
}

fn word(paint: Paint, difference: RunDifference) -> String {
    match difference {
        RunDifference::None => paint.dim("same     "),
        RunDifference::Content => paint.yellow("different"),
        RunDifference::Result => paint.yellow("result   "),
        RunDifference::OnlyA => paint.red("only in a"),
        RunDifference::OnlyB => paint.green("only in b"),
    }
}

fn shortened(text: &str) -> String {
    let line = one_line(text);
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
