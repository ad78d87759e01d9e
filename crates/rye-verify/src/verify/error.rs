//! Why nothing can be verified.

use std::path::PathBuf;

use thiserror::Error;

use super::super::locate::LocateError;
use crate::id::ItemId;
use crate::trust::{ManifestFault, RevocationError};

/// Why nothing can be verified.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum Error {
    /// The file of allowed signers does not exist.
    #[error("no such file `{}`", path.display())]
    NoAllowedSigners { path: PathBuf },
    /// The file of revoked keys does not exist.
    #[error("no such file `{}`", path.display())]
    NoRevoked { path: PathBuf },
    /// The file of revoked keys cannot be understood.
    #[error(transparent)]
    Revoked(#[from] RevocationError),
    /// The trust root names no signers.
    #[error("`{revision}` has no trust files: `.ai/trust/allowed_signers` is missing")]
    NoTrustFiles { revision: String },
    /// The trust root's own files cannot be used.
    #[error("the trust files of `{revision}` cannot be used: {fault}")]
    TrustRoot { revision: String, fault: ManifestFault },
    /// A revision is not here, and this clone is shallow.
    #[error("unknown revision `{revision}` in this shallow clone")]
    CutOff { revision: String },
    /// Nothing fits.
    #[error("no item of the project matches `{name}`")]
    NoMatch {
        /// The id or path asked for.
        name: String,
        /// The id or path that was probably meant.
        suggestion: Option<String>,
    },
    /// A skill that is not signed is named, and nothing demands that the project's skills are.
    #[error("skill `{item_id}` is not signed")]
    UnsignedSkill { item_id: ItemId },
    /// The items cannot be read.
    #[error(transparent)]
    Locate(#[from] LocateError),
}
