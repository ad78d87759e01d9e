//! Files that hold a private key: redaction finds one by its first line, so no part without that line is shown.

use crate::redact;

/// Tells whether a file holds a private key, or a line that begins or ends one.
pub(crate) fn holds_private_key(bytes: &[u8]) -> bool {
    const END_OF_LINE: &[u8] = b"PRIVATE KEY-----";
    bytes.windows(END_OF_LINE.len()).any(|window| window == END_OF_LINE) || redact::holds_private_key(bytes)
}
