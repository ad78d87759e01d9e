//! What a thread changed, as `rye thread diff` shows it.

use serde_json::json;

use super::world::{FILES, World, calls, text};

#[test]
fn what_a_thread_changed_is_shown_without_its_record() {
    let world = World::new();
    world.directive(FILES, r#"turns="5""#, "");
    world.commit("items");
    let outcome = world.run(&[
        calls(&[
            ("rye_file_system_write", json!({"path": "src/a.txt", "content": "b\n"})),
            ("rye_file_system_write", json!({"path": "new/b.txt", "content": "c\n"})),
        ]),
        text("Done."),
    ]);
    world.write("other.txt", "o\n");
    world.commit("other");
    let (_, diff) = world.rye_json(&["thread", "diff", "@latest"]);
    let told = json!([{"path": "new/b.txt", "change": "added"}, {"path": "src/a.txt", "change": "changed"}]);
    assert_eq!((&diff["changes"], &diff["to"]), (&told, &json!(outcome.commit_id)));
    let shown = world.rye(&["thread", "diff", "@latest"]).output().unwrap().stdout;
    let shown = String::from_utf8(shown).unwrap();
    assert!(shown.contains("+++ b/new/b.txt\n@@ -0,0 +1 @@\n+c\n") && !shown.contains(".ai/threads"), "{shown}");
    let listed = world.rye(&["thread", "diff", "@latest", "--stat"]).output().unwrap().stdout;
    assert!(String::from_utf8(listed).unwrap().contains("2 files changed, 2 insertions(+), 1 deletion(-)"));
    let (_, current) = world.rye_json(&["thread", "diff", "@latest", "--current"]);
    assert_eq!(current["changes"], told, "nothing of what the branch has besides");
    world.git(&["checkout", "-q", &outcome.branch, "--", "src", "new"]);
    world.commit("taken over");
    let (_, current) = world.rye_json(&["thread", "diff", "@latest", "--current"]);
    assert_eq!(current["changes"], json!([]));
}
