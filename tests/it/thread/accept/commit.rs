//! The committed files, and the others.

use serde_json::json;

use super::super::world::{World, calls, text, write};
use super::{accept, changing, committed, hook, no_leftovers, refused, scripted, status, trailer, world};
use rye::thread::RunOptions;

#[test]
fn what_a_thread_changed_becomes_one_signed_commit_of_the_person() {
    let world = world();
    let outcome = changing(&world);
    // Elsewhere the person is at work; the branch went on, too.
    world.write("other.txt", "o\n");
    world.commit("other");
    world.write("draft.txt", "mine\n");
    world.write("README.md", "half way\n");
    world.write("staged.txt", "mine\n");
    world.git(&["add", "staged.txt"]);
    let (code, accepted) = accept(&world, &[]);
    assert_eq!(code, 0, "{accepted}");
    assert_eq!(
        accepted["taken"],
        json!([
            {"path": "new/b.txt", "change": "added", "committed": true},
            {"path": "src/a.txt", "change": "changed", "committed": true},
        ])
    );
    assert_eq!((&accepted["left_out"], &accepted["conflicts"]), (&json!([]), &json!([])));
    assert_eq!(accepted["thread_id"], json!(outcome.thread_id));
    assert_eq!(accepted["commit_id"], world.git(&["rev-parse", "HEAD"]));
    assert_eq!(accepted["branch"], "refs/heads/main");
    assert_eq!(committed(&world), "A\tnew/b.txt\nM\tsrc/a.txt");
    assert_eq!(world.git(&["log", "-1", "--format=%an %s"]), "Ada accept: demo/work: 2 files");
    assert_eq!(trailer(&world, "Rye-Thread"), outcome.thread_id.as_str());
    assert_eq!(
        (trailer(&world, "Rye-Directive"), trailer(&world, "Rye-Model")),
        ("demo/work".to_owned(), outcome.model)
    );
    assert!(world.git(&["cat-file", "-p", "HEAD"]).contains("gpgsig"), "the person's signature");
    let (code, verified) = world.rye_json(&["verify", "--range", "HEAD~..HEAD", "--commits"]);
    assert_eq!((code, &verified["findings"]), (0, &json!([])), "{verified}");
    assert_eq!(status(&world), " M README.md\nA  staged.txt\n?? draft.txt");
    assert_eq!((world.read("src/a.txt"), world.read("new/b.txt")), ("b\n".to_owned(), "c\n".to_owned()));
    no_leftovers(&world);
    // `git blame` leads to the commit, and its trailer to the thread.
    assert!(world.git(&["blame", "-l", "src/a.txt"]).starts_with(accepted["commit_id"].as_str().unwrap()));
    // It is there already.
    let (code, name, message) = refused(&world, &[]);
    assert_eq!((code, name.as_str()), (1, "nothing-to-accept"), "{message}");
}

#[test]
fn a_part_is_accepted_by_path_from_the_current_folder() {
    let world = world();
    changing(&world);
    let (code, accepted) = accept(&world, &["new", "-m", "Only the new", "-m", "Because."]);
    assert_eq!(code, 0, "{accepted}");
    assert_eq!(committed(&world), "A\tnew/b.txt");
    assert_eq!(world.git(&["log", "-1", "--format=%s/%b"]).lines().next(), Some("Only the new/Because."));
    let (code, name, message) = refused(&world, &["nothing"]);
    assert_eq!((code, name.as_str()), (1, "not-changed"), "{message}");
    let (code, accepted) = world.rye_json(&["-C", "src", "thread", "accept", "@latest", "a.txt", "--yes"]);
    assert_eq!((code, committed(&world).as_str()), (0, "M\tsrc/a.txt"), "{accepted}");
}

