//! Attributes by which git would check out other bytes of a skill than a commit has: a commit is judged by its objects, and a client
//! reads what a checkout makes of them.

use std::collections::{BTreeMap, BTreeSet};

use crate::item::SkillFault;
use crate::workspace::SkillPlace;

/// The name of a file with attributes.
const ATTRIBUTES: &str = ".gitattributes";

/// Finds files of attributes on the way to skills, and lines at the top that follow those which `rye sign` wrote and set what these unset.
/// `read` gives the text of a file; none where there is none.
pub(super) fn faults<E>(
    places: &[SkillPlace],
    read: impl Fn(&str) -> Result<Option<Vec<u8>>, E>,
) -> Result<Vec<(String, SkillFault)>, E> {
    let mut faults = Vec::new();
    let above = |place: &SkillPlace| -> Vec<String> {
        place.path.match_indices('/').map(|(at, _)| place.path[..at].to_owned()).collect()
    };
    let folders: BTreeSet<String> = places.iter().flat_map(above).collect();
    for folder in folders {
        let path = format!("{folder}/{ATTRIBUTES}");
        if read(&path)?.is_some() {
            faults.push((path, SkillFault::Attributes));
        }
    }
    let Some(text) = read(ATTRIBUTES)? else { return Ok(faults) };
    let text = String::from_utf8_lossy(&text);
    let lines = || text.lines().map(str::trim).enumerate();
    // Few lines set anything, and each skill has one that unsets.
    let setting: Vec<(usize, &str)> = lines().filter(|(_, line)| sets(line)).collect();
    let own: BTreeMap<&str, usize> = lines().filter_map(|(at, line)| Some((own_pattern(line)?, at))).collect();
    let is_changed = |place: &SkillPlace| {
        let own = own.get(place.path.as_str());
        setting.iter().any(|(at, line)| own.is_none_or(|own| at > own) && may_match(line, &place.path))
    };
    if places.iter().any(is_changed) {
        faults.push((ATTRIBUTES.to_owned(), SkillFault::Attributes));
    }
    Ok(faults)
}

/// Returns the folder that a line is about which `rye sign` wrote; none for another line.
fn own_pattern(line: &str) -> Option<&str> {
    line.trim_start_matches('"').strip_prefix('/')?.split_once("/** -text").map(|(folder, _)| folder)
}

/// Tells whether a line sets an attribute by which a checkout has other bytes.
fn sets(line: &str) -> bool {
    let sets = |attribute: &str| {
        let (name, _) = attribute.split_once('=').unwrap_or((attribute, ""));
        ["text", "crlf", "eol", "filter", "ident", "working-tree-encoding"].contains(&name)
    };
    !line.starts_with('#') && line.split_whitespace().skip(1).any(sets)
}

/// Tells whether a line's pattern may be about files below a folder. In doubt it may.
fn may_match(line: &str, folder: &str) -> bool {
    let pattern = line.split_whitespace().next().unwrap_or_default().trim_matches('"');
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
        let place = SkillPlace { name: "a".to_owned(), path: ".claude/skills/a".to_owned() };
        let read = |path: &str| -> Result<_, ()> {
            Ok(files.iter().find(|(name, _)| *name == path).map(|(_, text)| text.as_bytes().to_vec()))
        };
        faults(&[place], read).unwrap().into_iter().map(|(path, _)| path).collect()
    }

    #[test]
    fn attributes_that_change_a_checkout_are_found() {
        let own = "/.claude/skills/a/** -text -filter -ident -working-tree-encoding\n";
        assert_eq!(found(&[(ATTRIBUTES, own)]), Vec::<String>::new());
        assert_eq!(found(&[]), Vec::<String>::new());
        for (text, is_found) in [
            (format!("* text=auto\n{own}"), false),
            (format!("{own}*.png -text\n*.md diff=markdown\n"), false),
            (format!("{own}/docs/** text eol=lf\ndocs/*.md text\n# * text\n"), false),
            (format!("{own}* text=auto\n"), true),
            (format!("{own}*.sh working-tree-encoding=UTF-16\n"), true),
            (format!("{own}.claude/** eol=crlf\n"), true),
            (format!("{own}**/a/*.md filter=x\n"), true),
            ("*.md ident\n".to_owned(), true),
        ] {
            assert_eq!(!found(&[(ATTRIBUTES, &text)]).is_empty(), is_found, "{text}");
        }
        for path in [".claude/.gitattributes", ".claude/skills/.gitattributes"] {
            assert_eq!(found(&[(ATTRIBUTES, own), (path, "")]), [path]);
        }
        // That of the skill itself is a file like its others.
        assert_eq!(found(&[(ATTRIBUTES, own), (".claude/skills/a/.gitattributes", "")]), Vec::<String>::new());
    }
}
