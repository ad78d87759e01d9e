//! Long results, which a client gets in parts.

use serde_json::{Value, json};

use super::client::Client;
use crate::support::Sandbox;

const HEADER: &str = "# version: 1.0.0\n# description: \"Says much\"\n# category: demo\n";

/// A tool that counts its runs and answers with 100,001 bytes, and one that answers with a long list.
fn long() -> Sandbox {
    let sandbox = Sandbox::with_items().unconfined();
    let text = "echo x >> runs; head -c 99999 /dev/zero | tr '\\0' a; printf é";
    sandbox.put(".ai/tools/demo/long.sh", &format!("{HEADER}{text}\n"));
    let list = "printf '['; seq -s , 20000; printf ']'";
    sandbox.put(".ai/tools/demo/list.sh", &format!("{HEADER}{list}\n"));
    let notes = format!("\n{}\n", "word ".repeat(30_000));
    sandbox.edit(".ai/knowledge/demo/notes.md", "\nGreetings", &format!("{notes}\nGreetings"));
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    sandbox
}

fn execute(client: &mut Client<'_>, id: &str, more: Value) -> Value {
    let mut arguments = json!({"item_type": "tool", "item_id": id});
    arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    client.call("rye_execute", arguments)
}

/// Gathers all parts of a text.
fn whole(mut next: impl FnMut(usize) -> Value, text: &str) -> (String, usize) {
    let (mut whole, mut offset, mut parts) = (String::new(), 0, 0);
    loop {
        let result = next(offset);
        let outcome = &result["structuredContent"];
        let size = result.to_string().len();
        assert!(size < 150_000, "{size} bytes");
        whole.push_str(outcome[text].as_str().unwrap_or_else(|| panic!("{outcome}")));
        parts += 1;
        match outcome["part"]["next_offset"].as_u64() {
            Some(next) => offset = usize::try_from(next).unwrap(),
            None => return (whole, parts),
        }
    }
}

#[test]
fn a_long_result_comes_in_parts_and_its_tool_runs_once() {
    let sandbox = long();
    let mut client = Client::connected(&sandbox, &[]);
    let first = execute(&mut client, "demo/long", json!({}));
    let part = json!({"of": "text", "offset": 0, "bytes": 65536, "total": 100_001, "next_offset": 65536});
    assert_eq!(first["structuredContent"]["part"], part);
    let told = first["content"][0]["text"].as_str().unwrap();
    let says = "\n\n[bytes 0 to 65536 of 100001. Call again with `offset` 65536 for the next part.]";
    assert!(told.ends_with(says) && told.starts_with("aaaa") && told.len() == 65536 + says.len(), "{}", told.len());
    let second = execute(&mut client, "demo/long", json!({"offset": 65536}));
    assert_eq!(second["isError"], false);
    let rest = second["structuredContent"]["result"].as_str().unwrap();
    assert!(rest.len() == 34465 && rest.ends_with('é'), "{}", rest.len());
    let part = json!({"of": "text", "offset": 65536, "bytes": 34465, "total": 100_001});
    assert_eq!(second["structuredContent"]["part"], part);
    // Not between the bytes of a character, and beyond the end is its end.
    for (more, bytes) in
        [(json!({"offset": "100000"}), 2), (json!({"offset": 99_990, "limit": 10}), 9), (json!({"offset": 200_000}), 0)]
    {
        let part = execute(&mut client, "demo/long", more);
        assert_eq!(part["structuredContent"]["part"]["bytes"], bytes, "{part}");
    }
    assert_eq!(std::fs::read_to_string(sandbox.project().join("runs")).unwrap(), "x\n");
    // Other parameters are another call.
    let gone = execute(&mut client, "demo/long", json!({"offset": 65536, "parameters": {"a": 1}}));
    assert_eq!(gone["structuredContent"]["error"]["code"], "result-gone");
    assert_eq!(
        gone["structuredContent"]["error"]["hints"],
        json!(["call again without `offset`: the tool runs again"])
    );
}

#[test]
fn a_long_list_comes_as_parts_of_its_text() {
    let sandbox = long();
    let mut client = Client::connected(&sandbox, &[]);
    let (text, parts) = whole(|offset| execute(&mut client, "demo/list", json!({"offset": offset})), "result");
    let list: Vec<u32> = serde_json::from_str(&text).unwrap();
    assert_eq!((list.len(), list[19_999], parts), (20_000, 20_000, 2));
    let part = execute(&mut client, "demo/list", json!({"offset": 1, "limit": 9}));
    assert_eq!(
        (&part["structuredContent"]["part"]["of"], &part["structuredContent"]["result"]),
        (&json!("json"), &json!("1,2,3,4,5"))
    );
}

#[test]
fn long_files_and_knowledge_come_in_parts_that_are_read_anew() {
    let sandbox = long();
    let mut client = Client::connected(&sandbox, &[]);
    for tool in ["rye_load", "rye_execute"] {
        let call = |offset: usize| json!({"item_type": "knowledge", "item_id": "demo/notes", "offset": offset, "limit": 50_000});
        let (text, parts) = whole(|offset| client.call(tool, call(offset)), "content");
        assert!(text.matches("word ").count() == 30_000 && text.contains("Greetings are short."), "{tool}");
        assert_eq!(parts, 4, "{tool}");
    }
}

#[test]
fn what_cannot_be_cut_takes_no_offset() {
    let sandbox = long();
    let mut client = Client::connected(&sandbox, &[]);
    let greet = json!({"item_type": "directive", "item_id": "demo/greet", "parameters": {"name": "A"}, "limit": 10});
    assert_eq!(client.refusal("rye_execute", greet), "wrong-arguments");
    let dry = json!({"item_type": "tool", "item_id": "demo/long", "dry_run": true, "offset": 10});
    assert_eq!(client.refusal("rye_execute", dry), "wrong-arguments");
    for wrong in [json!({"limit": 0}), json!({"offset": -1}), json!({"offset": "x"})] {
        let refused = execute(&mut client, "demo/long", wrong);
        assert_eq!(refused["structuredContent"]["error"]["code"], "wrong-arguments", "{refused}");
    }
    assert_eq!(
        client.refusal("rye_sign", json!({"item_type": "tool", "item_id": "demo/long", "offset": 1})),
        "wrong-arguments"
    );
}
