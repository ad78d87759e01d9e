//! The keys that a project proposes, for hints.

use crate::id::Space;
use crate::project::Project;
use crate::trust::{KeyId, MANIFEST, TrustFile, parse_allowed_signers};

/// Returns the keys that the project proposes. A help, not a proof: an unreadable file proposes nothing.
#[must_use]
pub fn proposed(project: &Project) -> Vec<KeyId> {
    let read = |name: &str| project.workspace().trust_file(Space::Project, name).ok().flatten();
    let named = || {
        // Without a manifest nothing can be accepted.
        read(MANIFEST)?;
        let bytes = read(TrustFile::AllowedSigners.as_str())?;
        Some(parse_allowed_signers(bytes, "", &project.context().zone()).keys)
    };
    named().unwrap_or_default().iter().map(|trusted| trusted.key.key_id()).collect()
}
