//! Giving a model a price: lines of the person's configuration, next to what the provider documents say.

use std::path::Path;

use serde::Serialize;

use super::document::{all, read};
use super::sole_provider::set_up;
use crate::context::{Config, Context, Prices};
use crate::id::ItemId;
use crate::item::{Price, ProviderDocument};
use crate::session::Session;
use crate::thread::error::Error;
use crate::workspace::OwnConfig;

/// The longest name of a model, in characters.
const MOST_NAME: usize = 200;

/// The price of a model.
#[derive(Debug, Clone)]
pub struct PriceOptions {
    /// The model.
    pub model: String,
    /// The provider document that serves it, instead of the only one that is set up.
    pub provider: Option<ItemId>,
    /// What a million of its tokens cost.
    pub price: Price,
}

/// A price that was written down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PriceOutcome {
    /// The model.
    pub model: String,
    /// The provider document that serves it.
    pub provider: ItemId,
    /// What a million of its tokens cost.
    pub price: Price,
    /// The file of the configuration.
    pub path: String,
    /// The lines that it has now.
    pub lines: String,
}

/// Writes the price of a model into the person's configuration.
///
/// # Errors
///
/// Fails when no provider document is meant, and when the configuration cannot be written.
pub fn price_model(session: &Session, options: PriceOptions) -> Result<PriceOutcome, Error> {
    let provider = provider(session, &options)?;
    let ctx = session.context();
    let path = ctx.config_dir()?.join("config.toml");
    let PriceOptions { model, price, .. } = options;
    let failed = |reason: String| Error::PriceNotWritten { model: model.clone(), path: path.clone(), reason };
    if model.is_empty() || model == ProviderDocument::EVERY_MODEL || model.chars().any(char::is_control) {
        return Err(failed("expected the id of one model".to_owned()));
    }
    if model.chars().count() > MOST_NAME {
        return Err(failed(format!("the id of the model has more than {MOST_NAME} characters")));
    }
    write(ctx, &path, &provider, &model, &price).map_err(failed)?;
    let lines = Prices::lines(&provider, &model, &price);
    Ok(PriceOutcome { model, provider, price, path: path.display().to_string(), lines })
}

/// Returns the document that is named, or the only one on the network that is set up.
fn provider(session: &Session, options: &PriceOptions) -> Result<ItemId, Error> {
    let documents = all(session)?;
    let on_network = || documents.iter().filter(|found| found.document.reach.is_some());
    match &options.provider {
        Some(id) if on_network().any(|found| found.id == *id) => Ok(id.clone()),
        Some(id) => match super::document::SPACES.into_iter().find_map(|space| read(session, id, space).err()) {
            Some(error @ Error::NotAProvider { .. }) => Err(error),
            _ => {
                let known = on_network().map(|found| found.id.clone()).collect();
                Err(Error::UnknownProvider { name: id.clone(), known })
            }
        },
        None => set_up(session, &documents).ok_or_else(|| {
            let providers = on_network().map(|found| found.id.clone()).collect();
            Error::PriceOfWhom { model: options.model.clone(), providers }
        }),
    }
}

/// Writes the lines, if the configuration then says the price, and everything else that it said before.
fn write(ctx: &Context, path: &Path, provider: &ItemId, model: &str, price: &Price) -> Result<(), String> {
    let change = |text: &str| Prices::written_into(text, provider, model, price);
    let is_meant = |old: Config, new: Config| {
        let has_price = new.prices.of(provider).any(|(known, written)| known == model && written == price);
        has_price && Config { prices: Prices::default(), ..old } == Config { prices: Prices::default(), ..new }
    };
    OwnConfig::new(ctx, path.to_owned()).edit(change, is_meant, "edit its lines for this model by hand")
}
