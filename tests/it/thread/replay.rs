//! Deriving threads again from their records: every forgery is found and named, also one that the agent's key signed.
//!
//! That every thread of every test replays is held in `World::check`.

use rye::keys::{KeyName, KeyStore};
use rye::thread::{Outcome, Status};
use rye::trust::Namespace;
use serde_json::{Value, json};

use super::world::{SCRIPTED, World, call, calls, text, write};

/// A thread with a refused call, a call of a script, a large result and outputs.
pub(super) fn thread() -> (World, Outcome) {
    let world = World::new();
    world.tool("demo/one", "yes long | head -c 60000");
    let permissions = "<execute><tool>rye.file-system.*</tool><tool>demo.one</tool></execute>\
        <write resource=\"filesystem\" path=\"src/**\" />";
    world.directive(permissions, r#"turns="9""#, "<output name=\"note\" required=\"true\">A note</output>");
    world.commit("items");
    let mut said = write("src/new.txt", "n\n");
    said["text"] = json!("I write a file.");
    said["usage"] = json!({"input_tokens": 100, "output_tokens": 7});
    let outcome = world.run(&[
        said,
        calls(&[("demo_one", json!({})), ("rye_file_system_write", json!({"path": "README.md", "content": "x"}))]),
        call("directive_return", json!({"note": "done"})),
    ]);
    assert_eq!(outcome.status, Status::Completed);
    (world, outcome)
}

/// What a forger makes of a thread: files of its folder, and messages of its commits.
#[derive(Default)]
pub(super) struct Forgery<'a> {
    /// A file's name in the folder, what it holds, and what it then holds; an empty first text adds a file.
    pub(super) file: Option<(&'a str, &'a str, &'a str)>,
    /// What a message holds, and what it then holds.
    pub(super) message: Option<(&'a str, &'a str)>,
    /// A path anywhere in the tree, with a text.
    pub(super) path: Option<(&'a str, &'a str)>,
    /// The place of a commit that is left out.
    pub(super) without: Option<usize>,
    /// A file's name in the folder that goes.
    pub(super) removed: Option<&'a str>,
    /// The number of the first commit that is forged.
    pub(super) from: usize,
}

/// Writes the branch anew with the forgery, every commit signed by the agent's own key.
pub(super) fn forge(world: &World, outcome: &Outcome, forgery: &Forgery<'_>) {
    let ctx = world.context(&[]);
    let (key, _) = KeyStore::new(&ctx).unwrap().find_or_create(&ctx, KeyName::Agent).unwrap();
    let commits = world.log(outcome, "%H");
    let mut parent = outcome.base.as_ref().map(ToString::to_string).unwrap();
    for (place, commit) in commits.iter().enumerate() {
        if forgery.without == Some(place) {
            continue;
        }
        let raw = world.git_in(world.project, &["cat-file", "commit", commit]);
        let (headers, message) = raw.split_once("\n\n").unwrap();
        let forged = place >= forgery.from;
        let tree = if forged {
            tree(world, outcome, commit, forgery)
        } else {
            world.git(&["rev-parse", &format!("{commit}^{{tree}}")])
        };
        let mut in_signature = false;
        let kept: Vec<String> = headers
            .lines()
            .filter(|line| {
                in_signature = line.starts_with("gpgsig") || in_signature && line.starts_with(' ');
                !in_signature && !line.starts_with("tree ") && !line.starts_with("parent ")
            })
            .map(str::to_owned)
            .collect();
        let message = match forgery.message {
            Some((old, new)) if forged => message.replace(old, new),
            _ => message.to_owned(),
        };
        let headers = format!("tree {tree}\nparent {parent}\n{}", kept.join("\n"));
        let payload = format!("{headers}\n\n{message}");
        let signature = key.sign_armored(Namespace::Git, payload.as_bytes()).trim_end().replace('\n', "\n ");
        let file = world.path("commit");
        std::fs::write(&file, format!("{headers}\ngpgsig {signature}\n\n{message}")).unwrap();
        parent = world.git(&["hash-object", "-t", "commit", "-w", file.to_str().unwrap()]);
    }
    world.git(&["update-ref", &outcome.branch, &parent]);
}

/// The tree of a commit with the forgery, by an index of its own.
fn tree(world: &World, outcome: &Outcome, commit: &str, forgery: &Forgery<'_>) -> String {
    let index = world.path("forged-index").display().to_string();
    let git = |args: &[&str]| {
        let mut git = std::process::Command::new("git");
        git.args(args).current_dir(world.path(world.project)).env_clear().envs(world.variables());
        let output = git.env("GIT_INDEX_FILE", &index).output().unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    };
    git(&["read-tree", commit]);
    let put = |path: &str, text: &str| {
        let file = world.path("blob");
        std::fs::write(&file, text).unwrap();
        let blob = git(&["hash-object", "-w", file.to_str().unwrap()]);
        git(&["update-index", "--add", "--cacheinfo", &format!("100644,{blob},{path}")]);
    };
    if let Some((name, old, new)) = forgery.file {
        let path = format!(".ai/threads/{}/{name}", outcome.thread_id);
        let shown = world.try_git_in(world.project, &["show", &format!("{commit}:{path}")]);
        let content = String::from_utf8(shown.stdout).unwrap();
        if old.is_empty() {
            put(&path, new);
        } else if shown.status.success() {
            assert!(content.contains(old), "{content}");
            put(&path, &content.replace(old, new));
        }
    }
    if let Some((path, text)) = forgery.path {
        put(path, text);
    }
    if let Some(name) = forgery.removed {
        git(&["rm", "-q", "--cached", &format!(".ai/threads/{}/{name}", outcome.thread_id)]);
    }
    if let Some(place) = forgery.without {
        git(&[
            "rm",
            "-q",
            "--cached",
            "--ignore-unmatch",
            &format!(".ai/threads/{}/turns/00/{place:04}.jsonl", outcome.thread_id),
        ]);
    }
    git(&["write-tree"])
}

/// Replays a forged thread; returns the difference, whose path is shown without the thread's folder.
pub(super) fn difference(world: &World, outcome: &Outcome) -> Value {
    let (code, replay) = world.rye_json(&["thread", "replay", outcome.thread_id.as_str()]);
    assert_eq!((code, &replay["status"]), (1, &json!("different")), "{replay:#}");
    assert_eq!(replay["signatures"], json!([]), "the forger has the agent's key");
    let mut difference = replay["difference"].clone();
    let own = format!(".ai/threads/{}/", outcome.thread_id);
    if let Some(path) = difference["path"].as_str() {
        difference["path"] = json!(path.replace(&own, ""));
    }
    difference
}

/// Forges, and tells turn, path, event and field of the first difference.
fn found(forgery: &Forgery<'_>) -> (Value, Value, Value, String) {
    let (world, outcome) = thread();
    forge(&world, &outcome, forgery);
    let difference = difference(&world, &outcome);
    let message = difference["message"].as_str().unwrap().to_owned();
    (difference["turn"].clone(), difference["path"].clone(), difference["field"].clone(), message)
}

pub(super) fn in_file<'a>(name: &'a str, old: &'a str, new: &'a str, from: usize) -> Forgery<'a> {
    Forgery { file: Some((name, old, new)), from, ..Forgery::default() }
}

