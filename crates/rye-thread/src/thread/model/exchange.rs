//! Asking a model over the network: the plugin encodes, the network carries, the plugin decodes; again, where that helps.
//!
//! A failure is asked again by its class, as the vendors' own clients do it: after what the server says, or after a growing
//! time with chance in it; as long as there is patience (`patience.rs`).

use std::time::Duration;

use rye_plugin_abi::provider::{self, DecodeRequest, Decoded, Delta, Exchange, FailureClass, PeekRequest};
use serde_json::Value;

use super::access::Access;
use super::estimate::{Arrived, counted, said};
use super::failure::{Failed, Refusal, helps, is_passing, may_be_billed};
use super::patience::{Attempts, Patience};
use crate::context::Context;
use crate::error::with_causes;
use crate::event::Usage;
use crate::machine::Answer;
use crate::machine::allowance::Allowance;
use crate::net::{self, Advice, Body, Client, Flow, Limits, Request, Response, ServerEvent};
use crate::plugin;
use crate::process::CancelFlag;
use crate::session::Session;

/// The first wait, which doubles with each further one.
const FIRST_WAIT: Duration = Duration::from_millis(500);
/// How long a question waits that the thread can do without.
const ASIDE: Duration = Duration::from_secs(20);
/// What an answer may hold for each output token that was asked for, in bytes: a token of text has four, one of blanks has at most
/// some dozens.
const BYTES_PER_TOKEN: u64 = 128;
/// What it may hold besides.
const BYTES_BESIDES: u64 = 64 * 1024;
/// How many characters of a model's name are kept that a server gives.
const MOST_NAME: usize = 200;
/// How often it is looked whether the run is to stop.
const TICK: Duration = Duration::from_millis(20);

/// What an exchange needs besides the request.
pub(in crate::thread) struct Line<'a> {
    pub(in crate::thread) ctx: &'a Context,
    pub(super) client: &'a Client,
    pub(in crate::thread) access: &'a Access,
    pub(in crate::thread) plugin: &'a plugin::Provider,
    pub(in crate::thread) document: &'a Value,
    pub(in crate::thread) model: &'a str,
    pub(in crate::thread) cancel: &'a CancelFlag,
    /// How long the thread may still run.
    pub(in crate::thread) remaining: Duration,
    /// How long it is asked again.
    pub(super) patience: Patience,
    /// Hears which attempt failed, why, and after how long the model is asked again.
    pub(in crate::thread) again: &'a mut dyn FnMut(u32, &str, Duration),
    /// Adds up what failed attempts used.
    pub(in crate::thread) failed: &'a mut Usage,
    /// Counts the requests that were sent and brought nothing back.
    pub(in crate::thread) unanswered: &'a mut u32,
    /// Tells how much room there is for another attempt; none where nothing limits it.
    pub(in crate::thread) allowance: Option<&'a Allowance>,
    /// Encodes the request again, for so many output tokens.
    pub(in crate::thread) encode: &'a dyn Fn(u64) -> Result<Encoded, Failed>,
    /// Hears what the model says, as it arrives.
    pub(in crate::thread) arriving: &'a mut dyn FnMut(&Delta),
}

/// A request as its plugin made it.
pub(super) struct Encoded {
    pub(super) exchange: Exchange,
    pub(in crate::thread) state: Value,
    /// The most output tokens that it asks for.
    pub(in crate::thread) output: u64,
}

/// Sends a request that is not worth to be repeated, and returns status and body.
pub(in crate::thread) fn send(
    session: &Session,
    access: &Access,
    exchange: &Exchange,
    cancel: &CancelFlag,
    remaining: Duration,
) -> Option<(u16, provider::Body)> {
    let limits = Limits { whole: remaining.min(ASIDE), ..Limits::default() };
    let mut all = |_: &ServerEvent| Flow::More;
    let (now, is_stopped) = (session.context().now(), || cancel.is_set());
    let sent = session.net().send(request(access, exchange), limits, now, &is_stopped, &mut all);
    sent.ok().map(|response| (response.status, body(response.body)))
}

