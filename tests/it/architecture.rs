//! What the compiler cannot hold. Floors are the `Cargo.toml` of the crates; here are the doors (which of them may name which
//! dependency, and who inside of one may touch the outside world), files of a crate without circles, and every file's size, header
//! and share of `unsafe`.
//!
//! Doors count in `use` and inline, by `crate::`, `super::` and crate names alike. Test modules are free of them. `scan` reads the
//! sources, `broken` proves that each rule bites.

mod broken;
mod circles;
mod length;
mod manifests;
mod rooms;
mod scan;

use std::fs;
use std::path::Path;

use circles::circles;
use length::too_long;
use rooms::room_fault;
use scan::paths;

/// The crates that touch no file, clock, environment or network.
const GROUND: [&str; 5] = ["rye-id", "rye-trust", "rye-item", "rye-format", "rye-redact"];

/// What of the language and its library may be used in some places only. A name of several segments is looked for anywhere in a
/// path, so that `use std::process` and then `process::Command` is seen too; one of a single segment only at its start.
const PLACES: &[(&[&str], &[&str])] = &[
    (
        &["process::Command", "process::Child", "process::Stdio", "unix::process"],
        &["crates/rye-process/", "crates/rye-repository/"],
    ),
    (
        &["unsafe"],
        &[
            "crates/rye-plugin/",
            "plugins/abi/",
            "tests/fixtures/plugin-misbehaving/",
            "crates/rye-process/src/process/sandbox/mounts.rs",
            "crates/rye-process/src/process/sandbox/network.rs",
            "crates/rye-process/src/process/descriptors.rs",
            "crates/rye-process/src/process/fork.rs",
        ],
    ),
    (&["std::net"], &["crates/rye-net/"]),
    (&["unix::net"], &["crates/rye-keys/"]),
    (&["std::env", "SystemTime::now"], &["crates/rye-context/"]),
    // A deadline needs the time that passes, not the time of day: the process door may ask for it.
    (&["Instant::now"], &["crates/rye-context/", "crates/rye-process/"]),
    (
        &["println!", "print!", "eprintln!", "eprint!", "io::stdout", "io::stderr"],
        &["src/cli/streams.rs", "crates/rye-mcp/"],
    ),
];

/// The outside world, which the ground, the machine of threads and the plugins do not know.
const OUTSIDE: [&str; 6] = ["std::fs", "std::net", "std::process", "std::thread", "SystemTime", "Instant"];

/// How a text is cut, and where only a redacted one is: `redact::Redacted` has the bounds. What a tool returns reaches a model, and a
/// bound that falls into a secret would leave a part of it.
const CUTS: [&str; 4] = ["floor_char_boundary", "ceil_char_boundary", ".chars().take(", ".chars().skip("];
const REDACTED_FIRST: [&str; 2] = ["crates/rye-run/src/execute/", "crates/rye-mcp-client/src/"];

/// One file to judge.
struct Source {
    /// Relative to the repository, with `/`.
    path: String,
    text: String,
}

/// Judges all files and returns one line per breach: `path:line: rule`.
fn breaches(sources: &[Source]) -> Vec<String> {
    sources.iter().flat_map(file_breaches).collect()
}

fn file_breaches(source: &Source) -> Vec<String> {
    let Source { path, text } = source;
    let mut found = Vec::new();
    let mut report = |line: usize, rule: String| found.push(format!("{path}:{line}: {rule}"));
    if !text.starts_with("//!") {
        report(1, "it has no `//!` header".to_owned());
    }
    if text.lines().count() > 600 {
        report(601, "it is longer than 600 lines".to_owned());
    }
    if REDACTED_FIRST.iter().any(|place| path.starts_with(place)) {
        for (number, line) in (1..).zip(text.lines()) {
            for cut in CUTS.iter().filter(|cut| line.contains(**cut)) {
                report(
                    number,
                    format!("`{cut}` cuts a text that may not be redacted: `Redactor::redacted` returns one to cut"),
                );
            }
        }
    }
    let module = module(path);
    for used in paths(text, &module) {
        let name = used.segments.join("::");
        let fault = if used.own {
            room_fault(crate_of(path), &module, &used.segments)
        } else {
            place_fault(path, &used.segments, used.test)
        };
        if let Some(fault) = fault {
            report(used.line, format!("`{name}` {fault}"));
        }
    }
    found
}

