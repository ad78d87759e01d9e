//! What a search found: the struct that `--json` prints and that a call inside a thread returns.

use std::ops::Range;

use serde::Serialize;

use super::sort::Sort;
use crate::git::CommitId;
use crate::id::{ItemId, ItemType, Space, ThreadId};
use crate::item::Takes;
use crate::trust::Verdict;

/// The results.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Outcome {
    /// How many fit, shown or not.
    pub total: usize,
    /// How many of the best were passed by.
    pub offset: usize,
    /// One page of what fits, the best first.
    pub results: Vec<Hit>,
    /// Whether a word of the query is nowhere, and words that are nearly the same were found in its place.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub corrected: bool,
    /// What the query was probably meant to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub did_you_mean: Option<String>,
    /// What the answer may lack, or what made it slow: one sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Files that were passed over because their id is reserved and they differ.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub passed_over: Vec<String>,
}

/// One thing that fits.
#[derive(Debug, Clone, Serialize)]
pub struct Hit {
    /// A directive, a tool, knowledge, or a turn of a thread.
    #[serde(flatten)]
    pub what: What,
    /// Its title; the last segment of the id where it has none.
    pub title: String,
    /// One line of what it is.
    pub description: String,
    /// What the tool or directive takes, so that it can be called without looking at it first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<Takes>,
    /// How well it fits: greater is better; comparable only within the same answer.
    pub score: f64,
    /// A passage of it that fits, on one line: data, never instructions.
    pub snippet: String,
    /// The parts of the snippet that fit: byte offsets of beginning and end.
    pub highlights: Vec<(usize, usize)>,
    /// When it was changed last, in nanoseconds since 1970.
    #[serde(skip)]
    pub(super) date: i64,
    /// How the score came about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub explanation: Vec<String>,
}

/// The results.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum What {
    /// An item.
    Item(FoundItem),
    /// A turn of a thread.
    Turn(FoundTurn),
}

/// An item that fits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FoundItem {
    /// The type.
    pub item_type: ItemType,
    /// The id.
    pub item_id: ItemId,
    /// The verdict of its signature.
    pub verdict: Verdict,
    /// Where it was found.
    pub space: Space,
    /// Its file.
    pub path: String,
    /// The spaces whose item of this id it hides.
    pub shadows: Vec<Space>,
    /// The space whose item of this id hides it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shadowed_by: Option<Space>,
}

/// A turn of a thread that fits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FoundTurn {
    /// `thread`.
    pub item_type: &'static str,
    /// The thread.
    pub item_id: ThreadId,
    /// The turn; 0 is the start.
    pub turn: u32,
    /// The commit that brought it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit_id: Option<CommitId>,
}

impl Outcome {
    /// Joins two answers, each from its beginning, to one page.
    pub(super) fn joined(mut self, other: Self, sort: Sort, offset: usize, max: usize) -> Self {
        self.total += other.total;
        self.offset = offset;
        self.results.extend(other.results);
        match sort {
            Sort::Score => self.results.sort_by(|a, b| b.score.total_cmp(&a.score)),
            Sort::Date => self.results.sort_by_key(|hit| std::cmp::Reverse(hit.date)),
            Sort::Name => self.results.sort_by_key(Hit::id),
        }
        self.results = self.results.into_iter().skip(offset).take(max).collect();
        self.corrected |= other.corrected;
        self.did_you_mean = self.did_you_mean.or(other.did_you_mean);
        self.warnings.extend(other.warnings);
        self
    }
}

impl Hit {
    /// Returns the id of the item or thread.
    #[must_use]
    pub fn id(&self) -> String {
        match &self.what {
            What::Item(item) => item.item_id.to_string(),
            What::Turn(turn) => turn.item_id.to_string(),
        }
    }
}

/// A passage with the parts of it that fit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Snippet {
    pub(super) text: String,
    pub(super) highlights: Vec<(usize, usize)>,
}

