//! How long one invocation takes, whole process, against baselines from the same run.
//!
//! Run with `cargo bench --bench processes`; the questions and recorded runs are in README.md of this folder.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a bench measures and prints"
)]

mod common;
#[path = "common/items.rs"]
mod items;

use std::fs;
use std::time::Duration;

use common::{RYE, Workspace, head, measure, row};
use items::knowledge;

const RUNS: usize = 101;

const SHELL: &str = "# version: 1.0.0\n# description: Says hello.\nprintf '{\"hello\": true}'\n";
const PYTHON: &str = "\"\"\"Says hello.\"\"\"
__version__ = \"1.0.0\"
print('{\"hello\": true}')
";

const FUNCTION: &str = "\"\"\"Says hello.\"\"\"
__version__ = \"1.0.0\"
def execute(params, project_path):
    return {\"hello\": True}
";

fn main() {
    let workspace = Workspace::new();
    workspace.write(".ai/tools/shell.sh", SHELL);
    workspace.write(".ai/tools/python.py", PYTHON);
    workspace.write(".ai/tools/function.py", FUNCTION);
    workspace.write(".ai/knowledge/notes/one.md", &knowledge("notes/one", 4096));
    workspace.rye(&["sign", "--all"]);

    head("baselines");
    let run = |program: &str, args: &[&str]| measure(RUNS, |_| {}, |_| workspace.command(program, args));
    row("`/bin/true`", run("/bin/true", &[]));
    row("`git --version`", run("git", &["--version"]));
    row("`git rev-parse HEAD`", run("git", &["rev-parse", "HEAD"]));
    let shell = row("`sh` and the script below", run("sh", &[".ai/tools/shell.sh"]));
    let python = row("`python3 -I -B` and the script below", run("python3", &["-I", "-B", ".ai/tools/python.py"]));

    head("one invocation");
    row("`rye --version`", run(RYE, &["--version"]));
    row("`rye --help`", run(RYE, &["--help"]));
    row("`rye sign`, one new item of 4 KiB", signing(&workspace));
    row("`rye load`, one item of 4 KiB", run(RYE, &["load", "knowledge", "notes/one"]));
    row("`rye execute`, one knowledge item", run(RYE, &["execute", "knowledge", "notes/one"]));
    row("`rye execute`, one directive", run(RYE, &["execute", "directive", "rye/guides/first_thread"]));
    row("`rye list`", run(RYE, &["list"]));
    let shell_tool = row("`rye execute`, a shell tool", run(RYE, &["execute", "tool", "shell"]));
    let python_tool = row("`rye execute`, a Python tool", run(RYE, &["execute", "tool", "python"]));
    let function_tool = row("`rye execute`, a Python function", run(RYE, &["execute", "tool", "function"]));
    fs::create_dir_all(workspace.home().join(".config/rye")).unwrap();
    fs::write(workspace.home().join(".config/rye/config.toml"), "sandbox = \"off\"\n").unwrap();
    let shell_free = row("the shell tool without a sandbox", run(RYE, &["execute", "tool", "shell"]));
    let python_free = row("the Python tool without a sandbox", run(RYE, &["execute", "tool", "python"]));
    println!(
        "\nabove the interpreter alone: {} (shell), {} (Python), {} (a Python function)",
        above(shell_tool, shell),
        above(python_tool, python),
        above(function_tool, python)
    );
    println!("the sandbox: {} (shell), {} (Python)", above(shell_tool, shell_free), above(python_tool, python_free));
}

/// Signs an item that is new each time: one that is signed already would only be looked at.
fn signing(workspace: &Workspace) -> Vec<Duration> {
    let write = |round: usize| {
        let text = knowledge("notes/new", 4096) + &format!("\nRound {round}.\n");
        workspace.write(".ai/knowledge/notes/new.md", &text);
    };
    measure(RUNS, write, |_| workspace.command(RYE, &["sign", "knowledge", "notes/new"]))
}

fn above(tool: Duration, interpreter: Duration) -> String {
    format!("{:.2} ms", tool.saturating_sub(interpreter).as_secs_f64() * 1e3)
}
