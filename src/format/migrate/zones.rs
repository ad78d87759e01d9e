//! Directives of pure XML in two zones: a fence for machines, and below it the process for who follows it.

use super::Work;
use super::edits::{Edits, indentation};
use crate::format::span::Findings;
use crate::format::xml::{self, Element};
use crate::format::{Span, fence, pure_xml};

const PURE: [&str; 2] = ["process", "success_criteria"];

pub(super) fn rewrite(work: &mut Work) {
    let text = work.text.clone();
    let outline = fence::outline(&text);
    let fenced = outline.fences.iter().find(|fence| super::holds_directive(fence, &text));
    let Some(zone) = super::directive_zone(&text) else { return };
    // What cannot be read is told of by the next pass.
    let Ok(root) = xml::parse(&text, zone) else { return };
    let inside: Vec<&Element> = root.children.iter().filter(|child| PURE.contains(&child.name.as_str())).collect();
    if fenced.is_some() && inside.is_empty() {
        return;
    }
    let process = match inside.is_empty() {
        true => String::new(),
        false => pure_xml::read(&root, &mut Findings::about(&text)).1,
    };
    let mut edits = Edits::default();
    inside.iter().for_each(|element| edits.replace(lines_of(&text, element.whole), ""));
    match fenced {
        Some(fence) => {
            edits.replace(Span::new(fence.block.end, fence.block.end), below(&text, fence.block.end, &process))
        }
        None => fence_it(&text, &root, &process, &mut edits),
    }
    let is_fenced = |new: &String| fence::outline(new).fences.iter().any(|fence| super::holds_directive(fence, new));
    if edits.clone().apply(&text).as_ref().is_some_and(is_fenced) {
        work.apply(edits, "move the process out of the xml");
    } else {
        work.review.push("the element stands where a fence would not be one: fence it by hand".to_owned());
    }
}

/// Fences a bare element, under a title.
fn fence_it(text: &str, root: &Element, process: &str, edits: &mut Edits) {
    let start = root.whole.start - indentation(text, root.whole.start).map_or(0, str::len);
    let before = &text[..start];
    let gap = match before {
        "" => "",
        _ if before.ends_with("\n\n") => "",
        _ if before.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    let title = match fence::outline(before).heading {
        None => format!("# {}\n\n", title(root.value("name").unwrap_or("Directive"))),
        Some(_) => String::new(),
    };
    let kept = root.children.iter().filter(|child| !PURE.contains(&child.name.as_str()));
    let run = kept.map(|child| longest_run(child.whole.of(text))).max().unwrap_or(0);
    let marks = "`".repeat(3.max(run + 1));
    edits.replace(Span::new(start, start), format!("{gap}{title}{marks}xml\n"));
    let end = root.whole.end;
    edits.replace(Span::new(end, end), format!("\n{marks}{}", below(text, end, process)));
}

/// Returns what stands below the block at `at`: the process, apart from what follows.
fn below(text: &str, at: usize, process: &str) -> String {
    let after = &text[at..];
    let lead = if text[..at].ends_with('\n') { "\n" } else { "\n\n" };
    let tail = match after {
        _ if process.is_empty() => "",
        _ if after.trim().is_empty() && after.starts_with(['\n', '\r']) => "",
        _ if after.trim().is_empty() => "\n",
        _ if after.trim_start_matches([' ', '\r']).starts_with("\n\n") => "",
        _ if after.starts_with(['\n', '\r']) => "\n",
        _ => "\n\n",
    };
    if process.is_empty() { String::new() } else { format!("{lead}{process}{tail}") }
}

/// Returns the whole lines of an element that has them for itself, with the blank lines before them.
fn lines_of(text: &str, whole: Span) -> Span {
    let rest = &text[whole.end..];
    let line_end = rest.find('\n').map_or(text.len(), |newline| whole.end + newline + 1);
    let alone = indentation(text, whole.start).is_some() && text[whole.end..line_end].trim().is_empty();
    if !alone {
        return whole;
    }
    let before = text[..whole.start].trim_end_matches([' ', '\t']);
    let blank = before.trim_end();
    let start = if blank.len() == before.len() { before.len() } else { blank.len() + 1 };
    Span::new(start.max(before[..start].rfind('\n').map_or(0, |newline| newline + 1)), line_end)
}

/// Writes a name as a title: `deploy_staging` is `Deploy staging`.
fn title(name: &str) -> String {
    let words = name.replace(['_', '-'], " ");
    let mut characters = words.chars();
    characters.next().map(|first| first.to_uppercase().chain(characters).collect()).unwrap_or_default()
}

/// Returns the length of the longest run of backticks at the start of a line.
fn longest_run(text: &str) -> usize {
    let run = |line: &str| line.trim_start().chars().take_while(|found| *found == '`').count();
    text.lines().map(run).filter(|run| *run >= 3).max().unwrap_or(0)
}
