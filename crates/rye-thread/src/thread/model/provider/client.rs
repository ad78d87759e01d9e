//! Who answers: a document, its plugin and its access, and those that answer in its place when it fails.

use std::path::PathBuf;
use std::time::Duration;

use rye_plugin_abi::provider::{self, DecodeRequest, Delta, EncodeRequest, FailureClass};
use serde_json::Value;

use crate::action::Toolbox;
use crate::context::LimitRules;
use crate::event::Usage;
use crate::id::ItemId;
use crate::item::{CurrencyMismatch, Price, ProviderDocument};
use crate::machine::allowance::Allowance;
use crate::machine::harness::{Ceilings, LEAST_OUTPUT};
use crate::machine::{Answer, Compaction, Replacement};
use crate::process::CancelFlag;
use crate::session::Session;
use crate::thread::error::Error;
use crate::thread::model::access::Access;
use crate::thread::model::exchange::{Encoded, Line, send};
use crate::thread::model::failure::{Failed, Refusal};
use crate::thread::model::patience::{Known, Patience};
use crate::{format, plugin};

/// The most output tokens of one answer when the document does not say.
const DEFAULT_OUTPUT_TOKENS: u64 = 8_192;

/// The plugin that follows the steps of a directive without a model.
const STEPS: &str = "steps";

/// Who answers, and at what price.
pub(in crate::thread) struct Chosen {
    pub(in crate::thread) id: ItemId,
    /// How it is reached; none for one that needs no network.
    pub(super) access: Option<Access>,
    pub(in crate::thread) model: String,
    pub(in crate::thread) price: Price,
    pub(in crate::thread) document: ProviderDocument,
    pub(super) raw: Value,
    pub(super) plugin: plugin::Provider,
    pub(super) state: Value,
    pub(super) fallbacks: Fallbacks,
    /// How long an outage the person waits for, if they said so.
    pub(super) patience: Option<Duration>,
    /// Whether it has answered in this run.
    pub(super) has_answered: bool,
    /// The fields that were just left out of a request, and why.
    pub(super) left_out: Option<LeftOut>,
    /// The file of the configuration, to be named where it could help.
    pub(super) config: Option<PathBuf>,
}

/// What asking needs of the thread.
pub(in crate::thread) struct Asking<'a> {
    pub(in crate::thread) session: &'a Session,
    pub(in crate::thread) cancel: &'a CancelFlag,
    /// How long the thread may still run.
    pub(in crate::thread) remaining: Duration,
    /// Hears which attempt failed, why, and after how long the model is asked again.
    pub(in crate::thread) again: &'a mut dyn FnMut(u32, &str, Duration),
    /// Adds up what attempts used that failed.
    pub(in crate::thread) failed: &'a mut Usage,
    /// Counts the requests that were sent and brought nothing back.
    pub(in crate::thread) unanswered: &'a mut u32,
    /// Tells whether there is room for another attempt; none where nothing limits it.
    pub(in crate::thread) allowance: Option<&'a Allowance>,
    /// Hears what the model says, as it arrives.
    pub(in crate::thread) arriving: &'a mut dyn FnMut(&Delta),
}

/// Fields that a request was sent again without, because the server does not know them.
pub(in crate::thread) struct LeftOut {
    /// Their names.
    pub(in crate::thread) fields: Vec<String>,
    /// What the server said.
    pub(in crate::thread) reason: String,
}

impl Asking<'_> {
    /// Lends itself for one request, that took so long until now.
    fn lent(&mut self, passed: Duration) -> Asking<'_> {
        Asking {
            session: self.session,
            cancel: self.cancel,
            remaining: self.remaining.saturating_sub(passed),
            again: &mut *self.again,
            failed: &mut *self.failed,
            unanswered: &mut *self.unanswered,
            allowance: self.allowance,
            arriving: &mut *self.arriving,
        }
    }
}

/// The fewest tokens of a thread in which what is shown of a long result has room: 24 KiB of text.
const LEAST_FOR_LONG_RESULTS: u64 = 8_192;

