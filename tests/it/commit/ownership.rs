//! Items signed without a question: nothing by default, and with `commit.sign = "own"` only the person's own changes.

use std::fs;

use serde_json::json;

use super::{ECHO, NOTES, assert_clean, forget_others, note};
use crate::mcp::client::Client;
use crate::support::{Person, Sandbox, has, on_terminal};

const NEW: &str = ".ai/tools/x.sh";
const TOOL: &str = "# version: \"1.0.0\"\n# description: Whatever\n# category: \"\"\ntrue\n";

/// A signed project with hooks, whose person is asked about items that are not proven to be theirs.
fn own() -> Sandbox {
    let sandbox = Sandbox::signed();
    sandbox.signs_own();
    sandbox.rye(&["hook", "install", "-q"]).succeeds();
    sandbox
}

/// Commits in both ways, without a terminal: neither signs `path`, and both say why.
fn assert_unsigned(sandbox: &Sandbox, path: &str, why: &str) {
    let (head, text) = (sandbox.git(&["rev-parse", "HEAD"]), fs::read(sandbox.project().join(path)).unwrap());
    let told = format!("`{path}` ({why}");
    let seen = sandbox.rye(&["commit", "-m", "no"]).transcript();
    assert!(
        seen.contains("error: not committed: ") && seen.contains("your confirmation: ") && seen.contains(&told),
        "{seen}"
    );
    assert!(seen.ends_with("[exit 3]\n"), "{seen}");
    sandbox.git(&["add", "-f", path]);
    let (code, said) = sandbox.try_git(&["commit", "-qm", "no"]);
    assert!(code == 1 && said.contains("error: not committed") && said.contains(&told), "{said}");
    assert_eq!(sandbox.git(&["rev-parse", "HEAD"]), head);
    assert_eq!(fs::read(sandbox.project().join(path)).unwrap(), text);
}

/// Has a model write a file over MCP.
fn write_over_mcp(sandbox: &Sandbox, path: &str, content: &str) {
    let mut client = Client::connected(sandbox, &[]);
    client.tool("rye/file-system/write", json!({"path": path, "content": content}));
    client.close();
}

/// Runs a thread whose directive writes `content` to `path`, and then to `.gitignore` and back.
fn write_in_a_thread(sandbox: &Sandbox, path: &str, content: &str) {
    let step = |name: &str, path: &str, content: &str| {
        format!(
            "<step name=\"{name}\"><description>{name}</description><execute item_type=\"tool\" \
             item_id=\"rye/file-system/write\"><param name=\"path\" value=\"{path}\" />\
             <param name=\"content\">{content}</param></execute></step>\n"
        )
    };
    let greet = include_str!("../support/items/greet.md");
    let head = greet
        .split_once("  <inputs>")
        .unwrap()
        .0
        .replace("demo.*", "rye.file-system.*")
        .replace("greet", "work")
        .replace("turns=\"3\"", "turns=\"9\"");
    let head = head.replace("# Greet", "# Work").replace(
        "    </permissions>",
        "      <write resource=\"filesystem\" path=\".ai/**\" />\n      <write resource=\"filesystem\" path=\".gitignore\" />\n    </permissions>",
    );
    let steps = [step("hide", ".gitignore", ".ai/\n"), step("write", path, content), step("show", ".gitignore", "\n")];
    let text = format!("{head}</directive>\n```\n\n<process>\n{}</process>\n", steps.concat());
    sandbox.put(".ai/directives/demo/work.md", &text);
    sandbox.rye(&["sign", "directive", "demo/work", "-q"]).succeeds();
    let seen = sandbox.rye(&["thread", "run", "demo/work"]).transcript();
    assert!(seen.ends_with("[exit 0]\n"), "{seen}");
    fs::remove_file(sandbox.project().join(".ai/directives/demo/work.md")).unwrap();
}

