//! Attributes of an index by which every checkout has other bytes than the commit.

use std::collections::BTreeSet;

use super::{Error, Git};
use crate::capability::raw_name;

/// The attributes that are asked for.
const ASKED: [&str; 5] = ["text", "eol", "filter", "ident", "working-tree-encoding"];

impl Git {
    /// Lists those of some paths whose bytes git changes in every checkout, by the files of attributes in the index. What only the settings
    /// of a person decide (`text` without `eol`) does not count.
    ///
    /// # Errors
    /// [`Error::Start`], or [`Error::Command`] with what git says.
    pub fn changed_by_staged_attributes(&self, paths: &[&str]) -> Result<BTreeSet<String>, Error> {
        if paths.is_empty() {
            return Ok(BTreeSet::new());
        }
        let args = [&["check-attr", "--cached", "-z", "--stdin"], &ASKED[..]].concat();
        let input = format!("{}\0", paths.join("\0"));
        let stdout = self.plumb(&args, &raw_name::as_bytes(&input), "git check-attr")?;
        let mut fields = stdout.split(|byte| *byte == 0).map(raw_name::as_text);
        let (mut changed, mut binary, mut crlf) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        while let (Some(path), Some(name), Some(value)) = (fields.next(), fields.next(), fields.next()) {
            let of = match (name.as_str(), value.as_str()) {
                ("text", "unset") => &mut binary,
                ("eol", "crlf") => &mut crlf,
                ("text" | "eol", _) | (_, "unspecified" | "unset") => continue,
                _ => &mut changed,
            };
            of.insert(path);
        }
        changed.extend(crlf.difference(&binary).cloned());
        Ok(changed)
    }
}
