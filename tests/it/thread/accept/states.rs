//! Repository states: each works, or names the obstacle.

use serde_json::json;

use super::super::world::{FILES, World, text, write};
use super::{accept, changing, committed, no_leftovers, refused, status, with, world};

#[test]
fn a_detached_head_moves_itself() {
    let world = world();
    changing(&world);
    world.git(&["checkout", "-q", "--detach"]);
    let main = world.git(&["rev-parse", "main"]);
    let (code, accepted) = accept(&world, &[]);
    assert_eq!((code, accepted.get("branch")), (0, None), "{accepted}");
    assert_eq!((world.git(&["rev-parse", "main"]), world.git(&["rev-parse", "HEAD~"])), (main.clone(), main));
    assert_eq!((committed(&world).as_str(), status(&world).as_str()), ("A\tnew/b.txt\nM\tsrc/a.txt", ""));
}

#[test]
fn an_unborn_branch_gets_its_first_commit() {
    let world = World::unborn(&[]);
    world.directive(FILES, r#"turns="3""#, "");
    world.run(&[write("a.txt", "a\n"), text("Done.")]);
    world.git(&["add", ".ai"]);
    let (code, accepted) = accept(&world, &[]);
    assert_eq!((code, &accepted["branch"]), (0, &json!("refs/heads/main")), "{accepted}");
    assert_eq!((committed(&world).as_str(), status(&world).as_str()), ("A\ta.txt", "A  .ai/directives/demo/work.md"));
    assert_eq!(world.git(&["log", "--format=%P"]), "");
}

#[test]
fn a_linked_work_tree_has_its_own_head_index_and_journal() {
    let mut world = world();
    world.git(&["worktree", "add", "-q", "-b", "side", "../linked"]);
    changing(&world);
    let main = world.git(&["rev-parse", "main"]);
    world.project = "linked";
    let (code, accepted) = accept(&world, &[]);
    assert_eq!((code, &accepted["branch"]), (0, &json!("refs/heads/side")), "{accepted}");
    assert_eq!((committed(&world).as_str(), status(&world).as_str()), ("A\tnew/b.txt\nM\tsrc/a.txt", ""));
    assert_eq!(world.git(&["rev-parse", "main"]), main);
    no_leftovers(&world);
    world.project = "project";
    assert_eq!((status(&world), world.read("src/a.txt")), (String::new(), "a\n".to_owned()));
}

#[test]
fn what_a_sparse_checkout_leaves_out_is_refused() {
    for index in ["--no-sparse-index", "--sparse-index"] {
        let world = world();
        world.write("other/o.txt", "o\n");
        world.commit("other");
        changing(&world);
        world.git(&["sparse-checkout", "set", "--cone", index, "other"]);
        let (_, name, message) = refused(&world, &["src"]);
        assert_eq!(name, "in-the-way", "{message}");
        assert_eq!(message, "cannot accept: `src/a.txt` is outside of the sparse checkout");
        let hints = accept(&world, &["src"]).1["error"]["hints"].clone();
        let add = "run `git sparse-checkout add src`, or where no checkout is sparse `git update-index --no-skip-worktree -- src/a.txt`; then run the command again";
        assert_eq!(hints, json!([add]));
        world.git(&["sparse-checkout", "set", "--cone", index, "new", ".ai"]);
        world.git(&["sparse-checkout", "add", "src"]);
        let (code, accepted) = accept(&world, &[]);
        assert_eq!((code, committed(&world).as_str()), (0, "A\tnew/b.txt\nM\tsrc/a.txt"), "{accepted}");
        assert_eq!(status(&world), "");
        assert!(!world.in_project("other").exists());
    }
}

#[test]
fn what_is_in_the_way_is_told_with_what_helps_against_its_kind() {
    let world = world();
    changing(&world);
    world.write(".git/info/exclude", "new/\n");
    world.write("new/b.txt", "mine\n");
    world.git(&["update-index", "--skip-worktree", "src/a.txt"]);
    let (code, error) = accept(&world, &[]);
    assert_eq!((code, &error["error"]["code"]), (1, &json!("in-the-way")), "{error}");
    let aside = "move it away, as by `mv new/b.txt new/b.txt.mine`, then run the command again";
    let skipped = "run `git sparse-checkout add src`, or where no checkout is sparse `git update-index --no-skip-worktree -- src/a.txt`; then run the command again";
    assert_eq!(error["error"]["hints"], json!([aside, skipped]));
    std::fs::rename(world.in_project("new/b.txt"), world.in_project("new/b.txt.mine")).unwrap();
    world.git(&["update-index", "--no-skip-worktree", "--", "src/a.txt"]);
    let (code, accepted) = accept(&world, &[]);
    assert_eq!((code, committed(&world).as_str()), (0, "A\tnew/b.txt\nM\tsrc/a.txt"), "{accepted}");
}

#[test]
fn sha256_works() {
    let world = with(&["--object-format=sha256"]);
    changing(&world);
    let (code, accepted) = accept(&world, &[]);
    assert_eq!((code, committed(&world).as_str()), (0, "A\tnew/b.txt\nM\tsrc/a.txt"), "{accepted}");
    assert_eq!(status(&world), "");
}

#[test]
fn a_split_index_stays_right() {
    let world = world();
    changing(&world);
    world.git(&["update-index", "--split-index"]);
    world.write("staged.txt", "s\n");
    world.git(&["add", "staged.txt"]);
    let (code, accepted) = accept(&world, &[]);
    assert_eq!((code, committed(&world).as_str()), (0, "A\tnew/b.txt\nM\tsrc/a.txt"), "{accepted}");
    assert_eq!(status(&world), "A  staged.txt");
}

#[test]
fn the_thread_s_branch_need_not_be_an_ancestor_s_child() {
    let world = world();
    changing(&world);
    world.git(&["checkout", "-q", "--orphan", "fresh"]);
    world.git(&["rm", "-rqf", "."]);
    world.write("src/a.txt", "a\n");
    world.commit("fresh");
    let (code, accepted) = accept(&world, &[]);
    assert_eq!((code, committed(&world).as_str()), (0, "A\tnew/b.txt\nM\tsrc/a.txt"), "{accepted}");
}