#[test]
fn nothing_is_signed_without_a_question_by_default() {
    let sandbox = Sandbox::signed();
    sandbox.rye(&["hook", "install", "-q"]).succeeds();
    sandbox.edit(ECHO, "category", "category ");
    assert_unsigned(&sandbox, ECHO, "yours");
    sandbox.put(NEW, TOOL);
    assert_unsigned(&sandbox, NEW, "new");
    // After a review `--yes` is the answer, and no repository can give it by way of a hook.
    let seen = sandbox.rye(&["hook", "run", "pre-commit", "--yes"]).transcript();
    assert!(seen.contains("error: not committed") && seen.ends_with("[exit 3]\n"), "{seen}");
    sandbox.rye(&["commit", "-qm", "reviewed", "--yes"]).succeeds();
    assert_clean(&sandbox);
}

#[test]
fn one_question_shows_whose_each_item_was_and_what_changed() {
    if !has("python3") {
        return;
    }
    let sandbox = Sandbox::signed();
    sandbox.edit(ECHO, "category", "category ");
    sandbox.put(NEW, TOOL);
    sandbox.git(&["mv", ".ai/tools/demo/fail.sh", ".ai/tools/demo/halt.sh"]);
    let rye = crate::support::RYE;
    let question = "sign 3 items as yours? [y/N] ";
    for answer in ["n\n", "\n", "yeah\n", "\u{4}", "\u{3}"] {
        let (seen, code) = on_terminal(&sandbox, &[(question, answer)], &[rye, "commit", "-m", "no"]);
        assert!(code == 5 && seen.ends_with(" nothing was committed\n"), "{answer:?}: {seen}");
    }
    // Input from before the question does not answer it.
    let slowly = format!("sleep 1; exec {rye} commit -m no");
    let (seen, code) = on_terminal(&sandbox, &[("", "y\n"), (question, "n\n")], &["sh", "-c", &slowly]);
    assert_eq!(code, 5, "{seen}");
    sandbox.edit(NEW, "Whatever", "What\u{200b}ever");
    // The question is shown and answered on the terminal, wherever the streams of the program lead.
    let streams = format!("exec {rye} commit -qm yes </dev/null >/dev/null");
    let (seen, code) = on_terminal(&sandbox, &[(question, "y\n")], &["sh", "-c", &streams]);
    assert_eq!(code, 0, "{seen}");
    let rows: Vec<String> = seen.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(
        rows[..4],
        [
            "TYPE ID WHOSE CHANGE PATH".to_owned(),
            format!("tool demo/echo yours; this clone has no record of what agents wrote +1 -1 lines {ECHO}"),
            "tool demo/halt new moved from demo/fail .ai/tools/demo/halt.sh".to_owned(),
            format!("tool x new +4 lines, hidden characters {NEW}"),
        ],
        "{seen}"
    );
    assert_clean(&sandbox);
}

#[test]
fn the_hook_asks_on_the_terminal_that_git_does_not_give_it() {
    if !has("python3") {
        return;
    }
    let sandbox = Sandbox::signed();
    sandbox.rye(&["hook", "install", "-q"]).succeeds();
    sandbox.edit(ECHO, "category", "category ");
    let git = ["git", "commit", "-qam", "by git"];
    let question = "sign 1 item as yours? [y/N] ";
    let (seen, code) = on_terminal(&sandbox, &[(question, "n\n")], &git);
    assert!(code == 1 && seen.contains(" nothing was committed"), "{seen}");
    let (seen, code) = on_terminal(&sandbox, &[(question, "y\n")], &git);
    assert_eq!(code, 0, "{seen}");
    assert_clean(&sandbox);
    sandbox.rye(&["verify", "--rev", "HEAD", "-q"]).succeeds();
}

