//! Runs scripts: Python and shell.
//!
//! Parameters reach the script as one JSON document on standard input, and its result is the JSON document it writes to
//! standard output (any other text is taken as a string). A private copy of the verified bytes is run, by an
//! interpreter that is kept from reading the folder around it. Deliberately does not read a script's shebang.

use std::collections::BTreeMap;

use rye_plugin_abi::tool_kind::{
    InterpretRequest, InterpretResponse, Plan, PlanRequest, PlanResponse, SCRIPT, Status, ToolKind,
};
use rye_plugin_abi::{Description, Failure};
use serde_json::{Map, Value};

rye_plugin_abi::export_tool_kind!(rye_tool_script, "script", Script);

/// The tool kind.
#[derive(Debug)]
pub struct Script;

/// How much of a failed script's standard error is kept, in bytes: the end, where the reason usually is.
const STDERR_KEPT: usize = 4 * 1024;

impl ToolKind for Script {
    fn describe() -> Description {
        Description::new("script", env!("CARGO_PKG_VERSION"), &["py", "sh", "bash"])
    }

    fn plan(request: PlanRequest) -> Result<PlanResponse, Failure> {
        let (interpreter, args) = command(&request.extension)?;
        let plan = Plan::Child {
            interpreter: owned(interpreter),
            args: owned(args),
            stdin: request.parameters.to_string(),
            env: BTreeMap::new(),
        };
        Ok(PlanResponse { state: request.state, plan })
    }

    fn interpret(request: InterpretRequest) -> Result<InterpretResponse, Failure> {
        let (status, result) = match failure(&request) {
            None => (Status::Ok, value(&request.stdout)),
            Some(failure) => (Status::Error, Value::Object(failure)),
        };
        Ok(InterpretResponse { state: request.state, status, result })
    }
}

/// The interpreters an extension may be run by, and their arguments.
fn command(extension: &str) -> Result<(&[&str], &[&str]), Failure> {
    match extension {
        // Isolated: no user site, no `PYTHON*` variables, no import from the script's folder, no bytecode written.
        "py" => Ok((&["python3", "python"], &["-I", "-B", SCRIPT])),
        "sh" => Ok((&["sh"], &[SCRIPT])),
        "bash" => Ok((&["bash"], &[SCRIPT])),
        other => Err(Failure::new("extension", format!("`{other}` is not the extension of a script"))),
    }
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// Reads what a script wrote: JSON if it is that, nothing as null, anything else as text.
fn value(stdout: &str) -> Value {
    match stdout.trim() {
        "" => Value::Null,
        text => serde_json::from_str(text).unwrap_or_else(|_| Value::from(text)),
    }
}

/// What is known about a run that failed; none if it succeeded.
fn failure(request: &InterpretRequest) -> Option<Map<String, Value>> {
    let mut failure = ending(request);
    if request.stdout_truncated {
        let limit = request.stdout.len();
        failure.insert("stdout_truncated".to_owned(), Value::from(true));
        failure
            .insert("message".to_owned(), format!("standard output is longer than its limit of {limit} bytes").into());
    }
    if failure.is_empty() {
        return None;
    }
    failure.insert("stderr".to_owned(), end_of(&request.stderr, STDERR_KEPT).into());
    failure.insert("stdout".to_owned(), request.stdout.as_str().into());
    Some(failure)
}

/// How a run ended, if not well.
fn ending(request: &InterpretRequest) -> Map<String, Value> {
    let (name, value) = match (request.timed_out, request.signal, request.exit_code) {
        (true, _, _) => ("timed_out", Value::from(true)),
        (_, Some(signal), _) => ("signal", Value::from(signal)),
        (_, None, Some(0)) => return Map::new(),
        (_, None, code) => ("exit_code", Value::from(code)),
    };
    Map::from_iter([(name.to_owned(), value)])
}

/// The last characters of a text that fit into so many bytes.
fn end_of(text: &str, bytes: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(bytes))..]
}
