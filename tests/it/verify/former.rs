//! What the base has, had or removed, and what a change may not go back behind: by its own signature, and by each that a policy
//! counts.

use super::repositories::cloned;
use super::*;

const SOURCES: [&[&str]; 3] = [&[], &["--rev", "HEAD"], &["--range", "base..HEAD"]];
const LAST: &str = "2026-03-19T00:00:00Z";
const PAIR: &str = "format = 1\n[[require]]\nitems = \"demo/*\"\ntype = \"knowledge\"\nsigners = 2\n";

fn against_base(sandbox: &Sandbox) -> impl Iterator<Item = Seen> {
    SOURCES.into_iter().map(|source| verify(sandbox, &[source, &["--trust-root", "base"]].concat()))
}

/// Commits the present files as the base.
fn becomes_base(sandbox: &Sandbox) {
    sandbox.git(&["add", "-A"]);
    sandbox.git(&["commit", "-q", "--allow-empty", "-m", "base"]);
    sandbox.git(&["branch", "-f", "base"]);
}

fn back_to_base(sandbox: &Sandbox) {
    sandbox.git(&["checkout", "-q", "-f", "-B", "change", "base"]);
    sandbox.git(&["clean", "-qfd"]);
}

fn text(words: &str) -> String {
    NOTES_TEXT.replace("short", words)
}

/// Puts somebody's signature of a text into a note on the file's blob.
fn countersign_at(sandbox: &Sandbox, words: &str, number: u8, at: &str) {
    let (line, _) = Signed::new(subject(NOTES), text(words).into_bytes()).sign(&key(number), time(at)).unwrap();
    note(sandbox, NOTES, &line.bare());
}

/// Ada signs a text, and Bob countersigns it.
fn both_sign(sandbox: &Sandbox, words: &str, at: &str) {
    sandbox.put(NOTES, &signed_at(NOTES, &text(words), ADA, at));
    countersign_at(sandbox, words, BOB, at);
}

#[test]
fn an_old_signature_beside_a_new_one_does_not_count() {
    let sandbox = project_with(&[("policy.toml", PAIR)]);
    sandbox.rye(&["key", "generate"]).succeeds();
    both_sign(&sandbox, "short", TIME);
    sandbox.git(&["branch", "first"]);
    both_sign(&sandbox, "brief", LATER);
    becomes_base(&sandbox);
    // Bob alone brings the first text back, with Ada's signature from then.
    sandbox.put(NOTES, &signed_at(NOTES, &text("short"), BOB, LAST));
    countersign_at(&sandbox, "short", ADA, TIME);
    sandbox.commit("back");
    let back = head(&sandbox);
    // It is good by itself, and remembered.
    verify(&sandbox, &["--rev", "HEAD", "--trust-root", "first"]).is_ok();
    for seen in against_base(&sandbox) {
        seen.is_refused(&[("RYE-S012", NOTES)]);
        assert!(
            seen.field(0, "message").ends_with("1 of the 2 people who must sign it have signed it"),
            "{:#}",
            seen.json
        );
        let because = "signatures made before the other content that the base has in its place \
                       (signed at 2026-03-18T00:00:00Z) do not count";
        assert_eq!(seen.field(0, "because"), because);
    }
    // Also on the way.
    both_sign(&sandbox, "brief", "2026-03-20T00:00:00Z");
    sandbox.commit("mended");
    let seen = verify(&sandbox, &["--range", "base..HEAD", "--trust-root", "base"]);
    seen.is_refused(&[("RYE-S012", NOTES)]);
    assert_eq!(seen.field(0, "commit_id"), back);
    // Ada signs it again.
    sandbox.git(&["reset", "-q", "--hard", &back]);
    countersign_at(&sandbox, "short", ADA, LAST);
    against_base(&sandbox).for_each(|seen| seen.is_ok());
}

