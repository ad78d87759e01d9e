//! The index of searches: made by the first one, kept up by the rest.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::client::Client;
use crate::support::Sandbox;

/// Every file below a folder with its content.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for path in fs::read_dir(folder).into_iter().flatten().map(|found| found.unwrap().path()) {
        if path.is_dir() {
            files.extend(self::files(&path));
        } else {
            files.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    files
}

/// A project of many entries, each of many words.
fn many(number: usize) -> Sandbox {
    let sandbox = Sandbox::with_items();
    for entry in 0..number {
        let words: Vec<String> = (0..200).map(|word| format!("word{}", (entry * 31 + word * word) % 3000)).collect();
        sandbox.put(&format!(".ai/knowledge/many/entry-{entry}.md"), &words.join(" "));
    }
    // Stamps of the moment of reading are read again.
    std::thread::sleep(std::time::Duration::from_millis(60));
    sandbox
}

/// The server is as current as the command line.
#[test]
fn the_first_search_makes_the_index_and_the_next_ones_keep_it_up() {
    let sandbox = Sandbox::signed();
    let cache = sandbox.path("home/.cache/rye/index");
    let mut client = Client::connected(&sandbox, &[]);
    let mut total = |query: &str| client.outcome("rye_search", json!({"query": query})).0["total"].clone();
    assert_eq!((total("greetings AND short"), files(&cache).is_empty()), (json!(1), false));
    sandbox.edit(".ai/knowledge/demo/notes.md", "short", "lengthy");
    assert_eq!((total("greetings AND short"), total("greetings AND lengthy")), (json!(0), json!(1)));
}

#[test]
fn an_index_that_cannot_be_kept_is_a_warning() {
    let sandbox = Sandbox::signed();
    fs::create_dir_all(sandbox.path("home/.cache/rye")).unwrap();
    fs::write(sandbox.path("home/.cache/rye/index"), "").unwrap();
    let mut client = Client::connected(&sandbox, &[]);
    let (found, _) = client.outcome("rye_search", json!({"query": "greetings"}));
    let warning = found["warnings"][0].as_str().unwrap();
    assert!(warning.starts_with("the search index cannot be kept in "), "{warning}");
    assert!(found["total"].as_u64() > Some(0), "{found}");
}

/// Sixteen searches that each indexed everything took 946 MB.
#[test]
fn searches_at_once_index_a_project_once() {
    let sandbox = many(1500);
    let mut client = Client::connected(&sandbox, &[]);
    let arguments = json!({"query": "word7"});
    let call =
        |client: &mut Client<'_>| client.request("tools/call", json!({"name": "rye_search", "arguments": arguments}));
    let ids: Vec<i64> = (0..30).map(|_| call(&mut client)).collect();
    for _ in &ids {
        let answer = client.next();
        assert!(answer["result"]["structuredContent"]["total"].as_u64() > Some(0), "{answer}");
    }
    assert!(client.most_mib() < 160, "{} MiB", client.most_mib());
}

#[test]
fn a_client_that_wants_it_is_told_how_far_indexing_is() {
    let sandbox = many(2500);
    let mut client = Client::connected(&sandbox, &[]);
    let meta = json!({"progressToken": 5});
    let params = json!({"name": "rye_search", "arguments": {"query": "word7"}, "_meta": meta});
    let id = client.request("tools/call", params);
    let mut told = Vec::new();
    let last = loop {
        let message = client.next();
        match message["params"]["message"].as_str() {
            Some(text) => told.push(text.to_owned()),
            None => break message,
        }
    };
    assert_eq!(last["id"].as_i64(), Some(id));
    // On a machine that indexes all of it within the first second there is no more to tell.
    let rest = told.split_off(1);
    assert_eq!(told, ["search"]);
    for text in rest {
        let (done, total) = text.strip_prefix("search: indexed ").unwrap().split_once(" of ").unwrap();
        let total: usize = total.strip_suffix(" documents").unwrap().parse().unwrap();
        assert!(done.parse::<usize>().unwrap() <= total && total >= 2500, "{text}");
    }
}
