//! Repository states (docs/formats.md, section 9): each works, or names the obstacle.

use std::path::Path;
use std::process::Command;

use rye::process::CancelFlag;
use rye::thread::Status;
use serde_json::{Value, json};

use super::kill::log;
use super::world::{FILES, SCRIPTED, World, call, result_in_turn, text, types, write};

/// The guide needs no item of the project, so it runs in any of them.
const GUIDE: [&str; 3] = ["thread", "run", "rye/guides/first_thread"];

/// Runs the guide where it cannot run: exit code, message and hints.
fn refused(world: &World, args: &[&str]) -> (i32, String, Vec<String>) {
    let (code, shown) = world.rye_json(&[args, &GUIDE].concat());
    let error = &shown["error"];
    let hints = error["hints"].as_array().cloned().unwrap_or_default();
    let hints = hints.iter().map(|hint| hint.as_str().unwrap().to_owned()).collect();
    (code, error["message"].as_str().unwrap_or_else(|| panic!("{shown}")).to_owned(), hints)
}

fn committing_world(init: &[&str]) -> World {
    let world = World::with(init);
    world.directive(FILES, r#"turns="3""#, "");
    world.commit("items");
    world
}

#[test]
fn unborn_a_thread_begins_with_a_commit_without_parent() {
    let world = World::unborn(&[]);
    world.directive(FILES, r#"turns="3""#, "");
    let before = world.untouched();
    let outcome = world.run(&[write("a.txt", "a\n"), text("Done.")]);
    assert_eq!((outcome.status, &outcome.base), (Status::Completed, &None));
    assert_eq!(world.log(&outcome, "%P")[0], "");
    assert_eq!(world.log(&outcome, "%s").len(), 4);
    assert_eq!(world.changed(&outcome)[1], ["a.txt"]);
    assert_eq!(world.git(&["symbolic-ref", "HEAD"]), "refs/heads/main");
    assert_eq!(world.untouched(), before);
}

#[test]
fn detached_a_thread_begins_at_that_commit() {
    let world = committing_world(&[]);
    world.git(&["checkout", "-q", "--detach", "HEAD~1"]);
    world.git(&["checkout", "-q", "main", "--", ".ai"]);
    let outcome = world.run(&[text("Done.")]);
    assert_eq!(outcome.base.as_ref().unwrap().to_string(), world.git(&["rev-parse", "main~1"]));
    assert_eq!(outcome.status, Status::Completed);
}

#[test]
fn a_linked_work_tree_has_its_own_head_and_shares_branches_and_logs() {
    let mut world = committing_world(&[]);
    world.git(&["worktree", "add", "-q", "-b", "side", "../linked"]);
    world.project = "linked";
    world.write("src/a.txt", "side\n");
    world.commit("side");
    let outcome = world.run(&[write("src/a.txt", "thread\n"), text("Done.")]);
    assert_eq!(outcome.base.as_ref().unwrap().to_string(), world.git(&["rev-parse", "side"]));
    assert_eq!(world.changed(&outcome)[1], ["src/a.txt"]);
    world.project = "project";
    assert!(world.in_project(".git/rye/threads").join(outcome.thread_id.as_str()).exists());
    assert_eq!(world.shown(&json!({"thread_id": outcome.thread_id})).status, Status::Completed);
    assert_eq!(world.read("src/a.txt"), "a\n");
}

#[test]
fn without_an_identity_a_placeholder_commits_and_that_is_said() {
    let world = committing_world(&[]);
    world.git(&["config", "--unset", "user.name"]);
    world.git(&["config", "--unset", "user.email"]);
    let outcome = world.run(&[text("Done.")]);
    assert_eq!((outcome.identity.as_deref(), outcome.identity_is_fallback), (Some("rye <rye@localhost>"), true));
    assert_eq!(world.log(&outcome, "%cn <%ce>"), ["rye <rye@localhost>"; 3]);
    let output = world.rye(&GUIDE).output().unwrap();
    let shown = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(shown.contains("rye@localhost") && shown.contains("user.email"), "{shown}");
}

#[test]
fn sha256_commits_verify_too() {
    let world = committing_world(&["--object-format=sha256"]);
    let outcome = world.run(&[write("src/a.txt", "b\n"), text("Done.")]);
    assert_eq!((outcome.status, outcome.commit_id.as_str().len()), (Status::Completed, 64));
}

#[test]
fn inside_a_git_hook_the_variables_of_git_are_not_read() {
    let world = committing_world(&[]);
    let script = world.script(&[write("src/a.txt", "b\n"), text("Done.")]).display().to_string();
    let mut rye = world.rye(&["thread", "run", "demo/work", "--provider", SCRIPTED, "--script", &script, "--json"]);
    for (name, value) in [
        ("GIT_DIR", "/nowhere/.git"),
        ("GIT_WORK_TREE", "/nowhere"),
        ("GIT_INDEX_FILE", "/nowhere/index"),
        ("GIT_OBJECT_DIRECTORY", "/nowhere/objects"),
        ("GIT_COMMON_DIR", "/nowhere"),
        ("GIT_CONFIG_PARAMETERS", "'user.name=nobody'"),
    ] {
        rye.env(name, value);
    }
    let output = rye.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let outcome = world.shown(&serde_json::from_slice(&output.stdout).unwrap());
    world.check(&outcome);
    assert_eq!(world.changed(&outcome)[1], ["src/a.txt"]);
    assert_eq!(world.log(&outcome, "%cn")[0], "Ada");
}

#[test]
fn a_branch_in_the_way_is_named_with_the_setting_that_avoids_it() {
    let world = committing_world(&[]);
    world.git(&["branch", "rye"]);
    let before = world.untouched();
    let (code, message, hints) = refused(&world, &[]);
    assert_eq!(code, 1);
    assert!(message.contains("cannot exist together with `refs/heads/rye`"), "{message}");
    assert!(hints.iter().any(|hint| hint.contains("threads.prefix")), "{hints:?}");
    assert_eq!(world.untouched(), before);
    assert!(!world.in_project(".git/rye").exists());
    let options = world.options(&[text("Done.")]);
    world.write_at(&world.path("home/.config/rye/config.toml"), "[threads]\nprefix = \"x\"\n");
    let outcome = world.try_run_with(&options, &[], &CancelFlag::new(), |_| ()).unwrap();
    assert_eq!(outcome.branch, format!("refs/heads/x/threads/{}", outcome.thread_id));
    let (code, shown) = world.rye_json(&GUIDE);
    assert_eq!((code, &shown["status"]), (0, &json!("completed")));
}

#[test]
fn states_without_threads_say_so() {
    let reftable = World::with(&["--ref-format=reftable"]);
    let (code, message, hints) = refused(&reftable, &[]);
    assert!(message.ends_with("uses `extensions.refStorage = reftable`, only `files` is supported"), "{message}");
    assert_eq!((code, hints.is_empty()), (1, false));

    let mut bare = World::bare();
    bare.git_in(".", &["init", "-q", "--bare", "bare.git"]);
    bare.project = "bare.git";
    let (code, message, hints) = refused(&bare, &[]);
    assert!(message.ends_with("is bare: it has no work tree"), "{message}");
    assert_eq!((code, hints.is_empty()), (1, false));
    assert_eq!(bare.git(&["count-objects"]), "0 objects, 0 kilobytes");

    let mut outside = World::bare();
    outside.project = "home";
    let (code, message, hints) = refused(&outside, &[]);
    assert!(message.ends_with("is not in a git repository"), "{message}");
    assert_eq!((code, hints.is_empty()), (1, false));
}

#[test]
fn a_git_folder_that_cannot_be_written_is_said_and_left_as_it_is() {
    let world = committing_world(&[]);
    std::fs::write(world.in_project(".git/rye"), "a file in the way").unwrap();
    let before = world.untouched();
    let (code, message, hints) = refused(&world, &[]);
    assert!(message.starts_with("the thread's log `") && message.ends_with("` cannot be written"), "{message}");
    assert_eq!(code, 1);
    assert!(hints[0].starts_with("let `") && hints[0].ends_with("move the other file away"), "{hints:?}");
    assert_eq!(world.untouched(), before);
    assert_eq!(world.git(&["for-each-ref", "refs/heads/rye"]), "");
}

/// Runs the guide under a limit on the size of a file, as `ulimit -f` counts it (blocks of 512 bytes).
fn under_limit(world: &World, blocks: u32) -> (i32, Value, String) {
    let mut shell = Command::new("sh");
    let script = format!("ulimit -f {blocks} && exec \"$0\" \"$@\"");
    let program: &Path = crate::support::RYE.as_ref();
    shell.arg("-c").arg(script).arg(program).args(GUIDE).arg("--json");
    let output = shell.current_dir(world.in_project("")).env_clear().envs(world.variables()).output().unwrap();
    let shown = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code().unwrap_or(-1), serde_json::from_slice(&output.stdout).unwrap_or_default(), shown)
}

/// A file-size limit simulates a full disk: at every size the run ends right or says why not, and git accepts the
/// result.
#[test]
fn a_full_disk_is_a_sentence_and_nothing_is_half_written() {
    let world = committing_world(&[]);
    assert_eq!(world.rye_json(&GUIDE).0, 0, "the keys are made");
    let mut codes = Vec::new();
    for blocks in [0, 1, 2, 4, 8, 12, 16, 24, 64] {
        let before = world.git(&["for-each-ref", "refs/heads/main"]);
        let (code, shown, stderr) = under_limit(&world, blocks);
        codes.push(code);
        let fsck = world.try_git_in(world.project, &["fsck", "--strict", "--no-dangling"]);
        assert!(fsck.status.success() && fsck.stdout.is_empty(), "{blocks}: {}", String::from_utf8_lossy(&fsck.stderr));
        assert_eq!(world.git(&["for-each-ref", "refs/heads/main"]), before);
        if code == 0 {
            continue;
        }
        assert_eq!(code, 1, "{blocks}: {shown} {stderr}");
        let error = &shown["error"];
        let causes = error["causes"].to_string();
        assert!(causes.contains("File too large"), "{blocks}: {error}");
        assert!(!error["hints"].as_array().unwrap().is_empty(), "{blocks}: {error}");
    }
    assert_eq!((codes[0], codes.last()), (1, Some(&0)), "{codes:?}");
    let ctx = world.context(&[]);
    let listed = rye::thread::list(&rye::session::Session::open(&ctx).unwrap()).unwrap();
    for thread in listed.threads {
        assert!(matches!(thread.status, Status::Completed | Status::Interrupted), "{thread:?}");
        let last = types(&log(&world, &thread.thread_id)).pop().unwrap_or_default();
        assert!(thread.status != Status::Completed || last == "thread_complete", "{last}");
    }
}

/// Clones the project of a world, and goes on in the clone.
fn cloned(mut world: World, options: &[&str], after: &[&[&str]]) -> World {
    world.git(&["config", "uploadpack.allowFilter", "true"]);
    let from = format!("file://{}", world.in_project("").display());
    world.git_in(".", &[&["clone", "-q"], options, &[&from, "clone"]].concat());
    world.project = "clone";
    world.git(&["config", "user.name", "Ada"]);
    world.git(&["config", "user.email", "ada@example.org"]);
    for args in after {
        world.git(args);
    }
    world
}

#[test]
fn shallow_and_partial_clones_have_all_that_a_thread_s_tree_needs() {
    for options in [&["--depth=1"][..], &["--filter=blob:none"], &["--filter=blob:none", "--depth=1"]] {
        let world = committing_world(&[]);
        world.write("src/a.txt", "later\n");
        world.commit("later");
        let world = cloned(world, options, &[]);
        let outcome = world.run(&[
            call("rye_file_system_read", json!({"path": "src/a.txt"})),
            write("src/a.txt", "b\n"),
            text("Done."),
        ]);
        assert_eq!(outcome.status, Status::Completed, "{options:?}");
        assert_eq!(result_in_turn(&world.events(&outcome), 1)["output"]["content"], "later\n");
        assert_eq!(world.changed(&outcome)[2], ["src/a.txt"]);
    }
}

#[test]
fn a_partial_clone_without_the_files_of_its_commit_says_so_and_leaves_nothing() {
    let world = cloned(committing_world(&[]), &["--filter=blob:none", "--no-checkout"], &[]);
    let (code, message, hints) = refused(&world, &[]);
    assert_eq!(code, 1);
    assert!(message.contains("was left out of this partial clone"), "{message}");
    assert!(hints.iter().any(|hint| hint.contains("git fetch --refetch")), "{hints:?}");
    assert_eq!((world.trees(), world.git(&["for-each-ref", "refs/heads/rye"])), (Vec::new(), String::new()));
    assert!(!world.in_project(".git/rye/threads").read_dir().is_ok_and(|mut left| left.next().is_some()));
}

#[test]
fn what_a_sparse_checkout_leaves_out_is_neither_in_the_tree_nor_removed_by_it() {
    let world = committing_world(&[]);
    world.write("docs/b.txt", "b\n");
    world.tool("demo/look", "ls -A; mkdir -p docs; echo c >docs/c.txt");
    let permissions = r#"<execute><tool>demo.*</tool></execute><write resource="filesystem" path="**" />"#;
    world.directive(permissions, r#"turns="5""#, "");
    world.commit("docs");
    world.git(&["sparse-checkout", "set", "--cone", "src", ".ai"]);
    let outcome = world.run(&[call("demo_look", json!({})), text("Done.")]);
    let printed = result_in_turn(&world.events(&outcome), 1)["output"].as_str().unwrap().to_owned();
    assert!(printed.contains("src") && !printed.contains("docs"), "{printed}");
    assert_eq!(world.in_thread(&outcome, "docs/b.txt").unwrap(), "b\n");
    assert_eq!(world.changed(&outcome).concat(), ["docs/c.txt"]);
}

/// A sparse index names whole folders by their trees, which are neither dirty nor in the way.
#[test]
fn a_thread_works_beside_the_folders_that_a_sparse_index_names() {
    let world = World::new();
    world.write("other/deep/x.txt", "x\n");
    world.directive(FILES, r#"turns="9""#, "");
    world.commit("items");
    world.git(&["sparse-checkout", "set", "--cone", "--sparse-index", "src", ".ai"]);
    assert!(world.git(&["ls-files", "--sparse"]).contains("other/\n"));
    let turns = [write("src/a.txt", "b\n"), text("Done.")];
    world.run(&turns);
    let (code, accepted) = world.rye_json(&["thread", "accept", "@latest", "--yes"]);
    assert_eq!((code, world.git(&["status", "--porcelain"])), (0, String::new()), "{accepted}");
    let script = world.script(&[write("src/a.txt", "c\n"), text("Done.")]).display().to_string();
    let args = ["thread", "run", "demo/work", "--in-place", "--provider", SCRIPTED, "--script", &script];
    let (code, ran) = world.rye_json(&args);
    assert_eq!((code, world.git(&["status", "--porcelain"]).as_str()), (0, " M src/a.txt"), "{ran}");
}

#[test]
fn a_git_configuration_that_cannot_be_read_is_named() {
    let world = World::new();
    let path = world.in_project(".git/config");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text + "[bad\n").unwrap();
    let (code, error) = world.rye_json(&["thread", "list"]);
    let shown = path.display();
    let error = &error["error"];
    assert_eq!((code, &error["code"]), (1, &json!("git-config")), "{error}");
    assert_eq!(error["message"], format!("cannot read the git configuration `{shown}`"));
    let hint = format!("run `git config --file {shown} --list` to see its errors, and correct them");
    assert_eq!(error["hints"], json!([hint]));
}
