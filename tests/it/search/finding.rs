//! What a search finds, shows and leaves out.

use std::fs;
use std::io::Read as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::{entry, ids, knowledge, search};
use crate::support::{Sandbox, has};

#[test]
fn every_part_of_an_item_finds_it() {
    let sandbox = Sandbox::with_items();
    for (query, expected) in [
        ("greet", "demo/greet"),
        ("\"Greet someone\"", "demo/greet"),
        ("input:\"how often\"", "demo/greet"),
        ("name:greet", "demo/greet"),
        ("\"what was said\"", "demo/greet"),
        ("type:knowledge category:demo", "demo/notes"),
        ("\"Greetings are short\"", "demo/notes"),
        ("title:\"notes of the demo\"", "demo/notes"),
        ("type:tool demo/echo", "demo/echo"),
    ] {
        let outcome = search(&sandbox, &[query]);
        assert_eq!(ids(&outcome).first(), Some(&expected), "{query}: {outcome}");
    }
}

/// The fields of the query language, each from a file of the type that has it.
#[test]
fn every_field_finds_what_the_files_say() {
    let sandbox = Sandbox::signed();
    knowledge(&sandbox, "other/tagged", "Tagged", "Words.");
    let tool = "version: \"1.0.0\"\ndescription: Shouts\ncategory: other\nauthor: grace\ntags: [beta]\nconfig: {volume: eleven}\n";
    sandbox.put(".ai/tools/other/shout.yaml", tool);
    let keys = sandbox.rye(&["key", "list", "--json"]).stdout();
    let keys: Value = serde_json::from_slice(&keys).unwrap();
    let by_key = format!("key:{} type:tool", keys["keys"][0]["key_id"].as_str().unwrap());
    for (query, expected) in [
        ("tag:alpha", vec!["other/tagged"]),
        ("tag:beta", vec!["other/shout"]),
        ("author:grace", vec!["other/shout"]),
        ("author:ada type:directive", vec!["demo/greet"]),
        ("author:ada type:knowledge", vec!["demo/notes", "other/tagged"]),
        ("input:loud", vec!["demo/echo"]),
        ("description:shouts", vec!["other/shout"]),
        ("category:other", vec!["other/shout", "other/tagged"]),
        ("id:other/shout", vec!["other/shout"]),
        ("body:eleven", vec!["other/shout"]),
        (&by_key, vec!["demo/echo", "demo/fail"]),
    ] {
        let outcome = search(&sandbox, &[query, "--sort", "name"]);
        assert_eq!(ids(&outcome), expected, "{query}: {outcome}");
    }
}

#[test]
fn a_result_says_what_scripts_rely_on() {
    let sandbox = Sandbox::signed();
    let outcome = search(&sandbox, &["type:knowledge \"greetings are short\""]);
    let mut hit = outcome["results"][0].clone();
    assert!(hit["score"].as_f64().unwrap() > 0.0, "{hit}");
    hit["score"] = json!(0);
    assert_eq!(
        (outcome["total"].clone(), hit),
        (
            json!(1),
            json!({
                "item_type": "knowledge", "item_id": "demo/notes", "space": "project", "path": ".ai/knowledge/demo/notes.md",
                "verdict": "good", "shadows": [], "title": "Notes of the demo", "description": "Greetings are short.",
                "score": 0, "snippet": "# Notes Greetings are short.", "highlights": [[8, 17], [18, 21], [22, 27]],
                "id": "demo/notes", "preview": "# Notes Greetings are short.",
            })
        )
    );
}

