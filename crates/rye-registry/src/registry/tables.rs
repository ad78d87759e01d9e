//! Tables over the files of lines: the SHA-256 of each, so that one of them can be read and proven without the others. Pure.
//!
//! There are up to 256 tables, by the first two digits of the SHA-256 of a file's path. A table is text as `sha256sum` prints it.
//! `tables/digests` holds the SHA-256 of each table, and the checkpoint signs the SHA-256 of that file. So a file that no table
//! lists is not published: that is proven, too.

use std::collections::BTreeMap;

use super::fault::Fault;
use crate::trust::ContentHash;

/// The file of the digests of all tables.
pub(super) const DIGESTS: &str = "tables/digests";
/// The number of tables.
const TABLES: usize = 256;
/// The size of a digest, in bytes.
const WIDTH: usize = 32;
/// The size of the file of the digests, in bytes.
const DIGESTS_BYTES: usize = TABLES * WIDTH;
/// The folder whose files the tables list.
const LISTED: &str = "index/";

/// Returns the tables that are not empty, and their digests: paths and bytes.
pub(super) fn tables(files: &BTreeMap<String, Vec<u8>>) -> Vec<(String, Vec<u8>)> {
    let mut texts = vec![String::new(); TABLES];
    for (path, bytes) in files.iter().filter(|(path, _)| path.starts_with(LISTED)) {
        texts[number(path)] += &format!("{}  {path}\n", ContentHash::of(bytes));
    }
    let digests = texts.iter().flat_map(|text| *ContentHash::of(text.as_bytes()).as_bytes()).collect();
    let tables = (0..).zip(texts).filter(|(_, text)| !text.is_empty());
    let tables = tables.map(|(number, text)| (table_path(number), text.into_bytes()));
    tables.chain([(DIGESTS.to_owned(), digests)]).collect()
}

/// Returns the number of the table that lists a file.
pub(super) fn number(path: &str) -> usize {
    usize::from(ContentHash::of(path.as_bytes()).as_bytes()[0])
}

/// Returns the file of a table.
pub(super) fn table_path(number: usize) -> String {
    format!("tables/{number:02x}")
}

/// The digests of all tables.
#[derive(Debug, Clone)]
pub(super) struct Digests(Vec<ContentHash>);

impl Digests {
    /// Reads the digests, which the checkpoint signs by their own digest.
    pub(super) fn parse(bytes: &[u8], signed: ContentHash) -> Result<Self, Fault> {
        let fault = || Fault::Table { path: DIGESTS.to_owned() };
        if bytes.len() != DIGESTS_BYTES || ContentHash::of(bytes) != signed {
            return Err(fault());
        }
        let digests: Option<Vec<_>> = bytes.chunks_exact(WIDTH).map(ContentHash::from_slice).collect();
        digests.map(Self).ok_or_else(fault)
    }

    /// Tells whether a table lists no file.
    pub(super) fn is_empty(&self, number: usize) -> bool {
        self.0[number] == ContentHash::of(b"")
    }

    /// Returns what a table says of a file; none if it does not list it. `table` is the table of the file's number.
    pub(super) fn listed(&self, table: &[u8], path: &str) -> Result<Option<ContentHash>, Fault> {
        let number = number(path);
        let fault = || Fault::Table { path: table_path(number) };
        if ContentHash::of(table) != self.0[number] {
            return Err(fault());
        }
        let text = std::str::from_utf8(table).map_err(|_| fault())?;
        let mut found = None;
        for (digest, listed) in text.lines().filter_map(|line| line.split_once("  ")) {
            if listed == path && found.replace(digest.parse().map_err(|_| fault())?).is_some() {
                return Err(fault());
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_table_lists_each_file_of_lines_and_nothing_else() {
        let files = BTreeMap::from([
            ("config.toml".to_owned(), b"x".to_vec()),
            ("index/registry.jsonl".to_owned(), b"one\n".to_vec()),
            ("index/team/owners.jsonl".to_owned(), b"two\n".to_vec()),
        ]);
        let tables: BTreeMap<String, Vec<u8>> = tables(&files).into_iter().collect();
        let bytes = &tables[DIGESTS];
        let digests = Digests::parse(bytes, ContentHash::of(bytes)).unwrap();
        for (path, listed) in [
            ("index/registry.jsonl", Some(ContentHash::of(b"one\n"))),
            ("index/team/owners.jsonl", Some(ContentHash::of(b"two\n"))),
            ("index/team/other.jsonl", None),
        ] {
            let table = tables.get(&table_path(number(path)));
            assert_eq!(table.is_none(), digests.is_empty(number(path)), "{path}");
            assert_eq!(digests.listed(table.map_or(&[], Vec::as_slice), path), Ok(listed), "{path}");
        }
        let path = "index/registry.jsonl";
        assert_eq!(number(path), 0x6a, "as `printf index/registry.jsonl | sha256sum` says");
        let text = String::from_utf8(tables[&table_path(number(path))].clone()).unwrap();
        assert_eq!(text, format!("{}  {path}\n", ContentHash::of(b"one\n")));
        assert!(digests.listed(b"", path).is_err());
        assert!(Digests::parse(bytes, ContentHash::of(b"")).is_err());
        assert!(Digests::parse(&bytes[32..], ContentHash::of(&bytes[32..])).is_err());
    }
}
