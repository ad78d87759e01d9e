//! Line ends that git or an editor changed: an item that was signed with LF, and has CRLF in the work tree.

use super::{LineState, Signed, Unverified};

impl Signed<Vec<u8>, Unverified> {
    /// Returns the bytes with LF in the place of each CRLF, if the signature line fits these, and not the bytes as they are.
    /// Whose signature that is stays open.
    #[must_use]
    pub fn with_lf(&self) -> Option<Vec<u8>> {
        if !self.content().windows(2).any(|pair| pair == b"\r\n") || is_as_signed(self) {
            return None;
        }
        let bytes = lf(self.content());
        is_as_signed(&Self::new(self.subject().clone(), bytes.clone())).then_some(bytes)
    }
}

fn lf(bytes: &[u8]) -> Vec<u8> {
    let next = bytes.iter().skip(1).map(Some).chain([None]);
    bytes
        .iter()
        .zip(next)
        .filter(|(byte, next)| !(**byte == b'\r' && *next == Some(&b'\n')))
        .map(|(byte, _)| *byte)
        .collect()
}

fn is_as_signed(signed: &Signed<Vec<u8>, Unverified>) -> bool {
    let split = signed.split();
    matches!(&split.line, LineState::Present(line) if line.hash == split.covered())
}
