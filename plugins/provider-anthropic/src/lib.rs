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
    Answer, Counted, DecodeRequest, DecodeResponse, EncodeRequest, EncodeResponse, Exchange, PeekRequest, PeekResponse,
    Provider,
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

/// Where tokens are counted, for nothing.
const COUNT_PATH: &str = "/v1/messages/count_tokens";

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
        let exchange = exchange(PATH, request::body(request, &document)?, document.stream);
        Ok(EncodeResponse { state: Value::Null, answer: Answer::Exchange(exchange) })
    }

    fn peek(request: PeekRequest) -> Result<PeekResponse, Failure> {
        Ok(response::peek(&request.event))
    }

    fn decode(request: DecodeRequest) -> Result<DecodeResponse, Failure> {
        Ok(response::decode(request.status, &request.body))
    }

    fn count(request: EncodeRequest) -> Result<Exchange, Failure> {
        let document = Document::read(&request.document)?;
        Ok(exchange(COUNT_PATH, request::count_body(request, &document)?, false))
    }

    fn counted(request: DecodeRequest) -> Result<Counted, Failure> {
        Ok(response::counted(request.status, &request.body))
    }
}

fn exchange(path: &str, body: String, stream: bool) -> Exchange {
    let headers = [("anthropic-version", VERSION), ("content-type", "application/json")];
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    Exchange { path: path.to_owned(), headers, body, stream }
}
