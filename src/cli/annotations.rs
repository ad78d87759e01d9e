//! Findings as workflow commands of GitHub Actions, which show them at their lines in a pull request.

use super::sarif::Noted;
use super::text::clean;
use crate::format::Severity;
use crate::ops::verify::WHOLE_COMMIT;

/// Writes one command per finding.
pub(super) fn lines(findings: &[Noted<'_>]) -> String {
    findings.iter().map(line).collect()
}

fn line(noted: &Noted<'_>) -> String {
    let command = match noted.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Advice => "notice",
    };
    let hint = noted.hint.map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
    let message = data(&format!("{}{hint}", noted.message));
    let (line, column) = (noted.start.line, noted.start.column);
    let place = match noted.path {
        // A commit as a whole is not a file.
        WHOLE_COMMIT => String::new(),
        path => format!("file={},line={line},col={column},", property(path)),
    };
    format!("::{command} {place}title={}::{message}\n", property(noted.rule))
}

/// Escapes the text after the second `::`.
fn data(text: &str) -> String {
    let escaped = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    // The page that shows a run's log obeys what would control a terminal.
    clean(&escaped)
}

/// Escapes a property's value, which also ends at a comma or colon.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
