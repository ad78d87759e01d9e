//! JSON-RPC 2.0, as far as a client of tools needs it.

use rye_plugin_abi::numbers;
use serde_json::{Value, json};

use super::error::Error;
use super::peer::Peer;

/// A message of a server.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Message {
    /// The answer to a request of this number.
    Answer { id: u64, outcome: Result<Value, (i64, String)> },
    /// A request of its own; the answer to it says that it is refused.
    Request { refusal: Value },
    /// Anything that needs no answer.
    Note,
    /// Text that is not a message, such as a banner. The SDKs skip it.
    Noise,
}

/// A request.
pub(super) fn request(id: u64, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// A notification.
pub(super) fn note(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

impl Message {
    /// Reads a message.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`].
    pub(super) fn read(server: &Peer, bytes: &[u8]) -> Result<Self, Error> {
        let wrong = |reason: String| Error::Malformed { server: server.name().to_owned(), reason };
        let value = std::str::from_utf8(bytes).ok().and_then(|text| numbers::parse(text).ok());
        let Some(value) = value.filter(Value::is_object) else { return Ok(Self::Noise) };
        let id = value.get("id").filter(|id| !id.is_null());
        match (id, value.get("method").and_then(Value::as_str)) {
            (Some(id), Some(method)) => Ok(Self::Request { refusal: refusal(id, method) }),
            (None, Some(_)) => Ok(Self::Note),
            (id, None) => {
                let outcome = match (value.get("result"), value.get("error")) {
                    (Some(result), None) => Ok(result.clone()),
                    (None, Some(error)) => {
                        let message = error["message"].as_str().unwrap_or("it does not say why");
                        Err((error["code"].as_i64().unwrap_or_default(), server.beginning(message)))
                    }
                    (Some(_), Some(_)) | (None, None) => {
                        return Err(wrong("an answer has neither or both of `result` and `error`".to_owned()));
                    }
                };
                // A server that could not read a request does not know its number.
                match (id.and_then(number), outcome) {
                    (Some(id), outcome) => Ok(Self::Answer { id, outcome }),
                    (None, Err((code, message))) => Err(wrong(format!("it says: {message} (code {code})"))),
                    (None, Ok(_)) => Err(wrong("an answer has no number".to_owned())),
                }
            }
        }
    }
}

/// The number of an id, which some servers send back as text.
fn number(id: &Value) -> Option<u64> {
    let of_text = |text: &str| text.parse().ok().filter(|number: &u64| number.to_string() == text);
    id.as_u64().or_else(|| id.as_str().and_then(of_text))
}

fn refusal(id: &Value, method: &str) -> Value {
    match method {
        "ping" => json!({"jsonrpc": "2.0", "id": id, "result": {}}),
        _ => json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "this client offers nothing"}}),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn messages_are_told_apart() {
        let peer = Peer::new("x".to_owned(), crate::redact::Redactor::of_nothing());
        let read = |text: &str| Message::read(&peer, text.as_bytes());
        assert_eq!(
            read(r#"{"jsonrpc":"2.0","id":1,"result":{"a":1}}"#).unwrap(),
            Message::Answer { id: 1, outcome: Ok(json!({"a": 1})) }
        );
        assert_eq!(
            read(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-5,"message":"no"}}"#).unwrap(),
            Message::Answer { id: 1, outcome: Err((-5, "no".to_owned())) }
        );
        assert_eq!(read(r#"{"jsonrpc":"2.0","method":"notifications/message"}"#).unwrap(), Message::Note);
        let Message::Request { refusal } = read(r#"{"id":"a","method":"sampling/createMessage"}"#).unwrap() else {
            panic!("no request")
        };
        assert_eq!((&refusal["id"], &refusal["error"]["code"]), (&json!("a"), &json!(-32601)));
        for text in [r#"{"id":1}"#, r#"{"id":1,"result":1,"error":{}}"#, r#"{"result":1}"#] {
            assert!(matches!(read(text), Err(Error::Malformed { .. })), "{text}");
        }
        for text in ["", "hello", "[]", "1", "{", "[INFO] ready"] {
            assert_eq!(read(text).unwrap(), Message::Noise, "{text}");
        }
        assert_eq!(Message::read(&peer, b"\xff\xfe").unwrap(), Message::Noise);
    }

    #[test]
    fn an_id_is_a_number_also_as_text() {
        let peer = Peer::new("x".to_owned(), crate::redact::Redactor::of_nothing());
        let read = |id: &str| Message::read(&peer, format!(r#"{{"id":{id},"result":1}}"#).as_bytes());
        assert_eq!(read(r#""12""#).unwrap(), Message::Answer { id: 12, outcome: Ok(json!(1)) });
        for id in [r#""012""#, r#""+12""#, r#"" 12""#, r#""x""#, r#""""#, "1.5", "-1", "[1]"] {
            assert!(matches!(read(id), Err(Error::Malformed { .. })), "{id}");
        }
    }
}
