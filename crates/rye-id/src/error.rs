//! An error and its causes, as sentences, and details that are too long for one.

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
