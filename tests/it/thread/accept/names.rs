//! Names of files that are only bytes to git: none of them keeps a thread's work from being accepted.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::super::world::World;
use super::{accept, changing, committed, scripted, world};

/// Names as people's repositories have them: not UTF-8, decomposed, with what other systems take for something else.
const NAMES: [&[u8]; 9] = [
    b"caf\xe9.txt",
    b"d\xff/\xfe\xfd.txt",
    b"src/\x80",
    "re\u{301}sume\u{301}.md".as_bytes(),
    b"new\nline.txt",
    b"ta\tb.txt",
    b"back\\slash.txt",
    b"q\"uo'te.txt",
    "\u{10FEE9}private.txt".as_bytes(),
];

fn put(world: &World, name: &[u8], text: &str) {
    let path = world.in_project("").join(OsStr::from_bytes(name));
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// The entries of a commit's tree, byte for byte.
fn tree(world: &World, rev: &str) -> Vec<u8> {
    let mut git = std::process::Command::new("git");
    git.current_dir(world.in_project("")).args(["ls-tree", "-r", "-z", "--full-tree", rev]);
    git.output().unwrap().stdout
}

/// It was refused after the model had been paid: "the path is not allowed in a tree: it is not UTF-8".
#[test]
fn names_that_are_not_utf_8_do_not_keep_work_from_being_accepted() {
    let world = world();
    for name in NAMES {
        put(&world, name, "odd\n");
    }
    world.commit("odd names");
    let before = tree(&world, "HEAD");
    let outcome = changing(&world);
    for args in [&["thread", "show", "@latest"][..], &["thread", "diff", "@latest"], &["thread", "replay", "@latest"]] {
        let output = world.rye(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let (code, told) = accept(&world, &[]);
    assert_eq!(code, 0, "{told:#}");
    assert_eq!(committed(&world), "A\tnew/b.txt\nM\tsrc/a.txt");
    // All other entries are the same bytes.
    let after = tree(&world, "HEAD");
    let others = |tree: &[u8]| -> Vec<Vec<u8>> {
        let entries = tree.split(|byte| *byte == 0).map(<[u8]>::to_vec);
        entries.filter(|entry| !entry.ends_with(b"\tsrc/a.txt") && !entry.ends_with(b"\tnew/b.txt")).collect()
    };
    assert!(others(&before) == others(&after), "{}", String::from_utf8_lossy(&after));
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    for args in [&["status"][..], &["verify", "--rev", "HEAD"], &["diff"], &["lint"]] {
        let output = world.rye(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    drop(outcome);
}

/// A person's own uncommitted files of such names are theirs, and the rest is accepted.
#[test]
fn uncommitted_files_of_such_names_are_left_alone() {
    let world = world();
    for name in NAMES {
        put(&world, name, "odd\n");
    }
    world.commit("odd names");
    for name in NAMES {
        put(&world, name, "changed\n");
    }
    put(&world, b"untracked\xff", "new\n");
    changing(&world);
    let status = world.git(&["status", "--porcelain"]);
    let (code, told) = accept(&world, &[]);
    assert_eq!(code, 0, "{told:#}");
    assert_eq!(world.git(&["status", "--porcelain"]), status);
}

/// What a tool does to such a file is left out and named as people can read it; the rest is accepted.
#[test]
fn what_a_tool_does_to_such_names_is_named() {
    let (world, outcome) = scripted("echo x >src/a.txt; printf x >\"$(printf 'caf\\351.txt')\"");
    let skipped = format!("{:?}", world.events(&outcome));
    assert!(skipped.contains(r"caf\\xe9.txt") && skipped.contains("unnameable"), "{skipped}");
    let (code, told) = accept(&world, &[]);
    assert_eq!(code, 0, "{told:#}");
    assert_eq!(committed(&world), "M\tsrc/a.txt");
    assert!(!world.in_project("").join(Path::new(OsStr::from_bytes(b"caf\xe9.txt"))).exists());
}

/// A commit with such names staged is one like others.
#[test]
fn files_of_such_names_are_committed() {
    let world = world();
    for name in NAMES {
        put(&world, name, "odd\n");
    }
    put(&world, b".ai/knowledge/\xff.md", "not an item\n");
    world.git(&["add", "-A"]);
    let output = world.rye(&["commit", "-m", "odd names"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for name in NAMES {
        let found = tree(&world, "HEAD").split(|byte| *byte == 0).any(|entry| entry.ends_with(name));
        assert!(found, "{}", String::from_utf8_lossy(name));
    }
}
