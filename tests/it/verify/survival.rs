//! What people do to history by stock git: items and countersignatures belong to blobs, and outlive their commits.

use super::*;

const POLICY: &str = "format = 1\n[[require]]\nitems = \"demo/*\"\nsigners = 2\n";

/// Two commits on a branch, each with an item that two people signed; `main` went on meanwhile.
fn branched() -> Sandbox {
    let sandbox = project_with(&[("policy.toml", POLICY)]);
    for path in [NOTES, GREET] {
        countersign(&sandbox, path, BOB);
    }
    sandbox.git(&["checkout", "-q", "-b", "topic"]);
    for name in ["one", "two"] {
        let path = format!(".ai/knowledge/demo/{name}.md");
        sandbox.put(&path, &signed(&path, &NOTES_TEXT.replace("name: notes", &format!("name: {name}")), BOB));
        sandbox.commit(name);
        countersign(&sandbox, &path, ADA);
    }
    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.put("README", "meanwhile\n");
    sandbox.commit("meanwhile");
    sandbox
}

fn assert_good(sandbox: &Sandbox, items: u64) {
    // Nothing of the old commits is left to lean on.
    sandbox.git(&["branch", "-q", "-D", "topic"]);
    sandbox.git(&["reflog", "expire", "--expire=now", "--all"]);
    sandbox.git(&["gc", "-q", "--prune=now"]);
    for args in [["--rev", "HEAD"], ["--range", "base..HEAD"]] {
        let seen = verify(sandbox, &[&args[..], &["--trust-root", "base"]].concat());
        seen.is_ok();
        assert_eq!(seen.json["summary"]["good"], items);
    }
}

#[test]
fn a_squash_keeps_every_signature() {
    let sandbox = branched();
    sandbox.git(&["merge", "-q", "--squash", "topic"]);
    sandbox.commit("squashed");
    assert_good(&sandbox, 4);
}

#[test]
fn a_rebase_keeps_every_signature() {
    let sandbox = branched();
    sandbox.git(&["rebase", "-q", "main", "topic"]);
    sandbox.git(&["checkout", "-q", "-B", "main"]);
    assert_good(&sandbox, 4);
}

#[test]
fn a_cherry_pick_keeps_every_signature() {
    let sandbox = branched();
    sandbox.git(&["cherry-pick", "topic"]);
    assert_good(&sandbox, 3);
}