#[test]
fn trailers_join_the_block_that_a_message_ends_with_as_git_has_it() {
    for (message, before) in [
        ("Sort\n\nSigned-off-by: Ada <a@example.org>", "Sort\n\nSigned-off-by: Ada <a@example.org>\n"),
        ("Sort\n\nabove\n---\nbelow", "Sort\n\nabove\n---\nbelow\n\n"),
        ("Sort\n\n# a heading\ntext", "Sort\n\n# a heading\ntext\n\n"),
    ] {
        let world = world();
        let outcome = changing(&world);
        world.git(&["config", "trailer.ifmissing", "doNothing"]);
        let (code, accepted) = accept(&world, &["-m", message]);
        assert_eq!(code, 0, "{accepted}");
        let found = world.git(&["log", "-1", "--format=%B"]);
        let trailers = format!("{before}Rye-Thread: {}\nRye-Directive: demo/work\n", outcome.thread_id);
        assert!(found.starts_with(&trailers), "{found}");
        assert_eq!(trailer(&world, "Rye-Thread"), outcome.thread_id.as_str());
    }
}

#[test]
fn an_empty_message_is_refused_as_git_refuses_it() {
    let world = world();
    changing(&world);
    for message in ["", " \n"] {
        let (code, name, sentence) = refused(&world, &["-m", message]);
        assert_eq!((code, name.as_str()), (1, "no-message"), "{sentence}");
    }
}

#[test]
fn what_a_thread_began_with_changes_and_stays_uncommitted() {
    let world = world();
    world.write("src/a.txt", "half way\n");
    world.write("draft.txt", "mine\n");
    world.write("README.md", "staged\n");
    world.git(&["add", "README.md"]);
    let turns = [
        calls(&[
            ("rye_file_system_write", json!({"path": "src/a.txt", "content": "further\n"})),
            ("rye_file_system_write", json!({"path": "draft.txt", "content": "better\n"})),
            ("rye_file_system_write", json!({"path": "README.md", "content": "more\n"})),
            ("rye_file_system_write", json!({"path": "new/b.txt", "content": "c\n"})),
        ]),
        text("Done."),
    ];
    world.try_run(&RunOptions { with_changes: true, ..world.options(&turns) }).unwrap();
    let (code, accepted) = accept(&world, &[]);
    assert_eq!(code, 0, "{accepted}");
    let told =
        |path: &str, change: &str, committed: bool| json!({"path": path, "change": change, "committed": committed});
    assert_eq!(
        accepted["taken"],
        json!([
            told("README.md", "changed", false),
            told("draft.txt", "changed", false),
            told("new/b.txt", "added", true),
            told("src/a.txt", "changed", false),
        ])
    );
    assert_eq!(committed(&world), "A\tnew/b.txt");
    assert_eq!(status(&world), "MM README.md\n M src/a.txt\n?? draft.txt");
    assert_eq!(world.git(&["show", ":README.md"]), "staged");
    assert_eq!((world.read("src/a.txt"), world.read("draft.txt")), ("further\n".to_owned(), "better\n".to_owned()));
}

#[test]
fn where_all_of_it_was_uncommitted_nothing_is_committed() {
    let world = world();
    world.write("src/a.txt", "half way\n");
    let turns = [write("src/a.txt", "further\n"), text("Done.")];
    world.try_run(&RunOptions { with_changes: true, ..world.options(&turns) }).unwrap();
    let head = world.git(&["rev-parse", "HEAD"]);
    let (code, accepted) = accept(&world, &[]);
    assert_eq!((code, &accepted["commit_id"]), (0, &json!(null)), "{accepted}");
    assert_eq!((world.git(&["rev-parse", "HEAD"]), world.read("src/a.txt")), (head, "further\n".to_owned()));
    no_leftovers(&world);
}