/// No key is needed, and the index stays byte for byte.
#[test]
fn a_hooked_commit_with_nothing_to_sign_is_untouched() {
    let (sandbox, bob) = (Sandbox::signed(), Person::new("bob"));
    sandbox.key_id(&bob);
    sandbox.rye(&["hook", "install", "-q"]).succeeds();
    sandbox.edit(NOTES, "short", "bob's");
    sandbox.rye(&["sign", "knowledge", "demo/notes", "-q", "--yes"]).by(&bob).succeeds();
    sandbox.git(&["add", "-A"]);
    fs::remove_dir_all(sandbox.path("config/rye/keys")).unwrap();
    let index = || fs::read(sandbox.project().join(".git/index")).unwrap();
    let before = index();
    let seen = sandbox.rye(&["hook", "run", "pre-commit"]).transcript();
    assert!(
        seen.ends_with("rye hook run pre-commit\n[no line feed]\n[exit 0]\n") || seen.ends_with("[exit 0]\n"),
        "{seen}"
    );
    assert_eq!(index(), before);
    assert_eq!(sandbox.try_git(&["commit", "-qm", "Bob's"]), (0, String::new()));
    assert!(!sandbox.path("config/rye/keys").exists(), "no key is made for nothing");
}

#[test]
fn changes_to_ones_own_items_are_signed_where_the_configuration_says_so() {
    let sandbox = own();
    sandbox.edit(ECHO, "category", "category ");
    sandbox.rye(&["commit", "-qm", "own"]).succeeds();
    sandbox.edit(NOTES, "short", "own");
    sandbox.git(&["commit", "-qam", "own too"]);
    assert_clean(&sandbox);
    sandbox.rye(&["verify", "--rev", "HEAD", "-q"]).succeeds();
    assert_eq!(note(&sandbox, "HEAD").len(), 1, "by the hook");
    sandbox.put(NEW, TOOL);
    assert_unsigned(&sandbox, NEW, "new");
    fs::remove_file(sandbox.project().join(NEW)).unwrap();
    sandbox.git(&["rm", "-q", "--cached", NEW]);
    // No override gives it, and without the memory of what agents wrote nothing counts as own.
    let seen = sandbox.rye(&["commit", "-m", "no", "--config", "commit.sign=own"]).transcript();
    assert!(seen.contains("set `commit` in the configuration file") && seen.ends_with("[exit 2]\n"), "{seen}");
    let state = sandbox.path("home/.local/state/rye/agent_written");
    sandbox.edit(ECHO, "category ", "category  ");
    fs::remove_file(&state).unwrap();
    assert_unsigned(&sandbox, ECHO, "yours; this clone has no record of what agents wrote");
    for (text, why) in [("x\n", "it is damaged".to_owned()), (&"0\n".repeat(3_000_000), "it is full".to_owned())] {
        fs::write(&state, text).unwrap();
        assert_unsigned(
            &sandbox,
            ECHO,
            &format!("origin unknown: `[SANDBOX]/home/.local/state/rye/agent_written` cannot be read: {why}"),
        );
    }
    // What a crash left of a line is passed over.
    fs::write(&state, "\n0123").unwrap();
    sandbox.rye(&["commit", "-qm", "own"]).succeeds();
}

#[test]
fn what_a_model_wrote_over_mcp_is_not_signed_unasked() {
    let sandbox = own();
    write_over_mcp(&sandbox, NEW, TOOL);
    assert_unsigned(&sandbox, NEW, "written by an agent");
    sandbox.git(&["rm", "-qf", NEW]);
    // An edit of one's own that is not committed is overwritten; carriage returns hide nothing from a normalising git.
    sandbox.put(".gitattributes", "* text=auto eol=lf\n");
    sandbox.edit(ECHO, "category", "category ");
    let text = fs::read_to_string(sandbox.project().join(ECHO)).unwrap();
    for written in
        [text.replace("category ", "category  "), text.replace("category ", "category   ").replace('\n', "\r\n")]
    {
        write_over_mcp(&sandbox, ECHO, &written);
        sandbox.git(&["add", ECHO]);
        assert_unsigned(&sandbox, ECHO, "written by an agent");
    }
    // Nor does a place where it is not an item hide it, with the signature line of the item or another one.
    for (number, place) in
        [".ai/x/echo.sh", ".ai/tools/demo/echo.sh.orig", ".ai/knowledge/echo.txt"].into_iter().enumerate()
    {
        let committed = sandbox.git(&["show", &format!("HEAD:{ECHO}")]);
        write_over_mcp(&sandbox, place, &format!("{committed}# {number}\n"));
        fs::rename(sandbox.project().join(place), sandbox.project().join(ECHO)).unwrap();
        sandbox.git(&["add", ECHO]);
        assert_unsigned(&sandbox, ECHO, "written by an agent");
    }
    // What a person makes of it is theirs again.
    sandbox.put(ECHO, &text);
    sandbox.git(&["add", ECHO]);
    sandbox.rye(&["commit", "-qm", "mine"]).succeeds();
}

