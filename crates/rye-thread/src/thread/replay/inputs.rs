//! What a record says in the words of the machine.

use rye_plugin_abi::provider::StopReason as WireStop;
use serde_json::Value;

use crate::event::{EventData, StopReason, Usage};
use crate::machine::{Input, PROVIDER_FAILED};
use crate::thread::model::UNANSWERED;
use crate::thread::tree::FAULTS;

/// Returns the reason for which a terminal event says a thread stopped: the user, or an unusable tree.
pub(super) fn stop(what: &EventData) -> Option<Input> {
    match what {
        EventData::ThreadCancelled { cause } => Some(Input::Cancel { cause: cause.clone() }),
        EventData::ThreadError { code, message } if FAULTS.contains(&code.as_str()) => {
            Some(Input::Fail { code: code.clone(), message: message.clone() })
        }
        _ => None,
    }
}

/// What kept a turn from being answered; no other code does.
pub(super) fn failed(code: &str, message: &str) -> Input {
    let code = UNANSWERED.into_iter().find(|known| *known == code).unwrap_or(PROVIDER_FAILED);
    Input::ModelFailed { code: code.to_owned(), message: message.to_owned() }
}

/// What a turn that was answered would have.
pub(super) fn unanswered() -> EventData {
    let usage = Usage::default();
    EventData::StepFinish {
        usage,
        spend: String::new(),
        stop_reason: StopReason::EndTurn,
        model: None,
        state: Value::Null,
    }
}

pub(super) const fn wire(reason: StopReason) -> WireStop {
    match reason {
        StopReason::EndTurn => WireStop::EndTurn,
        StopReason::ToolUse => WireStop::ToolUse,
        StopReason::MaxTokens => WireStop::MaxTokens,
        StopReason::Pause => WireStop::Pause,
        StopReason::Refusal => WireStop::Refusal,
        StopReason::ContextExceeded => WireStop::ContextExceeded,
        StopReason::Other => WireStop::Other,
    }
}
