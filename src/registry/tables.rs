//! Tables over the files of lines: the SHA-256 of each, so that one of them can be read and proven without the others. Pure.
//!
//! There are up to 256 tables, by the first two digits of the SHA-256 of a file's path. A table is text as `sha256sum` prints it.
//! `tables/digests` holds the SHA-256 of each table, and the checkpoint signs the SHA-256 of that file. So a file that no table
//! lists is not published: that is proven, too.

use std::collections::BTreeMap;

use crate::trust::ContentHash;

/// The file of the digests of all tables.
pub(super) const DIGESTS: &str = "tables/digests";
/// The number of tables.
const TABLES: usize = 256;
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
fn number(path: &str) -> usize {
    usize::from(ContentHash::of(path.as_bytes()).as_bytes()[0])
}

/// Returns the file of a table.
fn table_path(number: usize) -> String {
    format!("tables/{number:02x}")
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
        assert_eq!(tables[DIGESTS].len(), 256 * 32);
        assert_eq!(tables.len(), 3);
        let path = "index/registry.jsonl";
        assert_eq!(number(path), 0x6a, "as `printf index/registry.jsonl | sha256sum` says");
        let text = String::from_utf8(tables[&table_path(number(path))].clone()).unwrap();
        assert_eq!(text, format!("{}  {path}\n", ContentHash::of(b"one\n")));
    }
}
