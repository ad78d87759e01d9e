//! Data beside the checkout, in `../shared`: published items and documents of other people, which are no part of this
//! repository.
//!
//! Every test that reads it is ignored, with the folder it needs as the reason; `.ci/run` runs these tests where the data
//! is. Where it is missing they fail.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns a path of the data.
pub(crate) fn data(path: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared").join(path);
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

/// Returns every file below a folder, in order.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}
