//! `kill -9` while an index is built or renewed, a full disk, and random edits: the answer is always that of an index in
//! memory.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Instant;

use proptest::prelude::*;
use rye::index::{Options, Place};

use super::shelf::{Shelf, document, ids, with};
use crate::support::killing::{moment, points};

/// Names the folder for caches to the copy of this test that is killed.
const CACHE: &str = "RYE_TEST_INDEX_CACHE";

/// Says which version of the documents it sees.
const VERSION: &str = "RYE_TEST_INDEX_VERSION";

fn shelf(version: u64) -> Shelf {
    let mut shelf = Shelf::default();
    for number in 0..300 {
        let changed = if number % 10 == 0 { version } else { 0 };
        shelf.put(document(&format!("item{number}"), &format!("common words number{number} version{changed}")));
        shelf.entries[number as usize].stamp.size = changed;
    }
    shelf
}

fn place(cache: &Path) -> Place {
    Place::at(cache, &[Path::new("/project")])
}

/// Searches as another process, which is this test program again.
fn searching(cache: &Path, version: u64, limit: Option<u32>) -> Command {
    // A limit for files of so many kilobytes: what a full disk does, without root. Its signal is passed over.
    let shell = limit
        .map_or_else(|| "exec \"$@\"".to_owned(), |blocks| format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\""));
    let mut search = Command::new("sh");
    search.args(["-c", &shell, "sh"]).arg(std::env::current_exe().unwrap());
    search.args(["--exact", "index::survival::a_search_in_a_process_of_its_own_answers"]);
    search.env(CACHE, cache).env(VERSION, version.to_string());
    search.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    search
}

#[test]
fn a_search_in_a_process_of_its_own_answers() {
    let variable = |name| std::env::var(name).ok();
    let own = tempfile::tempdir().unwrap();
    let cache = variable(CACHE).map_or_else(|| own.path().to_owned(), Into::into);
    let version = variable(VERSION).map_or(1, |version| version.parse().unwrap());
    let shelf = shelf(version);
    let options = Options { max: 500, ..Options::default() };
    let query = format!("common version{version}");
    let found = shelf.ask_at(&place(&cache), &query, &options);
    assert_eq!(ids(&found), ids(&shelf.ask_with(&query, &options)));
    assert_eq!(ids(&found)[0], "item0");
}

#[test]
fn a_killed_search_leaves_an_index_that_answers() {
    let cache = tempfile::tempdir().unwrap();
    let begun = Instant::now();
    assert!(searching(cache.path(), 1, None).status().unwrap().success());
    let whole = begun.elapsed();
    for point in 1..=points() {
        if point % 3 == 0 {
            fs::remove_dir_all(cache.path().join("index")).unwrap();
        }
        let mut search = searching(cache.path(), 1 + u64::from(point), None).spawn().unwrap();
        // Golden-ratio steps: spread over the whole run and a little more, in no order.
        sleep(moment(whole.mul_f64(1.2), point));
        search.kill().unwrap();
        search.wait().unwrap();
        let shelf = shelf(1 + u64::from(point));
        let options = Options { max: 500, ..Options::default() };
        let found = shelf.ask_at(&place(cache.path()), "common number7", &options);
        assert_eq!(found.hits, shelf.ask_with("common number7", &options).hits, "killed at point {point}");
        assert_eq!(found.warning, None);
    }
}

#[test]
fn a_full_disk_leaves_an_index_that_answers() {
    let cache = tempfile::tempdir().unwrap();
    for (version, blocks) in [(1, 0), (2, 1), (3, 8), (4, 40), (5, 100), (6, 10_000), (7, 0), (8, 8)] {
        assert!(searching(cache.path(), version, Some(blocks)).status().unwrap().success(), "{blocks} blocks");
        let shelf = shelf(version);
        let found = shelf.ask_at(&place(cache.path()), "\"version1\"", &Options { max: 500, ..Options::default() });
        assert_eq!(found.total, if version == 1 { 30 } else { 0 });
    }
    let names = fs::read_dir(place(cache.path()).folder().unwrap()).unwrap();
    let left = names.filter(|name| name.as_ref().unwrap().file_name().to_str().unwrap().starts_with(".tmp")).count();
    assert_eq!(left, 0, "what could not be written is removed");
}

/// What a corpus goes through: documents put, removed and changed, questions in between.
#[derive(Clone, Debug)]
enum Step {
    Put(u8, Vec<u8>),
    Remove(u8),
    Ask(u8, u8),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..12_u8, prop::collection::vec(0..20_u8, 0..30)).prop_map(|(id, words)| Step::Put(id, words)),
        1 => (0..12_u8).prop_map(Step::Remove),
        3 => (0..20_u8, 0..8_u8).prop_map(|(word, form)| Step::Ask(word, form)),
    ]
}

const WORDS: [&str; 20] = [
    "deploy",
    "deploys",
    "deployed",
    "sign",
    "signing",
    "rye_execute",
    "ryeExecute",
    "thread",
    "threads",
    "read",
    "form",
    "farm",
    "from",
    "verify",
    "verified",
    "a",
    "the",
    "docs/cli.md",
    "caf\u{e9}",
    "HTTPServer",
];

fn question(word: u8, form: u8) -> String {
    let (word, next) = (WORDS[usize::from(word)], WORDS[usize::from((word + 7) % 20)]);
    match form {
        0 => word.to_owned(),
        1 => format!("{word} {next}"),
        2 => format!("\"{word} {next}\""),
        3 => format!("\"{word} {next}\"~4"),
        4 => format!("{word} -{next}"),
        5 => format!("{word} AND {next} OR title:{next}"),
        6 => format!("{word}~"),
        _ => format!("{}*", word.chars().take(3).collect::<String>()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn an_index_that_was_renewed_many_times_answers_like_a_new_one(steps in prop::collection::vec(step(), 1..60)) {
        let cache = tempfile::tempdir().unwrap();
        let mut documents: BTreeMap<u8, (u64, Vec<u8>)> = BTreeMap::new();
        let mut stamp = 0;
        for step in steps {
            stamp += 1;
            match step {
                Step::Put(id, words) => _ = documents.insert(id, (stamp, words)),
                Step::Remove(id) => _ = documents.remove(&id),
                Step::Ask(word, form) => {
                    let mut shelf = Shelf::default();
                    for (id, (stamp, words)) in &documents {
                        let text: Vec<&str> = words.iter().map(|word| WORDS[usize::from(*word)]).collect();
                        let title = text.first().copied().unwrap_or_default();
                        shelf.put(with(document(&format!("i{id}"), &text.join(" ")), &[("title", title)]));
                        shelf.entries.last_mut().unwrap().stamp.size = *stamp;
                    }
                    let even = |position: usize| !shelf.entries[position].key.ends_with('3');
                    let query = question(word, form);
                    let options = Options { max: 100, accepts: Some(&even), explain: true, ..Options::default() };
                    let (stored, memory) = (shelf.ask_at(&place(cache.path()), &query, &options), shelf.ask_with(&query, &options));
                    prop_assert_eq!((stored.total, stored.hits, stored.did_you_mean), (memory.total, memory.hits, memory.did_you_mean));
                    prop_assert_eq!((stored.warning, stored.rebuilt), (None, None));
                }
            }
        }
    }
}
