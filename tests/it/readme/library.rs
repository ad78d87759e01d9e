//! The program that docs/library.md shows: examples/verify, built in a workspace of its own as any user of the library does, and run.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::Sandbox;

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/verify");

fn cargo(arguments: &[&str]) -> String {
    let manifest = format!("{EXAMPLE}/Cargo.toml");
    let mut command = Command::new(env!("CARGO"));
    let output = command.args(arguments).args(["--frozen", "--quiet", "--manifest-path", &manifest]).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Builds the program, once for all runs: cargo keeps it.
fn built() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("example-verify");
    cargo(&["build", "--target-dir", target.to_str().unwrap()]);
    target.join("debug/verify-items")
}

#[test]
fn the_page_shows_the_program_and_it_is_short() {
    let program = fs::read_to_string(format!("{EXAMPLE}/src/main.rs")).unwrap();
    let page = super::read(&Path::new(crate::support::ROOT).join("docs/library.md"));
    let shown = page.blocks.iter().find(|block| block.language == "rust").unwrap();
    assert_eq!(shown.text, program);
    assert!(program.lines().count() <= 60, "{} lines", program.lines().count());
}

#[test]
fn what_verifies_links_nothing_of_what_runs() {
    let tree = cargo(&["tree", "--edges", "normal", "--prefix", "none", "--format", "{lib}"]);
    let linked: BTreeSet<&str> = tree.lines().map(str::trim).collect();
    assert!(linked.contains("rye_verify") && linked.contains("gix"), "{linked:?}");
    for unwanted in ["reqwest", "rustls", "tokio", "tantivy", "rmcp", "libloading", "clap", "rye_process", "rye_net"] {
        assert!(!linked.contains(unwanted), "it links {unwanted}");
    }
}

#[test]
fn the_program_judges_a_project() {
    let sandbox = Sandbox::signed();
    let program = built();
    let signers = sandbox.path("signers");
    let key = sandbox.rye(&["key", "export"]).stdout();
    let key = format!("ada@example.org {}", String::from_utf8(key).unwrap());
    fs::write(&signers, key).unwrap();
    let judged = |project: &Path, signers: &Path| {
        let mut command = Command::new(&program);
        let output = command.env_clear().envs(sandbox.variables()).arg(project).arg(signers).output().unwrap();
        let told = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        (output.status.code().unwrap(), told)
    };
    assert_eq!(judged(&sandbox.project(), &signers), (0, "4 of 4 items are good\n".to_owned()));
    sandbox.edit(".ai/tools/demo/echo.sh", "cat", "cat -n");
    let (code, told) = judged(&sandbox.project(), &signers);
    assert_eq!(code, 1, "{told}");
    assert!(told.starts_with(".ai/tools/demo/echo.sh:1: ") && told.contains("[RYE-S"), "{told}");
    assert!(told.ends_with("3 of 4 items are good\n"), "{told}");
    // Keys that signed nothing, and what cannot be judged.
    fs::write(sandbox.path("nobody"), "# nobody\n").unwrap();
    let (code, told) = judged(&sandbox.project(), &sandbox.path("nobody"));
    assert!(code == 1 && told.ends_with("0 of 4 items are good\n"), "{code} {told}");
    assert_eq!(judged(&sandbox.project(), &sandbox.path("missing")).0, 2);
    let empty = Sandbox::empty();
    empty.git(&["init", "-q"]);
    assert_eq!(judged(&empty.project(), &signers), (1, "no items to verify\n".to_owned()));
}
