//! Spaces, items and strays; writes that find obstacles.

#![expect(clippy::unwrap_used, reason = "tests")]

mod closed_places;
mod project_dir;
mod survey;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use rye::capability::ProjectPath;
use rye::id::{ItemId, ItemType, Space};
use rye::workspace::{BUILTIN, Candidate, Error, Expected, MAX_ITEM_BYTES, ProjectDir, Stray, StrayFault, Workspace};
use tempfile::TempDir;

/// A project and a user space in one temporary folder.
struct Spaces {
    folder: TempDir,
    workspace: Workspace,
}

impl Spaces {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (project, user) = (folder.path().join("project"), folder.path().join("user"));
        fs::create_dir_all(&project).unwrap();
        fs::create_dir_all(&user).unwrap();
        Self { workspace: Workspace::new(Some(project), user), folder }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn put(&self, path: &str, content: &str) -> PathBuf {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    fn dir(&self) -> ProjectDir {
        ProjectDir::open(&self.path("project")).unwrap()
    }

    fn write(&self, id_text: &str, bytes: &[u8], expected: Expected<'_>) -> Result<PathBuf, Error> {
        let (item_type, extension) = (ItemType::Tool, "py".parse().unwrap());
        self.workspace.write_item(Space::Project, item_type, &id(id_text), &extension, bytes, expected)
    }

    fn find(&self, item_type: ItemType, id_text: &str) -> Result<Vec<Candidate>, Error> {
        self.workspace.candidates(item_type, &id(id_text))
    }
}

fn id(text: &str) -> ItemId {
    text.parse().unwrap()
}

fn at(text: &str) -> ProjectPath {
    text.parse().unwrap()
}

fn names(folder: &Path) -> BTreeSet<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn mkfifo(path: &Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn the_nearest_space_comes_first() {
    let spaces = Spaces::new();
    let near = spaces.put("project/.ai/tools/a/b.py", "near");
    let far = spaces.put("user/.ai/tools/a/b.sh", "far");
    let found = spaces.find(ItemType::Tool, "a/b").unwrap();
    let candidate = |space, extension: &str, path| Candidate {
        space,
        item_type: ItemType::Tool,
        id: id("a/b"),
        extension: extension.parse().unwrap(),
        path,
    };
    assert_eq!(found, [candidate(Space::Project, "py", near), candidate(Space::User, "sh", far)]);
    assert_eq!(spaces.workspace.read(&found[1]).unwrap(), b"far");
    assert_eq!(found[0].path_in_space(), Path::new("tools/a/b.py"));
    assert_eq!(spaces.find(ItemType::Tool, "a/c").unwrap(), []);
    assert_eq!(spaces.find(ItemType::Knowledge, "a/b").unwrap(), []);
}

#[test]
fn a_project_that_is_the_users_folder_is_only_the_user_space() {
    let spaces = Spaces::new();
    spaces.put("user/.ai/tools/x.py", "");
    symlink(spaces.path("user"), spaces.path("linked")).unwrap();
    let workspace = Workspace::new(Some(spaces.path("linked")), spaces.path("user"));
    assert_eq!(workspace.root(Space::Project), None);
    let found = workspace.candidates(ItemType::Tool, &id("x")).unwrap();
    assert_eq!(found.iter().map(|item| item.space).collect::<Vec<_>>(), [Space::User]);
}

/// Hole 13 of the threat model: `x.py` against `x.yaml` was chosen at random.
#[test]
fn two_files_that_differ_only_by_extension_are_an_error_naming_both() {
    let spaces = Spaces::new();
    let python = spaces.put("project/.ai/tools/x.py", "");
    let yaml = spaces.put("project/.ai/tools/x.yaml", "");
    match spaces.find(ItemType::Tool, "x") {
        Err(Error::Ambiguous { paths, .. }) => assert_eq!(paths, [python.clone(), yaml.clone()]),
        other => panic!("{other:?}"),
    }
    let listing = spaces.workspace.list(Some(ItemType::Tool), Some(Space::Project)).unwrap();
    let reason = "it and `.ai/tools/x.yaml` differ only by extension".to_owned();
    let (claimed, fault) = (Some(id("x")), Some(StrayFault::Ambiguous));
    assert_eq!((listing.items, listing.strays), (vec![], vec![Stray { path: python, reason, claimed, fault }]));
}

#[test]
fn a_write_that_would_make_an_item_ambiguous_is_refused() {
    let spaces = Spaces::new();
    spaces.put("project/.ai/tools/x.yaml", "");
    assert!(matches!(spaces.write("x", b"", Expected::Any), Err(Error::Ambiguous { .. })));
    assert_eq!(names(&spaces.path("project/.ai/tools")), BTreeSet::from(["x.yaml".to_owned()]));
}

#[test]
fn strays_are_named_with_their_reasons() {
    let spaces = Spaces::new();
    spaces.put("project/.ai/tools/good.py", "");
    spaces.put("project/.ai/tools/linked_to.py", "");
    spaces.put("project/.ai/tools/.gitkeep", "");
    spaces.put("project/.ai/tools/.hidden/x.py", "");
    spaces.put("project/.ai/tools/__pycache__/x.pyc", "");
    spaces.put("project/.ai/tools/notes.md", "");
    spaces.put("project/.ai/tools/README", "");
    spaces.put("project/.ai/tools/a.b.py", "");
    spaces.put("project/.ai/tools/x.exe", "");
    spaces.put("secret.py", "");
    symlink(spaces.path("secret.py"), spaces.path("project/.ai/tools/out.py")).unwrap();
    symlink("linked_to.py", spaces.path("project/.ai/tools/inside.py")).unwrap();
    symlink(".", spaces.path("project/.ai/tools/loop")).unwrap();
    mkfifo(&spaces.path("project/.ai/tools/pipe.py"));

    let listing = spaces.workspace.list(None, Some(Space::Project)).unwrap();
    let items: Vec<&str> = listing.items.iter().map(|item| item.id.as_str()).collect();
    assert_eq!(items, ["good", "linked_to"]);
    let tools = spaces.path("project/.ai/tools");
    let strays: Vec<(String, &str)> = listing
        .strays
        .iter()
        .map(|stray| (stray.path.strip_prefix(&tools).unwrap().display().to_string(), stray.reason.as_str()))
        .collect();
    let expected = [
        ("README", "it has no extension"),
        ("__pycache__", "`__pycache__` is not an item id: a segment must start with a letter or digit"),
        ("a.b.py", "`a.b` is not an item id: it contains a dot (an id has no extension)"),
        ("inside.py", "it is a symlink, and symlinks are not followed"),
        ("loop", "it is a symlink, and symlinks are not followed"),
        ("notes.md", "a tool cannot be a `.md` file"),
        ("out.py", "it is a symlink, and symlinks are not followed"),
        ("pipe.py", "it is not a regular file"),
        ("x.exe", "`.exe` has no comment style that could carry a signature"),
    ];
    assert_eq!(strays, expected.map(|(path, reason)| (path.to_owned(), reason)));
}

/// A cloned project links an item to a file outside: it is neither read nor hidden behind a further space.
#[test]
fn a_symlink_out_of_the_space_is_not_read() {
    let spaces = Spaces::new();
    let secret = spaces.put("secret.py", "secret");
    spaces.put("user/.ai/tools/x.py", "the user's");
    fs::create_dir_all(spaces.path("project/.ai/tools")).unwrap();
    symlink(&secret, spaces.path("project/.ai/tools/x.py")).unwrap();
    let found = spaces.find(ItemType::Tool, "x").unwrap();
    assert_eq!(found[0].space, Space::Project);
    assert!(matches!(spaces.workspace.read(&found[0]), Err(Error::Symlink { .. })));

    fs::remove_file(spaces.path("project/.ai/tools/x.py")).unwrap();
    symlink("../../../secret.py", spaces.path("project/.ai/tools/x.py")).unwrap();
    assert!(matches!(spaces.workspace.read(&found[0]), Err(Error::Symlink { .. })));
}

#[test]
fn a_projects_space_that_is_a_symlink_is_refused() {
    let spaces = Spaces::new();
    spaces.put("elsewhere/tools/x.py", "");
    symlink(spaces.path("elsewhere"), spaces.path("project/.ai")).unwrap();
    assert!(matches!(spaces.find(ItemType::Tool, "x"), Err(Error::Symlink { .. })));
    assert!(matches!(spaces.write("y", b"", Expected::Any), Err(Error::Symlink { .. })));
}

#[test]
fn folders_that_are_symlinks_hold_no_items() {
    let spaces = Spaces::new();
    spaces.put("elsewhere/x.py", "");
    fs::create_dir_all(spaces.path("project/.ai/tools")).unwrap();
    symlink(spaces.path("elsewhere"), spaces.path("project/.ai/tools/a")).unwrap();
    assert_eq!(spaces.find(ItemType::Tool, "a/x").unwrap(), []);
    assert!(matches!(spaces.write("a/y", b"", Expected::Any), Err(Error::Symlink { .. })));
    assert_eq!(names(&spaces.path("elsewhere")), BTreeSet::from(["x.py".to_owned()]));
}

#[test]
fn a_pipe_or_an_oversized_file_is_not_read() {
    let spaces = Spaces::new();
    spaces.put("project/.ai/tools/big.py", &"x".repeat(MAX_ITEM_BYTES as usize + 1));
    spaces.put("project/.ai/tools/full.py", &"x".repeat(MAX_ITEM_BYTES as usize));
    mkfifo(&spaces.path("project/.ai/tools/pipe.py"));
    let read = |name| spaces.workspace.read(&spaces.find(ItemType::Tool, name).unwrap()[0]);
    assert!(matches!(read("big"), Err(Error::TooLarge { limit: MAX_ITEM_BYTES, .. })));
    assert_eq!(read("full").unwrap().len() as u64, MAX_ITEM_BYTES);
    assert!(matches!(read("pipe"), Err(Error::NotRegular { .. })));
}

#[test]
fn an_item_is_written_where_it_belongs_and_keeps_its_mode() {
    let spaces = Spaces::new();
    let path = spaces.write("a/b/c", b"one", Expected::Absent).unwrap();
    assert_eq!(path, spaces.path("project/.ai/tools/a/b/c.py"));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o751)).unwrap();
    spaces.write("a/b/c", b"two", Expected::Content(b"one")).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"two");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o751);
    assert_eq!(names(path.parent().unwrap()), BTreeSet::from(["c.py".to_owned()]));
}