#[test]
fn what_a_tool_of_a_model_wrote_is_not_signed_unasked() {
    let sandbox = own();
    sandbox.put(
        ".ai/tools/demo/write.sh",
        &TOOL.replace("\"\"", "demo").replace("true", "printf '# by a script\\n' >> .ai/tools/demo/echo.sh"),
    );
    sandbox.rye(&["sign", "tool", "demo/write", "-q"]).succeeds();
    let config = sandbox.path("config/rye/config.toml");
    let granted = fs::read_to_string(&config).unwrap() + "\n[sandbox]\nwrite = [\".ai/tools\"]\n";
    fs::write(config, granted).unwrap();
    let mut client = Client::connected(&sandbox, &[]);
    client.tool("demo/write", json!({}));
    client.close();
    assert!(fs::read_to_string(sandbox.project().join(ECHO)).unwrap().ends_with("# by a script\n"));
    assert_unsigned(&sandbox, ECHO, "written by an agent");
}

#[test]
fn what_a_thread_wrote_is_not_signed_unasked_whatever_became_of_the_thread() {
    let sandbox = own();
    let text = fs::read_to_string(sandbox.project().join(ECHO)).unwrap().replace("category", "category ");
    sandbox.edit(ECHO, "category", "category  ");
    write_in_a_thread(&sandbox, ECHO, &text.replace('<', "&lt;"));
    let branch = sandbox.git(&["for-each-ref", "--format=%(refname:short)", "refs/heads/rye"]);
    // Brought over by hand.
    sandbox.git(&["checkout", branch.trim(), "--", ECHO]);
    sandbox.git(&["branch", "-qD", branch.trim()]);
    assert_unsigned(&sandbox, ECHO, "written by an agent");
}

/// A branch `theirs` where another person signed and committed a change to ECHO and a new item.
fn with_theirs(sandbox: &Sandbox) {
    let bob = Person::new("bob");
    sandbox.key_id(&bob);
    sandbox.git(&["checkout", "-qb", "theirs"]);
    sandbox.edit(ECHO, "category", "category ");
    sandbox.put(NEW, TOOL);
    let bare = |path: &str| {
        let text = fs::read_to_string(sandbox.project().join(path)).unwrap();
        let kept = text.lines().filter(|line| !line.contains("rye:signed")).map(|line| format!("{line}\n"));
        fs::write(sandbox.project().join(path), kept.collect::<String>()).unwrap();
    };
    bare(ECHO);
    sandbox.git(&["add", "-A"]);
    sandbox.git(&["commit", "-qm", "theirs", "--no-verify"]);
    sandbox.git(&["checkout", "-q", "main"]);
}

#[test]
fn what_another_work_tree_s_detached_head_has_is_not_signed_unasked() {
    let sandbox = own();
    with_theirs(&sandbox);
    sandbox.git(&["worktree", "add", "-q", "--detach", "../wt", "theirs"]);
    sandbox.git(&["branch", "-qD", "theirs"]);
    fs::copy(sandbox.path("wt").join(ECHO), sandbox.project().join(ECHO)).unwrap();
    assert_unsigned(&sandbox, ECHO, "comes from the work tree wt");
}

