//! Every path that a person names for output is judged by one function: no verb writes into a git folder, or into a
//! place of the program's own.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use rye::context::{Context, Surroundings};
use rye::workspace::OutputPlaces;

use crate::support::Sandbox;

/// The arguments that name a path which is written; the path comes last, or before `--force`.
const WRITES: &[(&str, &str, &[&str])] = &[
    ("rye thread export", "--output", &["thread", "export", "@latest", "--force", "-o"]),
    ("rye thread show", "--html", &["thread", "show", "@latest", "--force", "--html"]),
    ("rye man", "--all", &["man", "--all"]),
    ("rye init", "DIR", &["init"]),
    ("rye registry init", "DIR", &["registry", "init"]),
    ("rye plugin sign", "FOLDER", &["plugin", "sign"]),
];

/// The arguments that name a path which is read, or files of the project whose own rules hold.
const READS: &[(&str, &str)] = &[
    ("rye", "-C"),
    ("rye commit", "--key"),
    ("rye key import", "FILE"),
    ("rye mcp", "--permissions"),
    ("rye permissions", "--permissions"),
    ("rye plugin install", "FOLDER"),
    ("rye registry checkpoint", "--compare"),
    ("rye registry owner", "FILE"),
    ("rye registry owner add", "FILE"),
    ("rye registry owner remove", "FILE"),
    ("rye registry owner rotate", "FILE"),
    ("rye registry owner transfer", "FILE"),
    ("rye sign", "--key"),
    ("rye thread accept", "PATH"),
    ("rye thread accept", "--commit"),
    ("rye thread accept", "--key"),
    ("rye thread diff", "PATH"),
    ("rye run", "--permissions"),
    ("rye run", "--script"),
    ("rye thread fork", "--script"),
    ("rye thread rerun", "--permissions"),
    ("rye thread rerun", "--script"),
    ("rye thread resume", "--script"),
    ("rye thread run", "--permissions"),
    ("rye thread run", "--script"),
    ("rye trust add", "FILE"),
    ("rye trust propose", "--author"),
    ("rye trust propose", "--root"),
    ("rye verify", "--allowed-signers"),
    ("rye verify", "--revoked"),
];

/// A new argument that names a path is in one of the two lists.
#[test]
fn every_argument_that_names_a_path_is_known_to_be_read_or_written() {
    let mut command = String::new();
    let mut seen = 0;
    for line in rye::cli::reference().lines() {
        if let Some(name) = line.strip_prefix("## `") {
            command = name.trim_end_matches('`').to_owned();
        }
        let Some(cell) = line.strip_prefix("| `").and_then(|row| row.split(" | ").next()) else { continue };
        let words: Vec<&str> = cell.split(['`', ' ', ',']).filter(|word| !word.is_empty()).collect();
        let is_path = |word: &&&str| {
            ["FILE", "DIR", "FOLDER", "PATH"].contains(&word.trim_start_matches('[').trim_end_matches(['.', ']']))
        };
        if !words.iter().any(|word| is_path(&word)) {
            continue;
        }
        seen += 1;
        let is_named = |argument: &str| words.contains(&argument);
        let is_written = WRITES.iter().any(|(of, argument, _)| *of == command && is_named(argument));
        let is_read = READS.iter().any(|(of, argument)| *of == command && is_named(argument));
        assert!(is_written != is_read, "`{command}`: `{cell}` is in none of the lists of this test");
    }
    assert!(seen >= WRITES.len() + 15, "{seen}");
}

