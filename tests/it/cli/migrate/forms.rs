//! The tree of `tests/forms/items` migrated: what changes becomes what `tests/forms/migrated` holds, and no old form is left.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::Sandbox;
use crate::support::beside::files;

/// Returns path and text of every file below a folder, by path.
fn tree(folder: &Path) -> Vec<(String, String)> {
    let name = |path: &Path| path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
    files(folder).iter().map(|path| (name(path), fs::read_to_string(path).unwrap())).collect()
}

/// Path, rule and severity of everything that `rye lint` finds.
fn linted(sandbox: &Sandbox) -> Vec<String> {
    let outcome: Value = serde_json::from_slice(&sandbox.rye(&["lint", "--json"]).stdout()).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let shown = |finding: &Value| ["path", "rule", "severity"].map(|key| text(&finding[key])).join(" ");
    outcome["findings"].as_array().unwrap().iter().map(shown).collect()
}

/// Every old form, permissions without a reason, and what `migrate` leaves.
const BEFORE: [&str; 41] = [
    ".ai/directives/garden/grant_much.md RYE-P007 warning",
    ".ai/directives/garden/grant_much.md RYE-P007 warning",
    ".ai/directives/garden/grant_much.md RYE-P007 warning",
    ".ai/directives/garden/grant_much.md RYE-P009 warning",
    ".ai/directives/garden/grant_much.md RYE-P008 warning",
    ".ai/directives/garden/order_seeds.md RYE-P007 warning",
    ".ai/directives/garden/order_seeds.md RYE-P007 warning",
    ".ai/directives/garden/order_seeds.md RYE-U017 warning",
    ".ai/directives/garden/order_seeds.md RYE-P007 warning",
    ".ai/directives/garden/order_seeds.md RYE-P016 advice",
    ".ai/directives/garden/order_seeds.md RYE-D036 advice",
    ".ai/directives/garden/plan_season.md RYE-U013 warning",
    ".ai/directives/garden/plan_season.md RYE-D065 warning",
    ".ai/directives/garden/plan_season.md RYE-D065 warning",
    ".ai/directives/garden/plan_season.md RYE-D053 warning",
    ".ai/directives/garden/plan_season.md RYE-D035 warning",
    ".ai/directives/garden/plan_season.md RYE-D035 warning",
    ".ai/directives/garden/plan_season.md RYE-P009 warning",
    ".ai/directives/garden/water-beds.md RYE-D033 warning",
    ".ai/directives/garden/water-beds.md RYE-D034 warning",
    ".ai/directives/garden/water-beds.md RYE-P007 warning",
    ".ai/directives/garden/water-beds.md RYE-P004 warning",
    ".ai/directives/garden/water-beds.md RYE-P007 warning",
    ".ai/directives/garden/water-beds.md RYE-P007 warning",
    ".ai/directives/garden/water-beds.md RYE-U013 warning",
    ".ai/knowledge/garden/old-notes.md RYE-K007 warning",
    ".ai/knowledge/garden/soil-types.md RYE-K008 warning",
    ".ai/tools/garden/beds_extractor.yaml RYE-T012 warning",
    ".ai/tools/garden/beds_extractor.yaml RYE-T010 warning",
    ".ai/tools/garden/beds_extractor.yaml RYE-T010 warning",
    ".ai/tools/garden/beds_extractor.yaml RYE-T010 warning",
    ".ai/tools/garden/beds_extractor.yaml RYE-T010 warning",
    ".ai/tools/garden/caps_flat.yaml RYE-T012 warning",
    ".ai/tools/garden/caps_flat.yaml RYE-U018 warning",
    ".ai/tools/garden/caps_tree.yaml RYE-T012 warning",
    ".ai/tools/garden/caps_tree.yaml RYE-U018 warning",
    ".ai/tools/garden/http.yaml RYE-T012 warning",
    ".ai/tools/garden/http.yaml RYE-T009 warning",
    ".ai/tools/garden/measure.py RYE-T012 warning",
    ".ai/tools/garden/pots.config-schema.yaml RYE-S020 warning",
    ".ai/tools/garden/runtime.yaml RYE-T012 warning",
];

/// What `migrate` leaves: what has no effect yet, tools that nothing runs, two calls as advice, a requirement and a link that nothing meets, a name
/// with a dot.
const AFTER: [&str; 22] = [
    ".ai/directives/garden/order_seeds.md RYE-U017 warning",
    ".ai/directives/garden/order_seeds.md RYE-P016 advice",
    ".ai/directives/garden/order_seeds.md RYE-D036 advice",
    ".ai/directives/garden/plan_season.md RYE-U013 warning",
    ".ai/directives/garden/plan_season.md RYE-D065 warning",
    ".ai/directives/garden/plan_season.md RYE-D065 warning",
    ".ai/directives/garden/plan_season.md RYE-D053 warning",
    ".ai/directives/garden/water_beds.md RYE-U013 warning",
    ".ai/knowledge/garden/soil-types.md RYE-K008 warning",
    ".ai/tools/garden/beds_extractor.yaml RYE-T012 warning",
    ".ai/tools/garden/beds_extractor.yaml RYE-T010 warning",
    ".ai/tools/garden/beds_extractor.yaml RYE-T010 warning",
    ".ai/tools/garden/beds_extractor.yaml RYE-T010 warning",
    ".ai/tools/garden/beds_extractor.yaml RYE-T010 warning",
    ".ai/tools/garden/caps_flat.yaml RYE-T012 warning",
    ".ai/tools/garden/caps_flat.yaml RYE-U018 warning",
    ".ai/tools/garden/caps_tree.yaml RYE-T012 warning",
    ".ai/tools/garden/caps_tree.yaml RYE-U018 warning",
    ".ai/tools/garden/http.yaml RYE-T012 warning",
    ".ai/tools/garden/measure.py RYE-T012 warning",
    ".ai/tools/garden/pots.config-schema.yaml RYE-S020 warning",
    ".ai/tools/garden/runtime.yaml RYE-T012 warning",
];

#[test]
fn a_tree_of_every_form_becomes_this_one() {
    let forms = Path::new(crate::support::ROOT).join("tests/forms");
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    for (path, text) in tree(&forms.join("items")) {
        sandbox.put(&format!(".ai/{path}"), &text);
    }
    sandbox.commit("as they came");
    assert_eq!(linted(&sandbox), BEFORE);
    sandbox.rye(&["migrate", "--write", "-q"]).succeeds();
    let mut wanted: BTreeMap<_, _> =
        tree(&forms.join("items")).into_iter().chain(tree(&forms.join("migrated"))).collect();
    wanted.remove("directives/garden/water-beds.md").unwrap();
    assert_eq!(tree(&sandbox.project().join(".ai")), wanted.into_iter().collect::<Vec<_>>());
    sandbox.rye(&["migrate", "--check"]).succeeds();
    assert_eq!(linted(&sandbox), AFTER);
}
