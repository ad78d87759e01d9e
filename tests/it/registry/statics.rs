//! A registry as files of a web server, without git: the read files, and attacks by the server.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use super::{as_bob, publish, shared};
use crate::support::http::{Piece, Reply, Server};
use crate::support::{Person, Sandbox};

const BOB: Person = Person::new("bob");

/// What the server does with the files below a folder.
#[derive(Default)]
struct Served {
    folder: PathBuf,
    /// In the place of a file: other bytes, or none as if it were not there.
    instead: BTreeMap<String, Option<Vec<u8>>>,
    /// The requests, and the bytes of each answer.
    asked: Vec<(String, usize)>,
}

impl Served {
    fn answer(&mut self, path: &str) -> Reply {
        let path = path.trim_start_matches("/files/");
        let there = || fs::read(self.folder.join(path)).ok();
        let bytes = self.instead.get(path).cloned().unwrap_or_else(there);
        self.asked.push((path.to_owned(), bytes.as_ref().map_or(0, Vec::len)));
        match bytes {
            Some(bytes) => answered("200 OK", "", &bytes),
            None => answered("404 Not Found", "", b"there is nothing"),
        }
    }
}

fn answered(status: &str, header: &str, body: &[u8]) -> Reply {
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\n{header}content-length: {length}\r\nconnection: close\r\n\r\n");
    vec![Piece::Bytes([head.as_bytes(), body].concat())]
}

/// A registry that the first person publishes to, and a server with its files that Bob uses as `web`.
struct Web {
    sandbox: Sandbox,
    served: Arc<Mutex<Served>>,
    url: String,
}

impl Web {
    fn new() -> Self {
        let (sandbox, _) = shared(&BOB);
        publish(&sandbox, "team/runbook", "1.0.0", "One.");
        publish(&sandbox, "team/second", "1.0.0", "Two.");
        sandbox.git(&["clone", "-q", "../team.git", "../www"]);
        let served = Arc::new(Mutex::new(Served { folder: sandbox.path("www"), ..Served::default() }));
        let files = Arc::clone(&served);
        let server = Server::answering(move |_, asked| files.lock().unwrap().answer(&asked.path));
        let url = format!("static+{}/files", server.url());
        let web = Self { sandbox, served, url };
        as_bob(&web.sandbox, &BOB, &["registry", "remove", "team", "-q"]).succeeds();
        let seen = web.bob(&["registry", "add", "web", &web.url]);
        assert!(seen.contains("added") && seen.ends_with("[exit 0]\n"), "{seen}");
        web
    }

    fn bob(&self, args: &[&str]) -> String {
        as_bob(&self.sandbox, &BOB, args).transcript()
    }

    /// Brings the files of the server up to date.
    fn deploy(&self) {
        self.sandbox.git(&["-C", "../www", "pull", "-q"]);
    }

    fn instead(&self, path: &str, bytes: Option<Vec<u8>>) {
        self.served.lock().unwrap().instead = BTreeMap::from([(path.to_owned(), bytes)]);
    }

    /// Restores the served files, and forgets the requests.
    fn honest(&self) {
        let mut served = self.served.lock().unwrap();
        served.instead.clear();
        served.asked.clear();
    }

    fn asked(&self) -> Vec<(String, usize)> {
        self.served.lock().unwrap().asked.clone()
    }

    /// Demands that a pull is refused with exit 3 and a rule, and writes nothing; returns the rule.
    fn refused(&self, what: &str) -> String {
        let place = self.sandbox.path("bob");
        let lock = fs::read(place.join("rye.lock")).ok();
        let seen = self.bob(&["pull", "team/runbook", "--yes", "--json"]);
        assert!(seen.contains("\"rule\":\"RYE-R0") && seen.ends_with("[exit 3]\n"), "{what}: {seen}");
        assert_eq!(fs::read(place.join("rye.lock")).ok(), lock);
        assert!(!place.join(".ai/knowledge/team/runbook.md").exists(), "{what}: {seen}");
        seen.split("\"rule\":\"").nth(1).unwrap()[..8].to_owned()
    }
}

