//! Which documents match a query, and how well.

use super::collection::Collection;
use super::highlight::Matched;
use super::options::ValueOf;
use super::phrase::Phrase;
use super::piece::Piece;
use super::query::{Group, Leaf, Node, Query, What};
use super::schema::{FieldId, Kind, STEM, Schema};
use super::score::{Frequencies, Matches};
use super::typos::suitable;
use super::words::{Stems, Word, split};

/// The weight of a form of a word relative to the word itself.
const STEM_SHARE: f32 = 0.7;
const PREFIX_SHARE: f32 = 0.8;
const TYPO_SHARES: [f32; 2] = [0.4, 0.2];

/// One query over one collection.
pub(super) struct Evaluation<'e> {
    collection: &'e Collection,
    /// Whether every word may have typos, not only those that are nowhere.
    pub fuzzy: bool,
    /// What the caller knows of a field and a document.
    pub value: Option<ValueOf<'e>>,
    schema: &'static Schema,
    stems: Stems,
    pub matched: Matched,
    pub unknown: Vec<Unknown>,
    /// What added to which score, if it is asked for.
    pub parts: Option<Vec<Part>>,
    /// The query as it was written.
    text: &'e str,
    /// How many `NOT` are around: excluded words are neither corrected nor highlighted.
    excluded: usize,
}

/// A word that no document has.
pub(super) struct Unknown {
    /// Its place in the query.
    pub range: std::ops::Range<usize>,
    /// The words that may be meant, nearest first.
    pub meant: Vec<String>,
}

/// What a word in a field added to a document's score.
pub(super) struct Part {
    pub position: usize,
    pub word: String,
    pub field: FieldId,
    pub score: f32,
}

/// A word of the index and how much it counts.
struct Form {
    text: String,
    share: f32,
}

impl<'e> Evaluation<'e> {
    pub(super) fn new(collection: &'e Collection, query: &'e Query) -> Self {
        Self {
            collection,
            text: &query.text,
            fuzzy: false,
            value: None,
            schema: query.schema,
            stems: Stems::default(),
            matched: Matched::default(),
            unknown: Vec::new(),
            parts: None,
            excluded: 0,
        }
    }

    /// Finds the documents that match. The caller is asked only for those in `within`.
    pub(super) fn node(&mut self, node: &Node, within: &[bool]) -> tantivy::Result<Matches> {
        match node {
            Node::Everything => Ok(Matches::of(self.collection.accepted().to_vec())),
            Node::Leaf(leaf) => self.leaf(leaf, within),
            Node::Group(group) => self.group(group, within),
            Node::Or(nodes) => {
                let mut matches = Matches::none(within.len());
                for node in nodes {
                    matches.or(&self.node(node, within)?);
                }
                Ok(matches)
            }
        }
    }

    /// Clauses that ask the caller come last, when few documents are left.
    fn group(&mut self, group: &Group, within: &[bool]) -> tantivy::Result<Matches> {
        let mut matches = Matches::of(within.to_vec());
        let late_words = group.should.iter().any(Node::asks);
        for asking in [false, true] {
            for node in group.must.iter().filter(|node| node.asks() == asking) {
                let found = self.node(node, &matches.hits)?;
                matches.and(&found);
            }
            self.excluded += 1;
            for node in group.not.iter().filter(|node| node.asks() == asking) {
                let found = self.node(node, &matches.hits)?;
                matches.and_not(&found);
            }
            self.excluded -= 1;
            if asking == late_words && !group.should.is_empty() {
                self.words(group, &mut matches)?;
            }
        }
        Ok(matches)
    }

    /// A list of words: one must match, and a document ranks by the information of its matching words.
    fn words(&mut self, group: &Group, matches: &mut Matches) -> tantivy::Result<()> {
        let mut found = Matches::none(matches.hits.len());
        let mut covered = vec![0.0; matches.hits.len()];
        let mut all = 0.0;
        for node in &group.should {
            let word = self.node(node, &matches.hits)?;
            all += word.weight;
            for (position, _) in word.hits.iter().enumerate().filter(|(_, hit)| **hit) {
                covered[position] += word.weight;
            }
            found.or(&word);
        }
        for (score, covered) in found.scores.iter_mut().zip(covered) {
            *score *= if all > 0.0 { covered / all } else { 1.0 };
        }
        found.weight = all;
        if group.optional {
            matches.add(&found);
        } else {
            matches.and(&found);
        }
        Ok(())
    }

