//! Policies that demand more than one signer, and the notes that hold the others.

use super::*;

const POLICY: &str = "format = 1\n[[require]]\nitems = \"demo/*\"\ntype = \"knowledge\"\nsigners = 2\n";
const ROOT: [&str; 2] = ["--trust-root", "base"];

fn missing(sandbox: &Sandbox) {
    let seen = verify(sandbox, &ROOT);
    seen.is_refused(&[("RYE-S012", NOTES)]);
    assert_eq!(seen.field(0, "verdict"), "missing_countersignature");
    assert_eq!(seen.field(0, "message"), "knowledge `demo/notes`: 1 of the 2 people who must sign it have signed it");
    assert!(seen.field(0, "hint").contains("`rye sign knowledge demo/notes --detached`"), "{:#}", seen.json);
    // Remembered or not.
    verify(sandbox, &[&ROOT[..], &["--no-cache"]].concat()).is_refused(&[("RYE-S012", NOTES)]);
}

#[test]
fn a_second_person_signs_in_a_note() {
    let sandbox = project_with(&[("policy.toml", POLICY)]);
    missing(&sandbox);
    countersign(&sandbox, NOTES, BOB);
    verify(&sandbox, &ROOT).is_ok();
    verify(&sandbox, &["--rev", "HEAD", "--trust-root", "base"]).is_ok();
    verify(&sandbox, &["--range", "base..HEAD", "--trust-root", "base"]).is_ok();
    // Without the note it was never good: its cache entry goes with the note.
    sandbox.git(&["update-ref", "-d", "refs/notes/rye"]);
    missing(&sandbox);
}

#[test]
fn notes_fetched_from_a_remote_count_like_one_s_own() {
    let sandbox = project_with(&[("policy.toml", POLICY)]);
    countersign(&sandbox, NOTES, BOB);
    sandbox.git(&["update-ref", "refs/notes/remotes/origin/rye", "refs/notes/rye"]);
    sandbox.git(&["update-ref", "-d", "refs/notes/rye"]);
    verify(&sandbox, &ROOT).is_ok();
    // One's own, about something else, do not hide them.
    note(&sandbox, GREET, "just text");
    verify(&sandbox, &ROOT).is_ok();
    sandbox.git(&["update-ref", "-d", "refs/notes/remotes/origin/rye"]);
    missing(&sandbox);
}

/// Eve wants a second signature to be there.
#[test]
fn what_is_no_second_person_s_signature_does_not_count() {
    let sandbox = project_with(&[("policy.toml", POLICY)]);
    let line = |path: &str, text: &str, number: u8| {
        let (line, _) = Signed::new(subject(path), text.as_bytes().to_vec()).sign(&key(number), time(TIME)).unwrap();
        line.bare()
    };
    let mut other_use =
        Signed::new(subject(NOTES), NOTES_TEXT.as_bytes().to_vec()).sign(&key(BOB), time(TIME)).unwrap().0;
    other_use.signature = key(BOB).sign(Namespace::Git, &subject(NOTES).message(time(TIME), &other_use.hash));
    let forged = line(NOTES, NOTES_TEXT, BOB).replace("T01:41:08Z", "T01:41:09Z");
    let lines = [
        ("her own key", line(NOTES, NOTES_TEXT, EVE)),
        ("Ada once more", line(NOTES, NOTES_TEXT, ADA)),
        ("Bob, of other bytes", line(NOTES, "other", BOB)),
        ("Bob, of another item", line(GREET, NOTES_TEXT, BOB)),
        ("Bob, another use", other_use.bare()),
        ("Bob, another time", forged),
        ("in comment marks", format!("<!-- {} -->", line(NOTES, NOTES_TEXT, BOB))),
        ("garbage", "rye:signed:everything is fine".to_owned()),
        ("too large", format!("{}\n{}", line(NOTES, NOTES_TEXT, BOB), "x".repeat(300_000))),
    ];
    for (what, lines) in lines {
        fs::write(sandbox.path("tmp/note"), lines).unwrap();
        let blob = sandbox.git(&["hash-object", "-w", NOTES]);
        let file = sandbox.path("tmp/note").display().to_string();
        sandbox.git(&["notes", "--ref=rye", "add", "-f", "-F", &file, blob.trim()]);
        let seen = verify(&sandbox, &ROOT);
        assert_eq!(seen.findings(), [("error", "RYE-S012", NOTES)], "{what}");
    }
    // A flood of forged lines in a remote's note does not push Bob's out.
    let flood: String = (0..200).map(|at| format!("{}\n", line(NOTES, &format!("{at}"), BOB))).collect();
    fs::write(sandbox.path("tmp/note"), flood).unwrap();
    let blob = sandbox.git(&["hash-object", "-w", NOTES]);
    let file = sandbox.path("tmp/note").display().to_string();
    sandbox.git(&["notes", "--ref=rye", "add", "-f", "-F", &file, blob.trim()]);
    sandbox.git(&["update-ref", "refs/notes/remotes/eve/rye", "refs/notes/rye"]);
    sandbox.git(&["notes", "--ref=rye", "add", "-f", "-m", &line(NOTES, NOTES_TEXT, BOB), blob.trim()]);
    verify(&sandbox, &ROOT).is_ok();
}

/// The policy that counts is the trusted revision's.
#[test]
fn a_change_cannot_lower_the_number_of_signers() {
    let sandbox = project_with(&[("policy.toml", POLICY)]);
    sandbox.put(".ai/trust/policy.toml", "format = 1\n");
    sandbox.commit("lower");
    let low = ("RYE-M004", ".ai/trust/policy.toml");
    verify(&sandbox, &["--rev", "HEAD", "--trust-root", "base"]).is_refused(&[low, ("RYE-S012", NOTES)]);
    // Agreed by the root, it counts from the next time on.
    seal(&sandbox, 2, LATER, &[ADA]);
    sandbox.commit("agreed");
    verify(&sandbox, &["--rev", "HEAD", "--trust-root", "base"]).is_refused(&[("RYE-S012", NOTES)]);
    verify(&sandbox, &["--rev", "HEAD", "--trust-root", "HEAD"]).is_ok();
}
