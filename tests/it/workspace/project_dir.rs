//! A tool's reads, writes and listings in the project, its attempts to reach where it must not, and snapshots.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use rye::trust::Blake3Hash;
use rye::workspace::{
    Changes, DirEntry, EntryKind, Error, FileContent, FileState, LeftOut, Snapshot, SnapshotLimits, Written,
};

use super::{BTreeSet, Spaces, at, mkfifo, names};

#[test]
fn project_files_are_read_written_and_listed() {
    let spaces = Spaces::new();
    let dir = spaces.dir();
    assert_eq!(dir.write(&at("a/b.txt/"), b"12345", true).unwrap(), Written { created: true });
    fs::set_permissions(spaces.path("project/a/b.txt"), fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(dir.write(&at("./a//b.txt"), b"123456", false).unwrap(), Written { created: false });
    assert_eq!(fs::metadata(spaces.path("project/a/b.txt")).unwrap().permissions().mode() & 0o777, 0o700);
    let content = |bytes: &[u8], truncated| FileContent { bytes: bytes.to_vec(), truncated };
    assert_eq!(dir.read(&at("a/b.txt"), 6).unwrap(), content(b"123456", false));
    assert_eq!(dir.read(&at("a/b.txt"), 5).unwrap(), content(b"12345", true));
    assert_eq!(dir.read(&at("a/b.txt"), 0).unwrap(), content(b"", true));

    fs::create_dir(spaces.path("project/.git")).unwrap();
    symlink("/etc", spaces.path("project/link")).unwrap();
    mkfifo(&spaces.path("project/pipe"));
    let entry = |name: &str, kind, size| DirEntry { name: name.to_owned(), kind, size };
    let all = [
        entry(".git", EntryKind::Directory, 0),
        entry("a", EntryKind::Directory, 0),
        entry("link", EntryKind::Symlink, 0),
        entry("pipe", EntryKind::Other, 0),
    ];
    assert_eq!(dir.list(&at(""), 4).unwrap(), (all.to_vec(), false));
    assert_eq!(dir.list(&at("."), 1).unwrap(), (all[..1].to_vec(), true));
    assert_eq!(dir.list(&at("a"), 9).unwrap(), (vec![entry("b.txt", EntryKind::File, 6)], false));
}

/// A thread's tree goes with its run, so nothing there is flushed and no draft of a killed writer is looked for.
#[test]
fn a_passing_folder_takes_whole_files() {
    let spaces = Spaces::new();
    let left = ["project/a/.rye-tmp-4194305-0", "project/b/.rye-tmp-4194305-0"];
    for draft in left {
        spaces.put(draft, "draft");
    }
    let (lasting, passing) = (spaces.dir(), spaces.dir().passing());
    assert!(lasting.write(&at("a/new/x"), b"1", true).unwrap().created);
    assert!(lasting.write(&at("a/x"), b"1", true).unwrap().created);
    for (content, created) in [(b"12", true), (b"34", false)] {
        assert_eq!(passing.write(&at("b/x"), content, true).unwrap(), Written { created });
        assert_eq!(fs::read(spaces.path("project/b/x")).unwrap(), content);
    }
    assert_eq!(left.map(|draft| spaces.path(draft).exists()), [false, true]);
}

/// A tool asks for git's folder, the trusted keys, the settings, the plugins: by every name a disk might know them by.
#[test]
fn refused_places_can_be_neither_read_nor_written_nor_listed() {
    let spaces = Spaces::new();
    let dir = spaces.dir();
    let places = [".git", ".GIT", "sub/.git", ".g\u{200c}it", ".ai/trust", ".AI/TRUST", ".ai/threads", ".ai/plugins"];
    for place in places {
        spaces.put(&format!("project/{place}/x"), "secret");
        let path = at(&format!("{place}/x"));
        assert!(matches!(dir.read(&path, 9), Err(Error::Refused { .. })), "read {path}");
        assert!(matches!(dir.write(&path, b"", true), Err(Error::Refused { .. })), "write {path}");
        assert!(matches!(dir.list(&at(place), 9), Err(Error::Refused { .. })), "list {place}");
        assert_eq!(fs::read(spaces.path(&format!("project/{place}/x"))).unwrap(), b"secret");
    }
    for file in [".git", ".ai/config.toml", ".ai/Config.Toml", "nested/.git"] {
        assert!(matches!(dir.write(&at(file), b"", true), Err(Error::Refused { .. })), "write {file}");
    }
    assert!(!spaces.path("project/nested").exists(), "folders were made on the way to a refused place");
}

/// A tool follows a symlink that leads to the keys, as a file, as a folder, and in the middle of a path.
#[test]
fn no_symlink_is_followed_anywhere() {
    let spaces = Spaces::new();
    let secret = spaces.put("secret/key", "secret");
    spaces.put("project/.git/config", "config");
    symlink(&secret, spaces.path("project/file")).unwrap();
    symlink(spaces.path("secret"), spaces.path("project/folder")).unwrap();
    symlink(".git", spaces.path("project/friendly")).unwrap();
    let dir = spaces.dir();
    for path in ["file", "folder", "folder/key", "friendly/config", "friendly/new"] {
        assert!(matches!(dir.read(&at(path), 9), Err(Error::Symlink { .. })), "read {path}");
        assert!(matches!(dir.write(&at(path), b"", true), Err(Error::Symlink { .. })), "write {path}");
        assert!(matches!(dir.list(&at(path), 9), Err(Error::Symlink { .. } | Error::NotDirectory { .. })), "{path}");
    }
    assert_eq!(fs::read(&secret).unwrap(), b"secret");
    assert_eq!(names(&spaces.path("project/.git")), BTreeSet::from(["config".to_owned()]));
}

#[test]
fn hard_cases_of_project_paths_have_their_own_errors() {
    let spaces = Spaces::new();
    spaces.put("project/Target", "a file");
    spaces.put("project/dir/x", "");
    mkfifo(&spaces.path("project/pipe"));
    let dir = spaces.dir();
    assert!(matches!(dir.read(&at("pipe"), 9), Err(Error::NotRegular { .. })));
    assert!(matches!(dir.write(&at("pipe"), b"", false), Err(Error::NotRegular { .. })));
    assert!(matches!(dir.read(&at("dir"), 9), Err(Error::IsDirectory { .. })));
    assert!(matches!(dir.write(&at("dir"), b"", false), Err(Error::IsDirectory { .. })));
    assert!(matches!(dir.write(&at(""), b"", false), Err(Error::IsDirectory { .. })));
    assert!(matches!(dir.write(&at("Target/x"), b"", true), Err(Error::NotDirectory { .. })));
    assert!(matches!(dir.list(&at("Target"), 9), Err(Error::NotDirectory { .. })));
    assert!(matches!(dir.read(&at("target"), 9), Err(Error::NotFound { .. })));
    assert!(matches!(dir.write(&at("none/x"), b"", false), Err(Error::NotFound { .. })));
    let long = at(&"x".repeat(300));
    assert!(matches!(dir.read(&long, 9), Err(Error::NameTooLong { .. })));
    assert!(matches!(dir.write(&long, b"", true), Err(Error::NameTooLong { .. })));
    let deep = at(&format!("{}x", "d/".repeat(1500)));
    dir.write(&deep, b"far down", true).unwrap();
    assert_eq!(dir.read(&deep, 99).unwrap().bytes, b"far down");
    assert_eq!(fs::read(spaces.path("project/Target")).unwrap(), b"a file");
}

const LIMITS: SnapshotLimits = SnapshotLimits { max_files: 100, max_file_bytes: 10, max_total_bytes: 1000 };

#[test]
fn a_snapshot_tells_what_a_tool_changed() {
    let spaces = Spaces::new();
    for (path, content) in [("out/same", "1"), ("out/edited", "2"), ("out/gone", "3"), ("out/mode", "4")] {
        spaces.put(&format!("project/{path}"), content);
    }
    spaces.put("project/out/big", &"x".repeat(11));
    spaces.put("project/elsewhere", "5");
    let dir = spaces.dir();
    let take = || dir.snapshot(&[at("out"), at("out/same"), at("missing/deep")], &LIMITS).unwrap();
    let before = take();
    assert_eq!(Snapshot::changes(&before, &take()), Changes::default());
    let state = FileState { executable: false, size: 1, blake3: Blake3Hash::of(b"1") };
    assert_eq!(before.files.get(&at("out/same")), Some(&state));

    spaces.put("project/out/edited", "6");
    spaces.put("project/out/new/file", "7");
    spaces.put("project/out/big", &"y".repeat(12));
    spaces.put("project/elsewhere", "8");
    spaces.put("project/out/.ai/threads/x", "9");
    spaces.put("project/out/nested/.git/HEAD", "");
    spaces.put("project/out/nested/file", "");
    fs::remove_file(spaces.path("project/out/gone")).unwrap();
    fs::set_permissions(spaces.path("project/out/mode"), fs::Permissions::from_mode(0o755)).unwrap();
    symlink("same", spaces.path("project/out/link")).unwrap();
    mkfifo(&spaces.path("project/out/pipe"));
    let expected = Changes {
        written: vec![at("out/edited"), at("out/mode"), at("out/new/file")],
        removed: vec![at("out/gone")],
        oversized: vec![at("out/big")],
        left_out: vec![
            ("out/link".to_owned(), LeftOut::Symlink),
            ("out/nested".to_owned(), LeftOut::NestedRepository),
            ("out/pipe".to_owned(), LeftOut::NotRegular),
        ],
    };
    assert_eq!(Snapshot::changes(&before, &take()), expected);
}

/// A tool that makes a repository of a folder has not removed what lies in it.
#[test]
fn what_can_no_longer_be_looked_into_is_not_gone() {
    let spaces = Spaces::new();
    for path in ["out/inner/a", "out/inner-b", "out/c"] {
        spaces.put(&format!("project/{path}"), "1");
    }
    let dir = spaces.dir();
    let take = || dir.snapshot(&[at("out")], &LIMITS).unwrap();
    let before = take();
    spaces.put("project/out/inner/.git/HEAD", "");
    fs::remove_file(spaces.path("project/out/inner-b")).unwrap();
    let inner = ("out/inner".to_owned(), LeftOut::NestedRepository);
    let expected = Changes { removed: vec![at("out/inner-b")], left_out: vec![inner], ..Changes::default() };
    assert_eq!(Snapshot::changes(&before, &take()), expected);
}

#[test]
fn a_snapshot_is_bounded() {
    let spaces = Spaces::new();
    for name in ["a", "b", "c"] {
        spaces.put(&format!("project/out/{name}"), "12345");
    }
    let dir = spaces.dir();
    let few = SnapshotLimits { max_files: 2, ..LIMITS };
    assert!(matches!(dir.snapshot(&[at("")], &few), Err(Error::TooManyFiles { limit: 2, .. })));
    let small = SnapshotLimits { max_total_bytes: 12, ..LIMITS };
    let snapshot = dir.snapshot(&[at("")], &small).unwrap();
    assert_eq!(snapshot.files.keys().collect::<Vec<_>>(), [&at("out/a"), &at("out/b")]);
    assert_eq!(snapshot.oversized.keys().collect::<Vec<_>>(), [&at("out/c")]);
    let without_b = dir.snapshot_without(&[at("")], &LIMITS, &|path, _| path.as_str() == "out/b").unwrap();
    assert_eq!(without_b.files.keys().collect::<Vec<_>>(), [&at("out/a"), &at("out/c")]);
}
