//! Signatures in notes: their content, how two notes are merged, and their signers.

use proptest::prelude::*;
use rye::id::{Space, Timestamp};
use rye::trust::{
    ContentHash, MAX_NOTE_BYTES, Namespace, Note, NoteError, RawSignature, Signatory, SignatureLine, SigningKey,
    Subject, TrustedKey,
};

use super::{TIME, items, key, keys_of, other_key, signed, time, trusted, unverified};

/// The note that `key` writes for a file of this unsigned text.
pub(super) fn countersignature(subject: &Subject, text: &str, key: &SigningKey, at: &str) -> SignatureLine {
    let (timestamp, hash) = (time(at), ContentHash::of(text.as_bytes()));
    let signature = key.sign(Namespace::Item, &subject.message(timestamp, &hash));
    SignatureLine { timestamp, hash, signature, key_id: key.public().key_id() }
}

fn line(number: u8, second: i64) -> SignatureLine {
    SignatureLine {
        timestamp: Timestamp::from_milliseconds(second * 1000),
        hash: ContentHash::of(&[number]),
        signature: RawSignature([number; 64]),
        key_id: other_key(number % 3).public().key_id(),
    }
}

#[test]
fn a_note_is_sorted_and_keeps_what_it_does_not_understand() {
    let (first, second) = (line(1, 60), line(2, 120));
    let text = format!(
        "{}\n\nzebra\n{}\nrye:signed:broken\n# {}\n{} \n{}\n\u{e9}\n",
        second.bare(),
        first.bare(),
        first.bare(),
        first.bare(),
        first.bare()
    );
    let note = Note::parse(&[text.as_bytes(), b"\xff\n"].concat()).unwrap();
    assert_eq!(note.signatures(), [first.clone(), second.clone()]);
    let wanted = format!(
        "# {}\n{}\n{} \n{}\nrye:signed:broken\nzebra\n\u{e9}\n",
        first.bare(),
        first.bare(),
        first.bare(),
        second.bare()
    );
    assert_eq!(note.to_bytes(), [wanted.as_bytes(), b"\xff\n"].concat());
}

#[test]
fn a_signer_s_new_signature_takes_the_place_of_their_old_one() {
    let (old, new, other) = (line(1, 60), line(4, 120), line(2, 90));
    let mut note = Note::parse(format!("{}\n{}\nwords\n", old.bare(), other.bare()).as_bytes()).unwrap();
    assert_eq!(old.key_id, new.key_id);
    note.add(&new);
    assert_eq!(note.to_bytes(), format!("{}\n{}\nwords\n", other.bare(), new.bare()).into_bytes());
}

/// Somebody writes a line in Alice's name with a date far ahead, so that hers is dropped as outdated.
#[test]
fn a_forged_later_line_does_not_push_a_genuine_one_out() {
    let (old, new, forged) = (line(1, 60), line(4, 120), line(7, 999_999));
    let mut note = Note::default();
    for line in [&old, &new, &forged] {
        note.union(Note::parse(line.bare().as_bytes()).unwrap());
    }
    note.keep_latest(|line| *line != forged);
    assert_eq!(note.signatures(), [new, forged]);
}

#[test]
fn a_note_without_end_is_refused() {
    let endless = vec![b'x'; MAX_NOTE_BYTES + 1];
    assert_eq!(Note::parse(&endless), Err(NoteError::TooLarge { bytes: MAX_NOTE_BYTES + 1 }));
    let many: String = (0..257).map(|second| format!("{}\n", line(1, second).bare())).collect();
    assert_eq!(Note::parse(many.as_bytes()), Err(NoteError::TooMany { lines: 257 }));
    assert!(Note::parse(&vec![b'\n'; MAX_NOTE_BYTES]).unwrap().is_empty());
}

#[test]
fn everybody_who_signed_is_named_once() {
    let [(item, text), (other_item, _), _] = items();
    let named =
        |number: u8, principal: &str| TrustedKey { principal: principal.to_owned(), ..trusted(&other_key(number)) };
    let retired = TrustedKey { valid_before: Some(time("2026-01-01T00:00:00Z")), ..named(3, "carol") };
    let keys = keys_of([trusted(&key()), named(1, "alice"), named(2, "bob"), retired, named(4, "dora")]);
    let by = |number: u8| countersignature(&item, text, &other_key(number), TIME);
    let notes = [
        by(1),
        countersignature(&item, text, &other_key(1), "2026-03-18T00:00:00Z"),
        by(3),
        by(9),
        countersignature(&other_item, text, &other_key(2), TIME),
        countersignature(&item, "other text\n", &other_key(2), TIME),
        SignatureLine { timestamp: time("2026-03-18T00:00:00Z"), ..by(4) },
    ];
    let bytes = signed(&item, text.as_bytes());
    let signers = unverified(&item, &bytes).in_space(Space::Project).countersigned(notes).signers(&keys);
    let signer =
        |key: &SigningKey, name: &str| Signatory { keys: vec![key.public()], principals: vec![name.to_owned()] };
    assert_eq!(signers, [signer(&key(), "person@example.org"), signer(&other_key(1), "alice")]);
    // For a file without a line of its own they are the same.
    let signers = unverified(&item, text.as_bytes()).countersigned([by(2)]).signers(&keys);
    assert_eq!(signers, [signer(&other_key(2), "bob")]);
}

fn any_line() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        (any::<u8>(), 0..9_i64).prop_map(|(number, second)| line(number, second).bare().into_bytes()),
        "rye:signed:.{0,20}".prop_map(String::into_bytes),
        prop::collection::vec(any::<u8>(), 0..20),
    ]
}

proptest! {
    #[test]
    fn a_note_reads_back(lines in prop::collection::vec(any_line(), 0..12)) {
        let note = Note::parse(&lines.join(&b'\n')).unwrap();
        prop_assert_eq!(Note::parse(&note.to_bytes()).unwrap(), note);
    }

    /// Two people's notes become what git's `cat_sort_uniq` makes of them, in either order.
    #[test]
    fn notes_unite_as_git_unites_them(
        one in prop::collection::vec(any_line(), 0..12),
        other in prop::collection::vec(any_line(), 0..12),
    ) {
        let (one, other) = (one.join(&b'\n'), other.join(&b'\n'));
        let both = [&one[..], b"\n", &other].concat();
        let mut lines: Vec<&[u8]> = both.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
        lines.sort_unstable();
        lines.dedup();
        let wanted: Vec<u8> = lines.iter().flat_map(|line| [line, &b"\n"[..]].concat()).collect();
        let (one, other) = (Note::parse(&one).unwrap(), Note::parse(&other).unwrap());
        let (mut left, mut right) = (one.clone(), other.clone());
        left.union(other);
        right.union(one);
        prop_assert_eq!(left.to_bytes(), wanted);
        prop_assert_eq!(left, right);
    }
}
