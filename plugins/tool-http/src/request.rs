//! The `config` of a tool, and the request it makes. A key that is not known is refused: it would do nothing.

use std::collections::BTreeMap;

use rye_plugin_abi::Failure;
use rye_plugin_abi::tool_kind::{HttpAuth, HttpRequest};
use serde_json::{Map, Value};

use crate::address::Address;
use crate::response::Mapping;
use crate::template::{Template, config, parameter, wrong};

/// The methods of a request.
const METHODS: [&str; 6] = ["DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"];

/// The keys of `config`.
const KEYS: [&str; 8] = ["method", "url", "query", "headers", "body", "auth", "response", "timeout"];

/// Headers that the host writes, or that would change the bounds of a request.
const REFUSED: [&str; 11] = [
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// The most seconds of a request.
const MOST_SECONDS: u64 = 600;

/// A tool's request, with placeholders.
#[derive(Debug)]
pub(crate) struct Config {
    method: String,
    address: Address,
    headers: BTreeMap<String, Template>,
    body: Option<Value>,
    auth: Option<HttpAuth>,
    timeout: Option<u64>,
}

impl Config {
    /// Reads it from a tool's header.
    ///
    /// # Errors
    ///
    /// Code `config`.
    pub(crate) fn read(header: &Value) -> Result<Self, Failure> {
        let own = header["config"]
            .as_object()
            .ok_or_else(|| config("a tool of kind `http` needs a `config` with a `url`"))?;
        known("config", own, &KEYS)?;
        let text = |key: &str| match own.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.as_str())),
            Some(_) => Err(config(format!("`config.{key}` is not text"))),
        };
        let url = text("url")?.ok_or_else(|| config("`config` has no `url`"))?;
        let method = text("method")?.unwrap_or("GET").to_ascii_uppercase();
        if !METHODS.contains(&method.as_str()) {
            return Err(config(format!("unknown method `{method}` (expected {})", METHODS.join(", "))));
        }
        let body = own.get("body").filter(|body| !body.is_null()).cloned();
        if body.is_some() && matches!(method.as_str(), "GET" | "HEAD") {
            return Err(config(format!("a {method} request has no `body`")));
        }
        Mapping::read(own.get("response").unwrap_or(&Value::Null))?;
        let timeout = match own.get("timeout") {
            None => None,
            Some(value) => {
                Some(value.as_u64().filter(|seconds| (1..=MOST_SECONDS).contains(seconds)).ok_or_else(|| {
                    config(format!("`config.timeout` is not a number of seconds from 1 to {MOST_SECONDS}"))
                })?)
            }
        };
        let read = Self {
            method,
            address: Address::read(url, &map(own, "query")?)?,
            headers: headers(&map(own, "headers")?)?,
            body,
            auth: auth(own.get("auth"))?,
            timeout,
        };
        read.check_names(header)?;
        Ok(read)
    }

    /// Makes sure that each placeholder is a parameter that the tool declares.
    fn check_names(&self, header: &Value) -> Result<(), Failure> {
        let Some(declared) = header.pointer("/schema/properties").and_then(Value::as_object) else { return Ok(()) };
        let fixed = header["fixed_params"].as_object();
        let key = header["params_key"].as_str();
        let is_known = |name: &str| {
            let first = name.split('.').next().unwrap_or(name);
            let is_fixed = |name: &str| fixed.is_some_and(|fixed| fixed.contains_key(name));
            match key {
                Some(key) => first == key || is_fixed(first),
                None => declared.contains_key(name) || declared.contains_key(first) || is_fixed(first),
            }
        };
        let mut templates: Vec<Template> = self.address.templates().chain(self.headers.values().cloned()).collect();
        self.body.iter().for_each(|body| templates_of(body, &mut templates));
        match templates.iter().flat_map(Template::names).find(|name| !is_known(name)) {
            None => Ok(()),
            Some(name) => {
                Err(config(format!("`{{{name}}}` is not a parameter of the tool (write `{{{{{name}}}}}` for text)")))
            }
        }
    }

    /// Makes the plan.
    ///
    /// # Errors
    ///
    /// Code `parameters`.
    pub(crate) fn plan(&self, parameters: &Value) -> Result<HttpRequest, Failure> {
        let mut filled = BTreeMap::new();
        for (name, template) in &self.headers {
            if template.alone().is_some_and(|name| parameter(parameters, name).is_none()) {
                continue;
            }
            let value = template.plain(parameters)?;
            if value.chars().any(char::is_control) {
                return Err(wrong(format!("the header `{name}` would hold a line break or another control character")));
            }
            filled.insert(name.clone(), value);
        }
        let body = self.body.as_ref().map(|body| filled_body(body, parameters)).transpose()?.flatten();
        let body = match body {
            None => None,
            // Text is sent as it is, where the tool says what it is.
            Some(Value::String(text)) if filled.contains_key("content-type") => Some(text),
            Some(body) => {
                filled.entry("content-type".to_owned()).or_insert_with(|| "application/json".to_owned());
                Some(body.to_string())
            }
        };
        Ok(HttpRequest {
            method: self.method.clone(),
            url: self.address.fill(parameters)?,
            headers: filled,
            body,
            auth: self.auth.clone(),
            timeout: self.timeout,
        })
    }
}

