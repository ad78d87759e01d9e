//! An error and its causes, as sentences, and details that are too long for one.

use std::borrow::Cow;
use std::error::Error;
use std::iter::successors;

/// Returns the sentence of an error and of each of its causes, outermost first. A cause that the sentence before it has, or
/// ends with, is left out.
#[must_use]
pub fn sentences(error: &dyn Error) -> Vec<String> {
    let mut sentences = vec![error.to_string()];
    sentences.extend(successors(error.source(), |&cause| cause.source()).map(ToString::to_string));
    let is_said = |cause: &String, before: &String| {
        before.strip_suffix(cause.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with(": "))
    };
    sentences.dedup_by(|cause, before| is_said(cause, before));
    sentences
}

/// Joins an error with its causes into one string: `cannot read `x`: permission denied`.
#[must_use]
pub fn with_causes(error: &dyn Error) -> String {
    sentences(error).join(": ")
}

/// The words that begin a line of this program's own.
const LABELS: [&str; 7] = ["error", "warning", "hint", "note", "cause", "advice", "help"];

/// Indents each line of foreign words that would begin like a line of this program's own, and replaces what could move
/// the cursor in it; other lines stay as they are.
#[must_use]
pub fn without_labels(text: &str) -> Cow<'_, str> {
    if !text.split('\n').any(has_label) {
        return Cow::Borrowed(text);
    }
    let guarded = |line: &str| {
        let is_control = |character: char| character.is_control() && character != '\t';
        let shown: String = line.chars().map(|it| if is_control(it) { '\u{FFFD}' } else { it }).collect();
        format!("  {shown}")
    };
    let lines = text.split('\n').map(|line| if has_label(line) { guarded(line) } else { line.to_owned() });
    Cow::Owned(lines.collect::<Vec<_>>().join("\n"))
}

/// Tells whether a line, or what a terminal writes over it, begins with a label. Hidden characters before it count for
/// nothing.
fn has_label(line: &str) -> bool {
    let is_break =
        |character: char| character.is_control() && character != '\t' || "\u{2028}\u{2029}".contains(character);
    let behind = line.match_indices(is_break).map(|(at, control)| {
        let rest = behind_escape(control, &line[at + control.len()..]);
        rest.split(is_break).next().unwrap_or_default()
    });
    line.split(is_break).take(1).chain(behind).any(begins_with_label)
}

/// Returns what a terminal shows of a text behind a control character: the rest of an escape sequence is not shown.
fn behind_escape<'t>(control: &str, text: &'t str) -> &'t str {
    let last = match (control, text.strip_prefix('[')) {
        ("\u{1b}", None) => text,
        ("\u{1b}", Some(sequence)) => sequence.trim_start_matches(|it: char| matches!(it, '0'..='?')),
        ("\u{9b}", _) => text.trim_start_matches(|it: char| matches!(it, '0'..='?')),
        _ => return text,
    };
    let last = last.trim_start_matches(|it: char| matches!(it, ' '..='/'));
    last.strip_prefix(|end: char| matches!(end, '0'..='~')).unwrap_or(last)
}

/// Tells whether a text begins with a label.
fn begins_with_label(part: &str) -> bool {
    let part = part.trim_start_matches(|character: char| !character.is_ascii() && !character.is_alphanumeric());
    let word = part.split(':').next().filter(|word| word.len() < part.len()).unwrap_or_default();
    LABELS.iter().any(|label| word.eq_ignore_ascii_case(label))
}

/// Cuts the middle out of a text that is longer than `most` characters, and says how much is left out.
#[must_use]
pub fn without_middle(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let half = most / 2;
    let beginning: String = text.chars().take(half).collect();
    let end: String = text.chars().skip(length - half).collect();
    format!("{beginning}…[{} characters left out]…{end}", length - 2 * half)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("{sentence}")]
    struct Made {
        sentence: &'static str,
        source: Option<Box<Self>>,
    }

    fn made(sentences: &[&'static str]) -> Made {
        let (sentence, rest) = sentences.split_first().unwrap();
        Made { sentence, source: (!rest.is_empty()).then(|| Box::new(made(rest))) }
    }

    #[test]
    fn no_foreign_line_begins_like_a_line_of_this_program() {
        for line in
            ["hint: x", "Error: x", "WARNING:", "\rhint: x", "x\rhint: y", "\u{1b}[2Khint: x", "\u{1b}[1;31merror: x"]
        {
            let text = format!("a\n{line}\nb");
            let shown = without_labels(&text);
            assert!(shown.split('\n').all(|line| !has_label(line)), "{shown:?}");
            assert!(shown.starts_with("a\n  ") && shown.ends_with("\nb"), "{shown:?}");
        }
        for line in
            ["\u{1b}chint: x", "\u{1b}(Bhint: x", "\u{1b}[!phint: x", "\u{9b}2Khint: x", "\u{1b}]0;x\u{1b}\\hint: x"]
        {
            assert!(without_labels(line).starts_with("  "), "{line:?}");
        }
        assert!(has_label("\u{200b}hint: x") && has_label("x\u{2028}hint: y"));
        for line in ["  hint: x", "hints: x", "hint", "a hint: x", "{\"error\": 1}", "", "x: error:"] {
            assert_eq!(without_labels(line), line);
        }
    }

    #[test]
    fn causes_follow_the_error_outermost_first() {
        let error = made(&["cannot read `x`", "the disk failed", "timed out"]);
        assert_eq!(with_causes(&error), "cannot read `x`: the disk failed: timed out");
        assert_eq!(sentences(&error), ["cannot read `x`", "the disk failed", "timed out"]);
        assert_eq!(with_causes(&made(&["alone"])), "alone");
    }

    #[test]
    fn a_sentence_is_not_said_twice_in_a_row() {
        assert_eq!(with_causes(&made(&["a", "a", "b", "a"])), "a: b: a");
        assert_eq!(
            sentences(&made(&["x cannot run: no y", "no y", "the disk failed"])),
            ["x cannot run: no y", "the disk failed"]
        );
        assert_eq!(sentences(&made(&["cannot", "not"])), ["cannot", "not"]);
    }
}