    fn leaf(&mut self, leaf: &Leaf, within: &[bool]) -> tantivy::Result<Matches> {
        match &leaf.what {
            What::Value(value) => self.collection.with_value(&leaf.fields, value),
            What::Asked(field, value) => Ok(self.asked(*field, value, within)),
            What::Phrase(parts, distance) => {
                self.mark(|matched| matched.words.extend(parts.iter().cloned()));
                let parts = parts.iter().map(|part| vec![part.clone()]).collect();
                self.text(leaf, &[Wanted::Phrase(&Phrase { parts, distance: *distance })])
            }
            What::Prefix(begin) => {
                let begin: String = split(begin).into_iter().filter(|word| !word.whole).map(|word| word.text).collect();
                self.mark(|matched| _ = matched.prefixes.insert(begin.clone()));
                self.text(leaf, &[Wanted::Beginning(&begin)])
            }
            What::Word(word) => {
                let typos = (self.fuzzy && self.excluded == 0).then(|| suitable(word));
                self.word(leaf, &split(word), typos)
            }
            What::Fuzzy(word, typos) => {
                let typos = typos.map_or_else(|| suitable(word), usize::from);
                self.word(leaf, &split(word), Some(typos))
            }
        }
    }

    fn asked(&self, field: FieldId, value: &str, within: &[bool]) -> Matches {
        let name = self.schema.name(field);
        let has = |position| self.value.is_some_and(|of| of(name, position) == value);
        Matches::of(within.iter().enumerate().map(|(position, hit)| *hit && has(position)).collect())
    }

    /// A word as it is, in its other forms, and, where it is nowhere or that is asked for, with typos.
    fn word(&mut self, leaf: &Leaf, words: &[Word], typos: Option<usize>) -> tantivy::Result<Matches> {
        let parts: Vec<&Word> = words.iter().filter(|word| !word.whole).collect();
        let whole = words.iter().find(|word| word.whole).filter(|whole| whole.range.len() == parts_length(&parts));
        self.mark(|matched| matched.words.extend(whole.map(|whole| whole.text.clone())));
        let (mut forms, phrase) = match (&parts[..], whole) {
            ([part], _) => (self.forms(&part.text), None),
            (_, whole) => (whole.map(|whole| exactly(&whole.text)).into_iter().collect(), Some(self.parts(&parts))),
        };
        let matches = self.text(leaf, &wanted(&forms, phrase.as_ref()))?;
        let unknown = matches.count() == 0 && self.excluded == 0;
        if let Some(word) = forms.first().map(|form| form.text.clone())
            && let Some(typos) = typos.or_else(|| unknown.then(|| suitable(&word)))
        {
            let near = self.collection.near(&leaf.fields, &word, typos)?;
            if unknown {
                let meant = near.iter().map(|(word, _)| word.clone()).collect();
                self.unknown.push(Unknown { range: place_of(leaf, &parts), meant });
            }
            if !near.is_empty() {
                self.mark(|matched| matched.words.extend(near.iter().map(|(word, _)| word.clone())));
                forms.extend(near.into_iter().map(|(text, typos)| Form { text, share: TYPO_SHARES[typos - 1] }));
                return self.text(leaf, &wanted(&forms, phrase.as_ref()));
            }
        }
        if unknown && parts.len() > 1 && leaf.is_anywhere { self.apart(leaf, &parts) } else { Ok(matches) }
    }

    /// Words that are never found together may be found apart.
    fn apart(&mut self, leaf: &Leaf, parts: &[&Word]) -> tantivy::Result<Matches> {
        let mut matches = Matches::none(self.collection.accepted().len());
        for part in parts {
            matches.or(&self.word(leaf, &[(*part).clone()], None)?);
        }
        Ok(matches)
    }

