//! Why a tool failed, as its result says it.

use serde_json::Value;

/// Returns why a call failed: its message, or how its process ended, with the last line of its standard error. Empty where its
/// result says nothing of it.
#[must_use]
pub fn reason_of(result: &Value) -> String {
    let text = |pointer: &str| result.pointer(pointer).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    if let Some(message) = text("/error/message").or_else(|| text("/message")) {
        return message.to_owned();
    }
    let number = |name: &str| result.get(name).and_then(Value::as_i64);
    let ending = if result.get("timed_out").is_some() {
        "timed out".to_owned()
    } else if let Some(signal) = number("signal") {
        format!("killed by signal {signal}")
    } else if let Some(code) = number("exit_code") {
        format!("exit code {code}")
    } else {
        return String::new();
    };
    let last = text("/stderr").and_then(|stderr| stderr.trim_end().lines().last());
    last.map_or_else(|| ending.clone(), |last| format!("{ending}: {}", last.trim()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_failure_tells_its_reason_whatever_it_was() {
        for (result, reason) in [
            (json!({"error": {"code": "x", "message": "no such file"}}), "no such file"),
            (json!({"message": "stopped: wrote more than 9 bytes", "signal": 9}), "stopped: wrote more than 9 bytes"),
            (json!({"exit_code": 3, "stderr": "a\nlast word \n\n", "stdout": ""}), "exit code 3: last word"),
            (json!({"exit_code": 3, "stderr": "", "stdout": ""}), "exit code 3"),
            (json!({"signal": 11, "stderr": ""}), "killed by signal 11"),
            (json!({"timed_out": true, "stderr": ""}), "timed out"),
            (json!("text"), ""),
        ] {
            assert_eq!(reason_of(&result), reason, "{result}");
        }
    }
}
