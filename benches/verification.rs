//! How long it takes to sign and to verify many items, whole process.
//!
//! Run with `cargo bench --bench verification`, or with `-- signing`, `-- skills` or `-- items` for a part; the questions and recorded runs are in README.md of this folder.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a bench measures and prints"
)]

mod common;
#[path = "common/items.rs"]
mod items;

use common::{RYE, Workspace, head, measure, row};
use items::knowledge;

const ITEM_BYTES: usize = 4096;
/// A signature line and the block around it, in bytes.
const LINE_BYTES: usize = 230;
const RUNS: usize = 51;
/// How many items are signed at once, and how often.
const SIGNED: usize = 2_000;
const SIGN_RUNS: usize = 11;
/// How many skills there are, each of how many files.
const SKILLS: usize = 1_000;
const SKILL_FILES: usize = 20;
const SKILL_RUNS: usize = 11;
/// How many items change between two runs.
const CHANGED: usize = 3;

fn main() {
    let parts: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    for (part, measure_it) in [("signing", signing as fn()), ("skills", skills), ("items", items_of_many)] {
        if parts.is_empty() || parts.iter().any(|wanted| wanted == part) {
            measure_it();
        }
    }
}

/// Signatures are durable: half of the time is waiting for the disk.
fn signing() {
    head(&format!("`rye sign --all`, {SIGNED} items of 4 KiB"));
    let workspace = Workspace::new();
    let sign = |_| workspace.command(RYE, &["sign", "--all", "--quiet"]);
    let write_all = |round: usize| {
        for number in 0..SIGNED {
            put(&workspace, number, round);
        }
    };
    row("none of them signed", measure(SIGN_RUNS, write_all, sign));
    row("all of them signed already", measure(SIGN_RUNS, |_| {}, sign));
}

fn items_of_many() {
    head("`rye verify`, items of 4 KiB");
    for count in [1_000, 10_000] {
        let workspace = Workspace::new();
        for number in 0..count {
            put(&workspace, number, 0);
        }
        workspace.rye(&["sign", "--all", "--quiet"]);
        let hash = ["-c", "find .ai/knowledge -name '*.md' -exec sha256sum {} +"];
        row(
            &format!("`sha256sum` of {count} items, on one core"),
            measure(RUNS, |_| {}, |_| workspace.command("sh", &hash)),
        );
        let verify = |args: &[&str]| workspace.command(RYE, &[&["verify"], args].concat());
        row(&format!("{count} items, each judged"), measure(RUNS, |_| {}, |_| verify(&["--no-cache"])));
        row(&format!("{count} items, none changed since"), measure(RUNS, |_| {}, |_| verify(&[])));
        let change = |round: usize| {
            let numbers: Vec<usize> = (0..CHANGED).map(|nth| (round * CHANGED + nth) * 7 % count).collect();
            let ids: Vec<String> = numbers.iter().map(|number| put(&workspace, *number, round + 1)).collect();
            let mut args = vec!["sign", "knowledge", "--quiet"];
            args.extend(ids.iter().map(String::as_str));
            workspace.rye(&args);
        };
        row(&format!("{count} items, {CHANGED} changed since"), measure(RUNS, change, |_| verify(&[])));
        workspace.git(&["add", "--all"]);
        workspace.git(&["commit", "--quiet", "--message", "notes"]);
        let at_head = |args: &[&str]| verify(&[&["--rev", "HEAD"], args].concat());
        row(&format!("{count} items of a commit, each judged"), measure(RUNS, |_| {}, |_| at_head(&["--no-cache"])));
        row(&format!("{count} items of a commit, none changed since"), measure(RUNS, |_| {}, |_| at_head(&[])));
        workspace.git(&["repack", "--quiet", "-a", "-d"]);
        row(
            &format!("{count} items of a commit in a pack, each judged"),
            measure(RUNS, |_| {}, |_| at_head(&["--no-cache"])),
        );
    }
}

/// Skills are judged by hashing every file of theirs: the figure to hold against is that of hashing them.
fn skills() {
    head(&format!("`rye verify`, {SKILLS} skills of {SKILL_FILES} files of 4 KiB"));
    let workspace = Workspace::new();
    for number in 0..SKILLS {
        let folder = format!(".claude/skills/skill-{number}");
        let name = format!("---\nname: skill-{number}\ndescription: Does what number {number} does.\n---\n\nDo it.\n");
        workspace.write(&format!("{folder}/SKILL.md"), &name);
        for file in 1..SKILL_FILES {
            let text = format!("{number} {file}\n").repeat(ITEM_BYTES / 4);
            workspace.write(&format!("{folder}/notes/n{file}.md"), &text[..ITEM_BYTES]);
        }
    }
    let unsigned = |_| {
        workspace.command("rm", &["-rf", ".ai/skills"]).status().unwrap();
    };
    row(
        "`rye sign skill --all`",
        measure(3, unsigned, |_| workspace.command(RYE, &["sign", "skill", "--all", "--quiet"])),
    );
    let hash = ["-c", "find .claude/skills -type f -exec sha256sum {} +"];
    row("`sha256sum` of the files, on one core", measure(SKILL_RUNS, |_| {}, |_| workspace.command("sh", &hash)));
    let verify = |args: &[&str]| workspace.command(RYE, &[&["verify"], args].concat());
    row("the work tree", measure(SKILL_RUNS, |_| {}, |_| verify(&[])));
    workspace.git(&["add", "--all"]);
    workspace.git(&["commit", "--quiet", "--message", "skills"]);
    workspace.git(&["repack", "--quiet", "-a", "-d"]);
    row("a commit in a pack", measure(SKILL_RUNS, |_| {}, |_| verify(&["--rev", "HEAD"])));
}

/// Writes an item and returns its id.
fn put(workspace: &Workspace, number: usize, round: usize) -> String {
    let id = format!("notes/n{}/note{number}", number / 100);
    let text = knowledge(&id, ITEM_BYTES - LINE_BYTES);
    workspace.write(&format!(".ai/knowledge/{id}.md"), &format!("{text}Round {round}.\n"));
    id
}