/// Told before anything is written: what a replacement would meet.
#[test]
fn what_stands_in_the_way_of_a_replacement_is_known_before() {
    let spaces = Spaces::new();
    let path = spaces.put("project/.ai/tools/x.py", "x");
    spaces.put("project/caps.yaml", "x");
    symlink("x.py", spaces.path("project/.ai/tools/y.py")).unwrap();
    let check = |name| spaces.workspace.check_replaceable(&spaces.find(ItemType::Tool, name).unwrap()[0]);
    let document: ProjectPath = "caps.yaml".parse().unwrap();
    assert!(check("x").is_ok() && spaces.dir().check_replaceable(&document).is_ok());
    assert!(matches!(check("y"), Err(Error::Symlink { .. })));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    fs::set_permissions(spaces.path("project/caps.yaml"), fs::Permissions::from_mode(0o444)).unwrap();
    assert!(matches!(check("x"), Err(Error::WriteProtected { .. })));
    assert!(matches!(spaces.dir().check_replaceable(&document), Err(Error::WriteProtected { .. })));
}

#[test]
fn an_item_that_gets_another_id_is_at_one_of_the_two_paths() {
    let spaces = Spaces::new();
    let path = spaces.put("project/.ai/tools/a/x-y.py", "x");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o751)).unwrap();
    let candidate = spaces.find(ItemType::Tool, "a/x-y").unwrap().remove(0);
    let rename = |to: &str, content: &[u8]| spaces.workspace.rename_item(&candidate, &id(to), content);
    assert!(matches!(rename("a/x_y", b"other"), Err(Error::ChangedMeanwhile { .. })));
    spaces.put("project/.ai/tools/a/taken.sh", "");
    assert!(matches!(rename("a/taken", b"x"), Err(Error::Ambiguous { .. })));
    fs::create_dir(spaces.path("project/.ai/tools/a/folder.py")).unwrap();
    assert!(matches!(rename("a/folder", b"x"), Err(Error::AlreadyExists { .. })));
    assert!(path.exists());
    let new = rename("a/x_y", b"x").unwrap();
    assert_eq!(new, spaces.path("project/.ai/tools/a/x_y.py"));
    assert!(!path.exists());
    assert_eq!(
        (fs::read(&new).unwrap(), fs::metadata(&new).unwrap().permissions().mode() & 0o777),
        (b"x".to_vec(), 0o751)
    );
}

