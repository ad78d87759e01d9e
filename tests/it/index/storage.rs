//! The index on disk: files that are read again or not, damage of every kind, and parallel writers.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use rye::index::{Found, Options, Place};

use super::shelf::{Shelf, document, ids};

/// A folder for caches and a place in it.
struct Cache {
    folder: tempfile::TempDir,
    place: Place,
}

impl Cache {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::at(folder.path(), &[Path::new("/project")]);
        Self { folder, place }
    }

    fn folder(&self) -> &Path {
        self.place.folder().unwrap()
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.folder())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    fn pieces(&self) -> Vec<PathBuf> {
        let pieces = self.names().into_iter().filter(|name| name.starts_with("piece-"));
        pieces.map(|name| self.folder().join(name)).collect()
    }

    /// Asks, and holds the answer to that of an index in memory.
    fn ask(&self, shelf: &Shelf, query: &str) -> Found {
        let options = Options { max: 1000, explain: true, ..Options::default() };
        let memory = shelf.ask_with(query, &options);
        shelf.read.borrow_mut().clear();
        let found = shelf.ask_at(&self.place, query, &options);
        let told = |found: &Found| (found.total, found.hits.clone(), found.did_you_mean.clone());
        assert_eq!(told(&found), told(&memory));
        found
    }
}

fn many(count: usize) -> Shelf {
    let mut shelf = Shelf::default();
    for number in 0..count {
        shelf.put(document(
            &format!("item{number}"),
            &format!("common words and number{number}, {}", "more ".repeat(number % 9)),
        ));
    }
    shelf
}

#[test]
fn only_what_changed_is_read_again() {
    let cache = Cache::new();
    let mut shelf = many(40);
    let found = cache.ask(&shelf, "number7");
    assert_eq!((shelf.read.borrow().len(), found.warning, found.rebuilt), (40, None, None));
    cache.ask(&shelf, "common");
    assert_eq!(*shelf.read.borrow(), Vec::<String>::new());

    shelf.put(document("item7", "something else"));
    assert_eq!(ids(&cache.ask(&shelf, "something")), ["item7"]);
    assert_eq!(*shelf.read.borrow(), ["project/item7"]);
    assert_eq!(cache.ask(&shelf, "number7").did_you_mean.as_deref(), Some("number0"));
    assert_eq!(*shelf.read.borrow(), Vec::<String>::new());

    // A stamp that changed without the document costs a look, and no new piece.
    let pieces = cache.pieces();
    shelf.put(document("item7", "something else"));
    cache.ask(&shelf, "common");
    assert_eq!((shelf.read.borrow().len(), cache.pieces()), (1, pieces));
    cache.ask(&shelf, "common");
    assert_eq!(shelf.read.borrow().len(), 0);

    let gone = shelf.entries.remove(3).key;
    shelf.documents.remove(3);
    assert_eq!(cache.ask(&shelf, "common").total, 38);
    assert!(cache.ask(&shelf, "*").hits.iter().all(|hit| hit.key != gone));
    assert_eq!(*shelf.read.borrow(), Vec::<String>::new());
}

#[test]
fn what_changed_within_a_tick_of_the_clock_is_read_once_more() {
    let cache = Cache::new();
    let mut shelf = many(2);
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    shelf.entries[0].stamp.changed_ns = i64::try_from(now.as_nanos()).unwrap() + 3_600_000_000_000;
    shelf.entries[1].stamp.changed_ns = 1_000_000_007;
    cache.ask(&shelf, "common");
    cache.ask(&shelf, "common");
    assert_eq!(*shelf.read.borrow(), ["project/item0"]);
    // Changed without its stamp showing it, as within one tick.
    shelf.documents[0] = document("item0", "unseen");
    assert_eq!(ids(&cache.ask(&shelf, "unseen")), ["item0"]);
}

#[test]
fn many_changes_leave_few_pieces_and_few_files() {
    let cache = Cache::new();
    let mut shelf = many(60);
    cache.ask(&shelf, "common");
    for round in 0..40 {
        shelf.put(document(&format!("item{}", round % 50), &format!("common round{round}")));
        assert_eq!(cache.ask(&shelf, &format!("round{round}")).total, 1);
        assert_eq!(shelf.read.borrow().len(), 1);
    }
    assert_eq!(cache.ask(&shelf, "common").total, 60);
    assert!(cache.pieces().len() <= 17, "{:?}", cache.names());
}

