//! CRLF in the work tree where LF was signed: named with its cause and what mends it, and not signed by accident.

use std::fs;

use crate::support::{Person, Sandbox};

const ECHO: &str = ".ai/tools/demo/echo.sh";
const CAUSE: &str = "its line ends are CRLF, and it was signed with LF: ";

/// A signed project whose tool git checked out with CRLF.
fn converted() -> Sandbox {
    let sandbox = Sandbox::signed();
    sandbox.git(&["config", "core.autocrlf", "true"]);
    fs::remove_file(sandbox.project().join(ECHO)).unwrap();
    sandbox.git(&["checkout", "--", ECHO]);
    assert!(fs::read_to_string(sandbox.project().join(ECHO)).unwrap().contains("\r\n"));
    sandbox
}

#[test]
fn line_ends_are_named_with_their_cause_and_mended_by_what_is_said() {
    let sandbox = converted();
    let why = "git converts it, as `core.autocrlf` is set and `.gitattributes` has no line for `.ai/`";
    let mend = format!("run `rye init`, then `rm {ECHO} && git checkout -- {ECHO}`");
    let seen = sandbox.rye(&["verify"]).transcript();
    assert!(seen.contains(&format!("because: {CAUSE}{why}\nhint: {mend}\n")), "{seen}");
    let seen = sandbox.rye(&["execute", "tool", "demo/echo"]).transcript();
    assert!(seen.contains(&format!("error: tool `demo/echo` is refused: {CAUSE}{why}")), "{seen}");
    assert!(seen.contains(&format!("hint: {mend}\n")) && !seen.contains("rye sign"), "{seen}");
    let seen = sandbox.rye(&["publish", "tool", "demo/echo", "--yes"]).transcript();
    let needs = "error: cannot publish tool `demo/echo`: it needs your own signature, and ";
    assert!(seen.contains(&format!("{needs}{CAUSE}{why}")) && seen.contains(&format!("hint: {mend}\n")), "{seen}");
    let seen = sandbox.rye(&["diff"]).transcript();
    assert!(seen.contains(&format!("only the line ends of tool `demo/echo` changed: {CAUSE}{why}; {mend}")), "{seen}");
    let seen = sandbox.rye(&["status"]).transcript();
    assert!(seen.contains("line ends\ttool\tdemo/echo\t") && seen.contains(&format!("{CAUSE}{why}; {mend}")), "{seen}");
    assert!(!seen.contains("rye sign --all"), "{seen}");
    let seen = sandbox.rye(&["sign", "--all"]).transcript();
    assert!(seen.contains(&format!("tool `demo/echo` is not signed again: {CAUSE}{why}")), "{seen}");
    assert!(seen.contains(&mend) && seen.contains("`rye sign tool demo/echo --again`"), "{seen}");
    assert!(seen.ends_with("[exit 2]\n"), "{seen}");

    sandbox.rye(&["init", "-q"]).succeeds();
    let seen = sandbox.rye(&["verify"]).transcript();
    assert!(seen.contains("it was checked out before `.gitattributes` had its line"), "{seen}");
    assert!(seen.contains(&format!("hint: run `rm {ECHO} && git checkout -- {ECHO}`\n")), "{seen}");
    fs::remove_file(sandbox.project().join(ECHO)).unwrap();
    sandbox.git(&["checkout", "--", ECHO]);
    sandbox.rye(&["verify", "-q"]).succeeds();
}

/// What refuses such an item may be something else.
#[test]
fn line_ends_are_no_reason_where_the_key_is_the_fault() {
    let sandbox = Sandbox::with_items();
    let stranger = Person::new("stranger");
    sandbox.rye(&["sign", "tool", "demo/echo", "-q"]).by(&stranger).succeeds();
    let signed = fs::read_to_string(sandbox.project().join(ECHO)).unwrap();
    fs::write(sandbox.project().join(ECHO), signed.replace('\n', "\r\n").replacen("\r\n", "\n", 1)).unwrap();
    let seen = sandbox.rye(&["verify", "demo/echo"]).transcript();
    assert!(!seen.contains("RYE-S006") || !seen.contains(CAUSE), "{seen}");
}

#[test]
fn a_change_of_more_than_line_ends_is_a_change() {
    let sandbox = converted();
    sandbox.edit(ECHO, "Returns", "Repeats");
    let seen = sandbox.rye(&["verify"]).transcript();
    assert!(seen.contains("RYE-S00") && !seen.contains(CAUSE), "{seen}");
    sandbox.rye(&["sign", "tool", "demo/echo", "-q"]).succeeds();
}

/// Signed with CRLF and stored with LF, an item would never fit its signature.
#[test]
fn a_commit_takes_nothing_that_git_stores_with_other_line_ends() {
    let sandbox = converted();
    let head = sandbox.git(&["rev-parse", "HEAD"]);
    let seen = sandbox.rye(&["commit", "--yes", "-m", "x"]).transcript();
    assert!(seen.contains(&format!("warning: `{ECHO}` is skipped: {CAUSE}")) && seen.contains("rye init"), "{seen}");
    assert!(seen.contains("nothing to commit"), "{seen}");
    let tool = "# version: \"1.0.0\"\r\n# description: More\r\n# category: demo\r\ntrue\r\n";
    sandbox.put(".ai/tools/demo/more.sh", tool);
    let seen = sandbox.rye(&["commit", "--yes", "-m", "x"]).transcript();
    assert!(seen.contains("error: git would convert the line ends of `.ai/tools/demo/more.sh`"), "{seen}");
    assert_eq!(sandbox.git(&["rev-parse", "HEAD"]), head);
    sandbox.rye(&["init", "-q"]).succeeds();
    sandbox.rye(&["commit", "--yes", "-qm", "x"]).succeeds();
    sandbox.rye(&["verify", "--rev", "HEAD", "-q"]).succeeds();
}

#[test]
fn a_commit_warns_where_git_could_convert_what_it_signs() {
    let sandbox = Sandbox::with_items();
    let warning = "warning: `.gitattributes` does not keep git from converting the line ends of signed files";
    let seen = sandbox.rye(&["commit", "--yes", "-m", "first"]).transcript();
    assert!(seen.contains(warning) && seen.contains("run `rye init`, then"), "{seen}");
    // Any attributes do.
    sandbox.put(".gitattributes", ".ai/** -text\n");
    sandbox.edit(ECHO, "category", "category ");
    let seen = sandbox.rye(&["commit", "--yes", "-m", "second"]).transcript();
    assert!(seen.ends_with("[exit 0]\n") && !seen.contains(warning), "{seen}");
}
