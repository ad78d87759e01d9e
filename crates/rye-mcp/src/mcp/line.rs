//! One line of stdin: a message of the protocol, or the error for an invalid line.
//!
//! An invalid message is answered by an error, with its id if readable, and the connection goes on.

use std::io::{self, BufRead, Read as _};

use rmcp::model::{ClientJsonRpcMessage, ErrorData, RequestId, ServerJsonRpcMessage};
use serde_json::Value;

use super::surrogates;

/// The longest line, in bytes: as much as inputs may be on the command line.
pub(super) const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// What a line came to.
#[derive(Debug)]
pub(super) enum Line {
    /// A message, and how many bytes it has.
    Message(Box<ClientJsonRpcMessage>, usize),
    /// Something else, and what to answer.
    Fault(Box<ServerJsonRpcMessage>),
}

/// Reads the next line that is not blank; none at the end.
pub(super) fn next(input: &mut impl BufRead) -> io::Result<Option<Line>> {
    loop {
        let mut bytes = Vec::new();
        if input.by_ref().take(MAX_BYTES + 1).read_until(b'\n', &mut bytes)? == 0 {
            return Ok(None);
        }
        if bytes.len() as u64 > MAX_BYTES && bytes.last() != Some(&b'\n') {
            input.skip_until(b'\n')?;
            let message = format!("the line is longer than {MAX_BYTES} bytes");
            return Ok(Some(fault(ErrorData::invalid_request(message, None), None)));
        }
        if !bytes.trim_ascii().is_empty() {
            return Ok(Some(parse(&bytes)));
        }
    }
}

fn parse(bytes: &[u8]) -> Line {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return fault(ErrorData::parse_error("the line is not UTF-8", None), None);
    };
    let text = text.trim_start_matches('\u{FEFF}');
    let value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) => return no_json(text, &error),
    };
    if value.is_array() {
        let message = "batches are unsupported: send one message on each line";
        return fault(ErrorData::invalid_request(message, None), None);
    }
    let (id, is_call) = (request_id(&value), value.get("method").is_some());
    match serde_json::from_value(value) {
        Ok(message) => Line::Message(Box::new(message), bytes.len()),
        Err(_) => {
            let id = id.filter(|_| is_call);
            fault(ErrorData::invalid_request("the line is not a message of JSON-RPC 2.0", None), id)
        }
    }
}

/// Answers a line that is not JSON. Half a surrogate pair is the one mistake that clients make: some cut text between
/// UTF-16 units. The rest of such a line can be read, so the answer has the request's id.
fn no_json(text: &str, error: &serde_json::Error) -> Line {
    let whole = surrogates::replaced(text);
    let request = whole.and_then(|text| serde_json::from_str::<Value>(&text).ok());
    match request.as_ref().filter(|value| value.get("method").is_some()).and_then(request_id) {
        Some(id) => {
            let message = "a string has half a surrogate pair (`\\ud800` to `\\udfff`): send whole characters";
            fault(ErrorData::parse_error(message, None), Some(id))
        }
        None => fault(ErrorData::parse_error(format!("the line is not JSON: {error}"), None), None),
    }
}

fn request_id(value: &Value) -> Option<RequestId> {
    serde_json::from_value(value.get("id")?.clone()).ok()
}

fn fault(error: ErrorData, id: Option<RequestId>) -> Line {
    Line::Fault(Box::new(ServerJsonRpcMessage::error(error, id)))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn told(line: &[u8]) -> Value {
        match parse(line) {
            Line::Message(message, _) => serde_json::to_value(message).unwrap(),
            Line::Fault(answer) => serde_json::to_value(answer).unwrap(),
        }
    }

    #[test]
    fn what_is_no_message_is_answered_under_its_id_where_there_is_one() {
        let code = |line: &[u8]| {
            let told = told(line);
            (told["error"]["code"].as_i64(), told.get("id").cloned())
        };
        assert_eq!(code(b"{"), (Some(-32700), None));
        assert_eq!(code(b"\xff{}"), (Some(-32700), None));
        assert_eq!(code(b"[]"), (Some(-32600), None));
        assert_eq!(code(b"{}"), (Some(-32600), None));
        assert_eq!(code(br#"{"jsonrpc":"1.0","id":3,"method":"ping"}"#), (Some(-32600), Some(3.into())));
        let lone = br#"{"jsonrpc":"2.0","id":3,"method":"ping","params":{"a":"\ud83d x"}}"#;
        assert_eq!(code(lone), (Some(-32700), Some(3.into())));
        let quoted = br#"{"jsonrpc":"2.0","id":3,"method":"ping","params":{"a":"\\ud83d \ud83d\ude00"}}"#;
        assert_eq!(told(quoted)["id"], 3);
        assert_eq!(code(br#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#), (Some(-32600), None));
        assert_eq!(told(br#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#)["method"], "ping");
    }

    #[test]
    fn a_line_without_end_is_passed_over_and_the_next_one_is_read() {
        let long = vec![b'x'; usize::try_from(MAX_BYTES).unwrap() + 10];
        let input = [&long[..], b"\n\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"].concat();
        let mut input = &input[..];
        assert!(matches!(next(&mut input).unwrap(), Some(Line::Fault(_))));
        assert!(matches!(next(&mut input).unwrap(), Some(Line::Message(..))));
        assert!(next(&mut input).unwrap().is_none());
    }
}
