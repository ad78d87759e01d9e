//! The URL of a request: host, scheme and port are the tool's own text; a parameter fills a part of one segment.

use rye_plugin_abi::Failure;
use serde_json::{Map, Value};

use crate::template::{Template, config, parameter, scalar, wrong};

/// The URL of a tool, with placeholders in its path, and the values of its query.
#[derive(Debug)]
pub(crate) struct Address {
    /// Scheme, host and port.
    origin: String,
    segments: Vec<Template>,
    query: Vec<(String, Value)>,
}

impl Address {
    /// Reads `url` and `query`.
    ///
    /// # Errors
    ///
    /// Code `config` for a URL without a host of its own, and for characters that are invalid in it.
    pub(crate) fn read(url: &str, query: &Map<String, Value>) -> Result<Self, Failure> {
        let (scheme, rest) =
            url.split_once("://").ok_or_else(|| config("`url` must begin with `https://` and a host"))?;
        let scheme = scheme.to_ascii_lowercase();
        if !matches!(scheme.as_str(), "https" | "http") {
            return Err(config("`url` must begin with `https://`, or with `http://` for this machine"));
        }
        if url.contains(['?', '#']) {
            return Err(config("`url` has no `?` and no `#`: name the values under `query`"));
        }
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let is_of_a_host = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:[]".contains(&byte);
        if authority.is_empty() || !authority.bytes().all(is_of_a_host) {
            return Err(config(
                "the host of `url` is a name or an address, with a port or without; no parameter is in it",
            ));
        }
        let usual = if scheme == "https" { ":443" } else { ":80" };
        let authority = authority.to_ascii_lowercase();
        let authority = authority.strip_suffix(usual).unwrap_or(&authority);
        let segments: Vec<Template> = path.split('/').map(Template::read).collect();
        if path.split('/').any(|segment| is_step(&decoded_dots(segment))) {
            return Err(config("the path of `url` has a `.` or `..`"));
        }
        if let Some((name, _)) = query.iter().find(|(_, value)| value.is_object()) {
            return Err(config(format!("`query.{name}` is not text, a number, a boolean or a list of them")));
        }
        let query = query.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        Ok(Self { origin: format!("{scheme}://{authority}"), segments, query })
    }

    /// Returns the templates in it.
    pub(crate) fn templates(&self) -> impl Iterator<Item = Template> {
        let query = self.query.iter().flat_map(|(_, value)| match value {
            Value::Array(values) => values.iter().filter_map(Value::as_str).map(Template::read).collect(),
            Value::String(text) => vec![Template::read(text)],
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
        });
        self.segments.iter().cloned().chain(query)
    }

    /// Fills it in.
    ///
    /// # Errors
    ///
    /// Code `parameters` for a parameter that is missing, is not text, or would lead elsewhere.
    pub(crate) fn fill(&self, parameters: &Value) -> Result<String, Failure> {
        let mut url = self.origin.clone();
        for segment in &self.segments {
            let filled = segment.fill(parameters, of_the_tool, encoded)?;
            let has_parameter = segment.names().next().is_some();
            if has_parameter && (filled.is_empty() || is_step(&decoded_dots(&filled))) {
                let names: Vec<&str> = segment.names().collect();
                let message =
                    format!("the parameter `{}` makes a segment of the path empty, `.` or `..`", names.join("`, `"));
                return Err(wrong(message));
            }
            url.push('/');
            url.push_str(&filled);
        }
        let mut mark = '?';
        for (name, value) in self.pairs(parameters)? {
            url.push(mark);
            url.push_str(&format!("{}={}", encoded(&name), encoded(&value)));
            mark = '&';
        }
        Ok(url)
    }

    /// The pairs of the query. A parameter that is absent leaves its pair out, a list makes several.
    fn pairs(&self, parameters: &Value) -> Result<Vec<(String, String)>, Failure> {
        let mut pairs = Vec::new();
        for (name, value) in &self.query {
            let values = match value {
                Value::Array(values) => values.clone(),
                other => vec![other.clone()],
            };
            for value in values {
                for text in texts(&value, parameters)? {
                    pairs.push((name.clone(), text));
                }
            }
        }
        Ok(pairs)
    }
}

/// What a value of the query comes to: none, one, or those of a list.
fn texts(value: &Value, parameters: &Value) -> Result<Vec<String>, Failure> {
    let Value::String(text) = value else { return Ok(scalar(value).into_iter().collect()) };
    let template = Template::read(text);
    let Some(name) = template.alone() else { return Ok(vec![template.plain(parameters)?]) };
    match parameter(parameters, name) {
        None => Ok(Vec::new()),
        Some(Value::Array(values)) => values.iter().map(|value| scalar(value).ok_or_else(|| in_query(name))).collect(),
        Some(value) => Ok(vec![scalar(value).ok_or_else(|| in_query(name))?]),
    }
}

