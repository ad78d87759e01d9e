//! Attributes by which git would check out other bytes of a skill than a commit has: a commit is judged by its objects, and a client
//! reads what a checkout makes of them.

use std::collections::{BTreeMap, BTreeSet};

use super::attribute_line::{AttributeLine, is_harmless, may_match};
use super::{MOST_ATTRIBUTE_BYTES, SkillFault};
use crate::capability::is_taken_for;

/// The name of a file with attributes.
pub const ATTRIBUTES: &str = ".gitattributes";

/// The attributes by which git keeps bytes as they are.
const KEEPING: &str = "-text -filter -ident -working-tree-encoding";

/// Git ignores a line of as many bytes or more.
const TOO_LONG: usize = 2048;

/// The number of a line that counts wherever the skill's line is.
const ANYWHERE: usize = usize::MAX;

/// How deep macros are followed. Below that, each counts as one that sets.
const MOST_ROUNDS: usize = 16;

/// A file with attributes, as far as it can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttributesFile {
    /// The file is missing.
    Missing,
    /// Its text.
    Text(String),
    /// It is too large, has a NUL, or is not a regular file: git may read other lines of it than these.
    Unclear,
}

impl AttributesFile {
    /// Takes the whole bytes of a file. Git stops at a NUL in a commit, and reads on behind it in a work tree.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        if bytes.contains(&0) { Self::Unclear } else { Self::Text(String::from_utf8_lossy(bytes).into_owned()) }
    }
}

/// The attributes that are about the folders of skills.
#[derive(Debug, Clone, Default)]
pub struct SkillAttributes {
    /// Files between the top and a skill that set attributes.
    on_the_way: BTreeSet<String>,
    /// The patterns at the top that set attributes, each with the number of its line.
    setting: Vec<(usize, String)>,
    /// The numbers of the lines that `rye sign` wrote.
    own: BTreeMap<String, usize>,
}

impl SkillAttributes {
    /// Reads the attributes that are about some folders. `read` reads a file by its path.
    ///
    /// # Errors
    ///
    /// Passes on the error of `read`.
    pub fn read<'f, E>(
        folders: impl IntoIterator<Item = &'f str>,
        read: impl Fn(&str) -> Result<AttributesFile, E>,
    ) -> Result<Self, E> {
        let mut attributes = Self::default();
        let top = match read(ATTRIBUTES)? {
            AttributesFile::Missing => String::new(),
            AttributesFile::Text(text) => text,
            AttributesFile::Unclear => {
                attributes.setting.push((ANYWHERE, "*".to_owned()));
                String::new()
            }
        };
        // Git reads macros at the top alone, and applies them in every file.
        let macros = macros(&top);
        for (at, line) in lines(&top).filter(|(_, line)| line.sets(&macros)) {
            if line.may_be_hidden_macro() {
                attributes.setting.push((ANYWHERE, "*".to_owned()));
            } else if line.macro_name().is_none() {
                attributes.setting.push((at, line.pattern.to_owned()));
            }
        }
        // In a skill, an attribute of a usual name is not taken for a macro.
        if macros.iter().any(|name| is_harmless(name)) {
            attributes.setting.push((ANYWHERE, "*".to_owned()));
        }
        let is_own = |line: &&str| line.ends_with(KEEPING) && line.len() < TOO_LONG;
        let numbered = top.lines().enumerate().filter(|(_, line)| is_own(line));
        attributes.own = numbered.map(|(at, line)| (line.to_owned(), at)).collect();
        let above: BTreeSet<&str> = folders.into_iter().flat_map(ways).collect();
        for folder in above {
            let path = format!("{folder}/{ATTRIBUTES}");
            let is_setting = match read(&path)? {
                AttributesFile::Missing => false,
                AttributesFile::Text(text) => lines(&text).any(|(_, line)| line.sets(&macros)),
                AttributesFile::Unclear => true,
            };
            if is_setting {
                attributes.on_the_way.insert(path);
            }
        }
        Ok(attributes)
    }

    /// Finds files of attributes on the way to a folder, and lines at the top that follow the one which `rye sign` wrote for it, or for a
    /// folder above it, and set what that unsets.
    #[must_use]
    pub fn faults(&self, folder: &str) -> Vec<(String, SkillFault)> {
        let on_the_way = ways(folder).map(|above| format!("{above}/{ATTRIBUTES}"));
        let on_the_way = on_the_way.filter(|path| self.on_the_way.contains(path));
        let own = keeping_lines(folder).filter_map(|line| self.own.get(&line)).max();
        let is_changing =
            |(at, pattern): &(usize, String)| own.is_none_or(|own| at > own) && may_match(pattern, folder);
        let at_top = self.setting.iter().any(is_changing).then(|| ATTRIBUTES.to_owned());
        on_the_way.chain(at_top).map(|path| (path, SkillFault::Attributes { path: String::new() })).collect()
    }
}

