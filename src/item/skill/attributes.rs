//! Attributes by which git would check out other bytes of a skill than a commit has: a commit is judged by its objects, and a client
//! reads what a checkout makes of them.

use std::collections::{BTreeMap, BTreeSet};

use super::SkillFault;

/// The name of a file with attributes.
const ATTRIBUTES: &str = ".gitattributes";

/// Attributes by which a checkout has other bytes.
const CHANGING: [&str; 6] = ["text", "crlf", "eol", "filter", "ident", "working-tree-encoding"];

/// Attributes that leave line ends as a commit has them, in a line with `eol=lf`: git then writes LF, and no CR.
const UNIX: [&str; 3] = ["text", "text=auto", "eol=lf"];

/// What begins the line of a macro: a name for several attributes.
const MACRO: &str = "[attr]";

/// The attributes that are about the folders of skills.
#[derive(Debug, Clone, Default)]
pub struct SkillAttributes {
    /// Files between the top and a skill that set attributes.
    on_the_way: BTreeSet<String>,
    /// The lines at the top that set attributes, each with its number.
    setting: Vec<(usize, String)>,
    /// The number of the line for each folder that `rye sign` wrote.
    own: BTreeMap<String, usize>,
}

impl SkillAttributes {
    /// Reads the attributes that are about some folders. `read` gives the text of a file; none where there is none.
    ///
    /// # Errors
    ///
    /// Passes on the error of `read`.
    pub fn read<'f, E>(
        folders: impl IntoIterator<Item = &'f str>,
        read: impl Fn(&str) -> Result<Option<Vec<u8>>, E>,
    ) -> Result<Self, E> {
        let mut attributes = Self::default();
        let top = read(ATTRIBUTES)?.unwrap_or_default();
        let top = String::from_utf8_lossy(&top);
        let lines = || top.lines().map(str::trim).enumerate();
        // Git reads macros at the top alone, and applies them in every file.
        let macros: BTreeSet<&str> = lines().filter_map(|(_, line)| macro_name(line)).collect();
        // Few lines set anything, and each skill has one that unsets.
        let setting = lines().filter(|(_, line)| sets(line, &macros));
        attributes.setting = setting.map(|(at, line)| (at, line.to_owned())).collect();
        attributes.own = lines().filter_map(|(at, line)| Some((own_folder(line)?.to_owned(), at))).collect();
        let above: BTreeSet<&str> = folders.into_iter().flat_map(ways).collect();
        for folder in above {
            let path = format!("{folder}/{ATTRIBUTES}");
            let Some(text) = read(&path)? else { continue };
            if String::from_utf8_lossy(&text).lines().any(|line| sets(line.trim(), &macros)) {
                attributes.on_the_way.insert(path);
            }
        }
        Ok(attributes)
    }

    /// Finds files of attributes on the way to a folder, and lines at the top that follow the one which `rye sign` wrote for it and set what
    /// that unsets.
    #[must_use]
    pub fn faults(&self, folder: &str) -> Vec<(String, SkillFault)> {
        let on_the_way = ways(folder).map(|above| format!("{above}/{ATTRIBUTES}"));
        let on_the_way = on_the_way.filter(|path| self.on_the_way.contains(path));
        let own = self.own.get(folder);
        let is_changing = |(at, line): &(usize, String)| own.is_none_or(|own| at > own) && may_match(line, folder);
        let at_top = self.setting.iter().any(is_changing).then(|| ATTRIBUTES.to_owned());
        on_the_way.chain(at_top).map(|path| (path, SkillFault::Attributes)).collect()
    }
}

/// Lists the folders above a folder, without the top.
fn ways(folder: &str) -> impl Iterator<Item = &str> {
    folder.match_indices('/').map(|(at, _)| &folder[..at])
}

/// Returns the folder that a line is about which `rye sign` wrote; none for another line.
fn own_folder(line: &str) -> Option<&str> {
    line.trim_start_matches('"').strip_prefix('/')?.split_once("/** -text").map(|(folder, _)| folder)
}

/// Returns the name of the macro that a line defines, if it sets such an attribute.
fn macro_name(line: &str) -> Option<&str> {
    let name = line.strip_prefix(MACRO)?.split_whitespace().next()?;
    sets(line, &BTreeSet::new()).then_some(name)
}

/// Tells whether a line sets an attribute by which a checkout has other bytes, or leaves it to the settings of whoever checks out.
fn sets(line: &str, macros: &BTreeSet<&str>) -> bool {
    let attributes: Vec<&str> = line.split_whitespace().skip(1).collect();
    let is_unix = attributes.contains(&"eol=lf");
    let sets = |attribute: &&str| {
        let (name, _) = attribute.split_once('=').unwrap_or((attribute, ""));
        let name = name.strip_prefix('!').unwrap_or(name);
        // What takes `eol` back leaves line ends to whoever checks out.
        *attribute == "-eol" || CHANGING.contains(&name) || macros.contains(name)
    };
    let mut counted = attributes.iter().filter(|attribute| !(is_unix && UNIX.contains(attribute)));
    !line.starts_with('#') && counted.any(sets)
}

/// Tells whether a line's pattern may be about files below a folder. In doubt it may.
fn may_match(line: &str, folder: &str) -> bool {
    let pattern = line.split_whitespace().next().unwrap_or_default().trim_matches('"');
    // What a macro sets counts where it is used.
    if pattern.starts_with(MACRO) {
        return false;
    }
    let anchored = pattern.trim_start_matches('/');
    let first = anchored.split('/').next().unwrap_or_default();
    let is_anchored = pattern.starts_with('/') || anchored.contains('/');
    let is_plain = !first.contains(['*', '?', '[', '\\']);
    !(is_anchored && is_plain && folder.split('/').next() != Some(first))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let folder = ".claude/skills/a";
        let read = |path: &str| -> Result<_, ()> {
            Ok(files.iter().find(|(name, _)| *name == path).map(|(_, text)| text.as_bytes().to_vec()))
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
        // That of the skill itself is a file like its others.
        assert_eq!(found(&[(ATTRIBUTES, own), (".claude/skills/a/.gitattributes", "")]), Vec::<String>::new());
    }
}
