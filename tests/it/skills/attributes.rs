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
