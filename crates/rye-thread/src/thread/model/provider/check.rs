//! Asking a provider one small question, the same way as a thread does, to see that it answers.

use std::sync::Arc;
use std::time::Duration;

use rye_plugin_abi::provider::{DirectiveBrief, EncodeRequest, FailureClass, Message, ModelEvent, StopReason};
use serde::Serialize;
use serde_json::Value;

use super::choice::{ForWant, choose_one};
use super::client::{Asking, Chosen};
use super::list::{ProviderStatus, providers};
use crate::error::with_causes;
use crate::event::Usage;
use crate::id::ItemId;
use crate::item::{Billed, Price};
use crate::machine::Answer;
use crate::net;
use crate::process::CancelFlag;
use crate::session::Session;
use crate::thread::error::Error;
use crate::thread::model::failure::Failed;
use crate::thread::model::guard::Guard;
use crate::thread::record::Spend;

/// The request.
const QUESTION: &str = "Answer with one word: ok";

/// The most output tokens of the answer: enough for a model that thinks first.
const MOST_TOKENS: u64 = 512;

/// How long a provider may take, retries included.
const PATIENCE: Duration = Duration::from_secs(90);

/// What checking providers came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProviderChecks {
    /// One for each provider that was asked.
    pub checks: Vec<ProviderCheck>,
    /// Configured providers that are not usable.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<SkippedProvider>,
}

/// A configured provider that is not usable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkippedProvider {
    /// The document.
    pub provider: ItemId,
    /// Why.
    pub message: String,
}

/// What checking a provider came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProviderCheck {
    /// The document.
    pub provider: ItemId,
    /// Whether it answered.
    pub answered: bool,
    /// The model that was asked.
    pub model: String,
    /// The host that was asked; none for a provider that needs no network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The name of the secret that authenticated the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// The tokens that were used.
    pub usage: Usage,
    /// What that costs.
    pub spend: Spend,
    /// Why it did not answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What to change about the address, if it looks wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The class of the failure, if the server told of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<FailureClass>,
    /// How far a request got that the server did not answer.
    #[serde(skip)]
    pub unanswered: Option<Unanswered>,
}

/// How far a request got that its server did not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unanswered {
    /// Nothing takes connections at an address of this machine.
    NotRunning,
    /// No connection to another machine.
    NotReached,
    /// It was connected, and no whole answer came.
    BrokenOff,
}

impl Unanswered {
    fn of(failed: &Failed, is_local: bool) -> Option<Self> {
        match failed {
            Failed::Net(net::Error::Connect { .. }) if is_local => Some(Self::NotRunning),
            Failed::Net(net::Error::Connect { .. }) => Some(Self::NotReached),
            Failed::Net(net::Error::Unsent { .. } | net::Error::Broken { .. } | net::Error::Timeout { .. }) => {
                Some(Self::BrokenOff)
            }
            Failed::NoRoom(failed) | Failed::Later { failed, .. } => Self::of(failed, is_local),
            Failed::Net(
                net::Error::Cancelled
                | net::Error::TooLarge { .. }
                | net::Error::Redirect { .. }
                | net::Error::Request { .. }
                | net::Error::Client { .. },
            )
            | Failed::Server(_)
            | Failed::Plugin(_)
            | Failed::NoAddress
            | Failed::Declined { .. }
            | Failed::TooLong { .. }
            | Failed::TooMuch { .. } => None,
        }
    }
}

