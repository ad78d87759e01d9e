//! What the manifests of the crates say: which dependency has which door, and that a crate leans on those below it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Dependencies that only these crates may name; `.` is the package of the program.
const DOORS: &[(&[&str], &[&str])] = &[
    (&["gix"], &["rye-repository"]),
    (&["signal-hook", "landlock", "seccompiler", "libc"], &["rye-process"]),
    (&["rustix"], &["rye-context", "rye-process", "rye-workspace", "rye-plugin", "rye-repository"]),
    (&["cap-std", "rayon"], &["rye-workspace"]),
    (&["tantivy", "tantivy-fst", "levenshtein_automata", "crc32fast"], &["rye-index"]),
    (
        &[
            "libloading",
            "rye-provider-anthropic",
            "rye-provider-openai",
            "rye-provider-steps",
            "rye-provider-scripted",
            "rye-tool-command",
            "rye-tool-http",
            "rye-tool-mcp",
            "rye-tool-script",
        ],
        &["rye-plugin"],
    ),
    (&["reqwest", "rustls", "webpki-root-certs", "sse-stream", "futures-util", "httparse", "hyper"], &["rye-net"]),
    (&["quick-xml", "pulldown-cmark", "serde-saphyr", "jsonschema", "cel", "similar"], &["rye-format"]),
    (&["toml"], &["rye-format", "rye-context"]),
    (&["ed25519-dalek", "sha2", "hmac", "ssh-key"], &["rye-trust"]),
    (&["pgp"], &["rye-openpgp"]),
    (&["aho-corasick", "memchr"], &["rye-redact"]),
    (&["shlex", "unicode-general-category", "unicode-normalization", "unicode-width"], &["rye-item"]),
    (&["zeroize"], &["rye-trust", "rye-keys", "rye-context", "rye-redact"]),
    (&["blake3"], &["rye-trust", "rye-index"]),
    (&["serde_json_canonicalizer"], &["rye-trust"]),
    (&["clap", "clap_complete", "clap_mangen"], &["."]),
    (&["rmcp"], &["rye-mcp"]),
    (&["tokio"], &["rye-mcp", "rye-net"]),
    (&["getrandom"], &["rye-context"]),
    (&["ignore", "grep-regex", "grep-searcher"], &["rye-run"]),
    // Its feature is needed, not its code.
    (&["chacha20"], &["."]),
    (
        &["tempfile"],
        &[
            "rye-context",
            "rye-workspace",
            "rye-keys",
            "rye-repository",
            "rye-index",
            "rye-registry",
            "rye-process",
            "rye-plugin",
        ],
    ),
];

/// Dependencies that every crate may name.
const FREE: [&str; 7] = ["base64", "globset", "jiff", "rye-plugin-abi", "serde", "serde_json", "thiserror"];

/// What plugins may name: they translate, and reach nothing.
const OF_PLUGINS: [&str; 3] = ["rye-plugin-abi", "serde", "serde_json"];

/// Crates of one floor that lean on each other: what is not here is beside, and not below.
const SIDEWAYS: &[(&str, &[&str])] = &[
    ("rye-registry", &["rye-context", "rye-net", "rye-repository"]),
    ("rye-mcp-client", &["rye-context", "rye-net", "rye-process"]),
    ("rye-plugin", &["rye-context"]),
    ("rye-net", &["rye-context"]),
    ("rye-process", &["rye-context"]),
    ("rye-keys", &["rye-context"]),
    ("rye-workspace", &["rye-context"]),
    ("rye-repository", &["rye-context"]),
    ("rye-redact", &["rye-trust"]),
    ("rye-share", &["rye-sign"]),
    ("rye-run", &["rye-sign"]),
    ("rye-look", &["rye-sign"]),
    ("rye-edit", &["rye-sign"]),
    ("rye-commit", &["rye-sign"]),
    ("rye-format", &["rye-id", "rye-item", "rye-trust"]),
    ("rye-item", &["rye-id", "rye-trust"]),
    ("rye-trust", &["rye-id", "rye-openpgp"]),
    // The sentences of errors are the program's, which hands the server a function that tells them.
    ("rye-git", &["rye-mcp"]),
];

