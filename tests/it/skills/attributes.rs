//! Lines of `.gitattributes` that projects have, which change no byte of a skill in a checkout.

use super::*;

/// What public repositories have.
const USUAL: &str = "* text=auto\n*.png binary\n*.sh text eol=lf\n*.bat text eol=crlf\n*.rs diff=rust linguist-language=Rust\n\
                     docs/** linguist-documentation\nvendor/** linguist-vendored -diff\ntests export-ignore\n*.lock merge=union\n";

#[test]
fn usual_lines_above_those_for_skills_are_no_finding() {
    let sandbox = with_skill();
    sandbox.put(".gitattributes", USUAL);
    sandbox.rye(&["sign", "skill", "read-pdf", "-q"]).succeeds();
    sandbox.commit("first");
    assert_found(&sandbox, &[], &[]);
    assert_found(&sandbox, &["--rev", "HEAD"], &[]);
    sandbox.git(&["config", "core.autocrlf", "true"]);
    fs::remove_dir_all(sandbox.project().join(PDF)).unwrap();
    sandbox.git(&["checkout", "-q", "--", "."]);
    assert_found(&sandbox, &[], &[]);
}

/// Git writes LF by `eol=lf`, whatever a person's settings say.
#[test]
fn lines_that_keep_line_ends_are_no_finding_below_those_for_skills() {
    let harmless = "*.sh text eol=lf\n* text=auto eol=lf\n*.png binary\n*.md diff=markdown linguist-documentation\n\
                    tests export-ignore\n*.lock merge=union\n";
    let sandbox = signed();
    let own = fs::read_to_string(sandbox.project().join(".gitattributes")).unwrap();
    sandbox.put(".gitattributes", &(own.clone() + harmless));
    sandbox.put(".claude/.gitattributes", harmless);
    sandbox.commit("attributes");
    for config in ["core.autocrlf=true", "core.eol=crlf"] {
        fs::remove_dir_all(sandbox.project().join(PDF)).unwrap();
        sandbox.git(&["-c", config, "checkout", "-q", "--", "."]);
        assert_found(&sandbox, &[], &[]);
        assert_found(&sandbox, &["--rev", "HEAD"], &[]);
    }
    sandbox.put(".gitattributes", &(own + "* text=auto\n"));
    assert_found(&sandbox, &[], &[("RYE-A029", ".gitattributes")]);
}

/// An attack: its name, and what it puts around the lines that `rye sign` wrote.
type Around = (&'static str, fn(&str) -> String);

const AROUND: [Around; 8] = [
    ("more behind the skill's line", |own| format!("{} working-tree-encoding=UTF-16\n", own.trim_end())),
    ("a macro of a macro", |own| format!("[attr]a text eol=crlf\n[attr]b a\n{own}*.sh b\n")),
    ("a macro in quotes", |own| format!("{own}\"[attr] a\" text eol=crlf\n*.sh a\n")),
    ("an attribute that follows a quote", |own| format!("{own}\"*.sh\"working-tree-encoding=UTF-16\n")),
    ("a NUL before the skill's line", |own| format!("*.sh text eol=crlf\n\0\n{own}")),
    ("more than 1 MiB", |own| format!("{own}{}*.sh text eol=crlf\n", "#\n".repeat(600_000))),
    ("a name that some file systems take for the skill's", |_| "/.Claude/** text eol=crlf\n".to_owned()),
    ("a byte order mark", |_| "\u{feff}/.claude/** text eol=crlf\n".to_owned()),
];

/// Removes the folder of the skill and a further file, and has git check them out again; tells whether the script has other bytes then.
fn git_changes_the_script(sandbox: &Sandbox, also: &[&str]) -> bool {
    let script = sandbox.project().join(PDF).join("scripts/read.sh");
    let before = fs::read(&script).unwrap();
    fs::remove_dir_all(sandbox.project().join(PDF)).unwrap();
    for path in also {
        fs::remove_file(sandbox.project().join(path)).unwrap();
    }
    sandbox.git(&["-c", "core.ignorecase=true", "checkout", "-q", "--", "."]);
    fs::read(&script).unwrap() != before
}

#[test]
fn lines_that_git_reads_otherwise_than_they_look_are_found() {
    let sandbox = signed();
    let own = fs::read_to_string(sandbox.project().join(".gitattributes")).unwrap();
    for (name, around) in AROUND {
        sandbox.put(".gitattributes", &around(&own));
        sandbox.git(&["add", ".gitattributes"]);
        sandbox.git(&["commit", "-q", "-m", name]);
        assert_found(&sandbox, &[], &[("RYE-A029", ".gitattributes")]);
        assert_found(&sandbox, &["--rev", "HEAD"], &[("RYE-A029", ".gitattributes")]);
        // The work tree's file counts first, and before it is there that of the commit.
        let is_changed = git_changes_the_script(&sandbox, &[".gitattributes"]) || git_changes_the_script(&sandbox, &[]);
        assert!(is_changed, "{name}");
        sandbox.put(".gitattributes", &own);
        sandbox.git(&["add", ".gitattributes"]);
        assert!(git_changes_the_script(&sandbox, &[]), "{name}");
        assert_found(&sandbox, &[], &[]);
    }
}

/// Git takes the target of a link for the text of the file until it has checked it out.
#[test]
fn attributes_in_the_target_of_a_link_are_found() {
    let sandbox = signed();
    fs::remove_file(sandbox.project().join(".gitattributes")).unwrap();
    std::os::unix::fs::symlink("* text eol=crlf", sandbox.project().join(".gitattributes")).unwrap();
    sandbox.git(&["add", ".gitattributes"]);
    sandbox.git(&["commit", "-q", "-m", "link"]);
    assert_found(&sandbox, &[], &[("RYE-A029", ".gitattributes")]);
    assert_found(&sandbox, &["--rev", "HEAD"], &[("RYE-A029", ".gitattributes")]);
    assert!(git_changes_the_script(&sandbox, &[".gitattributes"]));
}
