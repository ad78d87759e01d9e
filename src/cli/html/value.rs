//! A text or a value on the page: a long one is folded, and a very long one is cut.

use serde_json::{Map, Value};

use super::elements::Html;
use crate::cli::text::count;
use crate::format::event_text::{abridged, parts};

/// A text with more lines is folded.
pub(super) const FOLDED: usize = 14;

/// The most characters of one text that the page holds.
pub(super) const MOST: usize = 200_000;

/// Writes a value part by part; nothing for one that says nothing.
pub(super) fn write_value(html: &mut Html, value: &Value) {
    if value.is_null() || value.as_object().is_some_and(Map::is_empty) {
        return;
    }
    html.open("dl", "value");
    for part in parts(value) {
        html.element("dt", "", &part.name);
        html.open("dd", if part.is_block { "block" } else { "" });
        if part.is_block {
            text_block(html, &part.text, "");
        } else {
            html.element("code", "", &part.text);
        }
        html.close("dd");
    }
    html.close("dl");
}

/// Writes a text as it is, folded if it is long.
fn text_block(html: &mut Html, text: &str, class: &'static str) {
    let lines = text.trim_end().lines().count();
    if lines > FOLDED || text.chars().nth(FOLDED * 120).is_some() {
        folded(html, &count(lines, "line"), text);
    } else {
        html.element("pre", class, text.trim_end());
    }
}

pub(super) fn folded(html: &mut Html, summary: &str, text: &str) {
    let (shown, left) = abridged(text.trim_end(), MOST);
    html.open("details", "");
    html.element("summary", "", summary);
    html.element("pre", "", shown);
    if left > 0 {
        html.element("p", "note", &format!("… {left} more characters"));
    }
    html.close("details");
}