/// What answers when a model fails for good.
#[derive(Default)]
pub(super) struct Fallbacks {
    /// In the order in which they are asked.
    pub(super) next: Vec<Chosen>,
    /// Those that cannot be asked, with the reason.
    pub(super) missing: Vec<String>,
}

impl Chosen {
    /// Tells whether it follows the steps of a directive, without a model.
    pub(in crate::thread) fn follows_steps(&self) -> bool {
        self.document.plugin == STEPS
    }

    /// Returns the tools that it is offered in a thread of so many tokens. Steps have no use for a part of a long result, and a thread
    /// in which what is shown of one has no room does not pay for its offer.
    pub(in crate::thread) fn offered(&self, toolbox: Toolbox, tokens: u64) -> Toolbox {
        let has_room = tokens >= LEAST_FOR_LONG_RESULTS;
        if self.follows_steps() || !has_room { toolbox } else { toolbox.with_recall() }
    }

    /// Has it wait for an outage as long as the person says; as ever where they say nothing.
    pub(in crate::thread) fn with_patience(self, patience: Option<Duration>) -> Self {
        Self { patience, ..self }
    }

    /// Returns the most output tokens of one answer.
    pub(in crate::thread) fn max_output_tokens(&self) -> u64 {
        let of_model = self.document.sizes(&self.model).max_output_tokens;
        of_model.or(self.document.max_output_tokens).unwrap_or(DEFAULT_OUTPUT_TOKENS)
    }

    /// Returns the context of the model, in tokens, where its document tells.
    fn window(&self) -> Option<u64> {
        self.document.sizes(&self.model).context
    }

    /// Returns by what a thread keeps its conversation within the model's context. One that follows steps asks no model.
    pub(in crate::thread) fn compaction(&self) -> Option<Compaction> {
        (!self.follows_steps()).then(|| Compaction { window: self.window() })
    }

    /// Tells whether asking sends a request.
    pub(in crate::thread) const fn is_on_network(&self) -> bool {
        self.access.is_some()
    }

    /// Asks for the next answer. The plugin's state goes along; the request's own is ignored. A server that knows no reasoning is
    /// asked once more, and from then on, without the fields that ask for it.
    pub(in crate::thread) fn ask(&mut self, request: EncodeRequest, mut asking: Asking<'_>) -> Result<Answer, Failed> {
        let ctx = asking.session.context();
        let began = ctx.elapsed_ms();
        let failed = match self.ask_once(request.clone(), asking.lent(Duration::ZERO)) {
            Err(failed) => failed,
            answered => return answered,
        };
        let fields: Vec<String> = self.unknown_reasoning(&request, &failed).into_iter().map(str::to_owned).collect();
        if fields.is_empty() {
            return Err(failed);
        }
        self.leave_out(&fields);
        self.left_out = Some(LeftOut { fields, reason: failed.to_string() });
        let passed = Duration::from_millis(ctx.elapsed_ms().saturating_sub(began));
        self.ask_once(request, asking.lent(passed))
    }

