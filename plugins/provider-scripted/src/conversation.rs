//! What every conversation must fulfil: each tool result answers a call of the message before, each call has exactly
//! one result, and both name the same tool.
//!
//! Model APIs refuse anything else, so the tests' model does too.

use rye_plugin_abi::Failure;
use rye_plugin_abi::provider::{Message, ToolCall};

/// Checks a whole conversation.
///
/// # Errors
///
/// Code `conversation`, naming the first call or result that is wrong.
pub(crate) fn check(messages: &[Message]) -> Result<(), Failure> {
    let mut open: Vec<&ToolCall> = Vec::new();
    for message in messages {
        match message {
            Message::Tool { call_id, name, .. } => answer(&mut open, call_id, name)?,
            Message::User { .. } => all_answered(&open)?,
            Message::Assistant { calls, .. } => {
                all_answered(&open)?;
                open = distinct(calls)?;
            }
        }
    }
    all_answered(&open)
}

fn answer(open: &mut Vec<&ToolCall>, call_id: &str, name: &str) -> Result<(), Failure> {
    let Some(position) = open.iter().position(|call| call.call_id == call_id) else {
        return wrong(format!("the result `{call_id}` answers no open call of the message before"));
    };
    let call = open.remove(position);
    if call.name != name {
        return wrong(format!("the result `{call_id}` is of `{name}`, but the call was of `{}`", call.name));
    }
    Ok(())
}

fn all_answered(open: &[&ToolCall]) -> Result<(), Failure> {
    match open.first() {
        None => Ok(()),
        Some(call) => wrong(format!("the call `{}` has no result", call.call_id)),
    }
}

fn distinct(calls: &[ToolCall]) -> Result<Vec<&ToolCall>, Failure> {
    for (index, call) in calls.iter().enumerate() {
        if calls[..index].iter().any(|earlier| earlier.call_id == call.call_id) {
            return wrong(format!("two calls of one message are called `{}`", call.call_id));
        }
    }
    Ok(calls.iter().collect())
}

fn wrong<T>(message: String) -> Result<T, Failure> {
    Err(Failure::new("conversation", message))
}
