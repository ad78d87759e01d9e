//! `rye diff`: what changed since it was signed.

use serde_json::Value;

use crate::support::Sandbox;

const GREET: &str = ".ai/directives/demo/greet.md";

fn committed() -> Sandbox {
    let sandbox = Sandbox::with_items();
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    sandbox.git(&["add", "-A"]);
    sandbox.git(&["commit", "-qm", "items"]);
    sandbox
}

fn shown(sandbox: &Sandbox, args: &[&str]) -> String {
    sandbox.rye(&[&["diff"], args].concat()).transcript()
}

#[test]
fn what_changed_since_it_was_signed_is_shown() {
    let sandbox = committed();
    assert!(shown(&sandbox, &[]).contains("nothing changed since it was signed"));
    let unchanged = shown(&sandbox, &["demo/greet"]);
    assert!(unchanged.contains("directive `demo/greet` is as it was signed by "), "{unchanged}");
    let text = std::fs::read_to_string(sandbox.path("project").join(GREET)).unwrap();
    let title = text.lines().find(|line| line.starts_with("# ")).unwrap().to_owned();
    sandbox.edit(GREET, &title, "# Changed");
    // The change is committed, too: what counts is the newest version that fits its signature.
    sandbox.git(&["commit", "-qam", "a change"]);
    let diff = shown(&sandbox, &[]);
    assert!(diff.contains(&format!("\n-{title}\n+# Changed\n")), "{diff}");
    assert!(diff.contains("--- a/.ai/directives/demo/greet.md\n+++ b/.ai/directives/demo/greet.md\n@@ "), "{diff}");
    assert!(
        diff.contains("directive `demo/greet` changed since it was signed by ") && diff.contains("(commit "),
        "{diff}"
    );
    assert!(!diff.contains("rye:signed"), "{diff}");
    let json: Value = serde_json::from_slice(&sandbox.rye(&["diff", "--json"]).stdout()).unwrap();
    let items = json["items"].as_array().unwrap();
    assert_eq!((items.len(), &items[0]["state"], &items[0]["verdict"]), (1, &"changed".into(), &"tampered".into()));
    assert!(items[0]["signed"]["commit_id"].is_string() && items[0]["diff"].as_str().unwrap().contains("+# Changed"));
}

#[test]
fn a_line_that_is_gone_and_an_item_that_was_never_signed_are_told() {
    let sandbox = committed();
    let text = std::fs::read_to_string(sandbox.path("project").join(GREET)).unwrap();
    let (line, rest) = text.split_once('\n').unwrap();
    assert!(line.contains("rye:signed"));
    sandbox.put(GREET, rest);
    let told = shown(&sandbox, &["demo/greet"]);
    assert!(told.contains("only the signature line of directive `demo/greet` changed since"), "{told}");
    sandbox.put(".ai/knowledge/demo/new.md", "# New\n");
    let told = shown(&sandbox, &["demo/new", "--type", "knowledge"]);
    let sentence = "knowledge `demo/new` is new: no signed version of it is in the last 2000 commits of HEAD";
    assert!(told.contains(sentence), "{told}");
    // All of it is there to be reviewed.
    let new = "--- /dev/null\n+++ b/.ai/knowledge/demo/new.md\n@@ -0,0 +1,1 @@\n+# New\n";
    assert!(told.contains(new) || told.contains(&new.replace("+1,1", "+1")), "{told}");
    let system = shown(&sandbox, &["rye/guides/threads"]);
    assert!(system.contains("is part of this program"), "{system}");
    let unknown = shown(&sandbox, &["demo/gret"]);
    assert!(
        unknown.contains("error: unknown item `demo/gret`") && unknown.contains("did you mean `demo/greet`?"),
        "{unknown}"
    );
    let outside = Sandbox::with_items();
    outside.edit(GREET, "# ", "# Un");
    let told = shown(&outside, &["demo/greet"]);
    assert!(told.contains("no signed version"), "{told}");
}

#[test]
fn an_item_that_is_gone_or_became_something_else_is_told() {
    let sandbox = committed();
    let path = sandbox.path("project").join(GREET);
    std::fs::remove_file(&path).unwrap();
    let told = "directive `demo/greet` is in the last commit, and `.ai/directives/demo/greet.md` is not a file of the work tree";
    assert!(shown(&sandbox, &[]).contains(told), "{}", shown(&sandbox, &[]));
    std::os::unix::fs::symlink("/etc/passwd", &path).unwrap();
    assert!(shown(&sandbox, &[]).contains(told), "{}", shown(&sandbox, &[]));
}
