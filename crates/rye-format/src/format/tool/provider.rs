//! Reading a provider document from the keys of a YAML tool.
//!
//! Every setting takes effect: an unknown key, or one that the document's plugin does not use, is an error, and so is a
//! value of another kind. `docs/schemas/provider.json` says the same to editors.

mod fault;
mod header;
mod keys;
mod reasoning;

use std::collections::BTreeMap;

use serde_json::{Map, Value};

pub use self::fault::ProviderError;
use self::fault::{joined, wrong};
pub use self::reasoning::{knows_no_reasoning, leave_out_of_params, reasoning_fields};
use super::super::header::Header;
use crate::format::rules;
use crate::item::{Auth, ModelSizes, Money, Price, ProviderDocument, Reach, Retry, Tool};

/// Reads the keys of a provider document. Prices are decimals for a million tokens, in the `currency` next to them
/// (`USD` without one).
///
/// # Errors
///
/// Fails when `plugin` is missing, or a key is unknown or holds something else than it must.
pub fn provider(tool: &Tool) -> Result<ProviderDocument, ProviderError> {
    read(&tool.rest)
}

/// Finds faults in the keys of a provider document, before those of every tool are taken out.
pub(super) fn check(header: &mut Header<'_, '_>) {
    let mut found = keys::unknown(&header.keys);
    if let Err(error) = read(&header.keys)
        && !found.contains(&error)
    {
        found.push(error);
    }
    for error in found {
        let message = match &error {
            ProviderError::Price { source, .. } => format!("{error}: {source}"),
            error => error.to_string(),
        };
        header.findings.at(&rules::PROVIDER_KEY, header.place(error.place()), message, error.hint());
    }
}

fn read(keys: &Map<String, Value>) -> Result<ProviderDocument, ProviderError> {
    let Some(plugin) = text(keys, "", "plugin")?.filter(|plugin| !plugin.is_empty()) else {
        return Err(ProviderError::NoPlugin);
    };
    if let Some(unknown) = keys::unknown(keys).into_iter().next() {
        return Err(unknown);
    }
    keys::of_others(keys, &plugin)?;
    for key in ["cache", "stream"] {
        if keys.get(key).is_some_and(|value| !value.is_boolean()) {
            return Err(wrong(key, "true or false"));
        }
    }
    if text(keys, "", "wire")?.is_some_and(|wire| !matches!(wire.as_str(), "chat" | "responses")) {
        return Err(wrong("wire", "`chat` or `responses`"));
    }
    if text(keys, "", "max_tokens_field")?.is_some_and(|field| field.is_empty()) {
        return Err(wrong("max_tokens_field", "the name of a field, such as `max_tokens`"));
    }
    map(keys, "", "params")?;
    let limits = map(keys, "", "limits")?;
    let prompts = map(keys, "", "prompts")?;
    Ok(ProviderDocument {
        tiers: tiers(map(keys, "", "tiers")?)?,
        pricing: each(keys, "pricing", price)?,
        models: each(keys, "models", sizes)?,
        max_output_tokens: tokens(limits, "limits", "max_output_tokens")?,
        reach: reach(keys, &plugin)?,
        system_template: text(prompts, "prompts", "system_template")?.unwrap_or_default(),
        plugin,
    })
}

/// Returns the keys of a document as its plugin reads them for one model: `models.MODEL.params` has its fields take the place of
/// those of `params`, and a null leaves one out.
#[must_use]
pub fn keys_for_model(keys: &Map<String, Value>, model: &str) -> Map<String, Value> {
    let mut keys = keys.clone();
    let models = keys.get("models").and_then(Value::as_object);
    let own = models.and_then(|models| models.get(model).or_else(|| models.get(ProviderDocument::EVERY_MODEL)));
    let Some(own) = own.and_then(|own| own.get("params")).and_then(Value::as_object).cloned() else { return keys };
    if let Value::Object(params) = keys.entry("params").or_insert_with(|| Value::Object(Map::new())) {
        params.extend(own);
        params.retain(|_, value| !value.is_null());
    }
    keys
}

static EMPTY: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);

fn map<'t>(keys: &'t Map<String, Value>, path: &str, key: &str) -> Result<&'t Map<String, Value>, ProviderError> {
    match keys.get(key) {
        None => Ok(&EMPTY),
        Some(Value::Object(map)) => Ok(map),
        Some(_) => Err(wrong(&joined(path, key), "a map")),
    }
}

/// Reads a map of maps by model.
fn each<T>(
    keys: &Map<String, Value>,
    key: &str,
    read: fn(&Map<String, Value>, &str) -> Result<T, ProviderError>,
) -> Result<BTreeMap<String, T>, ProviderError> {
    let models = map(keys, "", key)?;
    models.keys().map(|model| Ok((model.clone(), read(map(models, key, model)?, &joined(key, model))?))).collect()
}

fn tiers(map: &Map<String, Value>) -> Result<BTreeMap<String, String>, ProviderError> {
    let tier = |(name, model): (&String, &Value)| match model {
        Value::String(model) if !model.is_empty() => Ok((name.clone(), model.clone())),
        _ => Err(wrong(&joined("tiers", name), "a model's id")),
    };
    map.iter().map(tier).collect()
}

