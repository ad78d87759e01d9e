//! `rye mv`: an item under another id, with all that names it.

use std::fs;
use std::time::Instant;

use serde_json::json as json_macro;

use super::{another, as_bob, json, publish, shared, write};
use crate::mcp::client::Client;
use crate::support::killing::{killed, points, rye};
use crate::support::{Person, Sandbox};

const DIRECTIVE: &str = include_str!("greet.md");

/// A project whose items name `hello`, a tool with a companion, and `manners`, in every form.
fn project() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.rye(&["key", "generate", "-q"]).succeeds();
    let directive = DIRECTIVE.replace("team/hello", "hello").replace("team/manners", "manners");
    let directive = directive.replace("Say hello.", "Say hello, as `hello` does.");
    sandbox.put(".ai/directives/team/greet.md", &directive);
    let words = "def word():\n    return 'Hello'\n";
    sandbox.put(".ai/tools/words.txt", words);
    let digest = rye::trust::ContentHash::of(words.as_bytes());
    sandbox.put(
        ".ai/tools/hello.yaml",
        &format!("tool_id: hello\nversion: 1.0.0\ndescription: Says hello\ncategory: \"\"\ncompanions:\n  - {{path: words.txt, sha256: {digest}}}\n"),
    );
    write(&sandbox, "manners", "1.0.0", "Be kind. See [the guide](team/guide.md).");
    write(&sandbox, "team/guide", "1.0.0", "Read [[manners]], [its file](../manners.md#part) and `manners`.");
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    sandbox
}

#[test]
fn an_item_is_brought_under_a_namespace_with_all_that_names_it() {
    let sandbox = project();
    let read = |path: &str| fs::read_to_string(sandbox.project().join(path)).unwrap();
    let before = read(".ai/knowledge/manners.md");
    let seen = sandbox.rye(&["mv", "knowledge", "manners", "team/manners", "--dry-run"]).transcript();
    assert!(
        seen.contains("Would move .ai/knowledge/manners.md -> .ai/knowledge/team/manners.md (signed by you)\n"),
        "{seen}"
    );
    assert!(seen.contains("Would change .ai/directives/team/greet.md, line 16 (signed by you)\n"), "{seen}");
    assert_eq!(read(".ai/knowledge/manners.md"), before);
    let seen = sandbox.rye(&["mv", "knowledge", "manners", "team/manners", "--yes"]).transcript();
    assert!(seen.contains("Changed .ai/knowledge/team/guide.md, line 11 (signed by you)\n"), "{seen}");
    assert!(seen.contains("line 11: names `manners` outside of a reference and stays as it is"), "{seen}");
    let client = sandbox.rye(&["mv", "tool", "hello", "team/say/hello", "--yes"]).env("CLAUDECODE", "1").transcript();
    assert!(client.contains("Claude Code may have started this") && client.ends_with("[exit 3]\n"), "{client}");
    sandbox.edit(".ai/directives/team/greet.md", "<execute>", "<execute><tool>h*</tool>");
    sandbox.rye(&["sign", "directive", "team/greet", "-q"]).succeeds();
    let seen = sandbox.rye(&["mv", "tool", "hello", "team/say/hello", "--yes"]).transcript();
    let said = "the permission `rye.execute.tool.h*` covers `hello` and does not cover `team/say/hello`";
    assert!(seen.contains(said), "{seen}");
    assert!(seen.contains("Moved .ai/tools/words.txt -> .ai/tools/team/say/words.txt (companion)\n"), "{seen}");
    assert!(
        read(".ai/knowledge/team/guide.md")
            .contains("Read [[team/manners]], [its file](manners.md#part) and `manners`.")
    );
    assert!(read(".ai/knowledge/team/manners.md").contains("[the guide](guide.md)"));
    assert!(read(".ai/knowledge/team/manners.md").contains("category: \"team\""));
    let greet = read(".ai/directives/team/greet.md");
    assert!(greet.contains("<tool>team/say/hello</tool>") && greet.contains("item_id=\"team/say/hello\""), "{greet}");
    assert!(greet.contains("as `hello` does"), "{greet}");
    assert!(
        !sandbox.project().join(".ai/tools/words.txt").exists()
            && !sandbox.project().join(".ai/tools/hello.yaml").exists()
    );
    for args in [&["verify"][..], &["lint"], &["publish", "directive", "team/greet", "--yes"]] {
        sandbox.rye(args).succeeds();
    }
}