#[test]
fn an_item_is_pulled_shown_and_updated_from_files_of_a_web_server() {
    let web = Web::new();
    web.honest();
    let seen = web.bob(&["pull", "team/runbook", "--yes"]);
    assert!(seen.contains("Pulled team/runbook 1.0.0 from web") && seen.ends_with("[exit 0]\n"), "{seen}");
    // Only what one item needs is read, each file once.
    let asked = web.asked();
    let mut paths: Vec<&str> = asked.iter().map(|(path, _)| path.as_str()).collect();
    let count = paths.len();
    paths.sort_unstable();
    paths.dedup();
    assert_eq!(paths.len(), count, "{asked:?}");
    assert!(asked.iter().all(|(path, _)| !path.contains("second") && !path.starts_with("namespaces")), "{asked:?}");
    let bytes: usize = asked.iter().map(|(_, bytes)| bytes).sum();
    assert!(bytes < 16 * 1024, "{bytes} bytes: {asked:?}");
    let seen = web.bob(&["show", "team/runbook@1.0.0", "--registry", "web"]);
    assert!(seen.contains("1.0.0") && seen.ends_with("[exit 0]\n"), "{seen}");
    let seen = web.bob(&["registry", "list"]);
    assert!(seen.contains("static+http://127.0.0.1"), "{seen}");

    publish(&web.sandbox, "team/runbook", "1.1.0", "One, better.");
    web.deploy();
    assert!(web.bob(&["outdated"]).contains("outdated\tknowledge\tteam/runbook\t1.0.0\t1.1.0\tweb"));
    let seen = web.bob(&["update", "--yes"]);
    assert!(seen.contains("1.1.0") && seen.ends_with("[exit 0]\n"), "{seen}");
    let text = fs::read_to_string(web.sandbox.path("bob/.ai/knowledge/team/runbook.md")).unwrap();
    assert!(text.contains("One, better."), "{text}");
    // The lock names the registry by its first key, whichever way it is read.
    web.bob(&["registry", "add", "team", "../team.git", "-q"]);
    let seen = web.bob(&["pull", "--locked"]);
    assert!(seen.contains("Unchanged team/runbook 1.1.0") && seen.ends_with("[exit 0]\n"), "{seen}");
    // An item that is not there is told; one that is there and was yanked is not chosen.
    let seen = web.bob(&["pull", "team/other", "--registry", "web"]);
    assert!(seen.contains("unknown item `team/other` in `web`") && seen.ends_with("[exit 1]\n"), "{seen}");
    // Comparing with others' checkpoints needs only the tree.
    let note = String::from_utf8(web.sandbox.rye(&["registry", "checkpoint", "team"]).stdout()).unwrap();
    fs::write(web.sandbox.path("bob/theirs"), &note).unwrap();
    let seen = web.bob(&["registry", "checkpoint", "web", "--compare", "theirs"]);
    assert!(seen.contains("continues that checkpoint of 5 lines") && seen.ends_with("[exit 0]\n"), "{seen}");
}

#[test]
fn what_needs_all_of_a_registry_is_refused_for_static_files_in_one_sentence() {
    let web = Web::new();
    as_bob(&web.sandbox, &BOB, &["key", "generate", "-q"]).transcript();
    let sentence = "the registry `web` is read as static files";
    for args in [
        &["registry", "verify", "web"][..],
        &["registry", "info", "web"],
        &["registry", "yank", "team/runbook", "1.0.0", "--registry", "web", "--yes"],
        &["search", "One", "--registry=web"],
        &["publish", "knowledge", "team/mine", "--registry", "web", "--yes"],
    ] {
        web.sandbox.put("../bob/.ai/knowledge/team/mine.md", "");
        let text = "```yaml\nname: \"mine\"\ntitle: \"Mine\"\ncategory: \"team\"\nversion: \"1.0.0\"\n```\n\n# Mine\n";
        fs::write(web.sandbox.path("bob/.ai/knowledge/team/mine.md"), text).unwrap();
        web.bob(&["sign", "knowledge", "team/mine", "-q"]);
        let seen = web.bob(args);
        assert!(seen.contains(sentence) && seen.contains("by the address of its git repository"), "{args:?}: {seen}");
        assert!(seen.ends_with("[exit 1]\n"), "{args:?}: {seen}");
    }
    let seen = web.bob(&["pull", "team/runbook", "--offline", "--registry", "web"]);
    assert!(seen.contains("no copy of them is kept") && seen.contains("without `--offline`"), "{seen}");
    assert!(seen.ends_with("[exit 1]\n"), "{seen}");
    // With another registry, a search says that this one is left out.
    web.bob(&["registry", "add", "team", "../team.git", "-q"]);
    let seen = web.bob(&["search", "One", "--registry"]);
    assert!(seen.contains("team/runbook") && seen.contains(sentence) && seen.ends_with("[exit 0]\n"), "{seen}");
}

