//! Choosing who answers: a provider document of the user's or the system's space, verified, and its plugin.
//!
//! A project cannot bring a provider: a document in its space is never looked at (hole 4 of the threat model).

use std::collections::BTreeSet;
use std::time::Duration;

use rye_plugin_abi::provider::{self, DecodeRequest, Delta, EncodeRequest};
use serde_json::Value;

use super::access::Access;
use super::allowance::Allowance;
use super::error::Error;
use super::exchange::{Failed, Line, send};
use super::machine::Answer;
use crate::event::Usage;
use crate::format::{self, Profile};
use crate::id::{ItemId, ItemType, Space};
use crate::item::{Item, Model, Price, ProviderDocument};
use crate::ops::locate::Purpose;
use crate::plugin;
use crate::process::CancelFlag;
use crate::session::Session;

/// The spaces that may hold provider documents, nearest first.
const SPACES: [Space; 2] = [Space::User, Space::System];

/// The key of `pricing` for whatever model a server has.
const EVERY_MODEL: &str = "*";

/// The most output tokens of one answer when the document does not say.
const DEFAULT_OUTPUT_TOKENS: u64 = 8_192;

/// Who answers, and at what price.
pub(super) struct Chosen {
    pub(super) id: ItemId,
    /// How it is reached; none for one that needs no network.
    access: Option<Access>,
    pub(super) model: String,
    pub(super) price: Price,
    pub(super) document: ProviderDocument,
    raw: Value,
    plugin: plugin::Provider,
    state: Value,
}

/// What asking needs of the thread.
pub(super) struct Asking<'a> {
    pub(super) session: &'a Session,
    pub(super) cancel: &'a CancelFlag,
    /// How long the thread may still run.
    pub(super) remaining: Duration,
    /// Hears why a model is asked again, and after how long.
    pub(super) again: &'a mut dyn FnMut(&str, Duration),
    /// Adds up what attempts used that failed.
    pub(super) failed: &'a mut Usage,
    /// Tells whether there is room for another attempt.
    pub(super) allowance: &'a Allowance,
    /// Hears what the model says, as it arrives.
    pub(super) arriving: &'a mut dyn FnMut(&Delta),
}

/// A document that was found, verified and read.
struct Found {
    id: ItemId,
    space: Space,
    document: ProviderDocument,
    raw: Value,
}

/// Chooses by name, or by the directive's model or tier.
pub(super) fn choose(
    session: &Session,
    named: Option<&ItemId>,
    model: Option<&str>,
    declared: Option<&Model>,
) -> Result<Chosen, Error> {
    let found = match named {
        Some(id) => by_name(session, id)?,
        None => by_model(session, model, declared)?,
    };
    let what = || wanted(model, declared);
    let model = served(&found.document, model, declared)
        .ok_or_else(|| Error::NoProvider { what: what(), known: tiers(std::slice::from_ref(&found)) })?;
    let no_price = || Error::NoPrice { model: model.clone(), provider: found.id.clone() };
    let price = price(&found.document, &model).cloned().ok_or_else(no_price)?;
    let failed = |source| Error::Plugin { provider: found.id.clone(), source };
    let plugin = session.plugins().map_err(failed)?.provider(&found.document.plugin).map_err(failed)?;
    let access = access(session, &found)?;
    let Found { id, document, raw, .. } = found;
    Ok(Chosen { id, access, model, price, document, raw, plugin, state: Value::Null })
}

impl Chosen {
    /// Returns the most output tokens of one answer.
    pub(super) fn max_output_tokens(&self) -> u64 {
        self.document.max_output_tokens.unwrap_or(DEFAULT_OUTPUT_TOKENS)
    }

