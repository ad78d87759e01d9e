//! Trusted persons, and the lists that name them.

mod allowed_signers;
mod edit;
mod holder;
mod key;
mod keys;
mod options;
mod policy;
mod revoked;
mod scope;
mod signatory;

pub use allowed_signers::{AllowedSigners, SkippedLine, allowed_signers_line, parse_allowed_signers};
pub use edit::{remove_signer, rename_signer, retire_signer, with_revoked, with_signers};
pub use holder::{agent_of, holder_in, is_principal};
pub use key::TrustedKey;
pub use keys::TrustedKeys;
pub use policy::{CommitPasses, PolicyError, Require, Requirement, TrustPolicy};
pub use revoked::{RevocationError, RevocationList, RevokedKey};
pub use scope::{Place, Scope};
pub use signatory::Signatory;
pub(super) use signatory::people;
