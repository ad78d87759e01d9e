//! How a search is told to people, and errors of a query.

use snapbox::str;

use super::{knowledge, search};
use crate::support::{Sandbox, assert_seen, has, on_terminal};

#[test]
fn in_a_pipe_results_are_lines_of_fields() {
    let sandbox = Sandbox::signed();
    let shown = sandbox.rye(&["search", "greetings AND short"]).transcript();
    let line = shown.lines().nth(1).unwrap();
    let fields: Vec<&str> = line.split('\t').collect();
    assert_eq!(fields[..4], ["knowledge", "demo/notes", "project", "good"], "{shown}");
    assert!(fields[4].parse::<f32>().is_ok() && fields.len() == 7, "{shown}");
    assert_eq!(fields[5..], ["Notes of the demo", "# Notes Greetings are short."]);
}

#[test]
fn a_hopeless_query_is_an_error_with_its_place() {
    let sandbox = Sandbox::empty();
    assert_seen(
        sandbox.rye(&["search", ""]).transcript(),
        str![[r#"
$ rye search ''
[stderr]
error: the query `` is invalid at character 1: the query has no word to look for
hint: write a word, or `*` for everything
[exit 2]

"#]],
    );
    assert_seen(
        sandbox.rye(&["search", "é AND (b"]).transcript(),
        str![[r#"
$ rye search 'é AND (b'
[stderr]
error: the query `é AND (b` is invalid at character 7: a parenthesis is opened and not closed
hint: close it with `)`, or put the text into quotes
[exit 2]

"#]],
    );
    assert_seen(
        sandbox.rye(&["search", "--json", "\"open"]).transcript(),
        str![[r#"
$ rye search --json '"open'
{"error":{"code":"query","message":"the query `\"open` is invalid at character 1: a quote is opened and not closed","causes":[],"hints":["close it with `\"`, or leave it out"]}}
[exit 2]

"#]],
    );
}

#[test]
fn a_query_without_bound_is_not_repeated_whole() {
    let sandbox = Sandbox::empty();
    let error = search(&sandbox, &[&"wombat ".repeat(1000)])["error"]["message"].to_string();
    assert!(error.contains("womb…` is invalid at") && error.contains("longer than 4096 bytes"), "{error}");
    assert!(error.len() < 400, "{error}");
}

/// A query of a few kilobytes could take minutes.
#[test]
fn a_query_of_more_words_than_anybody_means_is_refused() {
    let sandbox = Sandbox::empty();
    let told = |query: String| search(&sandbox, &[&query])["error"]["message"].to_string();
    assert!(told("w* ".repeat(129)).contains("more than 128 words and signs"));
    assert!(told(format!("\"{}\"~100", "item ".repeat(65))).contains("more than 64 words between the quotes"));
    assert_eq!(told("w* ".repeat(128)), "null");
}

#[test]
fn a_page_without_end_is_the_rest() {
    let sandbox = Sandbox::signed();
    let all = search(&sandbox, &["say", "--threads", "-n", "100"]);
    let rest = search(&sandbox, &["say", "--threads", "-n", &usize::MAX.to_string(), "--offset", "1"]);
    assert_eq!(rest["results"].as_array().unwrap()[..], all["results"].as_array().unwrap()[1..]);
}

#[test]
fn nothing_found_is_done_and_says_what_may_have_been_meant() {
    let sandbox = Sandbox::with_items();
    assert_seen(
        sandbox.rye(&["search", "xyzzyx"]).transcript(),
        str![[r#"
$ rye search xyzzyx
[stderr]
note: no results
[exit 0]

"#]],
    );
    let outcome = search(&sandbox, &["grteetings"]);
    assert_eq!((&outcome["corrected"], &outcome["did_you_mean"]), (&true.into(), &"greetings".into()), "{outcome}");
}

#[test]
fn the_first_search_of_many_items_tells_how_far_it_is() {
    let sandbox = Sandbox::with_items();
    (0..520).for_each(|number| sandbox.put(&format!(".ai/knowledge/many/entry-{number}.md"), "A capybara.\n"));
    if !has("python3") {
        return;
    }
    let asked = [crate::support::RYE, "search", "capybara", "-n", "1"];
    let first = on_terminal(&sandbox, &[], &asked).0;
    assert!(first.contains("indexing 500 of 5"), "{first}");
    let piped = sandbox.rye(&["search", "capybara", "-n", "1"]).transcript();
    assert!(!piped.contains("indexing"), "{piped}");
}

#[test]
fn more_than_a_page_says_how_to_go_on() {
    let sandbox = Sandbox::with_items();
    for number in 0..5 {
        knowledge(&sandbox, &format!("many/entry-{number}"), "Many", "A capybara.");
    }
    let shown = sandbox.rye(&["search", "capybara", "-n", "2", "--offset", "2"]).transcript();
    assert!(shown.contains("note: results 3 to 4 of 5; `--offset 4` shows the next\n"), "{shown}");
    let beyond = sandbox.rye(&["search", "capybara", "--offset", "9"]).transcript();
    assert!(beyond.contains("note: 5 results, none shown (--offset 9)\n"), "{beyond}");
    let none = sandbox.rye(&["search", "capybara", "-n", "0"]).transcript();
    assert!(none.contains("note: 5 results, none shown (-n 0)\n"), "{none}");
}

#[test]
fn scores_are_explained_to_those_who_ask() {
    let sandbox = Sandbox::with_items();
    let outcome = search(&sandbox, &["-v", "greetings"]);
    assert_ne!(outcome["results"][0]["explanation"].as_array().unwrap().len(), 0, "{outcome}");
}

#[test]
fn a_snippet_cannot_control_the_terminal() {
    let sandbox = Sandbox::with_items();
    knowledge(&sandbox, "demo/evil", "\u{202e}Evil", "A kraken\u{1b}]0;owned\u{7}\u{1b}[2J kraken.");
    if !has("python3") {
        return;
    }
    let (shown, code) = on_terminal(&sandbox, &[], &[crate::support::RYE, "search", "kraken", "--color", "always"]);
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("kraken"), "{shown}");
    for bad in ["\u{1b}]0", "\u{7}", "\u{1b}[2J", "\u{202e}"] {
        assert!(!shown.contains(bad), "{shown:?}");
    }
}
