//! Every example block of the five documents the formats come from, where that folder lies beside the project.
//!
//! Each top-level element of each block is put where it belongs in a directive and must be read without an error. The
//! project's tests make their own data; this one checks them against the originals and passes without them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use rye::format::{Severity, parse};
use rye::id::ItemType;

/// What a directive has unless an example brings its own.
const DEFAULTS: [(&str, &str); 4] = [
    ("description", "<description>Do it</description>"),
    ("category", "<category>a</category>"),
    ("author", "<author>b</author>"),
    ("permissions", "<permissions><search>*</search></permissions>"),
];

/// Elements that show a result or elide what a directive must have.
fn is_exempt(element: &str) -> bool {
    element.starts_with("<returns") || element.contains("<metadata>...</metadata>")
}

/// Takes the fenced blocks of a language out of a document; a longer fence hides the shorter ones in it.
fn blocks(text: &str) -> Vec<(usize, String, String)> {
    let mut found = Vec::new();
    let mut open: Option<(usize, usize, String, String)> = None;
    for (number, line) in text.lines().enumerate() {
        let ticks = line.chars().take_while(|c| *c == '`').count();
        match &mut open {
            None if ticks >= 3 => open = Some((number + 1, ticks, line[ticks..].trim().to_owned(), String::new())),
            None => {}
            Some((_, length, ..)) if ticks >= *length && line[ticks..].trim().is_empty() => {
                let (start, _, language, body) = open.take().unwrap();
                found.push((start, language, body));
            }
            Some((.., body)) => {
                body.push_str(line);
                body.push('\n');
            }
        }
    }
    found
}

/// Splits markup into its top-level elements; comments and text between them are passed over.
fn elements(text: &str) -> Vec<String> {
    let (mut found, mut depth, mut start, mut at) = (Vec::new(), 0_usize, 0, 0);
    while let Some(open) = text[at..].find('<').map(|found| at + found) {
        let rest = &text[open..];
        let skip = |end: &str| rest.find(end).map_or(text.len(), |found| open + found + end.len());
        if rest.starts_with("<!--") {
            at = skip("-->");
            continue;
        }
        if rest.starts_with("<![CDATA[") {
            at = skip("]]>");
            continue;
        }
        if !rest[1..].starts_with(|c: char| c == '/' || c.is_ascii_alphabetic()) {
            at = open + 1;
            continue;
        }
        at = skip(">");
        let tag = &text[open..at];
        if depth == 0 {
            start = open;
        }
        if tag.starts_with("</") {
            depth = depth.saturating_sub(1);
        } else if !tag.ends_with("/>") {
            depth += 1;
        }
        if depth == 0 {
            found.push(text[start..at].to_owned());
        }
    }
    found
}

fn name_of(element: &str) -> &str {
    element[1..].split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next().unwrap_or_default()
}

/// Puts an element where it belongs in a whole directive.
fn placed(element: &str) -> String {
    let mut metadata: BTreeMap<&str, String> = DEFAULTS.map(|(name, text)| (name, text.to_owned())).into();
    let (mut zone, mut process) = (String::new(), "<process><step name=\"a\">Go.</step></process>".to_owned());
    match name_of(element) {
        "directive" => return format!("# A\n\n```xml\n{element}\n```\n\n{process}\n"),
        "metadata" => {
            let inner = element.trim_start_matches("<metadata>").trim_end_matches("</metadata>");
            elements(inner).iter().for_each(|child| drop(metadata.insert(leak(name_of(child)), child.clone())));
        }
        "hook" => drop(metadata.insert("hooks", format!("<hooks>{element}</hooks>"))),
        "tool" => {
            drop(metadata.insert("permissions", format!("<permissions><execute>{element}</execute></permissions>")))
        }
        "read" | "write" | "cap" => {
            drop(metadata.insert("permissions", format!("<permissions>{element}</permissions>")));
        }
        "execute" | "search" | "load" | "sign" if !element.contains("item_type=") => {
            drop(metadata.insert("permissions", format!("<permissions>{element}</permissions>")));
        }
        "execute" | "search" | "load" | "sign" => {
            process = format!("<process><step name=\"a\">{element}</step></process>")
        }
        "step" => process = format!("<process>{element}</process>"),
        "process" => process = element.to_owned(),
        "success_criteria" => process = format!("{process}\n\n{element}"),
        "inputs" | "outputs" => zone = element.to_owned(),
        name => drop(metadata.insert(leak(name), element.to_owned())),
    }
    // What the examples acknowledge nowhere is not what is looked at here.
    let acknowledged = "<acknowledge risk=\"unrestricted\">an example</acknowledge></permissions>";
    let permissions = metadata.get_mut("permissions").unwrap();
    *permissions = match permissions.as_str() {
        "<permissions>*</permissions>" => permissions.clone(),
        text => text.replace("</permissions>", acknowledged),
    };
    let metadata: String = metadata.into_values().collect();
    format!(
        "# A\n\n```xml\n<directive name=\"a\" version=\"1.0.0\"><metadata>{metadata}</metadata>{zone}</directive>\n```\n\n{process}\n"
    )
}

fn leak(name: &str) -> &'static str {
    Box::leak(name.to_owned().into_boxed_str())
}

/// Errors that an example has because it stands alone: its inputs are declared elsewhere, and it acknowledges nothing.
fn is_of_the_cut(rule: &str) -> bool {
    matches!(rule, "RYE-D018" | "RYE-P005")
}

fn faults(text: &str) -> Vec<String> {
    let errors = parse(ItemType::Directive, &"md".parse().unwrap(), text).findings.into_iter();
    errors
        .filter(|finding| finding.severity == Severity::Error && !is_of_the_cut(finding.rule))
        .map(|finding| format!("{} {}", finding.rule, finding.message))
        .collect()
}

#[test]
fn every_example_of_the_documents_is_read_without_an_error() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/seeds");
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut documents: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    documents.sort();
    let (mut read, mut wrong) = (BTreeMap::<String, usize>::new(), Vec::new());
    for path in documents {
        let document = path.file_name().unwrap().to_string_lossy()[..3].to_owned();
        for (line, language, body) in blocks(&fs::read_to_string(&path).unwrap()) {
            let examples = match language.as_str() {
                "markdown" => vec![body],
                "xml" => elements(&body).into_iter().filter(|one| !is_exempt(one)).map(|one| placed(&one)).collect(),
                _ => Vec::new(),
            };
            for example in examples {
                *read.entry(document.clone()).or_default() += 1;
                wrong
                    .extend(faults(&example).into_iter().map(|fault| format!("{document}:{line}: {fault}\n{example}")));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {read:?}:\n{}", wrong.len(), wrong.join("\n"));
    // A changed number means that a document changed, or that an example is no longer found.
    let counted = [("000", 32), ("001", 30), ("002", 1), ("003", 9), ("004", 3)];
    assert_eq!(read, counted.map(|(name, count)| (name.to_owned(), count)).into());
}
