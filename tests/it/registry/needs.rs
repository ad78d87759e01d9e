//! What an item needs is published and pulled with it.

use std::fs;

use super::{another, json, write};
use crate::support::Sandbox;

const DIRECTIVE: &str = include_str!("greet.md");

fn project() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.rye(&["key", "generate", "-q"]).succeeds();
    sandbox.put(".ai/directives/team/greet.md", DIRECTIVE);
    let helper = "def word():\n    return 'Hello'\n";
    sandbox.put(".ai/tools/team/words.py", helper);
    let digest = rye::trust::ContentHash::of(helper.as_bytes());
    sandbox.put(
        ".ai/tools/team/hello.yaml",
        &format!(
            "tool_id: hello\nversion: 1.0.0\ndescription: Says hello\ncategory: team\ncompanions:\n  - {{path: words.py, sha256: {digest}}}\n"
        ),
    );
    write(&sandbox, "team/manners", "1.0.0", "Be kind.");
    sandbox
}

#[test]
fn needed_items_and_companions_travel_with_what_needs_them() {
    let sandbox = project();
    for (item_type, id) in [("directive", "team/greet"), ("tool", "team/hello"), ("knowledge", "team/manners")] {
        sandbox.rye(&["sign", item_type, id, "-q"]).succeeds();
    }
    let seen = sandbox.rye(&["publish", "directive", "team/greet", "--yes"]).transcript();
    for line in
        ["Published team/manners 1.0.0", "Published team/hello 1.0.0", "Published team/greet 1.0.0 to local (seq 4)"]
    {
        assert!(seen.contains(line), "{seen}");
    }
    assert!(seen.contains("  words.py ("), "{seen}");
    let other = another(&sandbox, "other");
    let outcome = json(&sandbox.rye(&["-C", &other, "pull", "team/greet", "--json"]).stdout());
    let ids: Vec<&str> =
        outcome["pulled"].as_array().unwrap().iter().map(|item| item["item_id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 3, "{outcome}");
    assert_eq!(ids[2], "team/greet");
    for path in
        ["directives/team/greet.md", "tools/team/hello.yaml", "tools/team/words.py", "knowledge/team/manners.md"]
    {
        let file = |folder: &str| fs::read(sandbox.path(folder).join(".ai").join(path)).unwrap();
        assert_eq!(file("other"), file("project"), "{path}");
    }
    let lock = fs::read_to_string(sandbox.path("other/rye.lock")).unwrap();
    assert_eq!(lock.matches("needed = true").count(), 2, "{lock}");
    // Changed files next to a tool are not overwritten.
    fs::write(sandbox.path("other/.ai/tools/team/words.py"), "mine\n").unwrap();
    let seen = sandbox.rye(&["-C", &other, "pull", "team/hello"]).transcript();
    assert!(
        seen.contains("the companion `words.py` of tool `team/hello` in the project space was changed here"),
        "{seen}"
    );
}

#[test]
fn nothing_is_published_without_all_that_it_needs() {
    let sandbox = project();
    sandbox.rye(&["sign", "directive", "team/greet", "-q"]).succeeds();
    let seen = sandbox.rye(&["publish", "directive", "team/greet", "--yes"]).transcript();
    assert!(seen.contains("needs your own signature, and it is not signed") && seen.ends_with("[exit 3]\n"), "{seen}");
    fs::remove_file(sandbox.project().join(".ai/knowledge/team/manners.md")).unwrap();
    let seen = sandbox.rye(&["publish", "directive", "team/greet", "--yes"]).transcript();
    assert!(seen.contains("unknown knowledge `team/manners`") && !seen.ends_with("[exit 0]\n"), "{seen}");
    assert!(!sandbox.path("home/.local/share/rye/registries").exists());
}

#[test]
fn a_lock_brings_the_same_bytes_and_never_others() {
    let sandbox = project();
    for (item_type, id) in [("directive", "team/greet"), ("tool", "team/hello"), ("knowledge", "team/manners")] {
        sandbox.rye(&["sign", item_type, id, "-q"]).succeeds();
    }
    sandbox.rye(&["publish", "directive", "team/greet", "--yes", "-q"]).succeeds();
    let other = another(&sandbox, "other");
    sandbox.rye(&["-C", &other, "pull", "team/greet", "-q"]).succeeds();
    super::publish(&sandbox, "team/manners", "1.1.0", "Be kinder.");
    let lock = fs::read(sandbox.path("other/rye.lock")).unwrap();
    fs::remove_dir_all(sandbox.path("other/.ai")).unwrap();
    for mode in ["--locked", "--frozen"] {
        sandbox.rye(&["-C", &other, "pull", mode, "-q"]).succeeds();
        assert_eq!(fs::read(sandbox.path("other/rye.lock")).unwrap(), lock);
    }
    // Needed items stay in the version of the lock; requested ones get newer.
    sandbox.rye(&["-C", &other, "pull", "team/greet", "-q"]).succeeds();
    assert_eq!(fs::read(sandbox.path("other/rye.lock")).unwrap(), lock);
    let seen = sandbox.rye(&["-C", &other, "pull", "team/manners", "--locked"]).transcript();
    assert!(seen.contains("Unchanged team/manners 1.0.0"), "{seen}");
    let seen = sandbox.rye(&["-C", &other, "pull", "team/manners@1.1.0", "--locked"]).transcript();
    assert!(
        seen.contains("`rye.lock` has no version of `team/manners` that matches `^1.1.0`")
            && seen.ends_with("[exit 1]\n"),
        "{seen}"
    );
    let text = String::from_utf8(lock).unwrap();
    let digest = text.split("sha256 = \"").nth(1).unwrap()[..64].to_owned();
    fs::write(sandbox.path("other/rye.lock"), text.replace(&digest, &"0".repeat(64))).unwrap();
    let seen = sandbox.rye(&["-C", &other, "pull", "--locked"]).transcript();
    assert!(seen.contains("is not the one in `rye.lock`") && seen.ends_with("[exit 3]\n"), "{seen}");
    sandbox.rye(&["registry", "remove", "local", "-q"]).succeeds();
    sandbox.rye(&["registry", "add", "local", "../home/.local/share/rye/registries/local", "-q"]).succeeds();
    fs::remove_dir_all(sandbox.path("home/.cache/rye/registries")).unwrap();
    let seen = sandbox.rye(&["-C", &other, "pull", "team/greet", "--offline"]).transcript();
    assert!(seen.contains("the registry `local` was not fetched yet") && seen.ends_with("[exit 1]\n"), "{seen}");
}

#[test]
fn an_update_shows_what_an_item_may_do_more_and_asks() {
    let sandbox = project();
    for (item_type, id) in [("directive", "team/greet"), ("tool", "team/hello"), ("knowledge", "team/manners")] {
        sandbox.rye(&["sign", item_type, id, "-q"]).succeeds();
    }
    sandbox.rye(&["publish", "directive", "team/greet", "--yes", "-q"]).succeeds();
    let other = another(&sandbox, "other");
    sandbox.rye(&["-C", &other, "pull", "team/greet", "-q"]).succeeds();
    let run = |args: &[&str]| sandbox.rye(&[&["-C", &other], args].concat()).transcript();
    assert!(
        run(&["outdated"]).contains("current\tdirective\tteam/greet\t1.0.0\t1.0.0\tlocal\t"),
        "{}",
        run(&["outdated"])
    );
    let wider = "<execute><tool>team/hello</tool><tool>team/wipe</tool></execute>";
    sandbox.edit(".ai/directives/team/greet.md", "<execute><tool>team/hello</tool></execute>", wider);
    sandbox.edit(".ai/directives/team/greet.md", "version=\"1.0.0\"", "version=\"1.1.0\"");
    sandbox.rye(&["sign", "directive", "team/greet", "-q"]).succeeds();
    sandbox.rye(&["publish", "directive", "team/greet", "--yes", "-q"]).succeeds();
    let seen = run(&["outdated"]);
    assert!(seen.contains("outdated\tdirective\tteam/greet\t1.0.0\t1.1.0\tlocal\t"), "{seen}");
    let file = sandbox.path("other/.ai/directives/team/greet.md");
    let before = fs::read(&file).unwrap();
    let seen = run(&["update", "--preview"]);
    assert!(
        seen.contains("Would update team/greet 1.1.0 from local")
            && seen.contains("directive team/greet 1.0.0 -> 1.1.0\n  + permission rye.execute.tool.team.wipe\n@@"),
        "{seen}"
    );
    let seen = run(&["update"]);
    assert!(
        seen.contains("not updated: confirm on a terminal or pass `--yes`") && seen.ends_with("[exit 3]\n"),
        "{seen}"
    );
    assert_eq!(fs::read(&file).unwrap(), before);
    let seen = run(&["update", ".ai/directives/team/greet.md@^1.1", "--preview"]);
    assert!(seen.contains("Would update team/greet 1.1.0"), "{seen}");
    let seen = run(&["update", "team/greet", "--yes"]);
    assert!(seen.contains("Updated team/greet 1.1.0 from local"), "{seen}");
    assert!(seen.contains("wants more than the version before: permission rye.execute.tool.team.wipe"), "{seen}");
    let seen = run(&["update", "team/other"]);
    assert!(seen.contains("`team/other` is not in `rye.lock`") && seen.ends_with("[exit 1]\n"), "{seen}");
}

/// Whatever widens what an item can do or cost comes before its text.
#[test]
fn an_update_tells_raised_limits_models_hooks_context_and_settings_first() {
    let sandbox = project();
    let sign = || {
        for (item_type, id) in [("directive", "team/greet"), ("tool", "team/hello"), ("knowledge", "team/manners")] {
            sandbox.rye(&["sign", item_type, id, "-q"]).succeeds();
        }
    };
    sign();
    sandbox.rye(&["publish", "directive", "team/greet", "--yes", "-q"]).succeeds();
    let other = another(&sandbox, "other");
    sandbox.rye(&["-C", &other, "pull", "team/greet", "-q"]).succeeds();
    let (greet, hello) = (".ai/directives/team/greet.md", ".ai/tools/team/hello.yaml");
    let limits = "<limits turns=\"4\" tokens=\"20000\" spend=\"0.10\" />";
    sandbox.edit(greet, limits, "<limits turns=\"400\" tokens=\"10000\" />");
    sandbox.edit(greet, "<model tier=\"steps\" />", "<model tier=\"general\" />");
    sandbox.edit(
        greet,
        "<before>team/manners</before>",
        "<before>team/manners</before>\n      <system>team/manners</system>",
    );
    sandbox.edit(greet, "version=\"1.0.0\"", "version=\"1.1.0\"");
    sandbox.edit(hello, "version: 1.0.0", "version: 1.1.0\nconfig:\n  command: rm -rf\nenv:\n  TOKEN: x");
    sign();
    sandbox.rye(&["publish", "directive", "team/greet", "--yes", "-q"]).succeeds();
    let seen = sandbox.rye(&["-C", &other, "update", "--preview"]).transcript();
    let (of_tool, of_directive) = seen.split_once("directive team/greet 1.0.0 -> 1.1.0").unwrap();
    let first = |seen: &str| seen.split_once("@@").unwrap().0.to_owned();
    for line in ["  + config command \"rm -rf\"", "  + environment TOKEN=x"] {
        assert!(first(of_tool).contains(line), "{line}: {seen}");
    }
    for line in ["  + model general", "  - model steps", "  + system context team/manners", "  + limit turns 4 -> 400"]
    {
        assert!(first(of_directive).contains(line), "{line}: {seen}");
    }
    let spend = "  + limit spend 0.1";
    assert!(first(of_directive).contains(spend) && !seen.contains("limit tokens"), "left open is the default: {seen}");
}

#[test]
fn a_version_with_another_extension_takes_the_place_of_the_old_file() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.rye(&["key", "generate", "-q"]).succeeds();
    let publish = || {
        sandbox.rye(&["sign", "tool", "team/hello", "-q"]).succeeds();
        sandbox.rye(&["publish", "tool", "team/hello", "--yes", "-q"]).succeeds();
    };
    let header =
        |version: &str| format!("tool_id: hello\nversion: {version}\ndescription: Says hello\ncategory: team\n");
    sandbox.put(".ai/tools/team/hello.yaml", &header("1.0.0"));
    publish();
    let other = another(&sandbox, "other");
    sandbox.rye(&["-C", &other, "pull", "team/hello", "-q"]).succeeds();
    fs::remove_file(sandbox.project().join(".ai/tools/team/hello.yaml")).unwrap();
    sandbox.put(".ai/tools/team/hello.yml", &header("1.1.0"));
    publish();
    let seen = sandbox.rye(&["-C", &other, "update", "--yes"]).transcript();
    assert!(seen.contains("Updated team/hello 1.1.0 from local") && seen.ends_with("[exit 0]\n"), "{seen}");
    let names: Vec<_> =
        fs::read_dir(sandbox.path("other/.ai/tools/team")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["hello.yml"]);
    // Local changes stay.
    let file = sandbox.path("other/.ai/tools/team/hello.yml");
    fs::write(&file, fs::read_to_string(&file).unwrap() + "# mine\n").unwrap();
    let seen = sandbox.rye(&["-C", &other, "pull", "team/hello@=1.0.0"]).transcript();
    assert!(seen.contains("was changed here") && file.exists(), "{seen}");
    sandbox.rye(&["-C", &other, "pull", "team/hello@=1.0.0", "--force", "-q"]).succeeds();
    assert!(!file.exists() && sandbox.path("other/.ai/tools/team/hello.yaml").exists());
}

#[test]
fn what_others_need_is_not_removed_and_what_nothing_needs_any_more_is() {
    let sandbox = project();
    for (item_type, id) in [("directive", "team/greet"), ("tool", "team/hello"), ("knowledge", "team/manners")] {
        sandbox.rye(&["sign", item_type, id, "-q"]).succeeds();
    }
    sandbox.rye(&["publish", "directive", "team/greet", "--yes", "-q"]).succeeds();
    let other = another(&sandbox, "other");
    let run = |args: &[&str]| sandbox.rye(&[&["-C", &other], args].concat()).transcript();
    assert!(run(&["pull", "team/greet", "-q"]).ends_with("[exit 0]\n"));
    let seen = run(&["remove", "team/hello"]);
    assert!(seen.contains("error: tool `team/hello` is needed by directive `team/greet`"), "{seen}");
    assert!(seen.contains("hint: remove these first, or run `rye remove team/hello --force`"), "{seen}");
    assert!(seen.ends_with("[exit 1]\n") && sandbox.path("other/.ai/tools/team/hello.yaml").exists(), "{seen}");
    // A directly requested item stays, and so does a file that was changed here.
    assert!(run(&["pull", "team/manners", "-q"]).ends_with("[exit 0]\n"));
    let tool = sandbox.path("other/.ai/tools/team/hello.yaml");
    let text = fs::read_to_string(&tool).unwrap();
    fs::write(&tool, format!("{text}# mine\n")).unwrap();
    let seen = run(&["remove", "team/greet"]);
    assert!(seen.contains("Removed team/greet 1.0.0\nRemoved team/hello 1.0.0 (not needed any more)\n"), "{seen}");
    assert!(seen.contains("note: the file of tool `team/hello` was changed here and stays"), "{seen}");
    assert!(tool.exists() && !sandbox.path("other/.ai/directives/team/greet.md").exists());
    let lock = fs::read_to_string(sandbox.path("other/rye.lock")).unwrap();
    assert!(lock.contains("team/manners") && !lock.contains("team/hello") && !lock.contains("team/greet"), "{lock}");
}

#[test]
fn what_was_pulled_is_removed_unless_it_was_changed() {
    let sandbox = project();
    super::publish(&sandbox, "team/manners", "1.0.0", "Be kind.");
    let other = another(&sandbox, "other");
    sandbox.rye(&["-C", &other, "pull", "team/manners", "-q"]).succeeds();
    let file = sandbox.path("other/.ai/knowledge/team/manners.md");
    let before = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{before}Mine.\n")).unwrap();
    let seen = sandbox.rye(&["-C", &other, "remove", "team/manners"]).transcript();
    assert!(seen.contains("in the project space was changed here") && seen.ends_with("[exit 1]\n"), "{seen}");
    fs::write(&file, before).unwrap();
    let seen = sandbox.rye(&["-C", &other, "remove", "team/manners"]).transcript();
    assert!(seen.contains("Removed team/manners 1.0.0\n[exit 0]"), "{seen}");
    assert!(!file.exists() && !fs::read_to_string(sandbox.path("other/rye.lock")).unwrap().contains("team/manners"));
}

#[test]
fn the_runtime_that_a_tool_names_travels_with_it() {
    let sandbox = project();
    let header = "version: 1.0.0\ndescription: Runs\ncategory: team\n";
    let runtime = "tool_type: runtime\nexecutor_id: rye/core/primitives/subprocess\nconfig: {command: sh, args: [\"{tool_path}\"]}\n";
    sandbox.put(".ai/tools/team/run.yaml", &format!("{header}{runtime}"));
    let tool = "# version: 1.0.0\n# description: Says hello\n# category: team\n# executor_id: team/run\ncat >/dev/null; echo hello\n";
    sandbox.put(".ai/tools/team/say.sh", tool);
    for id in ["team/run", "team/say"] {
        sandbox.rye(&["sign", "tool", id, "-q"]).succeeds();
    }
    let seen = sandbox.rye(&["publish", "tool", "team/say", "--yes"]).transcript();
    assert!(seen.contains("Published team/run 1.0.0") && seen.contains("Published team/say 1.0.0"), "{seen}");
    let other = another(&sandbox, "other");
    let outcome = json(&sandbox.rye(&["-C", &other, "pull", "team/say", "--json"]).stdout());
    assert_eq!(outcome["pulled"].as_array().unwrap().len(), 2, "{outcome}");
    let ran = sandbox.rye(&["-C", &other, "execute", "tool", "team/say"]).transcript();
    assert!(ran.contains("hello") && ran.ends_with("[exit 0]\n"), "{ran}");
}
