//! The `<context>` element of the metadata: lists of Markdown, relations, and knowledge for the prompt.

use super::elements::{Shape, check, leaf, list};
use crate::capability::aliases;
use crate::format::span::Findings;
use crate::format::syntax::xml::Element;
use crate::format::{Span, rules};
use crate::id::{ItemId, ItemType};
use crate::item::{DirectiveContext, ProjectFiles};

const CONTEXT: Shape = list(&[
    "related_files",
    "dependencies",
    "requires",
    "depends_on",
    "used_by",
    "suggests",
    "conflicts_with",
    "example_of",
    "system",
    "before",
    "after",
    "suppress",
    "project",
    "environment",
]);

/// Reads `<context>`.
pub(super) fn read(element: &Element, findings: &mut Findings<'_>) -> DirectiveContext {
    check(element, &CONTEXT, findings);
    let mut context = DirectiveContext::default();
    for child in element.children.iter().filter(|child| CONTEXT.children.contains(&child.name.as_str())) {
        check(child, &leaf(&[], true), findings);
        if child.text_span.is_none() {
            let message = format!("`<{}>` is empty", child.name);
            findings.at(&rules::MISSING_ELEMENT, child.span, message, "write what it names, or remove it");
            continue;
        }
        take(&mut context, child, findings);
    }
    context
}

fn take(context: &mut DirectiveContext, child: &Element, findings: &mut Findings<'_>) {
    let named = match child.name.as_str() {
        "related_files" => return context.related_files.extend(entries(&child.text)),
        "dependencies" => return context.dependencies.extend(entries(&child.text)),
        "requires" => return context.requires.extend(required(child, findings)),
        "depends_on" => &mut context.depends_on,
        "used_by" => &mut context.used_by,
        "suggests" => &mut context.suggests,
        "conflicts_with" => &mut context.conflicts_with,
        "example_of" => &mut context.example_of,
        "system" => &mut context.system,
        "before" => &mut context.before,
        "after" => &mut context.after,
        "project" => return context.project = narrower(context.project, project(child, findings)),
        "environment" => return context.environment = narrower(context.environment, environment(child, findings)),
        _ => &mut context.suppress,
    };
    named.extend(item_id(child.text.trim(), child.text_place(), findings));
}

/// Of two values, the narrower one counts.
fn narrower<T: Ord>(one: Option<T>, other: Option<T>) -> Option<T> {
    [one, other].into_iter().flatten().min()
}

/// Reads which files of the project the model may read.
fn project(element: &Element, findings: &mut Findings<'_>) -> Option<ProjectFiles> {
    let read = ProjectFiles::of(element.text.trim());
    if read.is_none() {
        let message = "`<project>` is unknown: expected `all`, `signed` or `none`";
        findings.at(&rules::BAD_VALUE, element.text_place(), message, "write `signed` or `none`");
    }
    read
}

/// Reads whether the model is told of project, date, platform and budget.
fn environment(element: &Element, findings: &mut Findings<'_>) -> Option<bool> {
    let read = element.text.trim().parse().ok();
    if read.is_none() {
        let message = "`<environment>` is unknown: expected `true` or `false`";
        findings.at(&rules::BAD_VALUE, element.text_place(), message, "write `false`");
    }
    read
}

/// Reads the entries of a Markdown list; a line without a mark is an entry too.
pub(super) fn entries(text: &str) -> impl Iterator<Item = String> {
    let marked =
        |line: &str| ["- ", "* ", "+ "].into_iter().find_map(|mark| line.strip_prefix(mark)).map(str::to_owned);
    let entry = move |line: &str| marked(line.trim()).unwrap_or_else(|| line.trim().to_owned()).trim().to_owned();
    text.lines().map(entry).filter(|line| !matches!(line.as_str(), "" | "-")).collect::<Vec<_>>().into_iter()
}

/// Reads a word for something an installation offers, or the id of an item.
fn required(element: &Element, findings: &mut Findings<'_>) -> Option<ItemId> {
    let name: Result<ItemId, _> = element.text.trim().parse();
    name.map_err(|error| {
        let message = format!("{}, and no word either", shown(&error));
        let hint = "write a word such as `docker-runtime`, or the id of an item";
        findings.at(&rules::BAD_VALUE, element.text_place(), message, hint);
    })
    .ok()
}

/// Reads the id of an item, and files a finding if it is invalid.
pub(super) fn item_id(text: &str, span: Span, findings: &mut Findings<'_>) -> Option<ItemId> {
    text.parse()
        .map_err(|error: crate::id::ItemIdError| {
            findings.at(&rules::BAD_VALUE, span, shown(&error), id_hint(text));
        })
        .ok()
}

/// Warns of an item that a call names as it was called before.
pub(super) fn former_name(item_type: ItemType, id: &ItemId, span: Span, findings: &mut Findings<'_>) {
    if let Some(current) = aliases::current(item_type, id) {
        let hint = format!("write `{current}`, or run `rye migrate`");
        findings.at(&rules::FORMER_NAME, span, format!("`{id}` is a former name"), hint);
    }
}

/// Says what to write instead of an invalid id.
pub(super) fn id_hint(text: &str) -> String {
    match ItemId::meant_by(text) {
        Some(id) => format!("write `{id}`: an id has `/` between its parts, and no extension"),
        None => "write the path below the type's folder, `/` between its parts, without extension".to_owned(),
    }
}

/// Keeps a hostile text out of the message.
fn shown(error: &crate::id::ItemIdError) -> String {
    format!("`{}` is not an item id: {}", error.text.chars().take(60).collect::<String>(), error.reason)
}