    /// Asks for the next answer. The plugin's state goes along; the request's own is ignored.
    pub(super) fn ask(&mut self, mut request: EncodeRequest, asking: Asking<'_>) -> Result<Answer, Failed> {
        request.state = self.state.clone();
        request.document = self.raw.clone();
        request.model.clone_from(&self.model);
        let response = self.plugin.encode(&request)?;
        let answer = match response.answer {
            provider::Answer::Events { events } => Answer { events, state: response.state },
            provider::Answer::Exchange(exchange) => {
                let access = self.access.as_ref().ok_or(Failed::NoAddress)?;
                let Asking { session, cancel, remaining, again, arriving, failed, allowance } = asking;
                let mut line = Line {
                    ctx: session.context(),
                    client: session.net(),
                    access,
                    plugin: &self.plugin,
                    document: &self.raw,
                    model: &self.model,
                    cancel,
                    remaining,
                    again,
                    failed,
                    allowance,
                    arriving,
                };
                line.perform(&exchange, &response.state)?
            }
        };
        self.state = answer.state.clone();
        Ok(answer)
    }

    /// Has the provider count the tokens of a conversation; none where it cannot, or does not answer.
    pub(super) fn count(
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

    /// Tells whether its model is asked over the network.
    pub(super) const fn is_remote(&self) -> bool {
        self.access.is_some()
    }

    /// Returns the variable of the environment that says where its requests go, with the host.
    pub(super) fn redirected(&self) -> Option<(&str, String)> {
        let access = self.access.as_ref()?;
        Some((access.variable.as_deref()?, access.endpoint.host()))
    }

    /// Hands the plugin what it returned in another thread.
    pub(super) fn resume(&mut self, state: Value) {
        self.state = state;
    }
}

fn by_name(session: &Session, id: &ItemId) -> Result<Found, Error> {
    for space in SPACES {
        let candidates = session.workspace().candidates(ItemType::Tool, id)?;
        if candidates.iter().any(|candidate| candidate.space == space) && !is_passed_over(session, id, space)? {
            return read(session, id, space)?
                .ok_or_else(|| Error::NotAProvider { provider: id.clone(), reason: "it names no plugin".to_owned() });
        }
    }
    if session.workspace().candidates(ItemType::Tool, id)?.is_empty() {
        let known = all(session)?.into_iter().map(|found| found.id.to_string()).collect();
        return Err(Error::NoProvider { what: format!("name `{id}`"), known });
    }
    let reason = "a project's items never count as providers; copy it to the user space if you trust it".to_owned();
    Err(Error::NotAProvider { provider: id.clone(), reason })
}

/// Looks through the user's documents, then the system's; two of one space that serve are not chosen between.
fn by_model(session: &Session, model: Option<&str>, declared: Option<&Model>) -> Result<Found, Error> {
    for space in SPACES {
        let serving = in_space(session, space)?;
        let mut serving: Vec<Found> =
            serving.into_iter().filter(|found| serves(&found.document, model, declared)).collect();
        let secrets: BTreeSet<String> = serving.iter().filter_map(|found| missing(session, found)).collect();
        let serves_none = serving.is_empty();
        serving.retain(|found| missing(session, found).is_none());
        if serving.is_empty() && !serves_none {
            let secrets = secrets.into_iter().map(|name| format!("`{name}`")).collect();
            return Err(Error::NotSetUp { what: wanted(model, declared), secrets });
        }
        if serving.len() > 1 {
            let providers = serving.into_iter().map(|found| found.id).collect();
            return Err(Error::AmbiguousProvider { what: wanted(model, declared), providers });
        }
        if let Some(found) = serving.pop() {
            return Ok(found);
        }
    }
    Err(Error::NoProvider { what: wanted(model, declared), known: tiers(&all(session)?) })
}

fn all(session: &Session) -> Result<Vec<Found>, Error> {
    let mut found = Vec::new();
    for space in SPACES {
        found.extend(in_space(session, space)?);
    }
    Ok(found)
}

fn in_space(session: &Session, space: Space) -> Result<Vec<Found>, Error> {
    let listing = session.workspace().list(Some(ItemType::Tool), Some(space))?;
    let documents = listing.items.iter().filter(|candidate| candidate.extension.as_str() == "yaml");
    let mut found = Vec::new();
    for candidate in documents {
        if !is_passed_over(session, &candidate.id, space)? {
            // A document that is not signed, or not valid, does not count; naming it says why.
            found.extend(read(session, &candidate.id, space).ok().flatten());
        }
    }
    Ok(found)
}

/// Tells whether the user's document has an id that is reserved to the system's.
fn is_passed_over(session: &Session, id: &ItemId, space: Space) -> Result<bool, Error> {
    if space == Space::System || !id.is_reserved() || session.context().config().items.shadow_reserved {
        return Ok(false);
    }
    let candidates = session.workspace().candidates(ItemType::Tool, id)?;
    Ok(candidates.iter().any(|candidate| candidate.space == Space::System))
}

/// Reads and verifies a document; none for a tool of another type.
fn read(session: &Session, id: &ItemId, space: Space) -> Result<Option<Found>, Error> {
    let located = session.locate(ItemType::Tool, id, Some(space), Purpose::Use)?;
    let verified = session.verified(located, Profile::Reference)?;
    let Item::Tool(tool) = &verified.content().item else { return Ok(None) };
    if tool.tool_type.as_deref() != Some("provider") {
        return Ok(None);
    }
    let wrong = |error: format::ProviderError| Error::NotAProvider { provider: id.clone(), reason: error.to_string() };
    let document = format::provider(tool).map_err(wrong)?;
    Ok(Some(Found { id: id.clone(), space, document, raw: Value::Object(tool.rest.clone()) }))
}

/// Decides how a document's provider is reached.
fn access(session: &Session, found: &Found) -> Result<Option<Access>, Error> {
    let decide = |reach| Access::decide(session.context(), &found.id, found.space, reach);
    found.document.reach.as_ref().map(decide).transpose()
}

/// Returns the secret without which a document does not serve.
fn missing(session: &Session, found: &Found) -> Option<String> {
    match access(session, found) {
        Err(Error::NoSecret { secret, .. }) => Some(secret),
        // Anything else is worth an error of its own.
        Ok(_) | Err(_) => None,
    }
}

/// Returns the price of a model: its own, or that of every model of a server.
fn price<'a>(document: &'a ProviderDocument, model: &str) -> Option<&'a Price> {
    document.pricing.get(model).or_else(|| document.pricing.get(EVERY_MODEL))
}