/// Asks one provider, or every one on the network that can be used. `again` hears why one is asked again.
///
/// # Errors
///
/// Fails when the provider that is named cannot be used, or none can be. One that does not answer is an outcome.
pub fn check_providers(
    session: &Session,
    named: Option<&ItemId>,
    model: Option<&str>,
    cancel: &CancelFlag,
    again: &mut dyn FnMut(&str, Duration),
) -> Result<ProviderChecks, Error> {
    let guard = Guard::new(session)?;
    let (mut chosen, mut skipped) = (Vec::new(), Vec::new());
    match named {
        Some(id) => chosen.push(choose_one(session, Some(id), model, None, ForWant::Nothing)?),
        None => {
            let known = providers(session)?.providers;
            let usable = known.iter().filter(|state| state.status == ProviderStatus::Usable && state.host.is_some());
            // One that serves only with a model that is named waits to be named itself.
            chosen.extend(
                usable.filter_map(|state| choose_one(session, Some(&state.id), model, None, ForWant::Nothing).ok()),
            );
            for state in known.iter().filter(|state| state.is_broken()) {
                let message = state.message.clone().unwrap_or_default();
                skipped.push(SkippedProvider { provider: state.id.clone(), message });
            }
            if let (true, Some(broken)) = (chosen.is_empty(), skipped.first()) {
                // The error says more than the list does.
                choose_one(session, Some(&broken.provider), model, None, ForWant::Nothing)?;
            }
            if chosen.is_empty() {
                let lacking = known.iter().filter(|state| state.status == ProviderStatus::NoSecret);
                let mut secrets: Vec<String> = lacking.filter_map(|state| state.secret.clone()).collect();
                secrets.sort();
                secrets.dedup();
                let secrets = secrets.into_iter().map(|name| format!("`{name}`")).collect();
                return Err(Error::NothingToCheck { secrets });
            }
        }
    }
    let checks = chosen.into_iter().map(|chosen| check(session, chosen, &guard, cancel, again)).collect();
    Ok(ProviderChecks { checks, skipped })
}

fn check(
    session: &Session,
    mut chosen: Chosen,
    guard: &Guard,
    cancel: &CancelFlag,
    again: &mut dyn FnMut(&str, Duration),
) -> ProviderCheck {
    let began = session.context().elapsed_ms();
    let host = chosen.access.as_ref().map(|access| access.endpoint.host());
    let secret = chosen.document.reach.as_ref().and_then(|reach| reach.auth.as_ref()).map(|auth| auth.secret.clone());
    let mut tell = |_: u32, why: &str, wait: Duration| again(&guard.text(why.to_owned()), wait);
    let mut failed = Usage::default();
    let asking = Asking {
        session,
        cancel,
        remaining: PATIENCE,
        again: &mut tell,
        failed: &mut failed,
        unanswered: &mut 0,
        allowance: None,
        arriving: &mut |_| (),
    };
    let answered = chosen.ask(question(), asking);
    let duration_ms = session.context().elapsed_ms().saturating_sub(began);
    let is_local = chosen.access.as_ref().is_some_and(|access| access.endpoint.is_local());
    let mut unanswered = None;
    let (usage, message, hint, class) = match answered {
        Ok(answer) if has_declined(&answer) => {
            (answer.usage(), Some("the model declined to answer".to_owned()), None, None)
        }
        Ok(answer) => (answer.usage(), None, None, None),
        Err(failed) => {
            unanswered = Unanswered::of(&failed, is_local);
            let message = guard.text(with_causes(&failed));
            (Usage::default(), Some(message), failed.address_hint().map(str::to_owned), failed.class())
        }
    };
    // What failed attempts used was billed, too.
    let usage = usage.plus(failed);
    ProviderCheck {
        provider: chosen.id,
        answered: message.is_none(),
        model: chosen.model,
        host,
        secret,
        duration_ms,
        usage,
        spend: priced(usage, &chosen.price),
        message,
        hint,
        class,
        unanswered,
    }
}

/// Tells what a provider bills for so many tokens.
fn priced(usage: Usage, price: &Price) -> Spend {
    let spend = price.of_billed(Billed {
        input: usage.input_tokens,
        cache_read: usage.cache_read_tokens,
        cache_write: usage.cache_write_tokens,
        cache_write_1h: usage.cache_write_1h_tokens,
        output: usage.output_tokens,
    });
    (&spend).into()
}

fn has_declined(answer: &Answer) -> bool {
    answer.events.iter().any(|event| matches!(event, ModelEvent::Stop { reason: StopReason::Refusal }))
}

fn question() -> EncodeRequest {
    EncodeRequest {
        state: Value::Null,
        document: Value::Null,
        model: String::new(),
        system: String::new(),
        messages: Arc::new(vec![Message::User { text: QUESTION.to_owned() }]),
        tools: Vec::new(),
        max_output_tokens: MOST_TOKENS,
        directive: DirectiveBrief::default(),
        script: None,
    }
}
