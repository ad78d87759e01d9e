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
        let text = std::str::from_utf8(bytes).map_err(|_| wrong("a message is not UTF-8".to_owned()))?;
        let value =
            numbers::parse(text).map_err(|_| wrong(format!("a message is not JSON: {}", server.beginning(text))))?;
        if !value.is_object() {
            return Err(wrong("a message is not an object".to_owned()));
        }
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
                match (id.and_then(Value::as_u64), outcome) {
                    (Some(id), outcome) => Ok(Self::Answer { id, outcome }),
                    (None, Err((code, message))) => Err(wrong(format!("it says: {message} (code {code})"))),
                    (None, Ok(_)) => Err(wrong("an answer has no number".to_owned())),
                }
            }
        }
    }
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
        for text in ["", "hello", "[]", "1", r#"{"id":1}"#, r#"{"id":1,"result":1,"error":{}}"#, r#"{"result":1}"#] {
            assert!(matches!(read(text), Err(Error::Malformed { .. })), "{text}");
        }
    }
}
