//! The lines of `.gitattributes` that keep git from changing the bytes that signatures cover.

/// The file that says how git treats others.
pub const ATTRIBUTES_FILE: &str = ".gitattributes";

/// For a project, whose items are below `.ai/`.
pub const PROJECT_ATTRIBUTES: &str = "/.ai/** -text -filter -ident -working-tree-encoding";

/// For the user space, whose repository is the `.ai` folder itself.
pub const USER_ATTRIBUTES: &str = "/** -text -filter -ident -working-tree-encoding";

/// Tells whether a project's attributes have their line.
#[must_use]
pub fn keeps_bytes(attributes: &[u8]) -> bool {
    String::from_utf8_lossy(attributes).lines().any(|line| line.trim() == PROJECT_ATTRIBUTES)
}
