//! Chunks become a turn.
//!
//! A turn is over when a choice has a finish reason and the stream ended, by `[DONE]` or by the end of the body (some
//! servers leave `[DONE]` out). The usage comes in a chunk after the finish reason, or in every chunk: the last one counts.

use rye_plugin_abi::provider::{
    Body, DecodeResponse, Decoded, Delta, ModelEvent, PeekResponse, ServerEvent, StopReason, Usage,
};
use serde::Deserialize;
use serde_json::Value;

use super::calls::Calls;
use super::chunk::{CallPiece, Choice, Chunk, Content, Piece};
use super::reasoning::Reasoning;
use crate::call::CallIds;
use crate::json::present;
use crate::server_error::Failed;
use crate::state::{Chat, State};
use crate::stream::{self, Data};
use crate::{refusal, server_error, usage};

/// What came of a turn.
#[derive(Debug, Default)]
struct Reply {
    reasoning: Reasoning,
    text: String,
    /// What the model said to decline.
    refusal: String,
    /// The categories for which a filter stopped the answer.
    filtered: Vec<String>,
    calls: Calls,
    usage: Option<Usage>,
    /// The model that answers, as the server names it.
    model: Option<String>,
    finish_reason: Option<String>,
}

/// Reads a response.
///
/// # Errors
///
/// Why there is no turn.
pub(crate) fn turn(body: Body, ids: CallIds) -> Result<DecodeResponse, Failed> {
    let mut reply = Reply::default();
    let read = match body {
        Body::Text { text } => whole(&text).and_then(|completion| reply.add(completion)),
        Body::Events { events, is_whole } => reply.add_all(events, is_whole),
    };
    let used = reply.usage;
    read.and_then(|()| reply.conclude(ids)).map_err(|failed| failed.after(used))
}

fn whole(body: &str) -> Result<Value, Failed> {
    let completion = stream::whole(body)?;
    match present(&completion, "choices").or(present(&completion, "error")) {
        Some(_) => Ok(completion),
        None => Err(Failed::unreadable("the body is not a completion")),
    }
}

/// Tells what a chunk says.
pub(crate) fn peek(value: Value) -> PeekResponse {
    let Ok(chunk) = Chunk::deserialize(value) else { return PeekResponse::default() };
    let is_last = !chunk.error.is_null();
    let choice = chunk.choices.into_iter().flatten().find(Choice::is_first);
    PeekResponse { deltas: choice.map(|choice| deltas(choice.into_piece())).unwrap_or_default(), is_last }
}

fn deltas(piece: Piece) -> Vec<Delta> {
    let reasoning = piece.reasoning_content.filter(|text| !text.is_empty()).or(piece.reasoning);
    let texts = piece.content.map(Content::into_text).into_iter().chain(piece.refusal);
    let names = piece.tool_calls.into_iter().flatten().filter_map(|call| call.function?.name);
    let reasoning = reasoning.filter(|text| !text.is_empty()).map(|text| Delta::Reasoning { text });
    let texts = texts.filter(|text| !text.is_empty()).map(|text| Delta::Text { text });
    let names = names.filter(|name| !name.is_empty()).map(|name| Delta::Call { name });
    reasoning.into_iter().chain(texts).chain(names).collect()
}

impl Choice {
    fn is_first(&self) -> bool {
        self.index.unwrap_or_default() == 0
    }
}

impl Reply {
    fn add_all(&mut self, events: Vec<ServerEvent>, is_whole: bool) -> Result<(), Failed> {
        for event in events {
            match stream::read(&event) {
                Data::Done => return Ok(()),
                Data::Object(value) => self.add(value)?,
                Data::Skipped => {}
                Data::Unreadable if is_whole => return Err(Failed::unreadable("an event is not JSON")),
                Data::Unreadable => return Err(Failed::cut_short()),
            }
        }
        if is_whole { Ok(()) } else { Err(Failed::cut_short()) }
    }

