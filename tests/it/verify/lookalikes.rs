//! Names that a file system elsewhere takes for those of items and trust files, and submodules that a work tree does not show.

use super::*;

const TOOL: &str = ".ai/tools/demo/longername.sh";
const TOOL_TEXT: &str = "# version: 0.1.0\n# description: \"long\"\necho 1\n";
const RANGE: [&str; 4] = ["--range", "base..HEAD", "--trust-root", "base"];

/// A project with an item of a long name.
fn with_tool() -> Sandbox {
    let sandbox = project();
    sandbox.put(TOOL, &signed(TOOL, TOOL_TEXT, ADA));
    sandbox.commit("tool");
    sandbox.git(&["branch", "-f", "base"]);
    sandbox
}

/// Holds the paths that are taken for others against those expected.
#[track_caller]
fn finds(seen: &Seen, paths: &[&str]) {
    let mut found = seen.findings();
    found.sort_unstable();
    let expected: Vec<_> = paths.iter().map(|path| ("error", "RYE-S021", *path)).collect();
    assert_eq!((found, seen.code.as_str()), (expected, "3"), "{:#}", seen.json);
}

/// Verifies a file that lies next to another one in the work tree, in a commit, in a range, and on the way.
#[track_caller]
fn is_found(sandbox: &Sandbox, path: &str, text: &str, paths: &[&str]) -> Seen {
    sandbox.put(path, text);
    finds(&verify(sandbox, &["--trust-root", "base"]), paths);
    sandbox.git(&["add", "-A", "-f"]);
    sandbox.git(&["commit", "-qm", path]);
    let bad = head(sandbox);
    let told = verify(sandbox, &["--rev", "HEAD", "--trust-root", "base"]);
    finds(&told, paths);
    finds(&verify(sandbox, &RANGE), paths);
    sandbox.git(&["rm", "-rq", path]);
    sandbox.git(&["commit", "-qm", "removed"]);
    let seen = verify(sandbox, &RANGE);
    finds(&seen, &[path]);
    assert_eq!(seen.field(0, "commit_id"), bad, "{path}");
    sandbox.git(&["reset", "-q", "--hard", "base"]);
    told
}

#[test]
fn names_that_a_file_system_takes_for_an_item_s_are_found() {
    let sandbox = with_tool();
    let cases = [
        (".ai/tools/demo/longername.SH", TOOL),
        (".ai/tools/demo/LongerName.Sh", TOOL),
        (".ai/tools/demo/longername.sh.", TOOL),
        (".ai/tools/demo/longername.sh ", TOOL),
        (".ai/tools/demo/longername.sh::$DATA", TOOL),
        (".ai/tools/demo/longer\u{200d}name.sh", TOOL),
        (".ai/tools/demo/longername.\u{17f}h", TOOL),
        (".ai/tools/demo/LONGER~1.SH", TOOL),
        // Next to nothing: the item itself is elsewhere.
        (".ai/tools/demo/other.SH", ".ai/tools/demo/other.sh"),
        (".ai/knowledge/demo/o\u{fb03}ce.md", ".ai/knowledge/demo/office.md"),
    ];
    for (path, taken_for) in cases {
        let mut paths = if taken_for == TOOL { vec![path, TOOL] } else { vec![path] };
        paths.sort_unstable();
        let told = is_found(&sandbox, path, &signed(TOOL, TOOL_TEXT, ADA), &paths).json["findings"].to_string();
        assert!(told.contains(&format!("some file systems take it for `{taken_for}`")), "{path}: {told}");
    }
    // A work tree is told of by the folder, a commit by the file.
    let path = ".ai/tools/demo./longername.sh";
    sandbox.put(path, "x\n");
    finds(&verify(&sandbox, &["--trust-root", "base"]), &[".ai/tools/demo.", TOOL]);
    sandbox.commit("folder");
    finds(&verify(&sandbox, &["--rev", "HEAD", "--trust-root", "base"]), &[path, TOOL]);
    sandbox.git(&["reset", "-q", "--hard", "base"]);
    for path in [".ai/tools/demo/longer~name.txt", ".ai/tools/demo/other.sh.orig", ".ai/tools/demo/.LONGERNAME.SH"] {
        sandbox.put(path, "x\n");
    }
    sandbox.commit("neighbours");
    verify(&sandbox, &["--rev", "HEAD", "--trust-root", "base"]).is_ok();
    verify(&sandbox, &["--trust-root", "base"]).is_ok();
}

