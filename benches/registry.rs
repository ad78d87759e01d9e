//! How long it takes to pull one item from a registry of 10,000 versions of 2,000 items.
//!
//! Run with `cargo bench --bench registry`; the questions and recorded runs are in README.md of this folder. The registry is filled by
//! `rye publish`: each of forty items extends fifty others, and is published with them, five times.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a bench measures and prints"
)]

mod common;

use std::fmt::Write as _;
use std::fs;

use common::{RYE, Workspace, head, measure, row};

const GROUPS: u32 = 40;
const IN_A_GROUP: u32 = 50;
const VERSIONS: u32 = 5;
const RUNS: usize = 21;

fn main() {
    let workspace = Workspace::new();
    let registry = workspace.home().join("registry");
    workspace.rye(&["registry", "init", registry.to_str().unwrap(), "--name", "bench", "--yes"]);
    workspace.rye(&["registry", "add", "bench", registry.to_str().unwrap()]);
    for version in 1..=VERSIONS {
        write_items(&workspace, version);
        workspace.rye(&["sign", "--all", "--quiet"]);
        for group in 0..GROUPS {
            workspace.rye(&["publish", "knowledge", &format!("team/g{group}/all"), "--registry", "bench", "--yes"]);
        }
    }

    head(&format!(
        "{} versions of {} items",
        VERSIONS * (1 + GROUPS * (1 + IN_A_GROUP)),
        1 + GROUPS * (1 + IN_A_GROUP)
    ));
    let pull = ["pull", "--yes", "--force", "team/g7/i7"];
    let folders = [workspace.home().join(".cache/rye"), workspace.home().join(".local/state/rye")];
    let forget = |_: usize| folders.iter().for_each(|folder| drop(fs::remove_dir_all(folder)));
    row("`rye pull`, never fetched", measure(5, forget, |_| workspace.command(RYE, &pull)));
    row("`rye pull`, fetched before", measure(RUNS, |_| {}, |_| workspace.command(RYE, &pull)));
    let offline = [&pull[..], &["--offline"]].concat();
    row("`rye pull --offline`", measure(RUNS, |_| {}, |_| workspace.command(RYE, &offline)));
}

fn write_items(workspace: &Workspace, version: u32) {
    let groups: Vec<String> = (0..GROUPS).map(|group| format!("team/g{group}/all")).collect();
    for (group, id) in groups.iter().enumerate() {
        let items: Vec<String> = (0..IN_A_GROUP).map(|item| format!("team/g{group}/i{item}")).collect();
        write(workspace, id, version, &items);
        items.iter().for_each(|id| write(workspace, id, version, &[]));
    }
}

fn write(workspace: &Workspace, id: &str, version: u32, extends: &[String]) {
    let (category, name) = id.rsplit_once('/').unwrap();
    let mut text =
        format!("```yaml\nname: {name}\ntitle: Note {name}\ncategory: {category}\nversion: \"{version}.0.0\"\n");
    if !extends.is_empty() {
        text.push_str("extends:\n");
        extends.iter().for_each(|id| writeln!(text, "  - {id}").unwrap());
    }
    writeln!(text, "```\n\nWhat {id} says in version {version}.").unwrap();
    workspace.write(&format!(".ai/knowledge/{id}.md"), &text);
}
