//! From ranks to results: the files of one page are read, judged and cut into passages.
//!
//! Everything shown of an item, and its verdict, comes from the same bytes, read just now. If they changed after the
//! ranking, there is no answer yet: the caller searches again.

use super::super::locate::{LocateError, shown_path, subject, verdict_of};
use super::error::Error;
use super::items::Items;
use super::outcome::{FoundItem, Hit, Outcome, Snippet, What};
use super::plain::plain;
use super::readable::Readable;
use super::request::{Search, place};
use super::sort::Sort;
use crate::index::{self, Corpus as _, Found, Matched};
use crate::redact::Redactor;
use crate::trust::{Signed, TrustedKeys, Verdict};
use crate::workspace::{self, Candidate};

/// How long a passage is at most, in bytes.
pub(super) const SNIPPET: usize = 200;

/// Fewer files than this are not worth another worker.
const FILES_PER_WORKER: usize = 32;

/// What to do about a file that changed while it was searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IfChanged {
    /// There is no answer yet.
    Again,
    /// The answer lacks it, and says so.
    LeaveOut,
}

/// Searches the items once; no outcome when what would be shown has changed meanwhile.
pub(super) fn search(
    search: &Search<'_>,
    changed: IfChanged,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Option<Outcome>, Error> {
    let items = Items::survey(search.project)?;
    let found = found(search, &items, progress)?;
    page(search, &items, found, changed)
}

/// Asks the index.
fn found(search: &Search<'_>, items: &Items<'_>, progress: &mut dyn FnMut(usize, usize)) -> Result<Found, Error> {
    let options = search.options;
    let accepts = |position: usize| search.accepts(items.candidate(position));
    let is_narrow = options.item_type.is_some() || options.space.is_some() || options.allowed.is_some();
    // The only field that the index asks for.
    let verdict = |_: &str, position: usize| verdict(search, items, position);
    let entries = items.entries();
    let newest = |a: usize, b: usize| entries[b].stamp.modified_ns.cmp(&entries[a].stamp.modified_ns);
    let by_id = |a: usize, b: usize| items.candidate(a).id.cmp(&items.candidate(b).id);
    let options = index::Options {
        accepts: is_narrow.then_some(&accepts),
        value: Some(&verdict),
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
    Ok(index::search(&place(search, "items"), items, search.query, &options, progress)?)
}

/// Reads, judges and cuts the results; no outcome when some of it has changed meanwhile.
fn page(search: &Search<'_>, items: &Items<'_>, found: Found, changed: IfChanged) -> Result<Option<Outcome>, Error> {
    let mut outcome = Outcome { total: found.total, offset: search.offset, ..Outcome::default() };
    let mut files = Vec::new();
    for ranked in &found.hits {
        match file(items, ranked)? {
            Some(file) => files.push(file),
            None if changed == IfChanged::Again => return Ok(None),
            None => outcome.warnings.push("a file that fits keeps changing and is not shown: search again".to_owned()),
        }
    }
    outcome.results = hits(&files, search, &found.words, items);
    outcome.corrected = found.corrected;
    outcome.did_you_mean = found.did_you_mean;
    outcome.warnings.extend(found.warning);
    if search.options.explain {
        outcome.warnings.extend(found.rebuilt);
    }
    tell_of_what_is_missing(search, items, &mut outcome);
    Ok(Some(outcome))
}

/// Returns the word for what an item's signature is worth now; none fits where it cannot be read.
fn verdict(search: &Search<'_>, items: &Items<'_>, position: usize) -> String {
    let candidate = items.candidate(position);
    if let Some(skill) = items.skill(candidate) {
        return search.project.skill_verdict(skill).map(|verdict| verdict.to_string()).unwrap_or_default();
    }
    let Ok((bytes, _)) = items.bytes(candidate) else { return String::new() };
    let signed = Signed::new(subject(candidate), bytes).in_space(candidate.space);
    verdict_of(&search.project.keys(), signed).to_string()
}

/// A file to show, read just now.
struct File<'a> {
    ranked: &'a index::Hit,
    candidate: &'a Candidate,
    bytes: Vec<u8>,
    date: i64,
    /// What a skill is worth: more than one file decides it.
    verdict: Option<Verdict>,
}

/// The shown part of a file's bytes.
struct Shown {
    readable: Readable,
    snippet: Snippet,
    verdict: Verdict,
}

/// Reads one file; `None` if it is gone or changed since the ranking.
fn file<'a>(items: &'a Items<'_>, ranked: &'a index::Hit) -> Result<Option<File<'a>>, Error> {
    let candidate = items.candidate(ranked.position);
    let (bytes, stamp) = match items.bytes(candidate) {
        Err(workspace::Error::NotFound { .. }) => return Ok(None),
        read => read.map_err(LocateError::from)?,
    };
    let is_same = stamp == items.entries()[ranked.position].stamp;
    let verdict = items.skill(candidate).map(|skill| items.project().skill_verdict(skill)).transpose()?;
    Ok(is_same.then_some(File { ranked, candidate, bytes, date: stamp.modified_ns, verdict }))
}

