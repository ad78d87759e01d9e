//! Findings as workflow commands of GitHub Actions, which show them at their lines in a pull request.

use crate::format::Severity;
use crate::ops::lint::{Found, Outcome};

/// Writes one command per finding.
pub(super) fn lines(outcome: &Outcome) -> String {
    outcome.findings.iter().map(line).collect()
}

fn line(found: &Found) -> String {
    let finding = &found.finding;
    let command = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Advice => "notice",
    };
    let hint = finding.hint.as_ref().map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
    let message = data(&format!("{}{hint}", finding.message));
    let (path, line, column) = (property(&found.path), finding.line, finding.column);
    format!("::{command} file={path},line={line},col={column},title={}::{message}\n", property(finding.rule))
}

/// Escapes the text after the second `::`.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property's value, which also ends at a comma or colon.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
