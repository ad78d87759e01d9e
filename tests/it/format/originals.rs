//! Every example of the five documents that the formats come from, held to the meaning that its document gives it.
//!
//! The documents are next to the checkout, so the tests that read them are ignored. One table for each: an example that
//! is in no row, a row whose example is gone, and a value that differs are errors.

mod agents;
mod conditions;
mod cut;
mod directives;
mod meaning;
mod metadata;
mod practices;
mod proposal;
mod table;
mod threaded;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use rye::format::Profile;
use serde_json::Value;

use cut::Example;
use table::{Row, Says};

use crate::support::beside::document;

/// The documents with their tables, and what a directive of each is to be fit for.
fn tables() -> [(&'static str, Profile, Vec<Row>); 5] {
    [
        ("000", Profile::Reference, metadata::rows()),
        ("001", Profile::Thread, directives::rows()),
        ("002", Profile::Thread, threaded::rows()),
        ("003", Profile::Reference, proposal::rows()),
        ("004", Profile::Thread, agents::rows()),
    ]
}

#[test]
#[ignore = "needs the original documents beside the checkout: ../shared/seeds"]
fn every_example_of_the_documents_means_what_they_say() {
    let mut wrong = Vec::new();
    for (number, profile, rows) in tables() {
        let examples = cut::examples(&document(number));
        let is = |example: &Example, row: &Row| example.line == row.line && example.text.starts_with(row.begins);
        for row in &rows {
            if examples.iter().filter(|example| is(example, row)).count() != 1 {
                wrong.push(format!("{number}:{}: no example, or several, begin `{}`", row.line, row.begins));
            }
        }
        for example in &examples {
            let place = format!("{number}:{}: {}", example.line, example.text.lines().next().unwrap_or_default());
            match rows.iter().find(|row| is(example, row)).map(|row| &row.says) {
                None => wrong.push(format!("{place}: in no row")),
                Some(Says::Values { value, found }) => {
                    let read = meaning::meaning(example, profile);
                    if (&read.value, read.found.as_slice()) != (value, *found) {
                        wrong.push(format!("{place}: {:?} {:#}", read.found, read.value));
                    }
                }
                Some(Says::Nothing(why)) => assert!(!why.is_empty(), "{place}"),
                Some(Says::Elsewhere(_)) => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// Returns every source file below a folder as one text.
fn sources(folder: &Path) -> String {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .map(|path| match path.extension() {
            _ if path.is_dir() => sources(&path),
            Some(extension) if extension == "rs" => fs::read_to_string(path).unwrap(),
            _ => String::new(),
        })
        .collect()
}

#[test]
fn the_tests_that_rows_name_exist() {
    let top = Path::new(crate::support::ROOT);
    let sources = sources(&top.join("tests/it")) + &sources(&top.join("src")) + &sources(&top.join("crates"));
    for (number, _, rows) in tables() {
        for row in rows {
            if let Says::Elsewhere(test) = row.says {
                assert!(sources.contains(&format!("fn {test}()")), "{number}:{}: there is no `{test}`", row.line);
            }
        }
    }
}

/// Returns every condition in plain data.
fn whens(value: &Value) -> Vec<&str> {
    match value {
        Value::Array(items) => items.iter().flat_map(whens).collect(),
        Value::Object(members) => {
            let inside = members.values().flat_map(whens);
            members.get("when").and_then(Value::as_str).into_iter().chain(inside).collect()
        }
        _ => Vec::new(),
    }
}

#[test]
fn every_condition_in_the_tables_is_evaluated() {
    let rows: Vec<Row> = tables().into_iter().flat_map(|(_, _, rows)| rows).collect();
    let values = rows.iter().filter_map(|row| match &row.says {
        Says::Values { value, .. } => Some(value),
        _ => None,
    });
    let shown: BTreeSet<&str> = values.flat_map(whens).collect();
    assert_eq!(shown, conditions::known().into_iter().collect());
}
