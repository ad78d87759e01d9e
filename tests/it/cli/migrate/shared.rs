//! The published items and the documents' examples of old forms, which are next to the checkout: written as a tree,
//! they lint without errors, and nothing is left.

use std::fs;
use std::path::Path;

use crate::support::Sandbox;
use crate::support::beside::{blocks, corpus, document};

fn copy(from: &Path, sandbox: &Sandbox, to: &str) -> usize {
    let mut copied = 0;
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{to}/{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            copied += copy(&path, sandbox, &name);
        } else {
            sandbox.put(&name, &fs::read_to_string(&path).unwrap());
            copied += 1;
        }
    }
    copied
}

fn is_clean(sandbox: &Sandbox) {
    sandbox.rye(&["migrate", "--write", "-q"]).succeeds();
    sandbox.rye(&["migrate", "--check"]).succeeds();
    sandbox.rye(&["lint", "-q"]).succeeds();
    let found = String::from_utf8(sandbox.rye(&["lint", "--json"]).stdout()).unwrap();
    let found: serde_json::Value = serde_json::from_str(&found).unwrap();
    for finding in found["findings"].as_array().unwrap() {
        assert!(!rye::format::rules::is_legacy(finding["rule"].as_str().unwrap()), "{finding}");
    }
}

#[test]
#[ignore = "needs the published items beside the checkout: ../shared/vectors/corpus"]
fn real_items_migrate_as_a_tree() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    assert_eq!(copy(&corpus(), &sandbox, ".ai"), 62);
    sandbox.commit("as they came");
    is_clean(&sandbox);
    // One key of eight tools changed, and their signature lines went.
    assert_eq!(sandbox.git(&["diff", "--shortstat"]), " 8 files changed, 8 insertions(+), 16 deletions(-)\n");
}

/// A directive with one fragment: of its metadata, its block, or its process.
fn around(name: &str, fragment: &str) -> String {
    let is_bare = fragment.contains("<execute resource") && !fragment.contains("<permissions>");
    let (metadata, block, process) = match () {
        () if fragment.contains("<success>") => (String::new(), fragment, ""),
        () if fragment.contains("<process>") => (String::new(), "", fragment),
        () if is_bare => (format!("<permissions>{fragment}</permissions>"), "", ""),
        () => (fragment.to_owned(), "", ""),
    };
    let inputs = ["name", "topic", "output_path", "category"]
        .map(|name| format!("<input name=\"{name}\" type=\"string\" required=\"true\">N</input>"))
        .concat();
    format!(
        "# Do it\n\n```xml\n<directive name=\"{name}\" version=\"1.0.0\">\n<metadata><description>Do it</description><category></category>\
         <author>b</author>\n{metadata}</metadata>\n<inputs>{inputs}</inputs>\n{block}</directive>\n```\n\nDo {{input:name}}.\n\n{process}"
    )
}

#[test]
#[ignore = "needs the original documents beside the checkout: ../shared/seeds"]
fn old_forms_of_the_documents_migrate_as_a_tree() {
    let documents = ["000", "001", "003", "004"].map(document);
    let [oldest, _, proposal, _] = &documents;
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    // Whole directives: the minimal one, and the advanced one, whose process the document leaves out.
    let is_whole = |block: &String| block.contains("<category>workflows</category>") && block.contains("</directive>");
    let whole: Vec<String> = blocks(oldest, "xml").into_iter().filter(is_whole).collect();
    assert_eq!(whole.len(), 2);
    sandbox.put(".ai/directives/workflows/deploy-staging.md", &whole[0]);
    sandbox.put(".ai/directives/workflows/deploy-and-test.md", &format!("{}\nDeploy it.\n", whole[1]));
    // What one of them depends on, and the document does not show.
    sandbox.put(".ai/directives/build-images.md", &around("build-images", ""));
    let old = ["<cap>", "<execute resource", "<success>", "fs_write", "spawn_thread"];
    let is_old = |block: &String| old.iter().any(|form| block.contains(form)) && !block.contains("</directive>");
    let fragments: Vec<String> = documents.iter().flat_map(|document| blocks(document, "xml")).filter(is_old).collect();
    for (number, fragment) in fragments.iter().enumerate() {
        let name = format!("part{number}");
        sandbox.put(&format!(".ai/directives/{name}.md"), &around(&name, fragment));
    }
    let flat: Vec<String> = blocks(proposal, "yaml").into_iter().filter(|block| block.contains("- \"rye.")).collect();
    for (number, list) in flat.iter().enumerate() {
        let tool = format!("version: \"1.0.0\"\ndescription: Permit it\n{list}");
        sandbox.put(&format!(".ai/tools/caps{number}.yaml"), &tool);
    }
    assert!((fragments.len(), flat.len()) >= (9, 1), "{} {}", fragments.len(), flat.len());
    is_clean(&sandbox);
    assert!(sandbox.project().join(".ai/directives/workflows/deploy_and_test.md").exists());
}
