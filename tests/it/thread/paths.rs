//! What of a tool's work reaches a commit: exactly what it changed, where it may, and nothing of the person's.

use std::os::unix::fs::PermissionsExt as _;

use rye::capability::PathRules;
use rye::id::ItemType;
use rye::ops::execute::{self, Bounds, Options};
use rye::process::CancelFlag;
use rye::session::Session;
use rye::thread::{RunOptions, Status};
use serde_json::{Value, json};

use super::tools_git::real_git;
use super::world::{FILES, World, call, calls, text, types, write};

fn nothing() -> Vec<String> {
    Vec::new()
}

/// The paths a log says were left out, with their reasons.
fn skipped(world: &World, outcome: &rye::thread::Outcome) -> Vec<Value> {
    let events = world.events(outcome).into_iter().map(|event| serde_json::to_value(event).unwrap());
    events.filter(|event| event["type"] == "paths_skipped").map(|event| event["data"]["paths"].clone()).collect()
}

#[test]
fn a_write_to_a_tracked_path_is_in_its_turn_s_commit_and_nothing_else_is() {
    let world = World::new();
    world.directive(FILES, r#"turns="5""#, "");
    world.commit("directive");
    world.write("untracked.txt", "mine\n");
    world.write("README.md", "# mine, not committed\n");
    let outcome = world.run(&[write("src/a.txt", "b\n"), write("new/b.txt", "c\n"), text("Done.")]);
    assert_eq!(outcome.status, Status::Completed);
    let changed = [nothing(), vec!["src/a.txt".to_owned()], vec!["new/b.txt".to_owned()], nothing(), nothing()];
    assert_eq!(world.changed(&outcome), changed);
    assert_eq!(world.in_thread(&outcome, "src/a.txt").as_deref(), Some("b\n"));
    assert_eq!(world.in_thread(&outcome, "README.md").as_deref(), Some("# hello\n"));
    assert_eq!(skipped(&world, &outcome), Vec::<Value>::new());
}

/// Hole 33: a thread overwrote what its person had not committed.
#[test]
fn a_person_s_uncommitted_work_is_out_of_reach() {
    let world = World::new();
    world.directive(FILES, r#"turns="5""#, "");
    world.write("src/a.txt", "a, staged\n");
    world.git(&["add", "src/a.txt"]);
    world.write("src/a.txt", "a, half way\n");
    world.write("draft.txt", "mine\n");
    world.write("target/cache", "ignored\n");
    std::fs::remove_file(world.in_project("README.md")).unwrap();
    let read = |path: &str| call("rye_file_system_read", json!({"path": path}));
    let outcome = world.run(&[
        calls(&[
            ("rye_file_system_write", json!({"path": "src/a.txt", "content": "b\n"})),
            ("rye_file_system_write", json!({"path": "draft.txt", "content": "b\n"})),
            ("rye_file_system_write", json!({"path": "target/cache", "content": "b\n"})),
        ]),
        read("README.md"),
        read("src/a.txt"),
        text("Done."),
    ]);
    assert_eq!(world.changed(&outcome)[1], ["draft.txt", "src/a.txt"]);
    assert_eq!(skipped(&world, &outcome), [json!([{"path": "target/cache", "reason": "ignored"}])]);
    let events = world.events(&outcome);
    let seen = |turn| super::world::result_in_turn(&events, turn)["output"]["content"].clone();
    assert_eq!((seen(2), seen(3)), (json!("# hello\n"), json!("b\n")), "the commit, and what the thread wrote");
}

#[test]
fn with_changes_a_thread_begins_with_what_its_person_has_not_committed() {
    let world = World::new();
    let permissions = r#"<execute><tool>rye.file-system.*</tool></execute><write resource="filesystem" path="new.txt" />
        <read resource="filesystem" path="**" />"#;
    world.directive(permissions, r#"turns="5""#, "");
    world.commit("items");
    world.write("src/a.txt", "a, staged\n");
    world.git(&["add", "src/a.txt"]);
    world.write("src/a.txt", "a, half way\n");
    world.write("draft.sh", "mine\n");
    std::fs::set_permissions(world.in_project("draft.sh"), std::fs::Permissions::from_mode(0o755)).unwrap();
    world.write("target/cache", "ignored\n");
    std::os::unix::fs::symlink("README.md", world.in_project("link")).unwrap();
    std::fs::remove_file(world.in_project("README.md")).unwrap();
    let turns = [write("new.txt", "n\n"), write("draft.sh", "b\n"), text("Done.")];
    let outcome = world.try_run(&RunOptions { with_changes: true, ..world.options(&turns) }).unwrap();
    let of = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>();
    let taken = of(&["README.md", "draft.sh", "src/a.txt"]);
    assert_eq!(world.changed(&outcome), [taken.clone(), of(&["new.txt"]), nothing(), nothing(), nothing()]);
    assert_eq!(world.in_thread(&outcome, "src/a.txt").as_deref(), Some("a, half way\n"));
    assert!(world.git(&["ls-tree", &outcome.branch, "draft.sh"]).starts_with("100755"));
    let events = world.events(&outcome);
    assert_eq!(
        serde_json::to_value(&events[1].what).unwrap(),
        json!({"type": "changes_taken", "data": {"paths": taken}})
    );
    assert_eq!(super::world::result_in_turn(&events, 2)["status"], "denied", "what it may write is what it declares");
    // Without it, the person hears of missing files, but not of files that it would not take: the link, a large file.
    std::fs::write(world.in_project("big.bin"), vec![0; 9_000_000]).unwrap();
    let script = world.script(&[text("Done.")]).display().to_string();
    let output =
        world.rye(&["thread", "run", "demo/work", "--provider", super::world::SCRIPTED, "--script", &script]).output();
    let shown = String::from_utf8(output.unwrap().stderr).unwrap();
    assert!(shown.contains("without your 3 uncommitted files (add them with `--with-changes`)"), "{shown}");
}

#[test]
fn a_file_that_is_only_announced_is_uncommitted_like_an_untracked_one() {
    let world = World::new();
    world.directive(FILES, r#"turns="5""#, "");
    world.commit("items");
    world.write("announced.txt", "mine\n");
    world.git(&["add", "-N", "announced.txt"]);
    let script = world.script(&[text("Done.")]).display().to_string();
    let args = ["thread", "run", "demo/work", "--provider", super::world::SCRIPTED, "--script", &script];
    let shown = String::from_utf8(world.rye(&args).output().unwrap().stderr).unwrap();
    assert!(shown.contains("without your 1 uncommitted file (add them with `--with-changes`)"), "{shown}");
    let outcome = world.try_run(&RunOptions { with_changes: true, ..world.options(&[text("Done.")]) }).unwrap();
    assert_eq!(world.in_thread(&outcome, "announced.txt").as_deref(), Some("mine\n"));
    assert_eq!(world.changed(&outcome)[0], ["announced.txt"]);
}

/// `rye init` sets `-working-tree-encoding` for items, which the checkout of a tree takes for a mistake.
#[test]
fn a_project_as_init_makes_it_runs_threads() {
    let world = World::new();
    assert!(world.rye(&["init", "-q"]).status().unwrap().success());
    world.tool("demo/one", "echo 1 > src/a.txt");
    std::fs::set_permissions(world.in_project(".ai/tools/demo/one.sh"), std::fs::Permissions::from_mode(0o755))
        .unwrap();
    world.directive("<execute><tool>demo.*</tool></execute>", r#"turns="4""#, "");
    world.commit("all of it");
    let outcome = world.run(&[call("demo_one", json!({})), text("Done.")]);
    assert_eq!(outcome.status, Status::Completed);
    assert_eq!(world.changed(&outcome), [nothing(), vec!["src/a.txt".to_owned()], nothing(), nothing()]);
}

/// A tool's own git stages in the tree's index: what it changed is the thread's all the same.
#[test]
fn what_a_tool_stages_or_commits_in_its_tree_is_not_lost() {
    let world = World::new();
    let git = real_git();
    let git = git.display();
    world.tool("demo/stage", &format!("echo new > n.txt; echo b > src/a.txt; {git} add -A"));
    world.tool(
        "demo/commit",
        &format!("{git} mv src/a.txt src/z.txt; {git} -c user.name=x -c user.email=x@y commit -qm inside; true"),
    );
    world.tool(
        "demo/deep",
        "python3 -c 'import os\nfor i in range(600): os.mkdir(\"d\"); os.chdir(\"d\")'; echo x > after.txt",
    );
    world.directive("<execute><tool>demo.*</tool></execute>", r#"turns="6""#, "");
    world.commit("items");
    let before = world.git(&["rev-parse", "HEAD"]);
    let turns =
        [call("demo_stage", json!({})), call("demo_commit", json!({})), call("demo_deep", json!({})), text("Done.")];
    let outcome = world.run(&turns);
    assert_eq!(world.changed(&outcome)[1], ["n.txt", "src/a.txt"]);
    assert_eq!(
        (world.in_thread(&outcome, "src/a.txt"), world.in_thread(&outcome, "src/z.txt")),
        (None, Some("b\n".to_owned()))
    );
    assert_eq!(world.changed(&outcome)[3], ["after.txt"]);
    assert_eq!(world.git(&["rev-parse", "HEAD"]), before);
}

/// What a tool can leave in a tree that is hard to look at.
#[test]
fn odd_names_links_and_pipes_end_no_thread() {
    let world = World::new();
    world.write("other/keep.txt", "k\n");
    world.write("dir/x.txt", "x\n");
    std::os::unix::fs::symlink("README.md", world.in_project("link")).unwrap();
    world.commit("more");
    world.tool("demo/odd", "printf n > \"$(printf 'caf\\351.txt')\"; mv dir other/; ln -s other dir; mkdir sub; mkfifo sub/.gitignore; echo 1 > src/a.txt");
    world.tool("demo/swap", "rm link; echo file > link");
    world.tool("demo/back", "rm link; ln -s README.md link");
    world.directive("<execute><tool>demo.*</tool></execute>", r#"turns="6""#, "");
    world.commit("items");
    let outcome = world.run(&[
        call("demo_odd", json!({})),
        call("demo_swap", json!({})),
        call("demo_back", json!({})),
        text("Done."),
    ]);
    assert_eq!(outcome.status, Status::Completed, "{:?}", outcome.error);
    // Git tells a move by its new name.
    assert_eq!(world.changed(&outcome)[1], ["other/dir/x.txt", "src/a.txt"]);
    assert_eq!(world.in_thread(&outcome, "dir/x.txt"), None);
    let left_out = skipped(&world, &outcome);
    let reasons: Vec<&str> =
        left_out[0].as_array().unwrap().iter().map(|left| left["reason"].as_str().unwrap()).collect();
    assert_eq!(reasons, ["unnameable", "not_a_file", "not_a_file"], "{left_out:?}");
    assert_eq!(world.changed(&outcome)[2..4], [vec!["link".to_owned()], vec!["link".to_owned()]]);
    assert!(world.git(&["ls-tree", &outcome.branch, "link"]).starts_with("120000"), "the link is a link again");
}

#[test]
fn an_edited_item_that_may_be_executed_is_not_taken_for_the_thread_s() {
    let world = World::new();
    world.tool("demo/one", "echo committed");
    let file = world.in_project(".ai/tools/demo/one.sh");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    world.directive("<execute><tool>demo.*</tool></execute>", r#"turns="4""#, "");
    world.commit("items");
    world.tool("demo/one", "echo edited");
    world.tool("demo/two", "echo new");
    std::fs::set_permissions(world.in_project(".ai/tools/demo/two.sh"), std::fs::Permissions::from_mode(0o755))
        .unwrap();
    let outcome = world.run(&[call("demo_one", json!({})), text("Done.")]);
    assert_eq!(world.changed(&outcome), vec![nothing(); 4]);
}

/// What a thread may use is what its person sees, committed or not; what it makes comes on top.
#[test]
fn items_are_those_of_the_person_s_workspace_as_it_stood_at_the_start() {
    let world = World::new();
    world.tool("demo/one", "echo committed");
    world.tool("demo/gone", "echo gone");
    world.directive("<execute><tool>demo.*</tool></execute>", r#"turns="4""#, "");
    world.commit("items");
    world.tool("demo/one", "echo edited");
    world.tool("demo/two", "echo new");
    std::fs::remove_file(world.in_project(".ai/tools/demo/gone.sh")).unwrap();
    let outcome = world.run(&[
        calls(&[("demo_one", json!({})), ("demo_two", json!({}))]),
        call("rye_execute", json!({"item_type": "tool", "item_id": "demo/gone"})),
        text("Done."),
    ]);
    let outputs: Vec<Value> = world
        .events(&outcome)
        .into_iter()
        .filter_map(|event| match event.what {
            rye::event::EventData::ToolCallResult { status, output, .. } => Some(json!([status, output])),
            _ => None,
        })
        .collect();
    assert_eq!(outputs[..2], [json!(["ok", "edited"]), json!(["ok", "new"])]);
    assert_eq!(outputs[2][0], "error", "{outputs:?}");
    assert_eq!(world.changed(&outcome), vec![nothing(); 5], "what the person has not committed is not the thread's");
}

#[test]
fn a_script_s_changes_are_committed_where_its_directive_may_write() {
    let world = World::new().unconfined();
    world.write("src/gone.txt", "gone\n");
    world.commit("more");
    let script = "mkdir -p out target\necho 1 > src/a.txt\necho 2 > src/b.md\necho 3 > README.md\necho 4 > out/x\n\
                  echo 5 > target/y\nrm src/gone.txt\nprintf '#!/bin/sh\\n' > src/run.txt\nchmod +x src/run.txt\nln -s a.txt src/link.txt\n\
                  git init -q src/nested 2>/dev/null; echo n > src/nested/n";
    world.tool("demo/many", script);
    let permissions = r#"<execute><tool>demo.many</tool></execute>
        <write resource="filesystem" path="src/*.txt, target/**" />"#;
    world.directive(permissions, r#"turns="3""#, "");
    world.commit("items");
    let outcome = world.run(&[call("demo_many", json!({})), text("Done.")]);
    let paths = ["src/a.txt", "src/gone.txt", "src/run.txt"].map(str::to_owned).to_vec();
    assert_eq!(world.changed(&outcome), [nothing(), paths, nothing(), nothing()]);
    let tree = world.git(&["ls-tree", &outcome.branch, "src/"]);
    let modes: Vec<_> = tree.lines().map(|line| (&line[..6], line.rsplit('\t').next().unwrap())).collect();
    assert_eq!(modes, [("100644", "src/a.txt"), ("100755", "src/run.txt")]);
    let left_out = |path: &str, reason: &str| json!({"path": path, "reason": reason});
    assert_eq!(
        skipped(&world, &outcome),
        [json!([
            left_out("README.md", "not_permitted"),
            left_out("out/x", "not_permitted"),
            left_out("src/b.md", "not_permitted"),
            left_out("src/link.txt", "not_a_file"),
            left_out("src/nested", "nested_repository"),
        ])]
    );
}

#[test]
fn without_path_rules_all_of_a_script_s_changes_are_the_thread_s() {
    let world = World::new();
    world.tool("demo/one", "echo 1 > src/a.txt");
    world.tool("demo/back", "echo a > src/a.txt; echo n > n.txt");
    world.tool("demo/rm", "rm n.txt");
    world.directive("<execute><tool>demo.*</tool></execute>", r#"turns="5""#, "");
    let outcome = world.run(&[
        call("demo_one", json!({})),
        call("demo_back", json!({})),
        call("demo_rm", json!({})),
        text("Done."),
    ]);
    let of = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>();
    let changed = [nothing(), of(&["src/a.txt"]), of(&["n.txt", "src/a.txt"]), of(&["n.txt"]), nothing(), nothing()];
    assert_eq!(world.changed(&outcome), changed, "also what is again as it was");
}

#[test]
fn a_write_into_a_submodule_is_left_out_and_said_so() {
    let world = World::new();
    world.git_in(".", &["init", "-q", "-b", "main", "other"]);
    world.git_in("other", &["-c", "user.name=o", "-c", "user.email=o@o", "commit", "-q", "--allow-empty", "-m", "o"]);
    world.git(&["-c", "protocol.file.allow=always", "submodule", "add", "-q", "../other", "module"]);
    world.tool("demo/one", "echo 1 > module/x; echo 2 > y");
    world.directive("<execute><tool>demo.*</tool></execute>", r#"turns="5""#, "");
    world.commit("items");
    let outcome = world.run(&[call("demo_one", json!({})), text("Done.")]);
    assert_eq!(world.changed(&outcome)[1], ["y"]);
    assert_eq!(skipped(&world, &outcome), [json!([{"path": "module/x", "reason": "submodule"}])]);
}

#[test]
fn what_a_built_in_tool_writes_to_an_ignored_file_is_left_out_and_said() {
    let world = World::new();
    world.directive(FILES, r#"turns="4""#, "");
    world.commit("directive");
    let outcome = world.run(&[write("target/x.txt", "1\n"), text("Done.")]);
    assert_eq!(world.changed(&outcome)[1], nothing());
    assert_eq!(skipped(&world, &outcome), [json!([{"path": "target/x.txt", "reason": "ignored"}])]);
}

#[test]
fn an_ignored_file_that_is_tracked_is_committed_and_a_large_one_is_not() {
    let world = World::new();
    world.write("target/kept.txt", "1\n");
    world.git(&["add", "-f", "target/kept.txt"]);
    world.commit("kept");
    world.tool("demo/large", "head -c 9000000 /dev/zero > big.bin");
    let permissions = r#"<execute><tool>demo.large</tool><tool>rye.file-system.*</tool></execute>
        <write resource="filesystem" path="**" />"#;
    world.directive(permissions, r#"turns="4""#, "");
    world.commit("items");
    let outcome = world.run(&[write("target/kept.txt", "2\n"), call("demo_large", json!({})), text("Done.")]);
    assert_eq!(world.changed(&outcome)[1], ["target/kept.txt"]);
    assert_eq!(world.changed(&outcome)[2], nothing());
    assert_eq!(skipped(&world, &outcome), [json!([{"path": "big.bin", "reason": "oversized"}])]);
}

#[test]
fn a_tool_that_closes_folders_and_replaces_the_link_to_the_repository_changes_nothing_else() {
    let world = World::new().unconfined();
    let evil = world.path("evil");
    world.git_in(".", &["init", "-q", "evil"]);
    world.git_in("evil", &["config", "core.fsmonitor", "touch /tmp/never; false"]);
    let script = format!(
        "echo 1 > src/a.txt\necho 'gitdir: {}/.git' > .git\nmkdir shut; echo x > shut/x; chmod 000 shut",
        evil.display()
    );
    world.tool("demo/one", &script);
    world.directive("<execute><tool>demo.*</tool></execute>", r#"turns="5""#, "");
    world.commit("items");
    let outcome = world.run(&[call("demo_one", json!({})), text("Done.")]);
    assert_eq!(outcome.status, Status::Completed);
    assert!(world.changed(&outcome)[1].contains(&"src/a.txt".to_owned()), "{:?}", world.changed(&outcome));
}

/// Without a sandbox a tool can: the next call finds it as the first one did.
#[test]
fn a_git_file_that_a_tool_replaced_is_put_back_and_told_once() {
    let world = World::new().unconfined();
    world.tool("demo/seen", "cat .git");
    let ways = [
        "echo 'gitdir: /' > .git",
        "rm .git",
        "rm .git; git init -q .",
        "ln -sf README.md .git",
        "rm .git; mkfifo .git",
    ];
    for (number, way) in ways.iter().enumerate() {
        world.tool(&format!("demo/way{number}"), way);
    }
    world.directive("<execute><tool>demo.*</tool></execute>", r#"turns="20""#, "");
    world.commit("items");
    let mut turns = vec![call("demo_seen", json!({}))];
    for number in 0..ways.len() {
        turns.extend([call(&format!("demo_way{number}"), json!({})), call("demo_seen", json!({}))]);
    }
    turns.push(text("Done."));
    let outcome = world.run(&turns);
    let events = world.events(&outcome);
    let seen = super::world::result_in_turn(&events, 1)["output"].clone();
    assert!(seen.to_string().contains("gitdir: "), "{seen}");
    for (turn, way) in (2..).step_by(2).zip(ways) {
        let result = super::world::result_in_turn(&events, turn);
        assert_eq!(
            (&result["status"], &result["output"]["error"]["code"]),
            (&json!("error"), &json!("refused")),
            "{way}"
        );
        let after = super::world::result_in_turn(&events, turn + 1);
        let (now, then) = (after["output"]["stdout"].clone(), seen["stdout"].clone());
        assert_eq!(now, then, "{way}");
    }
    assert_eq!(skipped(&world, &outcome), [json!([{"path": ".git", "reason": "refused"}])]);
    assert_eq!(world.changed(&outcome).concat(), nothing());
}

#[test]
fn a_place_no_tool_may_touch_is_refused_whatever_is_permitted() {
    let world = World::new();
    world.directive(FILES, r#"turns="9""#, "");
    let paths = [".git/config", ".ai/trust/allowed_signers", ".ai/config.toml", ".GIT/hooks/pre-commit", "a/.git/x"];
    let turns: Vec<Value> = paths.iter().map(|path| write(path, "x")).chain([text("Done.")]).collect();
    let before = world.untouched();
    let outcome = world.run(&turns);
    let results = world.events(&outcome);
    for turn in 1..=5 {
        assert_eq!(super::world::result_in_turn(&results, turn)["status"], "error");
    }
    assert_eq!(world.untouched(), before);
    assert!(!types(&results).contains(&"permission_denied".to_owned()));
    assert_eq!(outcome.status, Status::Completed);
}

/// The rules count at the check and again where the tool runs, so a value that comes in later escapes neither.
#[test]
fn a_built_in_tool_is_held_to_the_path_rules_of_its_bounds_too() {
    let world = World::new();
    let session = Session::open(&world.context(&[])).unwrap();
    let (cancel, before) = (CancelFlag::new(), world.read("README.md"));
    let rules = PathRules { read: Vec::new(), write: vec!["docs/**".to_owned()] };
    let bounds = Bounds { paths: Some(&[rules]), ..Bounds::usual(&cancel) };
    let write = |path: &str| {
        let given = json!({"path": path, "content": "new\n"}).as_object().unwrap().clone().into();
        let item_id = "rye/file-system/write".parse().unwrap();
        let options = Options { item_type: ItemType::Tool, item_id, given, dry_run: false };
        execute::execute(&session, &options, &bounds)
    };
    assert_eq!(serde_json::to_value(write("docs/a.md").unwrap().outcome).unwrap()["status"], "ok");
    let refused = write("README.md").unwrap_err();
    assert!(matches!(&refused, execute::Error::Denied(_)), "{refused}");
    assert_eq!(refused.to_string(), "no permission to write `README.md`: no declared path covers it");
    assert_eq!(world.read("README.md"), before);
}

/// A name is written down like any other text of a tool: without secrets.
#[test]
fn no_secret_in_a_name_is_on_record() {
    let world = World::new();
    let token = crate::redact::shapes::random("ghp_", crate::redact::shapes::LETTERS, 36);
    let (first, second) = token.split_at(20);
    // Each is too large for a thread, in a folder of that name too.
    let script = format!(
        "t={first}; t=\"${{t}}{second}\"; mkdir \"$t\"; for name in \"$t.bin\" \"$t/a.bin\"; do head -c 9000000 /dev/zero >\"$name\"; done"
    );
    world.tool("demo/large", &script);
    world.directive("<execute><tool>demo.*</tool></execute>", r#"turns="5""#, "");
    world.commit("items");
    let turns = [call("demo_large", json!({})), text("Done.")];
    let script = world.script(&turns).display().to_string();
    let args = ["thread", "run", "demo/work", "--provider", super::world::SCRIPTED, "--script", &script];
    let output = world.rye(&args).output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let shown = world.rye(&["thread", "show", "@latest"]).output().unwrap().stdout;
    let (_, shown_json) = world.rye_json(&["thread", "show", "@latest"]);
    let branch = shown_json["branch"].as_str().unwrap();
    let record = world.git(&["log", "--root", "-p", branch, "--", ".ai/threads"]);
    assert!(record.contains("paths_skipped") && record.contains("Not in this commit"), "{record}");
    assert!(record.contains("[redacted: github token].bin"), "{record}");
    for text in [said, String::from_utf8_lossy(&shown).into_owned(), shown_json.to_string(), record] {
        assert!(!text.contains(&token), "{text}");
    }
}