/// What only another work tree's own refs have, or a ref next to `HEAD`, in the repository or in another work tree.
#[test]
fn what_only_a_ref_of_a_work_tree_has_is_not_signed_unasked() {
    for (why, name) in [
        ("comes from the work tree wt", "refs/bisect/bad"),
        ("comes from the work tree wt", "refs/worktree/deep/er/x"),
        ("comes from the work tree wt", "refs/rewritten/onto"),
        ("comes from the work tree wt", "MY_HEAD"),
        ("comes from MY_HEAD", "MY_HEAD"),
        ("comes from", "refs/worktree/x"),
        ("comes from", "BISECT_EXPECTED_REV"),
        ("comes from", "MY_TAG"),
    ] {
        let sandbox = own();
        with_theirs(&sandbox);
        let theirs = sandbox.git(&["rev-parse", "theirs"]);
        sandbox.git(&["worktree", "add", "-q", "--detach", "../wt", "main"]);
        let dir = if why.ends_with("wt") { ".git/worktrees/wt" } else { ".git" };
        let mut id = theirs.clone();
        if name == "MY_TAG" {
            sandbox.git(&["tag", "-a", "-m", "x", "v1", "theirs"]);
            id = sandbox.git(&["rev-parse", "v1"]);
            sandbox.git(&["tag", "-d", "v1"]);
        }
        sandbox.put(&format!("{dir}/{name}"), &id);
        sandbox.git(&["branch", "-qD", "theirs"]);
        sandbox.git(&["checkout", "-q", theirs.trim(), "--", ".ai"]);
        assert_unsigned(&sandbox, ECHO, why);
    }
}

#[test]
fn what_comes_from_elsewhere_is_not_signed_unasked() {
    let ways: [(&str, &[&[&str]]); 6] = [
        ("comes from theirs", &[&["merge", "-q", "--squash", "theirs"]]),
        ("comes from theirs", &[&["cherry-pick", "-n", "theirs"]]),
        ("comes from theirs", &[&["checkout", "theirs", "--", "."]]),
        (
            "comes from FETCH_HEAD",
            &[&["fetch", "-q", ".", "theirs"], &["branch", "-qD", "theirs"], &["checkout", "FETCH_HEAD", "--", "."]],
        ),
        (
            "comes from ORIG_HEAD",
            &[&["merge", "-q", "theirs"], &["branch", "-qD", "theirs"], &["reset", "-q", "--soft", "HEAD~1"]],
        ),
        (
            "comes from stash",
            &[
                &["checkout", "theirs", "--", "."],
                &["stash", "-q"],
                &["branch", "-qD", "theirs"],
                &["stash", "apply", "-q", "--index"],
            ],
        ),
    ];
    for (why, commands) in ways {
        for is_own in [true, false] {
            let sandbox = if is_own { own() } else { hooked_by_default() };
            with_theirs(&sandbox);
            commands.iter().for_each(|command| drop(sandbox.git(command)));
            assert_unsigned(&sandbox, ECHO, why);
            assert_unsigned(&sandbox, NEW, why);
        }
    }
}

fn hooked_by_default() -> Sandbox {
    let sandbox = Sandbox::signed();
    sandbox.rye(&["hook", "install", "-q"]).succeeds();
    sandbox
}

#[test]
fn what_is_applied_as_a_patch_is_not_signed_unasked() {
    let sandbox = own();
    with_theirs(&sandbox);
    fs::write(sandbox.path("patch"), sandbox.git(&["diff", "--binary", "main", "theirs"])).unwrap();
    sandbox.git(&["apply", "--index", "../patch"]);
    assert_unsigned(&sandbox, ECHO, "comes from theirs");
    // Where no ref has it, a new item is still asked about.
    sandbox.git(&["branch", "-qD", "theirs"]);
    assert_unsigned(&sandbox, NEW, "new");
}

