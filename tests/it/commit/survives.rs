//! What was signed still verifies after a history was rewritten: squashed, rebased, picked.

use super::{ECHO, NOTES, note};
use crate::support::{Person, Sandbox};

#[test]
fn items_and_countersignatures_survive_squash_rebase_and_cherry_pick() {
    let sandbox = Sandbox::signed();
    sandbox.git(&["checkout", "-qb", "work"]);
    sandbox.edit(NOTES, "short", "one");
    sandbox.rye(&["commit", "--yes", "-qm", "one"]).succeeds();
    sandbox.edit(ECHO, "category", "category ");
    sandbox.rye(&["commit", "--yes", "-qm", "two"]).succeeds();
    let bob = Person::new("bob");
    sandbox.rye(&["sign", "knowledge", "demo/notes", "--detached", "-q"]).by(&bob).succeeds();
    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.put("README.md", "# on\n");
    sandbox.commit("main goes on");
    let verified = |branch: &str| {
        sandbox.rye(&["verify", "--rev", branch, "-q"]).succeeds();
        let blob = sandbox.git(&["rev-parse", &format!("{branch}:{NOTES}")]);
        assert_eq!(note(&sandbox, blob.trim()).len(), 2, "{branch}");
    };
    sandbox.git(&["checkout", "-qb", "squashed"]);
    sandbox.git(&["merge", "-q", "--squash", "work"]);
    sandbox.git(&["commit", "-qm", "squashed"]);
    verified("squashed");
    sandbox.git(&["checkout", "-qb", "picked", "main"]);
    sandbox.git(&["cherry-pick", "work~", "work"]);
    verified("picked");
    sandbox.git(&["checkout", "-q", "work"]);
    sandbox.git(&["rebase", "-q", "main"]);
    verified("work");
}
