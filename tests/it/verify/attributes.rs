//! Attributes by which every checkout has other bytes of an item: a finding in the work tree, at a commit, and at the commit on the way
//! that brings them.

use super::*;

const CHANGING: [(&str, &str); 5] = [
    (".gitattributes", ".ai/** text eol=crlf\n"),
    (".gitattributes", "*.md ident\n"),
    (".gitattributes", "[attr]win text eol=crlf\n*.MD win\n"),
    (".ai/knowledge/.gitattributes", "* text eol=crlf\n"),
    (".ai/knowledge/demo/.gitattributes", "*.md filter=x\n"),
];

/// Lists the findings of a verification about attributes.
fn found(sandbox: &Sandbox, args: &[&str]) -> Vec<(String, String)> {
    let seen = verify(sandbox, args);
    let found = seen.findings().into_iter().filter(|(_, rule, _)| *rule == "RYE-S015");
    found.map(|(severity, _, path)| (severity.to_owned(), path.to_owned())).collect()
}

#[test]
fn attributes_that_change_items_in_every_checkout_are_findings() {
    for (path, text) in CHANGING {
        let sandbox = Sandbox::signed();
        let base = rev(&sandbox, "HEAD");
        assert_eq!(found(&sandbox, &[]), []);
        let old = fs::read_to_string(sandbox.project().join(path)).unwrap_or_default();
        sandbox.put(path, text);
        let about_note = ("error".to_owned(), NOTES.to_owned());
        assert!(found(&sandbox, &[]).contains(&about_note), "{path}: {text}");
        sandbox.git(&["add", path]);
        sandbox.git(&["commit", "-qm", "attributes"]);
        let range = format!("{base}..HEAD");
        assert!(found(&sandbox, &["--rev", "HEAD"]).contains(&about_note), "{path}: {text}");
        assert!(found(&sandbox, &["--range", &range]).contains(&about_note), "{path}: {text}");
        // A later commit that takes them out does not make the earlier one good.
        sandbox.put(path, &format!("{old}# none\n"));
        sandbox.git(&["commit", "-qam", "mended"]);
        assert_eq!(found(&sandbox, &["--rev", "HEAD"]), []);
        assert!(found(&sandbox, &["--range", &range]).contains(&about_note), "{path}: {text}");
        assert_eq!(found(&sandbox, &["--range", "HEAD~1..HEAD"]), []);
    }
}

/// What only the settings of a person decide, and what a later line takes back, changes no checkout by itself.
#[test]
fn attributes_that_change_no_item_are_not_findings() {
    for text in [
        "* text=auto\n",
        "* text=auto\n.ai/** -text eol=crlf\n",
        "*.md text eol=crlf\n/.ai/** -text -filter -ident -working-tree-encoding\n",
        "*.py filter=lfs\ndocs/** ident\n",
    ] {
        let sandbox = Sandbox::signed();
        sandbox.put(".gitattributes", text);
        assert_eq!(found(&sandbox, &[]), [], "{text}");
        sandbox.git(&["add", "-A"]);
        sandbox.git(&["commit", "-qm", "attributes"]);
        assert_eq!(found(&sandbox, &["--rev", "HEAD"]), [], "{text}");
    }
}
