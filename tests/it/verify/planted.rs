//! A folder of the change that looks like a bare repository, with refs and a configuration of its own.

use std::process::Output;

use super::*;
use crate::mcp::client::Client;

/// Runs the program as if it was started in a folder of the project.
fn started_in(sandbox: &Sandbox, folder: &str, args: &[&str]) -> Output {
    let mut command = sandbox.rye(args).into_command();
    command.current_dir(sandbox.project().join(folder)).output().unwrap()
}

/// Puts a bare repository into the folder `docs`, whose `origin/main` is what Eve made.
fn plant(sandbox: &Sandbox) {
    sandbox.put(NOTES, &signed(NOTES, &NOTES_TEXT.replace("short", "evil"), EVE));
    sandbox.put(GREET, &signed(GREET, GREET_TEXT, EVE));
    sandbox.put(".ai/trust/allowed_signers", &signer(EVE, "eve", &["rye", "rye-trust"]));
    seal(sandbox, 2, LATER, &[EVE]);
    sandbox.commit("evil");
    sandbox.git(&["clone", "-q", "--bare", ".", "docs"]);
    sandbox.git(&["--git-dir=docs", "update-ref", "refs/remotes/origin/main", "HEAD"]);
    sandbox.git(&["update-ref", "refs/remotes/origin/main", "base"]);
}

#[test]
fn a_folder_of_the_change_does_not_judge_it() {
    let sandbox = project();
    plant(&sandbox);
    let args = ["verify", "--json", "--rev", "HEAD", "--trust-root", "origin/main"];
    for folder in [".", "docs", "docs/refs", "docs/objects/info"] {
        let seen = started_in(&sandbox, folder, &args);
        assert_eq!(seen.status.code(), Some(3), "{folder}: {}", String::from_utf8_lossy(&seen.stderr));
    }
    for args in [&["verify"][..], &["verify", "--rev", "HEAD", "--trust-root", "origin/main"]] {
        let seen = sandbox.rye(&[&["-C", "docs"], args].concat()).transcript();
        assert!(
            seen.contains("looks like a bare repository inside the work tree") && seen.contains("[exit 1]"),
            "{seen}"
        );
    }
}

#[test]
fn a_folder_of_the_clone_does_not_open_the_file_system() {
    let sandbox = project();
    plant(&sandbox);
    sandbox.git(&["config", "--file", "docs/config", "core.bare", "false"]);
    sandbox.git(&["config", "--file", "docs/config", "core.worktree", "/"]);
    fs::write(sandbox.path("secret.txt"), "TOP-SECRET").unwrap();
    let secret = sandbox.path("secret.txt").strip_prefix("/").unwrap().display().to_string();
    let path = format!("path={secret}");
    let args = ["execute", "tool", "rye/file-system/read", "-i", &path];
    for folder in ["docs", "docs/refs"] {
        let seen = started_in(&sandbox, folder, &[&args[..], &["--json"]].concat());
        assert!(!seen.status.success());
        assert!(!String::from_utf8_lossy(&seen.stdout).contains("TOP-SECRET"), "{folder}");
        let mut command = sandbox.rye(&["mcp"]).into_command();
        command.current_dir(sandbox.project().join(folder)).stdin(std::process::Stdio::piped());
        reads_nothing(Client::of(&sandbox, command.spawn().unwrap()), &secret);
    }
    // The same of the project's own git folder, and by the address that a client gives.
    sandbox.git(&["config", "core.worktree", "/"]);
    let seen = started_in(&sandbox, ".", &args);
    assert_eq!(seen.status.code(), Some(1));
    reads_nothing(Client::start(&sandbox, &["-C", "docs"]), &secret);
}

fn reads_nothing(mut client: Client<'_>, secret: &str) {
    client.shake_hands(serde_json::json!({}));
    for (project, path) in [(None, secret), (Some("docs"), secret), (None, "/etc/passwd")] {
        let mut arguments = serde_json::json!({
            "item_type": "tool", "item_id": "rye/file-system/read", "parameters": {"path": path}
        });
        if let Some(project) = project {
            arguments["project"] = project.into();
        }
        let answer = client.call("rye_execute", arguments).to_string();
        assert!(!answer.contains("TOP-SECRET") && answer.contains("\"isError\":true"), "{path}: {answer}");
    }
}
