//! Asking for a passphrase: on a real terminal, and without one.

use std::cell::RefCell;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::rc::Rc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rye::keys::{Ask, person_key};
use rye::trust::{KeyText, Namespace, NoPassphrase, Passphrase, Signer as _, SignerError, SigningKey};

use super::{Place, some_key};
use crate::support::{Sandbox, has, on_terminal, ssh_keygen};

const FIRST: &str = "Passphrase for `";
const AGAIN: &str = "Wrong passphrase. Passphrase for `";

fn protected() -> String {
    some_key().to_openssh_protected("test", &"sesame".into(), [1; 16], [2; 4]).to_string()
}

/// A sandbox with a key behind the passphrase `sesame`, and the path of that key.
fn sandbox() -> (Sandbox, String) {
    let sandbox = Sandbox::with_items();
    let key = sandbox.path("home/key");
    fs::write(&key, protected()).unwrap();
    fs::set_permissions(&key, Permissions::from_mode(0o600)).unwrap();
    let key = key.to_str().unwrap().to_owned();
    (sandbox, key)
}

/// Answers with each of these in turn, and keeps the questions.
fn answers(texts: &'static [&'static str]) -> (Ask, Rc<RefCell<Vec<String>>>) {
    let asked = Rc::new(RefCell::new(Vec::new()));
    let (seen, mut texts) = (Rc::clone(&asked), texts.iter().copied());
    let ask = move |question: &str| {
        seen.borrow_mut().push(question.to_owned());
        texts.next().map(Passphrase::from).ok_or(NoPassphrase::Cancelled)
    };
    (Box::new(ask), asked)
}

/// Looks for a mode in what `stty -a` says; where it is off, a `-` is before its name.
fn has_mode(seen: &str, mode: &str) -> bool {
    seen.split_whitespace().any(|word| word == mode)
}

#[test]
fn a_passphrase_is_asked_for_once_and_only_when_something_is_to_be_signed() {
    let place = Place::new();
    let path = place.write("key", 0o600, &protected());
    let (ask, asked) = answers(&["sesame"]);
    let key = person_key(&place.context(), &place.store(), Some("key"), ask).unwrap();
    assert_eq!((key.public(), asked.borrow().len()), (some_key().public(), 0));
    for message in [b"one", b"two"] {
        let signature = key.sign(Namespace::Item, message).unwrap();
        assert_eq!(signature, some_key().sign(Namespace::Item, message));
    }
    assert_eq!(*asked.borrow(), [format!("Passphrase for `{}`: ", path.display())]);
}

#[test]
fn a_wrong_passphrase_opens_nothing() {
    let place = Place::new();
    let path = place.write("key", 0o600, &protected());
    let signed = |texts: &'static [&'static str]| {
        let (ask, asked) = answers(texts);
        let key = person_key(&place.context(), &place.store(), Some("key"), ask).unwrap();
        let signed = key.sign(Namespace::Item, b"message").map(|_| ());
        (signed, asked.borrow().len())
    };
    assert_eq!(signed(&["", "sesam", "sesame", "unused"]), (Ok(()), 3));
    let wrong = SignerError::WrongPassphrase { path: path.clone() };
    assert_eq!(signed(&["a", "b", "c", "sesame"]), (Err(wrong), 3));
    let cancelled = SignerError::Passphrase { path, source: NoPassphrase::Cancelled };
    assert_eq!(signed(&["a"]), (Err(cancelled), 2));
}

