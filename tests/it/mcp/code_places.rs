//! Places whose content runs code: written only where a path rule names them; and what git takes for a repository: never.

use std::fs;

use rye::capability::{PLACE_TABLE, PlaceRole};
use serde_json::{Value, json};

use super::client::Client;
use crate::support::Sandbox;
use crate::thread::world::{World, call, directive, result_in_turn, text, write as write_in_turn};

fn write(client: &mut Client<'_>, path: &str) -> (Value, bool) {
    let parameters = json!({"path": path, "content": "x\n"});
    let arguments = json!({"item_type": "tool", "item_id": "rye/file-system/write", "parameters": parameters});
    client.outcome("rye_execute", arguments)
}

fn is_written(client: &mut Client<'_>, path: &str) -> bool {
    let (outcome, failed) = write(client, path);
    assert!(!failed || outcome.to_string().contains("no permission to write"), "{outcome}");
    !failed
}

/// A directive that lets files be written where these patterns say.
fn writing(sandbox: &Sandbox, name: &str, patterns: &str) {
    let rule = format!(
        "<execute><tool>rye.file-system.*</tool></execute><write resource=\"filesystem\" path=\"{patterns}\" />"
    );
    sandbox.put(&format!(".ai/directives/demo/{name}.md"), &directive(name, &rule, "turns=\"3\"", ""));
}

const PLACES: [&str; 18] = [
    "rye.lock",
    ".mcp.json",
    ".claude/settings.json",
    "docs/.vscode/tasks.json",
    ".VSCODE/tasks.json",
    ".github/workflows/ci.yml",
    ".gitattributes",
    "a/.gitmodules",
    ".husky/pre-commit",
    ".cargo/config.toml",
    "CLAUDE.md",
    "docs/agents.md",
    ".envrc",
    ".tool-versions",
    "web/.nvmrc",
    "gradle/wrapper/gradle-wrapper.properties",
    ".config/systemd/user/a.service",
    ".local/bin/git",
];

/// Each row of the table, at the top and in a package.
#[test]
fn over_mcp_no_rule_for_everything_lets_any_code_place_of_the_table_be_written() {
    let sandbox = Sandbox::with_items();
    writing(&sandbox, "all", "**, .github/**, packages/**");
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    let mut client = Client::connected(&sandbox, &[]);
    assert!(!client.outcome("rye_execute", json!({"item_type": "directive", "item_id": "demo/all"})).1);
    let groups = PLACE_TABLE.iter().filter(|group| group.role == PlaceRole::Code);
    for path in groups.flat_map(|group| group.places).map(|path| path.replace('*', "x")) {
        for path in [path.clone(), format!("packages/web/{path}")] {
            assert!(!is_written(&mut client, &path), "{path}");
        }
    }
    assert!(is_written(&mut client, "skills/a.md") && is_written(&mut client, "packages/web/a.md"));
}

#[test]
fn over_mcp_only_a_path_rule_that_names_it_lets_a_code_place_be_written() {
    let sandbox = Sandbox::with_items();
    writing(&sandbox, "all", "**, .github/**");
    writing(&sandbox, "named", "docs/**, .github/workflows/**, .mcp.json");
    sandbox.put(".mcp.json", "{}\n");
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    let mut client = Client::connected(&sandbox, &[]);
    for path in PLACES {
        assert!(!is_written(&mut client, path), "{path}");
    }
    assert!(is_written(&mut client, "docs/a.md") && is_written(&mut client, ".github/a.md"));
    let (refused, _) = write(&mut client, ".mcp.json");
    assert_eq!(
        refused["error"],
        json!({
            "code": "denied",
            "message": "no permission to write `.mcp.json`: other programs execute or follow this file, and no path rule names it",
            "causes": [],
            "hints": ["ask the user whether you may write `.mcp.json`"],
        })
    );
    let read = json!({"item_type": "tool", "item_id": "rye/file-system/read", "parameters": {"path": ".mcp.json"}});
    assert!(!client.outcome("rye_execute", read).1);

    let follow = |client: &mut Client<'_>, id: &str| {
        assert!(!client.outcome("rye_execute", json!({"item_type": "directive", "item_id": id})).1);
    };
    follow(&mut client, "demo/all");
    assert!(is_written(&mut client, "docs/a.md"));
    for path in PLACES {
        assert!(!is_written(&mut client, path), "{path}");
    }
    follow(&mut client, "demo/named");
    assert!(is_written(&mut client, ".github/workflows/ci.yml") && is_written(&mut client, ".mcp.json"));
    for path in ["docs/.vscode/tasks.json", ".github/workflows/.claude/settings.json", ".claude/settings.json"] {
        assert!(!is_written(&mut client, path), "{path}");
    }
    assert_eq!(fs::read_to_string(sandbox.project().join(".mcp.json")).unwrap(), "x\n");
}

