//! An error as it is told: the same words in text and in JSON.

use std::path::PathBuf;

use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};

use super::error::{self, Error, Facts, Invalid};
use super::hints;
use super::text;
use crate::error::sentences;
use crate::format::Finding;
use crate::redact::{Leak, without_keys};

/// The message of an error.
#[derive(Debug)]
pub(super) struct Report {
    /// A stable kebab-case word for what happened.
    pub(super) code: &'static str,
    /// One sentence.
    pub(super) message: String,
    /// What led to it, outermost first.
    pub(super) causes: Vec<String>,
    /// What to do, imperative, with a command that works as pasted where there is one.
    pub(super) hints: Vec<String>,
    /// The stable id of the rule that was broken.
    pub(super) rule: Option<&'static str>,
    /// The file it is about.
    pub(super) place: Option<PathBuf>,
    /// The line and column in it.
    pub(super) position: Option<(usize, usize)>,
    /// The findings of an item that is not valid.
    pub(super) invalid: Option<Invalid>,
    /// The secrets that would go out.
    pub(super) secrets: Vec<Leak>,
}

impl Report {
    /// Tells a person an error.
    pub(super) fn of(error: &Error) -> Self {
        let mut facts = error::facts(error);
        let advice = std::mem::take(&mut facts.hints);
        Self::told(error, facts, advice.into_iter().map(|advice| advice.person).collect())
    }

    /// Tells a model an error: what to ask the user for, and never how to lift a refusal.
    pub(super) fn for_model(error: &Error) -> Self {
        let mut facts = error::facts(error);
        let advice = std::mem::take(&mut facts.hints);
        let mut hints: Vec<String> = advice.into_iter().filter_map(|advice| advice.model).collect();
        hints.dedup();
        for finding in facts.invalid.iter_mut().flat_map(|invalid| &mut invalid.findings) {
            finding.hint.take_if(|hint| hint.contains("`rye "));
        }
        let mut report = Self::told(error, facts, hints);
        let sentences = [&mut report.message].into_iter().chain(&mut report.causes).chain(&mut report.hints);
        sentences.for_each(|sentence| *sentence = text::for_model(sentence));
        report
    }

    fn told(error: &Error, facts: Facts, hints: Vec<String>) -> Self {
        let (message, hints) = match error {
            Error::Usage(usage) => (first_sentence(usage), vec![hints::HELP.fill(&[])]),
            _ => (error.to_string(), hints),
        };
        let causes = if facts.says_all { Vec::new() } else { sentences(error).split_off(1) };
        let shown = |text: String| without_keys(&text).into_owned();
        Self {
            code: facts.code,
            message: shown(message),
            causes: causes.into_iter().map(shown).collect(),
            hints: hints.into_iter().map(shown).collect(),
            rule: facts.rule,
            place: facts.place.filter(|path| shown(path.display().to_string()) == path.display().to_string()),
            position: facts.position,
            invalid: facts.invalid,
            secrets: facts.secrets,
        }
    }

    /// Tells a bug: `panic` is its sentence with its place.
    pub(super) fn internal(panic: &str) -> Self {
        Self {
            code: "internal",
            message: "internal error: rye has a bug; no file was left half written".to_owned(),
            causes: vec![panic.split_whitespace().collect::<Vec<_>>().join(" ")],
            hints: vec![hints::BUG.fill(&[])],
            rule: None,
            place: None,
            position: None,
            invalid: None,
            secrets: Vec::new(),
        }
    }
}

impl Serialize for Report {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry("error", &Body::of(self))?;
        map.end()
    }
}

/// The fields of an error in JSON.
#[derive(Serialize)]
struct Body<'a> {
    code: &'a str,
    message: &'a str,
    causes: &'a [String],
    hints: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    findings: Option<&'a [Finding]>,
    #[serde(skip_serializing_if = "<[Leak]>::is_empty")]
    secrets: &'a [Leak],
}

impl<'a> Body<'a> {
    fn of(report: &'a Report) -> Self {
        Self {
            code: report.code,
            message: &report.message,
            causes: &report.causes,
            hints: &report.hints,
            rule: report.rule,
            path: report.place.as_ref().map(|path| path.display().to_string()),
            findings: report.invalid.as_ref().map(|invalid| invalid.findings.as_slice()),
            secrets: &report.secrets,
        }
    }
}

/// Takes clap's sentence without its label and without the usage that follows.
fn first_sentence(usage: &clap::Error) -> String {
    let text = usage.to_string();
    let sentence = text.strip_prefix("error: ").unwrap_or(&text);
    let end = sentence.find("\n\n").unwrap_or(sentence.len());
    sentence[..end].split_whitespace().collect::<Vec<_>>().join(" ")
}