/// Tells whether a document serves a directive that names no document. One without tiers waits to be named.
fn serves(document: &ProviderDocument, model: Option<&str>, declared: Option<&Model>) -> bool {
    if document.tiers.is_empty() {
        return false;
    }
    match (model, declared) {
        (Some(model), _) => document.pricing.contains_key(model),
        (None, Some(Model { id: Some(id), .. })) => {
            document.pricing.contains_key(id) || declared.is_some_and(|model| document.tiers.contains_key(&model.tier))
        }
        (None, Some(model)) => document.tiers.contains_key(&model.tier),
        (None, None) => false,
    }
}

/// Picks the document's model: the one asked for, the declared one, the tier's, or the document's default.
fn served(document: &ProviderDocument, model: Option<&str>, declared: Option<&Model>) -> Option<String> {
    let declared_id = declared.and_then(|model| model.id.as_deref()).filter(|id| document.pricing.contains_key(*id));
    let tier = declared.and_then(|model| document.tiers.get(&model.tier));
    let default = document.tiers.get("default");
    model.or(declared_id).map(str::to_owned).or_else(|| tier.or(default).cloned())
}

fn wanted(model: Option<&str>, declared: Option<&Model>) -> String {
    match (model, declared) {
        (Some(model), _) => format!("model `{model}`"),
        (None, Some(Model { id: Some(id), tier, .. })) => format!("model `{id}` or tier `{tier}`"),
        (None, Some(model)) => format!("tier `{}`", model.tier),
        (None, None) => "directive, which names no model".to_owned(),
    }
}

/// Names the tiers that some document serves.
fn tiers(found: &[Found]) -> Vec<String> {
    let names: BTreeSet<&String> = found.iter().flat_map(|found| found.document.tiers.keys()).collect();
    names.into_iter().cloned().collect()
}
