//! Whose work an item is that a commit would sign, as it is told to whoever is asked.

use std::fs;

use rye::id::ItemType;
use rye::trust::{Signed, SigningKey, Subject};

use super::{ECHO, GREET, NOTES, assert_clean};
use crate::support::{Person, Sandbox, has, on_terminal};

/// A project whose author has signed and committed everything, and where Bob works.
fn bobs() -> (Sandbox, Person) {
    let (sandbox, bob) = (Sandbox::signed(), Person::new("bob"));
    // Fixed randomness makes two keys that are made by two runs one: both are made by one.
    sandbox.key_id(&bob);
    (sandbox, bob)
}

fn line_of(sandbox: &Sandbox, path: &str) -> String {
    fs::read_to_string(sandbox.project().join(path)).unwrap().lines().next().unwrap().to_owned()
}

fn assert_refused(seen: &str, reason: &str) {
    let sentences = ["error: not committed: ", " your confirmation: ", reason];
    assert!(sentences.iter().all(|sentence| seen.contains(sentence)), "{seen}");
    assert!(seen.contains("hint: review them with `git diff HEAD -- .ai`") && seen.ends_with("[exit 3]\n"), "{seen}");
}

#[test]
fn what_others_signed_last_waits_for_a_yes() {
    let (sandbox, bob) = bobs();
    let author = line_of(&sandbox, ECHO);
    let author = author.rsplit(':').next().unwrap();
    sandbox.edit(ECHO, "category", "category ");
    let before = fs::read(sandbox.project().join(ECHO)).unwrap();
    let head = sandbox.git(&["rev-parse", "HEAD"]);
    let seen = sandbox.rye(&["commit", "-m", "mine?"]).by(&bob).transcript();
    assert_refused(&seen, &format!("`{ECHO}` (last signed by {author})"));
    assert_eq!(fs::read(sandbox.project().join(ECHO)).unwrap(), before);
    assert_eq!(
        (sandbox.git(&["rev-parse", "HEAD"]), sandbox.git(&["diff", "--cached", "--name-only"])),
        (head, String::new())
    );
    let seen = sandbox.rye(&["commit", "-m", "mine", "--yes"]).by(&bob).transcript();
    assert!(seen.contains("signed\ttool\tdemo/echo") && seen.ends_with("[exit 0]\n"), "{seen}");
    assert!(line_of(&sandbox, ECHO).ends_with(&sandbox.key_id(&bob)));
    // It is Bob's from now on.
    sandbox.edit(ECHO, "category ", "category  ");
    sandbox.rye(&["commit", "--yes", "-qm", "mine again"]).by(&bob).succeeds();
    assert_clean(&sandbox);
}

#[test]
fn the_question_is_asked_on_the_terminal() {
    if !has("python3") {
        return;
    }
    let sandbox = Sandbox::signed();
    let author = sandbox.key_id(&Person::new("bob"));
    sandbox.rye(&["sign", "tool", "demo/fail", "-q"]).succeeds();
    let text = fs::read_to_string(sandbox.project().join(NOTES)).unwrap();
    sandbox.put(
        NOTES,
        &text.replacen(text.lines().next().unwrap().rsplit(':').next().unwrap().split(' ').next().unwrap(), &author, 1),
    );
    sandbox.commit("as if Bob had signed it");
    sandbox.edit(NOTES, "short", "other");
    let rye = crate::support::RYE;
    let (seen, code) = on_terminal(&sandbox, &[("sign 1 item as yours? [y/N]", "n\n")], &[rye, "commit", "-m", "no"]);
    assert!(code == 5 && seen.contains("last signed by"), "{seen}");
    let (seen, code) = on_terminal(&sandbox, &[("sign 1 item as yours? [y/N]", "y\n")], &[rye, "commit", "-m", "yes"]);
    assert_eq!(code, 0, "{seen}");
    assert_clean(&sandbox);
}