/// The parent of a merge has the newer text, or the base removed the item.
#[test]
fn an_old_signature_does_not_count_after_a_merge_or_a_removal() {
    let sandbox = project_with(&[("policy.toml", PAIR)]);
    both_sign(&sandbox, "short", TIME);
    sandbox.git(&["branch", "first"]);
    sandbox.git(&["checkout", "-q", "-b", "stale"]);
    sandbox.put(NOTES, &signed_at(NOTES, &text("short"), BOB, LAST));
    countersign_at(&sandbox, "short", ADA, TIME);
    sandbox.commit("the same text, signed by Bob");
    sandbox.git(&["checkout", "-q", "main"]);
    both_sign(&sandbox, "brief", LATER);
    sandbox.commit("brief");
    let tree = rev(&sandbox, "stale^{tree}");
    let merge = sandbox.git(&["commit-tree", "-m", "merge", "-p", "main", "-p", "stale", &tree]);
    let seen = verify(&sandbox, &["--range", &format!("first..{}", merge.trim()), "--trust-root", "first"]);
    seen.is_refused(&[("RYE-S012", NOTES)]);
    assert_eq!(seen.field(0, "commit_id"), merge.trim());

    sandbox.git(&["rm", "-q", NOTES]);
    becomes_base(&sandbox);
    sandbox.put(NOTES, &signed_at(NOTES, &text("short"), BOB, LAST));
    countersign_at(&sandbox, "short", ADA, TIME);
    sandbox.commit("back");
    for seen in against_base(&sandbox) {
        seen.is_refused(&[("RYE-S012", NOTES)]);
        assert!(seen.field(0, "because").starts_with("signatures made before the base removed it"), "{:#}", seen.json);
    }
    countersign_at(&sandbox, "short", ADA, LAST);
    against_base(&sandbox).for_each(|seen| seen.is_ok());
}

#[test]
fn an_old_signature_of_the_person_whom_a_policy_names_does_not_count() {
    let policy = "format = 1\n[[require]]\nitems = \"demo/*\"\nsigners = 1\nprincipals = [\"ada@example.org\"]\n";
    let sandbox = project_with(&[("policy.toml", policy)]);
    sandbox.put(NOTES, &signed_at(NOTES, &text("brief"), ADA, LATER));
    becomes_base(&sandbox);
    sandbox.put(NOTES, &signed_at(NOTES, &text("short"), BOB, LAST));
    countersign_at(&sandbox, "short", ADA, TIME);
    sandbox.commit("back");
    against_base(&sandbox).for_each(|seen| seen.is_refused(&[("RYE-S012", NOTES)]));
    countersign_at(&sandbox, "short", ADA, LAST);
    against_base(&sandbox).for_each(|seen| seen.is_ok());
}

/// What people signed before goes along with the content, as long as it is not older than what the base has in its place.
#[test]
fn signatures_made_before_a_squash_rebase_or_pick_count() {
    let sandbox = project_with(&[("policy.toml", PAIR)]);
    both_sign(&sandbox, "short", TIME);
    sandbox.git(&["checkout", "-q", "-b", "topic"]);
    both_sign(&sandbox, "brief", LATER);
    sandbox.commit("brief");
    both_sign(&sandbox, "terse", LATER);
    sandbox.commit("terse");
    sandbox.git(&["tag", "tip"]);
    sandbox.git(&["checkout", "-q", "--detach", "base"]);
    sandbox.put("README", "moved on\n");
    becomes_base(&sandbox);
    let orders: [&[&str]; 3] =
        [&["merge", "-q", "--squash", "topic"], &["rebase", "-q", "base", "topic"], &["cherry-pick", "tip~", "tip"]];
    for order in orders {
        back_to_base(&sandbox);
        sandbox.git(order);
        sandbox.git(&["commit", "-q", "--allow-empty", "-m", "done"]);
        against_base(&sandbox).for_each(|seen| seen.is_ok());
    }
    // The same content is not a change, whoever signed it when.
    sandbox.git(&["branch", "-f", "base"]);
    back_to_base(&sandbox);
    sandbox.put(NOTES, &signed_at(NOTES, &text("terse"), BOB, TIME));
    countersign_at(&sandbox, "terse", ADA, TIME);
    sandbox.commit("signed by Bob");
    against_base(&sandbox).for_each(|seen| seen.is_ok());
    // A revert is a change, which people sign anew.
    back_to_base(&sandbox);
    sandbox.put(NOTES, &signed_at(NOTES, &text("short"), ADA, TIME));
    sandbox.commit("revert");
    against_base(&sandbox).for_each(|seen| seen.is_refused(&[("RYE-S011", NOTES)]));
    both_sign(&sandbox, "short", LAST);
    sandbox.commit("signed");
    let both = ["--rev", "HEAD", "--trust-root", "base"];
    verify(&sandbox, &both).is_ok();
}

