//! Canonical JSON (RFC 8785): one byte sequence per value, so that it can be signed and hashed.

use serde::Serialize;

/// Returns the canonical JSON of a value, without a final newline.
///
/// # Errors
///
/// Fails when the value cannot be JSON at all (a map with keys that are not strings, a number that is not finite).
pub fn canonical_json<T: Serialize>(value: &T) -> Result<Vec<u8>, serde_json::Error> {
    serde_json_canonicalizer::to_vec(value)
}
