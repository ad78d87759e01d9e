//! Programs as permissions: a call of `rye/shell/run` is judged as one of `rye/shell/PROGRAM`.
//!
//! The program is the first word of the command line: a name, never a path, so that no file of the project takes the place of a
//! program that is permitted. A program started by a permitted one is not judged: the sandbox confines it.

use serde_json::{Map, Value};

use super::{Call, Primary};
use crate::id::{ItemId, ItemType};

/// The tool that runs programs.
pub const RUN: &str = "rye/shell/run";

/// The tool that runs a project's tests, with what the configuration grants under the name [`TESTS`].
pub const TEST_RUN: &str = "rye/test/run";

/// The name of what tests may reach.
pub const TESTS: &str = "tests";

/// The parameter that is the command line.
pub const ARGV: &str = "argv";

/// The parameters of a call of `rye/shell/PROGRAM` that are its arguments: words as a shell reads them, and a list.
pub const PROGRAM_PARAMETERS: [&str; 3] = [COMMAND, ARGS, ARGV];
/// The list.
pub const ARGS: &str = "args";
/// The words.
pub const COMMAND: &str = "command";

/// Places of permissions for programs.
pub(super) const PROGRAMS: &str = "rye/shell/";

/// Tells whether an id is that of a program, under which no item lies.
#[must_use]
pub fn is_program(id: &ItemId) -> bool {
    let program = id.as_str().strip_prefix(PROGRAMS);
    id.as_str() != RUN && program.is_some_and(|program| !program.contains('/'))
}

/// Quotes a word for a shell, where it needs that.
#[must_use]
pub fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./=:,@%+".contains(&byte);
    if word.bytes().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

/// Returns the call of [`RUN`] that a call of `rye/shell/PROGRAM` means: `command`, words as a shell reads them, and `args` are the program's
/// arguments. None for a call of any other tool.
///
/// # Errors
///
/// Says what is wrong with `command` or `args`.
pub fn as_run(id: &ItemId, parameters: &Map<String, Value>) -> Option<Result<Map<String, Value>, String>> {
    let program = id.as_str().strip_prefix(PROGRAMS).filter(|_| is_program(id))?;
    Some(arguments(parameters).map(|arguments| {
        let argv = std::iter::once(program.to_owned()).chain(arguments);
        let mut run = Map::from_iter([(ARGV.to_owned(), argv.collect())]);
        let others = parameters.iter().filter(|(name, _)| *name != COMMAND && *name != ARGS);
        // A second command line would be another program's.
        run.extend(others.filter(|(name, _)| *name != ARGV).map(|(name, value)| (name.clone(), value.clone())));
        run
    }))
}

/// The arguments that a call of a program gives.
fn arguments(parameters: &Map<String, Value>) -> Result<Vec<String>, String> {
    if parameters.contains_key(ARGV) {
        return Err(format!("`{ARGV}` belongs to `{RUN}`: give `{COMMAND}` or `{ARGS}`"));
    }
    let mut words = match parameters.get(COMMAND) {
        None => Vec::new(),
        Some(Value::String(text)) => {
            shlex::split(text).ok_or_else(|| format!("`{COMMAND}` has a quote that is not closed"))?
        }
        Some(_) => return Err(format!("`{COMMAND}` is not a string")),
    };
    let not_texts = || format!("`{ARGS}` is not a list of strings");
    match parameters.get(ARGS) {
        None => {}
        Some(Value::Array(list)) => {
            for value in list {
                words.push(value.as_str().ok_or_else(not_texts)?.to_owned());
            }
        }
        Some(_) => return Err(not_texts()),
    }
    Ok(words)
}

