//! Runs scripts: Python, shell, Node, TypeScript, and whatever else a `#!` line names.
//!
//! - `language`: the interpreter, by the `#!` line and the extension.
//! - `style`: a program or a function; a module or not.
//!
//! Parameters reach the script as one JSON document on standard input, and its result is the JSON document it writes to
//! standard output (any other text is taken as a string). A private copy of the verified bytes is run, by an
//! interpreter that is kept from reading the folder around it. An object with `"success": false` is a failure.

use std::collections::BTreeMap;

use rye_plugin_abi::tool_kind::{
    InterpretRequest, InterpretResponse, PROJECT, Plan, PlanRequest, PlanResponse, SCRIPT, Status, ToolKind,
};
use rye_plugin_abi::{Description, Failure};
use serde_json::{Map, Value};

mod language;
mod style;

use language::Interpreter;

rye_plugin_abi::export_tool_kind!(rye_tool_script, "script", Script);

/// The tool kind.
#[derive(Debug)]
pub struct Script;

/// How much of a failed script's standard error is kept, in bytes: the end, where the reason usually is.
const STDERR_KEPT: usize = 4 * 1024;

/// What Node takes from version 22.6 on.
const STRIP_TYPES: &str = "--experimental-strip-types";

impl ToolKind for Script {
    fn describe() -> Description {
        Description::new("script", env!("CARGO_PKG_VERSION"), &language::extensions())
    }

    fn plan(request: PlanRequest) -> Result<PlanResponse, Failure> {
        let interpreter = Interpreter::of(&request.extension, &request.source)?;
        let Command { args, files } = command(&request, &interpreter);
        let stdin = request.parameters.to_string();
        let plan = Plan::Child { interpreter: interpreter.names, args, stdin, env: BTreeMap::new(), files };
        Ok(PlanResponse { state: request.state, plan })
    }

    fn interpret(request: InterpretRequest) -> Result<InterpretResponse, Failure> {
        let (status, result) = match failure(&request) {
            None => {
                let value = value(&request.stdout);
                let has_failed = value.get("success") == Some(&Value::Bool(false));
                (if has_failed { Status::Error } else { Status::Ok }, value)
            }
            Some(failure) => (Status::Error, Value::Object(failure)),
        };
        Ok(InterpretResponse { state: request.state, status, result })
    }
}

/// The arguments of an interpreter, and the files that it takes with the script.
struct Command {
    args: Vec<String>,
    files: BTreeMap<String, String>,
}

fn command(request: &PlanRequest, interpreter: &Interpreter) -> Command {
    let executor = request.header.get("executor_id").and_then(Value::as_str);
    let (mut args, mut files) = (interpreter.args.clone(), BTreeMap::new());
    let mut add = |words: &[&str]| args.extend(words.iter().map(|&word| word.to_owned()));
    if request.extension == "py" {
        // Isolated: no user site, no `PYTHON*` variables, no import from the script's folder, no bytecode written.
        add(&["-I", "-B"]);
        if style::is_function(executor, &request.source) {
            files.insert(style::CALLER.to_owned(), style::CALLER_TEXT.to_owned());
            add(&[&format!("{{{}}}", style::CALLER), SCRIPT, PROJECT]);
            return Command { args, files };
        }
    }
    if matches!(request.extension.as_str(), "ts" | "mts") && interpreter.is("node") {
        add(&[STRIP_TYPES, "--disable-warning=ExperimentalWarning"]);
    }
    if style::is_module(&request.extension, &request.source) {
        files.insert(style::PACKAGE.to_owned(), style::PACKAGE_TEXT.to_owned());
    }
    add(&[SCRIPT]);
    if style::is_told_the_project(executor) {
        add(&["--project-path", PROJECT]);
    }
    Command { args, files }
}

/// Reads what a script wrote: JSON if it is that, nothing as null, anything else as text.
fn value(stdout: &str) -> Value {
    match stdout.trim() {
        "" => Value::Null,
        text => serde_json::from_str(text).unwrap_or_else(|_| Value::from(text)),
    }
}

/// Facts about a run that failed; `None` if it succeeded.
fn failure(request: &InterpretRequest) -> Option<Map<String, Value>> {
    let mut failure = ending(request);
    if request.stdout_truncated && !(failure.is_empty() && is_cut_text(request)) {
        failure.insert("stdout_truncated".to_owned(), Value::from(true));
        let message = match request.stdout_written {
            Some(written) => format!("standard output is longer than its limit: {written} bytes"),
            None => format!("standard output is longer than its limit of {} bytes", request.stdout.len()),
        };
        failure.insert("message".to_owned(), message.into());
    }
    if failure.is_empty() {
        return None;
    }
    if request.stderr.contains(&format!("bad option: {STRIP_TYPES}")) {
        let message =
            "TypeScript needs Node 22.6 or newer, which takes the types out; the `node` that was found is older";
        failure.insert("message".to_owned(), message.into());
    }
    failure.insert("stderr".to_owned(), end_of(&request.stderr, STDERR_KEPT).into());
    failure.insert("stdout".to_owned(), request.stdout.as_str().into());
    Some(failure)
}

/// Tells whether standard output is text with its middle missing: JSON without a part is a result no more.
fn is_cut_text(request: &InterpretRequest) -> bool {
    request.stdout_written.is_some() && !request.stdout.trim_start().starts_with(['{', '['])
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