#[test]
fn what_cannot_be_moved_is_named_and_nothing_changes() {
    let bob = Person::new("bob");
    let (sandbox, other) = shared(&bob);
    write(&sandbox, "notes", "1.0.0", "Mine.");
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    publish(&sandbox, "team/runbook", "1.0.0", "Ring the bell.");
    as_bob(&sandbox, &bob, &["pull", "team/runbook", "--yes", "-q"]).succeeds();
    let refused = |args: &[&str], wanted: &str| {
        let seen = sandbox.rye(args).transcript();
        assert!(seen.contains(wanted) && !seen.ends_with("[exit 0]\n"), "{seen}");
    };
    refused(&["mv", "knowledge", "notes", "team/runbook", "--yes"], "`.ai/knowledge/team/runbook.md` already exists");
    refused(&["mv", "knowledge", "notes", "notes", "--yes"], "has this id already");
    refused(&["mv", "knowledge", "notes", "rye/notes", "--yes"], "the namespace `rye` is reserved");
    refused(&["mv", "knowledge", "notes", "User/notes", "--yes"], "the namespace `User` is reserved");
    refused(&["mv", "tool", "rye/file-system/read", "team/read", "--yes"], "it is built in");
    refused(&["mv", "knowledge", "note", "team/notes", "--yes"], "did you mean `notes`?");
    refused(&["mv", "knowledge", "notes", "team/notes"], "not moved: confirm on a terminal or pass `--yes`");
    let seen = as_bob(&sandbox, &bob, &["mv", "knowledge", "team/runbook", "ops/runbook", "--yes"]).transcript();
    assert!(seen.contains("it was pulled from the registry `team`"), "{seen}");
    // What another person signed is not signed again without being told, and neither is what names it.
    fs::remove_file(format!("{other}/rye.lock")).unwrap();
    let seen = as_bob(&sandbox, &bob, &["mv", "knowledge", "team/runbook", "ops/runbook", "--yes"]).transcript();
    assert!(seen.contains("cannot change `.ai/knowledge/team/runbook.md`: not signed by you as they are"), "{seen}");
    assert!(
        seen.contains("rye mv knowledge team/runbook ops/runbook --sign") && seen.ends_with("[exit 3]\n"),
        "{seen}"
    );
    let args = ["mv", "knowledge", "team/runbook", "ops/runbook", "--sign", "--yes", "--json"];
    let outcome = json(&as_bob(&sandbox, &bob, &args).stdout());
    assert_eq!((outcome["status"].as_str(), outcome["signed"].as_bool()), (Some("moved"), Some(true)), "{outcome}");
    as_bob(&sandbox, &bob, &["verify", "ops/runbook"]).succeeds();
}

#[test]
fn a_file_without_a_signature_stays_without_one() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.rye(&["key", "generate", "-q"]).succeeds();
    write(&sandbox, "draft", "1.0.0", "Soon.");
    write(&sandbox, "index", "1.0.0", "See [[draft]].");
    sandbox.rye(&["sign", "knowledge", "index", "-q"]).succeeds();
    let outcome = json(&sandbox.rye(&["mv", "knowledge", "draft", "team/plan", "--yes", "--json"]).stdout());
    assert_eq!(outcome["signed"], false, "{outcome}");
    assert_eq!(outcome["references"][0]["signed"], true, "{outcome}");
    let text = fs::read_to_string(sandbox.project().join(".ai/knowledge/team/plan.md")).unwrap();
    assert!(text.contains("name: \"plan\"") && !text.contains("rye:signed:"), "{text}");
    // A file changed after its signature is not signed by the person.
    sandbox.edit(".ai/knowledge/index.md", "See", "Look at");
    let seen = sandbox.rye(&["mv", "knowledge", "team/plan", "team/other", "--yes"]).transcript();
    assert!(seen.contains("cannot change `.ai/knowledge/index.md`"), "{seen}");
    let _other = another(&sandbox, "other");
}

#[test]
fn what_an_agent_wrote_stays_known_when_a_reference_in_it_changes() {
    let sandbox = Sandbox::signed();
    sandbox.signs_own();
    write(&sandbox, "guide", "1.0.0", "Text.");
    sandbox.rye(&["sign", "knowledge", "guide", "-q"]).succeeds();
    sandbox.commit("second");
    let notes = ".ai/knowledge/demo/notes.md";
    let text = fs::read_to_string(sandbox.project().join(notes)).unwrap();
    let text = format!("{}\nSee [[guide]].\n", text.split_once('\n').unwrap().1);
    let mut client = Client::connected(&sandbox, &[]);
    client.tool("rye/file-system/write", json_macro!({"path": notes, "content": text}));
    client.close();
    sandbox.rye(&["mv", "knowledge", "guide", "team/guide", "--yes", "-q"]).succeeds();
    assert!(fs::read_to_string(sandbox.project().join(notes)).unwrap().contains("See [[team/guide]]."));
    let seen = sandbox.rye(&["commit", "-m", "no", notes]).transcript();
    assert!(seen.contains(&format!("`{notes}` (written by an agent")) && seen.ends_with("[exit 3]\n"), "{seen}");
}

#[test]
fn a_killed_move_leaves_the_item_whole_and_is_completed_by_the_next() {
    let sandbox = project();
    let (old, new) =
        (sandbox.project().join(".ai/tools/hello.yaml"), sandbox.project().join(".ai/tools/ops/hello.yaml"));
    let (there, back) =
        (["mv", "tool", "hello", "ops/hello", "--yes", "-q"], ["mv", "tool", "ops/hello", "hello", "--yes", "-q"]);
    let begun = Instant::now();
    assert!(rye(&sandbox, &there).status().unwrap().success());
    let whole = begun.elapsed();
    sandbox.rye(&back).succeeds();
    for point in 0..points() {
        killed(&sandbox, &there, whole, point);
        assert!(old.exists() || new.exists(), "the item is at one id at least");
        if old.exists() {
            sandbox.rye(&there).succeeds();
        }
        assert!(!old.exists() && new.exists());
        assert!(!sandbox.project().join(".ai/tools/words.txt").exists());
        sandbox.rye(&["verify", "-q"]).succeeds();
        sandbox.rye(&["lint", "-q"]).succeeds();
        sandbox.rye(&back).succeeds();
    }
    let names = fs::read_dir(sandbox.project().join(".ai/tools")).unwrap().count();
    assert_eq!(names, 3, "the tool, its companion and the empty folder");
}
