//! Knowledge: headers in each form, texts, links and the graph they make.

use std::collections::BTreeSet;

use rye::format::{Profile, link_findings, links, validate};
use rye::id::ItemType;
use rye::item::{Graph, Known, Link, LinkKind, Node, Target};

use super::{Places, knowledge, places, read};

fn rules(extension: &str, text: &str, id: &str) -> Vec<(String, usize, usize)> {
    let parsed = read(ItemType::Knowledge, extension, text);
    let found = validate(&parsed, &id.parse().expect("an id"), Profile::Reference);
    places(&found).into_iter().map(|(rule, line, column)| (rule.to_owned(), line, column)).collect()
}

#[test]
fn knowledge_has_a_fenced_header() {
    let text = "<!-- signature -->\n\n```yaml\nname: my-notes\ntitle: Notes\ncategory: demo\nversion: \"1.0.0\"\n\
                tags: [a, b]\nreferences: one\n```\n\n# Notes\n\n```yaml\nx: 1\n```\n";
    assert_eq!(rules("md", text, "demo/my-notes"), vec![]);
    let notes = knowledge("md", text);
    assert_eq!((notes.tags, notes.references), (vec!["a".to_owned(), "b".to_owned()], vec!["one".to_owned()]));
    assert_eq!(notes.body, "# Notes\n\n```yaml\nx: 1\n```");
    let wrong: &[(&str, &str, Places)] = &[
        ("name: my-notes", "name: notes", &[("RYE-K005", 4, 1)]),
        ("category: demo", "category: [x]", &[("RYE-K003", 6, 1)]),
        ("category: demo", "category: other", &[("RYE-K006", 6, 1)]),
        ("title: Notes\n", "", &[("RYE-K002", 4, 1)]),
        ("version: \"1.0.0\"", "version: \"1.0\"", &[("RYE-K003", 7, 1)]),
        ("tags: [a, b]", "tgas: [a, b]", &[("RYE-K004", 8, 1)]),
        ("```yaml\nname", "```yml\nname", &[("RYE-K001", 1, 1)]),
        ("references: one\n```", "references: one", &[]),
    ];
    for (from, to, wanted) in wrong {
        let wanted: Vec<_> = wanted.iter().map(|(rule, line, column)| ((*rule).to_owned(), *line, *column)).collect();
        let found = rules("md", &text.replacen(from, to, 1), "demo/my-notes");
        assert!(if wanted.is_empty() { !found.is_empty() } else { found == wanted }, "{to}: {found:?}");
    }
}

#[test]
fn front_matter_is_read_with_a_warning() {
    let text = "<!-- rye:validated:x -->\n\n---\nname: my-notes\ntitle: Notes\ncategory: demo\nversion: \"1.0.0\"\n---\n\n\
                # Notes\n\n---\n\nmore\n";
    assert_eq!(rules("md", text, "demo/my-notes"), vec![("RYE-K007".to_owned(), 3, 1)]);
    let notes = knowledge("md", text);
    assert_eq!((notes.title.as_str(), notes.body.as_str()), ("Notes", "# Notes\n\n---\n\nmore"));
    let cut = &text[..text.find("\n---\n\n#").expect("the second line")];
    assert_eq!(rules("md", cut, "demo/my-notes"), vec![("RYE-D003".to_owned(), 3, 1)]);
    let wrong = text.replace("title: Notes\n", "");
    assert_eq!(
        rules("md", &wrong, "demo/my-notes"),
        vec![("RYE-K007".to_owned(), 3, 1), ("RYE-K002".to_owned(), 4, 1)]
    );
}

#[test]
fn the_text_of_pure_yaml_is_its_data() {
    let head = "# rye:signed:x\n# about\nname: data\ntitle: Data\ncategory: ''\nversion: '1.0.0'\n";
    let body = |rest: &str| {
        let text = format!("{head}{rest}");
        (rules("yaml", &text, "data"), knowledge("yaml", &text).body)
    };
    assert_eq!(body(""), (vec![], String::new()));
    assert_eq!(
        body("rows:\n  - 1 # one\n\ntags: [a]\nmore: {a: b}\n"),
        (vec![], "rows:\n  - 1 # one\nmore: {a: b}".into())
    );
    assert_eq!(body("body: |\n  # Text\n\n  words\n"), (vec![], "# Text\n\nwords".into()));
    assert_eq!(body("content: words\nrows: 1\n"), (vec![("RYE-K004".to_owned(), 8, 1)], "words".into()));
    assert_eq!(body("body: [1]\n"), (vec![("RYE-K003".to_owned(), 7, 1)], String::new()));
    // Keys whose lines cannot be told apart are shown by value.
    assert_eq!(body("\"rows\": [1]\n"), (vec![], "{\n  \"rows\": [\n    1\n  ]\n}".into()));
}

fn node(item_type: ItemType, id: &str) -> Node {
    Node { item_type, item_id: id.parse().expect("an id") }
}

fn link(kind: LinkKind, target: &str) -> Link {
    Link { kind, target: target.to_owned() }
}

const LINKED: &str = "```yaml\nname: a\ntitle: A\ncategory: docs\nversion: \"1.0.0\"\nreferences: [docs/b, b, gone]\n\
    extends: [deep/base]\nused_by: run\n```\n\n[[b]] and [[b|words]], [here](../../../README.md#top), [out](https://x.example/a#b),\n\
    `[[code]]`, [self](#self), [none](), ![picture](./missing.png), <mailto:a@b.example>\n\n    [[code]]\n";

