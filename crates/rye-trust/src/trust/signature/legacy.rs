//! Signatures of version 1, as an older program wrote them: read and judged, never made and never accepted.
//!
//! They are raw Ed25519 over the 64 digits of a hash, and the hash leaves out much of the file and all of its name. So a
//! valid one is a fault of its own, [`Fault::Legacy`], that names the unsigned facts. Items that the older program
//! refused are refused here too; the message of version 2 is an envelope, so neither version's signature is ever the
//! other's.

use super::line::{SignatureLine, first_line, mentions, read, shebang_end};
use crate::id::{CommentStyle, ItemType};
use crate::trust::{ContentHash, Fault, PublicKey, Subject, Uncovered};

/// What no signature of version 1 covers.
const NEVER_COVERED: [Uncovered; 5] =
    [Uncovered::Type, Uncovered::Id, Uncovered::Extension, Uncovered::Time, Uncovered::LineEndings];
const BLOCK_START: &[u8] = b"<directive";
const BLOCK_END: &[u8] = b"</directive>";

/// Judges an item whose line is not a valid signature of version 2. Returns nothing if it is not one of version 1
/// either. `judge_key` judges the key that a line names; it is told whether a key made the line's signature.
pub(in crate::trust) fn judge(
    subject: &Subject,
    bytes: &[u8],
    judge_key: impl FnOnce(&SignatureLine, &dyn Fn(&PublicKey) -> bool) -> Result<(), Fault>,
) -> Option<Fault> {
    let (line, of_line, below) = take_apart(subject, bytes)?;
    if mentions(first_line(below)) {
        return Some(Fault::SecondLine);
    }
    let below = with_lf(below);
    let (covered, of_type) = covered(subject.item_type, &below)?;
    if ContentHash::of(covered) != line.hash {
        return None;
    }
    let digits = line.hash.to_string();
    let fits = |key: &PublicKey| key.accepts(digits.as_bytes(), &line.signature.0);
    match judge_key(&line, &fits) {
        Ok(()) => {
            let uncovered = [&NEVER_COVERED, of_type, &of_line].concat();
            Some(Fault::Legacy { key_id: line.key_id, uncovered })
        }
        // A signature of neither version is reported by the rules of version 2.
        Err(Fault::Misplaced) => None,
        Err(fault) => Some(fault),
    }
}

/// Finds the line; returns its fields, the rest of the line, and all below it.
fn take_apart<'a>(subject: &Subject, bytes: &'a [u8]) -> Option<(SignatureLine, Vec<Uncovered>, &'a [u8])> {
    let (shebang, rest) = bytes.split_at(shebang_end(subject.item_type, bytes));
    let (line, below) = rest.split_at(first_line(rest).len());
    let is_above_shebang = shebang.is_empty() && shebang_end(subject.item_type, below) > 0;
    if is_above_shebang || !is_known_shebang(shebang) {
        return None;
    }
    let (line, of_line) = read_line(subject.item_type, subject.extension.comment(), line)?;
    Some((line, of_line, below))
}

/// Tells whether a `#!` line, if there is one, is of the form the older program knew.
fn is_known_shebang(line: &[u8]) -> bool {
    let is_one_line = !line.trim_ascii_end().contains(&b'\r');
    line.is_empty() || line.starts_with(b"#!/") && is_one_line
}

/// Reads a line, newline included, as strictly as version 2 but for its end.
fn read_line(item_type: ItemType, comment: CommentStyle, line: &[u8]) -> Option<(SignatureLine, Vec<Uncovered>)> {
    let mut of_line = Vec::new();
    let line = line.strip_suffix(b"\n")?;
    let unbroken = line.strip_suffix(b"\r").unwrap_or(line);
    let length = unbroken.iter().rposition(|byte| !matches!(byte, b' ' | b'\t')).map_or(0, |last| last + 1);
    // In knowledge blanks were taken for text, and covered.
    if length < unbroken.len() && item_type == ItemType::Knowledge {
        return None;
    }
    let close = comment.around().1.as_bytes();
    let fields = unbroken[..length].strip_suffix(close)?;
    let (fields, suffix) = match fields.iter().position(|byte| *byte == b'|') {
        Some(at) => (&fields[..at], Some(&fields[at + 1..])),
        None => (fields, None),
    };
    if suffix.is_some_and(|suffix| !is_registry_user(suffix)) {
        return None;
    }
    of_line.extend((unbroken.len() < line.len()).then_some(Uncovered::LineEnd));
    of_line.extend((length < unbroken.len()).then_some(Uncovered::TrailingBlanks));
    of_line.extend(suffix.map(|_| Uncovered::RegistrySuffix));
    let line = read(comment, &[fields, close, b"\n"].concat()).ok()?;
    Some((line, of_line))
}

/// Tells whether a text is like `registry@user`.
fn is_registry_user(text: &[u8]) -> bool {
    let is_name =
        |name: &[u8]| !name.is_empty() && name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(byte));
    text.iter().position(|byte| *byte == b'@').is_some_and(|at| is_name(&text[..at]) && is_name(&text[at + 1..]))
}

/// Makes every line end with LF.
fn with_lf(bytes: &[u8]) -> Vec<u8> {
    let mut lines = Vec::with_capacity(bytes.len());
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'\r' if bytes.get(at + 1) == Some(&b'\n') => {}
            b'\r' => lines.push(b'\n'),
            byte => lines.push(*byte),
        }
    }
    lines
}

/// Returns the hashed part of the text below the line, and the part that the item's type leaves out.
fn covered(item_type: ItemType, below: &[u8]) -> Option<(&[u8], &'static [Uncovered])> {
    match item_type {
        ItemType::Knowledge => Some((below, &[])),
        ItemType::Tool => Some((below, &[Uncovered::Shebang])),
        // There are none.
        ItemType::Skill => None,
        ItemType::Directive => {
            let start = below.windows(BLOCK_START.len()).position(|part| part == BLOCK_START)?;
            let end = below.windows(BLOCK_END.len()).rposition(|part| part == BLOCK_END)? + BLOCK_END.len();
            let has_steps = below[end..].iter().any(|byte| !byte.is_ascii_whitespace() && *byte != b'`');
            let left_out: &[Uncovered] =
                if has_steps { &[Uncovered::Prose, Uncovered::Steps] } else { &[Uncovered::Prose] };
            Some((below.get(start..end)?, left_out))
        }
    }
}
