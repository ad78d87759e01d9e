//! Choosing who answers: a provider document of the user's or the system's space, verified, and its plugin.
//!
//! A project cannot bring a provider: a document in its space is never looked at (hole 4 of the threat model).

use rye_plugin_abi::provider::EncodeRequest;
use serde_json::Value;

use super::error::Error;
use super::machine::Answer;
use crate::format::{self, Profile};
use crate::id::{ItemId, ItemType, Space};
use crate::item::{Item, Model, Price, ProviderDocument};
use crate::ops::locate::{Purpose, Session};
use crate::plugin;

/// The spaces that may hold provider documents, nearest first.
const SPACES: [Space; 2] = [Space::User, Space::System];

/// The most output tokens of one answer when the document does not say.
const DEFAULT_OUTPUT_TOKENS: u64 = 8_192;

/// Who answers, and at what price.
pub(super) struct Chosen {
    pub(super) id: ItemId,
    pub(super) model: String,
    pub(super) price: Price,
    pub(super) document: ProviderDocument,
    raw: Value,
    plugin: plugin::Provider,
    state: Value,
}

/// A document that was found, verified and read.
struct Found {
    id: ItemId,
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
    let price = found.document.pricing.get(&model).cloned().ok_or_else(no_price)?;
    let failed = |source| Error::Plugin { provider: found.id.clone(), source };
    let plugin = session.plugins().map_err(failed)?.provider(&found.document.plugin).map_err(failed)?;
    Ok(Chosen { id: found.id, model, price, document: found.document, raw: found.raw, plugin, state: Value::Null })
}

impl Chosen {
    /// Returns the most output tokens of one answer.
    pub(super) fn max_output_tokens(&self) -> u64 {
        self.document.max_output_tokens.unwrap_or(DEFAULT_OUTPUT_TOKENS)
    }

    /// Asks for the next answer. The plugin's state goes along; the request's own is ignored.
    pub(super) fn ask(&mut self, mut request: EncodeRequest) -> Result<Answer, plugin::Error> {
        request.state = std::mem::take(&mut self.state);
        request.document = self.raw.clone();
        request.model.clone_from(&self.model);
        let response = self.plugin.encode(&request)?;
        self.state = response.state.clone();
        let rye_plugin_abi::provider::Answer::Events { events } = response.answer;
        Ok(Answer { events, state: response.state })
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
    Ok(Some(Found { id: id.clone(), document, raw: Value::Object(tool.rest.clone()) }))
}

fn serves(document: &ProviderDocument, model: Option<&str>, declared: Option<&Model>) -> bool {
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

fn tiers(found: &[Found]) -> Vec<String> {
    let named =
        |found: &Found| found.document.tiers.keys().map(|tier| format!("{tier} ({})", found.id)).collect::<Vec<_>>();
    found.iter().flat_map(named).collect()
}