#[test]
fn a_record_that_was_only_signed_again_is_the_same() {
    let (world, outcome) = thread();
    forge(&world, &outcome, &Forgery::default());
    world.replays(&outcome);
}

#[test]
fn what_a_model_did_not_say_is_found_by_what_follows_from_it() {
    let (turn, path, field, _) = found(&in_file("turns/00/0001.jsonl", "I write a file.", "I delete it all.", 1));
    assert_eq!((turn, path, field), (json!(1), Value::Null, json!("message, line 3")));
    let file = Some(("turns/00/0001.jsonl", "I write a file.", "I delete it all."));
    let message = Some(("I write a file.", "I delete it all."));
    let (turn, path, field, _) = found(&Forgery { file, message, from: 1, ..Forgery::default() });
    assert_eq!((turn, path), (json!(4), json!("transcript.md")), "{field}");
}

#[test]
fn an_edited_transcript_is_found() {
    let (turn, path, field, message) = found(&in_file("transcript.md", "Completed.", "Perfect.", 4));
    assert_eq!((turn, path), (json!(4), json!("transcript.md")));
    assert!(field.as_str().unwrap().starts_with("line ") && message.ends_with("has another line"), "{field} {message}");
}

#[test]
fn a_dropped_turn_is_found() {
    let (world, outcome) = thread();
    forge(&world, &outcome, &Forgery { without: Some(2), from: 3, ..Forgery::default() });
    let difference = difference(&world, &outcome);
    assert_eq!(
        (&difference["turn"], &difference["path"]),
        (&json!(3), &json!("turns/00/0003.jsonl")),
        "{difference:#}"
    );
}

