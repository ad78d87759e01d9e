//! Facts of an error in addition to its sentence.

use std::path::{Path, PathBuf};

use crate::cli::exit::Exit;
use crate::cli::hints::Hint;
use crate::cli::text::quoted;
use crate::format::Finding;
use crate::redact::Leak;

/// Facts of an error in addition to its sentence.
#[derive(Debug)]
pub(in crate::cli) struct Facts {
    pub(in crate::cli) exit: Exit,
    pub(in crate::cli) code: &'static str,
    pub(in crate::cli) place: Option<PathBuf>,
    pub(in crate::cli) position: Option<(usize, usize)>,
    pub(in crate::cli) hints: Vec<Advice>,
    pub(in crate::cli) rule: Option<&'static str>,
    pub(in crate::cli) invalid: Option<Invalid>,
    /// The secrets that would go out.
    pub(in crate::cli) secrets: Vec<Leak>,
    /// Whether the sentence says all that a person can use, so that its causes are left out.
    pub(in crate::cli) says_all: bool,
}

/// What to do about an error, for a person and for a model.
#[derive(Debug, Clone)]
pub(in crate::cli) struct Advice {
    pub(in crate::cli) person: String,
    /// What a model is told in its place: never how to lift a refusal.
    pub(in crate::cli) model: Option<String>,
}

impl Facts {
    pub(super) const fn new(exit: Exit, code: &'static str) -> Self {
        Self {
            exit,
            code,
            place: None,
            position: None,
            hints: Vec::new(),
            rule: None,
            invalid: None,
            secrets: Vec::new(),
            says_all: false,
        }
    }

    pub(super) const fn failed(code: &'static str) -> Self {
        Self::new(Exit::Failed, code)
    }

    pub(super) const fn invalid(code: &'static str) -> Self {
        Self::new(Exit::Invalid, code)
    }

    pub(super) fn hint(mut self, hint: Hint) -> Self {
        self.advise(hint.fill(&[]), hint.fill_for_model(&[]));
        self
    }

    pub(super) fn hint_with(mut self, hint: Hint, values: &[(&str, &dyn std::fmt::Display)]) -> Self {
        self.advise(hint.fill(values), hint.fill_for_model(values));
        self
    }

    /// Adds advice that is in no table.
    pub(super) fn advise(&mut self, person: String, model: Option<String>) {
        self.hints.push(Advice { person, model });
    }

    pub(super) const fn without_causes(mut self) -> Self {
        self.says_all = true;
        self
    }

    pub(super) fn at(mut self, path: impl Into<PathBuf>) -> Self {
        self.place = Some(path.into());
        self
    }
}

/// Writes a path as a word of a command that works as pasted.
pub(in crate::cli) fn shell(path: &Path) -> String {
    quoted(&path.display().to_string())
}

/// An item that is not valid.
#[derive(Debug)]
pub(in crate::cli) struct Invalid {
    pub(in crate::cli) path: PathBuf,
    pub(in crate::cli) text: String,
    pub(in crate::cli) findings: Vec<Finding>,
}
