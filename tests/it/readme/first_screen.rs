//! The run on a model that the README's first screen shows, recorded again: its commands, against a server that answers
//! what it answered then.

use serde_json::{Value, json};

use super::page::Page;
use super::tour::{self, Sandbox};
use crate::support::http::{Reply, Server, stream};

/// What a model answers in one turn: its words, its calls, and the tokens of the input.
struct Answer {
    text: &'static str,
    calls: Vec<(&'static str, Value)>,
    input: u32,
}

impl Answer {
    fn new(input: u32, text: &'static str, calls: Vec<(&'static str, Value)>) -> Self {
        Self { text, calls, input }
    }

    /// The answer as a stream of the Messages API.
    fn reply(&self) -> Reply {
        let usage = json!({"input_tokens": self.input, "output_tokens": 1});
        let message = json!({"id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": "claude-haiku-5-5", "stop_reason": null, "usage": usage});
        let mut events = vec![("message_start", json!({"type": "message_start", "message": message}))];
        let said = json!({"type": "text_delta", "text": self.text});
        events.extend(block(0, &json!({"type": "text", "text": ""}), &said));
        for (index, (name, input)) in (1..).zip(&self.calls) {
            let call =
                json!({"type": "tool_use", "id": format!("toolu_{}_{index}", self.input), "name": name, "input": {}});
            let input = json!({"type": "input_json_delta", "partial_json": input.to_string()});
            events.extend(block(index, &call, &input));
        }
        let end = json!({"stop_reason": "tool_use"});
        events.push(("message_delta", json!({"type": "message_delta", "delta": end, "usage": {"output_tokens": 90}})));
        events.push(("message_stop", json!({"type": "message_stop"})));
        stream(&events)
    }
}

fn block(index: u32, start: &Value, delta: &Value) -> [(&'static str, Value); 3] {
    [
        ("content_block_start", json!({"type": "content_block_start", "index": index, "content_block": start})),
        ("content_block_delta", json!({"type": "content_block_delta", "index": index, "delta": delta})),
        ("content_block_stop", json!({"type": "content_block_stop", "index": index})),
    ]
}

fn answers() -> Vec<Answer> {
    let path = |path: &str| json!({"path": path});
    let page = json!({"path": "docs/usage.md", "content": "# Usage\n\nRead the README.\n"});
    let link = "# A project\n\nSee [usage](docs/usage.md).";
    let edit = json!({"path": "README.md", "old": "# A project", "new": link});
    let answer = json!({"answer": "docs/usage.md is written. README.md does not link to it."});
    vec![
        Answer::new(2100, "I look at the README first.", vec![("rye_file_system_read", path("README.md"))]),
        Answer::new(2400, "Now I write the page.", vec![("rye_file_system_write", page)]),
        Answer::new(2700, "The README should link to it.", vec![("rye_file_system_edit", edit)]),
        Answer::new(3000, "I may not write it, so I say so.", vec![("directive_return", answer)]),
    ]
}

/// The commands that the page shows of a run on a model, and the lines it shows of what they write.
fn shown(page: &Page) -> (&str, Vec<&str>) {
    let at = page.blocks.iter().position(|block| block.text.contains("ANTHROPIC_API_KEY")).unwrap();
    let [commands, written] = &page.blocks[at..at + 2] else { panic!("nothing follows the commands") };
    assert_eq!((commands.language.as_str(), written.language.as_str()), ("sh", "text"));
    (&commands.text, written.text.lines().collect())
}

fn readme() -> Page {
    super::read(&std::path::Path::new(crate::support::ROOT).join("README.md"))
}

/// Runs the page's commands in a repository with one commit; nothing is set up but where the server is.
fn run(commands: &str) -> (Server, String) {
    let server = Server::new(answers().iter().map(Answer::reply).collect());
    let sandbox = Sandbox::with(vec![("ANTHROPIC_BASE_URL", server.url())]);
    let first = "git config user.name Ada && git config user.email ada@example.org && echo '# A project' > README.md\n\
                 git add README.md && git commit --quiet --message 'A project'";
    sandbox.sh(first).unwrap();
    let written = sandbox.sh(&format!("set -e\n{commands}")).unwrap_or_else(|told| panic!("{told}"));
    (server, written)
}

#[test]
fn the_first_screen_shows_what_the_run_writes() {
    let page = readme();
    let (commands, lines) = shown(&page);
    let (server, written) = run(commands);
    assert!(
        tour::lines_match(&lines, &written.lines().collect::<Vec<_>>()),
        "it wrote\n{written}\nand the page shows\n{}",
        lines.join("\n")
    );
    let asked = server.asked();
    assert_eq!(asked.len(), answers().len());
    assert!(asked.iter().all(|asked| asked.path == "/v1/messages" && asked.body["model"] == "claude-haiku-5-5"));
}

/// A visitor sees about this much before scrolling.
#[test]
fn the_run_on_a_model_is_on_the_first_screen() {
    let page = readme();
    let block = page.blocks.first().unwrap();
    assert!(block.text.contains("rye run") && block.line < 25, "{block:?}");
}

#[test]
fn what_the_first_screen_shows_could_be_found_wrong() {
    let page = readme();
    let (commands, lines) = shown(&page);
    let (_, written) = run(commands);
    let written: Vec<&str> = written.lines().collect();
    let kept: Vec<usize> = (0..lines.len()).filter(|at| lines[*at] != "...").collect();
    assert!(kept.len() >= 15, "{lines:?}");
    for at in kept {
        let mut other = lines.clone();
        other[at] = "turn 77";
        assert!(!tour::lines_match(&other, &written), "line {at} is not compared");
    }
}