#[test]
fn changed_counts_are_found() {
    let (turn, path, field, _) = found(&in_file("thread.json", "\"input_tokens\": 100", "\"input_tokens\": 1", 1));
    assert_eq!((turn, path, field), (json!(1), json!("thread.json"), json!("/usage/input_tokens")));
    let (turn, path, field, message) = found(&in_file("turns/00/0001.jsonl", "\"0.00 USD\"", "\"9.00 USD\"", 1));
    assert_eq!((turn, path, field), (json!(1), json!("turns/00/0001.jsonl"), json!("/data/spend")));
    assert_eq!(message, "an event `step_finish` has another value");
    // More tokens than were used are an answer like any other; what follows from it is not as recorded.
    let (turn, path, field, _) =
        found(&in_file("turns/00/0001.jsonl", "\"input_tokens\":100", "\"input_tokens\":1", 1));
    assert_eq!((turn, path, field), (json!(1), json!("thread.json"), json!("/usage/input_tokens")));
}

#[test]
fn a_refusal_that_became_a_result_is_found() {
    let denied = "\"status\":\"denied\"";
    let (turn, path, field, message) = found(&in_file("turns/00/0002.jsonl", denied, "\"status\":\"ok\"", 2));
    assert_eq!((turn, path, field), (json!(2), json!("turns/00/0002.jsonl"), json!("/data/status")));
    assert_eq!(message, "an event `tool_call_result` has another value");
}

#[test]
fn a_call_that_the_token_does_not_allow_is_found() {
    let (turn, path, _, message) = found(&in_file("turns/00/0001.jsonl", "src/new.txt", "README.md", 1));
    assert_eq!((turn, path), (json!(1), json!("turns/00/0001.jsonl")));
    assert_eq!(message, "an event `tool_call_result` is recorded in the place of `permission_denied`");
    let (turn, path, _, message) =
        found(&Forgery { path: Some(("README.md", "taken over\n")), from: 1, ..Forgery::default() });
    assert_eq!(
        (turn, path, message.as_str()),
        (json!(1), json!("README.md"), "the token does not let a tool write `README.md`")
    );
}

#[test]
fn a_wider_token_and_other_limits_are_found() {
    let (turn, path, _, message) = found(&in_file("token.json", "rye.execute.tool.demo.one", "rye.*", 0));
    assert_eq!((turn, path), (json!(0), json!("token.json")));
    assert!(message.contains("was changed after it was signed"), "{message}");
    let (turn, path, _, message) = found(&in_file("setup.json", "\"turns\": 9", "\"turns\": 90", 0));
    assert_eq!(
        (turn, path, message.as_str()),
        (json!(0), json!("token.json"), "the token has other limits than `setup.json`")
    );
    let (turn, path, _, _) = found(&in_file("setup.json", "Work.", "Work hard.", 0));
    assert_eq!((turn, path), (json!(0), json!("turns/00/0000.jsonl")), "the prompt");
}

#[test]
fn files_that_do_not_belong_to_a_record_are_found() {
    let (turn, path, _, message) = found(&in_file("extra.json", "", "{}", 2));
    assert_eq!((turn, path), (json!(2), json!("extra.json")));
    assert!(message.ends_with("is recorded, and nothing leads to it"), "{message}");
    let (turn, _, _, message) = found(&in_file("turns/00/0003.jsonl", "{\"v\":1", "no event {\"v\":1", 3));
    assert_eq!((turn, message.as_str()), (json!(3), "line 1 is not an event of this thread"));
}

