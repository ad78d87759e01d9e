//! A view of a text: its bytes after one spelling was undone, each with its place in the text that the view was made from.

use std::borrow::Cow;

/// Bytes that were made from others.
#[derive(Debug)]
pub(super) struct View<'p> {
    pub(super) bytes: Cow<'p, [u8]>,
    places: Places,
    parent: Option<&'p View<'p>>,
    /// Whether more text may follow its last byte.
    pub(super) is_open: bool,
    /// Whether Base64 or hexadecimal was undone on the way to it: other bytes decode to anything.
    pub(super) is_encoded: bool,
    /// Where the part of its parent begins that more text may change, such as half of an escape.
    pub(super) undecided: Option<usize>,
    /// Whether its parent was decoded as well, so that what both have in common need not be decoded again.
    is_second: bool,
}

/// Where the bytes of a view come from.
#[derive(Debug)]
enum Places {
    /// It is the text.
    Same,
    /// Copied stretches, and bytes that stand for a longer spelling.
    Stretches(Vec<Stretch>),
    /// Each three bytes come from four characters, from here on.
    Base64 { from: usize },
    /// Each byte comes from the two digits at these places.
    Digits(Vec<usize>),
}

/// Bytes of a view that lie together in its parent.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    at: usize,
    from: usize,
    /// How many bytes of the parent each of them comes from together; none if they are copies, one of one.
    spelled: Option<usize>,
}

impl<'p> View<'p> {
    /// Views a text as it is.
    pub(super) const fn of(text: &'p [u8], is_open: bool) -> Self {
        let bytes = Cow::Borrowed(text);
        Self {
            bytes,
            places: Places::Same,
            parent: None,
            is_open,
            is_encoded: false,
            undecided: None,
            is_second: false,
        }
    }

    /// Views the bytes that Base64 from this character on decodes to; `end` is where its characters end.
    pub(super) fn of_base64(parent: &'p View<'p>, bytes: Vec<u8>, from: usize, end: usize) -> Self {
        let is_open = parent.is_open && end == parent.bytes.len();
        let undecided = Some(from + bytes.len() / 3 * 4).filter(|at| is_open && *at < end);
        Self {
            bytes: Cow::Owned(bytes),
            places: Places::Base64 { from },
            parent: Some(parent),
            is_open,
            is_encoded: true,
            undecided,
            is_second: false,
        }
    }

    /// Views the bytes that hexadecimal digits at these places decode to.
    pub(super) fn of_digits(parent: &'p View<'p>, bytes: Vec<u8>, digits: Vec<usize>, is_open: bool) -> Self {
        let undecided = digits.get(bytes.len() * 2).copied().filter(|_| is_open);
        Self {
            bytes: Cow::Owned(bytes),
            places: Places::Digits(digits),
            parent: Some(parent),
            is_open,
            is_encoded: true,
            undecided,
            is_second: false,
        }
    }

    /// Returns the place in the text of the bytes from `start` to `end`, which is behind it.
    pub(super) fn origin(&self, start: usize, end: usize) -> (usize, usize) {
        let (mut view, mut place) = (self, (start, end));
        loop {
            place = (view.places.of(place.0).0, view.places.of(place.1 - 1).1);
            match view.parent {
                Some(parent) => view = parent,
                None => return place,
            }
        }
    }

    /// Returns the parts of a view that are near a place where something was left out or undone, in order.
    pub(super) fn near_changes(&self, around: usize) -> Vec<std::ops::Range<usize>> {
        let Places::Stretches(stretches) = &self.places else { return Vec::new() };
        let edges = stretches.iter().map(|stretch| stretch.at).chain([self.bytes.len()]);
        let mut parts: Vec<std::ops::Range<usize>> = Vec::new();
        for edge in edges {
            let (start, end) = (edge.saturating_sub(around), self.bytes.len().min(edge + around));
            match parts.last_mut().filter(|last| last.end >= start) {
                Some(last) => last.end = end,
                None => parts.push(start..end),
            }
        }
        parts
    }

    /// Tells whether the bytes from `start` to `end`, and one more on each side, are a copy of what was decoded before.
    pub(super) fn is_copy(&self, start: usize, end: usize) -> bool {
        let (Places::Stretches(stretches), Some(parent)) = (&self.places, self.parent) else { return false };
        let next = stretches.partition_point(|stretch| stretch.at <= start);
        let Some(stretch) = next.checked_sub(1).map(|last| stretches[last]) else { return false };
        let ends = stretches.get(next).map_or(self.bytes.len(), |stretch| stretch.at);
        let is_inside = stretch.spelled.is_none() && stretch.at < start && end < ends;
        let from = stretch.from + start - stretch.at;
        is_inside && (self.is_second || parent.is_copy(from, from + end - start))
    }
}

impl Places {
    /// Returns where a byte comes from.
    fn of(&self, at: usize) -> (usize, usize) {
        match self {
            Self::Same => (at, at + 1),
            Self::Stretches(stretches) => {
                let next = stretches.partition_point(|stretch| stretch.at <= at);
                let stretch = stretches[next.saturating_sub(1)];
                match stretch.spelled {
                    Some(length) => (stretch.from, stretch.from + length),
                    None => (stretch.from + at - stretch.at, stretch.from + at - stretch.at + 1),
                }
            }
            // Without the beginning of its group, the rest decodes to something else.
            Self::Base64 { from } => (from + at / 3 * 4, from + (at * 8 + 8).div_ceil(6)),
            Self::Digits(digits) => (digits[at * 2], digits[at * 2 + 1] + 1),
        }
    }
}

/// A view that is being made of copied stretches and of undone spellings.
#[derive(Debug, Default)]
pub(super) struct Draft {
    bytes: Vec<u8>,
    stretches: Vec<Stretch>,
}

impl Draft {
    /// Copies bytes of the parent.
    pub(super) fn copy(&mut self, parent: &[u8], start: usize, end: usize) {
        if start < end {
            self.stretches.push(Stretch { at: self.bytes.len(), from: start, spelled: None });
            self.bytes.extend_from_slice(&parent[start..end]);
        }
    }

    /// Puts bytes in the place of a spelling that begins at `from`.
    pub(super) fn put(&mut self, bytes: &[u8], from: usize, length: usize) {
        if !bytes.is_empty() {
            self.stretches.push(Stretch { at: self.bytes.len(), from, spelled: Some(length) });
            self.bytes.extend_from_slice(bytes);
        }
    }

    /// Ends a view in place of its parent.
    pub(super) fn instead_of<'p>(self, parent: &'p View<'p>) -> View<'p> {
        View { is_second: false, ..self.after(parent, None) }
    }

    /// Ends a view of a part of its parent; more text may follow only if that is its end.
    pub(super) fn part<'p>(self, parent: &'p View<'p>, is_at_end: bool) -> View<'p> {
        View { is_open: parent.is_open && is_at_end, ..self.after(parent, None) }
    }

    /// Ends a view of a part of its parent, whose bytes were written in another way.
    pub(super) fn decoded<'p>(self, parent: &'p View<'p>, is_at_end: bool) -> View<'p> {
        View { is_encoded: true, is_second: false, ..self.part(parent, is_at_end) }
    }

    /// Ends a view that is looked at after its parent.
    pub(super) fn after<'p>(self, parent: &'p View<'p>, undecided: Option<usize>) -> View<'p> {
        View {
            bytes: Cow::Owned(self.bytes),
            places: Places::Stretches(self.stretches),
            parent: Some(parent),
            is_open: parent.is_open,
            is_encoded: parent.is_encoded,
            undecided,
            is_second: true,
        }
    }
}