/// Whoever runs the server changes, exchanges or hides any file.
#[test]
fn a_server_that_changes_exchanges_or_hides_a_file_is_refused() {
    let web = Web::new();
    // Bob has seen the first four lines, and there are five: the proof of that is read, too.
    let old = web.sandbox.path("old");
    web.sandbox.git(&["clone", "-q", "../team.git", "../old"]);
    publish(&web.sandbox, "team/runbook", "1.1.0", "One, better.");
    web.deploy();
    web.honest();
    let state = web.sandbox.path("home-bob/.local/state/rye/registries/web/checkpoint");
    let before = fs::read(&state).unwrap();
    let seen = web.bob(&["show", "team/runbook@1.1.0", "--registry", "web"]);
    assert!(seen.ends_with("[exit 0]\n"), "{seen}");
    fs::write(&state, &before).unwrap();
    let asked = web.asked();
    assert!(asked.len() > 10, "{asked:?}");
    let www = web.sandbox.path("www");
    for (path, _) in &asked {
        let good = fs::read(www.join(path)).unwrap();
        for at in [0, good.len() / 2, good.len() - 1] {
            let mut bytes = good.clone();
            bytes[at] ^= 1;
            web.instead(path, Some(bytes));
            web.refused(&format!("byte {at} of {path}"));
        }
        web.instead(path, Some(Vec::new()));
        web.refused(&format!("{path} is empty"));
        web.instead(path, None);
        if path == "checkpoint" {
            let seen = web.bob(&["pull", "team/runbook", "--yes"]);
            assert!(seen.contains("has no file `checkpoint`, so it is not a registry"), "{seen}");
            assert!(seen.ends_with("[exit 1]\n"), "{seen}");
        } else {
            web.refused(&format!("{path} is not there"));
        }
        // The file as it was.
        let older = fs::read(old.join(path)).ok().filter(|older| *older != good);
        if let (Some(older), false) = (older, path == "checkpoint") {
            web.instead(path, Some(older));
            web.refused(&format!("{path} is older"));
        }
    }
    let item = asked.iter().map(|(path, _)| path).find(|path| path.ends_with("/runbook.jsonl")).unwrap();
    web.instead(item, Some(fs::read(old.join(item)).unwrap()));
    assert_eq!(web.refused("an older item"), "RYE-R039");
    web.instead(item, Some(vec![b'x'; 9 * 1024 * 1024]));
    assert_eq!(web.refused("a large file"), "RYE-R021");
    web.honest();
    web.bob(&["pull", "team/runbook", "--yes", "-q"]);
    assert!(web.sandbox.path("bob/.ai/knowledge/team/runbook.md").exists());
}

