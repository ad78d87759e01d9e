//! Which folder a call works in.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use snapbox::str;

use super::client::{Client, shown};
use crate::support::{Sandbox, assert_seen};

const ROOTS: &str = "roots/list";

/// Makes a repository of its own next to the project, with a file that tells it from others.
fn repository(sandbox: &Sandbox, name: &str) -> String {
    let folder = sandbox.path(name);
    fs::create_dir_all(&folder).unwrap();
    sandbox.git(&["init", "-q", &folder.display().to_string()]);
    fs::write(folder.join("name.txt"), name).unwrap();
    folder.display().to_string()
}

fn address(folder: impl AsRef<Path>) -> String {
    format!("file://{}", folder.as_ref().display())
}

fn reading(project: Option<&str>) -> Value {
    let mut arguments =
        json!({"item_type": "tool", "item_id": "rye/file-system/read", "parameters": {"path": "name.txt"}});
    if let Some(project) = project {
        arguments["project"] = json!(project);
    }
    arguments
}

/// Reads the file that tells the folder a call works in.
fn name(client: &mut Client<'_>, project: Option<&str>) -> Value {
    let (outcome, _) = client.outcome("rye_execute", reading(project));
    outcome["result"]["content"].clone()
}

/// Calls, answers the question for roots that comes first, and returns the call's result.
fn call_with_roots(client: &mut Client<'_>, arguments: Value, roots: &[String]) -> Value {
    let id = client.request("tools/call", json!({"name": "rye_execute", "arguments": arguments}));
    let asked = client.next();
    assert_eq!(asked["method"], ROOTS, "{asked}");
    let roots: Vec<Value> = roots.iter().map(|root| json!({"uri": root})).collect();
    client.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": roots}}));
    client.answer(id)
}

fn with_roots<'a>(sandbox: &'a Sandbox, args: &[&str]) -> Client<'a> {
    let mut client = Client::start(sandbox, args);
    client.shake_hands(json!({"roots": {"listChanged": true}}));
    client
}

#[test]
fn a_client_without_roots_works_where_the_server_was_started_or_told_to() {
    let sandbox = Sandbox::signed();
    let other = repository(&sandbox, "other");
    sandbox.put("name.txt", "project");
    assert_eq!(name(&mut Client::connected(&sandbox, &[]), None), "project");
    assert_eq!(name(&mut Client::connected(&sandbox, &["-C", &other]), None), "other");
    let mut by_variable = Client::of(&sandbox, sandbox.rye(&["mcp"]).env("RYE_PROJECT", &other).spawn_piped());
    by_variable.shake_hands(json!({}));
    assert_eq!(name(&mut by_variable, None), "other");
}

#[test]
fn the_roots_of_a_client_are_asked_for_once_and_again_when_they_change() {
    let sandbox = Sandbox::signed();
    let (first, second) = (repository(&sandbox, "first"), repository(&sandbox, "a second one"));
    let mut client = with_roots(&sandbox, &[]);
    let roots = [address(&first), address(second.replace(' ', "%20"))];
    let read = call_with_roots(&mut client, reading(None), &roots);
    assert_eq!(read["structuredContent"]["result"]["content"], "first");
    assert_eq!(name(&mut client, None), "first");
    assert_eq!(name(&mut client, Some(&second)), "a second one");
    assert_eq!(name(&mut client, Some(&roots[1])), "a second one");
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}));
    // The notification and the call after it are handled at once; a request in between puts them in order.
    client.ask("ping", json!({}));
    let read = call_with_roots(&mut client, reading(None), &roots[1..]);
    assert_eq!(read["structuredContent"]["result"]["content"], "a second one");
    assert_eq!(client.refusal("rye_execute", reading(Some(&first))), "outside-roots");
}

#[test]
fn the_folder_of_the_command_line_wins_over_roots() {
    let sandbox = Sandbox::signed();
    let other = repository(&sandbox, "other");
    let mut client = with_roots(&sandbox, &["-C", &other]);
    assert_eq!(name(&mut client, None), "other");
}

