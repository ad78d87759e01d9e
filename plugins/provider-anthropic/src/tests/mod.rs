//! Tables: requests (`requests/NAME.json` as `NAME.body.json`) and recorded streams (`streams/NAME.sse` as `NAME.turn.json`).
#![expect(clippy::unwrap_used, reason = "tests")]

use rye_plugin_abi::provider::{
    Answer, Body, DecodeRequest, DecodeResponse, EncodeRequest, Exchange, PeekRequest, PeekResponse, Provider,
    ServerEvent,
};
use rye_plugin_abi::{Failure, provider::Decoded};
use serde_json::{Value, json};

use crate::Anthropic;

mod cuts;
mod errors;
mod requests;
mod streams;

fn exchange(request: &Value) -> Result<Exchange, Failure> {
    let request: EncodeRequest = serde_json::from_value(request.clone()).unwrap();
    let Answer::Exchange(exchange) = Anthropic::encode(request)?.answer else { panic!("no exchange") };
    Ok(exchange)
}

fn decode(status: u16, body: Body) -> DecodeResponse {
    let request =
        DecodeRequest { state: Value::Null, document: json!({}), model: "claude-sonnet-5-5".to_owned(), status, body };
    Anthropic::decode(request).unwrap()
}

fn decode_text(status: u16, text: &str) -> Decoded {
    decode(status, Body::Text { text: text.to_owned() }).decoded
}

fn decode_events(events: Vec<ServerEvent>, is_whole: bool) -> DecodeResponse {
    decode(200, Body::Events { events, is_whole })
}

fn peek(event: &ServerEvent) -> PeekResponse {
    Anthropic::peek(PeekRequest { event: event.clone() }).unwrap()
}

/// The events of a recorded stream, or of the beginning of one: an event without its blank line does not count.
fn events(stream: &str) -> Vec<ServerEvent> {
    let whole = stream.rsplit_once("\n\n").map_or("", |(whole, _)| whole);
    whole.split("\n\n").filter(|event| !event.is_empty()).map(event).collect()
}

fn event(lines: &str) -> ServerEvent {
    let field = |name: &str| lines.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().to_owned();
    ServerEvent { event: field("event: "), data: field("data: ") }
}
