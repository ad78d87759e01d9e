//! A directive narrows what the connection that follows it may do.

use std::fs;

use serde_json::{Value, json};

use super::client::Client;
use super::running::{begin, processes};
use crate::support::Sandbox;
use crate::thread::world::{NOTHING, directive};

const GUIDE: &str = "rye/guides/first_thread";

fn item(item_type: &str, id: &str) -> Value {
    json!({"item_type": item_type, "item_id": id})
}

fn file(tool: &str, path: &str) -> Value {
    let id = format!("rye/file-system/{tool}");
    json!({"item_type": "tool", "item_id": id, "parameters": {"path": path, "content": "written"}})
}

fn write(client: &mut Client<'_>, path: &str) -> Result<(), String> {
    done(&client.call("rye_execute", file("write", path)))
}

fn read(client: &mut Client<'_>, path: &str) -> Result<(), String> {
    let read = json!({"item_type": "tool", "item_id": "rye/file-system/read", "parameters": {"path": path}});
    done(&client.call("rye_execute", read))
}

fn execute(client: &mut Client<'_>, item_type: &str, id: &str) -> Result<(), String> {
    done(&client.call("rye_execute", item(item_type, id)))
}

fn greet(client: &mut Client<'_>) -> Result<(), String> {
    let mut greet = item("directive", "demo/greet");
    greet["parameters"] = json!({"name": "Ada"});
    done(&client.call("rye_execute", greet))
}

fn echo(client: &mut Client<'_>) -> Result<(), String> {
    let mut echo = item("tool", "demo/echo");
    echo["parameters"] = json!({"text": "hello"});
    done(&client.call("rye_execute", echo))
}

/// The sentence of a call that was refused.
fn done(result: &Value) -> Result<(), String> {
    let told = || result["structuredContent"]["error"]["message"].as_str().map(str::to_owned);
    if result["isError"] == json!(false) { Ok(()) } else { Err(told().unwrap_or_else(|| result.to_string())) }
}

/// A project with a directive without permissions, and one that extends the demo's.
fn project() -> Sandbox {
    let sandbox = Sandbox::with_items();
    let free =
        directive("free", "", "turns=\"3\"", "").replace(&format!("    <permissions>{NOTHING}</permissions>\n"), "");
    sandbox.put(".ai/directives/demo/free.md", &free);
    let rules =
        "<acknowledge risk=\"unrestricted\">a test</acknowledge><write resource=\"filesystem\" path=\"docs/**\" />";
    let wide = directive("wide", &format!("<execute><tool>*</tool></execute>{rules}"), "turns=\"3\"", "");
    let wide = wide.replace("version=\"1.0.0\">", "version=\"1.0.0\" extends=\"demo/greet\">");
    sandbox.put(".ai/directives/demo/wide.md", &wide);
    sandbox.put("README.md", "# mine\n");
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    sandbox
}

