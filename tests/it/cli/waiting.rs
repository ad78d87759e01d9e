//! What a terminal shows while a tool runs, and what a pipe does not get.

use std::collections::BTreeMap;

use crate::support::Sandbox;
use crate::support::pty::{OnTerminal, shown};

const SLOW: &str = "# version: 1.0.0\n# description: Takes its time\n# category: demo\n\
                    echo 'step 1 of 2' >&2\nsleep 2.5\necho '{\"done\": true}'\n";

#[test]
fn a_slow_tool_shows_its_time_and_its_last_line() {
    let sandbox = Sandbox::with_items().unconfined();
    sandbox.put(".ai/tools/demo/slow.sh", SLOW);
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    let mut env: BTreeMap<String, String> = sandbox.variables().into_iter().collect();
    env.extend([("TERM".to_owned(), "xterm".to_owned()), ("NO_COLOR".to_owned(), "1".to_owned())]);
    // With a fixed time no time passes.
    env.remove("RYE_NOW");
    let program = [crate::support::RYE, "execute", "tool", "demo/slow"];
    let mut terminal = OnTerminal::start(&program, &sandbox.project(), &env, 60);
    terminal.wait_for("demo/slow 1 s · step 1 of 2");
    let (code, written) = terminal.end();
    assert_eq!(code, 0, "{written}");
    let left = shown(&written, 60).join("\n");
    assert!(left.contains("done") && !left.contains("step 1 of 2"), "{left}");
    let piped = sandbox.rye(&["execute", "tool", "demo/slow"]).transcript();
    assert!(!piped.contains("slow 1 s") && piped.contains("done"), "{piped}");
}