/// Returns the crate that a file is a source of: its folder in `crates/`, or `.` for the program's own.
fn crate_of(path: &str) -> Option<&str> {
    let inside = path.strip_prefix("crates/").and_then(|path| path.split_once("/src/"));
    inside.map(|(name, _)| name).or_else(|| path.starts_with("src/").then_some("."))
}

/// Returns the module a file of a crate is; nothing for `lib.rs` and `main.rs`, and for files elsewhere.
fn module(path: &str) -> Vec<String> {
    let below = path.strip_prefix("crates/").and_then(|path| Some(path.split_once("/src/")?.1));
    let inside = below.or_else(|| path.strip_prefix("src/")).and_then(|path| path.strip_suffix(".rs"));
    let inside = inside.unwrap_or_default();
    let inside = inside.strip_suffix("/mod").unwrap_or(inside);
    inside.split('/').filter(|part| !matches!(*part, "" | "lib" | "main")).map(str::to_owned).collect()
}

/// Judges the use of something from outside the crate.
fn place_fault(path: &str, used: &[String], test: bool) -> Option<String> {
    let is_unsafe = used == ["unsafe"];
    let judged = is_unsafe || (!test && (crate_of(path).is_some() || path.starts_with("plugins/")));
    // Constants of the platform are not surroundings.
    if !judged || used.starts_with(&["std".to_owned(), "env".to_owned(), "consts".to_owned()]) {
        return None;
    }
    let closed = |(names, places): &&(&[&str], &[&str])| {
        names.iter().any(|name| matches(used, name)) && !places.iter().any(|place| path.starts_with(place))
    };
    if let Some((_, places)) = PLACES.iter().find(closed) {
        return Some(format!("may be used only in {}", places.join(", ")));
    }
    let is_ground = crate_of(path).is_some_and(|name| GROUND.contains(&name));
    let is_machine = path.contains("rye-machine/src/machine/");
    let outside =
        (is_ground || is_machine || path.starts_with("plugins/")) && OUTSIDE.iter().any(|name| matches(used, name));
    outside.then(|| {
        "is the outside world, which the ground, the machine of threads and the plugins do not know".to_owned()
    })
}

fn matches(used: &[String], name: &str) -> bool {
    let wanted: Vec<&str> = name.split("::").collect();
    match wanted[..] {
        [mac] if mac.ends_with('!') => used.last().is_some_and(|last| last == mac),
        [single] => used.first().is_some_and(|first| first == single),
        _ => used.windows(wanted.len()).any(|window| window == wanted),
    }
}

fn read_all(root: &Path, folder: &str, sources: &mut Vec<Source>) {
    let mut entries: Vec<_> = fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap()).collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = format!("{folder}/{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            read_all(root, &path, sources);
        } else if path.ends_with(".rs") {
            sources.push(Source { text: fs::read_to_string(entry.path()).unwrap(), path });
        }
    }
}

/// docs/threat-model.md promises a test for each attack it lists.
#[test]
fn every_test_that_the_threat_model_names_exists() {
    let page = std::fs::read_to_string("../docs/threat-model.md").unwrap();
    let is_test = |word: &&str| {
        word.len() > 14 && word.contains('_') && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
    };
    let named: Vec<&str> = page.split('`').skip(1).step_by(2).filter(is_test).collect();
    let mut sources = String::new();
    for folder in ["src", "crates", "tests", "plugins"] {
        let mut folders = vec![Path::new(crate::support::ROOT).join(folder)];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if entry.is_dir() {
                    folders.push(entry);
                } else if entry.extension().is_some_and(|extension| extension == "rs") {
                    sources += &std::fs::read_to_string(entry).unwrap();
                }
            }
        }
    }
    let missing: Vec<_> = named.iter().filter(|name| !sources.contains(&format!("fn {name}("))).collect();
    assert!(named.len() > 40, "only {} tests are named", named.len());
    assert!(missing.is_empty(), "there is no test {missing:?}");
}

