//! How long it takes to verify many signed items, whole process.
//!
//! Run with `cargo bench --bench verification`; the questions and recorded runs are in README.md of this folder.
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
/// How many items change between two runs.
const CHANGED: usize = 3;

fn main() {
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

/// Writes an item and returns its id.
fn put(workspace: &Workspace, number: usize, round: usize) -> String {
    let id = format!("notes/n{}/note{number}", number / 100);
    let text = knowledge(&id, ITEM_BYTES - LINE_BYTES);
    workspace.write(&format!(".ai/knowledge/{id}.md"), &format!("{text}Round {round}.\n"));
    id
}
