//! Reading and writing `pin.toml`: that a person accepted a project's proposal of trust.

use serde::{Deserialize, Serialize};

use crate::id::Timestamp;
use crate::trust::{ContentHash, Pin};

/// The version of the format.
const FORMAT: u32 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: u32,
    proposal: ContentHash,
    root_commit: String,
    path: String,
    accepted_at: Timestamp,
}

/// Reads the file.
///
/// # Errors
///
/// Says what is not understood.
pub fn trust_pin(bytes: &[u8]) -> Result<Pin, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
    let file: File = toml::from_str(text).map_err(|error| error.message().to_owned())?;
    if file.format != FORMAT {
        return Err(format!("`format` must be {FORMAT}: the file is of another version"));
    }
    let File { proposal, root_commit, path, accepted_at, .. } = file;
    Ok(Pin { proposal, root_commit, path, accepted_at })
}

/// Writes the file.
#[must_use]
pub fn trust_pin_text(pin: &Pin) -> String {
    let Pin { proposal, root_commit, path, accepted_at } = pin.clone();
    toml::to_string(&File { format: FORMAT, proposal, root_commit, path, accepted_at })
        .expect("because numbers and texts can always be written")
}
