//! Holds `src/` and the sources of `crates/` to the two tables of ARCHITECTURE.md: floors (who may import whom) and doors (which dependency may be
//! used where); the files of a room to imports without circles; and every file to its size, its header and its share of
//! `unsafe`.
//!
//! Floors and doors count in `use` and inline, `crate::`, `super::` and crate names alike. Test modules are free of
//! the doors, not of the floors. `scan` reads the sources, `broken` proves that each rule bites.

mod broken;
mod circles;
mod scan;

use std::fs;
use std::path::Path;

use circles::circles;
use scan::paths;

const GROUND: [&str; 8] = ["error", "id", "trust", "capability", "item", "event", "format", "redact"];
const STORAGE: [&str; 10] =
    ["context", "workspace", "keys", "git", "index", "registry", "net", "process", "plugin", "mcp_client"];
const TOP: [&str; 2] = ["cli", "mcp"];

/// The folders of the threads' room: each imports only from those before it.
const THREAD: [&str; 11] =
    ["machine", "error", "tree", "record", "accept", "model", "run", "replay", "continuation", "manage", "review"];

/// Imports between modules of one floor, where they are not simply the order of the ground.
const SIDEWAYS: [(&str, &str); 6] = [
    ("workspace", "git"),
    ("registry", "git"),
    ("registry", "net"),
    ("mcp_client", "net"),
    ("mcp_client", "process"),
    ("cli", "mcp"),
];

/// Operations that other operations may use. `extends` is to a chain of directives what `locate` is to one item: the
/// only way to a verified one; `executors` is that to a chain of them; `sign` is the only way to a signature, also for what commits.
const MEETING_PLACES: [&str; 5] = ["executors", "extends", "locate", "sign", "verify"];

/// Operations that read items and judge them, for programs that link nothing of what runs one: `project` and these import neither
/// [`RUNNING`] nor other operations.
const VERIFYING: [&str; 6] = ["extends", "lint", "locate", "sign", "trust", "verify"];
const RUNNING: [&str; 6] = ["mcp_client", "net", "plugin", "process", "registry", "session"];

/// What may be used in some places only. A name of several segments is looked for anywhere in a path, so that
/// `use std::process` and then `process::Command` is seen too; one of a single segment only at its start.
const DOORS: &[(&[&str], &[&str])] = &[
    (&["gix"], &["src/git/"]),
    (&["process::Command", "process::Child", "process::Stdio", "unix::process"], &["src/process/", "src/git/"]),
    (&["signal_hook", "landlock", "seccompiler", "libc"], &["src/process/"]),
    (&["rustix"], &["src/context/", "src/process/", "src/workspace/", "src/plugin/"]),
    (&["cap_std", "openat2", "rayon"], &["src/workspace/"]),
    (&["tantivy", "tantivy_fst", "levenshtein_automata", "crc32fast"], &["src/index/"]),
    (
        &[
            "libloading",
            "rye_provider_anthropic",
            "rye_provider_openai",
            "rye_provider_steps",
            "rye_provider_scripted",
            "rye_tool_command",
            "rye_tool_http",
            "rye_tool_mcp",
            "rye_tool_script",
        ],
        // And its own tests.
        &["src/plugin/", "plugins/provider-openai/tests/"],
    ),
    (
        &["unsafe"],
        &[
            "src/plugin/",
            "plugins/abi/",
            "tests/fixtures/plugin-misbehaving/",
            "src/process/sandbox/mounts.rs",
            "src/process/sandbox/network.rs",
            "src/process/descriptors.rs",
            "src/process/fork.rs",
        ],
    ),
    (&["reqwest", "rustls", "webpki_root_certs", "sse_stream", "futures_util", "httparse"], &["src/net/"]),
    (&["std::net"], &["src/net/"]),
    (&["unix::net"], &["src/keys/"]),
    (&["quick_xml", "pulldown_cmark", "serde_saphyr", "jsonschema", "cel", "similar"], &["src/format/"]),
    (&["toml"], &["src/format/", "src/context/"]),
    (&["ed25519_dalek", "sha2", "hmac", "ssh_key"], &["src/trust/", "src/keys/"]),
    (&["aho_corasick"], &["src/redact/"]),
    (&["shlex", "unicode_normalization"], &["src/capability/"]),
    (&["zeroize"], &["src/trust/", "src/keys/", "src/context/", "src/redact/"]),
    (&["blake3"], &["src/trust/", "src/keys/", "src/index/"]),
    (&["serde_json_canonicalizer"], &["src/trust/"]),
    (&["clap", "clap_complete", "clap_mangen"], &["src/cli/", "src/main.rs"]),
    (&["rmcp"], &["src/mcp/"]),
    (&["tokio"], &["src/mcp/", "src/net/"]),
    (&["std::env", "SystemTime::now", "getrandom"], &["src/context/"]),
    // A deadline needs the time that passes, not the time of day: the process door may ask for it.
    (&["Instant::now"], &["src/context/", "src/process/"]),
    (&["println!", "print!", "eprintln!", "eprint!", "io::stdout", "io::stderr"], &["src/cli/output.rs", "src/mcp/"]),
    (&["ignore", "grep_regex", "grep_searcher"], &["src/ops/execute/file_system/"]),
    // Its feature is needed, not its code.
    (&["chacha20"], &[]),
    (
        &["tempfile"],
        &[
            "src/context/",
            "src/workspace/",
            "src/keys/",
            "src/git/",
            "src/index/",
            "src/registry/",
            "src/net/",
            "src/process/",
            "src/plugin/",
        ],
    ),
];

