//! Data next to the checkout, in `../shared`: published items and documents of other people, which are not part of this
//! repository.
//!
//! Every test that reads it is ignored, with the folder it needs as the reason; `.ci/run` runs these tests where the data
//! is. Where it is missing they fail.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns a path of the data.
pub(crate) fn data(path: &str) -> PathBuf {
    let path = Path::new(crate::support::ROOT).join("../shared").join(path);
    assert!(path.exists(), "`{}` is missing", path.display());
    path
}

/// Returns the folder with the 62 published items.
pub(crate) fn corpus() -> PathBuf {
    data("vectors/corpus/.ai")
}

/// Reads an original document by its number.
pub(crate) fn document(number: &str) -> String {
    let is_it = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(number));
    let path = files(&data("seeds")).into_iter().find(is_it);
    fs::read_to_string(path.unwrap_or_else(|| panic!("document {number} is missing"))).unwrap()
}

/// Returns the blocks of a document that are fenced as `language`.
pub(crate) fn blocks(document: &str, language: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut lines = document.lines();
    while let Some(line) = lines.next() {
        if let Some(found) = line.strip_prefix("```") {
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            if found == language {
                blocks.push(block.join("\n") + "\n");
            }
        }
    }
    blocks
}

/// Returns every file below a folder, in order.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// Returns the lines of every source file below a folder that ignore a test.
fn ignoring(folder: &Path) -> Vec<String> {
    let sources = files(folder).into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    let lines = sources.map(|path| fs::read_to_string(path).unwrap());
    lines
        .flat_map(|text| text.lines().map(|line| line.trim().to_owned()).collect::<Vec<_>>())
        .filter(|line| line.starts_with("#[ignore"))
        .collect()
}

/// No test is ignored for another reason, and none outside of the binary that `.ci/run` runs them from.
#[test]
fn a_test_is_ignored_only_where_it_needs_this_data() {
    let top = Path::new(crate::support::ROOT);
    for line in ignoring(&top.join("tests/it")) {
        let reason = line.strip_prefix("#[ignore = \"needs the ").and_then(|rest| rest.strip_suffix("\"]"));
        let place = reason.and_then(|reason| reason.split_once(" beside the checkout: ../shared/"));
        assert!(place.is_some(), "{line}");
    }
    for folder in ["src", "plugins"] {
        assert_eq!(ignoring(&top.join(folder)), Vec::<String>::new(), "{folder}");
    }
}