/// Tells whether a crate may depend on what is not ours.
pub(super) fn may_name(user: &str, name: &str) -> bool {
    if user.starts_with("plugins/") {
        return OF_PLUGINS.contains(&name);
    }
    let door = || DOORS.iter().find(|(names, _)| names.contains(&name));
    FREE.contains(&name) || door().is_some_and(|(_, users)| users.contains(&user))
}

/// Returns the names of a manifest's dependencies, those for some systems and for tests aside from those for tests.
fn dependencies(folder: &Path) -> BTreeSet<String> {
    let table: toml::Table = fs::read_to_string(folder.join("Cargo.toml")).unwrap().parse().unwrap();
    let table = toml::Value::Table(table);
    let systems = table.get("target").and_then(toml::Value::as_table).cloned().unwrap_or_default();
    let tables = systems.values().chain([&table]).filter_map(|table| table.get("dependencies")?.as_table());
    tables.flat_map(|names| names.keys().cloned()).collect()
}

/// Returns the crates by the names that doors have for them, each with its folder.
fn crates() -> BTreeMap<String, PathBuf> {
    let root = Path::new(crate::support::ROOT);
    let below = |folder: &str| {
        let entries = fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.join("Cargo.toml").is_file()).collect::<Vec<_>>()
    };
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    let ours = below("crates").into_iter().map(|path| (name(&path), path));
    let plugins = below("plugins").into_iter().map(|path| (format!("plugins/{}", name(&path)), path));
    ours.chain(plugins).chain([(".".to_owned(), root.to_path_buf())]).collect()
}

/// Returns the table of ARCHITECTURE.md: each crate with its floor, from the top.
fn floors() -> Vec<(String, String)> {
    let page = fs::read_to_string(Path::new(crate::support::ROOT).join("ARCHITECTURE.md")).unwrap();
    let mut floor = String::new();
    let mut found = Vec::new();
    for cells in page.lines().map(|line| line.split('|').map(str::trim).collect::<Vec<_>>()) {
        let ["", named, name, _, _, ""] = cells[..] else { continue };
        let Some(name) = name.strip_prefix('`').and_then(|rest| Some(rest.split_once('`')?.0)) else { continue };
        if !named.is_empty() {
            named.clone_into(&mut floor);
        }
        found.push((name.to_owned(), floor.clone()));
    }
    found
}

/// Returns what a crate leans on and may not.
fn leans_wrongly(floors: &[(String, String)], user: &str, names: &BTreeSet<String>) -> Vec<String> {
    let place = |name: &str| floors.iter().position(|(known, _)| known == name);
    let own = place(user).unwrap_or_else(|| panic!("`{user}` stands in no row of ARCHITECTURE.md"));
    let beside = SIDEWAYS.iter().find(|(known, _)| *known == user).map_or(&[][..], |(_, beside)| beside);
    let is_fine = |name: &str| {
        FREE.contains(&name)
            || place(name)
                .is_none_or(|other| other > own && (floors[own].1 != floors[other].1 || beside.contains(&name)))
    };
    names.iter().filter(|name| !is_fine(name)).cloned().collect()
}

#[test]
fn every_dependency_has_a_door_or_is_free() {
    let crates = crates();
    for (user, folder) in &crates {
        let names = dependencies(folder);
        let is_ours = |name: &str| crates.contains_key(name) && !user.starts_with("plugins/");
        let refused: Vec<_> = names.iter().filter(|name| !is_ours(name) && !may_name(user, name)).collect();
        assert_eq!(refused, Vec::<&String>::new(), "{user}");
    }
    assert!(crates.len() > 30, "{crates:?}");
}

#[test]
fn crates_lean_on_those_below() {
    let floors = floors();
    for (user, folder) in crates().into_iter().filter(|(user, _)| !user.starts_with("plugins/")) {
        let user = if user == "." { "rye-git".to_owned() } else { user };
        assert_eq!(leans_wrongly(&floors, &user, &dependencies(&folder)), Vec::<String>::new(), "{user}");
    }
    // It can fail: upwards, beside, and the server to threads.
    for (user, name) in [("rye-keys", "rye-sign"), ("rye-plugin", "rye-process"), ("rye-trust", "rye-item")] {
        assert_eq!(leans_wrongly(&floors, user, &[name.to_owned()].into()), [name], "{user}");
    }
    assert!(!dependencies(&Path::new(crate::support::ROOT).join("crates/rye-mcp")).contains("rye-thread"));
}
