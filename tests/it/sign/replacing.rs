//! Signatures of others, which `sign` replaces after a yes, or not at all.

use std::fs;

use serde_json::json;

use super::{ECHO, GREET};
use crate::mcp::client::Client;
use crate::support::{Person, Sandbox, has, on_terminal};

/// A project whose author has signed and committed everything, and where Bob works.
fn bobs() -> (Sandbox, Person) {
    let (sandbox, bob) = (Sandbox::signed(), Person::new("bob"));
    // Fixed randomness makes two keys that are made by two runs one: both are made by one.
    sandbox.key_id(&bob);
    (sandbox, bob)
}

/// The same, where Bob trusts the author.
fn trusting_bobs() -> (Sandbox, Person) {
    let (sandbox, bob) = bobs();
    let author = sandbox.path("config/rye/keys/person.pub").display().to_string();
    sandbox.rye(&["trust", "add", &author, "--principal", "ada", "-q"]).by(&bob).succeeds();
    (sandbox, bob)
}

fn line_of(sandbox: &Sandbox, path: &str) -> String {
    let text = fs::read_to_string(sandbox.project().join(path)).unwrap();
    text.lines().find(|line| line.contains("rye:signed:")).unwrap().to_owned()
}

#[test]
fn another_persons_good_signature_is_countersigned_and_not_replaced() {
    let (sandbox, bob) = trusting_bobs();
    let before = fs::read(sandbox.project().join(ECHO)).unwrap();
    let seen = sandbox.rye(&["sign", "tool", "demo/echo", "--yes"]).by(&bob).transcript();
    assert!(seen.contains("error: tool `demo/echo` is signed by ada (") && seen.contains(" and unchanged\n"), "{seen}");
    let hint = "hint: add your signature to theirs: `rye sign tool demo/echo --detached`";
    assert!(seen.contains(hint) && seen.ends_with("[exit 3]\n"), "{seen}");
    // One of many is passed over.
    for args in [&["sign", "--all"][..], &["sign", "tool", "demo/*"]] {
        let seen = sandbox.rye(args).by(&bob).transcript();
        assert!(seen.contains("unchanged\ttool\tdemo/echo") && seen.ends_with("[exit 0]\n"), "{seen}");
    }
    assert_eq!(fs::read(sandbox.project().join(ECHO)).unwrap(), before);
}

#[test]
fn an_item_that_another_signed_last_needs_a_yes() {
    let (sandbox, bob) = trusting_bobs();
    let author = line_of(&sandbox, ECHO).rsplit(':').next().unwrap().to_owned();
    sandbox.edit(ECHO, "category", "category ");
    let before = fs::read(sandbox.project().join(ECHO)).unwrap();
    for args in [&["sign", "tool", "demo/echo"][..], &["sign", "--all"]] {
        let seen = sandbox.rye(args).by(&bob).transcript();
        let told =
            format!("`{ECHO}` (last signed by {author}, tampered, +1 -1 lines)\nhint: review them with `rye diff`");
        assert!(seen.contains("error: not signed: 1 item needs your confirmation: ") && seen.contains(&told), "{seen}");
        assert!(seen.ends_with("[exit 3]\n"), "{seen}");
    }
    assert_eq!(fs::read(sandbox.project().join(ECHO)).unwrap(), before);
    // To look is allowed.
    let seen = sandbox.rye(&["sign", "--all", "--check"]).by(&bob).transcript();
    assert!(seen.contains("to sign\ttool\tdemo/echo") && seen.ends_with("[exit 1]\n"), "{seen}");
    sandbox.rye(&["sign", "tool", "demo/echo", "--yes", "-q"]).by(&bob).succeeds();
    assert!(line_of(&sandbox, ECHO).ends_with(&sandbox.key_id(&bob)));
    // To the author, Bob is a stranger; without the line, the commit says who was last.
    let told = format!("`{ECHO}` (last signed by {}, untrusted, +1 -1 lines)", sandbox.key_id(&bob));
    let seen = sandbox.rye(&["sign", "--all"]).transcript();
    assert!(seen.contains(&told) && seen.ends_with("[exit 3]\n"), "{seen}");
    sandbox.commit("Bob's");
    let text = fs::read_to_string(sandbox.project().join(ECHO)).unwrap();
    let bare: Vec<&str> = text.lines().filter(|line| !line.contains("rye:signed:")).collect();
    sandbox.put(ECHO, &(bare.join("\n") + "\n"));
    let seen = sandbox.rye(&["sign", "--all"]).transcript();
    assert!(seen.contains("last signed by") && seen.contains(", unsigned, unchanged)"), "{seen}");
}

#[test]
fn ones_own_items_and_new_ones_are_signed_unasked() {
    let sandbox = Sandbox::signed();
    sandbox.edit(ECHO, "category", "category ");
    sandbox.put(".ai/tools/demo/new.sh", "# version: \"1.0.0\"\n# description: New\n# category: demo\ntrue\n");
    let seen = sandbox.rye(&["sign", "--all"]).transcript();
    assert!(seen.contains("signed\ttool\tdemo/echo") && seen.contains("signed\ttool\tdemo/new"), "{seen}");
    assert!(seen.ends_with("[exit 0]\n"), "{seen}");
}