/// Tells whether a file of a skill has attributes by which git checks out other bytes of the skill than a commit has: it counts more than
/// the line at the top. Git reads it by any name that the file system takes for its own.
pub(super) fn changes_bytes(path: &str, bytes: &[u8]) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    if name != ATTRIBUTES && !is_taken_for_attributes(name) {
        return false;
    }
    match AttributesFile::of(bytes) {
        AttributesFile::Text(text) if bytes.len() as u64 <= MOST_ATTRIBUTE_BYTES => {
            lines(&text).any(|(_, line)| line.may_set())
        }
        AttributesFile::Text(_) | AttributesFile::Missing | AttributesFile::Unclear => true,
    }
}

/// Tells whether some file system takes a name for that of a file with attributes. Git then reads it there, and not where it is judged.
#[must_use]
pub fn is_taken_for_attributes(name: &str) -> bool {
    is_taken_for(name, ATTRIBUTES)
}

/// Returns the line of `.gitattributes` by which git keeps the bytes of everything below a folder.
#[must_use]
pub fn attributes_line(folder: &str) -> String {
    let mut pattern = String::from("/");
    for character in folder.chars() {
        if matches!(character, '*' | '?' | '[' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "/._-".contains(character);
    if pattern.chars().all(is_plain) {
        format!("{pattern}/** {KEEPING}")
    } else {
        let quoted: String = pattern
            .chars()
            .flat_map(|character| match character {
                '"' | '\\' => vec!['\\', character],
                character => vec![character],
            })
            .collect();
        format!("\"{quoted}/**\" {KEEPING}")
    }
}

/// Returns the lines of `.gitattributes` by each of which git keeps the bytes of a folder: its own, and those of the folders above it.
pub fn keeping_lines(folder: &str) -> impl Iterator<Item = String> {
    ways(folder).chain([folder]).map(attributes_line)
}

/// Lists the folders above a folder, without the top.
fn ways(folder: &str) -> impl Iterator<Item = &str> {
    folder.match_indices('/').map(|(at, _)| &folder[..at])
}

/// Reads the lines of a text, each with its number.
fn lines(text: &str) -> impl Iterator<Item = (usize, AttributeLine<'_>)> {
    // Git skips a byte order mark in a work tree, and takes it for part of the pattern in a commit.
    let unmarked = text.strip_prefix('\u{feff}').and_then(|text| text.lines().next());
    let numbered = unmarked.map(|line| (0, line)).into_iter().chain(text.lines().enumerate());
    numbered.filter_map(|(at, line)| Some((at, AttributeLine::parse(line)?)))
}

/// Returns the names of the macros that set an attribute, also by other macros.
fn macros(text: &str) -> BTreeSet<&str> {
    let defined: Vec<(&str, AttributeLine<'_>)> =
        lines(text).filter_map(|(_, line)| Some((line.macro_name()?, line))).collect();
    let mut setting = BTreeSet::new();
    for _ in 0..MOST_ROUNDS {
        let found = defined.iter().filter(|(_, line)| line.sets(&setting)).map(|(name, _)| *name).collect();
        if found == setting {
            return setting;
        }
        setting = found;
    }
    defined.iter().map(|(name, _)| *name).collect()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let folder = ".claude/skills/a";
        let read = |path: &str| -> Result<_, ()> {
            let file = files.iter().find(|(name, _)| *name == path);
            Ok(file.map_or(AttributesFile::Missing, |(_, text)| AttributesFile::of(text.as_bytes())))
        };
        let attributes = SkillAttributes::read([folder], read).unwrap();
        attributes.faults(folder).into_iter().map(|(path, _)| path).collect()
    }

    #[test]
    fn attributes_that_change_a_checkout_are_found() {
        let own = "/.claude/skills/a/** -text -filter -ident -working-tree-encoding\n";
        assert_eq!(found(&[(ATTRIBUTES, own)]), Vec::<String>::new());
        assert_eq!(found(&[]), Vec::<String>::new());
        for (text, is_found) in [
            (format!("* text=auto\n{own}"), false),
            (
                format!("* text=auto eol=lf\n*.png binary\n*.sh text eol=lf\n*.bin filter=lfs diff=lfs -text\n{own}"),
                false,
            ),
            (format!("{own}*.png -text\n*.md diff=markdown\n*.gif binary\n"), false),
            (format!("{own}/docs/** text eol=crlf\ndocs/*.md text\n# * text\n"), false),
            (format!("{own}*.sh text eol=lf\n* text=auto eol=lf\n*.md eol=lf diff=markdown\n"), false),
            (format!("{own}*.rs linguist-language=Rust\nvendor/** linguist-vendored -diff\n"), false),
            (format!("{own}tests export-ignore\n*.lock merge=union -merge\n*.pdf -text diff\n"), false),
            (format!("[attr]unix text eol=lf\n{own}*.sh unix\n"), false),
            (format!("[attr]dos text eol=crlf\n*.bat dos\n{own}"), false),
            (format!("[attr]dos text eol=crlf\n{own}"), false),
            (format!("[attr]dos text eol=crlf\n{own}*.sh dos\n"), true),
            (format!("[attr]dos text eol=crlf\n{own}*.sh text eol=lf dos\n"), true),
            (format!("{own}*.sh text eol=lf eol=crlf\n"), true),
            (format!("{own}*.sh text eol=lf filter=x\n"), true),
            (format!("{own}*.sh text eol=lf\n*.sh -eol\n"), true),
            (format!("{own}* !text\n"), true),
            (format!("{own}* text=auto\n"), true),
            (format!("{own}*.sh working-tree-encoding=UTF-16\n"), true),
            (format!("{own}.claude/** eol=crlf\n"), true),
            (format!("{own}**/a/*.md filter=x\n"), true),
            ("*.md ident\n".to_owned(), true),
        ] {
            assert_eq!(!found(&[(ATTRIBUTES, &text)]).is_empty(), is_found, "{text}");
        }
        for path in [".claude/.gitattributes", ".claude/skills/.gitattributes"] {
            assert_eq!(found(&[(ATTRIBUTES, own), (path, "*.sh text\n")]), [path]);
            let dos = format!("[attr]dos text eol=crlf\n{own}");
            assert_eq!(found(&[(ATTRIBUTES, &dos), (path, "*.sh dos\n")]), [path]);
            for text in ["", "*.md linguist-documentation\n*.png binary\n*.sh text eol=lf\n"] {
                assert_eq!(found(&[(ATTRIBUTES, own), (path, text)]), Vec::<String>::new(), "{text}");
            }
        }
    }

    #[test]
    fn attributes_in_a_skill_are_found() {
        for (text, is_found) in [
            ("", false),
            ("# * text\n*.png binary\n*.md diff=markdown linguist-documentation\n", false),
            ("*.sh text eol=lf\n* text=auto eol=lf\n* -text -diff !merge\n", false),
            ("* text eol=crlf ident\n", true),
            ("* text=auto\n", true),
            ("*.sh filter=x\n", true),
            ("*.sh working-tree-encoding=UTF-16\n", true),
            // A macro that the top may define.
            ("*.sh dos\n", true),
            ("*.sh text eol=lf dos\n", true),
            ("[attr]dos text\n", true),
            ("\0", true),
        ] {
            for path in [".gitattributes", "scripts/.gitattributes", ".GitAttributes", "GITATT~1"] {
                assert_eq!(changes_bytes(path, text.as_bytes()), is_found, "{path}: {text:?}");
            }
            assert!(!changes_bytes("notes/gitattributes", text.as_bytes()));
        }
        assert!(changes_bytes(ATTRIBUTES, "#\n".repeat(600_000).as_bytes()));
        let own = attributes_line(".claude/skills/a");
        assert_eq!(found(&[(ATTRIBUTES, &format!("[attr]binary text\n{own}\n"))]), [ATTRIBUTES]);
        assert_eq!(found(&[(ATTRIBUTES, &format!("[attr]binary -text\n{own}\n"))]), Vec::<String>::new());
    }

    /// Each was checked against git.
    #[test]
    fn lines_that_git_reads_otherwise_are_found() {
        let own = attributes_line(".claude/skills/a");
        let chain: String = (0..40).map(|at| format!("[attr]m{at} m{}\n", at + 1)).collect();
        for (text, is_found) in [
            // The skill's line with more behind it, and lines that git does not take for it.
            ("/.claude/skills/a/** -text working-tree-encoding=UTF-16\n".to_owned(), true),
            (format!("{own} working-tree-encoding=UTF-16\n"), true),
            (format!("* text eol=crlf\n{own} -!x\n"), true),
            (format!("* text eol=crlf\n!{own}\n"), true),
            (format!("* text eol=crlf\n\u{a0}{own}\n"), true),
            (format!("* text eol=crlf\n{}{own}\n", " ".repeat(3000)), true),
            (format!("* text eol=crlf\r\n{own}\r\n"), false),
            // Macros of macros, and macros in quotes.
            (format!("[attr]a text eol=crlf\n[attr]b a\n{own}\n*.sh b\n"), true),
            (format!("[attr]b a\n[attr]a text eol=crlf\n{own}\n*.sh b\n"), true),
            (format!("[attr]a diff\n[attr]b a\n{own}\n*.sh b\n"), false),
            (format!("{chain}[attr]m40 text\n{own}\n*.sh m0\n"), true),
            (format!("[attr]binary text\n{own}\n*.sh binary\n"), true),
            (format!("\"[attr] a\" text\n{own}\n*.sh a\n"), true),
            (format!("\"\\133attr]a\" text\n{own}\n*.sh a\n"), true),
            (format!("\"caf\\303\\251\" text\n{own}\n"), false),
            (format!("{own}\n\"/.cl\\141ude/**\" text\n"), true),
            (format!("{own}\n\"*.sh\"text\n"), true),
            (format!("{own}\n\"/docs/my file\" text\n"), false),
            // Git stops at a NUL.
            (format!("* text eol=crlf\n\0\n{own}\n"), true),
            (format!("#\0\n{own}\n"), true),
            // Names that a file system takes for the skill's, and a byte order mark.
            ("/.Claude/** text eol=crlf\n".to_owned(), true),
            ("\u{feff}/.claude/** text eol=crlf\n".to_owned(), true),
            (format!("* text eol=crlf\n\u{feff}{own}\n"), true),
            (format!("\u{feff}{own}\n"), false),
            (format!("\u{feff}* text=auto\n{own}\n"), false),
            (format!("\u{feff}{own}\n* text=auto\n"), true),
            // The line of a folder above it.
            (format!("* text=auto\n{}\n", attributes_line(".claude/skills")), false),
            (format!("* text=auto\n{}\n", attributes_line(".claude")), false),
            (format!("{}\n* text=auto\n", attributes_line(".claude/skills")), true),
            (format!("{own}\n* text=auto\n{}\n", attributes_line(".claude/skills")), false),
            (format!("* text=auto\n{}\n", attributes_line(".claude/skills/b")), true),
            (format!("* text=auto\n{}\n", attributes_line(".claude/ski")), true),
        ] {
            assert_eq!(!found(&[(ATTRIBUTES, &text)]).is_empty(), is_found, "{text:?}");
        }
        let path = ".claude/.gitattributes";
        assert_eq!(found(&[(ATTRIBUTES, &own), (path, "# \0\n")]), [path]);
    }

    #[test]
    fn a_folder_with_special_characters_has_its_own_line() {
        for folder in [".claude/skills/a", "my [skills]/a", "b\\\"?*/ü"] {
            let text = format!("* text=auto\n{}\n", attributes_line(folder));
            let read = |path: &str| -> Result<_, ()> {
                Ok(if path == ATTRIBUTES { AttributesFile::of(text.as_bytes()) } else { AttributesFile::Missing })
            };
            let attributes = SkillAttributes::read([folder], read).unwrap();
            assert_eq!(attributes.faults(folder), [], "{text}");
        }
    }
}
