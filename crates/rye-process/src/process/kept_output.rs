//! What is kept of one stream of a child: its beginning and its end. Beyond the bound the middle is dropped, so memory stays bounded
//! whatever the child writes.
//!
//! Text next to the cut is kept apart: whoever takes secrets out of the text needs both sides of one that the cut would divide.

use std::collections::VecDeque;

/// How many bytes next to a cut are kept on each side, for judging what the cut divides.
const MARGIN: usize = 64 * 1024;

/// What is kept of a stream.
#[derive(Debug, Default)]
pub(super) struct KeptOutput {
    /// The first bytes, as many as are kept in all.
    first: Vec<u8>,
    /// The last of those behind them.
    last: VecDeque<u8>,
    /// How many bytes were written.
    written: u64,
}

/// Where the middle of a stream was dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// How many of the kept bytes are from before the cut.
    pub at: usize,
    /// How many bytes were written in all.
    pub written: u64,
    /// The bytes that followed those before the cut.
    pub following: Vec<u8>,
    /// The bytes that preceded those after the cut.
    pub preceding: Vec<u8>,
}

/// Returns how many bytes are kept of the beginning and of the end.
const fn parts(limit: usize) -> (usize, usize) {
    (limit / 4, limit - limit / 4)
}

impl KeptOutput {
    /// Takes more of the stream, of which `limit` bytes are kept. Returns how many bytes were written by now.
    pub(super) fn take(&mut self, bytes: &[u8], limit: usize) -> u64 {
        self.written = self.written.saturating_add(bytes.len() as u64);
        let room = limit.saturating_sub(self.first.len()).min(bytes.len());
        self.first.extend_from_slice(&bytes[..room]);
        self.last.extend(&bytes[room..]);
        let beyond = self.last.len().saturating_sub(parts(limit).1 + MARGIN);
        self.last.drain(..beyond);
        self.written
    }

    /// Returns the kept bytes, and where the middle is missing.
    pub(super) fn finish(self, limit: usize) -> (Vec<u8>, Option<Cut>) {
        let Self { mut first, last, written } = self;
        if written <= limit as u64 {
            return (first, None);
        }
        let (head, tail) = parts(limit);
        let following = first[head..].iter().take(MARGIN).copied().collect();
        // The last bytes may lie in both parts.
        let needed = (tail + MARGIN).saturating_sub(last.len()).min(first.len());
        let mut end = first[first.len() - needed..].to_vec();
        first.truncate(head);
        end.extend(last);
        let kept = end.split_off(end.len() - tail.min(end.len()));
        let preceding = end.split_off(end.len() - MARGIN.min(end.len()));
        let at = first.len();
        first.extend(kept);
        (first, Some(Cut { at, written, following, preceding }))
    }
}

impl Cut {
    /// Returns kept bytes as text, with what `cleaned` makes of both parts, and a line in the place of the middle. Text next to the
    /// cut is cleaned along, so nothing is left of what the cut divides.
    #[must_use]
    pub fn text(&self, kept: &[u8], cleaned: impl Fn(&str) -> String) -> String {
        let (before, after) = kept.split_at(self.at.min(kept.len()));
        let whole = |parts: [&[u8]; 2]| cleaned(&String::from_utf8_lossy(&parts.concat()));
        let begun = whole([before, &self.following]);
        let most = begun.len().saturating_sub(self.following.len() / 2);
        let begun = &begun[..begun.floor_char_boundary(before.len().min(most))];
        let ended = whole([&self.preceding, after]);
        let least = self.preceding.len() / 2;
        let from = ended.len().saturating_sub(after.len()).max(least.min(ended.len()));
        let ended = &ended[ended.ceil_char_boundary(from)..];
        let left_out = self.written.saturating_sub((begun.len() + ended.len()) as u64);
        format!("{begun}\n[… {left_out} bytes left out: no more than {} are kept …]\n{ended}", kept.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(written: &[u8], limit: usize, piece: usize) -> (Vec<u8>, Option<Cut>) {
        let mut output = KeptOutput::default();
        for bytes in written.chunks(piece) {
            output.take(bytes, limit);
        }
        output.finish(limit)
    }

    #[test]
    fn the_beginning_and_the_end_are_kept_however_it_arrives() {
        for size in [0_usize, 1, 99, 100, 101, 150, 300, 70_000, 1_000_000] {
            let written: Vec<u8> = (0..size).map(|number| (number % 251) as u8).collect();
            for piece in [1, 7, 100, 4096].into_iter().filter(|piece| size / piece < 50_000) {
                let (bytes, cut) = kept(&written, 100, piece);
                if size <= 100 {
                    assert_eq!((bytes, cut), (written.clone(), None), "{size}");
                    continue;
                }
                let cut = cut.unwrap_or_else(|| panic!("{size}"));
                assert_eq!((cut.at, cut.written, bytes.len()), (25, size as u64, 100), "{size}");
                assert!(bytes[..25] == written[..25] && bytes[25..] == written[size - 75..], "{size} by {piece}");
                assert!(written[25..].starts_with(&cut.following) && written[..size - 75].ends_with(&cut.preceding));
            }
        }
    }

    #[test]
    fn a_cut_divides_no_secret() {
        let secret = "s3cret-value-of-ada";
        let clean = |text: &str| text.replace(secret, "[gone]");
        // At every place of both cuts.
        for shift in 0..40 {
            let text = format!("{}{}", "x".repeat(shift), secret.repeat(40_000));
            let (bytes, cut) = kept(text.as_bytes(), 400_000, 4096);
            let shown = cut.map(|cut| cut.text(&bytes, clean)).unwrap_or_default();
            for length in 4..secret.len() {
                assert!(!shown.contains(&secret[..length]), "{shift}: {}", &secret[..length]);
                assert!(!shown.contains(&secret[secret.len() - length..]), "{shift}");
            }
            assert!(shown.contains("bytes left out"), "{shift}");
        }
    }
}
