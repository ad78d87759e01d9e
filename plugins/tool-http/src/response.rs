//! What a response is worth: the parts of its body that the tool names, or all of it.

use rye_plugin_abi::Failure;
use rye_plugin_abi::numbers;
use rye_plugin_abi::tool_kind::{HttpResponse, Status};
use serde_json::{Map, Value, json};

use crate::request::known;
use crate::template::config;

/// The `response` of a tool.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Mapping {
    result: Wanted,
    /// Where the body of a failure says why.
    error: Option<String>,
    /// Statuses that count as success, besides 2xx.
    also: Vec<u16>,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Wanted {
    #[default]
    All,
    One(String),
    Several(Vec<(String, String)>),
}

impl Mapping {
    /// Reads it.
    ///
    /// # Errors
    ///
    /// Code `config`.
    pub(crate) fn read(own: &Value) -> Result<Self, Failure> {
        let own = match own {
            Value::Null => return Ok(Self::default()),
            own => own.as_object().ok_or_else(|| config("`config.response` is not a map"))?,
        };
        known("config.response", own, &["result", "error", "ok"])?;
        let result = match own.get("result") {
            None => Wanted::All,
            Some(Value::Object(members)) => Wanted::Several(
                members
                    .iter()
                    .map(|(name, value)| Ok((name.clone(), pointer(&format!("result.{name}"), value)?)))
                    .collect::<Result<_, Failure>>()?,
            ),
            Some(value) => Wanted::One(pointer("result", value)?),
        };
        let error = own.get("error").map(|value| pointer("error", value)).transpose()?;
        let status = |value: &Value| value.as_u64().and_then(|status| u16::try_from(status).ok());
        let also = match own.get("ok") {
            None => Vec::new(),
            Some(Value::Array(list)) => list
                .iter()
                .map(|value| status(value).ok_or_else(|| config("`config.response.ok` is not a list of statuses")))
                .collect::<Result<_, Failure>>()?,
            Some(_) => return Err(config("`config.response.ok` is not a list of statuses")),
        };
        Ok(Self { result, error, also })
    }

    /// Reads a response.
    pub(crate) fn apply(&self, response: &HttpResponse) -> (Status, Value) {
        let body = body(response);
        if (200..300).contains(&response.status) || self.also.contains(&response.status) {
            let at = |pointer: &str| body.pointer(pointer).cloned().unwrap_or(Value::Null);
            let result = match &self.result {
                Wanted::All => body.clone(),
                Wanted::One(pointer) => at(pointer),
                Wanted::Several(members) => {
                    members.iter().map(|(name, pointer)| (name.clone(), at(pointer))).collect::<Map<_, _>>().into()
                }
            };
            return (Status::Ok, result);
        }
        let said = self.error.as_ref().and_then(|pointer| body.pointer(pointer)).map(|said| match said {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        });
        let status = response.status;
        let message = said.map_or_else(
            || format!("the server answered with status {status}"),
            |said| format!("the server answered with status {status}: {said}"),
        );
        (Status::Error, json!({"message": message, "status": status, "body": body}))
    }
}

fn pointer(key: &str, value: &Value) -> Result<String, Failure> {
    let text = value.as_str().filter(|text| text.is_empty() || text.starts_with('/'));
    text.map(str::to_owned)
        .ok_or_else(|| config(format!("`config.response.{key}` is not a JSON pointer, such as `/items/0/name`")))
}

/// The body: JSON if it is that, nothing as null, anything else as text.
fn body(response: &HttpResponse) -> Value {
    match response.body.trim() {
        "" => Value::Null,
        text => numbers::parse(text).unwrap_or_else(|_| Value::from(response.body.as_str())),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn applied(mapping: &Value, status: u16, body: &str) -> (Status, Value) {
        let response = HttpResponse { status, headers: std::collections::BTreeMap::new(), body: body.to_owned() };
        Mapping::read(mapping).unwrap().apply(&response)
    }

    #[test]
    fn a_response_is_mapped() {
        let body = r#"{"items": [{"n": 1}], "total": 1}"#;
        assert_eq!(applied(&Value::Null, 200, "plain"), (Status::Ok, json!("plain")));
        assert_eq!(applied(&Value::Null, 204, ""), (Status::Ok, Value::Null));
        assert_eq!(applied(&json!({"result": "/items"}), 200, body), (Status::Ok, json!([{"n": 1}])));
        assert_eq!(
            applied(&json!({"result": {"first": "/items/0/n", "none": "/x"}}), 200, body),
            (Status::Ok, json!({"first": 1, "none": null}))
        );
        let failed = applied(&json!({"error": "/error/message"}), 404, r#"{"error": {"message": "no such repo"}}"#);
        assert_eq!(failed.0, Status::Error);
        assert_eq!(failed.1["message"], json!("the server answered with status 404: no such repo"));
        assert_eq!(applied(&json!({"ok": [404]}), 404, "").0, Status::Ok);
        assert_eq!(applied(&Value::Null, 304, "").0, Status::Error);
    }

    #[test]
    fn a_mapping_is_read_strictly() {
        for mapping in
            [json!({"result": 1}), json!({"result": "items"}), json!({"ok": 404}), json!({"ok": ["404"]}), json!([])]
        {
            assert!(Mapping::read(&mapping).is_err(), "{mapping}");
        }
    }
}