/// A client that has roots, none of which will do, is not served from wherever the server happened to be started.
#[test]
fn roots_that_are_no_folders_here_are_told_and_nothing_else_takes_their_place() {
    let sandbox = Sandbox::signed();
    sandbox.put("name.txt", "project");
    let mut client = with_roots(&sandbox, &[]);
    let roots = ["https://example.org/x".to_owned(), "file:///no/such/folder".to_owned()];
    assert_seen(
        shown(&call_with_roots(&mut client, reading(None), &roots)),
        str![[r#"
{
  "content": [
    {
      "type": "text",
      "text": "none of the client's roots can be worked in: `https://example.org/x` is not a `file://` address; `file:///no/such/folder` cannot be opened: No such file or directory (os error 2)\nhint: ask the user which project to work in"
    }
  ],
  "structuredContent": {
    "error": {
      "code": "no-root",
      "message": "none of the client's roots can be worked in: `https://example.org/x` is not a `file://` address; `file:///no/such/folder` cannot be opened: No such file or directory (os error 2)",
      "causes": [],
      "hints": [
        "ask the user which project to work in"
      ]
    }
  },
  "isError": true
}

"#]],
    );
    let mut client = with_roots(&sandbox, &[]);
    let id = client.request("tools/call", json!({"name": "rye_execute", "arguments": reading(None)}));
    let asked = client.next();
    client.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32603, "message": "not now"}}));
    assert_eq!(client.answer(id)["structuredContent"]["error"]["code"], "no-root");
}

#[test]
fn a_call_cannot_leave_the_roots() {
    let sandbox = Sandbox::signed();
    let inside = repository(&sandbox, "work/inside");
    let outside = repository(&sandbox, "outside");
    std::os::unix::fs::symlink(&outside, sandbox.path("work/link")).unwrap();
    let work = sandbox.path("work").display().to_string();
    let mut client = Client::connected(&sandbox, &["-C", &work]);
    assert_eq!(name(&mut client, Some("inside")), "work/inside");
    assert_eq!(name(&mut client, Some(&inside)), "work/inside");
    for elsewhere in [&outside, "../outside", "link", "/"] {
        assert_eq!(client.refusal("rye_execute", reading(Some(elsewhere))), "outside-roots", "{elsewhere}");
    }
    assert_eq!(client.refusal("rye_execute", reading(Some("nowhere"))), "no-folder");
    assert_seen(
        shown(&client.call("rye_execute", reading(Some("../outside")))),
        str![[r#"
{
  "content": [
    {
      "type": "text",
      "text": "`[SANDBOX]/outside` is outside of the roots of this connection\nhint: name a folder inside of `[SANDBOX]/work`\nhint: ask the user which project to work in"
    }
  ],
  "structuredContent": {
    "error": {
      "code": "outside-roots",
      "message": "`[SANDBOX]/outside` is outside of the roots of this connection",
      "causes": [],
      "hints": [
        "name a folder inside of `[SANDBOX]/work`",
        "ask the user which project to work in"
      ]
    }
  },
  "isError": true
}

"#]],
    );
}

/// A root inside of a repository does not bring the rest of it.
#[test]
fn a_repository_that_reaches_beyond_a_client_s_root_is_not_worked_in() {
    let sandbox = Sandbox::signed();
    sandbox.put("docs/a.md", "");
    let mut client = with_roots(&sandbox, &[]);
    let docs = [address(sandbox.project().join("docs"))];
    assert_seen(
        shown(&call_with_roots(&mut client, reading(None), &docs)),
        str![[r#"
{
  "content": [
    {
      "type": "text",
      "text": "the repository `[SANDBOX]/project` reaches beyond the root `[SANDBOX]/project/docs`\nhint: ask the user whether to work in the whole of it"
    }
  ],
  "structuredContent": {
    "error": {
      "code": "beyond-root",
      "message": "the repository `[SANDBOX]/project` reaches beyond the root `[SANDBOX]/project/docs`",
      "causes": [],
      "hints": [
        "ask the user whether to work in the whole of it"
      ]
    }
  },
  "isError": true
}

"#]],
    );
    // The person who starts the server there means the repository.
    sandbox.put("name.txt", "project");
    let mut client = Client::connected(&sandbox, &["-C", "docs"]);
    assert_eq!(name(&mut client, None), "project");
    assert_eq!(name(&mut client, Some("..")), "project");
}

/// Clients that can have roots say an empty list when no folder is open in them.
#[test]
fn a_client_with_an_empty_list_of_roots_works_where_the_server_was_started() {
    let sandbox = Sandbox::signed();
    sandbox.put("name.txt", "project");
    let mut client = with_roots(&sandbox, &[]);
    let read = call_with_roots(&mut client, reading(None), &[]);
    assert_eq!(read["structuredContent"]["result"]["content"], "project", "{read}");
}
