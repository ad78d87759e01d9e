//! Findings about an item's text: what, where, the line with a caret, and how to mend it.

use std::path::Path;

use super::{Page, one_line};
use crate::format::{Finding, excerpt};

/// Writes findings about one file, an empty line after each.
pub(in crate::cli) fn write(page: &mut Page<'_>, path: &Path, text: &str, findings: &[Finding]) {
    for finding in findings {
        write_one(page, path, text, finding);
        page.line("");
    }
}

fn write_one(page: &mut Page<'_>, path: &Path, text: &str, finding: &Finding) {
    let paint = page.paint();
    let (severity, rule) = (paint.severity(finding.severity), paint.dim(format!("[{}]", finding.rule)));
    page.line(format!("{severity} {} {rule}", one_line(&finding.message)));
    place(page, path, Some((finding.line, finding.column)));
    if let Some(span) = finding.span.filter(|_| !text.is_empty()) {
        margined(&excerpt(text, span), page).lines().for_each(|line| page.line(line));
    }
    if let Some(advice) = &finding.hint {
        hint(page, &one_line(advice));
    }
}

/// Writes where something is.
pub(super) fn place(page: &mut Page<'_>, path: &Path, position: Option<(usize, usize)>) {
    let arrow = page.paint().blue("  -->");
    let path = one_line(&page.path(path));
    page.line(match position {
        Some((line, column)) => format!("{arrow} {path}:{line}:{column}"),
        None => format!("{arrow} {path}"),
    });
}

/// Writes what to do.
pub(in crate::cli) fn hint(page: &mut Page<'_>, sentence: &str) {
    let label = page.paint().cyan("hint:");
    page.line(format!("{label} {sentence}"));
}

/// Puts the bars of an excerpt below the arrow, whatever the number's width, and colours them.
fn margined(excerpt: &str, page: &Page<'_>) -> String {
    let paint = page.paint();
    let digits = excerpt.find(' ').unwrap_or_default();
    let indent = " ".repeat(3_usize.saturating_sub(digits));
    let bar = paint.blue(format!("{indent}{} |", " ".repeat(digits)));
    let lines = excerpt.lines().map(|line| match line.split_once(" |") {
        Some((number, rest)) if rest.trim_start().starts_with('^') => {
            format!("{}{}", paint.blue(format!("{indent}{number} |")), paint.red(rest))
        }
        Some((number, rest)) => format!("{}{rest}", paint.blue(format!("{indent}{number} |"))),
        None => line.to_owned(),
    });
    std::iter::once(bar).chain(lines).map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}
