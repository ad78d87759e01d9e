//! Colour, when it is wanted.

use std::fmt::Display;

use clap::builder::styling::{AnsiColor, Style};

use crate::format::Severity;
use crate::trust::Verdict;

/// Colours text, or leaves it as it is.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) struct Paint {
    on: bool,
}

impl Paint {
    pub(in crate::cli) const fn new(on: bool) -> Self {
        Self { on }
    }

    pub(in crate::cli) const fn is_on(self) -> bool {
        self.on
    }

    pub(in crate::cli) fn bold(self, text: impl Display) -> String {
        self.with(Style::new().bold(), text)
    }

    pub(in crate::cli) fn italic(self, text: impl Display) -> String {
        self.with(Style::new().italic(), text)
    }

    pub(in crate::cli) fn underline(self, text: impl Display) -> String {
        self.with(Style::new().underline(), text)
    }

    pub(in crate::cli) fn dim(self, text: impl Display) -> String {
        self.with(Style::new().dimmed(), text)
    }

    pub(in crate::cli) fn green(self, text: impl Display) -> String {
        self.with(AnsiColor::Green.on_default(), text)
    }

    pub(in crate::cli) fn yellow(self, text: impl Display) -> String {
        self.with(AnsiColor::Yellow.on_default(), text)
    }

    pub(in crate::cli) fn red(self, text: impl Display) -> String {
        self.with(AnsiColor::Red.on_default().bold(), text)
    }

    pub(in crate::cli) fn blue(self, text: impl Display) -> String {
        self.with(AnsiColor::Blue.on_default().bold(), text)
    }

    pub(in crate::cli) fn cyan(self, text: impl Display) -> String {
        self.with(AnsiColor::Cyan.on_default(), text)
    }

    /// Writes `error:`, `warning:` or `advice:` in its colour.
    pub(in crate::cli) fn severity(self, severity: Severity) -> String {
        match severity {
            Severity::Error => self.red("error:"),
            Severity::Warning => self.with(AnsiColor::Yellow.on_default().bold(), "warning:"),
            Severity::Advice => self.with(AnsiColor::Cyan.on_default().bold(), "advice:"),
        }
    }

    /// Writes a verdict in its colour.
    pub(in crate::cli) fn verdict(self, verdict: Verdict, text: &str) -> String {
        match verdict {
            Verdict::Good | Verdict::Builtin => self.green(text),
            Verdict::Unsigned | Verdict::NotJudged | Verdict::Legacy => self.yellow(text),
            Verdict::Tampered
            | Verdict::Untrusted
            | Verdict::Retired
            | Verdict::Revoked
            | Verdict::RolledBack
            | Verdict::MissingCountersignature
            | Verdict::Unshadowed => self.red(text),
        }
    }

    fn with(self, style: Style, text: impl Display) -> String {
        if self.on { format!("{style}{text}{style:#}") } else { text.to_string() }
    }
}
