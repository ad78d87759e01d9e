//! Agent skills: folders that clients read, signed with a separate file and judged in place and in commits.

mod attacks;
mod attributes;
mod config;
mod elsewhere;
mod equal_names;
mod form;
mod ignored;
mod in_commits;
mod links;
mod places;
mod publishing;
mod refusing;
mod signing;
mod sparse;
mod staging;
mod told;
mod using;
mod ways;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;

use crate::support::Sandbox;

/// The folder of the skill that most tests are about.
const PDF: &str = ".claude/skills/read-pdf";

/// Its manifest.
const MANIFEST: &str = ".ai/skills/read-pdf.sig";

/// Makes a project with one unsigned skill: `SKILL.md`, an executable script and a reference.
fn with_skill() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    put_skill(&sandbox, PDF);
    sandbox
}

/// Makes a project whose skill is signed and committed.
fn signed() -> Sandbox {
    let sandbox = with_skill();
    sandbox.rye(&["sign", "skill", "read-pdf", "-q"]).succeeds();
    sandbox.commit("first");
    sandbox
}

/// Writes the files of a skill whose name is that of its folder.
fn put_skill(sandbox: &Sandbox, folder: &str) {
    let name = folder.rsplit('/').next().unwrap();
    sandbox.put(
        &format!("{folder}/SKILL.md"),
        &format!(
            "---\nname: {name}\ndescription: Reads PDF files. Use it when a PDF is named.\n---\n\n# PDF\n\nRun \
             `scripts/read.sh FILE`; see `notes/form.md`.\n"
        ),
    );
    sandbox.put(&format!("{folder}/scripts/read.sh"), "#!/bin/sh\ncat \"$1\"\n");
    sandbox.put(&format!("{folder}/notes/form.md"), "Forms have fields.\n");
    set_mode(sandbox, &format!("{folder}/scripts/read.sh"), 0o755);
}

fn set_mode(sandbox: &Sandbox, path: &str, mode: u32) {
    fs::set_permissions(sandbox.project().join(path), fs::Permissions::from_mode(mode)).unwrap();
}

/// Returns what a run says as JSON.
fn json(sandbox: &Sandbox, args: &[&str]) -> Value {
    let args = [args, &["--json"]].concat();
    serde_json::from_slice(&sandbox.rye(&args).stdout()).unwrap()
}

/// Returns rule and path of each finding of a verification.
fn found(sandbox: &Sandbox, args: &[&str]) -> Vec<(String, String)> {
    let outcome = json(sandbox, &[&["verify"], args].concat());
    let findings = outcome["findings"].as_array().unwrap_or_else(|| panic!("{outcome:#}"));
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    findings.iter().map(|finding| (text(finding, "rule"), text(finding, "path"))).collect()
}

/// Demands that a verification finds just these rules and paths.
fn assert_found(sandbox: &Sandbox, args: &[&str], wanted: &[(&str, &str)]) {
    let mut found = found(sandbox, args);
    found.sort();
    let mut wanted: Vec<(String, String)> =
        wanted.iter().map(|(rule, path)| ((*rule).to_owned(), (*path).to_owned())).collect();
    wanted.sort();
    assert_eq!(found, wanted, "rye verify {}", args.join(" "));
}
