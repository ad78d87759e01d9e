//! Who answers: the provider of a thread, where its requests go, and the exchange with it.
//!
//! `provider` chooses a document and its plugin, `access` what authenticates, `exchange` asks again where that helps and `patience`
//! allows it, `guard` keeps secrets out of what is sent and taken in. When a model is asked, and what, is decided in `machine`.

mod access;
mod estimate;
mod exchange;
mod failure;
mod guard;
mod patience;
pub(super) mod provider;

pub(super) use failure::{Failed, UNANSWERED};
pub(super) use guard::Guard;
pub use provider::{
    PriceOptions, PriceOutcome, ProviderCheck, ProviderChecks, ProviderList, ProviderState, ProviderStatus,
    SkippedProvider, Unanswered, check_providers, price_model, providers,
};
