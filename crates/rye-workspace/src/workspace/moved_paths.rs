//! Files of tools that name the place they were installed at: in a copy they name the copy.
//!
//! A script of a virtual environment begins with the path of its interpreter, and a project that was installed for editing is named by a file
//! `.pth`. In a copy they would lead to the person's tree.

use std::path::Path;

use super::error::Error;
use super::project_dir::{EntryKind, ProjectDir};
use crate::capability::ProjectPath;

/// The largest file that is looked at. Larger ones are programs.
const MOST_BYTES: u64 = 1024 * 1024;

/// The most names of a folder.
const MOST_ENTRIES: usize = 100_000;

/// The longest first line that Linux takes for the interpreter of a script.
const LONGEST_LINE: usize = 255;

impl ProjectDir {
    /// Has the files of tools in a copied folder name `to`, this tree, in the place of each of `from`.
    ///
    /// # Errors
    ///
    /// Fails as [`ProjectDir::list`], [`ProjectDir::read`] and [`ProjectDir::write`] do, but for what is missing.
    pub fn move_paths(&self, folder: &ProjectPath, from: &[&Path], to: &Path) -> Result<(), Error> {
        let all = |_: &str| true;
        self.move_in(folder, &|name| name == "pyvenv.cfg", from, to)?;
        for programs in ["bin", ".bin"] {
            self.move_below(folder, programs, &all, from, to)?;
        }
        for library in self.names(below(folder, "lib").as_ref(), EntryKind::Directory)? {
            let packages = format!("lib/{library}/site-packages");
            self.move_below(folder, &packages, &names_a_place, from, to)?;
        }
        Ok(())
    }

    fn move_below(
        &self,
        folder: &ProjectPath,
        name: &str,
        is_meant: &dyn Fn(&str) -> bool,
        from: &[&Path],
        to: &Path,
    ) -> Result<(), Error> {
        match below(folder, name) {
            Some(path) => self.move_in(&path, is_meant, from, to),
            None => Ok(()),
        }
    }

    fn move_in(
        &self,
        folder: &ProjectPath,
        is_meant: &dyn Fn(&str) -> bool,
        from: &[&Path],
        to: &Path,
    ) -> Result<(), Error> {
        for name in self.names(Some(folder), EntryKind::File)?.into_iter().filter(|name| is_meant(name)) {
            let Some(path) = below(folder, &name) else { continue };
            let content = self.read(&path, MOST_BYTES)?;
            if content.truncated {
                continue;
            }
            if let Some(moved) = moved(&content.bytes, from, to) {
                let is_executable = self.is_executable(&path);
                self.write(&path, &moved, false)?;
                self.set_executable(&path, is_executable)?;
            }
        }
        Ok(())
    }

    /// Lists the entries of a kind; none of a folder that is missing, or is a link.
    fn names(&self, folder: Option<&ProjectPath>, kind: EntryKind) -> Result<Vec<String>, Error> {
        let Some(folder) = folder else { return Ok(Vec::new()) };
        let listed = match self.list(folder, MOST_ENTRIES) {
            Ok((listed, _)) => listed,
            Err(Error::NotFound { .. } | Error::NotDirectory { .. } | Error::Symlink { .. }) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        Ok(listed.into_iter().filter(|entry| entry.kind == kind).map(|entry| entry.name).collect())
    }
}

fn below(folder: &ProjectPath, name: &str) -> Option<ProjectPath> {
    format!("{folder}/{name}").parse().ok()
}

/// Tells whether a file next to packages is one that names where they lie.
fn names_a_place(name: &str) -> bool {
    name.starts_with("__editable__") || [".pth", ".egg-link"].iter().any(|end| name.ends_with(end))
}

/// Returns what a file is in a copy of its folder; none if it names none of the paths `from`.
#[must_use]
pub fn moved(bytes: &[u8], from: &[&Path], to: &Path) -> Option<Vec<u8>> {
    let to = to.as_os_str().as_encoded_bytes();
    let mut text = bytes.to_vec();
    for from in from.iter().map(|path| path.as_os_str().as_encoded_bytes()).filter(|from| *from != to) {
        text = replaced(&text, from, to);
    }
    (text != bytes).then(|| with_short_line(text))
}

/// Puts a path in the place of another one, and of no longer name that begins with it.
fn replaced(text: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.+@".contains(byte) || !byte.is_ascii();
    let (mut made, mut rest, mut before) = (Vec::with_capacity(text.len()), text, None);
    while let Some((first, after)) = rest.split_first() {
        let is_begun = before.is_some_and(|byte| is_of_name(&byte));
        match rest.strip_prefix(from).filter(|left| !is_begun && !left.first().is_some_and(is_of_name)) {
            Some(left) if !from.is_empty() => {
                made.extend_from_slice(to);
                (rest, before) = (left, None);
            }
            _ => {
                made.push(*first);
                (rest, before) = (after, Some(*first));
            }
        }
    }
    made
}

/// Has a shell start the interpreter of a script whose first line is too long for the system, as pip and uv do.
fn with_short_line(text: Vec<u8>) -> Vec<u8> {
    let end = text.iter().position(|byte| *byte == b'\n').unwrap_or(text.len());
    let line = text.get(2..end).filter(|_| text.starts_with(b"#!/")).unwrap_or_default();
    let is_python = line.rsplit(|byte| *byte == b'/').next().is_some_and(|name| name.starts_with(b"python"));
    if !is_python || end <= LONGEST_LINE || line.contains(&b'\'') {
        return text;
    }
    [b"#!/bin/sh\n'''exec' '", line, b"' \"$0\" \"$@\"\n' '''", &text[end..]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &str, to: &str) -> Option<String> {
        let moved = moved(bytes.as_bytes(), &["/home/ada/app".as_ref(), "/data/app".as_ref()], to.as_ref())?;
        Some(String::from_utf8_lossy(&moved).into_owned())
    }

    #[test]
    fn a_file_names_the_copy_and_no_path_that_only_begins_alike() {
        let to = "/trees/x";
        for (before, after) in [
            ("#!/home/ada/app/.venv/bin/python\nimport a\n", Some("#!/trees/x/.venv/bin/python\nimport a\n")),
            ("/home/ada/app\n", Some("/trees/x\n")),
            ("VIRTUAL_ENV='/data/app/.venv'", Some("VIRTUAL_ENV='/trees/x/.venv'")),
            ("file:///home/ada/app/src", Some("file:///trees/x/src")),
            ("/home/ada/app2/src", None),
            ("/home/ada/app-old", None),
            ("#!/usr/bin/env python3\n", None),
        ] {
            assert_eq!(text(before, to).as_deref(), after, "{before}");
        }
    }

    #[test]
    fn a_first_line_that_is_too_long_goes_through_a_shell() {
        let to = format!("/trees/{}", "x".repeat(LONGEST_LINE));
        let script = text("#!/home/ada/app/bin/python3\nprint(1)\n", &to).unwrap_or_default();
        let expected = format!("#!/bin/sh\n'''exec' '{to}/bin/python3' \"$0\" \"$@\"\n' '''\nprint(1)\n");
        assert_eq!(script, expected);
    }
}
