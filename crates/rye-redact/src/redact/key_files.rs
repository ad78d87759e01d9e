//! Whole files that hold a private key, in text or not: a part of one does not tell what it is.

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::{der, keys};
use crate::trust::PublicKey;

/// How a private key of OpenSSH begins without its armour.
const OPENSSH: &[u8] = b"openssh-key-v1\0";

static BEGINNINGS: LazyLock<AhoCorasick> =
    LazyLock::new(|| AhoCorasick::new(keys::KEYS.iter().map(|(word, _)| *word)).expect("because the table is small"));

/// Tells whether a file is a private key, or holds one: in an armour, in Base64 alone, or in bytes.
#[must_use]
pub fn holds_private_key(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    // What is text begins no key in bytes.
    let is_text = matches!(text, Cow::Borrowed(_));
    let is_key = bytes.starts_with(OPENSSH) || der::is_key(bytes) || !is_text && PublicKey::is_private_openpgp(bytes);
    is_key
        || BEGINNINGS.find_overlapping_iter(&*text).any(|found| {
            let (_, form) = keys::KEYS[found.pattern().as_usize()];
            keys::find(form, &text, found.start(), found.end()).is_some()
        })
}
