//! References to renamed directives: those that are ones follow, what may be one is told of, nothing else is touched.

use std::collections::BTreeMap;

use rye::format::{Renames, Scope, migrate, migrate_document};
use rye::id::{ItemId, ItemType};
use rye::trust::Subject;

use super::{greet, subject};

pub(super) fn renames() -> Renames {
    let id = |text: &str| text.parse::<ItemId>().expect("an id");
    let renamed = [("ops/roll-back", "ops/roll_back"), ("deploy-it", "deploy_it"), ("a/twin-one", "a/twin_one")];
    let renamed: BTreeMap<ItemId, ItemId> = renamed.into_iter().map(|(old, new)| (id(old), id(new))).collect();
    let items = [
        (ItemType::Directive, "ops/roll-back"),
        (ItemType::Directive, "deploy-it"),
        (ItemType::Directive, "a/twin-one"),
        (ItemType::Directive, "b/twin-one"),
        (ItemType::Knowledge, "notes/roll-back"),
    ];
    Renames::new(&renamed, &items.map(|(item_type, item)| (item_type, id(item))))
}

#[test]
fn references_to_renamed_directives_follow() {
    let cases = [
        ("<directive name=\"a\" extends=\"ops/roll-back\">", "<directive name=\"a\" extends=\"ops/roll_back\">"),
        (
            "<execute item_id='deploy-it' item_type='directive' />",
            "<execute item_id='deploy_it' item_type='directive' />",
        ),
        (
            "<execute item_type=\"directive\">\n roll-back </execute>",
            "<execute item_type=\"directive\">\n roll_back </execute>",
        ),
        (
            "<action primary=\"execute\" item_type=\"directive\" item_id=\"roll-back\"/>",
            "<action primary=\"execute\" item_type=\"directive\" item_id=\"roll_back\"/>",
        ),
        (
            "<depends_on>deploy-it</depends_on><suggests>ops/roll-back</suggests>",
            "<depends_on>deploy_it</depends_on><suggests>ops/roll_back</suggests>",
        ),
        (
            "<load><directive>ops.roll-back</directive><directive>ops/roll-back</directive></load>",
            "<load><directive>ops.roll_back</directive><directive>ops/roll_back</directive></load>",
        ),
        (
            "`rye_execute(item_type=\"directive\", item_id=\"ops/roll-back\")`",
            "`rye_execute(item_type=\"directive\", item_id=\"ops/roll_back\")`",
        ),
        (
            "rye_load(item_id='deploy-it', item_type='directive')",
            "rye_load(item_id='deploy_it', item_type='directive')",
        ),
        ("see .ai/directives/ops/roll-back.md", "see .ai/directives/ops/roll_back.md"),
        // A text that does not refer to one of them stays.
        ("<execute item_type=\"tool\" item_id=\"deploy-it\" />", ""),
        ("<execute item_type=\"directive\" item_id=\"twin-one\" />", ""),
        ("<execute item_type=\"directive\" item_id=\"ops/roll-back-now\" />", ""),
        ("<depends_on>deploy-it and more</depends_on> deploy-it, ops/roll-back", ""),
        ("rye_execute(item_type=\"tool\", item_id=\"deploy-it\") (item_type=\"directive\")", ""),
        (".ai/directives/ops/roll-backs.md .ai/tools/ops/roll-back.md", ""),
    ];
    for (old, new) in cases {
        let found = migrate(&greet(), old, Scope::References, &renames());
        let new = if new.is_empty() { old } else { new };
        assert_eq!(found.text, new);
        assert_eq!(found.is_change(), old != new);
        assert_eq!(migrate(&greet(), new, Scope::References, &renames()).text, new);
    }
}

#[test]
fn links_of_knowledge_follow() {
    let notes = subject(ItemType::Knowledge, "demo/notes", "md");
    let old = "```yaml\nname: deploy-it\nreferences: [ops/roll-back, roll-back, \"deploy-it\"]\nused_by:\n  - deploy-it # why\n  - other\ntitle: deploy-it\n```\n[[ops/roll-back|back]] [x](.ai/directives/deploy-it.md#y) [[roll-back]] deploy-it\n";
    let new = "```yaml\nname: deploy-it\nreferences: [ops/roll_back, roll-back, \"deploy_it\"]\nused_by:\n  - deploy_it # why\n  - other\ntitle: deploy-it\n```\n[[ops/roll_back|back]] [x](.ai/directives/deploy_it.md#y) [[roll-back]] deploy-it\n";
    assert_eq!(migrate(&notes, old, Scope::References, &renames()).text, new);
    let cases = [
        ("[a](../../directives/ops/roll-back.md#x \"t\")", "[a](../../directives/ops/roll_back.md#x \"t\")"),
        ("![a](<../../directives/deploy-it.md>)", "![a](<../../directives/deploy_it.md>)"),
        ("[a][d]\n\n[d]: ops/roll-back 'roll-back'", "[a][d]\n\n[d]: ops/roll_back 'roll-back'"),
        ("[ops/roll-back](ops/roll-back)", "[ops/roll-back](ops/roll_back)"),
        // Code is not a link, and neither are links that lead elsewhere.
        ("`[[ops/roll-back]]`", ""),
        ("```\n[[ops/roll-back]]\n```", ""),
        ("[a](../directives/ops/roll-back.md) [b](https://x.org/ops/roll-back)", ""),
        ("references: [ops/roll-back]", ""),
    ];
    for (old, new) in cases {
        let with = |text: &str| format!("```yaml\nname: notes\n```\n\n{text}\n");
        let new = if new.is_empty() { old } else { new };
        assert_eq!(migrate(&notes, &with(old), Scope::References, &renames()).text, with(new));
    }
    let yaml = subject(ItemType::Knowledge, "demo/notes", "yaml");
    let old = "name: notes\nused_by: # those\n  - ops/roll-back\ntext: ops/roll-back\n";
    let new = "name: notes\nused_by: # those\n  - ops/roll_back\ntext: ops/roll-back\n";
    assert_eq!(migrate(&yaml, old, Scope::References, &renames()).text, new);
}