/// A thread's record tells a person which rule would do; the model is not told.
#[test]
fn in_a_thread_only_a_path_rule_that_names_it_lets_a_code_place_be_written() {
    let turns = [write_in_turn(".github/workflows/ci.yml", "x\n"), write_in_turn("docs/a.md", "x\n"), text("Done.")];
    let tools = "<execute><tool>rye.file-system.*</tool></execute>";
    for rules in ["", "<write resource=\"filesystem\" path=\"**\" />"] {
        let world = World::new();
        world.directive(&format!("{tools}{rules}"), "turns=\"5\"", "");
        let outcome = world.run(&turns);
        assert_eq!(world.in_thread(&outcome, ".github/workflows/ci.yml"), None);
        assert_eq!(world.in_thread(&outcome, "docs/a.md").as_deref(), Some("x\n"));
        let events = world.events(&outcome);
        let sentence = "no permission to write `.github/workflows/ci.yml`: other programs execute or follow this file, and no path \
                        rule names it";
        let told = result_in_turn(&events, 1);
        assert_eq!(told["output"]["error"], json!({"code": "permission_denied", "message": sentence}));
        let recorded = events.iter().map(|event| serde_json::to_value(event).unwrap());
        let denied = recorded.into_iter().find(|event| event["type"] == "permission_denied").unwrap();
        assert_eq!(denied["data"]["message"], format!("{sentence}, such as `.github/workflows/**`"));
    }
    let world = World::new();
    let named = "<write resource=\"filesystem\" path=\".github/workflows/**, docs/**\" />";
    world.directive(&format!("{tools}{named}"), "turns=\"5\"", "");
    let outcome = world.run(&turns);
    assert_eq!(world.in_thread(&outcome, ".github/workflows/ci.yml").as_deref(), Some("x\n"));
}

/// Files that a script writes there are not part of a thread's commits either.
#[test]
fn what_a_script_writes_to_a_code_place_is_committed_only_where_a_rule_names_it() {
    let turns = [call("demo_make", json!({})), text("Done.")];
    let permissions = |rules: &str| {
        format!(
            "<acknowledge risk=\"unrestricted\">a test</acknowledge><execute><tool>demo.make</tool></execute>\
             <write resource=\"filesystem\" path=\"{rules}\" />"
        )
    };
    for (rules, committed) in
        [("**", vec!["docs/a.md"]), ("docs/**, .vscode/**", vec![".vscode/tasks.json", "docs/a.md"])]
    {
        let world = World::new();
        world.tool("demo/make", "mkdir -p .vscode docs; echo x > .vscode/tasks.json; echo x > docs/a.md; echo '{}'");
        world.directive(&permissions(rules), "turns=\"5\"", "");
        let outcome = world.run(&turns);
        assert_eq!(world.changed(&outcome)[1], committed, "{rules}");
    }
}