/// The outside world, which the ground, the machine of threads and the plugins do not know.
const OUTSIDE: [&str; 6] = ["std::fs", "std::net", "std::process", "std::thread", "SystemTime", "Instant"];

/// Dependencies that may be used anywhere.
const FREE: [&str; 7] = ["base64", "globset", "jiff", "rye_plugin_abi", "serde", "serde_json", "thiserror"];

/// One file to judge.
struct Source {
    /// Relative to the repository, with `/`.
    path: String,
    text: String,
}

/// Judges all files and returns one line per breach: `path:line: rule`.
fn breaches(sources: &[Source]) -> Vec<String> {
    let operations: Vec<String> = sources.iter().filter_map(|source| module(&source.path).get(1).cloned()).collect();
    sources.iter().flat_map(|source| file_breaches(source, &operations)).collect()
}

fn file_breaches(source: &Source, operations: &[String]) -> Vec<String> {
    let Source { path, text } = source;
    let mut found = Vec::new();
    let mut report = |line: usize, rule: String| found.push(format!("{path}:{line}: {rule}"));
    if !text.starts_with("//!") {
        report(1, "it has no `//!` header".to_owned());
    }
    if text.lines().count() > 600 {
        report(601, "it is longer than 600 lines".to_owned());
    }
    let module = module(path);
    if path.starts_with("src/") && module.first().is_some_and(|top| floor(top).is_none()) {
        report(1, format!("`{}` is on no floor", module[0]));
    }
    for used in paths(text, &module) {
        let name = used.segments.join("::");
        let fault = if used.own {
            floor_fault(&module, &used.segments, operations)
        } else {
            door_fault(path, &used.segments, used.test)
        };
        if let Some(fault) = fault {
            report(used.line, format!("`{name}` {fault}"));
        }
    }
    found
}

/// Returns the module a file below `src/` is; nothing for `lib.rs` and `main.rs`, and for files elsewhere.
fn module(path: &str) -> Vec<String> {
    let inside = path.strip_prefix("src/").and_then(|path| path.strip_suffix(".rs")).unwrap_or_default();
    let inside = inside.strip_suffix("/mod").unwrap_or(inside);
    inside.split('/').filter(|part| !matches!(*part, "" | "lib" | "main")).map(str::to_owned).collect()
}

fn floor(module: &str) -> Option<usize> {
    let floors: [&[&str]; 8] =
        [&GROUND, &STORAGE, &["project"], &["session"], &["ops"], &["action"], &["thread"], &TOP];
    floors.iter().position(|floor| floor.contains(&module))
}

/// Judges an import inside the crate. The crate's root, with its list of modules, may name everything.
fn floor_fault(from: &[String], to: &[String], operations: &[String]) -> Option<String> {
    let (here, there) = (from.first()?.as_str(), to.first()?.as_str());
    let (Some(own), Some(other)) = (floor(here), floor(there)) else {
        return (here != there).then(|| format!("is on no floor that `{here}` may import from"));
    };
    if here == there {
        return operation_fault(from, to, operations).or_else(|| folder_fault(from, to));
    }
    if let Some(judge) = verifying(from).filter(|_| RUNNING.contains(&there)) {
        return Some(format!("runs items, which `{judge}` only reads and judges"));
    }
    let order = |module: &str| GROUND.iter().position(|ground| *ground == module);
    let allowed = other < own
        || (other == own
            && (order(there) < order(here)
                || (STORAGE.contains(&here) && there == "context")
                || SIDEWAYS.contains(&(here, there))));
    (!allowed).then(|| format!("is not for `{here}` to import: imports go down only"))
}