pub(crate) fn known(whose: &str, map: &Map<String, Value>, names: &[&str]) -> Result<(), Failure> {
    match map.keys().find(|key| !names.contains(&key.as_str())) {
        None => Ok(()),
        Some(key) => Err(config(format!("unknown key `{whose}.{key}` (expected {})", names.join(", ")))),
    }
}

fn map(own: &Map<String, Value>, key: &str) -> Result<Map<String, Value>, Failure> {
    match own.get(key) {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(map)) => Ok(map.clone()),
        Some(_) => Err(config(format!("`config.{key}` is not a map"))),
    }
}

fn is_token(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

fn header_name(name: &str) -> Result<String, Failure> {
    let lower = name.to_ascii_lowercase();
    if !is_token(&lower) {
        return Err(config(format!("`{name}` is not the name of a header")));
    }
    if REFUSED.contains(&lower.as_str()) {
        return Err(config(format!("the header `{name}` cannot be set by a tool")));
    }
    Ok(lower)
}

fn headers(own: &Map<String, Value>) -> Result<BTreeMap<String, Template>, Failure> {
    let mut headers = BTreeMap::new();
    for (name, value) in own {
        let text = value.as_str().ok_or_else(|| config(format!("the header `{name}` is not text")))?;
        if text.chars().any(char::is_control) {
            return Err(config(format!("the header `{name}` contains a control character")));
        }
        if headers.insert(header_name(name)?, Template::read(text)).is_some() {
            return Err(config(format!("the header `{name}` is there twice")));
        }
    }
    Ok(headers)
}

fn auth(own: Option<&Value>) -> Result<Option<HttpAuth>, Failure> {
    let own = match own {
        None | Some(Value::Null) => return Ok(None),
        Some(own) => own.as_object().ok_or_else(|| config("`config.auth` is not a map"))?,
    };
    known("config.auth", own, &["header", "prefix", "secret"])?;
    let text = |key: &str, usual: &str| match own.get(key) {
        None => Ok(usual.to_owned()),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(config(format!("`config.auth.{key}` is not text"))),
    };
    let header = header_name(&text("header", "authorization")?)?;
    let usual = if own.contains_key("header") { "" } else { "Bearer " };
    let prefix = text("prefix", usual)?;
    let secret = text("secret", "")?;
    let is_name = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    if secret.is_empty() || !secret.bytes().all(is_name) || secret.as_bytes()[0].is_ascii_digit() {
        return Err(config("`config.auth.secret` is the name of a secret: capitals, digits and `_`, never its value"));
    }
    if prefix.chars().any(char::is_control) {
        return Err(config("`config.auth.prefix` holds a control character"));
    }
    Ok(Some(HttpAuth { header, prefix, secret }))
}

fn templates_of(body: &Value, templates: &mut Vec<Template>) {
    match body {
        Value::String(text) => templates.push(Template::read(text)),
        Value::Array(values) => values.iter().for_each(|value| templates_of(value, templates)),
        Value::Object(members) => members.values().for_each(|value| templates_of(value, templates)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Fills in a body. A parameter alone keeps its type; one that is absent leaves its member out.
fn filled_body(body: &Value, parameters: &Value) -> Result<Option<Value>, Failure> {
    Ok(Some(match body {
        Value::String(text) => {
            let template = Template::read(text);
            match template.alone() {
                Some(name) => return Ok(parameter(parameters, name).cloned()),
                None => Value::String(template.plain(parameters)?),
            }
        }
        Value::Array(values) => {
            let mut list = Vec::new();
            for value in values {
                list.extend(filled_body(value, parameters)?);
            }
            Value::Array(list)
        }
        Value::Object(members) => {
            let mut map = Map::new();
            for (name, value) in members {
                if let Some(value) = filled_body(value, parameters)? {
                    map.insert(name.clone(), value);
                }
            }
            Value::Object(map)
        }
        other @ (Value::Null | Value::Bool(_) | Value::Number(_)) => other.clone(),
    }))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use serde_json::json;

    use super::*;

    fn planned(config: &Value, parameters: &Value) -> Result<Value, String> {
        let config = Config::read(&json!({"config": config})).map_err(|failure| failure.message)?;
        config.plan(parameters).map(|plan| serde_json::to_value(plan).unwrap()).map_err(|failure| failure.message)
    }

    #[test]
    fn a_template_becomes_a_request() {
        let config = json!({
            "method": "post",
            "url": "https://api.example.com/repos/{owner}/issues",
            "headers": {"Accept": "application/json", "X-Trace": "{trace}"},
            "body": {"title": "{title}", "labels": "{labels}", "milestone": "{milestone}", "text": "by {owner}", "draft": false},
            "auth": {"secret": "GITHUB_TOKEN"},
            "timeout": 20,
        });
        let parameters = json!({"owner": "ada", "title": 7, "labels": ["a"]});
        assert_eq!(
            planned(&config, &parameters).unwrap(),
            json!({
                "method": "POST",
                "url": "https://api.example.com/repos/ada/issues",
                "headers": {"accept": "application/json", "content-type": "application/json"},
                "body": "{\"title\":7,\"labels\":[\"a\"],\"text\":\"by ada\",\"draft\":false}",
                "auth": {"header": "authorization", "prefix": "Bearer ", "secret": "GITHUB_TOKEN"},
                "timeout": 20,
            })
        );
    }

    #[test]
    fn no_parameter_adds_a_header_line() {
        let config = json!({"url": "https://a.org/", "headers": {"x-a": "v {a}"}});
        for value in ["a\r\nHost: evil", "a\nb", "a\u{0}b"] {
            let fault = planned(&config, &json!({"a": value})).unwrap_err();
            assert!(fault.contains("line break"), "{fault}");
        }
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for (config, said) in [
            (json!(null), "needs a `config`"),
            (json!({"url": "https://a.org", "metod": "GET"}), "unknown key `config.metod`"),
            (json!({"url": "https://a.org", "method": "TRACE"}), "unknown method `TRACE`"),
            (json!({"url": "https://a.org", "body": {}}), "a GET request has no `body`"),
            (json!({"url": "https://a.org", "headers": {"Host": "b"}}), "cannot be set by a tool"),
            (json!({"url": "https://a.org", "headers": {"a b": "b"}}), "is not the name of a header"),
            (json!({"url": "https://a.org", "headers": {"a": "b\nc"}}), "contains a control character"),
            (json!({"url": "https://a.org", "auth": {"secret": "ghp_x"}}), "never its value"),
            (json!({"url": "https://a.org", "auth": {"secret": "A", "header": "host"}}), "cannot be set by a tool"),
            (json!({"url": "https://a.org", "timeout": 0}), "number of seconds"),
            (json!({"url": "https://a.org", "response": {"resutl": "/a"}}), "unknown key `config.response.resutl`"),
        ] {
            let fault = planned(&config, &json!({})).unwrap_err();
            assert!(fault.contains(said), "{fault}");
        }
    }

    #[test]
    fn a_placeholder_is_a_declared_parameter() {
        let header = json!({
            "config": {"url": "https://a.org/{ownr}"},
            "schema": {"properties": {"owner": {"type": "string"}}},
        });
        assert!(Config::read(&header).unwrap_err().message.contains("`{ownr}` is not a parameter"));
    }
}
