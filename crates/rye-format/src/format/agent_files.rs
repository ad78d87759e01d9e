//! `.ai/agent-files.sig`: the files that instruct an agent, with their digests, and one signature over all of it
//! (docs/formats.md, section 1.2).
//!
//! Text, line by line, in one spelling: what is read is written again and must be the same.

use std::collections::BTreeMap;

use thiserror::Error;

use crate::capability::raw_name;
use crate::id::Timestamp;
use crate::trust::{ContentHash, Namespace, PublicKey, SshSigError, verify_armored};

/// Where the manifest is, from the top of the project.
pub const AGENT_FILES: &str = ".ai/agent-files.sig";

/// The greatest size of the manifest, in bytes.
pub const MAX_AGENT_FILES_BYTES: u64 = 4 * 1024 * 1024;

/// The first line, which names the format and its version.
const FIRST: &str = "rye-agent-files-v1";

const BEGIN: &str = "-----BEGIN SSH SIGNATURE-----\n";

/// The kind of a listed file, with git's number for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AgentFileKind {
    /// A file.
    File,
    /// A file that may be executed.
    Executable,
    /// A link: its content is where it leads.
    Link,
    /// A submodule: its content is the id of its commit.
    Submodule,
}

/// One listed file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgentFile {
    /// Its kind.
    pub kind: AgentFileKind,
    /// The SHA-256 of what git stores of it; none for a file that is too large or cannot be read, which is never listed.
    pub digest: Option<ContentHash>,
}

/// What is signed: which files, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentFileList {
    /// When it was signed, to the second.
    pub signed_at: Timestamp,
    /// The files, by their paths from the top of the project.
    pub files: BTreeMap<String, AgentFile>,
}

/// A manifest with its signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedAgentFiles {
    /// What is signed.
    pub list: AgentFileList,
    /// The key that signed it. Whether it is trusted is another question.
    pub key: PublicKey,
}

/// Why a manifest cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AgentFilesError {
    /// It is written in another way.
    #[error("line {line} is malformed: {reason}")]
    Malformed {
        /// The line, from 1.
        line: usize,
        /// The fault.
        reason: String,
    },
    /// The signature does not fit.
    #[error("its signature does not fit: {0}")]
    Signature(SshSigError),
}

impl AgentFileKind {
    /// Every kind.
    const ALL: [Self; 4] = [Self::File, Self::Executable, Self::Link, Self::Submodule];

    /// Returns git's number for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::File => "100644",
            Self::Executable => "100755",
            Self::Link => "120000",
            Self::Submodule => "160000",
        }
    }
}

impl AgentFileList {
    /// Returns the text that is signed, final newline included.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = format!("{FIRST}\nsigned-at {}\n", self.signed_at.to_seconds_text());
        for (path, AgentFile { kind, digest }) in &self.files {
            if let Some(digest) = digest {
                text.push_str(&format!("{digest} {} {}\n", kind.as_str(), written(path)));
            }
        }
        text
    }

    fn parse(text: &str) -> Result<Self, AgentFilesError> {
        let malformed = |line: usize, reason: &str| AgentFilesError::Malformed { line, reason: reason.to_owned() };
        let mut lines = text.split_terminator('\n').enumerate().map(|(at, line)| (at + 1, line));
        if lines.next().map(|(_, line)| line) != Some(FIRST) {
            return Err(malformed(1, &format!("it must be `{FIRST}`")));
        }
        let time = lines.next().and_then(|(_, line)| line.strip_prefix("signed-at ")).unwrap_or_default();
        let signed_at = time.parse().ok().filter(|moment: &Timestamp| moment.to_seconds_text() == time);
        let signed_at = signed_at.ok_or_else(|| malformed(2, "it must be `signed-at` and a time"))?;
        let (mut files, mut last) = (BTreeMap::new(), None);
        for (at, line) in lines {
            let (path, file) = file(line).ok_or_else(|| malformed(at, "it must be `SHA256 MODE PATH`"))?;
            if last.is_some_and(|last| last >= path) {
                return Err(malformed(at, "the paths are not sorted, or one appears twice"));
            }
            last = Some(path.clone());
            files.insert(path, file);
        }
        let list = Self { signed_at, files };
        if list.to_text() == text { Ok(list) } else { Err(malformed(1, "it is not written as this program writes it")) }
    }
}