#[test]
fn a_line_that_only_names_ones_key_proves_nothing() {
    let sandbox = Sandbox::signed();
    let own = line_of(&sandbox, ECHO);
    // A line of one's own under another item's name.
    let text = fs::read_to_string(sandbox.project().join(ECHO)).unwrap();
    sandbox.put(".ai/tools/demo/new.sh", &text.replace("Returns", "Destroys"));
    let seen = sandbox.rye(&["commit", "-m", "no"]).transcript();
    assert_refused(&seen, "`.ai/tools/demo/new.sh` (its signature line is not yours)");
    fs::remove_file(sandbox.project().join(".ai/tools/demo/new.sh")).unwrap();

    // Another person's item gets a made-up line with one's own key.
    let bob = Person::new("bob");
    sandbox.put(NOTES, &fs::read_to_string(sandbox.project().join(NOTES)).unwrap().replacen("short", "bob's", 1));
    sandbox.rye(&["commit", "-qm", "Bob's", "--yes"]).by(&bob).env("RYE_NOW", "2026-04-01T00:00:00Z").succeeds();
    let text = fs::read_to_string(sandbox.project().join(NOTES)).unwrap();
    let bobs = sandbox.key_id(&bob);
    let forged = text.replace("2026-04-01", "2027-04-01").replace(&bobs, own.rsplit(':').next().unwrap());
    sandbox.put(NOTES, &forged.replace("bob's", "mine"));
    assert_refused(&sandbox.rye(&["commit", "-m", "no"]).transcript(), "(its signature line is not yours)");
    // The line is taken out: then the committed version has the last signer.
    sandbox.put(NOTES, text.split_once('\n').unwrap().1);
    assert_refused(&sandbox.rye(&["commit", "-m", "no"]).transcript(), &format!("(last signed by {bobs})"));
}

#[test]
fn a_line_of_ones_own_from_before_somebody_elses_proves_nothing() {
    let sandbox = Sandbox::signed();
    let own = fs::read_to_string(sandbox.project().join(NOTES)).unwrap();
    let bob = Person::new("bob");
    sandbox.edit(NOTES, "short", "bob's");
    sandbox.rye(&["commit", "-qm", "Bob's", "--yes"]).by(&bob).env("RYE_NOW", "2026-04-01T00:00:00Z").succeeds();
    sandbox.put(NOTES, &own.replace("short", "replayed"));
    let seen = sandbox.rye(&["commit", "-m", "no"]).transcript();
    assert_refused(&seen, &format!("(last signed by {})", sandbox.key_id(&bob)));
    // Signed by oneself after Bob, and edited again: one's own.
    sandbox.edit(NOTES, "replayed", "taken over");
    let later = "2026-05-01T00:00:00Z";
    sandbox.rye(&["sign", "knowledge", "demo/notes", "-q", "--yes"]).env("RYE_NOW", later).succeeds();
    sandbox.edit(NOTES, "taken over", "edited");
    sandbox.rye(&["commit", "--yes", "-qm", "mine"]).env("RYE_NOW", later).succeeds();
}

#[test]
fn what_was_committed_without_a_signature_waits_for_a_yes() {
    let sandbox = Sandbox::with_items();
    sandbox.commit("nobody signed this");
    sandbox.edit(ECHO, "category", "category ");
    let seen = sandbox.rye(&["commit", "-m", "no"]).transcript();
    assert_refused(&seen, &format!("`{ECHO}` (committed before and never signed)"));
    // Moved elsewhere it is not newer.
    sandbox.git(&["checkout", "-q", "."]);
    sandbox.git(&["mv", ECHO, ".ai/tools/demo/say.sh"]);
    let seen = sandbox.rye(&["commit", "-m", "no"]).transcript();
    assert_refused(&seen, "`.ai/tools/demo/say.sh` (committed before and never signed)");
}

