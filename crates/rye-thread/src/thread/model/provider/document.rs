//! Provider documents: finding, verifying and reading them, and what each has for a directive.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::format::{self, Profile};
use crate::id::{ItemId, ItemType, Space};
use crate::item::{Item, Model, Price, ProviderDocument};
use crate::locate::Purpose;
use crate::redact::{self, Redactor};
use crate::session::Session;
use crate::thread::error::Error;
use crate::thread::model::access::Access;

/// The spaces that may hold provider documents, nearest first.
pub(super) const SPACES: [Space; 2] = [Space::User, Space::System];

/// A document that was found, verified and read.
pub(super) struct Found {
    pub(super) id: ItemId,
    pub(super) space: Space,
    pub(super) document: ProviderDocument,
    pub(super) keys: Map<String, Value>,
}

pub(super) fn all(session: &Session) -> Result<Vec<Found>, Error> {
    let mut found = Vec::new();
    for space in SPACES {
        found.extend(in_space(session, space)?);
    }
    Ok(found)
}

pub(super) fn in_space(session: &Session, space: Space) -> Result<Vec<Found>, Error> {
    let mut found = Vec::new();
    for id in candidates(session, space)? {
        if !is_passed_over(session, &id, space)? {
            // A document that is not signed, or not valid, does not count; naming it says why.
            found.extend(read(session, &id, space).ok().flatten());
        }
    }
    Ok(found)
}

/// Returns the items of a space that may be provider documents.
pub(super) fn candidates(session: &Session, space: Space) -> Result<Vec<ItemId>, Error> {
    let listing = session.project().workspace().list(Some(ItemType::Tool), Some(space))?;
    let documents = listing.items.into_iter().filter(|candidate| candidate.extension.as_str() == "yaml");
    Ok(documents.map(|candidate| candidate.id).collect())
}

/// Tells whether the user's document has an id that is reserved to the system's.
pub(super) fn is_passed_over(session: &Session, id: &ItemId, space: Space) -> Result<bool, Error> {
    if space == Space::System || !id.is_reserved() || session.context().config().items.shadow_reserved {
        return Ok(false);
    }
    let candidates = session.project().workspace().candidates(ItemType::Tool, id)?;
    Ok(candidates.iter().any(|candidate| candidate.space == Space::System))
}

/// Reads and verifies a document; none for a tool of another type.
pub(super) fn read(session: &Session, id: &ItemId, space: Space) -> Result<Option<Found>, Error> {
    let located = session.project().locate(ItemType::Tool, id, Some(space), Purpose::Use)?;
    let verified = session.project().verified(located, Profile::Reference)?;
    let Item::Tool(tool) = &verified.content().item else { return Ok(None) };
    if tool.tool_type.as_deref() != Some("provider") {
        return Ok(None);
    }
    let wrong = |reason: String| Error::NotAProvider { provider: id.clone(), reason: Some(reason) };
    let mut document = format::provider(tool).map_err(|error| wrong(error.to_string()))?;
    let own = session.context().config().prices.of(id);
    document.pricing.extend(own.map(|(model, price)| (model.to_owned(), price.clone())));
    if let Some(reason) = secret_header(&document) {
        return Err(wrong(reason));
    }
    Ok(Some(Found { id: id.clone(), space, document, keys: tool.rest.clone() }))
}

/// Names a header whose value looks like a secret. A document is signed and shared, and its headers are in no redaction.
fn secret_header(document: &ProviderDocument) -> Option<String> {
    let (redactor, headers) = (Redactor::default(), &document.reach.as_ref()?.headers);
    let (name, mark) = headers.iter().find_map(|(name, value)| {
        // With its name: some secrets are told by what they are called.
        let line = format!("{name}: {value}");
        redact::marks(&redactor.text(&line)).next().map(|mark| (name, mark.to_owned()))
    })?;
    Some(format!("its header `{name}` contains a secret ({mark}): name it in `auth`"))
}

/// Decides how a document's provider is reached.
pub(super) fn access(session: &Session, found: &Found) -> Result<Option<Access>, Error> {
    let decide = |reach| Access::decide(session.context(), &found.id, found.space, reach);
    found.document.reach.as_ref().map(decide).transpose()
}

/// Returns the secret without which a document does not serve.
pub(super) fn missing(session: &Session, found: &Found) -> Option<String> {
    match access(session, found) {
        Err(Error::NoSecret { secret, .. }) => Some(secret),
        // Anything else is worth an error of its own.
        Ok(_) | Err(_) => None,
    }
}

/// Returns the price of a model: its own, or that of every model of a server.
pub(super) fn price<'a>(document: &'a ProviderDocument, model: &str) -> Option<&'a Price> {
    document.pricing.get(model).or_else(|| document.pricing.get(ProviderDocument::EVERY_MODEL))
}

/// Tells whether a document serves a directive that names no document. One without tiers waits to be named.
pub(super) fn serves(document: &ProviderDocument, model: Option<&str>, declared: Option<&Model>) -> bool {
    if document.tiers.is_empty() {
        return false;
    }
    match (model, declared) {
        (Some(model), _) => document.pricing.contains_key(model),
        (None, Some(Model { id: Some(id), .. })) => document.pricing.contains_key(id),
        (None, Some(model)) => document.tiers.contains_key(&model.tier),
        (None, None) => false,
    }
}

/// Picks the document's model: the one asked for, the declared one, the tier's, or the document's default. A declared model
/// is never replaced, except by a provider that asks no model, such as one that answers from a script.
pub(super) fn served(document: &ProviderDocument, model: Option<&str>, declared: Option<&Model>) -> Option<String> {
    let asks_models = document.reach.is_some();
    let declared_id = declared.and_then(|model| model.id.as_deref());
    let declared_id = declared_id.filter(|id| asks_models || price(document, id).is_some());
    let tier = declared.and_then(|model| document.tiers.get(&model.tier));
    let default = document.tiers.get("default");
    let known = model.or(declared_id).map(str::to_owned).or_else(|| tier.or(default).cloned());
    known.or_else(|| only_model(document))
}

/// Returns the only model that a document has a price for.
pub(super) fn only_model(document: &ProviderDocument) -> Option<String> {
    let mut models = document.pricing.keys();
    models.next().filter(|model| *model != ProviderDocument::EVERY_MODEL && models.next().is_none()).cloned()
}

pub(super) fn wanted(model: Option<&str>, declared: Option<&Model>) -> String {
    match (model, declared) {
        (Some(model), _) => format!("model `{model}`"),
        (None, Some(Model { id: Some(id), .. })) => format!("model `{id}`"),
        (None, Some(Model { tier, .. })) if tier == Model::DEFAULT_TIER => {
            format!("tier `{tier}`, the default of directives without `<model>`")
        }
        (None, Some(model)) => format!("tier `{}`", model.tier),
        (None, None) => "directive, which names no model".to_owned(),
    }
}

/// Names the models on the network that can be asked now.
pub(super) fn models_now(session: &Session, found: &[Found]) -> Vec<String> {
    let is_usable = |found: &&Found| matches!(access(session, found), Ok(Some(_)));
    let models = found.iter().filter(is_usable).flat_map(|found| found.document.pricing.keys());
    let names: BTreeSet<&String> = models.filter(|model| *model != ProviderDocument::EVERY_MODEL).collect();
    names.into_iter().cloned().collect()
}

/// Names the tiers that some document serves.
pub(super) fn tiers(found: &[Found]) -> Vec<String> {
    let names: BTreeSet<&String> = found.iter().flat_map(|found| found.document.tiers.keys()).collect();
    names.into_iter().cloned().collect()
}
