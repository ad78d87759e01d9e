//! Runs commands: YAML tools whose `config` is a command line with places for parameters.
//!
//! - `config`: what a tool's `config` says; unknown keys are refused.
//! - `words`: how its words become the arguments of one call.
//! - `counts`: how many tests ran, where `config` says that the output is a test runner's.
//!
//! Every word is one argument, whatever a parameter holds: no shell reads it. A parameter that is a word of its own cannot be
//! an option, unless the words before it end the options with `--`.

use rye_plugin_abi::tool_kind::{
    InterpretRequest, InterpretResponse, Plan, PlanRequest, PlanResponse, Status, ToolKind,
};
use rye_plugin_abi::{Description, Failure};
use serde_json::{Map, Value, json};

mod config;
mod counts;
mod words;

use config::{Command, Config, Output};
use counts::Counts;
use words::Parameters;

rye_plugin_abi::export_tool_kind!(rye_tool_command, "command", CommandKind);

/// The tool kind.
#[derive(Debug)]
pub struct CommandKind;

impl ToolKind for CommandKind {
    fn describe() -> Description {
        Description::new("command", env!("CARGO_PKG_VERSION"), &[])
    }

    fn plan(request: PlanRequest) -> Result<PlanResponse, Failure> {
        let config = Config::of(&request.header)?;
        let parameters = Parameters::of(&request.parameters);
        let mut argv = match &config.command {
            Command::Words(words) => words::arguments(words, &parameters)?,
            Command::Parameter(name) => parameters.list(name)?,
        };
        // Without parameters, as where a tool is only looked over, the program is not known.
        let program = if argv.is_empty() { String::new() } else { argv.remove(0) };
        let text = |template: &Option<String>| template.as_deref().map(|text| parameters.filled(text)).transpose();
        let plan = Plan::Command {
            program,
            args: argv,
            stdin: text(&config.stdin)?.flatten().unwrap_or_default(),
            folder: text(&config.folder)?.flatten(),
            timeout: config.timeout(&parameters)?,
        };
        let state = json!({"ok": config.ok, "output": config.output});
        Ok(PlanResponse { state, plan })
    }

    fn interpret(request: InterpretRequest) -> Result<InterpretResponse, Failure> {
        let expected = request.exit_code.is_some_and(|code| {
            let listed = request.state["ok"].as_array().map(Vec::as_slice).unwrap_or_default();
            listed.iter().any(|ok| *ok == json!(code))
        });
        let output = &request.state["output"];
        if *output == json!(Output::Tests) {
            let (status, result) = of_tests(&request, expected);
            return Ok(InterpretResponse { state: request.state, status, result });
        }
        let is_json = *output == json!(Output::Json);
        let said = if is_json && expected { parsed(&request) } else { Err(None) };
        let (status, result) = match said {
            Ok(value) => (Status::Ok, value),
            Err(fault) => {
                let status = if expected && fault.is_none() { Status::Ok } else { Status::Error };
                (status, Value::Object(ending(&request, fault)))
            }
        };
        Ok(InterpretResponse { state: request.state, status, result })
    }
}

/// The exit code by which pytest and Python's unittest say that they found no test.
const NO_TESTS: i32 = 5;

/// Judges a run of tests: one of no tests has checked nothing, whatever its exit code.
fn of_tests(request: &InterpretRequest, expected: bool) -> (Status, Value) {
    let counts = Counts::of(&request.stdout, &request.stderr);
    // Another failure has a reason of its own, such as a file that does not compile.
    let is_asked = expected || request.exit_code == Some(NO_TESTS);
    let fault = if is_asked { counts.none_ran() } else { None };
    let status = if expected && fault.is_none() { Status::Ok } else { Status::Error };
    let mut result = ending(request, fault);
    // Before the output, which may be long.
    let at = result.keys().position(|key| key == "stdout").unwrap_or_default();
    result.shift_insert(at, "tests".to_owned(), counts.to_value());
    (status, Value::Object(result))
}

/// Reads standard output as JSON.
fn parsed(request: &InterpretRequest) -> Result<Value, Option<String>> {
    if request.stdout_truncated {
        return Err(Some("standard output is longer than its limit".to_owned()));
    }
    serde_json::from_str(&request.stdout).map_err(|error| Some(format!("standard output is not JSON: {error}")))
}

/// Tells how a command ended and what it wrote.
fn ending(request: &InterpretRequest, fault: Option<String>) -> Map<String, Value> {
    let mut result = Map::new();
    let mut add = |name: &str, value: Value| result.insert(name.to_owned(), value);
    match (request.timed_out, request.signal) {
        (true, _) => add("timed_out", true.into()),
        (false, Some(signal)) => add("signal", signal.into()),
        (false, None) => add("exit_code", request.exit_code.into()),
    };
    if let Some(message) = fault {
        add("message", message.into());
    }
    add("stdout", request.stdout.as_str().into());
    if request.stdout_truncated {
        add("stdout_truncated", true.into());
    }
    add("stderr", request.stderr.as_str().into());
    result
}

#[cfg(test)]
mod tests;