#[test]
fn what_a_squash_merged_into_ones_own_is_not_signed_unasked() {
    let sandbox = own();
    with_theirs(&sandbox);
    let text = fs::read_to_string(sandbox.project().join(ECHO)).unwrap();
    sandbox.put(ECHO, &format!("{text}# mine\n"));
    sandbox.rye(&["commit", "-qm", "mine", "--yes"]).succeeds();
    drop(sandbox.try_git(&["merge", "-q", "--squash", "theirs"]));
    sandbox.put(ECHO, &format!("{}# mine\n", text.replace("category", "category ")));
    sandbox.git(&["add", ECHO]);
    assert_unsigned(&sandbox, ECHO, "comes from a squashed merge");
}

/// A branch `theirs` whose first commit has a change to ECHO that its second one changed again.
fn with_theirs_in_the_middle(sandbox: &Sandbox) {
    with_theirs(sandbox);
    sandbox.git(&["checkout", "-q", "theirs"]);
    sandbox.edit(ECHO, "category ", "category   ");
    sandbox.git(&["commit", "-qam", "theirs again", "--no-verify"]);
    sandbox.git(&["checkout", "-q", "main"]);
}

#[test]
fn what_an_earlier_commit_of_another_branch_has_is_not_signed_unasked() {
    let ways: [(&str, &[&[&str]]); 5] = [
        ("comes from theirs", &[]),
        // However git holds on to it.
        ("comes from s/x", &[&["update-ref", "refs/remotes/s/x", "theirs"], &["branch", "-qD", "theirs"]]),
        ("comes from notes/x", &[&["update-ref", "refs/notes/x", "theirs"], &["branch", "-qD", "theirs"]]),
        (
            "comes from x",
            &[&["tag", "-a", "-m", "x", "x", "theirs"], &["branch", "-qD", "theirs"], &["pack-refs", "--all"]],
        ),
        (
            // Merged into a third branch that kept nothing of it.
            "comes from kept",
            &[
                &["checkout", "-qb", "kept"],
                &["commit", "-q", "--allow-empty", "--no-verify", "-m", "x"],
                &["merge", "-q", "-s", "ours", "-m", "x", "theirs"],
                &["checkout", "-q", "main"],
                &["tag", "y", "theirs"],
                &["branch", "-qD", "theirs"],
                &["tag", "-d", "y"],
            ],
        ),
    ];
    for (why, commands) in ways {
        let sandbox = own();
        with_theirs_in_the_middle(&sandbox);
        let picked = sandbox.git(&["rev-parse", "theirs~1"]);
        commands.iter().for_each(|command| drop(sandbox.git(command)));
        sandbox.git(&["cherry-pick", "-n", picked.trim()]);
        assert_unsigned(&sandbox, ECHO, why);
        sandbox.edit(ECHO, "category ", "category    ");
        sandbox.git(&["rm", "-qf", "--cached", NEW]);
        fs::remove_file(sandbox.project().join(NEW)).unwrap();
        sandbox.git(&["add", ECHO]);
        assert_unsigned(&sandbox, ECHO, "changed on ");
        forget_others(&sandbox);
        // While git's notes of the pick exist, the origin is unknown.
        assert_unsigned(&sandbox, ECHO, "origin unknown: what git picked or merged waits for its commit");
        for name in ["MERGE_MSG", "AUTO_MERGE"] {
            let _ = fs::remove_file(sandbox.project().join(".git").join(name));
        }
        sandbox.rye(&["commit", "-qm", "own"]).succeeds();
    }
}