/// A project with a thread, links and other repositories.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::signed();
    sandbox.rye(&["thread", "run", "demo/greet", "-i", "name=Ada", "-q"]).succeeds();
    fs::create_dir_all(sandbox.project().join(".ai/trust")).unwrap();
    fs::create_dir_all(sandbox.path("config/rye")).unwrap();
    sandbox.configure("# mine\n");
    sandbox.git(&["init", "-q", "nested"]);
    sandbox.git(&["init", "-q", "--bare", "../other.git"]);
    sandbox.git(&["init", "-q", "--separate-git-dir", "../apart", "tree"]);
    // A file `.git` makes no work tree of a folder in them, wherever it leads.
    fs::write(sandbox.path("other.git/hooks/.git"), "").unwrap();
    fs::write(sandbox.path("apart/hooks/.git"), format!("gitdir: {}\n", sandbox.path("other.git").display())).unwrap();
    for file in ["lower/head", "lower/Objects/x", "lower/REFS/x"] {
        sandbox.put(file, "");
    }
    sandbox.put("src/file", "x\n");
    symlink(".git", sandbox.project().join("to-git")).unwrap();
    symlink(".ai/trust", sandbox.project().join("to-trust")).unwrap();
    symlink(sandbox.path("config"), sandbox.project().join("to-config")).unwrap();
    symlink(sandbox.path("config/rye/config.toml"), sandbox.project().join("settings")).unwrap();
    symlink(sandbox.path("config/rye/keys/new"), sandbox.project().join("dangling")).unwrap();
    symlink("circle", sandbox.project().join("circle")).unwrap();
    sandbox
}

/// Places that no output goes to: as they are named, and whether they are in a git folder.
fn places(sandbox: &Sandbox) -> Vec<(String, bool)> {
    let in_git = [
        ".git",
        ".git/x",
        ".git/hooks/pre-commit",
        ".GIT/x",
        ".g\u{200c}it/x",
        "git~1/x",
        "src/../.git/x",
        "/proc/self/cwd/.git/x",
        "to-git/x",
        "to-git/hooks/../x",
        "nested/.git/x",
        "../other.git/x",
        "../other.git/hooks/x",
        "../apart/x",
        "../apart/hooks/x",
        "lower/x",
        "../other.git",
    ];
    let own = [
        ".ai/trust/x",
        ".AI/Trust/x",
        ".ai/threads/x/events.jsonl",
        ".ai/config.toml",
        ".ai/plugins/x",
        "nested/.ai/trust/x",
        "to-trust/x",
        "to-config/rye/x",
        "settings",
        "dangling",
        "circle",
        "circle/x",
        "/proc/self/cwd/.ai/trust/x",
    ];
    let below = [
        "config/rye",
        "config/rye/config.toml",
        "config/rye/keys/x",
        "config/rye/trust/allowed_signers",
        "home/.config/rye/x",
        "home/.local/state/rye/trees/x",
        "home/.local/share/rye/plugins/x",
        "home/.cache/rye/x",
        "home/.ai/trust/x",
        "home/.ai/config.toml",
    ];
    let absolute = |place: &&str| (sandbox.path(place).display().to_string(), false);
    let named = in_git.iter().map(|place| ((*place).to_owned(), true));
    named.chain(own.iter().map(|place| ((*place).to_owned(), false))).chain(below.iter().map(absolute)).collect()
}

/// Lists everything in a folder, links not followed.
fn listed(folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            found.insert(path.clone(), Vec::new());
            listed(&path, found);
        } else {
            found.insert(path.clone(), fs::read(&path).unwrap_or_default());
        }
    }
}

#[test]
fn no_verb_writes_into_a_git_folder_or_a_place_of_the_program_s_own() {
    let sandbox = sandbox();
    let state = || {
        let mut found = BTreeMap::new();
        listed(&sandbox.path(""), &mut found);
        found
    };
    // What the first run makes, such as the cache.
    sandbox.rye(&["thread", "show", "@latest", "-q"]).succeeds();
    let before = state();
    for (place, is_git) in places(&sandbox) {
        for (verb, _, args) in WRITES {
            // An empty repository is what becomes a registry.
            if *verb == "rye registry init" && place == "../other.git" {
                continue;
            }
            let seen = sandbox.rye(&[&["--yes"], *args, &[place.as_str()]].concat()).transcript();
            let why = if is_git { "is in a git folder" } else { "is in a place that Rye keeps for itself" };
            assert!(seen.contains(why) && seen.ends_with("[exit 3]\n"), "{place}: {seen}");
        }
    }
    let after = state();
    let changed: Vec<_> =
        after.iter().filter(|(path, bytes)| before.get(*path) != Some(bytes)).map(|it| it.0).collect();
    assert!(changed.is_empty() && after.len() == before.len(), "{changed:?}");
}

