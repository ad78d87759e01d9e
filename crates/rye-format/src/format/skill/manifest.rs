//! The manifest of a skill: canonical text below the signature line (docs/formats.md, section 1.1).
//!
//! There is one text for one manifest: the read manifest is written again and must be the same.

use crate::format::span::Findings;
use crate::format::{Anchors, Span, rules};
use crate::id::{CommentStyle, ItemType};
use crate::item::{Item, SkillFile, SkillManifest, unusable_path};
use crate::trust;

/// The first line, which names the format and its version.
const FIRST: &str = "rye-skill-manifest-v1";

/// What mends a manifest, whatever is wrong with it.
const HINT: &str = "`rye sign skill PATH` writes it anew from the skill's folder";

/// Writes a manifest, without a signature line.
#[must_use]
pub fn manifest_text(manifest: &SkillManifest) -> String {
    let SkillManifest { id, version, source, files } = manifest;
    let mut text = format!("{FIRST}\nid {id}\n");
    if let Some(version) = version {
        text.push_str(&format!("version {version}\n"));
    }
    if let Some(source) = source {
        text.push_str(&format!("source {source}\n"));
    }
    text.extend(files.iter().map(SkillFile::line));
    text
}

/// Reads a manifest, signature line included.
pub(in crate::format) fn read(text: &str, findings: &mut Findings<'_>) -> (Option<Item>, Anchors) {
    let body = trust::split(ItemType::Skill, CommentStyle::Hash, text.as_bytes()).after;
    let start = text.len() - body.len();
    let place = |line: usize, length: usize| Span::new(start + line, start + line + length);
    let manifest = std::str::from_utf8(body).map_err(|_| (0, "it is not UTF-8".to_owned())).and_then(parsed);
    match manifest {
        Ok(manifest) if manifest_text(&manifest).as_bytes() == body => {
            let first = place(0, FIRST.len());
            let id = place(FIRST.len() + 1, "id ".len() + manifest.id.as_str().len());
            let anchors = Anchors::new(text, first, id, first);
            (Some(Item::Skill(Box::new(manifest))), anchors)
        }
        Ok(_) => {
            let message = "the manifest is not written as this program writes it";
            findings.at(&rules::SKILL_MANIFEST, place(0, FIRST.len()), message, HINT);
            (None, Anchors::default())
        }
        Err((line, reason)) => {
            let length = text[start + line..].lines().next().map_or(0, str::len);
            let message = format!("the manifest cannot be read: {reason}");
            findings.at(&rules::SKILL_MANIFEST, place(line, length), message, HINT);
            (None, Anchors::default())
        }
    }
}

/// Reads the text; a fault has the offset of its line.
fn parsed(text: &str) -> Result<SkillManifest, (usize, String)> {
    let mut at = 0;
    let mut lines = text.split_inclusive('\n').map(|line| {
        let start = at;
        at += line.len();
        (start, line.strip_suffix('\n').unwrap_or(line))
    });
    let mut lines = lines.by_ref().peekable();
    match lines.next() {
        Some((_, FIRST)) => {}
        _ => return Err((0, format!("it does not begin with `{FIRST}`"))),
    }
    let (at_id, id) = match lines.next() {
        Some((at, line)) => (at, line.strip_prefix("id ").ok_or((at, "its second line names no id".to_owned()))?),
        None => return Err((0, "its second line names no id".to_owned())),
    };
    let id = id.parse().map_err(|error: crate::id::ItemIdError| (at_id, error.to_string()))?;
    let mut version = None;
    if let Some((at, line)) = lines.next_if(|(_, line)| line.starts_with("version ")) {
        let read = line["version ".len()..].parse();
        version = Some(read.map_err(|error: crate::id::VersionError| (at, error.to_string()))?);
    }
    let source = lines.next_if(|(_, line)| line.starts_with("source "));
    let source = source.map(|(_, line)| line["source ".len()..].to_owned());
    let mut files: Vec<SkillFile> = Vec::new();
    for (at, line) in lines {
        let file = file(line).map_err(|reason| (at, reason))?;
        if files.last().is_some_and(|last| last.path >= file.path) {
            return Err((at, "its files are not sorted, or one appears twice".to_owned()));
        }
        files.push(file);
    }
    Ok(SkillManifest { id, version, source, files })
}

/// Reads the line of a file.
fn file(line: &str) -> Result<SkillFile, String> {
    let unread = || "a line is not `sha256 size mode path`".to_owned();
    let mut parts = line.splitn(4, ' ');
    let mut part = || parts.next().ok_or_else(unread);
    let (sha256, size, mode, path) = (part()?, part()?, part()?, part()?);
    let executable = match mode {
        "100644" => false,
        "100755" => true,
        _ => return Err("a file's mode is neither 100644 nor 100755".to_owned()),
    };
    if let Some(reason) = unusable_path(path) {
        return Err(format!("a file of a skill cannot be called so: {reason}"));
    }
    let sha256 = sha256.parse().map_err(|_| unread())?;
    Ok(SkillFile { path: path.to_owned(), executable, size: size.parse().map_err(|_| unread())?, sha256 })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::format::{parse, rules};
    use crate::trust::ContentHash;

    fn manifest() -> SkillManifest {
        let file = |path: &str, executable| SkillFile {
            path: path.to_owned(),
            executable,
            size: 3,
            sha256: ContentHash::of(b"abc"),
        };
        SkillManifest {
            id: "acme/pdf".parse().unwrap(),
            version: Some("1.2.3".parse().unwrap()),
            source: Some("git+https://example.org/skills//pdf@0123".to_owned()),
            files: vec![file("SKILL.md", false), file("scripts/a b.sh", true)],
        }
    }

    #[test]
    fn a_manifest_is_read_as_it_is_written() {
        let bare = SkillManifest { version: None, source: None, files: Vec::new(), ..manifest() };
        for manifest in [manifest(), bare] {
            let parsed = parse(ItemType::Skill, &"sig".parse().unwrap(), &manifest_text(&manifest));
            assert_eq!(parsed.findings, []);
            assert_eq!(parsed.item, Some(Item::Skill(Box::new(manifest))));
        }
    }

    #[test]
    fn any_other_text_is_refused() {
        let good = manifest_text(&manifest());
        for (from, to) in [
            ("manifest-v1", "manifest-v2"),
            ("id acme/pdf\n", ""),
            ("id acme", "id ../acme"),
            ("version 1.2.3", "version 1.2"),
            ("100644", "100664"),
            (" 3 100644", " 03 100644"),
            ("SKILL.md", "../SKILL.md"),
            ("SKILL.md", "tkill.md"),
            ("SKILL.md", "scripts/a b.sh"),
            ("id acme/pdf", "id acme/pdf\r"),
            (" SKILL.md\n", "\n"),
        ] {
            assert!(good.contains(from), "{from}");
            let parsed = parse(ItemType::Skill, &"sig".parse().unwrap(), &good.replacen(from, to, 1));
            assert_eq!(parsed.item, None, "{from} {to}");
            assert_eq!(parsed.findings[0].rule, rules::SKILL_MANIFEST.id, "{from} {to}");
        }
        let parsed = parse(ItemType::Skill, &"sig".parse().unwrap(), good.trim_end());
        assert_eq!(parsed.item, None, "without the last newline");
    }
}