impl SignedAgentFiles {
    /// Reads a manifest and checks that its signature fits it.
    ///
    /// # Errors
    ///
    /// Fails when it is written in another way, and when the signature does not fit.
    pub fn parse(bytes: &[u8]) -> Result<Self, AgentFilesError> {
        let malformed = |reason: &str| AgentFilesError::Malformed { line: 1, reason: reason.to_owned() };
        let text = std::str::from_utf8(bytes).map_err(|_| malformed("it is not UTF-8"))?;
        let at = text.find(BEGIN).filter(|at| text[..*at].ends_with('\n'));
        let (body, envelope) = text.split_at(at.ok_or_else(|| malformed("it has no SSH signature"))?);
        let list = AgentFileList::parse(body)?;
        let key = verify_armored(envelope, Namespace::Item, body.as_bytes()).map_err(AgentFilesError::Signature)?;
        Ok(Self { list, key })
    }
}

fn file(line: &str) -> Option<(String, AgentFile)> {
    let mut parts = line.splitn(3, ' ');
    let digest = parts.next()?.parse().ok()?;
    let mode = parts.next()?;
    let kind = AgentFileKind::ALL.into_iter().find(|kind| kind.as_str() == mode)?;
    Some((read(parts.next()?)?, AgentFile { kind, digest: Some(digest) }))
}

/// Writes a path on one line: `%XX` stands for a control character, `%`, and a byte that is not UTF-8.
fn written(path: &str) -> String {
    let mut text = String::new();
    let escape = |text: &mut String, bytes: &[u8]| bytes.iter().for_each(|byte| text.push_str(&format!("%{byte:02X}")));
    for chunk in raw_name::as_bytes(path).utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '%' => text.push_str("%25"),
                _ if character.is_control() => escape(&mut text, character.encode_utf8(&mut [0; 4]).as_bytes()),
                _ => text.push(character),
            }
        }
        escape(&mut text, chunk.invalid());
    }
    text
}

/// Reads a path as it is written.
fn read(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        if *first == b'%' {
            let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok())?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = after.get(2..)?;
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    (!bytes.is_empty()).then(|| raw_name::as_text(&bytes))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::trust::SigningKey;

    fn signed(text: &str) -> Vec<u8> {
        let key = SigningKey::from_seed(&[7; 32]);
        (text.to_owned() + &key.sign_armored(Namespace::Item, text.as_bytes())).into_bytes()
    }

    fn list() -> AgentFileList {
        let file = |kind| AgentFile { kind, digest: Some(ContentHash::of(b"abc")) };
        let names: [(&[u8], _); 5] = [
            (b"CLAUDE.md", AgentFileKind::File),
            (b".claude/hooks/a b%.sh", AgentFileKind::Executable),
            (b"docs/AGENTS.md", AgentFileKind::Link),
            (b".cursor/rules/line\nfeed \xff\xc3\xa9", AgentFileKind::File),
            (b".gemini", AgentFileKind::Submodule),
        ];
        let files = names.into_iter().map(|(name, kind)| (raw_name::as_text(name), file(kind))).collect();
        AgentFileList { signed_at: "2026-03-17T01:41:08Z".parse().unwrap(), files }
    }

    #[test]
    fn a_manifest_is_read_as_it_is_written() {
        let list = list();
        let text = list.to_text();
        assert_eq!(text.lines().count(), 7, "{text}");
        assert_eq!(SignedAgentFiles::parse(&signed(&text)).unwrap().list, list);
        let empty = AgentFileList { files: BTreeMap::new(), ..list };
        assert_eq!(SignedAgentFiles::parse(&signed(&empty.to_text())).unwrap().list, empty);
    }

    #[test]
    fn any_other_text_is_refused_although_it_is_signed() {
        let text = list().to_text();
        let twice = text.lines().nth(2).unwrap();
        for (from, to) in [
            ("files-v1", "files-v2"),
            ("signed-at 2026-03-17T01", "signed-at 2026-03-17 01"),
            ("100755", "100664"),
            ("%25", "%2e"),
            ("%0A", "%0a"),
            (" CLAUDE.md", " %43LAUDE.md"),
            ("CLAUDE.md\n", "CLAUDE.md\r\n"),
            (twice, &format!("{twice}\n{twice}")),
            ("docs/AGENTS.md", ""),
        ] {
            assert!(text.contains(from), "{from}");
            assert!(SignedAgentFiles::parse(&signed(&text.replacen(from, to, 1))).is_err(), "{from} {to}");
        }
    }

    #[test]
    fn a_change_under_the_signature_does_not_fit() {
        let bytes = String::from_utf8(signed(&list().to_text())).unwrap();
        let changed = bytes.replacen("CLAUDE.md", "CLAUDE.mc", 1);
        assert!(matches!(SignedAgentFiles::parse(changed.as_bytes()), Err(AgentFilesError::Signature(_))));
    }
}
