//! Reading a provider document from the keys of a YAML tool.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use thiserror::Error;

use crate::item::{Auth, Money, MoneyError, Price, ProviderDocument, Reach, Tool};

/// Why a tool is no provider document.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ProviderError {
    /// The key `plugin` is missing.
    #[error("the provider document has no `plugin`")]
    NoPlugin,
    /// A key holds something else than it must.
    #[error("`{key}` of the provider document must be {wanted}")]
    Key {
        /// The key with its path.
        key: String,
        /// What it must be.
        wanted: &'static str,
    },
    /// A price is no amount of money.
    #[error("the price `{key}` of the provider document is no amount")]
    Price {
        /// The key with its path.
        key: String,
        /// What is wrong with it.
        #[source]
        source: MoneyError,
    },
}

/// Reads `plugin`, `tiers`, `pricing`, `limits` and `prompts.system_template` of a tool.
///
/// Prices are decimals for a million tokens, in the `currency` beside them (`USD` without one).
///
/// # Errors
///
/// Fails when `plugin` is missing or a key holds something else than it must.
pub fn provider(tool: &Tool) -> Result<ProviderDocument, ProviderError> {
    let Some(Value::String(plugin)) = tool.rest.get("plugin") else { return Err(ProviderError::NoPlugin) };
    let limits = map(&tool.rest, "limits")?;
    let prompts = map(&tool.rest, "prompts")?;
    Ok(ProviderDocument {
        plugin: plugin.clone(),
        tiers: tiers(map(&tool.rest, "tiers")?)?,
        pricing: pricing(map(&tool.rest, "pricing")?)?,
        max_output_tokens: tokens(limits, "max_output_tokens")?,
        reach: reach(&tool.rest)?,
        system_template: template(prompts)?,
    })
}

static EMPTY: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);

fn map<'t>(keys: &'t Map<String, Value>, key: &str) -> Result<&'t Map<String, Value>, ProviderError> {
    match keys.get(key) {
        None | Some(Value::Null) => Ok(&EMPTY),
        Some(Value::Object(map)) => Ok(map),
        Some(_) => Err(wrong(key, "a map")),
    }
}

fn tiers(map: &Map<String, Value>) -> Result<BTreeMap<String, String>, ProviderError> {
    let tier = |(name, model): (&String, &Value)| match model {
        Value::String(model) => Ok((name.clone(), model.clone())),
        _ => Err(wrong(&format!("tiers.{name}"), "a model's id")),
    };
    map.iter().map(tier).collect()
}

fn pricing(map: &Map<String, Value>) -> Result<BTreeMap<String, Price>, ProviderError> {
    map.iter().map(|(model, price)| Ok((model.clone(), self::price(model, price)?))).collect()
}

fn price(model: &str, price: &Value) -> Result<Price, ProviderError> {
    let currency = match price.get("currency") {
        None | Some(Value::Null) => "USD",
        Some(Value::String(currency)) => currency,
        Some(_) => return Err(wrong(&format!("pricing.{model}.currency"), "a text")),
    };
    let amount = |part: &str| {
        let key = format!("pricing.{model}.{part}");
        let text = match price.get(part) {
            Some(Value::String(text)) => text.clone(),
            // The shortest decimal that reads as this number is the one that was written.
            Some(Value::Number(number)) => number.to_string(),
            _ => return Err(wrong(&key, "a decimal number")),
        };
        let text = text.strip_suffix(".0").unwrap_or(&text);
        Money::parse(text, currency).map_err(|source| ProviderError::Price { key, source })
    };
    let optional = |part: &str| match price.get(part) {
        None | Some(Value::Null) => Ok(None),
        Some(_) => amount(part).map(Some),
    };
    Ok(Price {
        input_per_million: amount("input_per_million")?,
        output_per_million: amount("output_per_million")?,
        cache_read_per_million: optional("cache_read_per_million")?,
        cache_write_per_million: optional("cache_write_per_million")?,
        cache_write_1h_per_million: optional("cache_write_1h_per_million")?,
    })
}

/// Reads `url`, `url_variable` and `auth`. Whether the address is one to send requests to is judged where they are sent.
fn reach(keys: &Map<String, Value>) -> Result<Option<Reach>, ProviderError> {
    let Some(url) = text(keys, "url", "url")? else {
        return match keys.get("auth") {
            None | Some(Value::Null) => Ok(None),
            Some(_) => Err(wrong("url", "there if there is `auth`")),
        };
    };
    let url_variable = text(keys, "url_variable", "url_variable")?;
    if url_variable.as_deref().is_some_and(|name| !is_variable(name)) {
        return Err(wrong("url_variable", "the name of a variable, such as `OPENAI_BASE_URL`"));
    }
    let auth = map(keys, "auth")?;
    let auth = match auth.is_empty() {
        true => None,
        false => {
            let secret = text(auth, "secret", "auth.secret")?.filter(|name| is_variable(name));
            let secret =
                secret.ok_or_else(|| wrong("auth.secret", "the name of a secret, such as `OPENAI_API_KEY`"))?;
            let header = text(auth, "header", "auth.header")?.unwrap_or_else(|| "authorization".to_owned());
            let prefix = match text(auth, "prefix", "auth.prefix")? {
                Some(prefix) => prefix,
                None if header == "authorization" => "Bearer ".to_owned(),
                None => String::new(),
            };
            Some(Auth { secret, header: header.to_ascii_lowercase(), prefix })
        }
    };
    Ok(Some(Reach { url, url_variable, auth }))
}

/// Tells whether a text is one that secrets and variables have as a name: capitals, digits and `_`.
fn is_variable(name: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_';
    name.starts_with(|first: char| first.is_ascii_uppercase()) && name.chars().all(is_part)
}

fn text(map: &Map<String, Value>, key: &str, shown: &str) -> Result<Option<String>, ProviderError> {
    match map.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(wrong(shown, "a text")),
    }
}

fn tokens(limits: &Map<String, Value>, key: &str) -> Result<Option<u64>, ProviderError> {
    match limits.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => value.as_u64().map(Some).ok_or_else(|| wrong(&format!("limits.{key}"), "a whole number")),
    }
}

fn template(prompts: &Map<String, Value>) -> Result<String, ProviderError> {
    match prompts.get("system_template") {
        None | Some(Value::Null) => Ok(String::new()),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(wrong("prompts.system_template", "a text")),
    }
}

fn wrong(key: &str, wanted: &'static str) -> ProviderError {
    ProviderError::Key { key: key.to_owned(), wanted }
}
