//! Compiles this repository's own items into the program: the system space.
//!
//! Writes `builtin.rs` into `OUT_DIR`: one line per file below `rye` in `.ai/directives`, `.ai/tools` and `.ai/knowledge`,
//! sorted by path, with the file's bytes included. Hidden files and names that no id can have are left out; whether an
//! extension suits its type is judged by `src/workspace/builtin.rs`, which owns no second table of them. Without
//! `.ai` the table is empty.

#![expect(clippy::disallowed_methods, reason = "cargo speaks to build scripts through the environment")]

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The namespace of the built-in items. The others here are published in `registry-index`.
const NAMESPACE: &str = "rye";

/// The variant of `ItemType` for each folder, in the order listings use.
const FOLDERS: [(&str, &str); 3] = [("directives", "Directive"), ("tools", "Tool"), ("knowledge", "Knowledge")];

fn main() -> Result<(), Box<dyn Error>> {
    let own = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let repository = own.ancestors().nth(2).ok_or("this package lies in `crates/` of the repository")?;
    let root = repository.join(".ai");
    let mut table = String::from("&[\n");
    for (folder, item_type) in FOLDERS {
        let mut files = Vec::new();
        collect(&root.join(folder).join(NAMESPACE), &format!("{NAMESPACE}/"), &mut files)?;
        files.sort();
        for (name, path) in files {
            write_row(&mut table, item_type, &name, &path)?;
        }
    }
    table.push_str("]\n");
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("builtin.rs"), table)?;
    Ok(())
}

/// Gathers the files below `folder` as `(path below the type's folder, path on disk)`.
fn collect(folder: &Path, prefix: &str, files: &mut Vec<(String, PathBuf)>) -> Result<(), Box<dyn Error>> {
    // A folder's own time changes when a file is added or removed; a missing folder is looked for again every time.
    rerun_if_changed(folder);
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
        let kind = entry.file_type()?;
        let below = format!("{prefix}{name}");
        if kind.is_dir() && is_segment(&name) {
            collect(&entry.path(), &format!("{below}/"), files)?;
        } else if kind.is_file() && name.rsplit_once('.').is_some_and(|(stem, _)| is_segment(stem)) {
            rerun_if_changed(&entry.path());
            files.push((below, entry.path()));
        }
    }
    Ok(())
}

fn rerun_if_changed(path: &Path) {
    println!("cargo:rerun-if-changed={}", path.display());
}

fn write_row(table: &mut String, item_type: &str, name: &str, path: &Path) -> Result<(), Box<dyn Error>> {
    let (id, extension) = name.rsplit_once('.').ok_or("a collected file has an extension")?;
    writeln!(
        table,
        "    BuiltinItem {{ item_type: ItemType::{item_type}, id: {id:?}, extension: {extension:?}, bytes: \
         include_bytes!({path:?}) }},",
    )?;
    Ok(())
}

/// Tells whether `text` could be a segment of an id: `[A-Za-z0-9][A-Za-z0-9_-]*`.
fn is_segment(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}
