//! From what the index ranks to what is shown: the files of one page are read, judged and cut into passages.
//!
//! Everything shown of an item, and its verdict, comes from the same bytes, read just now. Where they are no longer those
//! that were ranked, there is no answer yet: the caller searches again.

use super::super::locate::{LocateError, shown_path, subject};
use super::items::Items;
use super::outcome::{FoundItem, Hit, Outcome, Snippet, What};
use super::readable::Readable;
use super::{Error, Search, Sort, place};
use crate::index::{self, Found, Key, Matched};
use crate::trust::Signed;
use crate::workspace::{self, Candidate};

/// How long a passage is at most, in bytes.
pub(super) const SNIPPET: usize = 200;

/// What to do about a file that changed while it was searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Changed {
    /// There is no answer.
    Again,
    /// The answer lacks it, and says so.
    LeaveOut,
}

/// Searches the items once; no outcome when what would be shown has changed meanwhile.
pub(super) fn search(
    search: &Search<'_>,
    changed: Changed,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Option<Outcome>, Error> {
    let items = Items::survey(search.locator)?;
    let found = ranked(search, &items, progress)?;
    let mut outcome = Outcome { total: found.total, offset: search.offset, ..Outcome::default() };
    for ranked in &found.hits {
        match hit(search, &items, ranked, &found.words)? {
            Some(hit) => outcome.results.push(hit),
            None if changed == Changed::Again => return Ok(None),
            None => outcome.warnings.push("a file that fits keeps changing and is not shown: search again".to_owned()),
        }
    }
    outcome.corrected = found.corrected;
    outcome.did_you_mean = found.did_you_mean;
    outcome.warnings.extend(found.warning);
    if search.options.explain {
        outcome.warnings.extend(found.rebuilt);
    }
    tell_of_what_is_missing(search, &items, &mut outcome);
    Ok(Some(outcome))
}

fn ranked(search: &Search<'_>, items: &Items<'_>, progress: &mut dyn FnMut(usize, usize)) -> Result<Found, Error> {
    let options = search.options;
    let accepts = |key: &Key| search.accepts(&key.0);
    let is_narrow = options.item_type.is_some() || options.space.is_some() || options.allowed.is_some();
    let verdict = |key: &Key| verdict(search, items, key);
    let newest = |a: usize, b: usize| items.sighting(b).stamp.modified_ns.cmp(&items.sighting(a).stamp.modified_ns);
    let by_id = |a: usize, b: usize| id_of(&items.sighting(a).name).cmp(id_of(&items.sighting(b).name));
    let options = index::Options {
        accepts: is_narrow.then_some(&accepts),
        verdict: Some(&verdict),
        offset: search.offset,
        max: search.max,
        sort: match options.sort {
            Sort::Score => index::Sort::Score,
            Sort::Date => index::Sort::By(&newest),
            Sort::Name => index::Sort::By(&by_id),
        },
        fuzzy: options.fuzzy,
        explain: options.explain,
    };
    Ok(index::search(&place(search.locator, "items"), items, search.query, &options, progress)?)
}

/// Returns the word for what an item's signature is worth now; none fits where it cannot be read.
fn verdict(search: &Search<'_>, items: &Items<'_>, key: &Key) -> String {
    let read = items.named(key).and_then(|candidate| Some((items.bytes(&candidate).ok()?.0, candidate)));
    let signed =
        |(bytes, candidate): (Vec<u8>, Candidate)| Signed::new(subject(&candidate), bytes).in_space(candidate.space);
    read.map(|read| search.locator.verdict(signed(read)).to_string()).unwrap_or_default()
}

/// Returns the id, and what makes names of one id differ, of `space/folder/id.extension`.
fn id_of(name: &str) -> &str {
    name.splitn(3, '/').nth(2).unwrap_or(name)
}

/// Reads, judges and cuts one item; `None` if it is gone or no longer what was ranked.
fn hit(search: &Search<'_>, items: &Items<'_>, ranked: &index::Hit, words: &Matched) -> Result<Option<Hit>, Error> {
    let Some(candidate) = items.named(&ranked.key) else { return Ok(None) };
    let (bytes, stamp) = match items.bytes(&candidate) {
        Err(workspace::Error::NotFound { .. }) => return Ok(None),
        read => read.map_err(LocateError::from)?,
    };
    if stamp != items.sighting(ranked.position).stamp {
        return Ok(None);
    }
    let readable = Readable::of(&candidate, &bytes);
    let snippet = snippet(&readable, words);
    let signed = Signed::new(subject(&candidate), bytes).in_space(candidate.space);
    let spaces = items.spaces_of(candidate.item_type, &candidate.id);
    Ok(Some(Hit {
        what: What::Item(FoundItem {
            path: shown_path(&candidate),
            verdict: search.locator.verdict(signed),
            shadows: spaces.iter().copied().filter(|space| *space > candidate.space).collect(),
            shadowed_by: spaces.first().copied().filter(|space| *space < candidate.space),
            item_type: candidate.item_type,
            space: candidate.space,
            item_id: candidate.id,
        }),
        title: readable.title,
        description: readable.description,
        score: rounded(ranked.score),
        date: stamp.modified_ns,
        snippet: snippet.text,
        highlights: snippet.highlights,
        explanation: ranked.explanation.clone(),
    }))
}

/// Rounds a score to what people and programs can compare.
pub(super) fn rounded(score: f32) -> f64 {
    (f64::from(score) * 10_000.0).round() / 10_000.0
}

/// Cuts a passage from the first of an item's texts that has a match: what is written for readers before the rest.
fn snippet(readable: &Readable, words: &Matched) -> Snippet {
    let texts = [&readable.prose, &readable.description, &readable.text];
    let matching = texts.iter().map(|text| (text, words.ranges(text))).find(|(_, ranges)| !ranges.is_empty());
    match matching {
        Some((text, ranges)) => Snippet::cut(text, &ranges, SNIPPET),
        None => Snippet::cut(&readable.description, &[], SNIPPET),
    }
}

/// Tells what is not searched, and why; in a thread only of what it may search.
fn tell_of_what_is_missing(search: &Search<'_>, items: &Items<'_>, outcome: &mut Outcome) {
    let told = items.passed_over.iter().filter(|file| search.options.allows(file.item_type, &file.item_id));
    outcome.passed_over = told.map(|file| file.path.clone()).collect();
    if search.options.allowed.is_none() {
        outcome.warnings.extend(items.failures().into_iter().map(|failure| format!("{failure}: it is not searched")));
    }
}