fn request<'a>(access: &'a Access, exchange: &'a Exchange) -> Request<'a> {
    Request {
        endpoint: &access.endpoint,
        path: &exchange.path,
        // The plugin's come last: nothing replaces what its wire format demands.
        headers: access.headers.iter().cloned().chain(exchange.headers.clone()).collect(),
        authentication: access.authentication.clone(),
        body: exchange.body.clone().into_bytes(),
        stream: exchange.stream,
    }
}

fn body(body: Body) -> provider::Body {
    match body {
        Body::Events { events, is_whole } => {
            provider::Body::Events { events: events.iter().map(wire).collect(), is_whole }
        }
        Body::Text { text } => provider::Body::Text { text },
    }
}

/// A failure, with what tells whether it helps to ask again.
struct Attempt {
    failed: Failed,
    may_help: bool,
    after: Option<Duration>,
    /// What it used: a stream that is cut is billed as far as it came.
    usage: Usage,
    /// Whether the request may have been read, and nothing came back.
    is_unanswered: bool,
}

impl Line<'_> {
    /// Performs an exchange and returns the turn it brought.
    ///
    /// # Errors
    ///
    /// Fails as its last attempt did.
    pub(in crate::thread) fn perform(&mut self, mut encoded: Encoded) -> Result<Answer, Failed> {
        let (mut waited, mut failed_at) = (Duration::ZERO, None);
        let began = self.ctx.elapsed_ms();
        for attempt in 1.. {
            let Attempt { failed, may_help, after, usage, is_unanswered } =
                match self.attempt(&encoded, self.left(began)) {
                    Ok(answer) => return Ok(answer),
                    Err(attempt) => attempt,
                };
            *self.failed = self.failed.plus(usage);
            *self.unanswered += u32::from(is_unanswered);
            let wait = after.unwrap_or_else(|| self.wait(attempt));
            let lasted = self.since(*failed_at.get_or_insert_with(|| self.ctx.elapsed_ms()));
            let attempts = Attempts { made: attempt, waited, lasted };
            let is_over = self.patience.is_over(attempts, wait) || wait >= self.left(began);
            if !may_help || is_over || self.cancel.is_set() {
                return Err(match after.filter(|wait| may_help && *wait > self.patience.whole()) {
                    Some(wait) => Failed::Later { failed: Box::new(failed), wait },
                    None => failed,
                });
            }
            if let Some(allowance) = self.allowance {
                match allowance.output_after(*self.failed, *self.unanswered).ok() {
                    None => return Err(Failed::NoRoom(Box::new(failed))),
                    // The failed attempt was billed: less is left for the answer.
                    Some(output) if output < encoded.output => encoded = (self.encode)(output)?,
                    Some(_) => {}
                }
            }
            (self.again)(attempt, &with_causes(&failed), wait);
            self.sleep(wait);
            waited += wait;
        }
        unreachable!("because the last attempt returns")
    }

    fn left(&self, began: u64) -> Duration {
        self.remaining.saturating_sub(self.since(began))
    }

    fn since(&self, began: u64) -> Duration {
        Duration::from_millis(self.ctx.elapsed_ms().saturating_sub(began))
    }

    /// Sends a request once, and returns what came of it, with what arrived in the meantime.
    fn send(&mut self, exchange: &Exchange, left: Duration) -> (Result<Response, net::Error>, Arrived) {
        let request = request(self.access, exchange);
        let limits = Limits { whole: left, ..Limits::default() };
        let mut arrived = Arrived::default();
        let Self { plugin, arriving, .. } = self;
        let mut seen = |event: &ServerEvent| match plugin.peek(&PeekRequest { event: wire(event) }) {
            Ok(seen) => {
                arrived.add(&seen.deltas);
                seen.deltas.iter().for_each(&mut **arriving);
                if seen.is_last { Flow::Last } else { Flow::More }
            }
            // Unreadable parts are judged with the whole response.
            Err(_) => Flow::More,
        };
        let sent = self.client.send(request, limits, self.ctx.now(), &|| self.cancel.is_set(), &mut seen);
        (sent, arrived)
    }

    fn attempt(&mut self, encoded: &Encoded, left: Duration) -> Result<Answer, Attempt> {
        let Encoded { exchange, state, .. } = encoded;
        let (sent, mut arrived) = self.send(exchange, left);
        let most = most_bytes(encoded.output);
        let failed_after = |failed: Failed, may_help| {
            let usage = arrived.usage(Usage::default(), &exchange.body, encoded.output);
            Attempt { failed, may_help, after: None, usage, is_unanswered: false }
        };
        let response = sent.map_err(|error| {
            let (may_help, is_unanswered) = (is_passing(&error), arrived.bytes() == 0 && may_be_billed(&error));
            Attempt { is_unanswered, ..failed_after(error.into(), may_help) }
        })?;
        let Response { status, advice, request_id, body } = response;
        let body = match self::body(body) {
            provider::Body::Text { text } if !(200..300).contains(&status) => {
                provider::Body::Text { text: self.access.without_key(text) }
            }
            body @ (provider::Body::Text { .. } | provider::Body::Events { .. }) => body,
        };
        let (state, document, model) = (state.clone(), self.document.clone(), self.model.to_owned());
        let text = match &body {
            provider::Body::Text { text } if (200..300).contains(&status) => text.clone(),
            provider::Body::Text { .. } | provider::Body::Events { .. } => String::new(),
        };
        let (bytes, tokens, host) = (length(&body), encoded.output, self.access.endpoint.host());
        let decoded = self.plugin.decode(&DecodeRequest { state, document, model, status, body });
        let decoded = decoded.map_err(|error| {
            // An answer larger than the request can be too large for a plugin.
            let failed = if bytes > most { Failed::TooMuch { host, bytes, tokens } } else { error.into() };
            failed_after(failed, false)
        })?;
        match decoded.decoded {
            Decoded::Events { events } => {
                let (bytes, tokens) = (said(&events), encoded.output);
                let model = decoded.model.map(|name| name.chars().take(MOST_NAME).collect());
                let answer = Answer { events: counted(events, &exchange.body), state: decoded.state, model };
                if bytes <= most {
                    return Ok(answer);
                }
                let host = self.access.endpoint.host();
                // The received part is billed, and nothing of it is recorded.
                let usage = answer.usage();
                Err(Attempt { usage, ..failed_after(Failed::TooMuch { host, bytes, tokens }, false) })
            }
            Decoded::Failed { class, message, usage } => {
                if class == FailureClass::CutShort {
                    arrived.add_body(&text);
                }
                let usage = arrived.usage(usage.into(), &exchange.body, encoded.output);
                let address_hint = self.access.address_hint(&exchange.path, class);
                let host = self.access.endpoint.host();
                let failed = Failed::Server(Refusal { host, status, class, message, request_id, address_hint });
                let Advice { after, should_retry } = advice;
                let may_help = should_retry.unwrap_or_else(|| helps(class));
                Err(Attempt { failed, may_help, after, usage, is_unanswered: false })
            }
        }
    }

    /// Returns how long is waited before a further attempt: between half of the time and all of it.
    fn wait(&self, attempt: u32) -> Duration {
        let whole = FIRST_WAIT.saturating_mul(1 << attempt.saturating_sub(1).min(10)).min(self.patience.longest_wait());
        let chance = self.ctx.random::<1>().map_or(0, |[byte]| byte);
        whole / 2 + whole / 2 * u32::from(chance) / 255
    }

    fn sleep(&self, wait: Duration) {
        let until = self.ctx.elapsed_ms() + u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        while self.ctx.elapsed_ms() < until && !self.cancel.is_set() {
            std::thread::sleep(TICK);
        }
    }
}

/// Returns how long what a server sent is, in bytes.
fn length(body: &provider::Body) -> u64 {
    let length = match body {
        provider::Body::Events { events, .. } => events.iter().map(|event| event.data.len()).sum(),
        provider::Body::Text { text } => text.len(),
    };
    length as u64
}

/// Returns the most bytes that an answer of so many tokens may hold.
const fn most_bytes(tokens: u64) -> u64 {
    BYTES_BESIDES.saturating_add(tokens.saturating_mul(BYTES_PER_TOKEN))
}

fn wire(event: &ServerEvent) -> provider::ServerEvent {
    provider::ServerEvent { event: event.event.clone(), data: event.data.clone() }
}
