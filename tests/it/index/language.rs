//! The query language: the results of each form, and refusals with their place.

use rye::index::Query;
use rye::ops::search::SCHEMA;

use super::shelf::{Shelf, document, with};

fn shelf() -> Shelf {
    let mut shelf = Shelf::of(&[
        ("a", "Deploying services", "apples and pears on the staging server"),
        ("b", "Backups", "apples only, kept for a week"),
        ("c", "Cider", "pears and cherries, pressed"),
        ("d", "Rollback", "deploy again what was deployed before"),
    ]);
    shelf.put(with(
        document("e", "def main(): return rye_execute('x')"),
        &[
            ("type", "tool"),
            ("space", "user"),
            ("category", "ops/cloud"),
            ("author", "Ada Lovelace"),
            ("tag", "ci-cd"),
            ("tag", "release"),
            ("input", "region: where it runs"),
            ("key", "ABCD1234"),
            ("name", "ship_it"),
            ("description", "Ships what was built."),
        ],
    ));
    shelf
}

#[test]
fn each_form_of_a_query_finds_what_it_says() {
    let shelf = shelf();
    let table = [
        ("apples", "a b"),
        ("APPLES", "a b"),
        ("apples pears", "a b c"),
        ("apples AND pears", "a"),
        ("+apples pears", "a b"),
        ("+apples +pears", "a"),
        ("apples -pears", "b"),
        ("apples NOT pears", "b"),
        ("apples AND NOT pears", "b"),
        ("NOT apples", "c d e"),
        ("-apples -pears", "d e"),
        ("NOT NOT apples", "a b"),
        ("apples OR cherries", "a b c"),
        ("apples AND pears OR cherries", "a c"),
        ("apples AND (pears OR week)", "a b"),
        ("(apples OR pears) AND (server OR cherries)", "a c"),
        ("pears -(server OR week)", "c"),
        ("*", "a b c d e"),
        ("\"staging server\"", "a"),
        ("\"server staging\"", ""),
        ("\"apples server\"", ""),
        ("\"apples pears\"~1", "a"),
        ("\"pears apples\"~1", "a"),
        ("\"apples server\"~3", ""),
        ("\"apples server\"~5", "a"),
        ("\"deploying\"", "a"),
        ("deploying", "a d"),
        ("deploys", "a d"),
        ("dep*", "a d"),
        ("cher*", "c"),
        ("title:deploy", "a"),
        ("title:deploy*", "a"),
        ("title:(cider OR backups)", "b c"),
        ("body:deploy", "d"),
        ("body:\"deploy again\"", "d"),
        ("type:tool", "e"),
        ("type:knowledge pears", "a c"),
        ("type:knowledge AND NOT apples", "c d"),
        ("space:user", "e"),
        ("space:project apples", "a b"),
        ("-type:knowledge", "e"),
        ("category:ops", "e"),
        ("category:ops/cloud", "e"),
        ("category:cloud/ops", ""),
        ("author:ada", "e"),
        ("author:\"ada lovelace\"", "e"),
        ("tag:ci-cd", "e"),
        ("tags:release", "e"),
        ("tag:\"cd release\"", ""),
        ("input:region", "e"),
        ("key:abcd1234", "e"),
        ("key:abcd", ""),
        ("name:ship_it", "e"),
        ("id:d", "d"),
        ("description:built", "e"),
        ("applse~", "a b"),
        ("aplpse~2", "a b"),
        ("applse~0", ""),
        ("main()", "e"),
        ("(main())", "e"),
        ("rye_execute('x')", "e"),
        ("std::main", "e"),
        ("and", "a c"),
        ("staging \u{3042}", "a"),
    ];
    let mistaken: Vec<_> = table.iter().filter(|(query, found)| shelf.set(query) != *found).collect();
    let got: Vec<_> = mistaken.iter().map(|(query, found)| (query, found, shelf.set(query))).collect();
    assert!(got.is_empty(), "{got:#?}");
}

#[test]
fn what_can_mean_nothing_is_refused_with_its_place() {
    let table = [
        ("", 0, "the query has no word to look for"),
        ("   ", 3, "the query has no word to look for"),
        ("=> ()", 4, "`)` has nothing before it"),
        ("a \"b c", 2, "a quote is opened and not closed"),
        ("\"\"", 0, "expected a word between the quotes"),
        ("a (b", 2, "a parenthesis is opened and not closed"),
        ("(a)) b", 3, "a parenthesis is closed that is not open"),
        ("a AND", 5, "nothing follows `AND`"),
        ("OR b", 0, "`OR` has nothing before it"),
        ("a OR", 4, "nothing follows `OR`"),
        ("a AND OR b", 6, "`OR` has nothing before it"),
        ("NOT", 3, "nothing follows `NOT`"),
        ("title:", 0, "`title:` has no value"),
        ("title: a", 0, "`title:` has no value"),
        ("type:recipe", 5, "`recipe` is not a value of `type:`"),
        ("space:here", 6, "`here` is not a value of `space:`"),
        ("verdict:goood", 8, "`goood` is not a value of `verdict:`"),
        ("type:tool*", 5, "`type:` is compared as a whole"),
        ("word~3", 0, "`~` is not followed by a number that it can take"),
        ("\"a b\"~1000", 0, "`~` is not followed by a number that it can take"),
    ];
    for (query, at, message) in table {
        let error = Query::parse(&SCHEMA, query).unwrap_err();
        assert_eq!((error.at, error.message.as_str()), (at, message), "{query}");
        assert!(!error.hint.is_empty(), "{query}");
    }
    assert_eq!(Query::parse(&SCHEMA, &"(".repeat(40)).unwrap_err().message, "parentheses are nested too deeply");
    assert_eq!(Query::parse(&SCHEMA, &"a ".repeat(4096)).unwrap_err().at, 4096);
}

#[test]
fn what_only_looks_like_syntax_is_text_and_said_to_be() {
    let notes = |query: &str| Query::parse(&SCHEMA, query).unwrap().notes().to_vec();
    for query in ["std::env", "http://example.org/a", "main()", "a-b", "--json", "c++", "it's", "x <y>", "10:30"] {
        assert!(notes(query).is_empty(), "{query}");
    }
    assert_eq!(notes("a => b"), ["`=>` has no letter or digit and is passed over"]);
    assert_eq!(notes("de*oy"), ["`*` works only at the end of a word, so `de*oy` is searched as text"]);
    assert_eq!(
        notes("error:foo"),
        [
            "unknown field `error:` is searched as text; fields: author, body, category, description, id, input, key, name, \
          space, tag, title, type, verdict"
        ]
    );
}