#[test]
fn a_document_is_replaced_only_as_it_was_read() {
    let spaces = Spaces::new();
    let (path, name): (PathBuf, ProjectPath) = (spaces.put("project/caps.yaml", "old"), "caps.yaml".parse().unwrap());
    assert!(matches!(spaces.dir().replace(&name, b"other", b"new"), Err(Error::ChangedMeanwhile { .. })));
    spaces.dir().replace(&name, b"old", b"new").unwrap();
    assert_eq!(fs::read(path).unwrap(), b"new");
}

#[test]
fn a_file_that_changed_since_it_was_read_is_not_replaced() {
    let spaces = Spaces::new();
    let path = spaces.put("project/.ai/tools/x.py", "edited");
    for stale in [b"read before".as_slice(), b"edite", b"edited!", b""] {
        assert!(matches!(spaces.write("x", b"new", Expected::Content(stale)), Err(Error::ChangedMeanwhile { .. })));
    }
    assert!(matches!(spaces.write("x", b"new", Expected::Absent), Err(Error::AlreadyExists { .. })));
    assert!(matches!(spaces.write("gone", b"new", Expected::Content(b"")), Err(Error::ChangedMeanwhile { .. })));
    assert_eq!(fs::read(&path).unwrap(), b"edited");
    assert_eq!(names(path.parent().unwrap()), BTreeSet::from(["x.py".to_owned()]));
}

