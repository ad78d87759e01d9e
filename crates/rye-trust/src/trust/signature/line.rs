//! The signature line: finding it, reading it strictly, writing it.
//!
//! `rye:signed:TIMESTAMP:HASH:SIGNATURE:KEYID` in exactly the extension's comment style, the whole of line 1, or of
//! line 2 when line 1 of a tool starts with `#!`; ASCII, ended by `\n`. Any other mention of `rye:signed:` on those
//! lines is malformed, never unsigned: an attacker must not be able to turn a signed file into an unsigned one by
//! damaging its line, nor to hide code behind a lone CR (hole 26 of the threat model).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE;

use crate::id::{CommentStyle, ItemType, Timestamp};
use crate::trust::{ContentHash, KeyId, RawSignature};

const MARK: &[u8] = b"rye:signed:";
const LEGACY_MARKS: [&str; 2] = ["rye:validated:", "kiwi-mcp:"];
/// What older programs wrote instead of hash, signature and key into a line that was yet to be signed.
const PLACEHOLDER: &str = "placeholder:unsigned:unsigned";

/// The four fields of a signature line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureLine {
    /// When the signer says it was signed, to the second.
    pub timestamp: Timestamp,
    /// The SHA-256 of the file's bytes without the line.
    pub hash: ContentHash,
    /// The Ed25519 signature.
    pub signature: RawSignature,
    /// Which key made it.
    pub key_id: KeyId,
}

/// An item's bytes taken apart at its signature line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split<'a> {
    /// The text before the line: nothing, or a tool's `#!` line with its newline.
    pub before: &'a [u8],
    /// The line.
    pub line: LineState,
    /// What follows the line's newline; everything below `before` without a line.
    pub after: &'a [u8],
}

/// The text in the place of a signature line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineState {
    /// No claim to be a signature.
    Absent,
    /// A well-formed line.
    Present(SignatureLine),
    /// Nothing but lines of older programs, which count as no signature. They are left out of [`Split::after`], so that
    /// a new line takes their place.
    Legacy,
    /// Something that claims to be one and is not. It is left out of [`Split::after`] only if it was one once.
    Malformed {
        /// The fault.
        reason: &'static str,
    },
    /// A well-formed line with another one below it.
    Doubled,
}

impl SignatureLine {
    /// Returns the line with its comment marks and final newline.
    #[must_use]
    pub fn render(&self, comment: CommentStyle) -> String {
        let (open, close) = comment.around();
        format!("{open}{}{close}\n", self.bare())
    }

    /// Returns the line without comment marks and newline, as in notes.
    #[must_use]
    pub fn bare(&self) -> String {
        let (time, signature) = (self.timestamp.to_seconds_text(), self.signature_text());
        format!("rye:signed:{time}:{}:{signature}:{}", self.hash, self.key_id)
    }

    /// Reads a line without comment marks and newline.
    pub(in crate::trust) fn from_bare(line: &[u8]) -> Result<Self, &'static str> {
        let fields = line.strip_prefix(MARK).filter(|fields| fields.is_ascii());
        let fields = fields.and_then(|fields| std::str::from_utf8(fields).ok()).ok_or("it is not a signature line")?;
        read_fields(fields)
    }

    /// Returns the signature as canonical padded base64url.
    #[must_use]
    pub fn signature_text(&self) -> String {
        URL_SAFE.encode(self.signature.0)
    }
}

impl Split<'_> {
    /// Returns the bytes a signature covers: everything but the line.
    #[must_use]
    pub fn covered(&self) -> ContentHash {
        ContentHash::of_parts(&[self.before, self.after])
    }

    /// Returns the bytes a signature covers, in one piece.
    #[must_use]
    pub fn body(&self) -> Vec<u8> {
        [self.before, self.after].concat()
    }
}

/// Takes an item's bytes apart.
#[must_use]
pub fn split(item_type: ItemType, comment: CommentStyle, bytes: &[u8]) -> Split<'_> {
    let (before, rest) = bytes.split_at(shebang_end(item_type, bytes));
    let legacy = legacy_end(comment, rest);
    if legacy > 0 && !mentions(before) && !mentions(first_line(&rest[legacy..])) {
        return Split { before, line: LineState::Legacy, after: &rest[legacy..] };
    }
    let (line, after) = rest.split_at(line_end(rest));
    let malformed = |reason, after| Split { before, line: LineState::Malformed { reason }, after };
    if mentions(before) {
        return malformed("it is on the `#!` line", rest);
    }
    if !mentions(line) {
        return unsigned(before, rest, after);
    }
    match read(comment, line) {
        Ok(_) if mentions(first_line(after)) => Split { before, line: LineState::Doubled, after },
        Ok(_) if before.is_empty() && shebang_end(item_type, after) > 0 => {
            malformed("it must be below the `#!` line", after)
        }
        Ok(fields) => Split { before, line: LineState::Present(fields), after },
        Err(reason) if was_a_signature(line) => malformed(reason, after),
        Err(reason) => malformed(reason, rest),
    }
}

/// Returns the length of the lines of older programs that `rest` begins with.
fn legacy_end(comment: CommentStyle, rest: &[u8]) -> usize {
    let mut end = 0;
    while let line @ [_, ..] = first_line(&rest[end..])
        && is_legacy_line(comment, line)
    {
        end += line.len();
    }
    end
}

