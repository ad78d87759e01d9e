//! Calls of a thread's model, on one line each: what was called, how it ended, and why it failed.

use serde_json::Value;

use super::{Page, one_line};
use crate::event::{CallStatus, Event, EventData};

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
                let tool = item_id.as_ref().map_or_else(|| one_line(tool), ToString::to_string);
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

/// Returns why a call failed, on a line: its message, or how its process ended, with the last line of its standard error.
pub(in crate::cli) fn reason_of(output: &Value) -> String {
    let text = |pointer: &str| output.pointer(pointer).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    if let Some(message) = text("/error/message").or_else(|| text("/message")) {
        return shortened(message);
    }
    let number = |name: &str| output.get(name).and_then(Value::as_i64);
    let ending = if output.get("timed_out").is_some() {
        "timed out".to_owned()
    } else if let Some(signal) = number("signal") {
        format!("killed by signal {signal}")
    } else if let Some(code) = number("exit_code") {
        format!("exit code {code}")
    } else {
        return String::new();
    };
    let last = text("/stderr").and_then(|stderr| stderr.trim_end().lines().last());
    last.map_or_else(|| ending.clone(), |last| shortened(&format!("{ending}: {}", last.trim())))
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_failure_tells_its_reason_whatever_it_was() {
        for (output, reason) in [
            (json!({"error": {"code": "x", "message": "no such file"}}), "no such file"),
            (json!({"message": "stopped: wrote more than 9 bytes", "signal": 9}), "stopped: wrote more than 9 bytes"),
            (json!({"exit_code": 3, "stderr": "a\nlast word \n\n", "stdout": ""}), "exit code 3: last word"),
            (json!({"exit_code": 3, "stderr": "", "stdout": ""}), "exit code 3"),
            (json!({"signal": 11, "stderr": ""}), "killed by signal 11"),
            (json!({"timed_out": true, "stderr": ""}), "timed out"),
            (json!("text"), ""),
        ] {
            assert_eq!(reason_of(&output), reason, "{output}");
        }
    }
}