#[test]
fn what_somebody_else_signed_as_it_stands_is_committed_as_it_stands() {
    let (sandbox, bob) = bobs();
    sandbox.edit(NOTES, "short", "bob's");
    sandbox.edit(GREET, "Greet", "Meet");
    sandbox.rye(&["sign", "--all", "-q", "--yes"]).by(&bob).env("RYE_NOW", "2026-04-01T00:00:00Z").succeeds();
    let bobs = line_of(&sandbox, NOTES);
    sandbox.git(&["add", NOTES]);
    // Unstaged work is left alone: it might be an older version of theirs.
    let seen = sandbox.rye(&["commit", "-m", "Bob's"]).transcript();
    assert!(seen.contains("unchanged\tknowledge\tdemo/notes"), "{seen}");
    assert!(seen.contains(&format!("note: `{GREET}` is skipped: signed by another key and not staged")), "{seen}");
    assert_eq!(line_of(&sandbox, NOTES), bobs);
    assert_eq!(sandbox.git(&["show", "--format=", "--name-only", "HEAD"]).trim(), NOTES);
}

#[test]
fn in_a_merge_only_what_differs_from_every_side_is_ones_own() {
    let (sandbox, bob) = bobs();
    sandbox.git(&["checkout", "-qb", "bob"]);
    sandbox.edit(NOTES, "short", "bob's");
    sandbox.put(".ai/tools/demo/bobs.sh", "# version: \"1.0.0\"\n# description: Bob's\n# category: demo\ntrue\n");
    sandbox.rye(&["commit", "-qm", "Bob's", "--yes"]).by(&bob).env("RYE_NOW", "2026-04-01T00:00:00Z").succeeds();
    sandbox
        .put(".ai/tools/demo/unsigned.sh", "# version: \"1.0.0\"\n# description: Nobody's\n# category: demo\ntrue\n");
    sandbox.commit("unsigned");
    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.edit(NOTES, "short", "author's");
    sandbox.rye(&["commit", "--yes", "-qm", "author's"]).succeeds();
    let (code, said) = sandbox.try_git(&["merge", "-q", "bob"]);
    assert_eq!(code, 1, "{said}");
    let seen = sandbox.rye(&["commit", "-m", "merge"]).transcript();
    assert!(seen.contains(&format!("error: `{NOTES}` has conflicts that are not resolved")), "{seen}");
    let ours = sandbox.git(&["show", &format!("HEAD:{NOTES}")]);
    sandbox.put(NOTES, &ours.replace("author's", "author's and bob's"));
    sandbox.git(&["add", NOTES]);
    let seen = sandbox.rye(&["commit", "-m", "merge"]).transcript();
    assert_refused(&seen, &format!("`{NOTES}` (last signed by {})", sandbox.key_id(&bob)));
    assert!(!seen.contains("unsigned.sh") && !seen.contains("bobs.sh"), "{seen}");
    let seen = sandbox.rye(&["commit", NOTES, "-m", "part"]).transcript();
    assert!(seen.contains("error: a merge is being made, which is committed whole"), "{seen}");
    // What the other side left unsigned is not signed along, and stops the merge until it is.
    let unsigned = ".ai/tools/demo/unsigned.sh";
    let seen = sandbox.rye(&["commit", "-m", "merge", "--yes"]).transcript();
    assert!(seen.contains("`rye sign tool demo/unsigned`") && seen.ends_with("[exit 3]\n"), "{seen}");
    let text = fs::read_to_string(sandbox.project().join(unsigned)).unwrap();
    assert!(!text.contains("rye:signed"), "{text}");
    sandbox.rye(&["sign", "tool", "demo/unsigned", "-q", "--yes"]).succeeds();
    sandbox.git(&["add", unsigned]);
    sandbox.rye(&["commit", "-qm", "merge", "--yes"]).succeeds();
    assert_eq!(sandbox.git(&["log", "-1", "--format=%P"]).split_whitespace().count(), 2);
}

/// Signs a file as a thread does: with the agent key.
fn sign_as_agent(sandbox: &Sandbox) {
    let key = fs::read_to_string(sandbox.path("config/rye/keys/agent")).unwrap();
    let subject = Subject {
        item_type: ItemType::Knowledge,
        item_id: "demo/notes".parse().unwrap(),
        extension: "md".parse().unwrap(),
    };
    let raw = Signed::new(subject, fs::read(sandbox.project().join(NOTES)).unwrap());
    let now = "2026-04-01T00:00:00Z".parse().unwrap();
    let (_, bytes) = raw.sign(&SigningKey::from_text(&key).unwrap(), now).unwrap();
    fs::write(sandbox.project().join(NOTES), bytes).unwrap();
}

