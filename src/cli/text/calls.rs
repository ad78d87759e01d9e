//! Calls of a thread's model, on one line each: the tool, the end, and the reason of a failure.

use serde_json::Value;

use super::{Page, one_line, tool_name};
use crate::event::{CallStatus, Event, EventData};
use crate::ops::execute::failure_reason;

/// How many characters of a text or a call's input one line of progress shows.
const SHOWN: usize = 100;

/// How many characters of a call's input its result repeats.
const REPEATED: usize = 60;

/// The calls that have no result yet. Where several of one message run at the same time, each result names its call.
#[derive(Debug, Default)]
pub(in crate::cli) struct OpenCalls {
    open: Vec<(String, String)>,
    /// Whether several were open at the same time.
    are_several: bool,
    /// The names of all of them, also of those that ended.
    named: Vec<String>,
}

impl OpenCalls {
    /// Takes an event. Returns the name of the call that it answers, if that was one of several.
    pub(in crate::cli) fn take(&mut self, event: &Event) -> Option<String> {
        match &event.what {
            EventData::ToolCallStart { call_id, tool, item_id, input, .. } => {
                let tool = item_id.as_ref().map_or_else(|| tool_name(tool), ToString::to_string);
                let name = cut(&format!("{tool} {}", one_line(&input.to_string())), tool.chars().count() + REPEATED);
                let same = self.named.iter().filter(|named| **named == name).count();
                self.named.push(name.clone());
                let name = if same == 0 { name } else { format!("{name} (number {})", same + 1) };
                self.open.push((call_id.clone(), name));
                self.are_several |= self.open.len() > 1;
                None
            }
            EventData::ToolCallResult { call_id, .. } => {
                let at = self.open.iter().position(|(open, _)| open == call_id)?;
                let (_, name) = self.open.remove(at);
                let was_one_of_several = self.are_several;
                if self.open.is_empty() {
                    *self = Self::default();
                }
                was_one_of_several.then_some(name)
            }
            _ => None,
        }
    }
}

/// Writes how a call ended. A refusal that an event told is not told again.
pub(super) fn write_result(page: &mut Page<'_>, call: Option<&str>, status: CallStatus, output: &Value) {
    let paint = page.paint();
    let call = call.map(|call| format!(" {}", paint.dim(call))).unwrap_or_default();
    match status {
        CallStatus::Ok => page.line(format!("    {}{call}", paint.green("ok"))),
        CallStatus::Error => {
            page.line(format!("    {}{call} {}", paint.red("failed"), reason_of(output)).trim_end());
        }
        CallStatus::Denied => {
            if let Some(reason) = untold(output) {
                page.line(format!("    {}{call} {reason}", paint.yellow("denied")));
            }
        }
    }
}

/// Returns why a call was denied, if no event tells it: scripts are withheld.
pub(in crate::cli) fn untold(output: &Value) -> Option<String> {
    let code = output.pointer("/error/code").and_then(Value::as_str)?;
    (code == "no_sandbox").then(|| reason_of(output))
}

/// Returns why a call failed, on a line.
pub(in crate::cli) fn reason_of(output: &Value) -> String {
    shortened(&failure_reason(output))
}

/// Cuts a text to a line of progress.
pub(super) fn shortened(text: &str) -> String {
    cut(&one_line(text), SHOWN)
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
