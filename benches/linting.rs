//! How long it takes to read and judge many directives, whole process.
//!
//! Run with `cargo bench --bench linting`; the questions and recorded runs are in README.md of this folder.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a bench measures and prints"
)]

mod common;

use common::{RYE, Workspace, head, measure, row};

const COUNT: usize = 2_000;

/// The built-in guide under another name: metadata, permissions, five steps with calls, criteria.
fn directive(name: &str) -> String {
    let guide = include_str!("../.ai/directives/rye/guides/first_thread.md");
    let unsigned = guide.split_once('\n').unwrap().1;
    unsigned
        .replace("name=\"first_thread\"", &format!("name=\"{name}\""))
        .replace("rye/guides</category>", "demo</category>")
}

fn main() {
    head(&format!("{COUNT} directives like the guide"));
    let workspace = Workspace::new();
    for number in 0..COUNT {
        let name = format!("walk_{number}");
        workspace.write(&format!(".ai/directives/demo/{name}.md"), &directive(&name));
    }
    row("`rye lint`", measure(21, |_| {}, |_| workspace.command(RYE, &["lint"])));
    row("`rye migrate --check`", measure(21, |_| {}, |_| workspace.command(RYE, &["migrate", "--check"])));
}
