//! Text as words, the same for documents, queries and highlighting.
//!
//! A *run* is letters and digits with `_`, `-` and `'` between them; a run is split into *parts* at those and where
//! CamelCase turns: `rye_execute`, `rye-execute` and `ryeExecute` are the parts `rye`, `execute`. A run of several parts is
//! also one *whole* word, `ryeexecute`, at the place of its first part. Paths and dotted names are runs one after
//! another. Each Chinese, Japanese or Korean character is a part of its own. Everything is in lower case.

use std::collections::HashMap;
use std::ops::Range;

use tantivy::tokenizer::{AsciiFoldingFilter, Language, RawTokenizer, Stemmer, TextAnalyzer, TokenStream as _};

/// Longer words are cut: their rest is not searched.
const MAX_WORD_BYTES: usize = 128;

/// A run of more parts is not a name any more, and not searched as a whole.
const MAX_WHOLE_PARTS: usize = 8;

/// One word of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// In lower case.
    pub text: String,
    /// Its bytes in the text.
    pub range: Range<usize>,
    /// Its number among the parts of the text; a whole has that of its first part.
    pub position: usize,
    /// Whether it is several parts together.
    pub whole: bool,
}

/// Splits a text into words, each whole before its parts.
pub(super) fn split(text: &str) -> Vec<Word> {
    split_runs(text, |_| true)
}

/// Splits the runs of a text that are wanted into words, and counts only these.
pub(super) fn split_runs(text: &str, wanted: impl Fn(&str) -> bool) -> Vec<Word> {
    let mut words = Vec::new();
    let mut position = 0;
    for run in runs(text).into_iter().filter(|run| wanted(&text[run.clone()])) {
        let parts = parts(text, run.clone());
        if (2..=MAX_WHOLE_PARTS).contains(&parts.len()) {
            let whole: String = parts.iter().map(|part| lower(&text[part.clone()])).collect();
            words.push(Word { text: cut(whole), range: run, position, whole: true });
        }
        for part in parts {
            words.push(Word { text: cut(lower(&text[part.clone()])), range: part, position, whole: false });
            position += 1;
        }
    }
    words
}

/// Returns the parts of a text, joined by spaces: equal for texts that differ only in case and punctuation.
pub(super) fn normal(text: &str) -> String {
    let parts: Vec<String> = split(text).into_iter().filter(|word| !word.whole).map(|word| word.text).collect();
    parts.join(" ")
}

fn runs(text: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut joined = false;
    let mut at = 0;
    while let Some(letter) = text[at..].chars().next() {
        // Nearly every letter of nearly every text is a byte.
        let plain = text.as_bytes()[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let end = at + plain.max(letter.len_utf8());
        if plain > 0 || is_word_letter(letter) {
            match runs.last_mut() {
                Some(run) if joined => run.end = end,
                _ => runs.push(at..end),
            }
            joined = true;
        } else if is_ideograph(letter) {
            runs.push(at..end);
            joined = false;
        } else {
            joined = joined && is_joiner(letter) && text[end..].starts_with(is_word_letter);
        }
        at = end;
    }
    runs
}

const fn is_joiner(letter: char) -> bool {
    matches!(letter, '_' | '-' | '\'' | '\u{2019}')
}

fn is_word_letter(letter: char) -> bool {
    letter.is_alphanumeric() && !is_ideograph(letter)
}

const fn is_ideograph(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2fa1f}')
}

/// Splits a run at its joiners and before a capital that begins a word: `parseJSONFile` is `parse`, `JSON`, `File`.
fn parts(text: &str, run: Range<usize>) -> Vec<Range<usize>> {
    if text[run.clone()].bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
        return vec![run];
    }
    let letters: Vec<(usize, char)> = text[run.clone()].char_indices().map(|(at, c)| (run.start + at, c)).collect();
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut begins = true;
    for (number, &(at, letter)) in letters.iter().enumerate() {
        if !letter.is_alphanumeric() {
            begins = true;
            continue;
        }
        let before = number.checked_sub(1).map(|before| letters[before].1);
        let after = letters.get(number + 1).map(|after| after.1);
        let end = at + letter.len_utf8();
        match parts.last_mut() {
            Some(part) if !begins && !turns(before, letter, after) => part.end = end,
            _ => parts.push(at..end),
        }
        begins = false;
    }
    parts
}

fn turns(before: Option<char>, letter: char, after: Option<char>) -> bool {
    let after_small = before.is_some_and(|before| before.is_lowercase() || before.is_ascii_digit());
    let last_capital = before.is_some_and(char::is_uppercase) && after.is_some_and(char::is_lowercase);
    letter.is_uppercase() && (after_small || last_capital)
}

fn lower(text: &str) -> String {
    if text.is_ascii() { text.to_ascii_lowercase() } else { text.chars().flat_map(char::to_lowercase).collect() }
}

fn cut(mut word: String) -> String {
    if word.len() > MAX_WORD_BYTES {
        let end = (0..=MAX_WORD_BYTES).rev().find(|&end| word.is_char_boundary(end)).unwrap_or_default();
        word.truncate(end);
    }
    word
}

/// Takes words to their English stems, and letters with accents to those without.
#[derive(Clone)]
pub(super) struct Stems {
    analyzer: TextAnalyzer,
    known: HashMap<String, String>,
}

impl Default for Stems {
    fn default() -> Self {
        let raw = TextAnalyzer::builder(RawTokenizer::default());
        let analyzer = raw.filter(AsciiFoldingFilter).filter(Stemmer::new(Language::English)).build();
        Self { analyzer, known: HashMap::new() }
    }
}

impl Stems {
    /// Returns the stem of a word in lower case.
    pub(super) fn of(&mut self, word: &str) -> &str {
        if !self.known.contains_key(word) {
            let mut stream = self.analyzer.token_stream(word);
            let stem = stream.next().map_or_else(|| word.to_owned(), |token| token.text.clone());
            drop(stream);
            self.known.insert(word.to_owned(), stem);
        }
        &self.known[word]
    }
}

impl std::fmt::Debug for Stems {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Stems").field("known", &self.known.len()).finish()
    }
}
