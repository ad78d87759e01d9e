//! What a search finds.

use std::ops::Range;

use super::collection::Collection;
use super::corpus::Entry;
use super::evaluate::{Evaluation, Unknown};
use super::highlight::Matched;
use super::options::{Options, Sort};
use super::query::Query;
use super::score::Matches;

/// What a search found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// How many documents match.
    pub total: usize,
    /// The page that was asked for.
    pub hits: Vec<Hit>,
    /// The query with its unknown words replaced by the nearest known ones.
    pub did_you_mean: Option<String>,
    /// Whether a word was found only by tolerating typos.
    pub corrected: bool,
    /// Why the index could not be stored: the results are right all the same.
    pub warning: Option<String>,
    /// Why the stored index was built anew, if it was there and could not be used.
    pub rebuilt: Option<String>,
    /// The words that matched, to be shown in a text.
    pub words: Matched,
}

/// One result.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The document's key.
    pub key: String,
    /// Its position among the entries of the corpus.
    pub position: usize,
    /// How well it matches; zero for a query that only filters.
    pub score: f32,
    /// What the score is made of, a line each, if that was asked for.
    pub explanation: Vec<String>,
}

/// Answers a query from a collection.
pub(super) fn answer(
    collection: &Collection,
    entries: &[Entry],
    query: &Query,
    options: &Options<'_>,
) -> tantivy::Result<Found> {
    let mut evaluation = Evaluation::new(collection, query);
    evaluation.fuzzy = options.fuzzy;
    evaluation.value = options.value;
    evaluation.parts = options.explain.then(Vec::new);
    let mut matches = evaluation.node(&query.root, collection.accepted())?;
    let named = raise_named(collection, query, &mut matches)?;
    let (total, ranked) = ranked(&matches, &options.sort, options.offset.saturating_add(options.max));
    let explain = |position: usize| explanation(&evaluation, query, position, named.as_deref());
    let page = ranked.iter().skip(options.offset).take(options.max);
    let hits = page.map(|&position| Hit {
        key: entries[position].key.clone(),
        position,
        score: matches.scores[position],
        explanation: if options.explain { explain(position) } else { Vec::new() },
    });
    Ok(Found {
        total,
        hits: hits.collect(),
        did_you_mean: did_you_mean(query, &evaluation.unknown),
        corrected: evaluation.unknown.iter().any(|unknown| !unknown.meant.is_empty()),
        warning: None,
        rebuilt: None,
        words: evaluation.matched,
    })
}

/// Raises the documents of exactly this name above all others. Returns which they are.
fn raise_named(collection: &Collection, query: &Query, matches: &mut Matches) -> tantivy::Result<Option<Vec<bool>>> {
    let Some(name) = &query.name else { return Ok(None) };
    let named = collection.with_value(&[query.schema.exact()], name)?.hits;
    let best = matches.scores.iter().copied().fold(0.0, f32::max);
    for (position, _) in named.iter().enumerate().filter(|(position, named)| **named && matches.hits[*position]) {
        matches.scores[position] += best;
    }
    Ok(Some(named))
}

/// Returns how many documents match, and the first of them.
fn ranked(matches: &Matches, sort: &Sort<'_>, first: usize) -> (usize, Vec<usize>) {
    let mut ranked: Vec<usize> = (0..matches.hits.len()).filter(|position| matches.hits[*position]).collect();
    let total = ranked.len();
    let order = |one: &usize, other: &usize| {
        let by_sort = match sort {
            Sort::Score => matches.scores[*other].total_cmp(&matches.scores[*one]),
            Sort::By(order) => order(*one, *other),
        };
        by_sort.then(one.cmp(other))
    };
    // The others are not shown, so their order does not matter.
    if first < total {
        ranked.select_nth_unstable_by(first, order);
        ranked.truncate(first);
    }
    ranked.sort_unstable_by(order);
    (total, ranked)
}

fn explanation(evaluation: &Evaluation<'_>, query: &Query, position: usize, named: Option<&[bool]>) -> Vec<String> {
    let parts = evaluation.parts.iter().flatten().filter(|part| part.position == position);
    let mut lines: Vec<String> =
        parts.map(|part| format!("{:.2} `{}` in {}", part.score, part.word, query.schema.name(part.field))).collect();
    if named.is_some_and(|named| named[position]) {
        lines.insert(0, "it has exactly this name: raised above all others".to_owned());
    }
    lines
}

fn did_you_mean(query: &Query, unknown: &[Unknown]) -> Option<String> {
    // A text that only looks like syntax is not a mistyped word.
    let is_odd = |range: &Range<usize>| query.odd().any(|(odd, _)| odd.start < range.end && range.start < odd.end);
    let words = unknown.iter().filter(|unknown| !is_odd(&unknown.range));
    let words = words.filter_map(|unknown| Some((unknown.range.clone(), unknown.meant.first()?.as_str())));
    let odd = query.odd().filter_map(|(range, meant)| Some((range.clone(), meant?)));
    let mut replaced: Vec<_> = words.chain(odd).collect();
    replaced.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    replaced.dedup_by_key(|(range, _)| range.start);
    let mut text = query.text.clone();
    for (range, word) in &replaced {
        text.replace_range(range.clone(), word);
    }
    (!replaced.is_empty()).then_some(text)
}
