//! How a script is written: as a program of its own, or as a function to call; as a module, or not.

/// The file that calls a function, by a name that no companion has.
pub(crate) const CALLER: &str = ".call_execute.py";
pub(crate) const CALLER_TEXT: &str = include_str!("call_execute.py");
/// What makes Node take a file for a module.
pub(crate) const PACKAGE: &str = "package.json";
pub(crate) const PACKAGE_TEXT: &str = "{\"type\": \"module\"}\n";

const PYTHON_FUNCTION: &str = "rye/core/runtimes/python/function";
/// Runtimes whose scripts are told the project's folder by an argument.
const TOLD_THE_PROJECT: [&str; 2] = ["rye/core/runtimes/python/script", "rye/core/runtimes/node/node"];

/// Tells whether a Python script is a function to be called: its executor says, else that it defines `execute(params, …)` and does
/// nothing as a program.
pub(crate) fn is_function(executor: Option<&str>, source: &str) -> bool {
    match executor {
        Some(PYTHON_FUNCTION) => true,
        Some(executor) if TOLD_THE_PROJECT.contains(&executor) => false,
        Some(_) | None => defines_execute(source) && !source.lines().any(|line| line.starts_with("if __name__")),
    }
}

fn defines_execute(source: &str) -> bool {
    let starts = source.match_indices("def execute(").filter(|(place, _)| {
        let before = &source[..*place];
        let line = before.rsplit('\n').next().unwrap_or_default();
        line.is_empty() || line == "async "
    });
    starts.into_iter().any(|(place, found)| {
        let first = source[place + found.len()..].trim_start();
        first.strip_prefix("params").is_some_and(|rest| rest.trim_start().starts_with([',', ':']))
    })
}

/// Tells whether a script is called with `--project-path`.
pub(crate) fn is_told_the_project(executor: Option<&str>) -> bool {
    executor.is_some_and(|executor| TOLD_THE_PROJECT.contains(&executor))
}

/// Tells whether a file whose extension leaves it open is a module of ECMAScript.
pub(crate) fn is_module(extension: &str, source: &str) -> bool {
    let is_of_one = |line: &str| {
        ["import ", "import{", "import\"", "import'", "export ", "export{"].iter().any(|word| line.starts_with(word))
    };
    matches!(extension, "js" | "ts") && source.lines().any(is_of_one)
}