#[test]
fn what_cannot_be_an_items_file_is_not_written() {
    let spaces = Spaces::new();
    let write = |space, item_type, bytes: &[u8]| {
        spaces.workspace.write_item(space, item_type, &id("x"), &"py".parse().unwrap(), bytes, Expected::Any)
    };
    assert!(matches!(write(Space::System, ItemType::Tool, b""), Err(Error::SystemSpace)));
    assert!(matches!(write(Space::Project, ItemType::Directive, b""), Err(Error::UnsuitableExtension { .. })));
    let big = vec![0; MAX_ITEM_BYTES as usize + 1];
    assert!(matches!(write(Space::Project, ItemType::Tool, &big), Err(Error::TooLarge { .. })));
    assert_eq!(names(&spaces.path("project")), BTreeSet::new());
    let elsewhere = Workspace::new(None, spaces.path("user"));
    let nowhere =
        elsewhere.write_item(Space::Project, ItemType::Tool, &id("x"), &"py".parse().unwrap(), b"", Expected::Any);
    assert!(matches!(nowhere, Err(Error::NoSpace { space: Space::Project })));
}

#[test]
fn obstacles_are_named_and_nothing_is_left_half_written() {
    let spaces = Spaces::new();
    spaces.put("project/.ai/tools/file", "");
    fs::create_dir_all(spaces.path("project/.ai/tools/dir.py")).unwrap();
    assert!(matches!(spaces.write("file/x", b"", Expected::Any), Err(Error::NotDirectory { .. })));
    assert!(matches!(spaces.write("dir", b"", Expected::Any), Err(Error::IsDirectory { .. })));
    let kept = spaces.put("project/.ai/tools/kept.py", "kept");
    fs::set_permissions(&kept, fs::Permissions::from_mode(0o444)).unwrap();
    assert!(matches!(spaces.write("kept", b"new", Expected::Any), Err(Error::WriteProtected { .. })));
    assert_eq!(fs::read(&kept).unwrap(), b"kept");
    let left = ["dir.py", "file", "kept.py"].map(str::to_owned);
    assert_eq!(names(&spaces.path("project/.ai/tools")), BTreeSet::from(left));
}

/// Runs one write of a mebibyte in a process of its own, whose limit is less.
#[test]
fn full_disk_entry() {
    if let Ok(root) = std::env::var("RYE_TEST_FULL_DISK") {
        rye::process::install(&rye::process::CancelFlag::new()).unwrap();
        let written = ProjectDir::open(Path::new(&root)).unwrap().write(&at("file"), &vec![b'x'; 1 << 20], false);
        assert_eq!(
            written.unwrap_err().to_string(),
            "cannot write `file`: it would exceed the file-size limit; the old content is unchanged"
        );
        let written = ProjectDir::open(Path::new(&root)).unwrap().write(&at("new"), &vec![b'x'; 1 << 20], false);
        assert_eq!(written.unwrap_err().to_string(), "cannot write `new`: it would exceed the file-size limit");
    }
}

#[test]
fn a_write_that_finds_no_room_leaves_the_old_content() {
    let spaces = Spaces::new();
    let path = spaces.put("project/file", "old");
    let this = std::env::current_exe().unwrap();
    let script =
        format!("ulimit -f 100; exec '{}' --exact workspace::full_disk_entry --nocapture 2>&1", this.display());
    let output = std::process::Command::new("/bin/sh")
        .args(["-c", &script])
        .env("RYE_TEST_FULL_DISK", spaces.path("project"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(names(&spaces.path("project")), BTreeSet::from(["file".to_owned()]));
}

#[test]
fn every_file_of_this_repository_s_own_namespace_is_in_the_system_space() {
    let root = Path::new(crate::support::ROOT);
    let here = Workspace::new(Some(root.to_owned()), PathBuf::from("/nonexistent"));
    let listed = here.list(None, None).unwrap();
    let of = |space| {
        let items = listed.items.iter().filter(move |item| item.space == space && item.id.is_reserved());
        items.map(|item| (item.path_in_space(), here.read(item).unwrap())).collect::<Vec<_>>()
    };
    assert_eq!(of(Space::Project), of(Space::System));
    let starters = listed.items.iter().filter(|item| item.id.namespace() == Some("starter"));
    assert!(starters.clone().count() > 0 && starters.clone().all(|item| item.space == Space::Project));
    assert_eq!(of(Space::System).len(), BUILTIN.len(), "something compiled in is not an item");
    for item in listed.items.iter().filter(|item| item.space == Space::System) {
        assert_eq!(item.path, PathBuf::from(format!("builtin:{}", item.path_in_space().display())));
        assert_eq!(here.candidates(item.item_type, &item.id).unwrap().len(), 2);
    }
}
