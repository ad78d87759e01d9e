//! The call by which a model reads a result of its own thread back: what was left out of a long one, one that became a pointer, or the
//! list of the calls of a turn.

use rye_plugin_abi::provider::ToolSpec;
use serde_json::{Map, Value, json};

use super::names::{self, RECALL, unknown_argument};

/// The arguments.
const ARGUMENTS: [&str; 6] = ["artifact", "turn", "call_id", "pointer", "offset", "limit"];

/// The most bytes that one call returns.
const MOST: usize = 32 * 1024;

/// The part of a result that a model asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recall {
    /// The result.
    pub recalled: Recalled,
    /// The JSON pointer to the text in it; without one it is the result as JSON.
    pub pointer: Option<String>,
    /// Where to begin, in bytes.
    pub offset: usize,
    /// How many bytes at most.
    pub limit: usize,
}

/// What is read back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recalled {
    /// A whole result, by its digest.
    Artifact(String),
    /// The result of a call.
    Call {
        /// The turn whose record has it.
        turn: u32,
        /// The call.
        call_id: String,
    },
    /// The list of the calls of a turn.
    Turn(u32),
}

/// Returns how the call is offered.
pub(super) fn spec() -> ToolSpec {
    let (text, number) = (json!({"type": "string"}), json!({"type": "integer"}));
    let properties = json!({
        "artifact": text, "turn": number, "call_id": text, "pointer": text, "offset": number, "limit": number
    });
    let schema = json!({"type": "object", "properties": properties});
    // It is paid with every request: what is left out names the arguments that read it.
    names::spec(RECALL, "Reads back what was left out of results.", schema)
}

impl Recall {
    /// Reads the arguments of a call.
    pub(super) fn parse(input: &Map<String, Value>) -> Result<Self, String> {
        if let Some(name) = input.keys().find(|name| !ARGUMENTS.contains(&name.as_str())) {
            return Err(unknown_argument(name, &ARGUMENTS));
        }
        let pointer = match input.get("pointer") {
            None | Some(Value::Null) => None,
            Some(Value::String(pointer)) => Some(pointer.clone()),
            Some(_) => return Err("`pointer` must be a string".to_owned()),
        };
        let number = |name: &str| match input.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => {
                let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
                number.map(Some).ok_or_else(|| format!("`{name}` must be a number of bytes"))
            }
        };
        let (offset, limit) = (number("offset")?.unwrap_or_default(), number("limit")?.unwrap_or(MOST).clamp(1, MOST));
        Ok(Self { recalled: Recalled::parse(input)?, pointer, offset, limit })
    }

    /// Returns at most so many bytes.
    #[must_use]
    pub fn within(self, most: u64) -> Self {
        let most = usize::try_from(most).unwrap_or(usize::MAX).max(1);
        Self { limit: self.limit.min(most), ..self }
    }

    /// Returns the part of a whole result, or why it has none.
    ///
    /// # Errors
    ///
    /// Says what is wrong with the place.
    pub fn of(&self, whole: &str) -> Result<Value, String> {
        let value: Value;
        let text = match self.pointer.as_deref() {
            None => whole,
            Some(pointer) => {
                value = serde_json::from_str(whole).unwrap_or_default();
                let found = value.pointer(pointer).and_then(Value::as_str);
                found.ok_or_else(|| format!("the result has no text at `{pointer}`"))?
            }
        };
        if self.offset >= text.len() {
            return Err(format!("`offset` is beyond the end: the text has {} bytes", text.len()));
        }
        let start = text.floor_char_boundary(self.offset);
        let mut end = text.ceil_char_boundary(start.saturating_add(self.limit).min(text.len()));
        // Escapes of JSON take room, too.
        while end > start + 1 && Value::from(&text[start..end]).to_string().len() > MOST {
            end = text.ceil_char_boundary(start + (end - start) / 2);
        }
        let mut part = json!({"text": &text[start..end], "offset": start, "bytes": end - start, "total": text.len()});
        if end < text.len() {
            part["next_offset"] = end.into();
        }
        Ok(part)
    }
}

impl Recalled {
    fn parse(input: &Map<String, Value>) -> Result<Self, String> {
        let given = |name: &str| input.get(name).filter(|value| !value.is_null());
        match (given("artifact"), given("turn"), given("call_id")) {
            (Some(artifact), None, None) => Self::artifact(artifact.as_str().unwrap_or_default()),
            (None, Some(turn), None) => Ok(Self::Turn(number_of(turn)?)),
            (None, Some(turn), Some(Value::String(call_id))) => {
                Ok(Self::Call { turn: number_of(turn)?, call_id: call_id.clone() })
            }
            (None, Some(_), Some(_)) => Err("`call_id` must be a string".to_owned()),
            (None, None, Some(_)) => Err("`call_id` needs the `turn` of the call".to_owned()),
            (None, None, None) => Err("`artifact` or `turn` is missing".to_owned()),
            (Some(_), _, _) => Err("`artifact` goes without `turn` and `call_id`".to_owned()),
        }
    }

    fn artifact(artifact: &str) -> Result<Self, String> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if artifact.len() != 64 || !artifact.bytes().all(is_digit) {
            return Err("`artifact` must be 64 hexadecimal digits, as the result has them".to_owned());
        }
        Ok(Self::Artifact(artifact.to_owned()))
    }
}

fn number_of(turn: &Value) -> Result<u32, String> {
    let number = turn.as_u64().and_then(|number| u32::try_from(number).ok());
    number.ok_or_else(|| "`turn` must be the number of a turn".to_owned())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn parsed(input: Value) -> Result<Recall, String> {
        Recall::parse(input.as_object().unwrap())
    }

    #[test]
    fn pieces_make_the_whole_text() {
        let text = "a\"é\u{0}\n".repeat(20_000);
        let whole = json!({"stdout": text}).to_string();
        for (pointer, text) in [(Some("/stdout"), text.as_str()), (None, whole.as_str())] {
            let (mut read, mut offset) = (String::new(), Some(0));
            while let Some(start) = offset {
                let call = json!({"artifact": "a".repeat(64), "pointer": pointer, "offset": start});
                let part = parsed(call).unwrap().of(&whole).unwrap();
                assert!(part.to_string().len() < 40 * 1024);
                read.push_str(part["text"].as_str().unwrap());
                offset = part["next_offset"].as_u64();
            }
            assert!(read == text);
        }
    }

    #[test]
    fn a_wrong_place_is_named() {
        let digest = "0".repeat(64);
        for input in [
            json!({}),
            json!({"artifact": "../../HEAD"}),
            json!({"artifact": digest, "path": "x"}),
            json!({"artifact": digest, "offset": -1}),
            json!({"artifact": digest, "pointer": 1}),
            json!({"artifact": digest, "turn": 1}),
            json!({"call_id": "a"}),
            json!({"turn": -1}),
            json!({"turn": 1, "call_id": 2}),
        ] {
            assert!(parsed(input.clone()).is_err(), "{input}");
        }
        for place in [json!({"pointer": "/none"}), json!({"pointer": "/number"}), json!({"offset": 1000})] {
            let mut input = place.clone();
            input["artifact"] = digest.clone().into();
            assert!(parsed(input).unwrap().of(r#"{"text":"a","number":1}"#).is_err(), "{place}");
        }
    }
}
