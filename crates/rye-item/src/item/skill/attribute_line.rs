//! A line of `.gitattributes` as git reads it. Where that is in doubt, the line counts as one that changes bytes.

use std::collections::BTreeSet;

/// Attributes by which a checkout has other bytes.
const CHANGING: [&str; 6] = ["text", "crlf", "eol", "filter", "ident", "working-tree-encoding"];

/// Attributes that leave line ends as a commit has them, in a line with `eol=lf`: git then writes LF, and no CR.
const UNIX: [&str; 3] = ["text", "text=auto", "eol=lf"];

/// Attributes that git reads and that change no byte of a checkout; `linguist-…` and `gitlab-…` are read by hosts.
const HARMLESS: [&str; 10] = [
    "binary",
    "conflict-marker-size",
    "delta",
    "diff",
    "encoding",
    "export-ignore",
    "export-subst",
    "lockable",
    "merge",
    "whitespace",
];

/// What begins the line of a macro: a name for several attributes.
const MACRO: &str = "[attr]";

/// What git takes for a blank within a line.
const BLANKS: [char; 3] = [' ', '\t', '\r'];

/// A line that is neither empty nor a comment.
#[derive(Debug, Clone)]
pub(super) struct AttributeLine<'t> {
    /// The pattern without its quotes; with its escapes.
    pub pattern: &'t str,
    attributes: Vec<&'t str>,
    is_escaped: bool,
}

impl<'t> AttributeLine<'t> {
    /// Reads a line; none for one that is empty or a comment.
    pub(super) fn parse(line: &'t str) -> Option<Self> {
        let line = line.trim_matches(BLANKS);
        if line.is_empty() || line.starts_with('#') {
            return None;
        }
        let (pattern, rest) = match line.strip_prefix('"').and_then(|quoted| quoted.split_once('"')) {
            // Where an escape is invalid, git reads the line as one without quotes: every word of it may be an attribute.
            Some((pattern, _)) if pattern.contains('\\') => {
                let attributes = line.split(BLANKS).flat_map(|word| word.split('"')).collect();
                return Some(Self { pattern, attributes, is_escaped: true });
            }
            Some(quoted) => quoted,
            None => line.split_at(line.find(BLANKS).unwrap_or(line.len())),
        };
        let attributes = rest.split(BLANKS).filter(|word| !word.is_empty()).collect();
        Some(Self { pattern, attributes, is_escaped: false })
    }

    /// Returns the name of the macro that the line defines.
    pub(super) fn macro_name(&self) -> Option<&'t str> {
        let name = self.pattern.strip_prefix(MACRO)?.trim_start_matches(BLANKS);
        name.split(BLANKS).next().filter(|name| !name.is_empty())
    }

    /// Tells whether the line may define a macro whose name only git's rules for escapes tell.
    pub(super) fn may_be_hidden_macro(&self) -> bool {
        self.is_escaped && self.pattern.starts_with(['[', '\\'])
    }

    /// Tells whether the line sets an attribute by which a checkout has other bytes, or leaves it to the settings of whoever checks out.
    pub(super) fn sets(&self, macros: &BTreeSet<&str>) -> bool {
        let sets = |attribute: &str| {
            let (name, _) = attribute.split_once('=').unwrap_or((attribute, ""));
            let name = name.strip_prefix('!').unwrap_or(name);
            // What takes `eol` back leaves line ends to whoever checks out.
            attribute == "-eol" || CHANGING.contains(&name) || macros.contains(name)
        };
        self.judged().any(sets)
    }

    /// Tells whether the line sets such an attribute if the macros are not known: each attribute that is not one of the usual ones may be
    /// a macro.
    pub(super) fn may_set(&self) -> bool {
        let may_be_macro = |attribute: &str| !attribute.starts_with(['-', '!']) && !attribute.contains('=');
        self.sets(&BTreeSet::new()) || self.judged().any(|attribute| may_be_macro(attribute) && !is_harmless(attribute))
    }

    /// Returns the attributes without those that keep line ends in a line with `eol=lf`.
    fn judged(&self) -> impl Iterator<Item = &'t str> {
        let is_unix = self.attributes.contains(&"eol=lf");
        self.attributes.iter().copied().filter(move |attribute| !(is_unix && UNIX.contains(attribute)))
    }
}

/// Tells whether an attribute is one of the usual ones that change no byte, unless a macro has its name.
pub(super) fn is_harmless(name: &str) -> bool {
    HARMLESS.contains(&name) || name.starts_with("linguist-") || name.starts_with("gitlab-")
}

/// Tells whether a pattern may be about files below a folder. In doubt it may.
pub(super) fn may_match(pattern: &str, folder: &str) -> bool {
    let anchored = pattern.trim_start_matches('/');
    let first = anchored.split('/').next().unwrap_or_default();
    let is_anchored = pattern.starts_with('/') || anchored.contains('/');
    let is_plain = !first.contains(['*', '?', '[', '\\']);
    // Git ignores case where the file system does.
    let is_other = |top: &str| !top.eq_ignore_ascii_case(first);
    !(is_anchored && is_plain && folder.split('/').next().is_none_or(is_other))
}