/// Both are signed and good, and a checkout keeps one of them.
#[test]
fn ids_that_differ_by_case_only_are_found() {
    for path in [".ai/tools/demo/LONGERNAME.sh", ".ai/tools/Demo/longername.sh"] {
        let sandbox = with_tool();
        let text = signed(path, TOOL_TEXT, ADA);
        let seen = is_found(&sandbox, path, &text, &[path, TOOL]);
        let expected = format!("this file cannot be used as an item: some file systems take it for `{TOOL}`");
        assert!(seen.json["findings"].to_string().contains(&expected), "{:#}", seen.json);
        // They are judged all the same.
        assert_eq!(seen.json["summary"]["good"], 4, "{:#}", seen.json);
    }
    // Folders that differ by case hold items of their own.
    let sandbox = with_tool();
    let path = ".ai/tools/DEMO/second.sh";
    sandbox.put(path, &signed(path, TOOL_TEXT, ADA));
    sandbox.commit("second");
    verify(&sandbox, &RANGE).is_ok();
    // A folder in a file's place.
    let path = ".ai/tools/demo/longername.SH/second.sh";
    sandbox.put(path, "x\n");
    sandbox.commit("folder");
    let seen = verify(&sandbox, &RANGE);
    assert!(seen.findings().contains(&("error", "RYE-S021", path)), "{:#}", seen.json);
}

#[test]
fn names_that_a_file_system_takes_for_a_trust_file_s_are_found() {
    let sandbox = with_tool();
    for path in [
        ".ai/trust/Policy.toml",
        ".ai/trust/ALLOWED_SIGNERS",
        ".ai/trust/ALLOWE~1",
        ".ai/trust/revoked.",
        ".ai/trust/re\u{200b}voked",
        ".ai/trust/Trust.sig",
    ] {
        is_found(&sandbox, path, "x\n", &[path]);
    }
    // The other entries are not trust files, but may be elsewhere.
    sandbox.put(".ai/trust/folder/x", "x\n");
    sandbox.put(".ai/trust/README.md", "x\n");
    std::os::unix::fs::symlink("folder/x", sandbox.project().join(".ai/trust/link")).unwrap();
    let findings = [("RYE-S021", ".ai/trust/folder"), ("RYE-S021", ".ai/trust/link")];
    verify(&sandbox, &["--trust-root", "base"]).is_refused(&findings);
    sandbox.commit("more");
    let id = head(&sandbox);
    sandbox.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{id},.ai/trust/sub")]);
    sandbox.git(&["commit", "-q", "-m", "sub"]);
    let findings = [&findings[..], &[("RYE-S021", ".ai/trust/sub")]].concat();
    verify(&sandbox, &["--rev", "HEAD", "--trust-root", "base"]).is_refused(&findings);
    verify(&sandbox, &RANGE).is_refused(&findings);
}

/// A checkout without submodules leaves an empty folder, or nothing.
#[test]
fn a_submodule_in_the_index_is_found_in_the_work_tree() {
    let sandbox = with_tool();
    let id = head(&sandbox);
    for path in [".ai/tools/sub", ".ai/trust/sub", ".ai/knowledge/demo/sub"] {
        sandbox.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{id},{path}")]);
        for is_there in [false, true] {
            if is_there {
                fs::create_dir_all(sandbox.project().join(path)).unwrap();
            }
            let seen = verify(&sandbox, &["--trust-root", "base"]);
            seen.is_refused(&[("RYE-S021", path)]);
            assert!(seen.field(0, "message").contains("it is a submodule"), "{:#}", seen.json);
        }
        sandbox.git(&["rm", "-q", "--cached", path]);
        fs::remove_dir(sandbox.project().join(path)).unwrap();
    }
    for path in ["vendor/sub", ".ai/tools/.hidden", ".ai/other"] {
        sandbox.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{id},{path}")]);
    }
    verify(&sandbox, &["--trust-root", "base"]).is_ok();
    // The folder of a type.
    let sandbox = with_tool();
    sandbox.git(&["rm", "-rq", ".ai/tools"]);
    sandbox.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{id},.ai/tools")]);
    verify(&sandbox, &["--trust-root", "base"]).is_refused(&[("RYE-S021", ".ai/tools")]);
}
