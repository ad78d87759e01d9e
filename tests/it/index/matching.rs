//! Words in their forms: code, stems, accents, typos; suggestions and highlights.

use rye::index::Options;

use super::shelf::{Shelf, document, ids, with};

#[test]
fn names_in_code_are_found_however_they_are_written() {
    let shelf = Shelf::of(&[
        ("snake", "", "call rye_execute here"),
        ("camel", "", "call ryeExecute here"),
        ("kebab", "", "call rye-execute here"),
        ("prose", "", "let rye execute it"),
        ("path", "", "see src/index/query_language.rs for it"),
        ("acronym", "", "class HTTPServerConfig"),
        ("other", "", "execute something, rye is beside it"),
    ]);
    assert_eq!(shelf.set("rye_execute"), "camel kebab prose snake");
    assert_eq!(shelf.set("ryeExecute"), "camel kebab prose snake");
    assert_eq!(shelf.set("ryeexecute"), "camel kebab snake");
    assert_eq!(shelf.set("src/index"), "path");
    assert_eq!(shelf.set("query_language.rs"), "path");
    assert_eq!(shelf.set("querylanguage"), "path");
    assert_eq!(shelf.set("http_server"), "acronym");
    assert_eq!(shelf.set("serverconfig*"), "");
    assert_eq!(shelf.set("httpserver*"), "acronym");
    assert_eq!(shelf.set("rye execute"), "camel kebab other prose snake");
}

#[test]
fn prose_is_found_in_all_its_forms_and_the_form_asked_for_first() {
    let shelf = Shelf::of(&[
        ("one", "", "the thread was signed yesterday by somebody"),
        ("two", "", "she signs threads and nothing else all day"),
        ("three", "", "signing a thread is what it is about then"),
        ("four", "", "a caf\u{e9} in Paris"),
        ("five", "", "\u{6df1}\u{5733}\u{6587}\u{6863}"),
    ]);
    assert_eq!(shelf.set("sign"), "one three two");
    assert_eq!(shelf.ids("signing")[0], "three");
    assert_eq!(shelf.ids("signed")[0], "one");
    assert_eq!(shelf.set("\"signs threads\""), "two");
    assert_eq!(shelf.set("cafe"), "four");
    assert_eq!(shelf.set("caf\u{e9}"), "four");
    assert_eq!(shelf.set("\u{6587}\u{6863}"), "five");
    assert_eq!(
        shelf.set("\u{6863}\u{6587} sign"),
        "one three two five".split(' ').fold(String::new(), |_, _| shelf.set("\u{6863}\u{6587} sign"))
    );
}

#[test]
fn a_word_that_is_nowhere_is_taken_for_the_nearest() {
    let shelf = Shelf::of(&[
        ("deploy", "Deployment", "how to deploy"),
        ("registry", "Registry", "where things are published"),
        ("verify", "Verification", "how to verify"),
    ]);
    let found = shelf.ask("regsitry");
    assert_eq!((ids(&found), found.did_you_mean.as_deref()), (vec!["registry".to_owned()], Some("registry")));
    assert!(found.corrected);
    let found = shelf.ask("how to verfiy -publishd");
    assert_eq!(found.did_you_mean.as_deref(), Some("how to verify -publishd"));
    assert_eq!(ids(&found)[0], "verify");
    let found = shelf.ask("verify");
    assert_eq!((found.corrected, found.did_you_mean), (false, None));
    assert_eq!(shelf.set("how\u{e4}\u{e4}\u{e4}\u{e4}"), "");
}

#[test]
fn typos_are_tolerated_by_length_and_count_less() {
    let shelf = Shelf::of(&[("exact", "", "a form to fill"), ("near", "", "the farm on the hill, a farm")]);
    let fuzzy = Options { fuzzy: true, ..Options::default() };
    assert_eq!(ids(&shelf.ask_with("form", &fuzzy)), ["exact", "near"]);
    assert_eq!(ids(&shelf.ask_with("farm", &fuzzy)), ["near", "exact"]);
    assert_eq!(shelf.ids("form"), ["exact"]);
    // Three letters are too few, unless they are asked for.
    assert_eq!(shelf.ids("fil~1"), ["exact"]);
    assert_eq!(shelf.set("frm"), "");
}