/// Puts an entry that is not a file into an item's place.
fn put_no_file(sandbox: &Sandbox, mode: &str, id: &str) {
    sandbox.git(&["rm", "-q", "--cached", NOTES]);
    fs::remove_file(sandbox.project().join(NOTES)).unwrap();
    sandbox.git(&["update-index", "--add", "--cacheinfo", &format!("{mode},{id},{NOTES}")]);
    sandbox.git(&["commit", "-q", "-m", mode]);
}

#[test]
fn an_item_that_a_link_or_submodule_replaced_was_removed() {
    for mode in ["120000", "160000"] {
        let sandbox = project();
        sandbox.put("target", "greet.md");
        let target = sandbox.git(&["hash-object", "-w", "target"]);
        let id = if mode == "160000" { head(&sandbox) } else { target.trim().to_owned() };
        put_no_file(&sandbox, mode, &id);
        sandbox.git(&["rm", "-q", "--cached", NOTES]);
        sandbox.git(&["commit", "-q", "-m", "removed"]);
        sandbox.git(&["branch", "-f", "base"]);
        sandbox.put(NOTES, &signed(NOTES, NOTES_TEXT, ADA));
        sandbox.commit("back");
        against_base(&sandbox).for_each(|seen| seen.is_refused(&[("RYE-S011", NOTES)]));
        sandbox.put(NOTES, &signed_at(NOTES, NOTES_TEXT, ADA, LATER));
        sandbox.commit("signed again");
        verify(&sandbox, &["--rev", "HEAD", "--trust-root", "base"]).is_ok();
    }
}

/// What befell an item of the base, and how it is done.
type Accident<'a> = (&'a str, &'a dyn Fn(&Sandbox));

/// Whatever the base has there by accident: only the last good text may come back as it was.
#[test]
fn where_the_base_has_no_good_item_its_last_good_one_counts() {
    let other = ".ai/knowledge/demo/notes.yaml";
    let good = signed_at(NOTES, &text("brief"), ADA, LATER);
    let accidents: [Accident<'_>; 8] = [
        ("unsigned", &|sandbox| sandbox.put(NOTES, &text("brief"))),
        ("tampered", &|sandbox| sandbox.put(NOTES, &good.replace("brief", "evil"))),
        ("of a stranger", &|sandbox| sandbox.put(NOTES, &signed(NOTES, &text("evil"), EVE))),
        ("no text", &|sandbox| sandbox.put(NOTES, "\0")),
        ("too large", &|sandbox| sandbox.put(NOTES, &"x".repeat(3_000_000))),
        ("a link", &|sandbox| {
            fs::remove_file(sandbox.project().join(NOTES)).unwrap();
            std::os::unix::fs::symlink("../../directives/demo/greet.md", sandbox.project().join(NOTES)).unwrap();
        }),
        ("another extension", &|sandbox| {
            fs::remove_file(sandbox.project().join(NOTES)).unwrap();
            sandbox.put(other, "a: b\n");
        }),
        ("two extensions", &|sandbox| sandbox.put(other, "a: b\n")),
    ];
    for (accident, put) in accidents {
        let sandbox = project();
        let old = fs::read_to_string(sandbox.project().join(NOTES)).unwrap();
        sandbox.put(NOTES, &good);
        sandbox.commit("brief");
        put(&sandbox);
        becomes_base(&sandbox);
        let restore = |text: &str| {
            back_to_base(&sandbox);
            for path in [other, NOTES] {
                fs::remove_file(sandbox.project().join(path)).ok();
            }
            sandbox.put(NOTES, text);
            sandbox.commit("mended");
        };
        restore(&good);
        against_base(&sandbox).for_each(|seen| seen.is_ok());
        restore(&old);
        for seen in against_base(&sandbox) {
            let found: Vec<_> = seen.findings();
            assert_eq!(found, [("error", "RYE-S011", NOTES)], "{accident}");
        }
        // On the way, too.
        sandbox.put(NOTES, &good);
        sandbox.commit("mended again");
        let seen = verify(&sandbox, &["--range", "base..HEAD", "--trust-root", "base"]);
        assert_eq!(seen.findings(), [("error", "RYE-S011", NOTES)], "{accident}");
    }
}

