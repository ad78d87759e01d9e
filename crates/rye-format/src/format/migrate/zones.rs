//! Directives of pure XML in two zones: a fence for machines, and below it the process for who follows it.
//!
//! The process is written out as the reader reads it. Comments in it were for people alone: in the process they would
//! be read as text, so they stay in the xml, where the process was.

use super::edits::{Edits, indentation, lines_of};
use super::work::{Work, holds_directive};
use crate::format::directive::pure_xml;
use crate::format::span::Findings;
use crate::format::syntax::fence;
use crate::format::syntax::xml::Element;
use crate::format::{Severity, Span};

const PURE: [&str; 2] = ["process", "success_criteria"];

pub(super) fn rewrite(work: &mut Work<'_>) {
    let Some(block) = work.block() else { return };
    let root = &block.root;
    let inside: Vec<&Element> = root.children.iter().filter(|child| PURE.contains(&child.name.as_str())).collect();
    if block.fence.is_some() && inside.is_empty() {
        return;
    }
    let text = work.text.clone();
    let Some(process) = process(work, root, &text) else { return };
    let mut edits = Edits::default();
    let from = inside.first().map_or(root.whole.end, |element| element.whole.start);
    inside.iter().for_each(|element| take_out(work, element, &text, &mut edits));
    match block.fence {
        Some(fence) => edits.insert(fence.end, below(&text, fence.end, &process), from),
        None => fence_it(&text, root, &process, from, &mut edits),
    }
    let is_fenced = |(new, _): &(String, _)| fence::outline(new).fences.iter().any(|fence| holds_directive(fence, new));
    if edits.clone().apply(&text).as_ref().is_some_and(is_fenced) {
        work.apply(edits, "move the process out of the xml");
    } else {
        work.stays(root.whole.start, "the element is at a place where a fence has no effect: fence it by hand");
    }
}

/// Writes out the content of the process; nothing when a part of it would be lost.
fn process(work: &mut Work<'_>, root: &Element, text: &str) -> Option<String> {
    let mut findings = Findings::about(text);
    let (_, process) = pure_xml::read(root, &mut findings);
    let mut faults = findings.into_list();
    faults.retain(|fault| fault.severity == Severity::Error);
    for fault in &faults {
        let at = fault.span.map_or(root.whole.start, |span| span.start);
        work.stays(at, format!("the process stays in the xml until this is mended: {}", fault.message));
    }
    let has_process = root.children.iter().any(|child| PURE.contains(&child.name.as_str()));
    faults.is_empty().then(|| if has_process { process } else { String::new() })
}

/// Takes an element with its lines out of the xml, all but the comments in it.
fn take_out(work: &mut Work<'_>, element: &Element, text: &str, edits: &mut Edits) {
    let comments = comments(element);
    for comment in &comments {
        work.look(comment.start, "this comment stays in the xml: in the process it would be read as text");
    }
    let kept: Vec<&str> = comments.iter().map(|comment| comment.of(text)).collect();
    let lines = lines_of(text, element.whole);
    if lines == element.whole {
        return edits.replace(lines, kept.join(" "));
    }
    let indent = indentation(text, element.whole.start).unwrap_or_default();
    edits.replace(lines, kept.iter().map(|comment| format!("{indent}{comment}\n")).collect::<String>());
}

/// Returns every comment below an element, in the order of the text.
fn comments(element: &Element) -> Vec<Span> {
    let mut found = element.comments.clone();
    found.extend(element.children.iter().flat_map(comments));
    found.sort_by_key(|comment| comment.start);
    found
}

/// Fences a bare element, under a title.
fn fence_it(text: &str, root: &Element, process: &str, from: usize, edits: &mut Edits) {
    let start = root.whole.start - indentation(text, root.whole.start).map_or(0, str::len);
    let before = &text[..start];
    let kept = root.children.iter().filter(|child| !PURE.contains(&child.name.as_str()));
    let run = kept.map(|child| longest_run(child.whole.of(text))).max().unwrap_or(0);
    let marks = "`".repeat(3.max(run + 1));
    let opening = format!("{}{marks}xml\n", gap_after(before));
    if fence::outline(before).heading.is_some() {
        edits.insert(start, opening, start);
    } else {
        let title = format!("# {}\n\n", title(root.value("name").unwrap_or("Directive")));
        match first_words(before) {
            // The text above the element stays below the title.
            Some(words) => {
                edits.insert(words, title, words);
                edits.insert(start, opening, start);
            }
            None => edits.insert(start, format!("{}{title}{marks}xml\n", gap_after(before)), start),
        }
    }
    let end = root.whole.end;
    let rest = text[end..].lines().next().unwrap_or_default();
    // The rest of the line gets a line of its own.
    let blanks = if rest.trim().is_empty() { 0 } else { rest.len() - rest.trim_start().len() };
    edits.replace_from(Span::new(end, end + blanks), format!("\n{marks}{}", below(text, end, process)), from);
}

/// Returns the line ends that separate the following text.
fn gap_after(before: &str) -> &'static str {
    let lines = before.replace("\r\n", "\n");
    match lines.as_str() {
        "" => "",
        lines if lines.ends_with("\n\n") => "",
        lines if lines.ends_with('\n') => "\n",
        _ => "\n\n",
    }
}

/// Finds the first line that is neither blank nor a comment.
fn first_words(text: &str) -> Option<usize> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim();
        let is_comment = content.starts_with("<!--") && content.ends_with("-->");
        if !content.is_empty() && !is_comment {
            return Some(at);
        }
        at += line.len();
    }
    None
}

/// Returns the text below the block at `at`: the process, apart from what follows.
fn below(text: &str, at: usize, process: &str) -> String {
    let after = text[at..].replace("\r\n", "\n");
    if process.is_empty() {
        let ends_line = after.lines().next().unwrap_or_default().trim().is_empty();
        return if ends_line { String::new() } else { "\n\n".to_owned() };
    }
    let lead = if text[..at].ends_with('\n') { "\n" } else { "\n\n" };
    let tail = match after.trim_start_matches([' ', '\t']) {
        after if after.trim().is_empty() && !text[..at].ends_with('\n') => "",
        after if after.trim().is_empty() => "\n",
        after if after.starts_with("\n\n") => "",
        after if after.starts_with('\n') => "\n",
        _ => "\n\n",
    };
    format!("{lead}{process}{tail}")
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
