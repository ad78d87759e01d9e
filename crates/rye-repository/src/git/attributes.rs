//! Attributes by which every checkout has other bytes than a commit, by the files of attributes alone: no setting of a person counts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gix::attrs::search::{MetadataCollection, Outcome};
use gix::attrs::{Search, StateRef};
use gix::bstr::ByteSlice;
use gix::glob::pattern::Case;

use crate::item::{ATTRIBUTES, AttributesFile};

/// The attributes that are asked for.
const ASKED: [&str; 5] = ["text", "eol", "filter", "ident", "working-tree-encoding"];

/// Git ignores a line of as many bytes or more.
const TOO_LONG: usize = 2048;

/// Finds those of some paths whose bytes git changes in every checkout, each with the file of attributes that says so. `files` are the
/// files of attributes by their paths. What only the settings of a person decide (`text` without `eol`) does not count. An unclear file
/// changes everything below its folder.
#[must_use]
pub fn changed_by_attributes<'p>(
    files: &[(String, AttributesFile)],
    paths: impl IntoIterator<Item = &'p str>,
) -> BTreeMap<String, String> {
    let mut texts: Vec<(&str, String)> = Vec::new();
    let mut unclear: Vec<&str> = Vec::new();
    for (path, file) in files {
        match file {
            AttributesFile::Missing => {}
            // Git skips a byte order mark in a work tree, and takes it for part of the pattern in a commit.
            AttributesFile::Text(text) if !text.starts_with('\u{feff}') => texts.push((path, short_lines(text))),
            AttributesFile::Text(_) | AttributesFile::Unclear => unclear.push(path),
        }
    }
    // Deeper files count more.
    texts.sort_by_key(|(path, _)| path.matches('/').count());
    let rules = [Case::Sensitive, Case::Fold].map(|case| (case, Rules::read(&texts)));
    let mut changed = BTreeMap::new();
    for path in paths {
        let hidden = unclear.iter().find(|file| path.starts_with(file.trim_end_matches(ATTRIBUTES)));
        let mut told = hidden.map(|file| (*file).to_owned());
        for (case, rules) in &rules {
            told = told.or_else(|| match rules {
                Some(rules) => rules.changing(path, *case),
                None => Some(ATTRIBUTES.to_owned()),
            });
        }
        changed.extend(told.map(|file| (path.to_owned(), file)));
    }
    changed
}

fn short_lines(text: &str) -> String {
    text.split_inclusive('\n').filter(|line| line.len() < TOO_LONG).collect()
}

/// The lines of several files, ready to be matched.
struct Rules {
    search: Search,
    names: MetadataCollection,
}

impl Rules {
    fn read(texts: &[(&str, String)]) -> Option<Self> {
        let (mut names, mut buffer) = (MetadataCollection::default(), Vec::new());
        let mut search = Search::new_globals(std::iter::empty::<PathBuf>(), &mut buffer, &mut names).ok()?;
        let root = Path::new("/");
        for (path, text) in texts {
            // Git reads macros at the top alone.
            let is_top = *path == ATTRIBUTES;
            search.add_patterns_buffer(text.as_bytes(), root.join(path), Some(root), &mut names, is_top).ok()?;
        }
        Some(Self { search, names })
    }

    /// Returns the file of attributes by which git changes the bytes of a path in every checkout.
    fn changing(&self, path: &str, case: Case) -> Option<String> {
        let mut outcome = Outcome::default();
        outcome.initialize_with_selection(&self.names, ASKED);
        self.search.pattern_matching_relative_path(path.as_bytes().as_bstr(), case, Some(false), &mut outcome);
        let (mut is_binary, mut crlf, mut changing) = (false, None, None);
        for found in outcome.iter_selected() {
            let source = || {
                let path = found.location.source.map(|path| path.strip_prefix("/").unwrap_or(path));
                path.and_then(Path::to_str).unwrap_or(ATTRIBUTES).to_owned()
            };
            match (found.assignment.name.as_str(), found.assignment.state) {
                ("text", StateRef::Unset) => is_binary = true,
                ("eol", StateRef::Value(value)) if value.as_bstr() == "crlf" => crlf = Some(source()),
                ("text" | "eol", _) | (_, StateRef::Unspecified | StateRef::Unset) => {}
                (_, StateRef::Set | StateRef::Value(_)) => changing = Some(source()),
            }
        }
        changing.or(crlf.filter(|_| !is_binary))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "/.ai/** -text -filter -ident -working-tree-encoding\n";
    const NOTE: &str = ".ai/knowledge/team/note.md";

    fn found(files: &[(&str, &str)]) -> Option<String> {
        let file = |(path, text): &(&str, &str)| ((*path).to_owned(), AttributesFile::of(text.as_bytes()));
        changed_by_attributes(&Vec::from_iter(files.iter().map(file)), [NOTE]).remove(NOTE)
    }

    #[test]
    fn attributes_that_change_every_checkout_are_found() {
        let top = |text: &str| found(&[(ATTRIBUTES, text)]);
        for good in [
            OWN.to_owned(),
            String::new(),
            "* text=auto\n*.md text\n".to_owned(),
            "* text=auto eol=lf\n".to_owned(),
            format!("*.md text eol=crlf\n{OWN}"),
            "*.md -text eol=crlf\n".to_owned(),
            "docs/** filter=lfs\n/note.md ident\n".to_owned(),
            format!("{OWN}*.md diff=markdown\n"),
            format!("{OWN}*.md binary\n"),
        ] {
            assert_eq!(top(&good), None, "{good}");
        }
        for bad in [
            format!("{OWN}*.md text eol=crlf\n"),
            "*.md eol=crlf\n".to_owned(),
            format!("{OWN}*.MD filter=lfs\n"),
            format!("{OWN}/.ai/knowledge/** ident\n"),
            format!("{OWN}note.md working-tree-encoding=UTF-16\n"),
            format!("[attr]win text eol=crlf\n{OWN}*.md win\n"),
            "\u{feff}docs text\n".to_owned(),
            "x\0y\n".to_owned(),
            format!("*.md eol=crlf\n/.ai/** -text {}\n", "a".repeat(TOO_LONG)),
        ] {
            assert_eq!(top(&bad).as_deref(), Some(ATTRIBUTES), "{bad}");
        }
        let deep = ".ai/knowledge/.gitattributes";
        assert_eq!(found(&[(ATTRIBUTES, OWN), (deep, "* text eol=crlf\n")]).as_deref(), Some(deep));
        assert_eq!(found(&[(ATTRIBUTES, OWN), (".ai/tools/.gitattributes", "* text eol=crlf\n")]), None);
        assert_eq!(found(&[(ATTRIBUTES, "* ident\n"), (deep, "* -ident\n")]), None);
    }
}