/// Returns the id by which a call of a tool is judged: its own, but for the tool that runs programs.
///
/// # Errors
///
/// Says why the program of a call cannot be told.
pub fn judged_id(id: &ItemId, parameters: &Map<String, Value>) -> Result<ItemId, String> {
    if id.as_str() != RUN {
        return Ok(id.clone());
    }
    let typed;
    let argv = match parameters.get(ARGV) {
        // Text of a hook or a step is text until the tool's schema types it.
        Some(Value::String(text)) => {
            typed = serde_json::from_str::<Value>(text).unwrap_or_default();
            Some(&typed)
        }
        argv => argv,
    };
    let program = argv.and_then(|argv| argv.get(0)).and_then(Value::as_str);
    let program = program.ok_or("`argv` must be a list of strings, the program's name first")?;
    if program.contains('/') {
        return Err(format!(
            "`{}` is a path: name a program on PATH, such as `sh` or `python3`, and give the path as its argument",
            shortened(program)
        ));
    }
    let name = (!program.is_empty()).then(|| format!("{PROGRAMS}{program}").parse().ok()).flatten();
    name.ok_or_else(|| {
        format!(
            "no permission can name the program `{}`: its name has other characters than letters, digits, `_` and `-`; ask the user for another name of it",
            shortened(program)
        )
    })
}

/// Returns the call of the tool that runs programs, for a call that is judged as one of a program.
pub(super) fn run_of(call: &Call) -> Option<Call> {
    let is_program = call.primary == Primary::Execute
        && call.item_type == ItemType::Tool
        && call.item_id.as_ref().is_some_and(|id| id.as_str().starts_with(PROGRAMS));
    let run = || RUN.parse().ok().map(|id| Call::on(Primary::Execute, ItemType::Tool, id));
    is_program.then(run).flatten()
}

fn shortened(text: &str) -> String {
    text.chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use serde_json::json;

    use super::*;

    fn judged(parameters: &Value) -> Result<String, String> {
        judged_id(&RUN.parse().unwrap(), parameters.as_object().unwrap()).map(|id| id.to_string())
    }

    #[test]
    fn a_call_is_judged_by_its_program() {
        assert_eq!(judged(&json!({"argv": ["docker", "ps"]})).unwrap(), "rye/shell/docker");
        assert_eq!(judged(&json!({"argv": ["g-x_1"]})).unwrap(), "rye/shell/g-x_1");
        assert_eq!(judged(&json!({"argv": "[\"docker\", \"ps\"]"})).unwrap(), "rye/shell/docker");
        for argv in [json!(null), json!("docker ps"), json!("[1]"), json!([]), json!([1]), json!([["docker"]])] {
            assert!(judged(&json!({"argv": argv})).unwrap_err().starts_with("`argv` must be"), "{argv}");
        }
        for path in ["./docker", "/usr/bin/docker", "a/b", "../x"] {
            assert!(judged(&json!({"argv": [path]})).unwrap_err().contains("is a path"), "{path}");
        }
        for name in ["", "g++", "python3.12", "a b", "*", "..", "-x"] {
            assert!(judged(&json!({"argv": [name]})).unwrap_err().contains("no permission can name"), "{name}");
        }
        let of = |id: &str, parameters: Value| {
            let found = as_run(&id.parse().unwrap(), parameters.as_object().unwrap())?;
            Some(found.map(Value::Object))
        };
        assert_eq!(
            of("rye/shell/docker", json!({"command": "build -t 'a b' .", "args": ["*"], "folder": "src"})),
            Some(Ok(json!({"argv": ["docker", "build", "-t", "a b", ".", "*"], "folder": "src"})))
        );
        assert_eq!(of("rye/shell/ls", json!({})), Some(Ok(json!({"argv": ["ls"]}))));
        for wrong in [json!({"command": "a '"}), json!({"command": 1}), json!({"args": "x"}), json!({"argv": ["rm"]})] {
            assert!(of("rye/shell/ls", wrong.clone()).unwrap().is_err(), "{wrong}");
        }
        for other in [RUN, "rye/shell/a/b", "demo/ls", "rye/git/status"] {
            assert_eq!(of(other, json!({"argv": ["ls"]})), None);
        }
        let other: ItemId = "demo/run".parse().unwrap();
        assert_eq!(judged_id(&other, &Map::new()).unwrap(), other);
    }
}
