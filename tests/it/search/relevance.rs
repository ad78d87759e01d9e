//! Whether the expected result comes first: over this repository's own pages, and over another project's items, which
//! are next to the checkout.
//!
//! The pages are those of 22 November 2026, copied to `tests/relevance` for good: an edit of a page moves no figure.

use std::fs;
use std::path::Path;

use super::{entry, ids, search};
use crate::support::Sandbox;
use crate::support::beside::{corpus, files};

/// The least mean reciprocal rank.
const LEAST: f64 = 0.9;

const PAGES: &str = include_str!("relevance.txt");
const CORPUS: &str = include_str!("corpus.txt");

/// One line of a table: a query, and what may come first.
struct Wanted {
    query: &'static str,
    first: Vec<&'static str>,
}

fn table(text: &'static str) -> Vec<Wanted> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let rows = lines.map(|line| line.rsplit_once(" | ").unwrap());
    rows.map(|(query, first)| Wanted { query, first: first.split(' ').collect() }).collect()
}

/// Returns the mean of one by the rank of the first wanted result; prints those that are not first.
#[expect(clippy::print_stdout, reason = "what is not first is to be seen")]
fn mean_reciprocal_rank(sandbox: &Sandbox, table: &[Wanted]) -> f64 {
    let mut sum = 0.0;
    for Wanted { query, first } in table {
        let outcome = search(sandbox, &["--", query]);
        assert!(outcome.get("error").is_none(), "{query}: {outcome}");
        let found = ids(&outcome);
        let rank = found.iter().position(|id| first.contains(id)).map(|at| at + 1);
        if rank != Some(1) {
            println!("{query}: {rank:?}, wanted {first:?}, found {:?}", &found[..found.len().min(4)]);
        }
        sum += rank.map_or(0.0, |rank| 1.0 / f64::from(u32::try_from(rank).unwrap()));
    }
    let mean = sum / f64::from(u32::try_from(table.len()).unwrap());
    println!("mean reciprocal rank of {} queries: {mean:.3}", table.len());
    mean
}

/// Makes knowledge of every section of a page.
fn put_sections(sandbox: &Sandbox, folder: &str, text: &str) {
    let mut sections: Vec<(String, String)> = Vec::new();
    // The number of backticks that ends the block of a line.
    let mut fence = 0;
    for line in text.lines() {
        let ticks = line.len() - line.trim_start_matches('`').len();
        fence = match ticks {
            3.. if fence == 0 => ticks,
            3.. if ticks >= fence => 0,
            _ => fence,
        };
        match line.strip_prefix("## ").filter(|_| fence == 0) {
            Some(heading) => sections.push((heading.replace('`', ""), String::new())),
            None => {
                if let Some((_, body)) = sections.last_mut() {
                    body.push_str(line);
                    body.push('\n');
                }
            }
        }
    }
    if sections.is_empty() {
        let title = text.lines().next().unwrap().trim_start_matches("# ");
        sandbox.put(&format!(".ai/knowledge/{folder}.md"), &entry(folder, title, text));
    }
    for (heading, body) in sections {
        let id = format!("{folder}/{}", slug(&heading));
        sandbox.put(&format!(".ai/knowledge/{id}.md"), &entry(&id, &heading.replace('"', ""), &body));
    }
}

fn slug(heading: &str) -> String {
    let words = heading.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_lowercase()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for found in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(found.file_name());
        if found.file_type().unwrap().is_dir() {
            copy(&found.path(), &target);
        } else {
            fs::copy(found.path(), target).unwrap();
        }
    }
}

#[test]
fn what_a_person_looks_for_in_the_pages_comes_first() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q"]);
    let folder = Path::new(crate::support::ROOT).join("tests/relevance");
    let pages = files(&folder);
    for page in &pages {
        let name = page.strip_prefix(&folder).unwrap().with_extension("");
        put_sections(&sandbox, name.to_str().unwrap(), &fs::read_to_string(page).unwrap());
    }
    assert_eq!(pages.len(), 12);
    let table = table(PAGES);
    assert!(table.len() >= 60, "only {} queries", table.len());
    assert!(mean_reciprocal_rank(&sandbox, &table) >= LEAST);
}

#[test]
#[ignore = "needs the published items beside the checkout: ../shared/vectors/corpus"]
fn what_a_person_looks_for_in_another_project_comes_first() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q"]);
    copy(&corpus(), &sandbox.project().join(".ai"));
    assert!(mean_reciprocal_rank(&sandbox, &table(CORPUS)) >= LEAST);
}