#[test]
fn changes_of_both_sides_are_merged() {
    let world = world();
    let lines = |changes: &[(usize, &str)]| {
        let line =
            |n: usize| changes.iter().find(|(at, _)| *at == n).map_or(format!("{n}"), |(_, text)| (*text).to_owned());
        (0..20).map(|n| line(n) + "\n").collect::<String>()
    };
    world.write("src/a.txt", &lines(&[]));
    world.commit("long");
    world.run(&[write("src/a.txt", &lines(&[(2, "thread")])), text("Done.")]);
    world.write("src/a.txt", &lines(&[(17, "mine")]));
    world.commit("mine");
    let (code, accepted) = accept(&world, &[]);
    assert_eq!(code, 0, "{accepted}");
    assert_eq!(world.read("src/a.txt"), lines(&[(2, "thread"), (17, "mine")]));
    assert_eq!(
        (status(&world), world.git(&["show", "--format=", "--shortstat", "HEAD"])),
        (String::new(), " 1 file changed, 1 insertion(+), 1 deletion(-)".to_owned())
    );
}

#[test]
fn modes_and_removals_come_over() {
    let (world, _) = scripted("chmod +x README.md; rm src/a.txt; mkdir d; echo x > d/x.sh; chmod +x d/x.sh");
    let (code, accepted) = accept(&world, &[]);
    assert_eq!(code, 0, "{accepted}");
    assert_eq!(committed(&world), "M\tREADME.md\nA\td/x.sh\nD\tsrc/a.txt");
    assert!(world.git(&["ls-files", "-s", "README.md", "d/x.sh"]).lines().all(|line| line.starts_with("100755")));
    assert!(!world.in_project("src").exists(), "an empty folder goes, as with git");
    assert_eq!((status(&world), world.git(&["diff", "HEAD"])), (String::new(), String::new()));
}

#[test]
fn the_repository_s_hooks_run_as_for_git_commit() {
    let world = world();
    changing(&world);
    // They see the files as they are to be committed, the index too, and may change both index and message.
    hook(
        &world,
        "pre-commit",
        "test \"$(cat src/a.txt)\" = b && git diff --cached --name-only >../staged && echo h >hooked && git add hooked && echo heard",
    );
    hook(&world, "prepare-commit-msg", "test \"$2\" = message && echo \"Prepared: yes\" >>\"$1\"");
    hook(&world, "commit-msg", "cp \"$1\" ../message");
    hook(&world, "post-commit", "git rev-parse HEAD >../after");
    let (code, accepted) = accept(&world, &[]);
    assert_eq!(code, 0, "{accepted}");
    assert_eq!(std::fs::read_to_string(world.path("staged")).unwrap(), "new/b.txt\nsrc/a.txt\n");
    assert_eq!(committed(&world), "A\thooked\nA\tnew/b.txt\nM\tsrc/a.txt");
    assert_eq!(accepted["by_hooks"], json!([{"path": "hooked", "did": "added"}]));
    assert_eq!(trailer(&world, "Prepared"), "yes");
    assert!(std::fs::read_to_string(world.path("message")).unwrap().contains("Rye-Thread: "));
    assert_eq!(std::fs::read_to_string(world.path("after")).unwrap().trim(), world.git(&["rev-parse", "HEAD"]));
    assert_eq!(status(&world), "");
}

#[test]
fn a_hook_that_refuses_leaves_everything_as_it_was() {
    for name in ["pre-commit", "prepare-commit-msg", "commit-msg"] {
        let world = world();
        changing(&world);
        world.write("draft.txt", "mine\n");
        hook(&world, name, "echo no >&2; exit 1");
        let (code, error, message) = refused(&world, &[]);
        assert_eq!((code, error.as_str()), (1, "git-commit"), "{name}: {message}");
    }
}

#[test]
fn files_are_written_with_the_line_ends_of_the_work_tree() {
    let world = World::new();
    world.directive(super::FILES, r#"turns="5""#, "");
    world.write(".gitattributes", "*.txt text eol=crlf\n.ai/** -text\n");
    world.write("src/a.txt", "a\r\n");
    world.commit("line ends");
    changing(&world);
    let (code, accepted) = accept(&world, &[]);
    assert_eq!(code, 0, "{accepted}");
    assert_eq!((world.read("src/a.txt"), world.read("new/b.txt")), ("b\r\n".to_owned(), "c\r\n".to_owned()));
    assert_eq!((world.git(&["show", "HEAD:src/a.txt"]), status(&world)), ("b".to_owned(), String::new()));
}