fn in_query(name: &str) -> Failure {
    wrong(format!(
        "the parameter `{name}` is part of the query: it must be text, a number, a boolean or a list of them"
    ))
}

/// Tells whether a segment leads to another folder.
fn is_step(segment: &str) -> bool {
    matches!(segment, "." | "..")
}

/// A segment with its encoded dots as dots: readers of URLs take them for the same.
fn decoded_dots(segment: &str) -> String {
    segment.replace("%2e", ".").replace("%2E", ".")
}

/// Percent-encodes all but letters, digits, `-`, `.`, `_` and `~`.
fn encoded(text: &str) -> String {
    kept(text, b"-._~")
}

/// Percent-encodes what the tool's own path cannot hold.
fn of_the_tool(text: &str) -> String {
    kept(text, b"-._~!$&'()*+,;=:@%")
}

fn kept(text: &str, others: &[u8]) -> String {
    text.bytes()
        .map(|byte| match byte {
            _ if byte.is_ascii_alphanumeric() || others.contains(&byte) => char::from(byte).to_string(),
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use serde_json::json;

    use super::*;

    fn filled(url: &str, query: &Value, parameters: &Value) -> Result<String, String> {
        let address = Address::read(url, query.as_object().unwrap()).map_err(|failure| failure.message)?;
        address.fill(parameters).map_err(|failure| failure.message)
    }

    #[test]
    fn a_parameter_stays_within_its_segment() {
        let url = "https://api.example.com/repos/{owner}/{repo}.git";
        for (owner, expected) in [
            ("ada", "/repos/ada/r.git"),
            ("a/b", "/repos/a%2Fb/r.git"),
            ("../..", "/repos/..%2F../r.git"),
            ("a?x=1#y", "/repos/a%3Fx%3D1%23y/r.git"),
            ("%2e%2e", "/repos/%252e%252e/r.git"),
            ("a\\b\r\nHost: x", "/repos/a%5Cb%0D%0AHost%3A%20x/r.git"),
            ("@evil.example:1", "/repos/%40evil.example%3A1/r.git"),
            ("ü", "/repos/%C3%BC/r.git"),
        ] {
            let parameters = json!({"owner": owner, "repo": "r"});
            let expected = format!("https://api.example.com{expected}");
            assert_eq!(filled(url, &json!({}), &parameters), Ok(expected), "{owner}");
        }
        for owner in [".", "..", ""] {
            assert!(filled(url, &json!({}), &json!({"owner": owner, "repo": "r"})).is_err(), "{owner}");
        }
        // Two of them together, too.
        assert!(filled("https://a.org/{a}{b}", &json!({}), &json!({"a": ".", "b": "."})).is_err());
        assert!(filled(url, &json!({}), &json!({"owner": {"a": 1}, "repo": "r"})).is_err());
        assert!(filled(url, &json!({}), &json!({"repo": "r"})).is_err());
    }

    #[test]
    fn a_query_holds_what_is_given() {
        let query = json!({"state": "{state}", "labels": "{labels}", "per_page": 100, "q": "in:{state}"});
        let parameters = json!({"state": "open&x=1", "labels": ["a b", "c"]});
        assert_eq!(
            filled("https://a.org", &query, &parameters).unwrap(),
            "https://a.org/?state=open%26x%3D1&labels=a%20b&labels=c&per_page=100&q=in%3Aopen%26x%3D1"
        );
        assert_eq!(filled("https://a.org/x", &json!({"a": "{a}"}), &json!({})).unwrap(), "https://a.org/x");
        assert!(filled("https://a.org/x", &json!({"a": "x{a}"}), &json!({})).is_err());
    }

    #[test]
    fn the_host_is_the_tools_own() {
        for url in [
            "https://{host}/x",
            "https://a.org:{port}/x",
            "{scheme}://a.org/x",
            "https://user@a.org/x",
            "https:///x",
            "ftp://a.org/x",
            "//a.org/x",
            "https://a.org/x?y={z}",
            "https://a.org/x#y",
            "https://a.org/../x",
            "https://a.org/%2e%2E/x",
        ] {
            assert!(
                filled(url, &json!({}), &json!({"host": "b", "port": "1", "scheme": "http", "z": "1"})).is_err(),
                "{url}"
            );
        }
        assert_eq!(filled("HTTPS://A.org:443", &json!({}), &json!({})).unwrap(), "https://a.org/");
    }
}