#[test]
fn links_are_taken_from_header_and_text() {
    use LinkKind::{Extends, References, Text, UsedBy};
    let expected = [
        (References, "docs/b"),
        (References, "b"),
        (References, "gone"),
        (Extends, "deep/base"),
        (UsedBy, "run"),
        (Text, "b"),
        (Text, "../../../README.md"),
        (Text, "https://x.example/a"),
        (Text, ""),
        (Text, "./missing.png"),
        (Text, "mailto:a@b.example"),
    ];
    let expected: Vec<Link> = expected.into_iter().map(|(kind, target)| link(kind, target)).collect();
    assert_eq!(links(&knowledge("md", LINKED)), expected);
}

#[test]
fn links_resolve_as_ids_segments_paths_and_addresses() {
    use ItemType::{Directive, Knowledge, Tool};
    let items = [
        (Knowledge, "docs/a"),
        (Knowledge, "docs/b"),
        (Knowledge, "deep/base"),
        (Knowledge, "one/twin"),
        (Knowledge, "two/twin"),
        (Directive, "b"),
        (Directive, "ops/run"),
        (Tool, "ops/run"),
    ];
    let items: BTreeSet<Node> = items.into_iter().map(|(item_type, id)| node(item_type, id)).collect();
    let known = Known { items, has_path: &|path| path == "README.md" || path == "docs/guide" };
    let resolved = |target: &str| {
        let from = node(Knowledge, "docs/a");
        let graph = Graph::of([(from.clone(), vec![link(LinkKind::Text, target)])], &known);
        graph.links(&from)[0].1.clone()
    };
    let to = |item_type, id| Target::Item(node(item_type, id));
    assert_eq!(resolved("docs/b"), to(Knowledge, "docs/b"));
    assert_eq!(resolved("b"), to(Directive, "b"), "an id beats a last segment");
    assert_eq!(resolved("base"), to(Knowledge, "deep/base"));
    assert_eq!(resolved("run"), to(Directive, "ops/run"), "directives come before tools");
    let twins = vec![node(Knowledge, "one/twin"), node(Knowledge, "two/twin")];
    assert_eq!(resolved("twin"), Target::Ambiguous(twins));
    assert_eq!(resolved(".ai/knowledge/docs/b.md"), to(Knowledge, "docs/b"));
    assert_eq!(resolved("./b.md"), to(Knowledge, "docs/b"));
    assert_eq!(resolved("../../directives/ops/run.md"), to(Directive, "ops/run"));
    assert_eq!(resolved("README.md"), Target::Path("README.md".into()));
    assert_eq!(resolved("../../../docs/guide/"), Target::Path("docs/guide".into()));
    assert_eq!(resolved("https://x.example/a"), Target::Address("https://x.example/a".into()));
    for nowhere in ["", "gone", "docs/gone.md", "/README.md", "../../../../README.md", "b\\c", "docs/b/"] {
        assert_eq!(resolved(nowhere), Target::Unresolved, "{nowhere}");
    }
}

#[test]
fn backlinks_are_derived_and_broken_links_are_warnings() {
    let a = node(ItemType::Knowledge, "docs/a");
    let b = node(ItemType::Knowledge, "docs/b");
    let base = node(ItemType::Knowledge, "deep/base");
    let items = BTreeSet::from([a.clone(), b.clone(), base.clone()]);
    let known = Known { items, has_path: &|path| path == "README.md" };
    let entries = [(a.clone(), links(&knowledge("md", LINKED))), (b.clone(), vec![link(LinkKind::Extends, "base")])];
    let graph = Graph::of(entries, &known);
    let back: Vec<_> = graph.backlinks(&base).collect();
    assert_eq!(back, vec![(&a, LinkKind::Extends), (&b, LinkKind::Extends)]);
    let back: Vec<_> = graph.backlinks(&b).collect();
    assert_eq!(back, vec![(&a, LinkKind::References), (&a, LinkKind::Text)]);
    assert_eq!(graph.backlinks(&a).count(), 0);
    let broken: Vec<&str> = graph.broken().map(|(_, link, _)| link.target.as_str()).collect();
    assert_eq!(broken, vec!["gone", "run", "", "./missing.png"]);
    let found = link_findings(LINKED, graph.links(&a));
    assert_eq!(
        places(&found),
        vec![("RYE-K008", 6, 25), ("RYE-K008", 8, 10), ("RYE-K008", 1, 1), ("RYE-K008", 12, 49)]
    );
    assert_eq!(found[0].message, "the link `gone` leads to no item and no file");
}

#[test]
fn a_link_of_the_text_is_shown_in_the_text() {
    let text = "```yaml\nname: a\ntitle: A\ncategory: ''\nversion: \"1.0.0\"\nreferences: [gone]\n```\n\n`gone` and [gone](gone), \
                [[lost|lost]].\n";
    let links = links(&knowledge("md", text)).into_iter().map(|link| (link, Target::Unresolved)).collect::<Vec<_>>();
    assert_eq!(
        places(&link_findings(text, &links)),
        vec![("RYE-K008", 6, 14), ("RYE-K008", 9, 19), ("RYE-K008", 9, 28)]
    );
}