#[test]
fn every_flipped_byte_is_noticed_or_does_not_matter() {
    let shelf = many(12);
    let cache = Cache::new();
    cache.ask(&shelf, "common");
    let whole: Vec<(PathBuf, Vec<u8>)> = cache
        .names()
        .iter()
        .map(|name| cache.folder().join(name))
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect();
    let mut noticed = 0;
    for (path, bytes) in &whole {
        for at in (0..bytes.len()).step_by((bytes.len() / 40).max(1)) {
            fs::remove_dir_all(cache.folder()).unwrap();
            fs::create_dir(cache.folder()).unwrap();
            whole.iter().for_each(|(path, bytes)| fs::write(path, bytes).unwrap());
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << (at % 8);
            fs::write(path, &flipped).unwrap();
            // Whatever the index says, `ask` compares it with one in memory.
            let found = cache.ask(&shelf, "\"common words\" number3 mroe");
            noticed += usize::from(found.rebuilt.is_some());
        }
    }
    assert!(noticed > 40, "{noticed}");
}

#[test]
fn files_that_are_shorter_gone_or_something_else_are_built_anew() {
    let shelf = many(12);
    let spoil: [fn(&Path); 5] = [
        |path| fs::write(path, "").unwrap(),
        |path| fs::write(path, &fs::read(path).unwrap()[..20]).unwrap(),
        |path| fs::write(path, [fs::read(path).unwrap(), vec![0; 9]].concat()).unwrap(),
        |path| fs::remove_file(path).unwrap(),
        |path| {
            fs::remove_file(path).unwrap();
            fs::create_dir(path).unwrap();
        },
    ];
    for spoil in spoil {
        for manifest in [true, false] {
            let cache = Cache::new();
            cache.ask(&shelf, "common");
            let path = if manifest { cache.folder().join("current") } else { cache.pieces().remove(0) };
            spoil(&path);
            assert_eq!(cache.ask(&shelf, "common words").total, 12);
            assert_eq!(cache.ask(&shelf, "number1*").total, 3);
        }
    }
}

/// A read of a pipe without a writer would never end.
#[test]
fn a_pipe_or_a_link_in_the_place_of_a_file_is_not_opened() {
    let shelf = many(12);
    let pipe = |path: &Path| assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    let link = |path: &Path| std::os::unix::fs::symlink("/dev/zero", path).unwrap();
    for put in [&pipe as &dyn Fn(&Path), &link] {
        for manifest in [true, false] {
            let cache = Cache::new();
            cache.ask(&shelf, "common");
            let path = if manifest { cache.folder().join("current") } else { cache.pieces().remove(0) };
            fs::remove_file(&path).unwrap();
            put(&path);
            assert!(cache.ask(&shelf, "common words").rebuilt.is_some());
            assert_eq!(cache.ask(&shelf, "common words").rebuilt, None);
        }
    }
}

/// Whoever may write into the folder could fake results, and have other files removed.
#[test]
fn a_folder_that_is_not_this_person_s_alone_is_neither_read_nor_written() {
    let mut shelf = many(3);
    let cache = Cache::new();
    cache.ask(&shelf, "common");
    shelf.put(document("item1", "changed meanwhile"));
    fs::set_permissions(cache.folder(), fs::Permissions::from_mode(0o777)).unwrap();
    let names = cache.names();
    let found = cache.ask(&shelf, "meanwhile");
    assert_eq!(ids(&found), ["item1"]);
    assert!(found.warning.unwrap().ends_with("others may write into it"));
    assert_eq!(cache.names(), names);

    let elsewhere = tempfile::tempdir().unwrap();
    let precious = elsewhere.path().join("precious");
    fs::write(&precious, "x").unwrap();
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(7200);
    fs::File::options().write(true).open(&precious).unwrap().set_modified(long_ago).unwrap();
    fs::remove_dir_all(cache.folder()).unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), cache.folder()).unwrap();
    let found = cache.ask(&shelf, "meanwhile");
    assert!(found.warning.unwrap().ends_with("it is not a folder"));
    assert!(precious.exists());
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 1);
}

#[test]
fn a_manifest_of_something_else_is_not_believed() {
    let shelf = many(3);
    let cache = Cache::new();
    cache.ask(&shelf, "common");
    let other = Cache::new();
    other.ask(&many(5), "common");
    fs::copy(other.folder().join("current"), cache.folder().join("current")).unwrap();
    let found = cache.ask(&shelf, "common");
    assert!(found.rebuilt.is_some());
    assert_eq!(cache.ask(&shelf, "common").rebuilt, None);
}

/// Every number of a document has its place in memory, so a manifest cannot ask for any amount of it.
#[test]
fn a_manifest_with_absurd_numbers_is_not_believed() {
    let cache = Cache::new();
    let shelf = many(3);
    cache.ask(&shelf, "common");
    let current = cache.folder().join("current");
    let written = fs::read(&current).unwrap();
    for (from, to) in [
        ("\"next\":3,", "\"next\":4294967295,".to_owned()),
        ("\"files\":[", format!("\"files\":[[\"x\",{}],", usize::MAX)),
    ] {
        fs::write(&current, rewritten(&written, from, &to)).unwrap();
        let found = cache.ask(&shelf, "common");
        assert!(found.rebuilt.is_some(), "{to}");
    }
    // Half a record more is not as it was written either.
    fs::write(&current, summed(&[&written[..], b"half"].concat())).unwrap();
    assert!(cache.ask(&shelf, "common").rebuilt.is_some());
}