/// A project with both keys, all of it signed and committed.
fn with_both_keys() -> Sandbox {
    let sandbox = Sandbox::with_items();
    sandbox.rye(&["key", "generate", "-q"]).succeeds();
    sandbox.rye(&["commit", "--yes", "-qm", "first"]).succeeds();
    sandbox
}

#[test]
fn what_the_agent_signed_waits_for_a_yes() {
    let sandbox = with_both_keys();
    sandbox.edit(NOTES, "short", "written by a model");
    sign_as_agent(&sandbox);
    let reason = format!("`{NOTES}` (last signed by the agent)");
    assert_refused(&sandbox.rye(&["commit", "-m", "no"]).transcript(), &reason);
    sandbox.git(&["add", NOTES]);
    assert_refused(&sandbox.rye(&["commit", "-m", "no"]).transcript(), &reason);
    // Edited since, or committed as it was: the agent was last all the same.
    sandbox.edit(NOTES, "written by a model", "touched up");
    assert_refused(&sandbox.rye(&["commit", NOTES, "-m", "no"]).transcript(), &reason);
    sandbox.git(&["commit", "-qm", "as the agent left it"]);
    assert_refused(&sandbox.rye(&["commit", "-m", "no"]).transcript(), &reason);
    sandbox.rye(&["sign", "knowledge", "demo/notes", "-q", "--yes"]).env("RYE_NOW", "2026-05-01T00:00:00Z").succeeds();
    sandbox.rye(&["commit", "--yes", "-qm", "mine"]).succeeds();
    sandbox.rye(&["verify", "--rev", "HEAD", "-q"]).succeeds();
}

#[test]
fn what_a_thread_wrote_waits_for_a_yes() {
    let sandbox = with_both_keys();
    let thread = "rye/threads/notes-20260401-000000-abcd";
    let before = fs::read_to_string(sandbox.project().join(NOTES)).unwrap();
    sandbox.git(&["checkout", "-qb", thread]);
    sandbox.edit(NOTES, "short", "written by a model");
    sandbox.put(".ai/tools/demo/model.sh", "# version: \"1.0.0\"\n# description: A model's\n# category: demo\ntrue\n");
    let written = fs::read_to_string(sandbox.project().join(NOTES)).unwrap();
    sandbox.commit("turn 1: execute rye/file-system/write");
    sandbox.git(&["checkout", "-q", "main"]);
    let bare = |text: &str| text.split_once('\n').unwrap().1.to_owned();
    for (path, text) in [(NOTES, written.clone()), (NOTES, bare(&written))] {
        sandbox.put(path, &text);
        let seen = sandbox.rye(&["commit", "-m", "no"]).transcript();
        assert_refused(&seen, &format!("`{path}` (written by the thread notes-20260401-000000-abcd)"));
    }
    sandbox.put(NOTES, &before);
    sandbox.git(&["checkout", "-q", thread, "--", ".ai/tools/demo/model.sh"]);
    let seen = sandbox.rye(&["commit", "-m", "no"]).transcript();
    assert_refused(&seen, "`.ai/tools/demo/model.sh` (written by the thread notes-20260401-000000-abcd)");
    sandbox.git(&["rm", "-qf", ".ai/tools/demo/model.sh"]);
    // What the thread left as it was is not its work, and neither is what a person makes of it.
    sandbox.edit(ECHO, "category", "category ");
    sandbox.put(NOTES, &before.replace("short", "long"));
    sandbox.rye(&["commit", "--yes", "-qm", "mine"]).succeeds();
    sandbox.put(NOTES, &before);
    sandbox.rye(&["commit", "--yes", "-qm", "as it was"]).succeeds();
    assert_clean(&sandbox);
}