    /// Returns the fields of a request that ask for reasoning, if it failed because the server knows none.
    fn unknown_reasoning(&self, request: &EncodeRequest, failed: &Failed) -> Vec<&'static str> {
        match failed {
            Failed::Server(Refusal { status: 400 | 422, class: FailureClass::InvalidRequest, message, .. })
                if format::knows_no_reasoning(message) => {}
            _ => return Vec::new(),
        }
        let request = EncodeRequest { document: self.raw.clone(), model: self.model.clone(), ..request.clone() };
        match self.plugin.encode(&request).map(|response| response.answer) {
            Ok(provider::Answer::Exchange(exchange)) => format::reasoning_fields(&exchange.body),
            Ok(provider::Answer::Events { .. }) | Err(_) => Vec::new(),
        }
    }

    /// Leaves fields out of all requests from here on.
    pub(in crate::thread) fn leave_out(&mut self, fields: &[String]) {
        format::leave_out_of_params(&mut self.raw, fields);
    }

    /// Returns what was left out of the last request, once.
    pub(in crate::thread) fn take_left_out(&mut self) -> Option<LeftOut> {
        self.left_out.take()
    }

    fn ask_once(&mut self, mut request: EncodeRequest, asking: Asking<'_>) -> Result<Answer, Failed> {
        request.state = self.state.clone();
        request.document = self.raw.clone();
        request.model.clone_from(&self.model);
        request.max_output_tokens = request.max_output_tokens.min(self.room(&request, &asking)?);
        let response = self.plugin.encode(&request)?;
        let output = request.max_output_tokens;
        let answer = match response.answer {
            provider::Answer::Events { events } => Answer { events, state: response.state, model: None },
            provider::Answer::Exchange(exchange) => {
                let encode = |output: u64| {
                    let request = EncodeRequest { max_output_tokens: output, ..request.clone() };
                    let response = self.plugin.encode(&request)?;
                    match response.answer {
                        provider::Answer::Exchange(exchange) => Ok(Encoded { exchange, state: response.state, output }),
                        // It asked a server just now.
                        provider::Answer::Events { .. } => Err(Failed::NoAddress),
                    }
                };
                let access = self.access.as_ref().ok_or(Failed::NoAddress)?;
                let patience = Patience::of(Known {
                    retry: access.retry,
                    asked: self.patience,
                    has_answered: self.has_answered,
                    has_fallback: !self.fallbacks.next.is_empty(),
                });
                let Asking { session, cancel, remaining, again, failed, unanswered, allowance, arriving } = asking;
                let has_fallback = !self.fallbacks.next.is_empty();
                let mut line = Line {
                    ctx: session.context(),
                    client: session.net(),
                    access,
                    plugin: &self.plugin,
                    document: &self.raw,
                    model: &self.model,
                    cancel,
                    remaining,
                    patience,
                    again,
                    failed,
                    unanswered,
                    allowance,
                    encode: &encode,
                    arriving,
                };
                let answer = line.perform(Encoded { exchange, state: response.state, output })?;
                if let (true, Some(reason)) = (has_fallback, answer.declined()) {
                    // Another model is asked the same; what this one used counts.
                    *line.failed = line.failed.plus(answer.usage());
                    return Err(Failed::Declined { reason: reason.map(str::to_owned) });
                }
                answer
            }
        };
        self.state = answer.state.clone();
        self.has_answered = true;
        Ok(answer)
    }

    /// Returns the output tokens that the model's context leaves. Where the estimate leaves too few, a provider that can count is
    /// asked to: the context is the model's own, so nothing but the figure decides.
    fn room(&self, request: &EncodeRequest, asking: &Asking<'_>) -> Result<u64, Failed> {
        let Some((context, allowance)) = self.window().zip(asking.allowance) else {
            return Ok(u64::MAX);
        };
        let least = LEAST_OUTPUT.min(request.max_output_tokens);
        let room = |tokens: u64| context.checked_sub(tokens).filter(|room| *room >= least);
        let mut tokens = allowance.input();
        if room(tokens).is_none() && !allowance.is_counted() {
            let Asking { session, cancel, remaining, .. } = asking;
            tokens = self.count(request.clone(), session, cancel, *remaining).unwrap_or(tokens);
        }
        room(tokens).ok_or_else(|| Failed::TooLong { model: self.model.clone(), tokens, context })
    }

    /// Has the provider count the tokens of a conversation; none where it cannot, or does not answer.
    pub(in crate::thread) fn count(
        &self,
        mut request: EncodeRequest,
        session: &Session,
        cancel: &CancelFlag,
        remaining: Duration,
    ) -> Option<u64> {
        let access = self.access.as_ref()?;
        request.state = self.state.clone();
        request.document = self.raw.clone();
        request.model.clone_from(&self.model);
        let exchange = self.plugin.count(&request).ok()?;
        let sent = send(session, access, &exchange, cancel, remaining)?;
        let (document, model) = (self.raw.clone(), self.model.clone());
        let (status, body) = sent;
        self.plugin.counted(&DecodeRequest { state: Value::Null, document, model, status, body }).ok()?.input_tokens
    }

    /// Takes prices in the currency of the limit on money. A fallback whose price has no rate to it cannot be asked.
    ///
    /// # Errors
    ///
    /// Fails when the configuration has no rate for the first model's price.
    pub(in crate::thread) fn take_currency(&mut self, ceilings: &Ceilings, rules: &LimitRules) -> Result<(), Error> {
        let no_rate = |source: CurrencyMismatch| Error::Currency { source, config: self.config.clone() };
        self.price = ceilings.price(&self.price, rules).map_err(no_rate)?;
        let Fallbacks { next, missing } = &mut self.fallbacks;
        next.retain_mut(|fallback| match ceilings.price(&fallback.price, rules) {
            Ok(price) => {
                fallback.price = price;
                true
            }
            Err(mismatch) => {
                missing.push(format!("the fallback `{}` cannot be asked: {mismatch}", fallback.model));
                false
            }
        });
        Ok(())
    }

    /// Returns the variable of the environment that says where its requests go, with the host.
    pub(in crate::thread) fn redirected(&self) -> Option<(&str, String)> {
        let access = self.access.as_ref()?;
        Some((access.variable.as_deref()?, access.endpoint.host()))
    }

    /// Hands the plugin what it returned in another thread.
    pub(in crate::thread) fn resume(&mut self, state: Value) {
        self.state = state;
    }

    /// Puts the next fallback in its own place, if there is one and the failure lets another answer. `reason` is the
    /// message.
    pub(in crate::thread) fn fall_back(&mut self, failed: &Failed, reason: &str) -> Option<Replacement> {
        if !failed.lets_another_answer() || self.fallbacks.next.is_empty() {
            return None;
        }
        self.take_next();
        Some(Replacement {
            provider: self.id.clone(),
            model: self.model.clone(),
            reason: reason.to_owned(),
            price: self.price.clone(),
            max_output_tokens: self.max_output_tokens(),
            window: self.window(),
        })
    }

    /// Puts the fallback in its own place that took over before.
    ///
    /// # Errors
    ///
    /// Fails when it can be asked no longer.
    pub(in crate::thread) fn fall_back_to(&mut self, to: &Replacement) -> Result<(), Error> {
        self.require_fallback(to)?;
        while (&self.id, &self.model) != (&to.provider, &to.model) && !self.fallbacks.next.is_empty() {
            self.take_next();
        }
        Ok(())
    }

    /// Puts the next fallback in its own place.
    fn take_next(&mut self) {
        let next = self.fallbacks.next.remove(0);
        let fallbacks = std::mem::take(&mut self.fallbacks);
        *self = Self { fallbacks, patience: self.patience, ..next };
    }

    /// Tells whether a fallback that took over before can be asked.
    ///
    /// # Errors
    ///
    /// Fails when it cannot.
    pub(in crate::thread) fn require_fallback(&self, to: &Replacement) -> Result<(), Error> {
        let is_it = |other: &Self| other.id == to.provider && other.model == to.model;
        if self.fallbacks.next.iter().any(is_it) {
            return Ok(());
        }
        let known = self.fallbacks.next.iter().map(|other| format!("`{}`", other.model)).collect();
        Err(Error::NoProvider { what: format!("fallback `{}`", to.model), model: None, known, provider: None })
    }

    /// Returns the code and the sentence of a failure: with what to do about it, and why no fallback was asked.
    pub(in crate::thread) fn told(&self, failed: Failed) -> (&'static str, String) {
        let secret = self.document.reach.as_ref().and_then(|reach| reach.auth.as_ref()).map(|auth| &auth.secret);
        let advice = match (failed.address_hint(), failed.class(), secret) {
            (Some(hint), _, _) => Some(hint.to_owned()),
            (None, Some(FailureClass::Authentication), Some(secret)) => {
                Some(format!("correct the secret `{secret}`, then run `rye provider check {}`", self.id))
            }
            (None, _, _) => None,
        };
        let (code, message) = failed.told();
        let rest = advice.iter().chain(&self.fallbacks.missing);
        (code, rest.fold(message, |message, more| format!("{message}; {more}")))
    }
}
