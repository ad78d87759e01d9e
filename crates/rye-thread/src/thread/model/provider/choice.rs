//! Choosing who answers: by name, or by the directive's model or tier.

use std::collections::BTreeSet;

use serde_json::Value;

use super::client::{Chosen, Fallbacks};
use super::document::{
    Found, SPACES, access, all, in_space, is_passed_over, missing, models_now, price, read, served, serves, tiers,
    wanted,
};
use super::sole_provider::{set_up, sole};
use crate::format;
use crate::id::{ItemId, ItemType, Space};
use crate::item::Model;
use crate::session::Session;
use crate::thread::error::Error;

/// The documents that are checked if none has the model or the tier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ForWant {
    /// The only provider that is set up.
    TheSole,
    /// Nothing.
    Nothing,
}

/// Chooses one provider, without what answers when it fails.
pub(super) fn choose_one(
    session: &Session,
    named: Option<&ItemId>,
    model: Option<&str>,
    declared: Option<&Model>,
    for_want: ForWant,
) -> Result<Chosen, Error> {
    let found = match named {
        Some(id) => by_name(session, id)?,
        None => by_model(session, model, declared, for_want)?,
    };
    let access = match access(session, &found) {
        // A wrong address is told first: it is wrong for every model.
        Err(error @ Error::Endpoint { .. }) => return Err(error),
        access => access,
    };
    let no_model = || {
        let is_default = model.is_none() && declared.is_none();
        let of = || format!("model for the {}", wanted(model, declared));
        let model = if is_default { "default model".to_owned() } else { of() };
        Error::NoModel { provider: found.id.clone(), model }
    };
    let model = served(&found.document, model, declared).ok_or_else(no_model)?;
    let known = || found.document.pricing.keys().cloned().collect();
    let no_price = || Error::NoPrice { model: model.clone(), provider: found.id.clone(), known: known() };
    let price = price(&found.document, &model).cloned().ok_or_else(no_price)?;
    let failed = |source| Error::Plugin { provider: found.id.clone(), source };
    let plugin = session.plugins().map_err(failed)?.provider(&found.document.plugin).map_err(failed)?;
    let access = access?;
    if let Some(access) = &access {
        let (host, port) = access.host_and_port();
        plugin.check_host(&host, port).map_err(failed)?;
    }
    let Found { id, document, keys, .. } = found;
    let raw = Value::Object(format::keys_for_model(&keys, &model));
    let (state, fallbacks, left_out) = (Value::Null, Fallbacks::default(), None);
    let price = price.with_hour(asks_for_an_hour(&raw["params"]));
    let config = session.context().config_dir().ok().map(|folder| folder.join("config.toml"));
    Ok(Chosen {
        id,
        access,
        model,
        price,
        document,
        raw,
        plugin,
        state,
        fallbacks,
        left_out,
        patience: None,
        has_answered: false,
        config,
    })
}

/// Tells whether the parameters of a request ask the provider to keep a part of it in its cache for an hour.
fn asks_for_an_hour(params: &Value) -> bool {
    match params {
        Value::Object(fields) => {
            fields.iter().any(|(name, value)| name == "ttl" && value == "1h" || asks_for_an_hour(value))
        }
        Value::Array(values) => values.iter().any(asks_for_an_hour),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn by_name(session: &Session, id: &ItemId) -> Result<Found, Error> {
    for space in SPACES {
        let candidates = session.project().workspace().candidates(ItemType::Tool, id)?;
        if candidates.iter().any(|candidate| candidate.space == space) && !is_passed_over(session, id, space)? {
            return read(session, id, space)?.ok_or_else(|| Error::NotAProvider { provider: id.clone(), reason: None });
        }
    }
    if session.project().workspace().candidates(ItemType::Tool, id)?.is_empty() {
        let known = all(session)?.into_iter().map(|found| found.id).collect();
        return Err(Error::UnknownProvider { name: id.clone(), known });
    }
    let reason = match read(session, id, Space::Project) {
        Ok(None) => None,
        Ok(Some(_)) | Err(_) => {
            Some("a project's items never count as providers; copy it to the user space if you trust it".to_owned())
        }
    };
    Err(Error::NotAProvider { provider: id.clone(), reason })
}

/// Looks through the user's documents, then the system's; two of one space that serve are not chosen between. A declared model
/// is looked for by its id alone: its tier stands for another model.
fn by_model(
    session: &Session,
    model: Option<&str>,
    declared: Option<&Model>,
    for_want: ForWant,
) -> Result<Found, Error> {
    let sole = || match for_want {
        ForWant::TheSole => sole(session, model, declared),
        ForWant::Nothing => Ok(None),
    };
    for space in SPACES {
        let mut serving = in_space(session, space)?;
        serving.retain(|found| serves(&found.document, model, declared));
        let secrets: BTreeSet<String> = serving.iter().filter_map(|found| missing(session, found)).collect();
        serving.retain(|found| missing(session, found).is_none());
        if serving.is_empty() && !secrets.is_empty() {
            if let Some(found) = sole()? {
                return Ok(found);
            }
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
    match sole()? {
        Some(found) => Ok(found),
        None => {
            let documents = all(session)?;
            let named = model.or_else(|| declared.and_then(|model| model.id.as_deref()));
            let known = match named {
                Some(_) => models_now(session, &documents),
                None => tiers(&documents),
            };
            let (what, model) = (wanted(model, declared), named.map(str::to_owned));
            Err(Error::NoProvider { what, model, known, provider: set_up(session, &documents) })
        }
    }
}
