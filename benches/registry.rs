//! How long it takes to pull one item from a registry of 10,000 versions of 2,000 items, and how many bytes of it are read: over
//! git, and from the files of a web server.
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

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

use common::{PATH, RYE, Workspace, head, measure, row};
use rye::context::{Context, Surroundings};
use rye::format::registry_files::KnownRegistry;
use rye::git::Terminal;
use rye::id::ItemType;
use rye::process::wait_passing_on;
use rye::registry::{self, Sparse, Transport};

const GROUPS: u32 = 40;
const IN_A_GROUP: u32 = 50;
const VERSIONS: u32 = 5;
const RUNS: usize = 21;

fn main() {
    let workspace = Workspace::new();
    let registry = workspace.home().join("registry");
    workspace.rye(&["registry", "init", registry.to_str().unwrap(), "--name", "bench", "--yes"]);
    workspace.rye(&["registry", "add", "bench", registry.to_str().unwrap()]);
    let mut seen = Vec::new();
    for version in 1..=VERSIONS {
        write_items(&workspace, version);
        workspace.rye(&["sign", "--all", "--quiet"]);
        for group in 0..GROUPS {
            workspace.rye(&["publish", "knowledge", &format!("team/g{group}/all"), "--registry", "bench", "--yes"]);
        }
        // What a person saw who pulled in the middle: the proof that it is still there is read, too.
        if version == VERSIONS / 2 {
            seen = fs::read(workspace.home().join(".local/state/rye/registries/bench/checkpoint")).unwrap();
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
    row("`rye registry verify`", measure(5, |_| {}, |_| workspace.command(RYE, &["registry", "verify", "bench"])));

    let checkout = workspace.home().join("www");
    workspace.git(&["clone", "--quiet", registry.to_str().unwrap(), checkout.to_str().unwrap()]);
    let server = Server::new(&checkout);
    let web = format!("static+{}", server.url);
    let git = registry.to_str().unwrap().to_owned();

    println!("\n| what is read of one item | over git | static files |\n|---|--:|--:|");
    forget(0);
    let cold = [&git, &web].map(|url| bytes_read(&workspace, url, None));
    println!("| nothing was seen before | {} bytes | {} bytes |", cold[0], cold[1]);
    let later = [&git, &web].map(|url| bytes_read(&workspace, url, Some(&seen)));
    println!("| an earlier state was seen | {} bytes | {} bytes |", later[0], later[1]);

    workspace.rye(&["registry", "remove", "bench"]);
    workspace.rye(&["registry", "add", "bench", &web]);
    head("static files, of a server on this machine");
    row("`rye pull`", measure(RUNS, |_| {}, |_| workspace.command(RYE, &pull)));
}

/// Reads an item and its package, and returns how many bytes that took, besides git's own.
fn bytes_read(workspace: &Workspace, url: &str, seen: Option<&[u8]>) -> u64 {
    let name = "measured";
    let state = workspace.home().join(".local/state/rye/registries").join(name);
    drop(fs::remove_dir_all(&state));
    if let Some(seen) = seen {
        fs::create_dir_all(&state).unwrap();
        fs::write(state.join("checkpoint"), seen).unwrap();
    }
    let variables = [("HOME", workspace.home().display().to_string()), ("PATH", PATH.to_owned())];
    let variables: BTreeMap<String, String> =
        variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let surroundings = Surroundings { current_dir: workspace.project(), program: RYE.into(), variables };
    let ctx = Context::new(surroundings, None, &[]).unwrap();
    let known = KnownRegistry { name: name.parse().unwrap(), url: url.to_owned() };
    let transport = || -> Result<Transport, registry::Error> {
        Ok(Transport { program: "/usr/bin/git".into(), terminal: Terminal::None, wait: wait_passing_on })
    };
    let registry = Sparse::fetch(&ctx, &known, transport).unwrap();
    let id = "team/g7/i7".parse().unwrap();
    let state = registry.item(&id).unwrap();
    let published = state.published(ItemType::Knowledge, &id).unwrap();
    registry.package(published.versions.values().next_back().unwrap()).unwrap();
    registry.bytes_read()
}

/// Python's own web server over a folder, ended with this.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn new(folder: &std::path::Path) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut python = Command::new("/usr/bin/python3");
        python.args(["-m", "http.server", "--bind", "127.0.0.1", &port.to_string(), "--directory"]).arg(folder);
        let child = python.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        Self { child, url: format!("http://127.0.0.1:{port}") }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
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
