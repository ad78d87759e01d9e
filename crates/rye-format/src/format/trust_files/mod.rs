//! Trust files in TOML: a project's policy, and the pin of an accepted proposal.

mod pin;
mod policy;

pub use pin::{trust_pin, trust_pin_text};
pub use policy::trust_policy;
