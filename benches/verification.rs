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

fn main() {
    head("`rye verify`, items of 4 KiB");
    for (count, runs) in [(1_000, 51), (10_000, 51)] {
        let workspace = Workspace::new();
        for number in 0..count {
            let id = format!("notes/n{}/note{number}", number / 100);
            workspace.write(&format!(".ai/knowledge/{id}.md"), &knowledge(&id, ITEM_BYTES - LINE_BYTES));
        }
        workspace.rye(&["sign", "--all", "--quiet"]);
        row(&format!("{count} items"), measure(runs, |_| {}, |_| workspace.command(RYE, &["verify"])));
        if count == 1_000 {
            workspace.git(&["add", "--all"]);
            workspace.git(&["commit", "--quiet", "--message", "notes"]);
            let at_head = |_| workspace.command(RYE, &["verify", "--rev", "HEAD"]);
            row(&format!("{count} items of a commit"), measure(runs, |_| {}, at_head));
        }
    }
}
