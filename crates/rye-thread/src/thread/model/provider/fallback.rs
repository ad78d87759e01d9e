//! The models that a directive names for when its own fails: `fallback_id`, then `fallback`. Each is looked up before the thread
//! begins, as the directive's own model is.

use super::choice::{ForWant, choose_one};
use super::client::{Chosen, Fallbacks};
use super::document::all;
use crate::error::with_causes;
use crate::id::ItemId;
use crate::item::Model;
use crate::session::Session;
use crate::thread::error::Error;

/// Chooses by name, or by the directive's model or tier; and what answers when that fails.
pub(in crate::thread) fn choose(
    session: &Session,
    named: Option<&ItemId>,
    model: Option<&str>,
    declared: Option<&Model>,
) -> Result<Chosen, Error> {
    let chosen = choose_one(session, named, model, declared, ForWant::TheSole)?;
    let fallbacks = fallbacks(session, named, declared, &chosen);
    Ok(Chosen { fallbacks, ..chosen })
}

/// Refuses a directive whose `fallback_id` no document has a price for: it could never answer.
///
/// # Errors
///
/// Fails as the choice of that model does.
pub(in crate::thread) fn require_fallback_id(
    session: &Session,
    named: Option<&ItemId>,
    declared: &Model,
) -> Result<(), Error> {
    let Some(id) = &declared.fallback_id else { return Ok(()) };
    let model = Model { id: Some(id.clone()), fallback: None, fallback_id: None, ..declared.clone() };
    match choose_one(session, named, None, Some(&model), ForWant::TheSole) {
        Err(error @ (Error::NoPrice { .. } | Error::NoProvider { .. })) => {
            let is_priced = all(session)?.iter().any(|found| found.document.pricing.contains_key(id));
            if is_priced { Ok(()) } else { Err(error) }
        }
        // What else is wrong with it may be mended before it is needed, and is told with the failure of the model.
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Looks the fallbacks of a directive up; a provider that was named is looked in alone.
fn fallbacks(session: &Session, named: Option<&ItemId>, declared: Option<&Model>, first: &Chosen) -> Fallbacks {
    let mut fallbacks = Fallbacks::default();
    let Some(declared) = declared else { return fallbacks };
    let other = |id: Option<&String>, tier: Option<&String>| Model {
        id: id.cloned(),
        tier: tier.cloned().unwrap_or_default(),
        fallback: None,
        fallback_id: None,
        ..declared.clone()
    };
    let Model { fallback, fallback_id, .. } = declared;
    let by_id = fallback_id.as_ref().map(|id| (id, other(Some(id), None)));
    let by_tier = fallback.as_ref().map(|tier| (tier, other(None, Some(tier))));
    for (name, model) in by_id.into_iter().chain(by_tier) {
        match choose_one(session, named, None, Some(&model), ForWant::Nothing) {
            Ok(chosen) if chosen.model != *name && chosen.document.tiers.get(name) != Some(&chosen.model) => {
                fallbacks.missing.push(format!("`{}` does not have the fallback `{name}`", chosen.id));
            }
            Ok(chosen) => {
                let is_same = |other: &Chosen| other.id == chosen.id && other.model == chosen.model;
                if !is_same(first) && !fallbacks.next.iter().any(is_same) {
                    fallbacks.next.push(chosen);
                }
            }
            Err(error) => {
                fallbacks.missing.push(format!("the fallback `{name}` cannot be asked: {}", with_causes(&error)));
            }
        }
    }
    fallbacks
}
