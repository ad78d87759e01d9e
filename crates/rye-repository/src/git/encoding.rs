//! The encodings of `working-tree-encoding`: what git stores as UTF-8 and the work tree has in another one.
//!
//! gix converts neither from nor to UTF-16 with a byte order mark of one's choice, and its UTF-16 writes UTF-8; so UTF-16
//! is done here. An unknown encoding cannot be converted, even if git's iconv could.

use gix::filter::plumbing::{
    encoding,
    worktree::{encode_to_git, encode_to_worktree},
};

/// An encoding of the work tree other than UTF-8.
#[derive(Debug, Clone, Copy)]
pub(super) enum Encoding {
    /// UTF-16.
    Utf16 {
        /// Its byte order; `None` leaves it to the mark, and to the machine where one is written.
        order: Option<Order>,
        /// What of its byte order mark.
        mark: Mark,
    },
    /// ISO 8859-1: each byte is a character.
    Latin1,
    /// Any other.
    Named(&'static encoding::Encoding),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Little,
    Big,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// There must be one.
    Required,
    /// There is one when git writes.
    Written,
    /// There must not be one.
    Forbidden,
}

/// The name that an attribute gives.
#[derive(Debug, Clone, Copy)]
pub(super) enum Named {
    /// What git stores anyway.
    Utf8,
    Known(Encoding),
    Unknown,
}

impl Named {
    /// Tells whether gix does not write it.
    pub(super) const fn is_own(self) -> bool {
        matches!(self, Self::Known(Encoding::Utf16 { .. } | Encoding::Latin1))
    }

    /// Reads a name as git does.
    pub(super) fn parse(name: &[u8]) -> Self {
        let name = String::from_utf8_lossy(name).to_ascii_lowercase();
        let utf = name.strip_prefix("utf").map(|rest| rest.strip_prefix('-').unwrap_or(rest));
        let utf16 = |order, mark| Self::Known(Encoding::Utf16 { order, mark });
        match utf {
            Some("8") => Self::Utf8,
            Some("16") => utf16(None, Mark::Required),
            Some("16le") => utf16(Some(Order::Little), Mark::Forbidden),
            Some("16be") => utf16(Some(Order::Big), Mark::Forbidden),
            Some("16le-bom") => utf16(Some(Order::Little), Mark::Written),
            Some(_) => Self::Unknown,
            None if ["latin1", "latin-1", "iso-8859-1", "iso8859-1"].contains(&name.as_str()) => {
                Self::Known(Encoding::Latin1)
            }
            None => match encoding::Encoding::for_label(name.as_bytes()) {
                Some(found) if found == encoding::UTF_8 => Self::Utf8,
                Some(found) => Self::Known(Encoding::Named(found)),
                None => Self::Unknown,
            },
        }
    }
}

impl Encoding {
    /// Returns what git stores for bytes of the work tree; `None` if it refuses them. With `is_checked` they must come back
    /// as they are.
    pub(super) fn to_git(self, bytes: &[u8], is_checked: bool) -> Option<Vec<u8>> {
        match self {
            Self::Utf16 { order, mark } => from_utf16(bytes, order, mark),
            Self::Latin1 => Some(bytes.iter().copied().map(char::from).collect::<String>().into_bytes()),
            Self::Named(named) => {
                let check =
                    if is_checked { encode_to_git::RoundTripCheck::Fail } else { encode_to_git::RoundTripCheck::Skip };
                let mut text = Vec::new();
                gix::filter::plumbing::worktree::encode_to_git(bytes, named, &mut text, check).ok()?;
                Some(text)
            }
        }
    }

    /// Returns what the work tree gets for what git stores; `None` if that cannot be said in this encoding.
    pub(super) fn to_work_tree(self, stored: &[u8]) -> Option<Vec<u8>> {
        let text = std::str::from_utf8(stored).ok()?;
        match self {
            Self::Utf16 { order, mark } => Some(to_utf16(text, order, mark)),
            Self::Latin1 => text.chars().map(|letter| u8::try_from(letter).ok()).collect(),
            Self::Named(named) => {
                let mut bytes = Vec::new();
                encode_to_worktree(stored, named, &mut bytes).ok()?;
                Some(bytes)
            }
        }
    }
}

fn from_utf16(bytes: &[u8], order: Option<Order>, mark: Mark) -> Option<Vec<u8>> {
    let marked = match bytes {
        [0xff, 0xfe, ..] => Some(Order::Little),
        [0xfe, 0xff, ..] => Some(Order::Big),
        _ => None,
    };
    match mark {
        Mark::Required if marked.is_none() => return None,
        Mark::Forbidden if marked.is_some() => return None,
        Mark::Required | Mark::Forbidden | Mark::Written => {}
    }
    let order = marked.or(order)?;
    let units = if marked.is_some() { &bytes[2..] } else { bytes };
    if units.len() % 2 != 0 {
        return None;
    }
    let units = units.chunks_exact(2).map(|unit| match order {
        Order::Little => u16::from_le_bytes([unit[0], unit[1]]),
        Order::Big => u16::from_be_bytes([unit[0], unit[1]]),
    });
    char::decode_utf16(units).collect::<Result<String, _>>().ok().map(String::into_bytes)
}

fn to_utf16(text: &str, order: Option<Order>, mark: Mark) -> Vec<u8> {
    let mark = (mark != Mark::Forbidden).then_some(0xfeff);
    let units = mark.into_iter().chain(text.encode_utf16());
    match order {
        Some(Order::Big) => units.flat_map(u16::to_be_bytes).collect(),
        Some(Order::Little) => units.flat_map(u16::to_le_bytes).collect(),
        None => units.flat_map(u16::to_ne_bytes).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(name: &str) -> Encoding {
        match Named::parse(name.as_bytes()) {
            Named::Known(encoding) => encoding,
            other => panic!("{name}: {other:?}"),
        }
    }

    #[test]
    fn text_in_any_known_encoding_comes_back_as_it_was() {
        for name in ["UTF-16", "utf16", "UTF-16LE", "UTF-16BE", "UTF-16LE-BOM", "ISO-8859-1", "SHIFT-JIS"] {
            let encoding = known(name);
            let text = if name.starts_with("ISO") { "grün\n" } else { "ソース\n" };
            let bytes = encoding.to_work_tree(text.as_bytes()).unwrap_or_else(|| panic!("{name}"));
            assert_ne!(bytes, text.as_bytes(), "{name}");
            assert_eq!(encoding.to_git(&bytes, true).as_deref(), Some(text.as_bytes()), "{name}");
        }
    }

    #[test]
    fn what_git_refuses_is_refused() {
        assert_eq!(known("UTF-16").to_git(b"a\0", false), None);
        assert_eq!(known("UTF-16LE").to_git(b"\xff\xfea\0", false), None);
        assert_eq!(known("UTF-16LE-BOM").to_git(b"a\0", false).as_deref(), Some(&b"a"[..]));
        assert_eq!(known("UTF-16LE-BOM").to_git(b"\xff\xfea\0b", false), None);
        assert_eq!(known("UTF-16LE").to_git(b"\0\xd8", false), None);
        assert_eq!(known("latin1").to_work_tree("ソ".as_bytes()), None);
        assert!(matches!(Named::parse(b"UTF-8"), Named::Utf8) && matches!(Named::parse(b"utf8"), Named::Utf8));
        assert!(matches!(Named::parse(b"UTF-32"), Named::Unknown) && matches!(Named::parse(b"true"), Named::Unknown));
    }
}
