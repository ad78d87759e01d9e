//! What comes first, and why.

use rye::index::{Options, Sort};

use super::shelf::{Shelf, document, ids, with};

#[test]
fn a_title_counts_more_than_a_description_and_that_more_than_a_body() {
    let mut shelf = Shelf::default();
    shelf.put(document("body", "rollback of a release, rollback again, rollback"));
    shelf.put(with(document("description", "x"), &[("description", "About the rollback of releases.")]));
    shelf.put(with(document("title", "x"), &[("title", "Rollback of releases")]));
    assert_eq!(shelf.ids("rollback"), ["title", "description", "body"]);
}

#[test]
fn an_exact_name_comes_first_whatever_others_say() {
    let mut shelf = Shelf::default();
    shelf.put(with(
        document("deploy/staging-notes", "staging deploy staging deploy staging"),
        &[
            ("title", "Staging staging staging"),
            ("description", "staging deploy staging deploy"),
            ("tag", "staging"),
            ("tag", "deploy"),
        ],
    ));
    shelf.put(document("deploy/staging", "unrelated text"));
    for query in ["deploy/staging", "deploy staging", "Deploy Staging", "staging"] {
        assert_eq!(shelf.ids(query)[0], "deploy/staging", "{query}");
    }
    let found = shelf.ask_with("staging", &Options { explain: true, ..Options::default() });
    assert_eq!(found.hits[0].explanation[0], "it has exactly this name: raised above all others");
    assert!(found.hits[1].explanation.iter().any(|line| line.ends_with("`staging` in title")));
}

#[test]
fn documents_with_more_of_the_words_come_first() {
    let shelf = Shelf::of(&[
        ("one", "", "backup backup backup backup backup of things"),
        ("two", "", "the backup of a database in the cloud somewhere"),
        ("three", "", "database database database"),
    ]);
    assert_eq!(shelf.ids("backup database")[0], "two");
    assert_eq!(shelf.ask("backup database").total, 3);
}

#[test]
fn equal_scores_keep_the_order_of_the_corpus() {
    let mut shelf = Shelf::default();
    for space in ["project", "user", "system"] {
        shelf.put(with(document("same", "the very same words"), &[("space", space)]));
    }
    let keys: Vec<String> = shelf.ask("same words").hits.into_iter().map(|hit| hit.key).collect();
    assert_eq!(keys, ["project/same", "user/same", "system/same"]);
}

#[test]
fn results_come_in_pages_and_in_other_orders() {
    let items: Vec<(String, String)> = (0..25).map(|n| (format!("item{n:02}"), "word ".repeat(1 + n % 7))).collect();
    let items: Vec<_> = items.iter().map(|(id, body)| (id.as_str(), "", body.as_str())).collect();
    let shelf = Shelf::of(&items);
    let whole = shelf.ids("word");
    assert_eq!(whole.len(), 25);
    let page = shelf.ask_with("word", &Options { offset: 10, max: 10, ..Options::default() });
    assert_eq!((page.total, ids(&page)), (25, whole[10..20].to_vec()));
    let backwards = |one: usize, other: usize| other.cmp(&one);
    let page = shelf.ask_with("word", &Options { max: 2, sort: Sort::By(&backwards), ..Options::default() });
    assert_eq!(ids(&page), ["item24", "item23"]);
    assert!(shelf.ask_with("word", &Options { offset: 99, ..Options::default() }).hits.is_empty());
}