/// A file whose public half, which anybody can write, is another key's is not signed with.
#[test]
fn a_protected_key_under_another_s_name_is_refused() {
    let place = Place::new();
    let blob = |key: &SigningKey| key.public().to_wire();
    let text = protected();
    let body: String = text.lines().filter(|line| !line.starts_with("-----")).collect();
    let mut bytes = STANDARD.decode(body).unwrap();
    let own = blob(&some_key());
    let at = bytes.windows(own.len()).position(|window| window == own).unwrap();
    bytes[at..at + own.len()].copy_from_slice(&blob(&SigningKey::from_seed(&[8; 32])));
    let label = "OPENSSH PRIVATE KEY";
    let body = STANDARD.encode(bytes);
    let lines: Vec<&str> = body.as_bytes().chunks(70).map(|line| std::str::from_utf8(line).unwrap()).collect();
    place.write("key", 0o600, &format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", lines.join("\n")));
    let (ask, _) = answers(&["sesame"]);
    let key = person_key(&place.context(), &place.store(), Some("key"), ask).unwrap();
    assert_eq!(key.public(), SigningKey::from_seed(&[8; 32]).public());
    assert!(matches!(key.sign(Namespace::Item, b"message"), Err(SignerError::Key { .. })));
}

#[test]
fn the_terminal_shows_nothing_of_a_passphrase_and_echoes_again_afterwards() {
    if !has("python3") {
        return;
    }
    let (sandbox, key) = sandbox();
    // Typed ahead, mistyped, taken back, taken back whole: only the final input counts.
    let dialogue = [(FIRST, "wrong\n"), (AGAIN, "xx\x15sesamé\x7fe\n")];
    let script = format!("{} sign --all --key {key} && stty -a", crate::support::RYE);
    let (seen, code) = on_terminal(&sandbox, &dialogue, &["sh", "-c", &script]);
    assert_eq!(code, 0, "{seen}");
    assert!(!seen.contains("wrong") && !seen.contains("sesam"), "{seen}");
    assert!(seen.contains("signed") && has_mode(&seen, "echo") && has_mode(&seen, "icanon"), "{seen}");
    assert_eq!(seen.matches("Passphrase for").count(), 2, "{seen}");
}

#[test]
fn ctrl_c_at_the_question_stops_the_command_and_leaves_the_terminal_as_it_was() {
    if !has("python3") {
        return;
    }
    let (sandbox, key) = sandbox();
    for typed in ["ses\x03", "\x04"] {
        let script = format!("{} sign --all --key {key}; echo \"[exit $?]\"; stty -a", crate::support::RYE);
        let (seen, _) = on_terminal(&sandbox, &[(FIRST, typed)], &["sh", "-c", &script]);
        assert!(seen.contains("[exit 5]") && seen.contains("it was asked for, and not given"), "{seen}");
        assert!(has_mode(&seen, "echo") && has_mode(&seen, "isig"), "{seen}");
    }
    assert!(sandbox.rye(&["verify"]).transcript().ends_with("[exit 3]\n"), "nothing was signed");
}

/// Piped input is data. It answers no question, and a command without a terminal does not wait for one.
#[test]
fn what_is_piped_in_is_no_passphrase() {
    let (sandbox, key) = sandbox();
    let refused = sandbox.rye(&["sign", "--all", "--key", &key]).stdin("sesame\n").transcript();
    let wanted = format!(
        "$ rye sign --all --key [SANDBOX]/home/key\n\
         [stderr]\n\
         error: the key `[SANDBOX]/home/key` is protected by a passphrase\n\
         cause: no terminal to ask for it on\n\
         hint: run `ssh-add [SANDBOX]/home/key`, and the ssh-agent signs; where none is running, {} starts one\n\
         [exit 1]\n",
        "`eval \"$(ssh-agent)\"`"
    );
    assert_eq!(refused, wanted);
    if has("python3") {
        // Nor where there is a terminal, but what the command reads comes from elsewhere.
        let script = format!("echo sesame | {} sign --all --key {key}", crate::support::RYE);
        let (seen, code) = on_terminal(&sandbox, &[], &["sh", "-c", &script]);
        assert!(code == 1 && seen.contains("no terminal to ask for it on"), "{seen}");
    }
}

#[test]
fn a_new_key_goes_behind_a_passphrase_that_was_typed_twice() {
    if !has("python3") {
        return;
    }
    let sandbox = Sandbox::with_items();
    let generate = [crate::support::RYE, "key", "generate", "--passphrase"];
    let (new, same) = ("Passphrase for your new key: ", "Enter the same passphrase again: ");
    for (dialogue, sentence) in [
        (vec![(new, "\n")], "the passphrase is empty"),
        (vec![(new, "sesame\n"), (same, "sesam\n")], "the passphrases do not match"),
    ] {
        let (seen, code) = on_terminal(&sandbox, &dialogue, &generate);
        assert!(code == 1 && seen.contains(sentence), "{seen}");
        assert!(!sandbox.path("config/rye/keys/person").exists());
    }
    let (seen, code) = on_terminal(&sandbox, &[(new, "sesame\n"), (same, "sesame\n")], &generate);
    assert!(code == 0 && seen.contains("protected-file"), "{seen}");
    let person = sandbox.path("config/rye/keys/person");
    let text = fs::read_to_string(&person).unwrap();
    let KeyText::Locked(key) = KeyText::parse(&text).unwrap() else { panic!("it is not locked") };
    assert!(key.open(&"sesame".into()).is_ok());
    assert_eq!(fs::metadata(&person).unwrap().permissions().mode() & 0o7777, 0o600);

    // What needs only the public half asks for nothing; there is one key, and the hint to change its passphrase works.
    sandbox.rye(&["key", "export"]).succeeds();
    let refused = sandbox.rye(&["key", "generate", "--passphrase"]).transcript();
    assert!(refused.contains("hint: run `ssh-keygen -p -f [SANDBOX]/config/rye/keys/person` to change"), "{refused}");
    if has("ssh-keygen") {
        let person = person.to_str().unwrap();
        ssh_keygen(&sandbox.path("home"), &["-q", "-p", "-P", "sesame", "-N", "", "-f", person]);
        sandbox.rye(&["sign", "--all"]).succeeds();
    }
}