#[test]
fn what_a_tag_of_a_folder_or_a_file_has_is_not_signed_unasked() {
    for (object, commands) in [
        ("theirs^{tree}", [&["checkout", "x", "--", ECHO][..], &[]]),
        ("theirs:.ai", [&["checkout", "theirs", "--", ECHO], &[]]),
        ("theirs:.ai/tools", [&["checkout", "theirs", "--", ECHO], &[]]),
        ("theirs:.ai/tools/demo", [&["checkout", "theirs", "--", ECHO], &[]]),
        ("theirs:.ai/tools/demo/echo.sh", [&["checkout", "theirs", "--", ECHO], &[]]),
    ] {
        let sandbox = own();
        with_theirs(&sandbox);
        sandbox.git(&["tag", "-a", "-m", "x", "x", object]);
        commands.into_iter().filter(|command| !command.is_empty()).for_each(|command| drop(sandbox.git(command)));
        sandbox.git(&["branch", "-qD", "theirs"]);
        assert_unsigned(&sandbox, ECHO, "comes from x");
        // Nor is it signed unasked when its person changed it once more.
        sandbox.edit(ECHO, "category ", "category    ");
        sandbox.git(&["add", ECHO]);
        assert_unsigned(&sandbox, ECHO, "changed on x too");
        forget_others(&sandbox);
        sandbox.rye(&["commit", "-qm", "own"]).succeeds();
    }
}

#[test]
fn what_an_older_entry_of_the_stash_has_is_not_signed_unasked() {
    for is_index in [false, true] {
        let sandbox = own();
        with_theirs(&sandbox);
        let text = fs::read_to_string(sandbox.project().join(ECHO)).unwrap();
        sandbox.git(&["checkout", "theirs", "--", ECHO]);
        if is_index {
            // Staged only: it is in the second parent of the entry.
            sandbox.put(ECHO, &text);
        }
        sandbox.git(&["stash", "-q"]);
        sandbox.git(&["branch", "-qD", "theirs"]);
        sandbox.put("other", "x");
        sandbox.git(&["add", "other"]);
        sandbox.git(&["stash", "-q"]);
        let there = if is_index { "stash@{1}^2" } else { "stash@{1}" };
        sandbox.git(&["checkout", there, "--", ECHO]);
        assert_unsigned(&sandbox, ECHO, "comes from stash");
        sandbox.git(&["stash", "drop", "-q", "stash@{1}"]);
        sandbox.edit(ECHO, "category ", "category    ");
        sandbox.git(&["add", ECHO]);
        sandbox.rye(&["commit", "-qm", "own"]).succeeds();
    }
}

/// A branch that was left where `HEAD` had the text says nothing against whoever goes back to it.
#[test]
fn what_head_itself_had_before_is_ones_own() {
    let sandbox = own();
    sandbox.git(&["branch", "old"]);
    let text = fs::read_to_string(sandbox.project().join(ECHO)).unwrap();
    sandbox.git(&["checkout", "-q", "old"]);
    sandbox.git(&["commit", "-q", "--allow-empty", "--no-verify", "-m", "x"]);
    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.edit(ECHO, "category", "category ");
    sandbox.rye(&["commit", "-qm", "own"]).succeeds();
    let bare: String =
        text.lines().filter(|line| !line.contains("rye:signed")).map(|line| format!("{line}\n")).collect();
    sandbox.put(ECHO, &bare);
    sandbox.rye(&["commit", "-qm", "back"]).succeeds();
    assert_clean(&sandbox);
}

/// A client may start the server without the person's `XDG_STATE_HOME`: what it recorded in the default place counts.
#[test]
fn what_a_server_recorded_in_the_default_place_counts_for_a_person_with_another_one() {
    let sandbox = own();
    let state = sandbox.path("state");
    fs::create_dir_all(state.join("rye")).unwrap();
    fs::write(state.join("rye/agent_written"), "").unwrap();
    let text = fs::read_to_string(sandbox.project().join(ECHO)).unwrap();
    write_over_mcp(&sandbox, ECHO, &text.replace("category", "category "));
    let commit = || sandbox.rye(&["commit", "-m", "later"]).env("XDG_STATE_HOME", state.to_str().unwrap()).transcript();
    let seen = commit();
    assert!(seen.contains(&format!("`{ECHO}` (written by an agent")) && seen.ends_with("[exit 3]\n"), "{seen}");
    sandbox.edit(ECHO, "category ", "category  ");
    let seen = commit();
    assert!(seen.ends_with("[exit 0]\n"), "{seen}");
}
