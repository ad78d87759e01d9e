//! Verdicts: refused items, the reasons, and the hints.

use snapbox::str;

use crate::support::{Sandbox, assert_seen};

#[test]
fn an_unsigned_item_is_refused() {
    let sandbox = Sandbox::with_items();
    assert_seen(
        sandbox.rye(&["execute", "knowledge", "demo/notes"]).transcript(),
        str![[r#"
$ rye execute knowledge demo/notes
[stderr]
error: knowledge `demo/notes` is refused: it is not signed [RYE-S001]
  --> .ai/knowledge/demo/notes.md
hint: review it, then run `rye sign knowledge demo/notes`
[exit 3]

"#]],
    );
    assert_seen(
        sandbox.rye(&["execute", "knowledge", "demo/notes", "--json"]).transcript(),
        str![[r#"
$ rye execute knowledge demo/notes --json
{"error":{"code":"unsigned","message":"knowledge `demo/notes` is refused: it is not signed","causes":[],"hints":["review it, then run `rye sign knowledge demo/notes`"],"rule":"RYE-S001","path":"[SANDBOX]/project/.ai/knowledge/demo/notes.md"}}
[exit 3]

"#]],
    );
    assert_seen(
        sandbox.rye(&["load", "tool", "demo/fail"]).transcript(),
        str![[r#"
$ rye load tool demo/fail
# version: 1.0.0
# description: "Fails"
# category: demo
echo "it went wrong" >&2
exit 3
[stderr]
warning: tool `demo/fail` is unsigned: `rye execute` refuses it
[exit 0]

"#]],
    );
}

#[test]
fn a_tampered_item_is_refused() {
    let sandbox = Sandbox::signed();
    sandbox.edit(".ai/directives/demo/greet.md", "demo.*", "*");
    let run = ["execute", "directive", "demo/greet", "-i", "name=Ada"];
    assert_seen(
        sandbox.rye(&run).transcript(),
        str![[r#"
$ rye execute directive demo/greet -i name=Ada
[stderr]
error: directive `demo/greet` is refused: it was changed after it was signed [RYE-S004]
  --> .ai/directives/demo/greet.md
hint: review the change, then run `rye sign directive demo/greet`
[exit 3]

"#]],
    );
    assert_seen(
        sandbox.rye(&["thread", "run", "demo/greet", "-i", "name=Ada"]).transcript(),
        str![[r#"
$ rye thread run demo/greet -i name=Ada
[stderr]
error: directive `demo/greet` is refused: it was changed after it was signed [RYE-S004]
  --> .ai/directives/demo/greet.md
hint: review the change, then run `rye sign directive demo/greet`
[exit 3]

"#]],
    );
}

#[test]
fn an_item_of_someone_else_is_refused() {
    let sandbox = Sandbox::signed();
    std::fs::remove_dir_all(sandbox.path("config/rye")).unwrap();
    assert_seen(
        sandbox.rye(&["execute", "knowledge", "demo/notes"]).transcript(),
        str![[r#"
$ rye execute knowledge demo/notes
[stderr]
error: knowledge `demo/notes` is refused: it is signed by the key `706f575fc5331071`, which is not trusted here [RYE-S006]
  --> .ai/knowledge/demo/notes.md
hint: if you trust the owner of that key, save their public key and run `rye trust add their_key.pub`
[exit 3]

"#]],
    );
}

#[test]
fn verify_tells_every_finding() {
    let sandbox = Sandbox::signed();
    sandbox.edit(".ai/directives/demo/greet.md", "Greet someone", "Greet everyone");
    sandbox.put(".ai/tools/demo/new.sh", "# version: 1.0.0\n# description: new\n# category: demo\n");
    sandbox.put(".ai/tools/demo/README", "no item");
    assert_seen(
        sandbox.rye(&["verify"]).transcript(),
        str![[r#"
$ rye verify
error: directive `demo/greet`: it was changed after it was signed [RYE-S004]
  --> .ai/directives/demo/greet.md:1:1
hint: review the change, then run `rye sign directive demo/greet`

error: tool `demo/new`: it is not signed [RYE-S001]
  --> .ai/tools/demo/new.sh:1:1
hint: review it, then run `rye sign tool demo/new`

warning: this file is not an item: it has no extension [RYE-S020]
  --> .ai/tools/demo/README:1:1
hint: rename it or move it out of the folder

not ok: 5 items checked: 3 good, 1 unsigned, 1 tampered, 1 stray file
[exit 3]

"#]],
    );
    assert_seen(
        sandbox.rye(&["verify", "demo/new", "--json"]).transcript(),
        str![[r#"
$ rye verify demo/new --json
{"status":"findings","checked":1,"summary":{"good":0,"builtin":0,"legacy":0,"unsigned":1,"tampered":0,"untrusted":0,"retired":0,"revoked":0,"rolled_back":0,"missing_countersignature":0,"unshadowed":0},"findings":[{"rule":"RYE-S001","verdict":"unsigned","severity":"error","item_type":"tool","item_id":"demo/new","path":".ai/tools/demo/new.sh","line":1,"message":"tool `demo/new`: it is not signed","hint":"review it, then run `rye sign tool demo/new`"}]}
[exit 3]

"#]],
    );
    assert_seen(
        sandbox.rye(&["verify", "--rev", "HEAD", "-q"]).transcript(),
        str![[r#"
$ rye verify --rev HEAD -q
ok: 4 items checked: 4 good
[exit 0]

"#]],
    );
}

#[test]
fn verify_with_other_keys_trusts_no_one_else() {
    let sandbox = Sandbox::signed();
    sandbox.put("signers", "ada ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHUqwd0T/WgoVUGdfMuWFFF6XsfaJNAmT9eGfYafPxbS\n");
    let run = ["verify", "--allowed-signers", "signers", "demo/notes"];
    assert_seen(
        sandbox.rye(&run).transcript(),
        str![[r#"
$ rye verify --allowed-signers signers demo/notes
error: knowledge `demo/notes`: it is signed by the key `706f575fc5331071`, which is not trusted here [RYE-S006]
  --> .ai/knowledge/demo/notes.md:1:1
hint: if they may sign here, add a line with their public key to `signers`

not ok: 1 item checked: 1 untrusted
[exit 3]

"#]],
    );
}

#[test]
fn a_reserved_id_is_passed_over_with_a_warning() {
    let sandbox = Sandbox::with_items();
    sandbox.put(".ai/knowledge/rye/guides/signing.md", "mine");
    let transcript = sandbox.rye(&["execute", "knowledge", "rye/guides/signing"]).transcript();
    assert!(transcript.ends_with(
        "[stderr]\nwarning: `.ai/knowledge/rye/guides/signing.md` was passed over: ids below `rye/` are the program's own\n\
         [exit 0]\n"
    ), "{transcript}");
}

#[test]
fn a_place_no_tool_may_touch_is_refused() {
    let sandbox = Sandbox::signed();
    let run = ["execute", "tool", "rye/file-system/write", "-i", "path=.git/hooks/x", "-i", "content=x"];
    assert_seen(
        sandbox.rye(&run).transcript(),
        str![[r#"
$ rye execute tool rye/file-system/write -i path=.git/hooks/x -i content=x
[stderr]
error: tool `rye/file-system/write` failed: `.git/hooks/x` is refused: no tool may touch git's own folder
[exit 1]

"#]],
    );
    assert_seen(
        sandbox.rye(&["execute", "tool", "rye/file-system/read", "-i", "path=../x"]).transcript(),
        str![[r#"
$ rye execute tool rye/file-system/read -i path=../x
[stderr]
error: tool `rye/file-system/read` failed: `../x` is not a path inside the project: it leaves the project
[exit 1]

"#]],
    );
}

#[test]
fn a_tool_that_fails_tells_why() {
    let sandbox = Sandbox::signed();
    assert_seen(
        sandbox.rye(&["execute", "tool", "demo/fail"]).transcript(),
        str![[r#"
$ rye execute tool demo/fail
[stderr]
error: tool `demo/fail` failed: it went wrong
cause: it ended with exit code 3
[exit 1]

"#]],
    );
    assert_seen(
        sandbox.rye(&["execute", "tool", "demo/fail", "--json"]).transcript(),
        str![[r#"
$ rye execute tool demo/fail --json
{"item_type":"tool","item_id":"demo/fail","status":"error","result":{"exit_code":3,"stderr":"it went wrong\n","stdout":""},"duration_ms":0}
[stderr]
error: tool `demo/fail` failed: it went wrong
cause: it ended with exit code 3
[exit 1]

"#]],
    );
}

/// Hole 13 of the threat model, and a file too large to be read: neither may leave `verify` with less to check and
/// nothing to say, nor keep it from telling the rest.
#[test]
fn verify_fails_on_files_that_cannot_be_the_item_they_name() {
    let sandbox = Sandbox::signed();
    sandbox.put(".ai/tools/demo/echo.py", "print('evil')\n");
    sandbox.put(".ai/tools/demo/fail.sh", &"#".repeat(1024 * 1024 + 1));
    sandbox.commit("second");
    for rev in [&["verify"][..], &["verify", "--rev", "HEAD"]] {
        let transcript = sandbox.rye(rev).transcript();
        assert!(
            transcript.contains("cannot be used as an item: it is larger than 1048576 bytes [RYE-S021]"),
            "{transcript}"
        );
        assert!(transcript.contains("echo.sh` differ only by extension [RYE-S021]"), "{transcript}");
        assert!(
            transcript.contains("not ok: 2 items checked: 2 good") && transcript.ends_with("[exit 3]\n"),
            "{transcript}"
        );
    }
    let listed = sandbox.rye(&["list", "tool", "--space", "project"]).transcript();
    assert!(listed.contains("fail.sh` cannot be used as an item: it is larger than 1048576 bytes"), "{listed}");
    assert!(listed.ends_with("[exit 1]\n"), "{listed}");
}

#[test]
fn verify_takes_paths_as_they_are_typed() {
    let sandbox = Sandbox::signed();
    let absolute = sandbox.project().join(".ai/tools").display().to_string();
    for (path, checked) in [(".", 4), ("./.ai/../.ai/tools", 2), (&*absolute, 2), (".ai/tools/demo/echo.sh", 1)] {
        let transcript = sandbox.rye(&["verify", path]).transcript();
        let items = if checked == 1 { "item" } else { "items" };
        assert!(transcript.contains(&format!("ok: {checked} {items} checked")), "{transcript}");
    }
    let below = sandbox.rye(&["-C", ".ai/tools", "verify", "demo"]).transcript();
    assert!(below.contains("ok: 2 items checked"), "{below}");
    for path in ["..", "/", "../.ai"] {
        let transcript = sandbox.rye(&["verify", path]).transcript();
        assert!(transcript.ends_with("[exit 1]\n"), "{transcript}");
    }
}

#[test]
fn knowledge_takes_no_inputs() {
    let sandbox = Sandbox::signed();
    let transcript = sandbox.rye(&["execute", "knowledge", "demo/notes", "-i", "a=b"]).transcript();
    assert!(transcript.contains("unknown input `a`") && transcript.ends_with("[exit 2]\n"), "{transcript}");
}

/// A name with escape sequences, and a signature line that only programs read.
#[test]
fn what_a_repository_brings_cannot_control_the_terminal() {
    let sandbox = Sandbox::signed();
    sandbox.put(".ai/tools/\u{1b}[2Jred", "");
    let transcript = sandbox.rye(&["verify"]).transcript();
    assert!(!transcript.contains('\u{1b}') && transcript.contains("[2Jred"), "{transcript}");
}

#[test]
fn yaml_knowledge_is_shown_without_header_and_signature_line() {
    let sandbox = Sandbox::with_items();
    sandbox.put(
        ".ai/knowledge/demo/facts.yaml",
        "name: facts\ntitle: Facts\ncategory: demo\nversion: 1.0.0\nfacts:\n  - one\n",
    );
    sandbox.rye(&["sign", "knowledge", "demo/facts"]).succeeds();
    let shown = sandbox.rye(&["execute", "knowledge", "demo/facts"]).stdout();
    assert_eq!(String::from_utf8(shown).unwrap(), "facts:\n  - one\n");
}

/// Hole 31 of the threat model by another way: a project that talks a person into trusting their own agent's key.
#[test]
fn the_key_of_ones_own_agent_is_not_trusted() {
    let sandbox = Sandbox::signed();
    sandbox.rye(&["key", "generate"]).succeeds();
    let agent = sandbox.path("config/rye/keys/agent.pub").display().to_string();
    let transcript = sandbox.rye(&["trust", "add", &agent]).transcript();
    assert!(transcript.contains("is the key of your own agent") && transcript.ends_with("[exit 1]\n"), "{transcript}");
}

/// Whatever a project puts below `rye/` (another item, two that contradict each other, one too large to read), the
/// program's own item is used.
#[test]
fn a_project_cannot_keep_the_programs_own_items_from_being_used() {
    let sandbox = Sandbox::signed();
    sandbox.put(".ai/tools/rye/file-system/read.sh", "echo evil\n");
    let read = ["execute", "tool", "rye/file-system/read", "-i", "path=.ai/knowledge/demo/notes.md"];
    let seen = |passed_over: &str| {
        let transcript = sandbox.rye(&read).transcript();
        assert!(transcript.contains(&format!("{passed_over}` was passed over")), "{transcript}");
        assert!(transcript.contains("# Notes") && transcript.ends_with("[exit 0]\n"), "{transcript}");
    };
    seen("read.sh");
    sandbox.put(".ai/tools/rye/file-system/read.py", "print('evil')\n");
    seen("read.py");
    std::fs::remove_file(sandbox.project().join(".ai/tools/rye/file-system/read.py")).unwrap();
    std::fs::remove_file(sandbox.project().join(".ai/tools/rye/file-system/read.sh")).unwrap();
    sandbox.put(".ai/tools/rye/file-system/read.yaml", &"#".repeat(1024 * 1024 + 1));
    seen("read.yaml");
}

/// A home folder that is the project: a model must not read the person's key there, nor trust somebody.
#[test]
fn file_tools_leave_keys_and_trust_alone_where_the_home_folder_is_the_project() {
    let sandbox = Sandbox::signed();
    let config = sandbox.project().join("settings").display().to_string();
    sandbox.rye(&["key", "generate"]).env("XDG_CONFIG_HOME", &config).succeeds();
    for (tool, path) in [
        ("read", "settings/rye/keys/person"),
        ("read", "settings/RYE/keys/person"),
        ("list", "settings/rye"),
        ("write", "settings/rye/trust/allowed_signers"),
    ] {
        let (tool, path) = (format!("rye/file-system/{tool}"), format!("path={path}"));
        let mut args = vec!["execute", "tool", &tool, "-i", &path];
        args.extend(if tool.ends_with("write") { &["-i", "content=x"][..] } else { &[] });
        let transcript = sandbox.rye(&args).env("XDG_CONFIG_HOME", &config).transcript();
        assert!(transcript.contains("tools cannot access the program's own keys, trust, settings"), "{transcript}");
    }
}

/// Bytes that are not text cannot be returned as text without loss, and the result says so.
#[test]
fn a_file_that_is_no_text_is_read_with_a_warning_sign() {
    let sandbox = Sandbox::signed();
    std::fs::write(sandbox.project().join("data.bin"), b"a\xffb").unwrap();
    sandbox.put("plain.txt", "plain");
    let read = |path: &str| {
        let path = format!("path={path}");
        sandbox.rye(&["execute", "tool", "rye/file-system/read", "-i", &path, "--json"]).transcript()
    };
    assert!(read("data.bin").contains("\"lossy\":true"), "{}", read("data.bin"));
    assert!(!read("plain.txt").contains("lossy"), "{}", read("plain.txt"));
}
