//! Sparse checkouts: every verb says what is not checked out, and nothing of it is written over, removed or passed by silence.

use super::*;

/// Makes a project with a signed note and a signed skill, and checks out only some folders.
fn sparse(folders: &[&str], is_sparse_index: bool) -> Sandbox {
    let sandbox = with_skill();
    sandbox.put(".ai/knowledge/team/note.md", &note("note"));
    sandbox.put(".ai/tools/other/.keep", "");
    sandbox.put("src/x", "x\n");
    sandbox.rye(&["sign", "knowledge", "--all", "-q"]).succeeds();
    sandbox.rye(&["sign", "skill", "--all", "-q"]).succeeds();
    sandbox.commit("first");
    let index = if is_sparse_index { "--sparse-index" } else { "--no-sparse-index" };
    sandbox.git(&[&["sparse-checkout", "set", "--cone", index], folders].concat());
    sandbox
}

fn note(name: &str) -> String {
    format!(
        "```yaml\nname: \"{name}\"\ntitle: \"A note\"\ncategory: \"team\"\nversion: \"1.0.0\"\nentry_type: reference\nauthor: \
         \"ada\"\ntags: []\n```\n\n# A note\n\nText.\n"
    )
}

#[test]
fn every_verb_tells_what_a_sparse_checkout_leaves_out() {
    for is_sparse_index in [false, true] {
        let sandbox = sparse(&["src"], is_sparse_index);
        for args in [&["status"][..], &["list"], &["lint"], &["sign", "--all"], &["diff"], &["verify", "--allow-empty"]]
        {
            let seen = sandbox.rye(args).transcript();
            let told = "of `.ai` are not checked out, because of a sparse checkout";
            assert!(seen.contains(told) && seen.contains("[exit 0]"), "{args:?}: {seen}");
            assert!(!seen.contains("is in the last commit"), "{args:?}: {seen}");
        }
        for args in [
            &["load", "knowledge", "team/note"][..],
            &["sign", "knowledge", "team/note"],
            &["lint", "team/note"],
            &["mv", "knowledge", "team/note", "team/other"],
            &["new", "knowledge", "team/note"],
            &["execute", "skill", "read-pdf"],
        ] {
            let seen = sandbox.rye(args).transcript();
            let is_told = seen.contains("is not checked out") && seen.contains("git sparse-checkout add .ai/");
            assert!(is_told && !seen.contains("[exit 0]"), "{args:?}: {seen}");
        }
        assert!(!sandbox.project().join(".ai/knowledge").exists());
    }
}

/// What is not here is judged as the index has it: a change of it does not pass.
#[test]
fn items_outside_of_a_sparse_checkout_are_judged_from_the_index() {
    for is_sparse_index in [false, true] {
        let sandbox = sparse(&["src"], is_sparse_index);
        assert_eq!(json(&sandbox, &["verify"])["summary"]["good"], 1);
        sandbox.git(&["sparse-checkout", "disable"]);
        let path = ".ai/knowledge/team/note.md";
        let text = fs::read_to_string(sandbox.project().join(path)).unwrap();
        sandbox.put(path, &text.replace("Text.", "Other."));
        sandbox.git(&["commit", "-q", "-am", "changed"]);
        sandbox.git(&["sparse-checkout", "set", "--cone", "src"]);
        assert!(found(&sandbox, &[]).contains(&("RYE-S004".to_owned(), path.to_owned())));
    }
}

/// A folder without its signature is not an unsigned skill, and signing it would write over a signature unseen.
#[test]
fn a_skill_whose_signature_is_not_checked_out_is_neither_unsigned_nor_signed_anew() {
    for is_sparse_index in [false, true] {
        let sandbox = sparse(&["src", ".claude"], is_sparse_index);
        assert_found(&sandbox, &[], &[]);
        let seen = sandbox.rye(&["sign", "skill", "read-pdf"]).transcript();
        assert!(seen.contains("is not checked out") && !seen.contains("[exit 0]"), "{seen}");
        assert!(!sandbox.project().join(MANIFEST).exists());
        let seen = sandbox.rye(&["execute", "skill", "read-pdf"]).transcript();
        assert!(seen.contains("is not checked out") && !seen.contains("[exit 0]"), "{seen}");
        sandbox.put(&format!("{PDF}/notes/form.md"), "Other.\n");
        assert_found(&sandbox, &[], &[("RYE-A022", &format!("{PDF}/notes/form.md"))]);
    }
}

/// What a project's configuration says counts whatever a person has checked out, and its trust files are not begun anew.
#[test]
fn configuration_and_trust_files_count_outside_of_a_sparse_checkout() {
    let sandbox = with_skill();
    sandbox.put("src/x", "x\n");
    sandbox.put(".ai/config.toml", "nonsense = 1\n");
    sandbox.put(".ai/trust/allowed_signers", "# ours\n");
    sandbox.put(
        "key.pub",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIXxRoYKW4dYkzK/uf+Nhmzh1Xg/Dp9rog9p4/htk+oy bo@example.org\n",
    );
    sandbox.commit("first");
    for index in ["--sparse-index", "--no-sparse-index"] {
        sandbox.git(&["sparse-checkout", "set", "--cone", index, "src"]);
        assert!(!sandbox.project().join(".ai").exists());
        assert_found(&sandbox, &["--allow-empty"], &[("RYE-M003", ".ai/config.toml")]);
        let seen = sandbox.rye(&["trust", "add", "--project", "key.pub"]).transcript();
        assert!(seen.contains("is not checked out") && !sandbox.project().join(".ai/trust").exists(), "{seen}");
    }
}