/// The search for removed items reads every tree on its way.
#[test]
fn a_clone_without_trees_says_what_is_missing() {
    let origin = project();
    for text in ["one", "two"] {
        origin.put("README", text);
        origin.commit(text);
    }
    origin.git(&["rm", "-q", NOTES]);
    origin.commit("removed");
    origin.git(&["branch", "-f", "base"]);
    origin.put("README", "three");
    origin.put(NOTES, &signed(NOTES, NOTES_TEXT, ADA));
    origin.commit("back");
    origin.git(&["config", "uploadpack.allowFilter", "true"]);
    let sandbox = cloned(&origin, &["--filter=tree:0"]);
    sandbox.git(&["checkout", "-q", "origin/base"]);
    sandbox.git(&["checkout", "-q", "origin/main"]);
    let root = ["--trust-root", "refs/remotes/origin/base"];
    for source in [&[][..], &["--rev", "HEAD"], &["--range", "refs/remotes/origin/base..HEAD"]] {
        let seen = verify(&sandbox, &[source, &root].concat());
        seen.fails("1", "git-partial");
    }
    // The command that is told brings them.
    let seen = verify(&sandbox, &root);
    let hint = seen.json["error"]["hints"][0].as_str().unwrap_or_default().to_owned();
    let command = hint.split('`').nth(1).unwrap_or_default();
    sandbox.git(&command.split(' ').skip(1).collect::<Vec<_>>());
    verify(&sandbox, &root).is_refused(&[("RYE-S011", NOTES)]);
}

/// A commit that begins a history of its own has no parent to be compared with.
#[test]
fn a_commit_without_parents_is_compared_with_the_base() {
    let sandbox = project();
    let old = fs::read_to_string(sandbox.project().join(NOTES)).unwrap();
    sandbox.put(NOTES, &signed_at(NOTES, &text("brief"), ADA, LATER));
    becomes_base(&sandbox);
    sandbox.git(&["checkout", "-q", "--orphan", "other"]);
    sandbox.git(&["rm", "-rfq", "."]);
    sandbox.put(NOTES, &old);
    sandbox.commit("orphan");
    let orphan = head(&sandbox);
    back_to_base(&sandbox);
    sandbox.git(&["merge", "-q", "-s", "ours", "--allow-unrelated-histories", "-m", "joined", &orphan]);
    let seen = verify(&sandbox, &["--range", "base..HEAD", "--trust-root", "base"]);
    seen.is_refused(&[("RYE-S011", NOTES)]);
    assert_eq!(seen.field(0, "commit_id"), orphan);
}

/// Names outside of `.ai` are not checked here.
#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_not_utf_8_ends_no_verification() {
    use std::os::unix::ffi::OsStrExt;
    let sandbox = project();
    let strange = sandbox.project().join(std::ffi::OsStr::from_bytes(b"caf\xe9"));
    fs::write(&strange, "x\n").unwrap();
    sandbox.git(&["rm", "-q", NOTES]);
    becomes_base(&sandbox);
    for is_there in [true, false] {
        if !is_there {
            fs::remove_file(&strange).unwrap();
            becomes_base(&sandbox);
        }
        sandbox.put(NOTES, &signed_at(NOTES, NOTES_TEXT, ADA, LATER));
        sandbox.commit("signed again");
        against_base(&sandbox).for_each(|seen| seen.is_ok());
        sandbox.git(&["rm", "-q", NOTES]);
    }
}
