//! What an index knows of its corpus, and answers from when nothing has changed.

use std::fs;
use std::os::unix::fs::MetadataExt as _;

use rye::index::{Entry, Key, Options, Place, Stamp, open};

use super::shelf::Shelf;
use super::storage::{Cache, many};

#[test]
fn an_answer_is_assumed_only_from_an_index_that_holds_all_there_is() {
    let cache = Cache::new();
    let mut shelf = many(20);
    let assumes = |shelf: &Shelf| cache.assume(shelf, "common", &Options::default()).is_some();
    assert!(!assumes(&shelf), "there is no index");
    cache.ask(&shelf, "common");
    assert!(assumes(&shelf));
    // What was written just now may change once more within the same tick of the clock.
    let just_now = Stamp { changed_ns: i64::MAX, ..Stamp::default() };
    shelf.entries[3].stamp = just_now;
    cache.ask(&shelf, "common");
    assert!(!assumes(&shelf));
    shelf.entries[3].stamp = Stamp { inode: 7, ..Stamp::default() };
    assert!(!assumes(&shelf), "one has changed");
    cache.ask(&shelf, "common");
    assert!(assumes(&shelf));
    let last = shelf.entries.pop().unwrap();
    assert!(!assumes(&shelf), "one is gone");
    shelf.entries.push(last);
    shelf.entries.swap(0, 1);
    assert!(!assumes(&shelf), "the order is another");
    shelf.entries.swap(0, 1);
    assert!(assumes(&shelf));
    for piece in cache.pieces() {
        fs::write(piece, b"").unwrap();
    }
    assert!(!assumes(&shelf), "it is damaged");
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

/// Returns folders and entries that are known by now.
fn known(place: &Place) -> Option<(Vec<Entry<'static>>, Vec<Entry<'static>>)> {
    let owned = |entry: Entry<'_>| Entry { key: entry.key.into_owned(), stamp: entry.stamp };
    let opened = open(place);
    let (folders, entries) = opened.known()?;
    Some((folders.into_iter().map(owned).collect(), entries.into_iter().map(owned).collect()))
}

/// Folders are known from the second search on: the first cannot say that they had not changed while they were listed.
#[test]
fn folders_are_kept_beside_the_entries() {
    let cache = Cache::new();
    let mut shelf = many(20);
    let long_ago = |inode| Stamp { inode, changed_ns: 1, modified_ns: 1, ..Stamp::default() };
    let folder = |name: &str, inode| Entry { key: Key(name.to_owned().into()), stamp: long_ago(inode) };
    shelf.folders = vec![folder("project/", 1), folder("project/knowledge/", 2)];
    let known = || known(&cache.place);
    assert_eq!(known(), None);
    cache.ask(&shelf, "common");
    assert_eq!(known(), None);
    cache.ask(&shelf, "common");
    assert_eq!(known(), Some((shelf.folders.clone(), shelf.entries.clone())));
    assert!(shelf.read.borrow().is_empty(), "nothing is read for that");
    // One that changed is kept as it is now; one that changed just now is not relied on.
    shelf.folders[1].stamp.inode = 3;
    cache.ask(&shelf, "common");
    assert_eq!(known(), Some((shelf.folders.clone(), shelf.entries.clone())));
    shelf.folders[1].stamp.changed_ns = i64::MAX;
    cache.ask(&shelf, "common");
    assert_eq!(known(), None);
    // One without times would look the same whatever is in it.
    shelf.folders[1].stamp = Stamp { inode: 3, ..Stamp::default() };
    cache.ask(&shelf, "common");
    assert_eq!(known(), None);
    shelf.folders.clear();
    cache.ask(&shelf, "common");
    assert_eq!(known(), None);
    // Whoever only reads learns nothing, and needs to read nothing twice.
    shelf.folders = vec![folder("project/", 1)];
    shelf.ask_at(&cache.place.clone().read_only(), "common", &Options::default());
    assert_eq!(known(), None);
}

/// What is stored right after a change cannot be sure of the folder that changed; a later search is.
#[test]
fn a_folder_that_changed_just_now_is_known_soon() {
    let cache = Cache::new();
    let mut shelf = many(20);
    let seen = fs::metadata(cache.folder.path()).unwrap();
    let changed_ns = seen.ctime() * 1_000_000_000 + seen.ctime_nsec() + 500_000_000;
    shelf.folders = vec![Entry { key: Key("project/".into()), stamp: Stamp { changed_ns, ..Stamp::default() } }];
    cache.ask(&shelf, "common");
    let known = || known(&cache.place);
    let written = || fs::metadata(cache.folder().join("current")).unwrap().ino();
    assert_eq!(known(), None);
    std::thread::sleep(std::time::Duration::from_millis(700));
    for _ in 0..2 {
        cache.ask(&shelf, "common");
    }
    assert_eq!(known(), Some((shelf.folders.clone(), shelf.entries.clone())));
    // Then nothing is written any more; nor where waiting does not help.
    for changed_ns in [changed_ns, i64::MAX, 0] {
        shelf.folders[0].stamp.changed_ns = changed_ns;
        cache.ask(&shelf, "common");
        let before = written();
        cache.ask(&shelf, "common");
        assert_eq!(written(), before);
    }
}
