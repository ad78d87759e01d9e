//! Findings in items.

use std::path::Path;

use super::{Page, count, findings};
use crate::format::Severity;
use crate::ops::lint::{Outcome, Status};

/// Writes every finding with its line, and one line that sums up.
pub(in crate::cli) fn write(page: &mut Page<'_>, outcome: &Outcome) {
    for found in &outcome.findings {
        let text = outcome.texts.get(&found.path).map_or("", String::as_str);
        findings::write(page, Path::new(&found.path), text, std::slice::from_ref(&found.finding));
    }
    if outcome.status != Status::Empty {
        page.line(summary(page, outcome));
    }
}

fn summary(page: &Page<'_>, outcome: &Outcome) -> String {
    let paint = page.paint();
    let status = if outcome.status == Status::Ok { paint.green("ok:") } else { paint.red("not ok:") };
    let number = |severity| outcome.findings.iter().filter(|found| found.finding.severity == severity).count();
    let counts = [
        count(number(Severity::Error), "error"),
        count(number(Severity::Warning), "warning"),
        format!("{} advice", number(Severity::Advice)),
    ];
    format!("{status} {} checked: {}", count(outcome.checked, "item"), counts.join(", "))
}