    fn parts(&mut self, parts: &[&Word]) -> Phrase {
        let forms = parts.iter().map(|part| self.forms(&part.text).into_iter().map(|form| form.text).collect());
        Phrase { parts: forms.collect(), distance: None }
    }

    /// A word, the words of the same stem, and the stem where it is a word of its own.
    fn forms(&mut self, word: &str) -> Vec<Form> {
        let stem = self.stems.of(word).to_owned();
        let stem_is_word = self.stems.of(&stem) == stem;
        let mut forms = vec![exactly(word), Form { text: format!("{STEM}{stem}"), share: STEM_SHARE }];
        if stem != word && stem_is_word {
            forms.push(Form { text: stem.clone(), share: STEM_SHARE });
        }
        self.mark(|matched| {
            matched.words.insert(word.to_owned());
            matched.stems.insert(stem);
        });
        forms
    }

    fn mark(&mut self, mark: impl FnOnce(&mut Matched)) {
        if self.excluded == 0 {
            mark(&mut self.matched);
        }
    }

    /// Scores every document with a part of the query in one of the fields.
    fn text(&mut self, leaf: &Leaf, wanted: &[Wanted<'_>]) -> tantivy::Result<Matches> {
        let mut matches = Matches::none(self.collection.accepted().len());
        let (is_explained, mut parts) = (self.parts.is_some(), Vec::new());
        for &field in &leaf.fields {
            let Some(&Kind::Text(weight)) = self.schema.kind(field) else { continue };
            for piece in self.collection.pieces() {
                let mut frequencies = Frequencies::new(piece);
                for wanted in wanted {
                    wanted.add(piece, field, &mut frequencies)?;
                }
                frequencies.scores(piece, field, weight, |position, score| {
                    matches.hits[position] = true;
                    matches.scores[position] += score;
                    if is_explained {
                        parts.push((position, field, score));
                    }
                })?;
            }
        }
        matches.weigh(self.collection.count());
        if let Some(all) = &mut self.parts {
            let word = &self.text[leaf.range.clone()];
            all.extend(parts.into_iter().map(|(position, field, score)| Part {
                position,
                word: word.to_owned(),
                field,
                score: score * matches.weight,
            }));
        }
        Ok(matches)
    }
}

/// The searched part of a field.
enum Wanted<'w> {
    Form(&'w Form),
    Beginning(&'w str),
    Phrase(&'w Phrase),
}

impl Wanted<'_> {
    fn add(&self, piece: &Piece, field: FieldId, frequencies: &mut Frequencies) -> tantivy::Result<()> {
        match self {
            Self::Form(form) => {
                piece.each(field, &form.text, |document, times| frequencies.add(document, times, form.share))
            }
            Self::Beginning(begin) => piece.each_beginning(field, begin, |document, times, whole| {
                frequencies.add(document, times, if whole { 1.0 } else { PREFIX_SHARE });
            }),
            Self::Phrase(phrase) => {
                let found = phrase.documents(piece, field)?;
                found.into_iter().for_each(|(document, times)| frequencies.add(document, times, 1.0));
                Ok(())
            }
        }
    }
}

fn wanted<'w>(forms: &'w [Form], phrase: Option<&'w Phrase>) -> Vec<Wanted<'w>> {
    forms.iter().map(Wanted::Form).chain(phrase.map(Wanted::Phrase)).collect()
}

fn exactly(word: &str) -> Form {
    Form { text: word.to_owned(), share: 1.0 }
}

/// The places of a word's parts in the query.
fn place_of(leaf: &Leaf, parts: &[&Word]) -> std::ops::Range<usize> {
    let start = leaf.range.start + parts.first().map_or(0, |first| first.range.start);
    start..start + parts_length(parts)
}

fn parts_length(parts: &[&Word]) -> usize {
    parts.last().map_or(0, |last| last.range.end) - parts.first().map_or(0, |first| first.range.start)
}
