//! Finding secrets by their beginning or the text before them: one pass of an Aho-Corasick automaton over all
//! beginnings, then a bounded look from each place that it names.

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::context::{self, CONTEXTS, Context};
use super::keys::{self, KEYS, KeyForm};
use super::names::{self, NAME_WORDS};
use super::shapes::{Look, SHAPES, Shape};

/// A secret in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: Cow<'static, str>,
    pub(super) certainty: Certainty,
}

/// How sure a find is, least first: of two that begin at the same place, the surer one names the kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Certainty {
    /// By the name that it is assigned to.
    Named,
    /// By the words around it.
    Context,
    /// By a beginning of so many bytes.
    Shape(usize),
    /// It is a private key.
    Key,
    /// It is a secret of this installation.
    Known,
}

/// What a beginning is the beginning of.
#[derive(Debug, Clone, Copy)]
enum Beginning {
    Shape { shape: &'static Shape, length: usize },
    Context(Context),
    Key(KeyForm),
    Name,
}

struct Automaton {
    automaton: AhoCorasick,
    beginnings: Vec<Beginning>,
}

static AUTOMATON: LazyLock<Automaton> = LazyLock::new(|| {
    let (mut patterns, mut beginnings) = (Vec::new(), Vec::new());
    for shape in SHAPES {
        for start in shape.starts {
            patterns.push(*start);
            beginnings.push(Beginning::Shape { shape, length: start.len() });
        }
    }
    for (word, context) in CONTEXTS {
        patterns.push(*word);
        beginnings.push(Beginning::Context(*context));
    }
    for (word, form) in KEYS {
        patterns.push(*word);
        beginnings.push(Beginning::Key(*form));
    }
    for word in NAME_WORDS {
        patterns.push(*word);
        beginnings.push(Beginning::Name);
    }
    let automaton = AhoCorasick::builder().ascii_case_insensitive(true).match_kind(MatchKind::Standard).build(patterns);
    Automaton { automaton: automaton.expect("because the table is small"), beginnings }
});

/// Finds all that may be replaced; spans may overlap.
pub(super) fn spans(text: &str) -> Vec<Span> {
    let Automaton { automaton, beginnings } = &*AUTOMATON;
    let mut found = Vec::new();
    // Text in a block was checked with it, so that no text is looked at twice.
    let (mut looked_at, mut too_long) = (0, 0);
    for hit in automaton.find_overlapping_iter(text) {
        let (start, end) = (hit.start(), hit.end());
        if start < looked_at {
            continue;
        }
        match beginnings[hit.pattern().as_usize()] {
            Beginning::Shape { .. } if start < too_long => {}
            Beginning::Shape { shape, length } => match shape.look(text, start, length) {
                Look::Token { end } => found.push(span(start, end, shape.kind, Certainty::Shape(length))),
                Look::TooLong { end } => too_long = end,
                Look::Other => {}
            },
            Beginning::Context(context) => {
                found.extend(
                    context::find(context, text, start, end)
                        .map(|(start, end, kind)| span(start, end, kind, Certainty::Context)),
                );
            }
            Beginning::Key(form) => {
                if let Some((start, end)) = keys::find(form, text, start, end) {
                    looked_at = end;
                    found.push(span(start, end, keys::KIND, Certainty::Key));
                }
            }
            Beginning::Name => {
                found.extend(
                    names::find(text, start, end).map(|(start, end, kind)| span(start, end, kind, Certainty::Named)),
                );
            }
        }
    }
    found
}

/// Returns where the first place is at which a secret, or a word that a secret follows, may begin.
pub(super) fn first_beginning(text: &str) -> Option<usize> {
    let Automaton { automaton, beginnings } = &*AUTOMATON;
    let hits = automaton.find_overlapping_iter(text).filter(|hit| match beginnings[hit.pattern().as_usize()] {
        // The search does not tell capitals from small letters, but words of prose are full of these beginnings.
        Beginning::Shape { shape, .. } => shape.begins(text, hit.start(), hit.end()),
        Beginning::Context(_) | Beginning::Key(_) | Beginning::Name => true,
    });
    hits.map(|hit| hit.start()).min()
}

/// Tells whether a text is a part of a word by which secrets are found, from its beginning.
pub(super) fn is_begun(text: &str) -> bool {
    let starts = SHAPES.iter().flat_map(|shape| shape.starts.iter().copied());
    let words = CONTEXTS.iter().map(|(word, _)| *word).chain(KEYS.iter().map(|(word, _)| *word));
    let is_begun =
        |word: &str| word.len() > text.len() && word.as_bytes()[..text.len()].eq_ignore_ascii_case(text.as_bytes());
    starts.chain(words).chain(NAME_WORDS.iter().copied()).any(is_begun)
}

fn span(start: usize, end: usize, kind: &'static str, certainty: Certainty) -> Span {
    Span { start, end, kind: Cow::Borrowed(kind), certainty }
}