#[test]
fn a_current_folder_is_judged_like_a_named_one() {
    let sandbox = sandbox();
    for place in ["config/rye", "other.git/hooks", "project/.ai/trust"] {
        let folder = sandbox.path(place).display().to_string();
        let seen = sandbox.rye(&["-C", &folder, "init"]).transcript();
        assert!(seen.contains("error: ") && seen.ends_with("[exit 3]\n"), "{place}: {seen}");
        assert!(!sandbox.path(place).join(".ai").exists(), "{place}");
    }
}

#[test]
fn other_places_are_written() {
    let sandbox = sandbox();
    for place in ["out", ".github/out", "src/.gitkeep.html", ".ai/knowledge/out", "../out", "tree/out", "nested/out"] {
        let file = sandbox.project().join(place);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        sandbox.rye(&["thread", "show", "@latest", "--html", place, "-q"]).succeeds();
        assert!(fs::read_to_string(&file).unwrap().contains("<html"), "{place}");
    }
    // A work tree of a bare repository may lie in its folder.
    sandbox.git(&["clone", "-q", "--bare", ".", "../bare"]);
    sandbox.git(&["-C", "../bare", "worktree", "add", "-q", "inner"]);
    sandbox.rye(&["thread", "show", "@latest", "--html", "../bare/inner/out", "-q"]).succeeds();
    sandbox.rye(&["man", "--all", "../bare/inner/man", "-q"]).succeeds();
    sandbox.rye(&["-C", "../bare/inner", "man", "--all", "pages", "-q"]).succeeds();
}

fn context(sandbox: &Sandbox) -> Context {
    let surroundings = Surroundings {
        current_dir: sandbox.project(),
        program: sandbox.path("rye"),
        variables: sandbox.variables().into_iter().collect(),
    };
    Context::new(surroundings, None, &[]).unwrap()
}

/// What is written goes where the judged path led.
#[test]
fn a_link_that_changes_after_the_judgement_leads_nowhere_else() {
    let sandbox = sandbox();
    let ctx = context(&sandbox);
    let (link, open, git) = (sandbox.path("link"), sandbox.path("open"), sandbox.path("other.git"));
    fs::create_dir(&open).unwrap();
    symlink(&open, &link).unwrap();
    let judged = || OutputPlaces::find(&ctx, []).judge(&link.join("out")).unwrap();
    let (first, second) = (judged(), judged());
    fs::remove_file(&link).unwrap();
    symlink(&git, &link).unwrap();
    first.write(b"x", false).unwrap();
    assert!(open.join("out").exists() && !git.join("out").exists());
    fs::rename(&open, sandbox.path("moved")).unwrap();
    symlink(&git, &open).unwrap();
    second.write(b"x", true).unwrap_err();
    assert!(!git.join("out").exists());
}

/// Code of the command line writes no file around the judged path.
#[test]
fn the_command_line_writes_files_through_judged_paths_only() {
    fn look(folder: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                look(&path, found);
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            for way in ["fs::write", "File::create", "replace_file", "create_file", "OpenOptions", "File::options"] {
                if text.contains(way) {
                    found.push(format!("{}: {way}", path.display()));
                }
            }
            // A folder is made for pages behind its judgement.
            if text.contains("create_dir") && !text.contains("output_path(ctx") && !text.contains("judged(&places") {
                found.push(format!("{}: create_dir", path.display()));
            }
        }
    }
    let mut found = Vec::new();
    look(&Path::new(crate::support::ROOT).join("src/cli"), &mut found);
    assert_eq!(found, Vec::<String>::new());
}
