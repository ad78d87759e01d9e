//! An error for people.

use super::findings::{self, hint, place};
use super::{Page, clean};
use crate::cli::report::Report;
use crate::format::Severity;

/// Writes an error: its findings, the sentence, the place, what caused it, what to do.
pub(in crate::cli) fn write(page: &mut Page<'_>, report: &Report) {
    if let Some(invalid) = &report.invalid {
        findings::write(page, &invalid.path, &invalid.text, &invalid.findings);
    }
    let label = page.paint().severity(Severity::Error);
    let rule = report.rule.map(|rule| format!(" {}", page.paint().dim(format!("[{rule}]")))).unwrap_or_default();
    page.line(format!("{label} {}{rule}", clean(&report.message)));
    if let Some(path) = &report.place {
        place(page, path, report.position);
    }
    for cause in &report.causes {
        let label = page.paint().dim("cause:");
        page.line(format!("{label} {}", clean(cause)));
    }
    for sentence in &report.hints {
        hint(page, &clean(sentence));
    }
}
