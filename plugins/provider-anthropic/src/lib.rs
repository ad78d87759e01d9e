//! Translates to and from Anthropic's Messages API (`POST /v1/messages`), streamed or not.
//!
//! - `document`: the keys of the provider document that are used here.
//! - `request`: a conversation as the body of a request.
//! - `response`: server-sent events or a JSON body as a turn, or as a failure.
//! - `state`: the content blocks that go back unchanged with their message.
//!
//! The wire format is that of the official Python package `anthropic` 2.12.0. All functions are pure, and the same conversation
//! always gives the same bytes: the server caches by prefix.

use rye_plugin_abi::provider::{
    Answer, DecodeRequest, DecodeResponse, EncodeRequest, EncodeResponse, Exchange, PeekRequest, PeekResponse, Provider,
};
use rye_plugin_abi::{Description, Failure};
use serde_json::Value;

mod document;
mod request;
mod response;
mod state;

#[cfg(test)]
mod tests;

use document::Document;

rye_plugin_abi::export_provider!(rye_provider_anthropic, "anthropic", Anthropic);

const PATH: &str = "/v1/messages";
/// The version of the wire format. The package sends the same.
const VERSION: &str = "2023-06-01";

/// The provider.
#[derive(Debug)]
pub struct Anthropic;

impl Provider for Anthropic {
    fn describe() -> Description {
        Description::new("anthropic", env!("CARGO_PKG_VERSION"), &[])
    }

    fn encode(request: EncodeRequest) -> Result<EncodeResponse, Failure> {
        let document = Document::read(&request.document)?;
        let headers = [("anthropic-version", VERSION), ("content-type", "application/json")];
        let exchange = Exchange {
            path: PATH.to_owned(),
            headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
            body: request::body(&request, &document)?,
            stream: document.stream,
        };
        Ok(EncodeResponse { state: Value::Null, answer: Answer::Exchange(exchange) })
    }

    fn peek(request: PeekRequest) -> Result<PeekResponse, Failure> {
        Ok(response::peek(&request.event))
    }

    fn decode(request: DecodeRequest) -> Result<DecodeResponse, Failure> {
        Ok(response::decode(request.status, &request.body))
    }
}
