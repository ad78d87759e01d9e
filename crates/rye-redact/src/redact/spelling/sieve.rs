//! Many values looked for at once: a look at four bytes tells at most places that none of them begins there.

use std::fmt;

use super::known::Known;

/// How many bytes at the beginning of a needle are looked at.
const FIRST: usize = 4;

/// How many bits the sieve has, as a power of two: a few hundred needles let one place in some hundred through.
const BITS: u32 = 15;

/// The beginnings of all needles.
#[derive(Clone, Default)]
pub(in crate::redact) struct Sieve {
    /// A bit for each beginning.
    bits: Vec<u64>,
    /// The needles by their beginnings: which value, and which of its needles.
    places: Vec<(u32, usize, usize)>,
}

impl fmt::Debug for Sieve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sieve").finish_non_exhaustive()
    }
}

impl Sieve {
    /// Makes a sieve of nothing.
    pub(in crate::redact) const fn none() -> Self {
        Self { bits: Vec::new(), places: Vec::new() }
    }

    /// Makes the sieve of all needles of these values.
    pub(in crate::redact) fn of(known: &[Known]) -> Self {
        let mut sieve = Self { bits: vec![0; 1 << (BITS - 6)], places: Vec::new() };
        for (value, known) in known.iter().enumerate() {
            for (number, needle) in known.all().enumerate() {
                let Some(first) = needle.first_chunk::<FIRST>() else { continue };
                let first = u32::from_le_bytes(*first);
                sieve.places.push((first, value, number));
                sieve.bits[slot(first) >> 6] |= 1 << (slot(first) & 63);
            }
        }
        sieve.places.sort_unstable();
        sieve
    }

    /// Tells whether decoded bytes have a needle anywhere.
    pub(super) fn finds_in(&self, known: &[Known], bytes: &[u8]) -> bool {
        let mut is_found = false;
        self.seek(known, bytes, true, |_, _, _| is_found = true);
        is_found
    }

    /// Hands on each place of each needle in a text: its value, and where it begins and ends.
    pub(super) fn seek(
        &self,
        known: &[Known],
        text: &[u8],
        is_encoded: bool,
        mut each: impl FnMut(usize, usize, usize),
    ) {
        for (at, window) in text.windows(FIRST).enumerate() {
            let first = window.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
            if self.bits[slot(first) >> 6] >> (slot(first) & 63) & 1 == 0 {
                continue;
            }
            let from = self.places.partition_point(|(other, ..)| *other < first);
            for (_, value, number) in self.places[from..].iter().take_while(|(other, ..)| *other == first) {
                let needle = known[*value].needle(*number, is_encoded);
                if let Some(needle) = needle.filter(|needle| text[at..].starts_with(needle)) {
                    each(*value, at, at + needle.len());
                }
            }
        }
    }
}

const fn slot(first: u32) -> usize {
    (first.wrapping_mul(0x9e37_79b1) >> (32 - BITS)) as usize
}
