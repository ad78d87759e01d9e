//! What the plugin reads from a provider document. The other fields are the host's.
//!
//! | field | value | default |
//! |---|---|---|
//! | `wire` | `chat` or `responses` | `chat` |
//! | `stream` | whether to ask for server-sent events | `true` |
//! | `cache` | whether the server may cache the prompt | `true` |
//! | `params` | a JSON merge patch (RFC 7396) on the request's body, see [`params`](crate::params) | `{}` |
//! | `max_tokens_field` | the body's field for the limit of the output | `max_completion_tokens`, `max_output_tokens` |

use rye_plugin_abi::Failure;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// A provider document.
pub(crate) struct Document {
    pub(crate) wire: Wire,
    pub(crate) stream: bool,
    pub(crate) cache: bool,
    pub(crate) params: Map<String, Value>,
    pub(crate) max_tokens_field: String,
}

/// A wire format.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Wire {
    Chat,
    Responses,
}

impl Wire {
    const fn max_tokens_field(self) -> &'static str {
        match self {
            Self::Chat => "max_completion_tokens",
            Self::Responses => "max_output_tokens",
        }
    }
}

impl Document {
    /// Reads a document.
    ///
    /// # Errors
    ///
    /// Code `document`, naming the field of a wrong type.
    pub(crate) fn read(document: &Value) -> Result<Self, Failure> {
        let wire = field(document, "wire")?.unwrap_or(Wire::Chat);
        let max_tokens_field = field(document, "max_tokens_field")?;
        Ok(Self {
            wire,
            stream: field(document, "stream")?.unwrap_or(true),
            cache: field(document, "cache")?.unwrap_or(true),
            params: field(document, "params")?.unwrap_or_default(),
            max_tokens_field: max_tokens_field.unwrap_or_else(|| wire.max_tokens_field().to_owned()),
        })
    }
}

fn field<T: DeserializeOwned>(document: &Value, name: &str) -> Result<Option<T>, Failure> {
    let read = |value| T::deserialize(value).map_err(|problem| invalid(&format!("invalid `{name}`: {problem}")));
    document.get(name).map(read).transpose()
}

/// A failure that names the fault of the document.
pub(crate) fn invalid(problem: &str) -> Failure {
    Failure::new("document", format!("the provider document has an {problem}"))
}