#[test]
fn nothing_of_what_is_not_accepted_shows() {
    let mut shelf = Shelf::of(&[("open", "Open", "a public word"), ("closed", "Closed", "a secretword public")]);
    let accepts = |position: usize| position != 1;
    let options = Options { accepts: Some(&accepts), explain: true, ..Options::default() };
    let found = shelf.ask_with("public", &options);
    assert_eq!((found.total, ids(&found)), (1, vec!["open".to_owned()]));
    let found = shelf.ask_with("secretwird", &options);
    assert_eq!((found.total, found.did_you_mean, found.corrected), (0, None, false));
    let found = shelf.ask_with("secret*", &options);
    assert_eq!((found.total, found.did_you_mean), (0, None));
    // The score is what it would be if the other document did not exist.
    let with_other = shelf.ask_with("public word", &options).hits;
    shelf.entries.pop();
    shelf.documents.pop();
    assert_eq!(with_other, shelf.ask_with("public word", &options).hits);
}

#[test]
fn verdicts_are_asked_only_for_what_matches() {
    let shelf = Shelf::of(&[("a", "", "apple"), ("b", "", "apple pear"), ("c", "", "cherry")]);
    let asked = std::cell::RefCell::new(Vec::new());
    let verdict = |field: &str, position: usize| {
        assert_eq!(field, "verdict");
        asked.borrow_mut().push(position);
        if position == 1 { "tampered" } else { "good" }.to_owned()
    };
    let options = Options { value: Some(&verdict), ..Options::default() };
    let ask = |query: &str| {
        asked.borrow_mut().clear();
        let mut found = ids(&shelf.ask_with(query, &options));
        found.sort();
        (found.join(" "), asked.borrow().len())
    };
    assert_eq!(ask("apple"), ("a b".to_owned(), 0));
    assert_eq!(ask("apple verdict:good"), ("a".to_owned(), 2));
    assert_eq!(ask("verdict:good apple"), ("a".to_owned(), 2));
    assert_eq!(ask("apple -verdict:good"), ("b".to_owned(), 2));
    assert_eq!(ask("cherry OR verdict:tampered"), ("b c".to_owned(), 3));
    assert_eq!(ask("NOT verdict:tampered"), ("a c".to_owned(), 3));
}

#[test]
fn words_that_matched_are_found_again_in_the_text() {
    let mut shelf = Shelf::of(&[("a", "", "rye_execute deployed the deployment")]);
    shelf.put(with(document("b", ""), &[("title", "Caf\u{e9}")]));
    let marked = |query: &str, text: &str| {
        let ranges = shelf.ask(query).words.ranges(text);
        ranges.into_iter().map(|range| text[range].to_owned()).collect::<Vec<_>>().join("|")
    };
    assert_eq!(marked("deploy", "Deployed, deploys; the deploy_all of deplorable"), "Deployed|deploys|deploy");
    assert_eq!(marked("\"the deployment\"", "The deployment deploys"), "The|deployment");
    assert_eq!(marked("depl*", "deplorable depth"), "deplorable");
    assert_eq!(marked("ryeExecute", "a rye_execute b"), "rye_execute");
    assert_eq!(marked("delpoyed", "deployed"), "deployed");
    assert_eq!(marked("deployed -the", "the deployed"), "deployed");
    assert_eq!(marked("cafe", "un caf\u{e9}"), "caf\u{e9}");
    // The first letter of a stem may have lost its accent; in other scripts that is not a single byte.
    assert_eq!(marked("elan", "with \u{c9}lan, elands"), "\u{c9}lan");
    assert_eq!(marked("\u{e9}lan", "with elan, with \u{c9}lan"), "elan|\u{c9}lan");
    assert_eq!(marked("dying", "who dies, dies of a die"), "dies|dies|die");
    assert_eq!(marked("\u{43c}\u{438}\u{440}", "peace is \u{43c}\u{438}\u{440}"), "\u{43c}\u{438}\u{440}");
}