    fn add(&mut self, value: Value) -> Result<(), Failed> {
        let chunk = Chunk::deserialize(value)
            .map_err(|problem| Failed::unreadable(&format!("an event is not a completion: {problem}")))?;
        if !chunk.error.is_null() {
            return Err(server_error::of_error(&chunk.error));
        }
        self.usage = usage::read(&chunk.usage).or(self.usage);
        self.model =
            chunk.model.as_str().filter(|name| !name.is_empty()).map(str::to_owned).or_else(|| self.model.take());
        match chunk.choices.into_iter().flatten().find(Choice::is_first) {
            Some(choice) => self.add_choice(choice),
            None => Ok(()),
        }
    }

    fn add_choice(&mut self, mut choice: Choice) -> Result<(), Failed> {
        if !choice.error.is_null() {
            return Err(server_error::of_error(&choice.error));
        }
        if let Some(message) = &mut choice.message {
            number(message.tool_calls.as_deref_mut().unwrap_or_default());
        }
        let finish_reason = choice.finish_reason.take().filter(|reason| !reason.is_empty());
        self.finish_reason = finish_reason.or_else(|| self.finish_reason.take());
        self.filtered.extend(refusal::categories(&choice.content_filter_results));
        self.add_piece(choice.into_piece());
        Ok(())
    }

    fn add_piece(&mut self, mut piece: Piece) {
        self.reasoning.add(&mut piece);
        self.text.push_str(&piece.content.map(Content::into_text).unwrap_or_default());
        let refusal = piece.refusal.unwrap_or_default();
        self.text.push_str(&refusal);
        self.refusal.push_str(&refusal);
        piece.tool_calls.into_iter().flatten().for_each(|call| self.calls.add(call));
    }

    fn conclude(self, mut ids: CallIds) -> Result<DecodeResponse, Failed> {
        let reason = self.stop_reason()?;
        let is_cut = reason == StopReason::MaxTokens;
        let calls = self.calls.assemble(&mut ids, is_cut);
        let (calls, sent): (Vec<_>, Vec<_>) = calls.into_iter().map(|call| (call.call, call.sent)).unzip();
        let reasoning = self.reasoning.visible().to_owned();
        let mut events = Vec::new();
        events.extend((!reasoning.is_empty()).then_some(ModelEvent::Reasoning { text: reasoning }));
        events.extend((!self.text.is_empty()).then_some(ModelEvent::Text { text: self.text }));
        events.extend(calls.into_iter().map(ModelEvent::ToolCall));
        events.extend(self.usage.map(ModelEvent::Usage));
        let declined = (reason == StopReason::Refusal).then(|| refusal::reason(&self.refusal, &self.filtered));
        events.extend(declined.map(|text| ModelEvent::Declined { text }));
        events.push(ModelEvent::Stop { reason });
        let state = State::Chat(Chat { fields: self.reasoning.into_fields(), calls: sent });
        Ok(DecodeResponse { state: state.into_value()?, decoded: Decoded::Events { events }, model: self.model })
    }

    /// Ollama and llama.cpp say `stop` after calls too: calls decide.
    fn stop_reason(&self) -> Result<StopReason, Failed> {
        let has_calls = !self.calls.is_empty();
        match self.finish_reason.as_deref() {
            None => Err(Failed::cut_short()),
            Some("error") => Err(Failed::server("the server stopped with an error")),
            Some("stop" | "tool_calls" | "function_call") if has_calls => Ok(StopReason::ToolUse),
            Some("stop") if !self.refusal.is_empty() => Ok(StopReason::Refusal),
            Some("stop") => Ok(StopReason::EndTurn),
            Some("length") => Ok(StopReason::MaxTokens),
            Some("content_filter") => Ok(StopReason::Refusal),
            Some(_) => Ok(StopReason::Other),
        }
    }
}

/// The calls of a whole message are whole: each is one of its own.
fn number(calls: &mut [CallPiece]) {
    (0..).zip(calls).for_each(|(index, call)| call.index = Some(index));
}
