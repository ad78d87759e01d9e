//! Folders of a project that are repositories of their own, and links in it: what a path is, is told from the outermost work tree.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use super::client::Client;
use crate::support::{Sandbox, assert_seen};

/// Writes a file over MCP, in a folder named as the project if there is one; returns the error's code, if it fails.
fn written(client: &mut Client<'_>, project: Option<&str>, path: &str, content: &str) -> Option<Value> {
    let parameters = json!({"path": path, "content": content});
    let mut arguments = json!({"item_type": "tool", "item_id": "rye/file-system/write", "parameters": parameters});
    if let Some(project) = project {
        arguments["project"] = json!(project);
    }
    let (outcome, failed) = client.outcome("rye_execute", arguments);
    failed.then(|| outcome["error"]["code"].clone())
}

fn nested(sandbox: &Sandbox, folders: &[&str]) {
    for folder in folders {
        fs::create_dir_all(sandbox.project().join(folder)).unwrap();
        sandbox.git(&["init", "-q", folder]);
    }
}

/// Else a model that names `.ai` as the project writes what decides over it, and what it writes below is not an item to
/// this program.
#[test]
fn a_folder_of_dot_ai_is_no_project() {
    let sandbox = Sandbox::signed();
    sandbox.put(".ai/config.toml", "[permissions]\ndeny = [\"rye.execute.tool.rye.file-system.read\"]\n");
    sandbox.commit("config");
    sandbox.signs_own();
    sandbox.git(&["clone", "-q", ".", "docs/.AI"]);
    nested(&sandbox, &[".ai", ".ai/trust", ".ai/tools", ".ai/knowledge/a", "docs/.AI"]);
    let mut client = Client::connected(&sandbox, &[]);
    let refused = Some(json!("part-of-project"));
    for (project, path) in [
        (".ai", "config.toml"),
        (".ai", "trust/allowed_signers"),
        (".ai", "plugins/x"),
        (".ai", "threads/x"),
        (".ai/.", "config.toml"),
        (".ai/trust", "allowed_signers"),
        (".ai/tools", "demo/echo.sh"),
        (".ai/knowledge/a", "x.md"),
        ("docs/.AI", "config.toml"),
    ] {
        assert_eq!(written(&mut client, Some(project), path, "#\n"), refused, "{project} {path}");
        assert_eq!(written(&mut client, Some(&format!("docs/../{project}")), path, "#\n"), refused, "{project} {path}");
    }
    let read = json!({"item_type": "tool", "item_id": "rye/file-system/read", "parameters": {"path": "a"}});
    assert!(client.outcome("rye_execute", read).0["error"]["message"].as_str().unwrap().contains("denies"));
    client.close();
    // Nothing was written that `commit.sign = "own"` would take for the person's.
    for folder in [".ai/.git", ".ai/trust", ".ai/tools/.git", ".ai/knowledge/a", "docs"] {
        fs::remove_dir_all(sandbox.project().join(folder)).unwrap();
    }
    assert_eq!(sandbox.git(&["status", "--short"]), "");
}

