//! Messages of success and failure as outputs: one of the two is returned, so neither is required.

use super::edits::Edits;
use super::work::Work;
use crate::format::Span;
use crate::format::directive::declarations::MESSAGES;
use crate::format::syntax::xml::Element;

pub(super) fn rewrite(work: &mut Work<'_>) {
    let Some(block) = work.block() else { return };
    let Some(outputs) = block.root.child("outputs") else { return };
    let is_message = |child: &&Element| MESSAGES.contains(&child.name.as_str());
    let mut edits = Edits::default();
    for message in outputs.children.iter().filter(is_message) {
        match obstacle(message, outputs) {
            Some(why) => work.stays(message.span.start, format!("`<{}>` stays: {why}", message.name)),
            None => declare(message, &work.text, &mut edits),
        }
    }
    work.apply(edits, "declare the messages as outputs");
}

/// Says what keeps a message from being an output.
fn obstacle(message: &Element, outputs: &Element) -> Option<String> {
    let name = &message.name;
    let is_named = |child: &&Element| child.name == "output" && child.value("name") == Some(name);
    if outputs.children.iter().any(|child| is_named(&child)) {
        return Some(format!("the output `{name}` already exists"));
    }
    if outputs.children.iter().filter(|child| child.name == *name).count() > 1 {
        return Some("it appears twice: keep one".to_owned());
    }
    let holds_more = !message.attributes.is_empty() || !message.children.is_empty();
    holds_more.then(|| "it contains more than a text".to_owned())
}

/// Renames the tags of a message; the text between them stays as it is.
fn declare(message: &Element, text: &str, edits: &mut Edits) {
    let Element { name, span, whole, .. } = message;
    let opening = format!("<output name=\"{name}\" required=\"false\"");
    edits.replace(Span::new(span.start, span.start + 1 + name.len()), opening);
    if whole.end > span.end
        && let Some(closing) = whole.of(text).rfind("</")
    {
        let start = whole.start + closing;
        edits.replace(Span::new(start, start + 2 + name.len()), "</output");
    }
}
