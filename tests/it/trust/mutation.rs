//! Damage at every byte of three signed files: none is accepted, and each is refused by the rule that fits.

use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE;
use rye::id::Timestamp;
use rye::trust::Verdict;

use super::{items, judge, signed};

/// The damage to the byte at a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Damage {
    Flip,
    CarriageReturn,
    Delete,
    InsertSpace,
}

/// Where the parts of a signed file lie.
struct Layout {
    shebang: Range<usize>,
    open: Range<usize>,
    mark: Range<usize>,
    time: Range<usize>,
    hash: Range<usize>,
    signature: Range<usize>,
    key_id: Range<usize>,
    body: usize,
}

impl Damage {
    const ALL: [Self; 4] = [Self::Flip, Self::CarriageReturn, Self::Delete, Self::InsertSpace];

    fn done_to(self, bytes: &[u8], at: usize) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        match self {
            Self::Flip => bytes[at] ^= 1,
            Self::CarriageReturn => bytes[at] = b'\r',
            Self::Delete => drop(bytes.remove(at)),
            Self::InsertSpace => bytes.insert(at, b' '),
        }
        bytes
    }
}

impl Layout {
    /// Lengths are those of the page: the mark, 20, 64, 88 and 16 characters with `:` between them.
    fn of(bytes: &[u8]) -> Self {
        let mark = bytes.windows(11).position(|window| window == b"rye:signed:").unwrap();
        let start = bytes[..mark].iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
        let end = mark + bytes[mark..].iter().position(|byte| *byte == b'\n').unwrap();
        let (time, hash, signature, key_id) = (mark + 11, mark + 32, mark + 97, mark + 186);
        Self {
            shebang: 0..start,
            open: start..mark,
            mark: mark..time,
            time: time..time + 20,
            hash: hash..hash + 64,
            signature: signature..signature + 88,
            key_id: key_id..key_id + 16,
            body: end + 1,
        }
    }

    /// Says which rule the damage breaks, from the page alone.
    fn expected(&self, damage: Damage, at: usize, damaged: &[u8]) -> &'static str {
        let still = |part: &Range<usize>, fits: fn(&str) -> bool| {
            let text = std::str::from_utf8(&damaged[part.clone()]);
            damage == Damage::Flip && part.contains(&at) && text.is_ok_and(fits)
        };
        let hex = |text: &str| text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let shebang_end = self.shebang.end.saturating_sub(1);
        if at >= self.body {
            "RYE-S004"
        } else if self.shebang.contains(&at) {
            // Without `#!` or its newline, the signature line is no longer where it belongs.
            let line_is_moved = at < 2 || (at == shebang_end && damage != Damage::InsertSpace);
            if line_is_moved { "RYE-S002" } else { "RYE-S004" }
        } else if self.mark.contains(&at) && (damage != Damage::InsertSpace || at > self.mark.start) {
            "RYE-S001"
        } else if still(&self.time, |text| text.parse::<Timestamp>().is_ok())
            || still(&self.signature, |text| URL_SAFE.decode(text).is_ok())
        {
            "RYE-S005"
        } else if still(&self.hash, hex) {
            "RYE-S004"
        } else if still(&self.key_id, hex) {
            "RYE-S006"
        } else {
            "RYE-S002"
        }
    }
}

#[test]
fn damage_at_any_byte_is_refused_by_the_rule_that_fits() {
    for (subject, text) in items() {
        let bytes = signed(&subject, text.as_bytes());
        let layout = Layout::of(&bytes);
        assert_eq!((layout.open.is_empty(), bytes[layout.key_id.end..layout.body].len() < 6), (false, true));
        assert_eq!(judge(&subject, &bytes), Ok(Verdict::Good));
        for damage in Damage::ALL {
            for at in 0..bytes.len() {
                let damaged = damage.done_to(&bytes, at);
                let wanted = layout.expected(damage, at, &damaged);
                assert_eq!(judge(&subject, &damaged), Err(wanted), "{subject}: {damage:?} at {at}");
            }
        }
    }
}

#[test]
fn every_part_of_a_signed_file_is_refused_and_so_is_every_addition() {
    for (subject, text) in items() {
        let bytes = signed(&subject, text.as_bytes());
        for length in 0..bytes.len() {
            assert!(judge(&subject, &bytes[..length]).is_err(), "{subject}: the first {length} bytes");
            assert!(judge(&subject, &bytes[length + 1..]).is_err(), "{subject}: all after {length}");
        }
        for added in ["\n", " ", "\0", "\r\n"] {
            assert_eq!(judge(&subject, [&bytes, added.as_bytes()].concat()), Err("RYE-S004"), "{subject}: {added:?}");
        }
    }
}

/// The line and the text of two valid files do not make a third.
#[test]
fn a_line_fits_only_the_text_it_was_made_for() {
    for (subject, text) in items() {
        let other = format!("{text}more\n");
        let (ours, theirs) = (signed(&subject, text.as_bytes()), signed(&subject, other.as_bytes()));
        let (at, end) = (Layout::of(&ours).shebang.end, Layout::of(&ours).body);
        let mixed = [&theirs[..at], &ours[at..end], &theirs[end..]].concat();
        assert_eq!(judge(&subject, mixed), Err("RYE-S004"));
    }
}