/// A model that follows a directive is bound by what the directive declares, as the model of a thread is.
#[test]
fn a_directive_narrows_the_connection_that_follows_it() {
    let sandbox = project();
    sandbox.configure(
        "[mcp]
permissions = [\"rye.*\"]
",
    );
    let mut client = Client::connected(&sandbox, &[]);
    assert_eq!(write(&mut client, "before.md"), Ok(()));
    let guide = client.call("rye_execute", item("directive", GUIDE));
    let sentence = "While you follow this directive, this connection lets you call only `rye.execute.tool.rye.file-system.*`, read \
                    only `README.md`, `notes/**`, and write only `notes/**`. Searching and loading are not narrowed.";
    assert!(guide["content"][0]["text"].as_str().unwrap().ends_with(&format!("\n\n{sentence}")), "{guide}");
    assert_eq!(guide["structuredContent"]["while_followed"], sentence);

    let denied = |access: &str, path: &str| {
        let rest = format!("no permission to {access} `{path}`: no declared path covers it");
        Err(format!("while you follow directive `{GUIDE}`: {rest}"))
    };
    assert_eq!(write(&mut client, "README.md"), denied("write", "README.md"));
    assert_eq!(write(&mut client, "overstep.md"), denied("write", "overstep.md"));
    assert_eq!(fs::read_to_string(sandbox.project().join("README.md")).unwrap(), "# mine\n");
    assert_eq!(read(&mut client, ".ai/tools/demo/echo.sh"), denied("read", ".ai/tools/demo/echo.sh"));
    assert_eq!((read(&mut client, "README.md"), write(&mut client, "notes/note.md")), (Ok(()), Ok(())));
    let needs = "no permission for `execute tool demo/echo`: it needs `rye.execute.tool.demo.echo`";
    assert_eq!(echo(&mut client), Err(format!("while you follow directive `{GUIDE}`: {needs}")));
    assert_eq!(client.refusal("rye_sign", item("tool", "demo/echo")), "denied");

    // What only takes something in is not narrowed.
    assert_eq!(execute(&mut client, "knowledge", "demo/notes"), Ok(()));
    assert_eq!(done(&client.call("rye_load", item("tool", "demo/echo"))), Ok(()));
    assert!(!client.outcome("rye_search", json!({"query": "demo"})).1);

    // A dry run is not followed: it neither replaces what narrows nor says that it does.
    let mut dry = item("directive", "demo/free");
    dry["dry_run"] = json!(true);
    assert_eq!(done(&client.call("rye_execute", dry)), Ok(()));
    assert_eq!(write(&mut client, "README.md"), denied("write", "README.md"));
    let mut dry = item("directive", GUIDE);
    dry["dry_run"] = json!(true);
    let dry = client.call("rye_execute", dry);
    assert!(!dry.to_string().contains("While you follow") && dry["isError"] == json!(false), "{dry}");

    // The next directive replaces it: by its own permissions, or by nothing.
    assert_eq!(greet(&mut client), Ok(()));
    assert_eq!((echo(&mut client), write(&mut client, "notes/note.md").is_err()), (Ok(()), true));
    assert_eq!(execute(&mut client, "directive", "demo/free"), Ok(()));
    assert_eq!((echo(&mut client), write(&mut client, "after.md")), (Ok(()), Ok(())));
}

#[test]
fn a_prompt_narrows_the_connection_as_its_directive_does() {
    let sandbox = project();
    let mut client = Client::connected(&sandbox, &[]);
    let prompt = client.ask("prompts/get", json!({"name": "rye_guides_first_thread"}));
    let text = prompt["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.contains("\n\nWhile you follow this directive, this connection lets you call only"), "{text}");
    assert!(write(&mut client, "README.md").is_err());
    let greet = json!({"name": "demo_greet", "arguments": {"name": "Ada"}});
    assert!(client.ask("prompts/get", greet).get("messages").is_some());
    assert_eq!((echo(&mut client), write(&mut client, "notes/note.md").is_err()), (Ok(()), true));
    client.ask("prompts/get", json!({"name": "demo_free"}));
    assert_eq!(write(&mut client, "README.md"), Ok(()));
    // Another connection follows nothing.
    client.ask("prompts/get", json!({"name": "rye_guides_first_thread"}));
    assert_eq!(write(&mut Client::connected(&sandbox, &[]), "README.md"), Ok(()));
}

#[test]
fn what_a_directive_extends_narrows_too_and_a_failure_changes_nothing() {
    let sandbox = project();
    let mut client = Client::connected(&sandbox, &[]);
    assert_eq!(execute(&mut client, "directive", "demo/wide"), Ok(()));
    assert_eq!(echo(&mut client), Ok(()));
    // Both directives must allow it, and `demo/greet` permits the demo's tools alone.
    assert!(write(&mut client, "docs/a.md").is_err());
    // It is not given: its input is missing, it is not there, it is not signed.
    assert!(execute(&mut client, "directive", "demo/greet").is_err());
    assert!(execute(&mut client, "directive", "demo/none").is_err());
    sandbox.edit(".ai/directives/demo/free.md", "Work", "Other work");
    assert!(execute(&mut client, "directive", "demo/free").is_err());
    assert!(client.ask("prompts/get", json!({"name": "demo_free"})).get("error").is_some());
    assert!(write(&mut client, "docs/a.md").is_err());
}

#[test]
fn a_directive_widens_nothing() {
    let sandbox = project();
    let mut client = Client::connected(&sandbox, &["--config", "permissions.deny=['rye.execute.tool.demo.*']"]);
    assert_eq!(greet(&mut client), Ok(()));
    let told = echo(&mut client).unwrap_err();
    assert!(told.contains("denie") && !told.contains("follow"), "{told}");
    let mut client = Client::connected(&sandbox, &["--config", "mcp.permissions=['rye.execute.directive.*']"]);
    assert_eq!(greet(&mut client), Ok(()));
    let needs = "no permission for `execute tool demo/echo`: it needs `rye.execute.tool.demo.echo`";
    assert_eq!(echo(&mut client), Err(needs.to_owned()));
}

/// A permitted call that began finishes, whatever the connection follows by then.
#[test]
fn a_call_that_is_permitted_already_finishes() {
    let sandbox = super::running::slow();
    let mut client = Client::connected(&sandbox, &[]);
    let slow = begin(&mut client);
    processes(&sandbox);
    assert_eq!(execute(&mut client, "directive", GUIDE), Ok(()));
    assert!(execute(&mut client, "tool", "demo/slow").is_err());
    fs::write(sandbox.project().join("go"), "").unwrap();
    assert_eq!(client.answer(slow)["structuredContent"]["status"], "ok");
}

/// A path rule speaks of the directive's own project; a nested repository would be another one.
#[test]
fn a_directive_permits_nothing_in_another_project() {
    let sandbox = project();
    sandbox.git(&["init", "-q", "nested"]);
    sandbox.configure(
        "[mcp]
permissions = [\"rye.*\"]
",
    );
    let mut client = Client::connected(&sandbox, &[]);
    let mut elsewhere = file("write", "docs/a.md");
    elsewhere["project"] = json!("nested");
    assert_eq!(done(&client.call("rye_execute", elsewhere.clone())), Ok(()), "nothing is followed yet");
    fs::remove_file(sandbox.project().join("nested/docs/a.md")).unwrap();
    assert_eq!(execute(&mut client, "directive", GUIDE), Ok(()));
    let refused = done(&client.call("rye_execute", elsewhere.clone())).unwrap_err();
    assert_eq!(
        refused,
        "while you follow directive `rye/guides/first_thread`: no permission for `execute tool rye/file-system/write` in another project"
    );
    assert!(!sandbox.project().join("nested/docs/a.md").exists());
    assert_eq!(execute(&mut client, "directive", "demo/free"), Ok(()));
    assert_eq!(done(&client.call("rye_execute", elsewhere)), Ok(()));
}