/// Every order of the steps, with and without a `HEAD` that a person left there.
#[test]
fn no_tool_makes_what_git_takes_for_a_repository() {
    let steps = ["docs/HEAD", "docs/objects/x", "docs/refs/x", "docs/config", "docs/commondir"];
    let mut orders: Vec<Vec<&str>> = vec![Vec::new()];
    for _ in steps {
        let longer = |order: &Vec<&'static str>| -> Vec<Vec<&'static str>> {
            steps.iter().filter(|step| !order.contains(step)).map(|step| [&order[..], &[step]].concat()).collect()
        };
        orders = orders.iter().flat_map(longer).collect();
    }
    let sandbox = Sandbox::with_items();
    let mut client = Client::connected(&sandbox, &[]);
    let mut written = |path: &str| {
        let (outcome, failed) = write(&mut client, path);
        let refused = outcome.to_string().contains("tools cannot create or change a git repository");
        assert_eq!(failed, refused, "{outcome}");
        !failed
    };
    let docs = sandbox.project().join("docs");
    for order in orders {
        drop(fs::remove_dir_all(&docs));
        let mut there = Vec::new();
        for step in &order {
            // A `commondir` elsewhere could lead to what has these three.
            let shared = ["docs/objects/x", "docs/refs/x", "docs/config"];
            let is_last = shared.contains(step) && shared.iter().all(|name| name == step || there.contains(name));
            assert_eq!(written(step), *step != "docs/HEAD" && !is_last, "{order:?}");
            there.extend((!is_last).then_some(*step));
        }
        assert!(!docs.join("HEAD").exists(), "{order:?}");
    }
    fs::remove_dir_all(&docs).unwrap();
    sandbox.put("docs/Head", "ref: refs/heads/main\n");
    assert!(written("docs/a.md") && written("docs/below/config"));
    for step in ["docs/objects/x", "docs/Refs/x", "docs/config", "docs/COMMONDIR"] {
        assert!(!written(step), "{step}");
    }
    // One that is there is not changed, however deep.
    sandbox.put("docs/objects/pack/x", "");
    assert!(!written("docs/a.md") && !written("docs/hooks/post-checkout"));
    // A folder of that name is not a `HEAD`.
    assert!(written("src/Head/config") && written("src/Head/refs.md"));
    assert!(!written("src/Head/he\u{200d}ad"));
}

/// A stranger leaves a `HEAD` and a `commondir` in one folder; what that names becomes the rest of a repository in whatever order.
#[test]
fn no_tool_makes_what_a_commondir_of_the_project_leads_to() {
    let sandbox = Sandbox::with_items();
    sandbox.put("fix/HEAD", "ref: refs/heads/main\n");
    sandbox.put("fix/commondir", "../notes\n");
    let is_repository = || {
        let output = sandbox.git_command(&["-C", "fix", "rev-parse", "--git-common-dir"]).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().ends_with("notes")
    };
    let mut client = Client::connected(&sandbox, &[]);
    let notes = sandbox.project().join("notes");
    let obeyed = ["config", "config.worktree", "hooks/post-checkout"];
    for name in obeyed {
        let file = format!("notes/{name}");
        for order in [
            ["notes/objects/x", "notes/refs/x", &file],
            [&file, "notes/objects/x", "notes/refs/x"],
            ["notes/refs/x", &file, "notes/objects/x"],
        ] {
            drop(fs::remove_dir_all(&notes));
            let done: Vec<bool> = order.iter().map(|path| write(&mut client, path).1).collect();
            assert_eq!(done, [false, false, true], "{order:?}");
            assert!(!is_repository() || !notes.join(name).exists(), "{order:?}");
        }
        // What a stranger left there is not changed either.
        drop(fs::remove_dir_all(&notes));
        for path in ["notes/objects/x", "notes/refs/x", &file] {
            sandbox.put(path, "");
        }
        for path in obeyed.map(|name| format!("notes/{name}")) {
            assert!(write(&mut client, &path).1, "{path}");
        }
        assert!(is_written(&mut client, "notes/a.md"));
    }
}

/// As a project of its own, nothing in a submodule of `.claude` would look like a code place any more.
#[test]
fn a_folder_in_a_code_place_is_no_project_to_work_in() {
    let sandbox = Sandbox::with_items();
    for folder in [".claude/skills", "docs/.vscode"] {
        sandbox.git(&["init", "-q", folder]);
    }
    let mut client = Client::connected(&sandbox, &[]);
    for folder in [".claude/skills", ".claude/skills/.", "docs/.vscode"] {
        let parameters = json!({"path": "x/SKILL.md", "content": "x\n"});
        let (refused, failed) = client.outcome(
            "rye_execute",
            json!({"item_type": "tool", "item_id": "rye/file-system/write", "project": folder, "parameters": parameters}),
        );
        assert!(failed && refused["error"]["code"] == "code-place", "{folder}: {refused}");
    }
    assert!(!sandbox.project().join(".claude/skills/x").exists());
}