/// Changes the head of a manifest, with its length and the checksum.
fn rewritten(manifest: &[u8], from: &str, to: &str) -> Vec<u8> {
    let length = u32::from_le_bytes(manifest[14..18].try_into().unwrap()) as usize;
    let (head, rest) = manifest[18..].split_at(length);
    let head = std::str::from_utf8(head).unwrap();
    assert!(head.contains(from), "{head}");
    let head = head.replacen(from, to, 1);
    let length = u32::try_from(head.len()).unwrap().to_le_bytes();
    summed(&[&manifest[..14], &length, head.as_bytes(), rest].concat())
}

/// Puts the checksum that a manifest should have into it.
fn summed(manifest: &[u8]) -> Vec<u8> {
    let sum = crc32fast::hash(&manifest[14..]).to_le_bytes();
    [&manifest[..10], &sum, &manifest[14..]].concat()
}

#[test]
fn a_folder_that_cannot_be_written_costs_time_and_nothing_else() {
    let shelf = many(5);
    let cache = Cache::new();
    // A file where the folder should be: not even root can write there.
    fs::write(cache.folder.path().join("index"), "").unwrap();
    let found = cache.ask(&shelf, "common");
    let warning = found.warning.unwrap();
    assert!(warning.starts_with("the search index cannot be kept in `"), "{warning}");

    let cache = Cache::new();
    cache.ask(&shelf, "common");
    fs::set_permissions(cache.folder(), fs::Permissions::from_mode(0o500)).unwrap();
    assert_eq!(cache.ask(&shelf, "common").warning, None);
    let mut shelf = shelf;
    shelf.put(document("item1", "changed meanwhile"));
    assert_eq!(ids(&cache.ask(&shelf, "meanwhile")), ["item1"]);
    fs::set_permissions(cache.folder(), fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn other_roots_have_an_index_of_their_own_and_only_this_person_reads_it() {
    let cache = Cache::new();
    cache.ask(&many(3), "common");
    let other = Place::at(cache.folder.path(), &[Path::new("/other")]);
    assert_ne!(other.folder(), cache.place.folder());
    for folder in cache.folder().ancestors().take(3) {
        assert_eq!(fs::metadata(folder).unwrap().permissions().mode() & 0o777, 0o700, "{}", folder.display());
    }
    for name in cache.names() {
        let mode = fs::metadata(cache.folder().join(&name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{name}");
    }
}

/// Programs of other versions and formats keep theirs in parallel, and none removes another's.
#[test]
fn what_another_version_keeps_is_left_alone() {
    let cache = Cache::new();
    let version = cache.folder().file_name().unwrap().to_str().unwrap().to_owned();
    assert!(version.contains(env!("CARGO_PKG_VERSION")), "{version}");
    let other = cache.folder().with_file_name(format!("{version}-of-another"));
    fs::create_dir_all(&other).unwrap();
    fs::write(other.join("current"), "other").unwrap();
    let mut shelf = many(3);
    cache.ask(&shelf, "common");
    shelf.put(document("item1", "other words"));
    cache.ask(&shelf, "other");
    assert_eq!(fs::read(other.join("current")).unwrap(), b"other");
    assert!(cache.folder().join("current").exists());
}

#[test]
fn writers_beside_each_other_both_answer_rightly() {
    let cache = Cache::new();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let cache = &cache;
            scope.spawn(move || {
                for round in 0..12 {
                    // Each sees a corpus of its own, as if files changed between their looks.
                    let mut shelf = many(20);
                    shelf.put(document(&format!("item{writer}"), &format!("writer{writer} round{round}")));
                    assert_eq!(cache.ask(&shelf, &format!("writer{writer}")).total, 1);
                }
            });
        }
    });
    let found = cache.ask(&many(20), "common");
    assert_eq!((found.total, found.warning), (20, None));
}

#[test]
fn what_a_crash_left_is_removed_when_it_is_old() {
    let cache = Cache::new();
    let mut shelf = many(3);
    cache.ask(&shelf, "common");
    let old = cache.folder().join("piece-of-a-crash");
    let young = cache.folder().join(".tmp-of-another-writer");
    for path in [&old, &young] {
        fs::write(path, "x").unwrap();
    }
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(7200);
    fs::File::options().write(true).open(&old).unwrap().set_modified(long_ago).unwrap();
    shelf.put(document("item1", "other words"));
    cache.ask(&shelf, "other");
    assert!(!old.exists() && young.exists());
}