#[test]
fn tools_and_capability_documents_follow() {
    let yaml = subject(ItemType::Tool, "demo/x", "yaml");
    let cases = [
        ("config:\n  directive: ops/roll-back # why\n", "config:\n  directive: ops/roll_back # why\n"),
        ("config:\n  directive_id: \"deploy-it\"\r\n", "config:\n  directive_id: \"deploy_it\"\r\n"),
        (
            "a:\n  - item_id: roll-back\n    item_type: directive\n",
            "a:\n  - item_id: roll_back\n    item_type: directive\n",
        ),
        ("a: {item_type: directive, item_id: 'deploy-it'}\n", "a: {item_type: directive, item_id: 'deploy_it'}\n"),
        (
            "capabilities:\n  - primary: load\n    item_type: directive\n    specifics: ops.roll-back\n  - primary: load\n    item_type: tool\n    specifics: ops.roll-back\n",
            "capabilities:\n  - primary: load\n    item_type: directive\n    specifics: ops.roll_back\n  - primary: load\n    item_type: tool\n    specifics: ops.roll-back\n",
        ),
        ("x: rye.load.directive.ops.roll-back\n", "x: rye.load.directive.ops.roll_back\n"),
        ("x: rye.load.directive.ops.roll-back.*\n", ""),
        ("x: rye.load.tool.ops.roll-back\n", ""),
        ("a:\n  - item_type: directive\n  - item_id: deploy-it\n", ""),
        ("description: runs deploy-it\n", ""),
    ];
    for (old, new) in cases {
        let new = if new.is_empty() { old } else { new };
        assert_eq!(migrate(&yaml, old, Scope::References, &renames()).text, new);
        assert_eq!(migrate_document(old, &renames()).text, new);
    }
    let code = subject(ItemType::Tool, "demo/x", "py");
    let old = "call = {\"item_type\": \"directive\", \"item_id\": \"ops/roll-back\"}\nrun(directive='deploy-it')\n";
    let new = "call = {\"item_type\": \"directive\", \"item_id\": \"ops/roll_back\"}\nrun(directive='deploy_it')\n";
    assert_eq!(migrate(&code, old, Scope::References, &renames()).text, new);
}

/// If the name is in text, only the author knows its meaning.
#[test]
fn what_may_be_a_reference_is_told_of() {
    let now =
        |old: &str, new: &str| format!("`{old}` is named here, which is `{new}` now: change it if it is a reference");
    let told_of = |subject: &Subject, text: &str| {
        let found = migrate(subject, text, Scope::References, &renames());
        assert_eq!((found.text.as_str(), found.changes.len()), (text, 0));
        found.remarks.into_iter().map(|remark| (remark.line, remark.stays, remark.message)).collect::<Vec<_>>()
    };
    let code = subject(ItemType::Tool, "demo/x", "py");
    assert_eq!(
        told_of(&code, "x = 1\nrun('deploy-it')\nopen('ops/roll-back.md') # deploy-it\n"),
        [(2, false, now("deploy-it", "deploy_it")), (3, false, now("ops/roll-back", "ops/roll_back"))]
    );
    assert_eq!(
        told_of(&greet(), "Do ops.roll-back. Then deploy-it.\n"),
        [(1, false, now("ops/roll-back", "ops/roll_back"))]
    );
    assert_eq!(told_of(&greet(), "<execute item_type=\"tool\" item_id=\"deploy-it\" />\n"), []);
    for (pattern, message) in [
        ("ops/roll-*", "the pattern `ops/roll-*` covers `ops/roll-back`, and not its new name `ops/roll_back`"),
        (
            "ops.roll_*",
            "the pattern `ops.roll_*` covers `ops/roll_back`, and did not cover its old name `ops/roll-back`",
        ),
    ] {
        assert_eq!(told_of(&greet(), &format!("\n<directive>{pattern}</directive>")), [(2, false, message.to_owned())]);
    }
    assert_eq!(told_of(&greet(), "<directive>ops/*</directive>"), []);
}

/// The user space, say, was migrated before the projects that name its directives.
#[test]
fn references_to_what_was_renamed_before_are_mended() {
    let id = |text: &str| text.parse::<ItemId>().expect("an id");
    let items = [
        (ItemType::Directive, id("ops/roll_back")),
        (ItemType::Directive, id("a/twin_one")),
        (ItemType::Directive, id("b/twin_one")),
        (ItemType::Directive, id("still-kebab")),
        (ItemType::Directive, id("x/still_kebab")),
        (ItemType::Knowledge, id("roll-back")),
    ];
    let renames = Renames::new(&BTreeMap::new(), &items);
    let text = |ids: [&str; 5]| ids.map(|id| format!("<depends_on>{id}</depends_on>\n")).concat();
    let old = text(["ops/roll-back", "roll-back", "twin-one", "still-kebab", "nowhere-to-be"]);
    let new = text(["ops/roll_back", "roll_back", "twin-one", "still-kebab", "nowhere-to-be"]);
    assert_eq!(migrate(&greet(), &old, Scope::All, &renames).text, new);
    assert_eq!(migrate(&greet(), &old, Scope::References, &renames).text, old);
    let notes = subject(ItemType::Knowledge, "demo/notes", "md");
    let found = migrate(&notes, "[[ops/roll-back]] [[roll-back]]\n", Scope::All, &renames);
    assert_eq!(found.text, "[[ops/roll_back]] [[roll-back]]\n");
}