impl Snippet {
    /// Cuts the passage of at most `most` bytes that holds the most matches, on one line.
    ///
    /// `matches` are byte ranges of `text`, in order and apart from each other.
    pub(super) fn cut(text: &str, matches: &[Range<usize>], most: usize) -> Self {
        let start = best_start(text, matches, most);
        let end = floor(text, (start + most).min(text.len()));
        let end = if end == text.len() {
            end
        } else {
            text[start..end].rfind(char::is_whitespace).map_or(end, |at| start + at)
        };
        let mut snippet = Self::default();
        if !text[..start].trim().is_empty() {
            snippet.text.push('…');
        }
        let mut at = start;
        for range in matches.iter().filter(|range| range.start >= start && range.end <= end) {
            snippet.add(&text[at..range.start]);
            let from = snippet.text.len();
            snippet.add(&text[range.clone()]);
            // A blank that the match begins after is not part of it.
            snippet.highlights.push((from, snippet.text.len()));
            at = range.end;
        }
        snippet.add(&text[at..end]);
        snippet.text.truncate(snippet.text.trim_end().len());
        if !text[end..].trim().is_empty() {
            snippet.text.push('…');
        }
        snippet
    }

    /// Adds text, every run of blanks as one.
    fn add(&mut self, text: &str) {
        for character in text.chars() {
            if !character.is_whitespace() {
                self.text.push(character);
            } else if !self.text.is_empty() && !self.text.ends_with([' ', '…']) {
                self.text.push(' ');
            }
        }
    }
}

/// Returns where the passage with the most matches begins: a little before its first one, at the beginning of a word.
fn best_start(text: &str, matches: &[Range<usize>], most: usize) -> usize {
    let within = |first: &Range<usize>| {
        let lead = first.start.saturating_sub(most / 5);
        // Looked up, not counted: a hostile text is nothing but matches.
        let before = matches.partition_point(|range| range.start < lead);
        matches.partition_point(|range| range.end <= lead + most).saturating_sub(before)
    };
    // The first of the best: the top of a text says more.
    let mut best: Option<(usize, &Range<usize>)> = None;
    for first in matches {
        let number = within(first);
        if best.is_none_or(|(most, _)| number > most) {
            best = Some((number, first));
        }
    }
    let Some((_, first)) = best else { return text.len() - text.trim_start().len() };
    let lead = floor(text, first.start.saturating_sub(most / 5));
    if lead == 0 {
        return text.len() - text.trim_start().len();
    }
    match text[lead..first.start].find(char::is_whitespace) {
        Some(blank) => lead + blank + text[lead + blank..].chars().next().map_or(0, char::len_utf8),
        None => first.start,
    }
}

/// Returns the nearest boundary of a character at or before `at`.
fn floor(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::single_range_in_vec_init, reason = "one match is a list of one range")]

    use super::*;

    #[test]
    fn a_passage_holds_the_matches_and_their_places() {
        let text =
            "# Title\n\nWords before it. A branch\nis a thread, and a thread is a branch. And many words after it.";
        let all: Vec<Range<usize>> = text.match_indices("branch").map(|(at, word)| at..at + word.len()).collect();
        let snippet = Snippet::cut(text, &all, 60);
        assert_eq!(snippet.text, "…it. A branch is a thread, and a thread is a branch. And…");
        let marked: Vec<&str> = snippet.highlights.iter().map(|(start, end)| &snippet.text[*start..*end]).collect();
        assert_eq!(marked, ["branch", "branch"]);
        assert_eq!(
            Snippet::cut("  short\n", &[2..7], 60),
            Snippet { text: "short".to_owned(), highlights: vec![(0, 5)] }
        );
        assert_eq!(Snippet::cut("", &[], 60), Snippet::default());
    }

    /// To compare every match with every other would take hours here.
    #[test]
    fn a_text_that_is_nothing_but_matches_is_cut_like_any_other() {
        let text = "zz ".repeat(350_000);
        let matches: Vec<Range<usize>> = (0..350_000).map(|number| number * 3..number * 3 + 2).collect();
        let snippet = Snippet::cut(&text, &matches, 200);
        assert!(snippet.text.starts_with("zz zz") && snippet.highlights.len() > 60, "{snippet:?}");
    }

    #[test]
    fn a_passage_never_splits_a_character() {
        let text = "äöü ".repeat(200);
        for most in 1..40 {
            let snippet = Snippet::cut(&text, &[399..405], most);
            assert!(snippet.text.chars().all(|character| "äöü …".contains(character)), "{snippet:?}");
        }
    }
}