/// Returns the room of a module that must get along without what runs items.
fn verifying(module: &[String]) -> Option<&str> {
    match module {
        [project, ..] if project == "project" => Some(project),
        [ops, room, ..] if ops == "ops" && VERIFYING.contains(&room.as_str()) => Some(room),
        _ => None,
    }
}

/// Judges an import from one operation to another.
fn operation_fault(from: &[String], to: &[String], operations: &[String]) -> Option<String> {
    let [ops, own, ..] = from else { return None };
    let other = to.get(1).filter(|other| *other == "*" || operations.contains(other))?;
    if other == "executors" && verifying(from).is_some() {
        return Some(format!("runs items, which `{own}` only reads and judges"));
    }
    let fine = ops != "ops" || own == other || MEETING_PLACES.contains(&other.as_str());
    (!fine).then(|| {
        "is another operation: they meet only in `executors`, `extends`, `locate`, `sign` and `verify`".to_owned()
    })
}

/// Judges an import from one folder of the threads' room to another. What the room itself defines is for its users.
fn folder_fault(from: &[String], to: &[String]) -> Option<String> {
    let [thread, own, ..] = from else { return None };
    let order = |folder: &str| THREAD.iter().position(|known| *known == folder);
    let other = to.get(1).and_then(|other| order(other));
    let fine = thread != "thread" || order(own).is_some_and(|own| other.is_some_and(|other| other <= own));
    (!fine).then(|| format!("is not for `{own}` to import: folders of `thread` import in one direction"))
}

/// Judges the use of something from outside the crate.
fn door_fault(path: &str, used: &[String], test: bool) -> Option<String> {
    let is_unsafe = used == ["unsafe"];
    let below_ground = module(path).first().is_some_and(|top| GROUND.contains(&top.as_str()));
    let judged = is_unsafe || (!test && (path.starts_with("src/") || path.starts_with("plugins/")));
    // Constants of the platform are not surroundings.
    if !judged || used.starts_with(&["std".to_owned(), "env".to_owned(), "consts".to_owned()]) {
        return None;
    }
    let closed = |(names, places): &&(&[&str], &[&str])| {
        names.iter().any(|name| matches(used, name)) && !places.iter().any(|place| path.starts_with(place))
    };
    if let Some((_, places)) = DOORS.iter().find(closed) {
        return Some(format!("may be used only in {}", places.join(", ")));
    }
    let pure = below_ground || path.starts_with("plugins/") || path.starts_with("src/thread/machine/");
    let outside = pure && OUTSIDE.iter().any(|name| matches(used, name));
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
            sources.push(Source { text: fs::read_to_string(entry.path()).unwrap(), path: in_house(&path) });
        }
    }
}

/// Returns the path that a file of a crate has in the tables: the crates' modules keep their names, whichever crate has them.
fn in_house(path: &str) -> String {
    let inside = path.strip_prefix("crates/").and_then(|path| path.split_once("/src/"));
    inside.map_or_else(|| path.to_owned(), |(_, path)| format!("src/{path}"))
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
fn the_sources_keep_to_floors_and_doors() {
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
    for folder in ["src/thread", "src/mcp"] {
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
        assert!(!path.starts_with("src/mcp/") || !text.contains("crate::thread"), "{path} imports from `thread`");
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
fn every_dependency_has_a_door_or_is_free() {
    let root = Path::new(crate::support::ROOT);
    let crates: Vec<String> = fs::read_dir(root.join("crates"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let known = |name: &str| {
        let is_own = crates.iter().any(|own| own.replace('-', "_") == name);
        is_own || FREE.contains(&name) || DOORS.iter().any(|(names, _)| names.contains(&name))
    };
    let manifests = crates.iter().map(|name| root.join("crates").join(name)).chain([root.to_path_buf()]);
    for manifest in manifests.map(|folder| folder.join("Cargo.toml")) {
        let table: toml::Table = fs::read_to_string(&manifest).unwrap().parse().unwrap();
        let names = table["dependencies"].as_table().unwrap().keys().map(|name| name.replace('-', "_"));
        let unknown: Vec<_> = names.filter(|name| !known(name)).collect();
        assert_eq!(unknown, Vec::<String>::new(), "{}", manifest.display());
    }
}