#[test]
fn the_question_names_whose_it_is_the_verdict_and_the_change() {
    if !has("python3") {
        return;
    }
    let (sandbox, bob) = bobs();
    sandbox.edit(GREET, "Greet", "Meet");
    sandbox.rye(&["sign", "directive", "demo/greet", "-q", "--yes"]).by(&bob).succeeds();
    let bobs = line_of(&sandbox, GREET);
    let command = [crate::support::RYE, "sign", "--all"];
    let (seen, code) = on_terminal(&sandbox, &[("sign 1 item as yours? [y/N]", "n\n")], &command);
    assert!(code == 5 && seen.contains("nothing was signed"), "{seen}");
    assert!(seen.contains("VERDICT") && seen.contains("untrusted") && seen.contains("last signed by"), "{seen}");
    assert_eq!(line_of(&sandbox, GREET), bobs);
    let (seen, code) = on_terminal(&sandbox, &[("sign 1 item as yours? [y/N]", "y\n")], &command);
    assert_eq!(code, 0, "{seen}");
    assert_ne!(line_of(&sandbox, GREET), bobs);
}

#[test]
fn a_skill_of_somebody_else_needs_a_yes() {
    let (sandbox, bob) = bobs();
    let skill = |text: &str| format!("---\nname: review\ndescription: Reviews {text}\n---\n\nReview it.\n");
    sandbox.put(".claude/skills/review/SKILL.md", &skill("a change"));
    sandbox.rye(&["sign", "skill", "review", "-q"]).by(&bob).succeeds();
    let seen = sandbox.rye(&["sign", "skill", "review"]).transcript();
    let bobs = sandbox.key_id(&bob);
    assert!(seen.contains(&format!("(last signed by {bobs}, untrusted, unchanged)")), "{seen}");
    // `rye diff` would show nothing.
    assert!(seen.contains("hint: review them, such as with `rye load skill review`"), "{seen}");
    assert!(seen.ends_with("[exit 3]\n"), "{seen}");
    sandbox.put(".claude/skills/review/SKILL.md", &skill("a plan"));
    let seen = sandbox.rye(&["sign", "--all"]).transcript();
    assert!(seen.contains(&format!("(last signed by {bobs}, tampered, +")), "{seen}");
    sandbox.rye(&["sign", "skill", "review", "-q", "--yes"]).succeeds();
}

#[test]
fn a_model_replaces_no_signature_of_a_person() {
    let sandbox = Sandbox::with_items();
    // Both keys in one run: with a fixed seed, two first keys of two runs would be one.
    sandbox.rye(&["key", "generate", "-q"]).succeeds();
    sandbox.rye(&["commit", "--yes", "-qm", "first"]).succeeds();
    let signed = fs::read_to_string(sandbox.project().join(ECHO)).unwrap();
    sandbox.edit(ECHO, "category", "category ");
    let edited = fs::read_to_string(sandbox.project().join(ECHO)).unwrap();
    sandbox.configure(
        "[mcp]
permissions = [\"rye.*\"]
",
    );
    let mut client = Client::connected(&sandbox, &[]);
    let echo = json!({"item_type": "tool", "item_id": "demo/echo"});
    assert_eq!(client.refusal("rye_sign", echo.clone()), "not-for-model");
    assert_eq!(fs::read_to_string(sandbox.project().join(ECHO)).unwrap(), edited);
    // Without the line it is still the person's: it is committed.
    let bare: Vec<&str> = edited.lines().filter(|line| !line.contains("rye:signed:")).collect();
    sandbox.put(ECHO, &(bare.join("\n") + "\n"));
    assert_eq!(client.refusal("rye_sign", echo.clone()), "not-for-model");
    // What the model wrote itself is the agent's.
    let write = json!({"item_type": "tool", "item_id": "rye/file-system/write",
        "parameters": {"path": ECHO, "content": signed.replace("category", "category  ")}});
    let (written, failed) = client.outcome("rye_execute", write);
    assert!(!failed, "{written}");
    let (done, failed) = client.outcome("rye_sign", echo);
    assert!(!failed && done["status"] == "signed", "{done}");
    let item = &done["items"][0]["signature"];
    assert_eq!(done["signature"], json!({"timestamp": item["timestamp"], "hash": item["hash"]}));
}

/// A terminal shows what was signed, not hundreds of lines about the rest; a pipe has each of them.
#[test]
fn many_unchanged_items_are_counted_on_a_terminal() {
    if !has("python3") {
        return;
    }
    let sandbox = Sandbox::signed();
    for number in 1..=11 {
        let header = format!("name: \"n{number}\"\ntitle: \"N\"\ncategory: \"many\"\nversion: \"1.0.0\"\n");
        sandbox.put(&format!(".ai/knowledge/many/n{number}.md"), &format!("```yaml\n{header}```\n\n# N\n\nText.\n"));
    }
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    let command = [crate::support::RYE, "sign", "--all"];
    let count = sandbox.rye(&command[1..]).transcript().matches("unchanged\t").count();
    assert!(count > 11, "a pipe has {count}");
    let (seen, code) = on_terminal(&sandbox, &[], &command);
    assert_eq!((code, seen.trim()), (0, format!("{count} items unchanged").as_str()));
    sandbox.edit(".ai/knowledge/many/n1.md", "Text", "More text");
    let (seen, code) = on_terminal(&sandbox, &[], &command);
    let is_told = seen.contains("many/n1") && !seen.contains("many/n2");
    assert!(code == 0 && is_told && seen.contains(&format!("{} items unchanged", count - 1)), "{seen}");
}