#[test]
fn verdicts_are_those_of_now_and_can_be_asked_for() {
    let sandbox = Sandbox::signed();
    sandbox.edit(".ai/knowledge/demo/notes.md", "short", "long");
    knowledge(&sandbox, "demo/new", "New", "Nobody signed this.");
    let all = search(&sandbox, &["space:project"]);
    let verdict = |id: &str| {
        let hit = all["results"].as_array().unwrap().iter().find(|hit| hit["item_id"] == id).unwrap();
        hit["verdict"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        (verdict("demo/notes"), verdict("demo/new"), verdict("demo/greet")),
        ("tampered".into(), "unsigned".into(), "good".into())
    );
    assert_eq!(ids(&search(&sandbox, &["verdict:tampered"])), ["demo/notes"]);
    assert_eq!(ids(&search(&sandbox, &["verdict:unsigned"])), ["demo/new"]);
    let doubtful = search(&sandbox, &["space:project NOT verdict:good", "--sort", "name"]);
    assert_eq!(ids(&doubtful), ["demo/new", "demo/notes"]);
}

#[test]
fn what_does_not_parse_is_found_by_its_text() {
    let sandbox = Sandbox::with_items();
    sandbox.put(
        ".ai/directives/demo/broken.md",
        "# Broken\n\n```xml\n<directive name=\"broken\"><oops>\n```\nA wombat.\n",
    );
    sandbox.put(".ai/tools/demo/odd.py", "def frobnicate_all(path): pass\n");
    fs::write(sandbox.project().join(".ai/knowledge/demo/bytes.md"), b"\xff\xfe quokka \xff").unwrap();
    assert_eq!(ids(&search(&sandbox, &["wombat"])), ["demo/broken"]);
    assert_eq!(ids(&search(&sandbox, &["frobnicate"])), ["demo/odd"]);
    assert_eq!(ids(&search(&sandbox, &["frobnicateAll"])), ["demo/odd"]);
    assert_eq!(ids(&search(&sandbox, &["quokka"])), ["demo/bytes"]);
}

#[test]
fn the_nearer_item_comes_first_and_the_hidden_one_says_so() {
    let sandbox = Sandbox::with_items();
    let text = entry("demo/same", "Same", "A platypus here.");
    for space in ["home/.ai", "project/.ai"] {
        let path = sandbox.path(space).join("knowledge/demo/same.md");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, &text).unwrap();
    }
    let outcome = search(&sandbox, &["platypus"]);
    let told: Vec<(&Value, &Value, &Value)> = outcome["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hit| (&hit["space"], &hit["shadows"], &hit["shadowed_by"]))
        .collect();
    assert_eq!(
        told,
        [(&json!("project"), &json!(["user"]), &Value::Null), (&json!("user"), &json!([]), &json!("project"))]
    );
    assert_eq!(search(&sandbox, &["platypus", "--space", "user"])["total"], 1);
}

#[test]
fn a_reserved_id_that_differs_is_passed_over_with_a_warning() {
    let sandbox = Sandbox::with_items();
    knowledge(&sandbox, "rye/guides/threads", "Threads", "An axolotl pretends to be a guide.");
    // Every search tells it, also one that could rely on the known state of folders.
    for _ in 0..4 {
        let outcome = search(&sandbox, &["axolotl"]);
        assert_eq!((&outcome["total"], outcome["passed_over"].as_array().unwrap().len()), (&json!(0), 1));
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    sandbox.configure("[items]\nshadow_reserved = true\n");
    let own = search(&sandbox, &["axolotl"]);
    assert_eq!((ids(&own), &own["results"][0]["shadows"]), (vec!["rye/guides/threads"], &json!(["system"])));
}

/// Root may read what others may not; a lease that another process holds keeps it out, too.
#[test]
fn a_file_that_cannot_be_read_is_told() {
    const HOLD: &str = "import fcntl, signal, sys\nsignal.signal(signal.SIGIO, signal.SIG_IGN)\n\
        file = open(sys.argv[1], 'r+')\nfcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)\n\
        print('held', flush=True)\nsys.stdin.read()";
    if !has("python3") {
        return;
    }
    let sandbox = Sandbox::with_items();
    knowledge(&sandbox, "demo/held", "Held", "A numbat.");
    let mut holder = Command::new("python3");
    holder.args(["-I", "-c", HOLD]).arg(sandbox.project().join(".ai/knowledge/demo/held.md"));
    let mut holder = holder.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut told = [0; 5];
    holder.stdout.take().unwrap().read_exact(&mut told).unwrap();
    let outcome = search(&sandbox, &["numbat"]);
    assert_eq!(outcome["total"], 0);
    let warning = outcome["warnings"][0].as_str().unwrap();
    assert!(warning.contains("held.md") && warning.ends_with(": it is not searched"), "{outcome}");
    drop(holder.stdin.take());
    assert!(holder.wait().unwrap().success());
    assert_eq!(ids(&search(&sandbox, &["numbat"])), ["demo/held"]);
}

#[test]
fn two_files_of_one_id_are_told_and_neither_is_found() {
    let sandbox = Sandbox::with_items();
    knowledge(&sandbox, "demo/twice", "Twice", "A narwhal.");
    sandbox.put(".ai/knowledge/demo/twice.yaml", "name: twice\nbody: narwhal\n");
    let outcome = search(&sandbox, &["narwhal"]);
    assert_eq!(outcome["total"], 0);
    assert!(outcome["warnings"][0].as_str().unwrap().contains("demo/twice"), "{outcome}");
}

#[test]
fn pages_follow_each_other_and_orders_are_kept() {
    let sandbox = Sandbox::with_items();
    for number in 0..7 {
        knowledge(&sandbox, &format!("many/entry-{number}"), "Many", "A capybara.");
    }
    let page = |offset: &str| search(&sandbox, &["capybara", "-n", "3", "--offset", offset, "--sort", "name"]);
    let all: Vec<String> = ["0", "3", "6", "9"]
        .iter()
        .flat_map(|offset| ids(&page(offset)).iter().map(|id| (*id).to_owned()).collect::<Vec<_>>())
        .collect();
    assert_eq!(all, (0..7).map(|number| format!("many/entry-{number}")).collect::<Vec<_>>());
    assert_eq!((page("9")["total"].clone(), page("9")["offset"].clone()), (json!(7), json!(9)));
    let late = sandbox.project().join(".ai/knowledge/many/entry-4.md");
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(100);
    fs::File::options().write(true).open(late).unwrap().set_modified(later).unwrap();
    assert_eq!(ids(&search(&sandbox, &["capybara", "--sort", "date", "-n", "1"])), ["many/entry-4"]);
}
