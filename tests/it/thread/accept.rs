//! Accepting what a thread changed: one commit of the person's, and nothing else of theirs touched.

use rye::thread::{Outcome, RunOptions};
use serde_json::{Value, json};

use super::world::{FILES, World, call, calls, text, tool, write};

/// A world with a person who signs, and a directive that may write anything.
fn world() -> World {
    let world = World::new();
    world.directive(FILES, r#"turns="5""#, "");
    world.commit("items");
    world
}

/// A thread that changes, adds and (by a script) removes.
fn changing(world: &World) -> Outcome {
    world.run(&[
        calls(&[
            ("rye_file_system_write", json!({"path": "src/a.txt", "content": "b\n"})),
            ("rye_file_system_write", json!({"path": "new/b.txt", "content": "c\n"})),
        ]),
        text("Done."),
    ])
}

fn accept(world: &World, args: &[&str]) -> (i32, Value) {
    world.rye_json(&[&["thread", "accept", "@latest"], args].concat())
}

#[test]
fn what_a_thread_changed_becomes_one_commit_of_the_person() {
    let world = world();
    let outcome = changing(&world);
    // Elsewhere the person is at work; the branch went on, too.
    world.write("other.txt", "o\n");
    world.commit("other");
    world.write("draft.txt", "mine\n");
    world.write("staged.txt", "mine\n");
    world.git(&["add", "staged.txt"]);
    let (_, diff) = world.rye_json(&["thread", "diff", "@latest"]);
    let told = json!([{"path": "new/b.txt", "change": "added"}, {"path": "src/a.txt", "change": "changed"}]);
    assert_eq!((&diff["changes"], &diff["to"]), (&told, &json!(outcome.commit_id)));
    let shown = world.rye(&["thread", "diff", "@latest"]).output().unwrap().stdout;
    let shown = String::from_utf8(shown).unwrap();
    assert!(shown.contains("+++ b/new/b.txt\n@@ -0,0 +1 @@\n+c\n") && !shown.contains(".ai/threads"), "{shown}");
    let (_, current) = world.rye_json(&["thread", "diff", "@latest", "--current"]);
    assert_eq!(current["changes"], told, "nothing of what the branch has besides");
    let (code, accepted) = accept(&world, &[]);
    assert_eq!(code, 0, "{accepted}");
    assert_eq!(accepted["paths"], json!(["new/b.txt", "src/a.txt"]));
    assert_eq!(world.git(&["show", "--format=", "--name-status", "HEAD"]), "A\tnew/b.txt\nM\tsrc/a.txt");
    assert_eq!(world.git(&["log", "-1", "--format=%an %s"]), "Ada Accept what demo/work did");
    let trailer =
        |key: &str| world.git(&["log", "-1", &format!("--format=%(trailers:key={key},valueonly,separator=%x2c)")]);
    assert_eq!(trailer("Rye-Thread"), outcome.thread_id.as_str());
    assert_eq!(trailer("Rye-Accepted"), outcome.commit_id.to_string());
    assert_eq!((trailer("Rye-Directive"), trailer("Rye-Model")), ("demo/work".to_owned(), outcome.model.clone()));
    assert!(world.git(&["cat-file", "-p", "HEAD"]).contains("gpgsig"), "the person's signature");
    assert_eq!(world.git(&["status", "--porcelain"]), "A  staged.txt\n?? draft.txt");
    assert_eq!(world.read("src/a.txt"), "b\n");
    let (_, current) = world.rye_json(&["thread", "diff", "@latest", "--current"]);
    assert_eq!(current["changes"], json!([]));
    // It is there already.
    let (code, again) = accept(&world, &[]);
    assert_ne!(code, 0, "{again}");
    assert_eq!(world.git(&["status", "--porcelain"]), "A  staged.txt\n?? draft.txt");
}

#[test]
fn a_part_is_accepted_by_path() {
    let world = world();
    changing(&world);
    let (code, accepted) = accept(&world, &["--only", "new", "-m", "Only the new"]);
    assert_eq!((code, &accepted["paths"]), (0, &json!(["new/b.txt"])), "{accepted}");
    assert_eq!(world.git(&["log", "-1", "--format=%s"]), "Only the new");
    let (code, error) = accept(&world, &["--only", "nothing"]);
    assert_eq!((code, &error["error"]["code"]), (1, &json!("nothing-to-accept")), "{error}");
}

#[test]
fn what_the_person_is_at_work_on_is_refused_and_left_as_it_is() {
    let world = world();
    changing(&world);
    world.write("src/a.txt", "mine\n");
    world.write("new/b.txt", "mine too\n");
    let before = (world.untouched(), world.persons_files());
    let (code, error) = accept(&world, &["--yes"]);
    assert_eq!((code, &error["error"]["code"]), (3, &json!("dirty-files")), "{error}");
    let message = error["error"]["message"].as_str().unwrap().to_owned();
    assert!(message.contains("`new/b.txt`") && message.contains("`src/a.txt`"), "{message}");
    assert_eq!((world.untouched(), world.persons_files()), before);
}

#[test]
fn what_a_thread_began_with_changes_and_stays_uncommitted() {
    let world = world();
    world.write("src/a.txt", "half way\n");
    world.write("draft.txt", "mine\n");
    let turns = [
        calls(&[
            ("rye_file_system_write", json!({"path": "src/a.txt", "content": "further\n"})),
            ("rye_file_system_write", json!({"path": "new/b.txt", "content": "c\n"})),
        ]),
        text("Done."),
    ];
    world.try_run(&RunOptions { with_changes: true, ..world.options(&turns) }).unwrap();
    let (code, accepted) = accept(&world, &[]);
    assert_eq!((code, &accepted["uncommitted"]), (0, &json!(["src/a.txt"])), "{accepted}");
    assert_eq!(world.git(&["show", "--format=", "--name-only", "HEAD"]), "new/b.txt");
    assert_eq!(world.git(&["status", "--porcelain"]), " M src/a.txt\n?? draft.txt");
    assert_eq!(world.read("src/a.txt"), "further\n");
}

#[test]
fn conflicts_stay_as_git_leaves_them() {
    let world = world();
    changing(&world);
    world.write("src/a.txt", "else\n");
    world.commit("else");
    let (code, error) = accept(&world, &[]);
    assert_eq!((code, &error["error"]["code"]), (1, &json!("conflicts")), "{error}");
    assert!(world.read("src/a.txt").contains("<<<<<<<"));
    assert!(world.git(&["status", "--porcelain"]).contains("UU src/a.txt"));
    assert!(!world.in_project(".git/rye-accept.json").exists());
}

#[test]
fn items_that_an_agent_wrote_are_asked_about_and_taken_back_without_a_yes() {
    let world = World::new();
    let permissions = r"<execute><tool>rye.file-system.write</tool></execute><sign><tool>demo/made</tool></sign>";
    world.directive(permissions, r#"turns="5""#, "");
    world.commit("items");
    let made = json!({"path": ".ai/tools/demo/made.sh", "content": tool("echo made")});
    world.run(&[
        call("rye_file_system_write", made),
        call("rye_sign", json!({"item_type": "tool", "item_id": "demo/made"})),
        text("Done."),
    ]);
    let before = (world.untouched(), world.persons_files());
    let (code, error) = accept(&world, &[]);
    assert_eq!((code, &error["error"]["code"]), (3, &json!("not-agreed")), "{error}");
    assert_eq!(world.git(&["status", "--porcelain"]), "", "taken back");
    assert_eq!(world.persons_files(), before.1);
    let (code, accepted) = accept(&world, &["--yes"]);
    assert_eq!(code, 0, "{accepted}");
    let (_, verified) = world.rye_json(&["verify"]);
    assert_eq!(verified["status"], "ok", "signed by the person: {verified}");
}

#[test]
fn what_runs_code_is_left_out_unless_it_is_asked_for() {
    let world = World::new();
    let permissions = r#"<execute><tool>rye.file-system.write</tool></execute>
        <write resource="filesystem" path="src/**, .vscode/**" />"#;
    world.directive(permissions, r#"turns="5""#, "");
    world.commit("items");
    world.run(&[write("src/a.txt", "b\n"), write(".vscode/tasks.json", "{}\n"), text("Done.")]);
    let (code, accepted) = accept(&world, &[]);
    assert_eq!(
        (code, &accepted["paths"], &accepted["left_out"]),
        (0, &json!(["src/a.txt"]), &json!([".vscode/tasks.json"]))
    );
    assert!(!world.in_project(".vscode").exists());
    let (code, error) = accept(&world, &["--only", ".vscode"]);
    assert_eq!((code, &error["error"]["code"]), (1, &json!("nothing-to-accept")), "{error}");
    let (code, _) = accept(&world, &["--only", ".vscode", "--include-code"]);
    assert_eq!(code, 0);
    assert_eq!(world.read(".vscode/tasks.json"), "{}\n");
}

#[test]
fn the_person_s_hooks_run_and_may_refuse() {
    let world = world();
    changing(&world);
    let hook = world.in_project(".git/hooks/pre-commit");
    world.write_at(&hook, "#!/bin/sh\nexit 1\n");
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let (code, error) = accept(&world, &[]);
    assert_eq!((code, &error["error"]["code"]), (1, &json!("git-commit")), "{error}");
    assert_eq!(world.git(&["status", "--porcelain"]), "", "taken back");
}

/// Killed between the change of the files and the commit, and before and after it.
#[test]
fn an_accept_that_was_cut_short_is_taken_back_by_the_next_one() {
    let world = world();
    let outcome = changing(&world);
    let head = world.git(&["rev-parse", "HEAD"]);
    let blob = |path: &str| world.git(&["rev-parse", &format!("{}:{path}", outcome.branch)]);
    let note = json!({
        "v": 1, "thread_id": outcome.thread_id, "head": head,
        "paths": {"src/a.txt": blob("src/a.txt"), "new/b.txt": blob("new/b.txt")},
    });
    // Some of it was written, some staged.
    world.write_at(&world.in_project(".git/rye-accept.json"), &note.to_string());
    world.write("src/a.txt", "b\n");
    world.write("new/b.txt", "c\n");
    world.git(&["add", "src/a.txt"]);
    let (code, accepted) = accept(&world, &[]);
    assert_eq!((code, &accepted["paths"]), (0, &json!(["new/b.txt", "src/a.txt"])), "{accepted}");
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    // The commit was made, and only the note is left.
    world.write_at(&world.in_project(".git/rye-accept.json"), &note.to_string());
    world.write("src/a.txt", "later work\n");
    let (code, _) = accept(&world, &[]);
    assert_eq!((code, world.read("src/a.txt").as_str()), (3, "later work\n"));
    assert!(!world.in_project(".git/rye-accept.json").exists());
    // Somebody changed a file since: nothing is taken back.
    world.git(&["checkout", "-q", &head, "--", "."]);
    world.git(&["reset", "-q", "--hard", &head]);
    world.write_at(&world.in_project(".git/rye-accept.json"), &note.to_string());
    world.write("src/a.txt", "later work\n");
    let (code, error) = accept(&world, &[]);
    assert_eq!((code, &error["error"]["code"]), (1, &json!("accept-cut-short")), "{error}");
    assert_eq!(world.read("src/a.txt"), "later work\n");
}
