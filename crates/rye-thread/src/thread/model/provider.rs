//! Choosing who answers: a provider document of the user's or the system's space, verified, and its plugin.
//!
//! - `document`: what there is. `choice`: which one serves. `sole_provider`: the only one that is set up. `fallback`: what answers when it
//!   fails. `client`: asking it.
//! - `list`, `check`: what a person sees of them, and whether they answer. `pricing`: giving a model a price.
//!
//! A project cannot bring a provider: a document in its space is never looked at (hole 4 of the threat model).

mod check;
mod choice;
mod client;
mod document;
mod fallback;
mod list;
mod pricing;
mod sole_provider;

pub use self::check::{ProviderCheck, ProviderChecks, SkippedProvider, Unanswered, check_providers};
pub(in crate::thread) use self::client::{Asking, Chosen, LeftOut};
pub(in crate::thread) use self::fallback::{choose, require_fallback_id};
pub(in crate::thread) use self::list::secrets;
pub use self::list::{ProviderList, ProviderState, ProviderStatus, providers};
pub use self::pricing::{PriceOptions, PriceOutcome, price_model};
