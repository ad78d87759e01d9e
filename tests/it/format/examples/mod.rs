//! An example for every rule: what breaks it, and what does not. docs/reference/rules.md is written from them and the table of
//! rules, and a test proves each of them.
//!
//! An example is a change of a text that is well written: `good` is a part of it, and `bad` in its place breaks the rule.

mod directives;
mod no_effect;
mod others;
mod skills;

use std::fmt::Write as _;

use rye::format::{Rule, Severity, rules};

/// An example of one rule.
#[derive(Debug, Clone, Copy)]
pub(super) struct Example {
    /// The rule.
    pub(super) rule: &'static Rule,
    /// What asks for it: the number of a seed document with the number of its rule or the heading of its advice, or a
    /// section of docs/formats.md.
    pub(super) asked_by: &'static str,
    /// The text that is changed.
    pub(super) base: Base,
    /// Well-written items.
    pub(super) good: &'static str,
    /// What breaks the rule in its place.
    pub(super) bad: &'static str,
    /// Makes the bytes that break the rule, where `bad` can only tell of them.
    pub(super) make: Option<fn() -> Vec<u8>>,
}

/// A text that breaks no rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    /// The directive `demo/deploy_staging`.
    Directive,
    /// The tool `demo/count`, a shell script.
    Tool,
    /// The tool `demo/words`, in YAML.
    YamlTool,
    /// The knowledge `demo/glossary`.
    Knowledge,
    /// The `SKILL.md` of the skill `read-pdf`, which has one script.
    Skill,
    /// The manifest of the skill `demo/read-pdf`.
    Manifest,
    /// A capability document.
    Capabilities,
    /// The name of a file below `.ai/`; nothing in it matters.
    Name,
}

impl Base {
    /// Returns the text; empty for a name.
    pub(super) const fn text(self) -> &'static str {
        match self {
            Self::Directive => include_str!("deploy_staging.md"),
            Self::Tool => include_str!("count.sh"),
            Self::YamlTool => include_str!("words.yaml"),
            Self::Knowledge => include_str!("glossary.md"),
            Self::Capabilities => include_str!("reader.yaml"),
            Self::Skill => include_str!("skill.md"),
            Self::Manifest => include_str!("manifest.sig"),
            Self::Name => "",
        }
    }
}

impl Example {
    /// Returns the bytes of the file that breaks the rule.
    pub(super) fn broken(&self) -> Vec<u8> {
        match self.make {
            Some(make) => make(),
            None => self.base.text().replacen(self.good, self.bad, 1).into_bytes(),
        }
    }
}

/// Returns every example, in the order of the rules.
pub(super) fn examples() -> impl Iterator<Item = &'static Example> {
    let place = |example: &&Example| rules::ALL.iter().position(|rule| rule.id == example.rule.id);
    let mut all: Vec<&Example> =
        directives::ALL.iter().chain(others::ALL).chain(skills::ALL).chain(no_effect::ALL).collect();
    all.sort_by_key(place);
    all.into_iter()
}

const HEAD: &str = "\
# Rules

Generated from the program's table of rules. To update it, run
`RYE_UPDATE_DOCS=1 cargo test --test it format::rules`.

What `rye lint` finds, and `sign`, `execute` and `thread run` apply. An `error` keeps an item from being signed and used, a
`warning` deserves a look, `advice` is a better way. What takes more than one file to tell (D052 to D054, D061, D062, D065, D066, P019, T012, K008, S020, S021) is found by
`rye lint` alone. Letters: F any file, D directives, P permissions, T tools, K knowledge, A agent
skills (those about their folders are in formats.md, section 1.1), S what can be signed (the others of these are in formats.md, section 4.3), U known and not done by this version. *Asked for by* names the
seed document that asks for it, and the number of its rule (#) or the heading of its advice; § is a section of
[formats.md](../formats.md).

The letter names the group: F all files, D directives, P permissions, T tools, K knowledge, A agent skills (the rules for their folders are in
[formats.md](../formats.md), section 1.1), S signatures (the other rules of this group are in formats.md, section 4.3), U not supported by this version.
*Source* is the seed document with the number of its rule (#) or the heading of its advice, or a section (§) of formats.md.

Each example is a part of an otherwise valid file. Lint does not judge what needs a person: whether a name, a description or a model tier fits; whether
limits are realistic; whether a permission is needed and its reason good; whether related files, dependencies and relations are complete; whether hooks
are small and documented; and whether a measurable criterion is the right one.
";

/// Writes docs/reference/rules.md.
pub(super) fn rules_page() -> String {
    let mut page = HEAD.to_owned();
    page.push_str("\n| rule | severity | requirement | source |\n|---|---|---|---|\n");
    for example in examples() {
        let Rule { id, severity, summary } = example.rule;
        let anchor = id.to_ascii_lowercase();
        // Writing to a `String` cannot fail.
        let _ = writeln!(page, "| [{id}](#{anchor}) | {} | {summary} | {} |", word(*severity), example.asked_by);
    }
    for example in examples() {
        section(&mut page, example);
    }
    page
}

fn section(page: &mut String, example: &Example) {
    let Rule { id, severity, summary } = example.rule;
    let _ = write!(page, "\n## {id}\n\n{summary} ({}; source: {})\n", word(*severity), example.asked_by);
    let (bad, good) = (shown(example.bad), shown(example.good));
    let _ = write!(page, "\nWrong:\n\n````text\n{bad}\n````\n\nRight:\n\n````text\n{good}\n````\n");
}

const fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Advice => "advice",
    }
}

/// Takes the common indentation off a part of a file; a first line without any does not count. Unfinished items are not
/// mentioned.
fn shown(part: &str) -> String {
    let part = part.trim_end().trim_start_matches('\n');
    if part.trim().is_empty() {
        return "(nothing)".to_owned();
    }
    let indentation = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let whole = usize::from(indentation(part) == 0);
    let indented = part.lines().skip(whole).filter(|line| !line.trim().is_empty());
    let margin = indented.map(indentation).min().unwrap_or(0);
    let cut = |(number, line): (usize, &str)| {
        line.get(if number < whole { 0 } else { margin }..).unwrap_or("").trim_end().to_owned()
    };
    part.lines().enumerate().map(cut).collect::<Vec<_>>().join("\n")
}