#[test]
fn a_whole_result_that_was_exchanged_is_found() {
    let (world, outcome) = thread();
    let names = world.git(&["ls-tree", "-r", "--name-only", &outcome.branch]);
    let name = names.lines().find_map(|path| path.split_once("/artifacts/")).unwrap().1;
    let name = format!("artifacts/{name}");
    forge(&world, &outcome, &in_file(&name, "long", "tall", 2));
    let difference = difference(&world, &outcome);
    assert_eq!((&difference["turn"], &difference["path"]), (&json!(2), &json!(name)), "{difference:#}");
}

#[test]
fn an_end_that_was_cut_off_shows_as_no_end() {
    let (world, outcome) = thread();
    world.git(&["update-ref", &outcome.branch, &format!("{}~1", outcome.branch)]);
    let (code, replay) = world.rye_json(&["thread", "replay", "@latest"]);
    assert_eq!((code, &replay["status"], &replay["has_ended"]), (0, &json!("same"), &json!(false)));
    let shown = world.rye(&["thread", "replay", "@latest"]).output().unwrap().stdout;
    assert!(String::from_utf8(shown).unwrap().contains("the record has no end"));
}

#[test]
fn nothing_but_the_repository_and_the_key_is_needed() {
    let world = World::new();
    world.tool("demo/one", "echo once; echo ran >> src/a.txt");
    world.write_at(
        &world.path("home/.config/rye/config.toml"),
        "[permissions]\ndeny = [\"rye.execute.tool.rye.file-system.write\"]\n",
    );
    let permissions = "<execute><tool>rye.file-system.*</tool><tool>demo.one</tool></execute>\
        <write resource=\"filesystem\" path=\"src/**\" />";
    world.directive(permissions, r#"turns="9""#, "");
    world.commit("items");
    let script =
        world.script(&[call("demo_one", json!({})), write("src/b.txt", "b"), text("Done.")]).display().to_string();
    let args = ["thread", "run", "demo/work", "--provider", SCRIPTED, "--script", &script];
    let (code, printed) = world.rye_json(&args);
    assert_eq!(code, 0, "{printed:#}");
    std::fs::remove_dir_all(world.in_project(".ai")).unwrap();
    std::fs::remove_file(world.path("home/.config/rye/config.toml")).unwrap();
    std::fs::remove_file(&script).unwrap();
    world.git(&["config", "--unset", "user.name"]);
    let objects = || world.git(&["count-objects", "-v"]);
    let before = objects();
    let mut replay = world.rye(&["thread", "replay", "@latest", "--json"]);
    let output = replay.env("PATH", "").output().unwrap();
    let replay: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (output.status.code(), &replay["status"], &replay["has_ended"]),
        (Some(0), &json!("same"), &json!(true)),
        "{replay:#}"
    );
    assert_eq!(objects(), before, "nothing was written");
}

#[test]
fn a_thread_of_an_older_version_is_refused_in_one_sentence() {
    let (world, outcome) = thread();
    // Without `setup.json` in any of its commits, as before there was one.
    let range = format!("{}..{}", outcome.base.as_ref().unwrap(), outcome.branch);
    let filter = format!("git rm -q --cached --ignore-unmatch .ai/threads/{}/setup.json", outcome.thread_id);
    world.git(&["filter-branch", "-f", "--index-filter", &filter, &range]);
    let (code, printed) = world.rye_json(&["thread", "replay", outcome.thread_id.as_str()]);
    let message =
        format!("thread `{}` has no `setup.json`: it was recorded by an older version of Rye", outcome.thread_id);
    assert_eq!(
        (code, &printed["error"]["code"], &printed["error"]["message"]),
        (1, &json!("not-replayable"), &json!(message))
    );
}

#[test]
fn a_difference_is_shown_for_people() {
    let (world, outcome) = thread();
    forge(&world, &outcome, &in_file("thread.json", "\"input_tokens\": 100", "\"input_tokens\": 1", 1));
    let output = world.rye(&["thread", "replay", "@latest"]).output().unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    for part in ["different", "(turn 1)", "thread.json", "/usage/input_tokens", "recorded  1\n", "derived   100\n"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}
