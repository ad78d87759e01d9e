//! Mistakes on the command line whose hint works as pasted.

use snapbox::str;

use crate::support::{Sandbox, assert_seen};

#[test]
fn an_amount_that_is_none_is_repeated_as_it_was_given() {
    let sandbox = Sandbox::signed();
    assert_seen(
        sandbox.rye(&["thread", "run", "demo/greet", "--limit", "spend=abc"]).transcript(),
        str![[r#"
$ rye thread run demo/greet --limit spend=abc
[stderr]
error: invalid value 'spend=abc' for '--limit <NAME=VALUE>': invalid amount `abc`: write it as a decimal number like `0.10`

For more information, try '--help'.
[exit 2]

"#]],
    );
}

#[test]
fn an_item_of_another_space_is_loaded_from_there() {
    let sandbox = Sandbox::signed();
    assert_seen(
        sandbox.rye(&["load", "directive", "demo/greet", "--from", "user"]).transcript(),
        str![[r#"
$ rye load directive demo/greet --from user
[stderr]
error: unknown directive `demo/greet` in the user space
hint: the project space has it: run `rye load directive demo/greet --from project`
[exit 1]

"#]],
    );
    sandbox.rye(&["load", "directive", "demo/greet", "--from", "project"]).succeeds();
    assert_seen(
        sandbox.rye(&["load", "directive", "demo/none", "--from", "user"]).transcript(),
        str![[r#"
$ rye load directive demo/none --from user
[stderr]
error: unknown directive `demo/none` in the user space
hint: run `rye list directive --space user` to see the items of that space
[exit 1]

"#]],
    );
}

#[test]
fn a_required_input_is_not_empty() {
    let sandbox = Sandbox::signed();
    for command in ["execute directive", "thread run"] {
        let args: Vec<&str> = command.split(' ').chain(["demo/greet", "-i", "name=  "]).collect();
        let transcript = sandbox.rye(&args).transcript();
        let told = "[stderr]\nerror: invalid inputs for directive `demo/greet`: required input `name` is empty\n\
                    hint: pass `name` (string), `times` (integer, optional)\n[exit 2]\n";
        assert!(transcript.ends_with(told), "{transcript}");
    }
}

#[test]
fn what_looks_like_syntax_in_a_query_is_told_with_a_query_that_works() {
    let sandbox = Sandbox::signed();
    let seen = |query: &str| {
        let transcript = sandbox.rye(&["search", query]).transcript();
        transcript
            .lines()
            .filter(|line| line.starts_with("warning") || line.contains("mean"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    let fields = "author, body, category, description, id, input, key, name, space, tag, title, type, verdict";
    assert_eq!(
        seen("titel:notes"),
        format!(
            "warning: unknown field `titel:` is searched as text; fields: {fields}\n\
             note: did you mean title:notes? run `rye search title:notes`"
        )
    );
    assert!(sandbox.rye(&["search", "title:notes"]).transcript().contains("demo/notes"));
    assert_eq!(seen("nope:notes"), format!("warning: unknown field `nope:` is searched as text; fields: {fields}"));
    assert_eq!(
        seen("*reeting"),
        "warning: `*` works only at the end of a word, so `*reeting` is searched as text\n\
         note: did you mean reeting? run `rye search reeting`"
    );
    assert_eq!(
        seen("gre*ing*"),
        "warning: `*` works only at the end of a word, so `gre*ing*` is searched as text\n\
         note: did you mean ing? run `rye search ing`"
    );
}

/// A disk that is full is told on stderr, with `--json` too.
#[test]
fn a_full_disk_is_told() {
    let sandbox = Sandbox::signed();
    for args in [&["list"][..], &["list", "--json"], &["load", "tool", "demo/echo"]] {
        let full = std::fs::File::create("/dev/full").unwrap();
        let mut command = std::process::Command::new(crate::support::RYE);
        command.args(args).current_dir(sandbox.project()).env_clear().envs(sandbox.variables()).stdout(full);
        let output = command.output().unwrap();
        let told = "error: cannot write to stdout\ncause: No space left on device (os error 28)\n\
                    hint: make room, then run the command again\n";
        assert_eq!(
            (String::from_utf8_lossy(&output.stderr).as_ref(), output.status.code()),
            (told, Some(1)),
            "{args:?}"
        );
    }
}

/// Outside of a project an empty result is not a success.
#[test]
fn outside_of_git_nothing_passes_as_an_empty_answer() {
    let sandbox = Sandbox::empty();
    let commands = ["lint", "sign --all", "migrate", "diff", "list --space project", "search greeting --space project"];
    for command in commands {
        let args: Vec<&str> = command.split(' ').collect();
        let told = "error: `[SANDBOX]/project` is not in a git repository\n\
                    hint: run `rye init` to turn this folder into a workspace, or name another one with `-C DIR`\n[exit 1]\n";
        let transcript = sandbox.rye(&args).transcript();
        assert!(transcript.ends_with(told), "{transcript}");
    }
    assert_seen(
        sandbox.rye(&["execute", "directive", "demo/greet"]).transcript(),
        str![[r#"
$ rye execute directive demo/greet
[stderr]
error: unknown directive `demo/greet`
hint: run `rye list directive` to list them
hint: this folder is not in a git repository: name the project with `-C DIR`
[exit 1]

"#]],
    );
}

/// What no project is needed for works, and says that it saw no project.
#[test]
fn outside_of_git_list_and_search_say_where_they_looked() {
    let sandbox = Sandbox::empty();
    let listed = sandbox.rye(&["list", "directive"]).transcript();
    let note = "note: `[SANDBOX]/project` is not in a git repository: these are the user's and the system's items; name a project with `-C DIR`\n[exit 0]\n";
    assert!(listed.contains("rye/core/create_tool") && listed.ends_with(note), "{listed}");
    let found = sandbox.rye(&["search", "signing"]).transcript();
    assert!(found.ends_with("[exit 0]\n") && found.contains("rye/guides/signing"), "{found}");
    let outside = "error: `[SANDBOX]/project` is not in a git repository\n\
                   hint: run `rye init` to turn this folder into a workspace, or name another one with `-C DIR`\n[exit 1]\n";
    let nothing = sandbox.rye(&["search", "xyzzyx"]).transcript();
    assert_eq!(nothing, format!("$ rye search xyzzyx\n[stderr]\n{outside}"));
    for command in ["list skill", "verify", "status"] {
        let transcript = sandbox.rye(&command.split(' ').collect::<Vec<_>>()).transcript();
        assert!(transcript.ends_with(outside), "{transcript}");
    }
    let json = sandbox.rye(&["search", "xyzzyx", "--json"]).transcript();
    assert_eq!(json.matches("\"error\"").count(), 1, "{json}");
}

#[test]
fn the_latest_thread_of_none_and_a_plugin_of_no_folder_say_how_to_go_on() {
    let sandbox = Sandbox::signed();
    let latest = sandbox.rye(&["thread", "show", "@latest"]).transcript();
    let first = "error: this repository has no threads yet\nhint: run one: `rye thread run rye/guides/first_thread -i topic=signing`\n";
    assert!(latest.contains(first), "{latest}");
    let other = sandbox.rye(&["execute", "tool", "demo/greet"]).transcript();
    assert!(
        other.contains("error: unknown tool `demo/greet`\nhint: `demo/greet` is a directive: name it as one\n"),
        "{other}"
    );
    let plugin = sandbox.rye(&["plugin", "install", "./nowhere"]).transcript();
    assert!(plugin.contains("hint: name the folder that contains `plugin.toml`\n[exit 1]"), "{plugin}");
}

#[test]
fn the_items_of_the_project_are_listed_before_those_of_the_program() {
    let sandbox = Sandbox::signed();
    let listed = String::from_utf8(sandbox.rye(&["list"]).stdout()).unwrap();
    let spaces: Vec<&str> = listed.lines().filter_map(|line| line.split('\t').nth(3)).collect();
    assert!(spaces.contains(&"project") && spaces.contains(&"system") && spaces.is_sorted(), "{listed}");
}

#[test]
fn a_directive_without_a_model_says_which_tier_it_asks_for() {
    let sandbox = Sandbox::signed();
    sandbox.put(
        ".ai/directives/demo/think.md",
        "# Think\n\n```xml\n<directive name=\"think\" version=\"1.0.0\">\n  <metadata>\n    <description>Think about it</description>\n    \
         <category>demo</category>\n    <author>ada</author>\n    <limits turns=\"2\" />\n    <permissions><read resource=\"filesystem\" path=\"README.md\" /></permissions>\n  \
         </metadata>\n</directive>\n```\n\n<process>\n  <step name=\"think\">Think.</step>\n</process>\n",
    );
    sandbox.rye(&["sign", "directive", "demo/think"]).succeeds();
    sandbox.commit("think");
    let transcript = sandbox.rye(&["thread", "run", "demo/think"]).transcript();
    let told = "error: no provider is set up for tier `general`, the default of directives without `<model>` \
                (none of these secrets is set: `ANTHROPIC_API_KEY`, `OPENAI_API_KEY`)\n\
                hint: set one of these variables, then run `rye provider check`; to follow action elements without a model, \
                use `--provider rye/agent/providers/steps`\n[exit 1]\n";
    assert!(transcript.ends_with(told), "{transcript}");
    let unknown = sandbox.rye(&["thread", "run", "demo/think", "--provider", "nope"]).transcript();
    assert!(unknown.contains("error: unknown provider `nope`\nhint: run `rye provider list`"), "{unknown}");
}

/// The reason is in the first line.
#[test]
fn what_a_tool_or_a_plugin_lacks_is_said_first() {
    let sandbox = Sandbox::with_items();
    sandbox.put(".ai/tools/demo/ruby.rb", "# version: 1.0.0\n# description: \"Says it\"\n# category: demo\nputs 1\n");
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    let folders = ["none", "bin"].map(|name| sandbox.path(name).display().to_string());
    let run = |path: &str| sandbox.rye(&["execute", "tool", "demo/ruby"]).env("PATH", path).transcript();
    let seen = run(&folders.join(":"));
    let told = "error: tool `demo/ruby` cannot be run: program `ruby` was not found\nhint: ";
    assert!(seen.contains(told) && !seen.contains("cause:"), "{seen}");
    let own = sandbox.project().join("bin/ruby");
    sandbox.put("bin/ruby", "#!/bin/sh\n");
    std::fs::set_permissions(&own, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let seen = run(own.parent().unwrap().to_str().unwrap());
    assert!(
        seen.contains("program `ruby` was not found (`") && seen.contains("bin/ruby`: lies inside the project)"),
        "{seen}"
    );
    assert_seen(
        sandbox.rye(&["plugin", "install", "/nonexist"]).transcript(),
        str![[r#"
$ rye plugin install /nonexist
[stderr]
error: cannot install the plugin in `/nonexist`: no such folder
hint: name the folder that contains `plugin.toml`
[exit 1]

"#]],
    );
}