fn sizes(map: &Map<String, Value>, path: &str) -> Result<ModelSizes, ProviderError> {
    let (context, max_output_tokens) = (tokens(map, path, "context")?, tokens(map, path, "max_output_tokens")?);
    self::map(map, path, "params")?;
    Ok(ModelSizes { context, max_output_tokens })
}

fn price(price: &Map<String, Value>, path: &str) -> Result<Price, ProviderError> {
    let currency = text(price, path, "currency")?.unwrap_or_else(|| "USD".to_owned());
    let amount = |part: &str| {
        let key = joined(path, part);
        let text = match price.get(part) {
            Some(Value::String(text)) => text.clone(),
            // The shortest decimal that reads as this number is the one that was written.
            Some(Value::Number(number)) => number.to_string(),
            _ => return Err(wrong(&key, "a decimal number")),
        };
        Money::parse(&text, &currency).map_err(|source| ProviderError::Price { key, source })
    };
    let optional = |part: &str| price.get(part).map(|_| amount(part)).transpose();
    Ok(Price {
        input_per_million: amount("input_per_million")?,
        output_per_million: amount("output_per_million")?,
        cache_read_per_million: optional("cache_read_per_million")?,
        cache_write_per_million: optional("cache_write_per_million")?,
        cache_write_1h_per_million: optional("cache_write_1h_per_million")?,
        cache_1h_unasked: false,
    })
}

/// Reads how a server is asked. Whether the address is one to send requests to is judged where they are sent.
fn reach(keys: &Map<String, Value>, plugin: &str) -> Result<Option<Reach>, ProviderError> {
    let Some(url) = text(keys, "", "url")? else {
        return match keys::asks_a_server(plugin, keys) {
            true => Err(ProviderError::NoUrl { plugin: plugin.to_owned() }),
            false => Ok(None),
        };
    };
    let url_variable = text(keys, "", "url_variable")?;
    if url_variable.as_deref().is_some_and(|name| !is_variable(name)) {
        return Err(wrong("url_variable", "the name of a variable, such as `OPENAI_BASE_URL`"));
    }
    let auth = match keys.contains_key("auth") {
        true => Some(auth(map(keys, "", "auth")?)?),
        false => None,
    };
    let headers = header::read(map(keys, "", "headers")?, auth.as_ref())?;
    let retry = match keys.contains_key("retry") {
        true => Some(retry(map(keys, "", "retry")?)?),
        false => None,
    };
    Ok(Some(Reach { url, url_variable, auth, headers, retry }))
}

fn auth(keys: &Map<String, Value>) -> Result<Auth, ProviderError> {
    let secret = text(keys, "auth", "secret")?.filter(|name| is_variable(name));
    let secret = secret.ok_or_else(|| wrong("auth.secret", "the name of a secret, such as `OPENAI_API_KEY`"))?;
    let header = text(keys, "auth", "header")?.unwrap_or_else(|| "authorization".to_owned());
    if !header::is_name(&header) {
        return Err(wrong("auth.header", "the name of a header, such as `x-api-key`"));
    }
    let prefix = match text(keys, "auth", "prefix")? {
        Some(prefix) => prefix,
        None if header.eq_ignore_ascii_case("authorization") => "Bearer ".to_owned(),
        None => String::new(),
    };
    if !header::is_printable(&prefix) {
        return Err(wrong("auth.prefix", "printable ASCII, such as `Bearer `"));
    }
    Ok(Auth { secret, header: header.to_ascii_lowercase(), prefix })
}

fn retry(keys: &Map<String, Value>) -> Result<Retry, ProviderError> {
    let number = |key: &str, range: std::ops::RangeInclusive<u32>, wanted| match keys.get(key) {
        None => Ok(*range.end()),
        Some(value) => {
            let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
            number.filter(|number| range.contains(number)).ok_or_else(|| wrong(&joined("retry", key), wanted))
        }
    };
    let Retry { attempts, seconds } = Retry::MOST;
    Ok(Retry {
        attempts: number("attempts", 1..=attempts, "a whole number from 1 to 5")?,
        seconds: number("seconds", 0..=seconds, "a whole number from 0 to 30")?,
    })
}

/// Tells whether a text is one that secrets and variables have as a name: capitals, digits and `_`.
fn is_variable(name: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_';
    name.starts_with(|first: char| first.is_ascii_uppercase()) && name.chars().all(is_part)
}

fn text(map: &Map<String, Value>, path: &str, key: &str) -> Result<Option<String>, ProviderError> {
    match map.get(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(wrong(&joined(path, key), "a text")),
    }
}

fn tokens(map: &Map<String, Value>, path: &str, key: &str) -> Result<Option<u64>, ProviderError> {
    let read = |value: &Value| {
        let tokens = value.as_u64().filter(|tokens| *tokens > 0);
        tokens.ok_or_else(|| wrong(&joined(path, key), "a whole number of tokens, 1 or more"))
    };
    map.get(key).map(read).transpose()
}