/// Judges files and cuts passages from them, on every core: a signature costs as much as the search itself.
fn hits(files: &[File<'_>], search: &Search<'_>, words: &Matched, items: &Items<'_>) -> Vec<Hit> {
    let (keys, secrets) = (&search.project.keys(), search.options.secrets);
    let look = |share: &[File<'_>]| share.iter().map(|file| file.shown(keys, secrets, words)).collect::<Vec<_>>();
    let shown = workspace::on_every_core(workspace::shares(files, FILES_PER_WORKER), look).into_iter().flatten();
    files.iter().zip(shown).map(|(file, shown)| file.hit(shown, items)).collect()
}

impl File<'_> {
    fn shown(&self, keys: &TrustedKeys, secrets: Option<&Redactor>, words: &Matched) -> Shown {
        // Descriptions and passages are cut from what is read.
        let redacted = secrets.map(|secrets| secrets.redacted_bytes(&self.bytes, false));
        let bytes = redacted.as_ref().map_or(&*self.bytes, |redacted| redacted.as_str().as_bytes());
        let readable = Readable::of(self.candidate, bytes);
        let snippet = snippet(&readable, words);
        let signed = Signed::new(subject(self.candidate), self.bytes.clone()).in_space(self.candidate.space);
        Shown { readable, snippet, verdict: self.verdict.unwrap_or_else(|| verdict_of(keys, signed)) }
    }

    fn hit(&self, shown: Shown, items: &Items<'_>) -> Hit {
        let Candidate { item_type, space, id, .. } = self.candidate;
        let Shown { readable, snippet, verdict } = shown;
        let spaces = items.spaces_of(*item_type, id);
        Hit {
            what: What::Item(FoundItem {
                path: shown_path(self.candidate),
                verdict,
                shadows: spaces.iter().copied().filter(|other| other > space).collect(),
                shadowed_by: spaces.first().copied().filter(|other| other < space),
                item_type: *item_type,
                space: *space,
                item_id: id.clone(),
            }),
            title: readable.title,
            description: readable.description,
            parameters: readable.takes,
            score: rounded(self.ranked.score),
            date: self.date,
            snippet: snippet.text,
            highlights: snippet.highlights,
            explanation: self.ranked.explanation.clone(),
        }
    }
}

/// Rounds a score to what people and programs can compare.
pub(super) fn rounded(score: f32) -> f64 {
    (f64::from(score) * 10_000.0).round() / 10_000.0
}

/// Cuts a passage from the first of an item's texts that has a match: texts for readers first.
pub(super) fn snippet(readable: &Readable, words: &Matched) -> Snippet {
    let cut = |text: &str| {
        let ranges = words.ranges(text);
        (!ranges.is_empty()).then(|| Snippet::cut(text, &ranges, SNIPPET))
    };
    let whole = || if readable.is_markup { cut(&plain(&readable.text)) } else { cut(&readable.text) };
    let found = cut(&readable.prose).or_else(|| cut(&readable.description)).or_else(whole);
    found.unwrap_or_else(|| Snippet::cut(&readable.description, &[], SNIPPET))
}

/// Reports the unsearched parts, and why; in a thread only those that it may search.
fn tell_of_what_is_missing(search: &Search<'_>, items: &Items<'_>, outcome: &mut Outcome) {
    let told = items.passed_over.iter().filter(|file| search.options.allows(file.item_type, &file.item_id));
    outcome.passed_over = told.map(|file| file.path.clone()).collect();
    if search.options.allowed.is_none() {
        outcome.warnings.extend(items.failures());
    }
}
