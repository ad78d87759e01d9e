//! Reads Rust source just well enough for the architecture test: comments and texts blanked out, paths spelled in
//! full. Not a parser: macros are read like other code, and names brought in by a re-export are not followed.

use std::collections::BTreeSet;

/// One path of a source file, written from the crate's root when it names something of the crate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Path {
    /// The segments. `*` means everything, or a whole crate under another name.
    pub(super) segments: Vec<String>,
    /// Whether it starts at this crate's root; the root itself is not among the segments.
    pub(super) own: bool,
    /// The line it ends on, from 1.
    pub(super) line: usize,
    /// Whether it is in a `#[cfg(test)]` module.
    pub(super) test: bool,
    /// The name that a `use` gives it; none for a path anywhere else.
    pub(super) name: Option<String>,
}

/// What an open brace belongs to.
enum Open {
    Block,
    Module { test: bool },
    Use { prefix: Vec<String> },
}

/// Returns the source with comments, texts and characters replaced by spaces; the lines stay.
pub(super) fn blank(source: &str) -> String {
    let bytes = source.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = at + blank_length(&source[at..], at > 0 && is_word(bytes[at - 1]));
        for byte in &mut out[at..end] {
            *byte = if *byte == b'\n' { b'\n' } else { b' ' };
        }
        at = end.max(at + 1);
        while !source.is_char_boundary(at) {
            at += 1;
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Returns how many bytes at the start of `rest` are a comment, a text or a character.
fn blank_length(rest: &str, in_word: bool) -> usize {
    let until = |from: usize, end: &str| rest[from..].find(end).map_or(rest.len(), |at| from + at + end.len());
    if rest.starts_with("//") {
        return rest.find('\n').unwrap_or(rest.len());
    }
    if rest.starts_with("/*") {
        return until(2, "*/");
    }
    if rest.starts_with('"') {
        return quoted(rest, '"');
    }
    let raw = rest.strip_prefix("br").or_else(|| rest.strip_prefix('r')).and_then(|raw| raw.split_once('"'));
    if let Some((hashes, _)) = raw.filter(|(hashes, _)| !in_word && hashes.chars().all(|c| c == '#')) {
        return until(rest.find('"').unwrap_or(0) + 1, &format!("\"{hashes}"));
    }
    // A lifetime has no closing quote after its first character.
    match rest.strip_prefix('\'').map(|rest| rest.chars().take(2).collect::<Vec<_>>()).as_deref() {
        Some(['\\', _] | [_, '\'']) => quoted(rest, '\''),
        _ => 0,
    }
}

/// Returns the length of a text up to its closing quote, with escapes skipped.
fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        if c == quote && !escaped {
            return at + c.len_utf8();
        }
        escaped = c == '\\' && !escaped;
    }
    rest.len()
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Returns every path of a source in the module `module` (such as `["git", "walk"]`). Single names count only in
/// `use`, as a macro (with its `!`), or when they are `unsafe`.
pub(super) fn paths(source: &str, module: &[String]) -> Vec<Path> {
    let blanked = blank(source);
    let tokens = tokens(&blanked);
    let word = |at: usize| tokens.get(at).map_or("", |token: &(&str, usize)| token.0);
    let (mut module, mut open, mut in_use, mut found, mut at) = (module.to_vec(), Vec::new(), false, Vec::new(), 0);
    while at < tokens.len() {
        match word(at) {
            "use" => in_use = word(at + 1) != "<",
            // Only a new name follows.
            "as" if in_use => at += 1,
            ";" => in_use = false,
            "{" => open.push(Open::Block),
            "}" => {
                if let Some(Open::Module { .. }) = open.pop() {
                    module.pop();
                }
            }
            "mod" if word(at + 2) == "{" => {
                module.push(word(at + 1).to_owned());
                open.push(Open::Module { test: is_cfg_test(&tokens[..at]) });
                at += 2;
            }
            // The visibility of a name is not an import.
            "in" if at > 0 && word(at - 1) == "(" && word(at + 1) == "crate" => {
                while word(at + 1) != ")" {
                    at += 1;
                }
            }
            name if is_name(name) || (name == "*" && in_use) => {
                let mut segments = match open.last() {
                    Some(Open::Use { prefix }) => prefix.clone(),
                    _ => Vec::new(),
                };
                segments.push(name.to_owned());
                while word(at + 1) == "::" && (is_name(word(at + 2)) || word(at + 2) == "*") {
                    segments.push(word(at + 2).to_owned());
                    at += 2;
                }
                match (word(at + 1), word(at + 2)) {
                    ("::", "{") => {
                        open.push(Open::Use { prefix: segments });
                        at += 3;
                        continue;
                    }
                    // A whole crate under another name: all of it is taken in.
                    ("as", _) if in_use && segments.iter().all(|segment| is_relative(segment)) => {
                        segments.push("*".to_owned());
                    }
                    ("!", _) => segments.last_mut().expect("because one was pushed").push('!'),
                    _ => {}
                }
                let last = segments.iter().rev().find(|segment| *segment != "self").cloned();
                let name_in_use = if word(at + 1) == "as" { Some(word(at + 2).to_owned()) } else { last };
                if segments.len() > 1 || in_use || name == "unsafe" || word(at + 1) == "!" {
                    let test = open.iter().any(|open| matches!(open, Open::Module { test: true }));
                    let (segments, own) = resolve(segments, &module);
                    let name = name_in_use.filter(|_| in_use);
                    found.push(Path { segments, own, line: tokens[at].1, test, name });
                }
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// Returns every name that a source mentions outside of `use` and `mod`, before its test modules.
pub(super) fn words(source: &str) -> BTreeSet<String> {
    let blanked = blank(source);
    let program = blanked.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let mut found = BTreeSet::new();
    let mut tokens = tokens(program).into_iter().map(|(word, _)| word).peekable();
    while let Some(word) = tokens.next() {
        if word == "use" && tokens.peek() != Some(&"<") {
            tokens.by_ref().find(|word| *word == ";");
        } else if word == "mod" {
            tokens.next();
        } else if is_name(word) {
            found.insert(word.to_owned());
        }
    }
    found
}

/// Returns every name that a source gives to something of its own, modules aside.
pub(super) fn defined(source: &str) -> BTreeSet<String> {
    const KINDS: [&str; 8] = ["const", "enum", "fn", "static", "struct", "trait", "type", "union"];
    let blanked = blank(source);
    let tokens = tokens(&blanked);
    let named = tokens.windows(2).filter(|two| KINDS.contains(&two[0].0) && is_name(two[1].0));
    named.map(|two| two[1].0.to_owned()).collect()
}

fn is_relative(segment: &str) -> bool {
    matches!(segment, "crate" | "rye" | "self" | "super")
}

/// Spells a path from the crate's root if it starts with `crate`, `rye`, `self` or `super`.
fn resolve(segments: Vec<String>, module: &[String]) -> (Vec<String>, bool) {
    let mut base = module.to_vec();
    let mut own = false;
    let mut rest = segments.into_iter().peekable();
    while let Some(word) = rest.peek() {
        match word.as_str() {
            "crate" | "rye" if !own => base.clear(),
            "super" => drop(base.pop()),
            "self" => {}
            _ => break,
        }
        own = true;
        rest.next();
    }
    let rest = rest.filter(|segment| segment != "self");
    if own { (base.into_iter().chain(rest).collect(), true) } else { (rest.collect(), false) }
}

/// Tells whether `#[cfg(test)]` is among the attributes just before.
fn is_cfg_test(before: &[(&str, usize)]) -> bool {
    let start = before.iter().rposition(|(word, _)| matches!(*word, ";" | "}" | "{")).map_or(0, |at| at + 1);
    before[start..].windows(4).any(|four| four.iter().map(|(word, _)| *word).eq(["cfg", "(", "test", ")"]))
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// Splits blanked source into names, `::` and single signs, each with its line.
fn tokens(blanked: &str) -> Vec<(&str, usize)> {
    let mut found = Vec::new();
    for (index, line) in blanked.lines().enumerate() {
        let mut rest = line.trim_start();
        while let Some(first) = rest.chars().next() {
            let length = match rest.bytes().position(|byte| !is_word(byte)).unwrap_or(rest.len()) {
                0 if rest.starts_with("::") => 2,
                0 => first.len_utf8(),
                word => word,
            };
            found.push((&rest[..length], index + 1));
            rest = rest[length..].trim_start();
        }
    }
    found
}