#[test]
fn a_folder_of_dot_ai_or_dot_git_is_no_project_wherever_it_is_chosen() {
    let sandbox = Sandbox::signed();
    // Without a repository of its own it lies in the project around it.
    sandbox.rye(&["-C", ".ai/tools", "list"]).succeeds();
    nested(&sandbox, &[".ai"]);
    sandbox.git(&["worktree", "add", "-q", "-b", "other", ".git/wt"]);
    for folder in [".ai", ".ai/tools", ".git/wt"] {
        for args in
            [&["list"][..], &["verify"], &["sign", "--all"], &["commit", "-m", "x"], &["thread", "list"], &["init"]]
        {
            let run = sandbox.rye(&[&["-C", folder, "--json"], args].concat()).stdout();
            let error: Value = serde_json::from_slice(&run).unwrap();
            assert_eq!(error["error"]["code"], "part-of-project", "{folder} {args:?}: {error}");
        }
    }
    let seen = sandbox.rye(&["-C", ".ai/tools", "list"]).transcript();
    assert_seen(
        seen,
        snapbox::str![[r#"
$ rye -C .ai/tools list
[stderr]
error: `[SANDBOX]/project/.ai` cannot be a project: it lies in `.ai` of `[SANDBOX]/project`
hint: work in the project around it with `-C [SANDBOX]/project`
[exit 4]

"#]],
    );
    // Nor as a client's root.
    let mut client = Client::start(&sandbox, &[]);
    client.shake_hands(json!({"roots": {}}));
    let call = json!({"item_type": "tool", "item_id": "rye/file-system/write", "parameters": {"path": "config.toml", "content": ""}});
    let id = client.request("tools/call", json!({"name": "rye_execute", "arguments": call}));
    let asked = client.next();
    let root = format!("file://{}", sandbox.project().join(".ai").display());
    client.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": [{"uri": root}]}}));
    let answer = client.answer(id);
    assert_eq!(answer["structuredContent"]["error"]["code"], "part-of-project", "{answer}");
}

/// A project of its own on the way to a code place takes the beginning of its name away.
#[test]
fn a_repository_on_the_way_to_a_code_place_is_judged_from_the_outermost_one() {
    let sandbox = Sandbox::signed();
    nested(&sandbox, &["docs", ".github", "docs/.github", ".config", ".cargo", ".claude/skills", "src/.config/fish"]);
    let mut client = Client::connected(&sandbox, &[]);
    for (project, path) in [
        (".github", "workflows/x.yml"),
        (".github", "WorkFlows/x.yml"),
        (".github", "copilot-instructions.md"),
        ("docs/.github", "workflows/x.yml"),
        ("docs/.github", "actions/a/action.yml"),
        (".config", "fish/config.fish"),
        (".config", "mise/config.toml"),
        (".cargo", "config.toml"),
    ] {
        assert_eq!(written(&mut client, Some(project), path, "x\n"), Some(json!("denied")), "{project} {path}");
    }
    for project in [".claude/skills", "src/.config/fish"] {
        assert_eq!(written(&mut client, Some(project), "x", "x\n"), Some(json!("code-place")), "{project}");
    }
    for (project, path) in
        [(".github", "ISSUE_TEMPLATE/bug.md"), (".config", "nextest.toml"), ("docs", "workflows/a.md")]
    {
        assert_eq!(written(&mut client, Some(project), path, "x\n"), None, "{project} {path}");
    }
}

/// The last names on the way to a project tell, where no work tree is around it; that of an ordinary clone does not.
#[test]
fn a_project_that_is_a_code_place_by_its_own_name_is_judged_by_it() {
    let sandbox = Sandbox::signed();
    for (folder, path, is_refused) in [
        ("x/.config", "fish/config.fish", true),
        ("x/.config", "nextest.toml", false),
        (".github", "workflows/x.yml", true),
        (".vim", "vimrc", true),
        (".config/fish", "config.fish", true),
        ("lefthook", "main.go", false),
        (".x/lefthook", "main.go", false),
    ] {
        let folder = sandbox.path(folder);
        fs::create_dir_all(&folder).unwrap();
        let folder = folder.display().to_string();
        sandbox.git(&["init", "-q", &folder]);
        let mut client = Client::connected(&sandbox, &["-C", &folder]);
        let code = written(&mut client, None, path, "x\n");
        assert_eq!(code, is_refused.then(|| json!("denied")), "{folder} {path}");
        client.close();
    }
}

/// A repository around a project is a code place by its own name, although no work tree is around it.
#[test]
fn a_project_in_a_code_place_that_is_a_repository_itself_is_refused() {
    let sandbox = Sandbox::signed();
    for (outer, inner) in
        [("x/.claude", "commands"), ("x/.claude", "plug"), ("y/.config", "fish"), ("y/.github", "workflows")]
    {
        let outer = sandbox.path(outer);
        let inner = outer.join(inner);
        fs::create_dir_all(&inner).unwrap();
        for folder in [&outer, &inner] {
            sandbox.git(&["init", "-q", &folder.display().to_string()]);
        }
        let mut client = Client::connected(&sandbox, &["-C", &inner.display().to_string()]);
        let code = written(&mut client, None, "x.md", "x\n");
        assert!(matches!(code.as_ref().and_then(Value::as_str), Some("denied" | "code-place")), "{inner:?}: {code:?}");
        client.close();
        let mut client = Client::connected(&sandbox, &["-C", &outer.display().to_string()]);
        let name = inner.file_name().unwrap().to_str().unwrap();
        let code = written(&mut client, Some(name), "x.md", "x\n");
        assert!(matches!(code.as_ref().and_then(Value::as_str), Some("denied" | "code-place")), "{inner:?}: {code:?}");
        client.close();
        assert!(!inner.join("x.md").exists(), "{inner:?}");
    }
}

/// A client's work tree for a session is a project like any other, although it lies in `.claude`.
#[test]
fn a_work_tree_of_a_session_is_a_project() {
    let sandbox = Sandbox::signed();
    sandbox.git(&["worktree", "add", "-q", "-b", "session", ".claude/worktrees/one"]);
    let mut client = Client::connected(&sandbox, &["-C", ".claude/worktrees/one"]);
    assert_eq!(written(&mut client, None, "src/a.md", "x\n"), None);
    assert_eq!(written(&mut client, None, ".claude/settings.json", "x\n"), Some(json!("denied")));
    nested(&sandbox, &[".claude/worktrees/one/.github"]);
    assert_eq!(written(&mut client, Some(".github"), "workflows/x.yml", "x\n"), Some(json!("denied")));
    client.close();
    let mut client = Client::connected(&sandbox, &[]);
    assert_eq!(written(&mut client, None, ".claude/worktrees/one/a.md", "x\n"), Some(json!("denied")));
    assert_eq!(written(&mut client, Some(".claude/worktrees"), "a.md", "x\n"), Some(json!("code-place")));
}

#[test]
fn a_path_that_a_link_makes_a_code_place_is_one() {
    let sandbox = Sandbox::signed();
    for folder in ["docs/vs", "real", ".github", ".claude", "a/b", ".zed"] {
        fs::create_dir_all(sandbox.project().join(folder)).unwrap();
    }
    let link = |target: &str, at: &str| symlink(target, sandbox.project().join(at)).unwrap();
    link("docs/vs", ".vscode");
    link("docs/mcp.json", ".mcp.json");
    link("../docs/wf", ".github/workflows");
    link("../skills", ".claude/skills");
    link("first", ".gemini");
    fs::create_dir_all(sandbox.project().join(".codex/skills/own/scripts")).unwrap();
    link("../../real/linked", ".codex/skills/linked");
    link("../../../real/own.md", ".codex/skills/own/SKILL.md");
    link("../../../../real/run", ".codex/skills/own/scripts/run");
    link("real/second", "first");
    link(&sandbox.project().join("real/absolute").display().to_string(), ".cursor");
    link("../../real/deep", "a/b/.idea");
    link("round", ".kiro");
    link(".kiro", "round");
    let mut client = Client::connected(&sandbox, &[]);
    let places = [
        "docs/vs/tasks.json",
        "DOCS/vs/tasks.json",
        "docs/mcp.json",
        "docs/wf/x.yml",
        "skills/x/SKILL.md",
        "real/second/settings.json",
        "real/absolute/rules/x",
        "real/linked/SKILL.md",
        "real/own.md",
        "real/run/x.sh",
    ];
    for path in places {
        assert_eq!(written(&mut client, None, path, "x\n"), Some(json!("denied")), "{path}");
    }
    for path in ["docs/a.md", "docs/vs.md", "docs/mcp.json5", "real/a", "real/deep/x"] {
        assert_eq!(written(&mut client, None, path, "x\n"), None, "{path}");
    }
    // At any depth, where git knows the link.
    sandbox.git(&["add", "-A"]);
    assert_eq!(written(&mut client, None, "real/deep/x", "x\n"), Some(json!("denied")));
    // And from a repository in what the link leads to.
    nested(&sandbox, &["docs/vs", "skills/x"]);
    assert_eq!(written(&mut client, Some("docs/vs"), "tasks.json", "x\n"), Some(json!("denied")));
    assert_eq!(written(&mut client, Some("skills/x"), "SKILL.md", "x\n"), Some(json!("denied")));
}

/// A repository in the project is opened by its own name, and its links lead out of it.
#[test]
fn a_path_that_a_link_of_a_submodule_or_a_nested_repository_makes_a_code_place_is_one() {
    let sandbox = Sandbox::signed();
    let link = |target: &str, at: &str| {
        let at = sandbox.project().join(at);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        symlink(target, at).unwrap();
    };
    // A submodule, a repository in it, one that git does not know, one that it ignores.
    nested(&sandbox, &["sub", "sub/in", "own/deep/er", "target/x"]);
    sandbox.put(".gitignore", "/target\n");
    link("../docs/a", "sub/.vscode");
    link("../../../docs/b", "sub/pkg/.claude/skills");
    link("../../docs/c.json", "sub/in/.mcp.json");
    link("../../../docs/d", "own/deep/er/.idea");
    link("../../../../docs/e/SKILL.md", "own/deep/er/.claude/x.md");
    link("../../docs/f", "target/x/.husky");
    link("../docs/plain", "sub/plain");
    sandbox.put("sub/file", "x");
    sandbox.git(&["-C", "sub", "add", "-A", "--", ".vscode", "pkg", "file"]);
    sandbox.git(&["-C", "sub", "commit", "-q", "-m", "sub"]);
    sandbox.git(&["add", "sub"]);
    let mut client = Client::connected(&sandbox, &[]);
    for path in ["a/tasks.json", "b/x/SKILL.md", "c.json", "d/runConfigurations/x.xml", "e/SKILL.md", "f/pre-commit"] {
        assert_eq!(written(&mut client, None, &format!("docs/{path}"), "x\n"), Some(json!("denied")), "{path}");
    }
    for path in ["docs/a.md", "docs/plain/x", "docs/c.json5", "docs/e/x"] {
        assert_eq!(written(&mut client, None, path, "x\n"), None, "{path}");
    }
    client.close();
}
