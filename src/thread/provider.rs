//! Choosing who answers: a provider document of the user's or the system's space, verified, and its plugin.
//!
//! - `document`: what there is. `choice`: which one serves. `sole`: the only one that is set up. `fallback`: what answers when it
//!   fails. `chosen`: asking it.
//! - `list`, `check`: what a person sees of them, and whether they answer.
//!
//! A project cannot bring a provider: a document in its space is never looked at (hole 4 of the threat model).

mod check;
mod choice;
mod chosen;
mod document;
mod fallback;
mod list;
mod sole;

pub use self::check::{ProviderCheck, ProviderChecks, SkippedProvider, Unanswered, check_providers};
pub(super) use self::chosen::{Asking, Chosen};
pub(super) use self::fallback::choose;
pub(super) use self::list::secrets;
pub use self::list::{ProviderList, ProviderState, ProviderStatus, providers};