#[test]
fn the_sources_keep_to_their_places() {
    let mut sources = Vec::new();
    for folder in ["src", "crates", "plugins", "tests"] {
        read_all(Path::new(crate::support::ROOT), folder, &mut sources);
    }
    assert!(sources.len() > 40, "only {} files were found", sources.len());
    let breaches = breaches(&sources);
    assert!(breaches.is_empty(), "{} breaches of ARCHITECTURE.md:\n{}", breaches.len(), breaches.join("\n"));
}

/// Threads and connections reach tools through `action` alone: what performs an operation on an item for a model is called
/// there, behind the check, and nowhere else above the services.
#[test]
fn only_the_floor_of_actions_performs_for_a_model() {
    let mut sources = Vec::new();
    for folder in ["crates/rye-thread/src", "crates/rye-mcp/src"] {
        read_all(Path::new(crate::support::ROOT), folder, &mut sources);
    }
    let performs = [
        "execute::execute(",
        "load::load(",
        "load::load_for_model(",
        "search::search(",
        "sign::sign_for_model(",
        "sign::sign(",
    ];
    for Source { path, text } in &sources {
        let found: Vec<_> = performs.iter().filter(|call| text.contains(*call)).collect();
        assert!(found.is_empty(), "{path} calls {found:?}");
    }
    assert!(sources.len() > 30, "only {} files were found", sources.len());
}

#[test]
fn no_files_of_a_room_import_each_other_in_a_circle() {
    let mut sources = Vec::new();
    for folder in ["src", "crates"] {
        read_all(Path::new(crate::support::ROOT), folder, &mut sources);
    }
    let found = circles(&sources);
    assert!(found.is_empty(), "{} circles of imports:\n{found:#?}", found.len());
}

#[test]
fn functions_can_be_read_at_once() {
    let mut sources = Vec::new();
    for folder in ["src", "crates", "plugins"] {
        read_all(Path::new(crate::support::ROOT), folder, &mut sources);
    }
    let told = |source: &Source| {
        let path = source.path.clone();
        too_long(&source.text).into_iter().map(move |(line, fault)| format!("{path}:{line}: {fault}"))
    };
    let found: Vec<String> = sources.iter().flat_map(told).collect();
    assert!(found.is_empty(), "{} functions are too long:\n{}", found.len(), found.join("\n"));
}

/// A crate that can be read: the limit of its size, and the lines at its top.
#[test]
fn every_crate_is_small_and_says_what_lives_there() {
    let root = Path::new(crate::support::ROOT);
    for entry in fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap()) {
        let name = entry.file_name().into_string().unwrap();
        let mut sources = Vec::new();
        read_all(root, &format!("crates/{name}/src"), &mut sources);
        let lines: usize = sources.iter().map(|source| source.text.lines().count()).sum();
        assert!(lines <= 20_000, "{name} has {lines} lines");
        let head = sources.iter().find(|source| source.path.ends_with("/src/lib.rs")).unwrap();
        let said = head.text.lines().take_while(|line| line.starts_with("//!")).count();
        assert!((3..=16).contains(&said), "{name} says in {said} lines what lives there");
    }
}

/// The table of files in `src/lib.rs` names who owns each: a module that is there.
#[test]
fn every_owner_in_the_file_overview_exists() {
    let root = Path::new(crate::support::ROOT);
    let text = fs::read_to_string(root.join("src/lib.rs")).unwrap();
    let overview = text.split_once("# File Overview").unwrap().1;
    let rows =
        overview.lines().skip(1).take_while(|line| line.starts_with("//!")).filter(|line| line.starts_with("//! | "));
    let folders: Vec<_> = fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path()).collect();
    let is_there = |module: &str| {
        let path = module.trim_start_matches("ops::").replace("::", "/");
        folders
            .iter()
            .map(|folder| folder.join("src").join(&path))
            .any(|at| at.is_dir() || at.with_extension("rs").is_file())
    };
    let mut named = 0;
    for row in rows.skip(2) {
        let owners = row.trim_end_matches('|').rsplit(" | ").next().unwrap();
        for owner in owners.split('`').skip(1).step_by(2) {
            let (room, files) = owner.split_once('{').unwrap_or(("", owner));
            for file in files.trim_end_matches('}').split(", ") {
                assert!(is_there(&format!("{room}{file}")), "`{room}{file}` is no module: {row}");
                named += 1;
            }
        }
    }
    assert!(named > 60, "only {named} owners are named");
}