#[test]
fn a_server_that_goes_back_or_has_another_registry_is_refused() {
    let web = Web::new();
    publish(&web.sandbox, "team/third", "1.0.0", "Three.");
    web.deploy();
    let seen = web.bob(&["show", "team/third@1.0.0", "--registry", "web"]);
    assert!(seen.ends_with("[exit 0]\n"), "{seen}");
    web.sandbox.git(&["-C", "../www", "reset", "-q", "--hard", "HEAD~1"]);
    assert_eq!(web.refused("an older state"), "RYE-R022");
    // A registry that the same person made anew, of another name or of the same one.
    web.sandbox.rye(&["registry", "init", "../other.git", "-q"]).succeeds();
    web.sandbox.git(&["clone", "-q", "../other.git", "../other-www"]);
    web.served.lock().unwrap().folder = web.sandbox.path("other-www");
    assert_eq!(web.refused("another registry"), "RYE-R025");
    web.sandbox.rye(&["registry", "init", "../again/team.git", "-q"]).succeeds();
    web.sandbox.rye(&["registry", "remove", "team", "-q"]).succeeds();
    web.sandbox.rye(&["registry", "add", "team", "../again/team.git", "-q"]).succeeds();
    for name in ["one", "two", "three", "four"] {
        publish(&web.sandbox, &format!("team/{name}"), "1.0.0", "Other.");
    }
    web.sandbox.git(&["clone", "-q", "../again/team.git", "../again-www"]);
    web.served.lock().unwrap().folder = web.sandbox.path("again-www");
    assert_eq!(web.refused("a history made anew"), "RYE-R024");
}

#[test]
fn files_that_are_replaced_while_they_are_read_are_told_as_that() {
    let web = Web::new();
    let old = fs::read(web.sandbox.path("www/tables/digests")).unwrap();
    publish(&web.sandbox, "team/runbook", "1.1.0", "One, better.");
    let stale = fs::read(web.sandbox.path("www/checkpoint")).unwrap();
    web.deploy();
    // The checkpoint that is read first is the one of before.
    let served = Arc::clone(&web.served);
    let server = Server::answering(move |number, asked| {
        let mut served = served.lock().unwrap();
        match (number, asked.path.as_str()) {
            (0, _) => answered("200 OK", "", &stale),
            _ => served.answer(&asked.path),
        }
    });
    let url = format!("static+{}/files", server.url());
    let seen = web.bob(&["registry", "add", "moving", &url]);
    assert!(seen.contains("the registry `moving` changed while it was read"), "{seen}");
    assert!(seen.contains("run the command again") && seen.ends_with("[exit 1]\n"), "{seen}");
    assert!(web.bob(&["registry", "add", "moving", &url]).ends_with("[exit 0]\n"));
    web.instead("tables/digests", Some(old));
    web.refused("older digests");
}

#[test]
fn a_server_that_is_not_reached_or_does_not_answer_with_the_file_is_told_in_one_sentence() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    let told = |url: &str, sentence: &str, exit: u8| {
        let seen = sandbox.rye(&["registry", "add", "web", url]).transcript();
        assert!(seen.contains(sentence) && seen.contains("hint: "), "{url}: {seen}");
        assert!(seen.ends_with(&format!("[exit {exit}]\n")), "{url}: {seen}");
        assert!(sandbox.rye(&["registry", "list"]).stdout().is_empty());
    };
    told("static+https://registry.invalid/team", "unknown host, or no network", 6);
    told("static+http://127.0.0.1:1/team", "the server does not answer", 6);
    told("static+http://example.org/team", "cannot be the address of a registry", 2);
    let one = |reply: Reply| Server::new(vec![reply]);
    let (gone, denied, broken) = (
        one(answered("404 Not Found", "", b"")),
        one(answered("403 Forbidden", "", b"")),
        one(answered("500 Internal Server Error", "", b"")),
    );
    told(&format!("static+{}", gone.url()), "has no file `checkpoint`, so it is not a registry", 1);
    told(&format!("static+{}", denied.url()), "permission denied", 6);
    told(&format!("static+{}", broken.url()), "the server answers with the status 500", 6);
    let moved = one(answered("302 Found", "location: https://elsewhere.example/checkpoint\r\n", b""));
    told(&format!("static+{}", moved.url()), "the server redirects to `elsewhere.example`", 6);
    let tls = gone.url().replace("http://", "https://");
    told(&format!("static+{tls}"), "cannot read the registry `web` from", 6);
    let page = one(answered("200 OK", "", b"<html>\n"));
    let seen = sandbox.rye(&["registry", "add", "web", &format!("static+{}", page.url()), "--json"]).transcript();
    assert!(seen.contains("RYE-R015") && seen.ends_with("[exit 3]\n"), "{seen}");
}
