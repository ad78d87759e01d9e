//! The places of a project that no script reads, by their names and content.

use std::cell::Cell;
use std::fs;

use rye::workspace::{Error, closed_places, is_closed};

fn found(files: &[&str]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    for file in files {
        let (path, text) = file.split_once('=').unwrap_or((file, ""));
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), text).unwrap();
    }
    let closed = closed_places(vec![root.clone()], &|| false).unwrap();
    closed.iter().map(|path| path.strip_prefix(&root).unwrap().display().to_string()).collect()
}

#[test]
fn a_git_folder_is_one_by_what_lies_in_it() {
    for (files, closed) in [
        (&["a/.git/config", "a/b/.GIT/config", "git~1/x"][..], &["a/.git", "a/b/.GIT", "git~1"][..]),
        (&["repo.git/HEAD", "repo.git/objects/x", "repo.git/refs/x", "repo.git/config"], &["repo.git"]),
        (&["x/head", "x/Objects/x", "x/REFS/x", "x/logs/HEAD"], &["x"]),
        (&["wt/HEAD", "wt/commondir", "wt/logs/HEAD"], &["wt"]),
        (&["m/a/HEAD", "m/a/objects/x", "m/a/refs/x", "m/a/modules/b/HEAD"], &["m/a"]),
        // One that is found by the file that leads there alone, and one around that file.
        (&["s/.git=gitdir: ../kept\n", "kept/config"], &["kept"]),
        (&["s/.git=gitdir: ..\n", "kept/config"], &[]),
        (
            &["p/.ai/trust/x", "p/.AI/threads/x", ".ai/config.toml", ".ai/plugins/x"],
            &[".ai/config.toml", ".ai/plugins", "p/.AI/threads", "p/.ai/trust"],
        ),
    ] {
        assert_eq!(found(files), closed, "{files:?}");
    }
}

#[test]
fn its_neighbours_are_open() {
    let files = ["src/head/x", "src/objects/x", "src/refs/x", ".gitignore", ".github/x", "a/HEAD", "a/objects/x"];
    assert!(found(&files).is_empty());
    assert!(found(&["b/HEAD", "b/objects", "b/refs", ".ai/tools/trust", "trust/x", "c/commondir"]).is_empty());
}

#[test]
fn a_path_in_such_a_place_is_closed() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    for file in ["repo.git/HEAD", "repo.git/objects/x", "repo.git/refs/x", "src/a.txt"] {
        fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
        fs::write(root.join(file), "").unwrap();
    }
    for path in ["repo.git", "repo.git/objects", "repo.git/missing", "src/.git/x", ".ai/trust"] {
        assert!(is_closed(&root, &root.join(path)), "{path}");
    }
    for path in ["", "src", "src/a.txt", "missing"] {
        assert!(!is_closed(&root, &root.join(path)), "{path}");
    }
}

#[test]
fn a_walk_that_is_stopped_finds_nothing_rather_than_less() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    for name in 0..3_000 {
        fs::create_dir_all(root.join(format!("{name}/x"))).unwrap();
    }
    let asked = Cell::new(0);
    let is_over = || {
        asked.set(asked.get() + 1);
        asked.get() > 3
    };
    let found = closed_places(vec![root.clone()], &is_over);
    assert!(matches!(found, Err(Error::Stopped { path }) if path == root));
    assert_eq!(closed_places(vec![root], &|| false).unwrap().len(), 0);
}