/// Tells whether a line is one that an older program wrote where the signature line belongs: `rye:validated:…`,
/// `kiwi-mcp:…`, or the placeholder `placeholder:unsigned:unsigned`, alone in a comment of the file's style and without a blank.
#[must_use]
pub fn is_legacy_line(comment: CommentStyle, line: &[u8]) -> bool {
    let (open, close) = comment.around();
    let inside = line
        .trim_ascii_end()
        .strip_prefix(open.trim_end().as_bytes())
        .and_then(|line| line.strip_suffix(close.trim_start().as_bytes()))
        .map(<[u8]>::trim_ascii);
    inside.and_then(|inside| std::str::from_utf8(inside).ok()).is_some_and(|inside| {
        // A line that a comment's end or a line break could hide is never dropped.
        let plain = inside.bytes().all(|byte| (b'!'..=b'~').contains(&byte)) && !inside.contains("-->");
        plain && is_legacy_mark(inside)
    })
}

fn is_legacy_mark(text: &str) -> bool {
    let placeholder = |text: &str| {
        let time = text.strip_suffix(PLACEHOLDER);
        time.is_some_and(|time| time.bytes().all(|byte| byte.is_ascii_digit() || b"TZ:-".contains(&byte)))
    };
    LEGACY_MARKS.iter().any(|mark| text.starts_with(mark))
        || placeholder(text.strip_prefix("rye:signed:").unwrap_or(text))
}

/// Puts `line` where it belongs in bytes that have none.
pub(in crate::trust) fn with_line(item_type: ItemType, body: &[u8], line: &str) -> Vec<u8> {
    let (before, after) = body.split_at(shebang_end(item_type, body));
    [before, line.as_bytes(), after].concat()
}

/// Returns the length of a tool's `#!` line, newline included; 0 without one.
pub(in crate::trust) fn shebang_end(item_type: ItemType, bytes: &[u8]) -> usize {
    if item_type == ItemType::Tool && bytes.starts_with(b"#!") { line_end(bytes) } else { 0 }
}

/// Tells a damaged signature line, which signing again may replace, from a line of the item's own that only speaks
/// of the mark or hides something behind a control character: that one is never dropped.
fn was_a_signature(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    let Some(at) = line.windows(MARK.len()).position(|window| window.eq_ignore_ascii_case(MARK)) else {
        return false;
    };
    let (comment, fields) = (&line[..at], &line[at + MARK.len()..]);
    !comment.iter().any(u8::is_ascii_alphanumeric)
        && fields.first().is_some_and(u8::is_ascii_digit)
        && fields.iter().all(|byte| (b' '..=b'~').contains(byte))
}

/// Judges a file whose place for the line holds none: a line one place too low is malformed, not absent. Below a `#!`
/// line only another one can have pushed it there.
fn unsigned<'a>(before: &'a [u8], rest: &'a [u8], below: &'a [u8]) -> Split<'a> {
    let line = match mentions(first_line(below)) {
        true if before.is_empty() => LineState::Malformed { reason: "it must be the first line" },
        true if rest.starts_with(b"#!") => LineState::Malformed { reason: "it must be below the first `#!` line" },
        _ => LineState::Absent,
    };
    Split { before, line, after: rest }
}

fn line_end(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |newline| newline + 1)
}

pub(in crate::trust) fn first_line(bytes: &[u8]) -> &[u8] {
    &bytes[..line_end(bytes)]
}

pub(in crate::trust) fn mentions(line: &[u8]) -> bool {
    line.windows(MARK.len()).any(|window| window.eq_ignore_ascii_case(MARK))
}

/// Reads a whole line, newline included.
pub(in crate::trust) fn read(comment: CommentStyle, line: &[u8]) -> Result<SignatureLine, &'static str> {
    let line = line.strip_suffix(b"\n").ok_or("it does not end with a newline")?;
    if line.ends_with(b"\r") {
        return Err("it ends with CR LF instead of LF");
    }
    if let Some(byte) = line.iter().find(|byte| !(b' '..=b'~').contains(*byte)) {
        return Err(if *byte == b'\r' {
            "it contains a lone CR"
        } else {
            "it contains a character other than printable ASCII"
        });
    }
    let (open, close) = comment.around();
    let fields = line
        .strip_prefix(open.as_bytes())
        .and_then(|line| line.strip_suffix(close.as_bytes()))
        .and_then(|line| line.strip_prefix(MARK))
        .and_then(|fields| std::str::from_utf8(fields).ok())
        .ok_or("it is not written in the file's comment style, alone on its line")?;
    read_fields(fields)
}

fn read_fields(fields: &str) -> Result<SignatureLine, &'static str> {
    let (time, rest) = fields.split_at_checked(20).ok_or("it is cut short")?;
    let timestamp: Timestamp = time.parse().map_err(|_| "its time is not written like 2026-03-17T01:41:08Z")?;
    let rest = rest.strip_prefix(':').ok_or("its time is not written like 2026-03-17T01:41:08Z")?;
    let [hash, signature, key_id] =
        rest.split(':').collect::<Vec<_>>().try_into().map_err(|_| "it does not have four fields")?;
    Ok(SignatureLine {
        timestamp,
        hash: hash.parse().map_err(|_| "its hash is not 64 lowercase hexadecimal digits")?,
        signature: read_signature(signature).ok_or("its signature is not 64 bytes in padded base64url")?,
        key_id: key_id.parse().map_err(|_| "its key id is not 16 lowercase hexadecimal digits")?,
    })
}

/// Reads canonical padded base64url: the one text that encodes these bytes.
fn read_signature(text: &str) -> Option<RawSignature> {
    let bytes: [u8; 64] = URL_SAFE.decode(text).ok()?.try_into().ok()?;
    (URL_SAFE.encode(bytes) == text).then_some(RawSignature(bytes))
}
