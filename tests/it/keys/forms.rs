//! Keys as text and in files: readable ones, unreadable ones, and the messages.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use rye::keys::KeysError;
use rye::trust::{ContentHash, KeyError, KeyText, Passphrase, PublicKey, SigningKey};

use super::{Place, nobody, some_key};
use crate::support::{Sandbox, assert_seen, has, ssh_keygen};

/// Writes an Ed25519 key in PKCS#8 (RFC 8410), as the programs of others do.
pub(super) fn pkcs8(seed: &[u8; 32]) -> String {
    let head = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];
    pem("PRIVATE KEY", &[&head[..], seed].concat())
}

fn pem(label: &str, bytes: &[u8]) -> String {
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", STANDARD.encode(bytes))
}

fn public_in(dir: &Path, name: &str) -> PublicKey {
    PublicKey::from_openssh(&fs::read_to_string(dir.join(name).with_added_extension("pub")).unwrap()).unwrap()
}

#[test]
fn keys_of_ssh_keygen_open_with_their_passphrase_and_no_other() {
    if !has("ssh-keygen") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    for (name, cipher) in [
        ("ctr", "aes256-ctr"),
        ("cbc", "aes128-cbc"),
        ("gcm", "aes256-gcm@openssh.com"),
        ("poly", "chacha20-poly1305@openssh.com"),
    ] {
        ssh_keygen(dir.path(), &["-q", "-t", "ed25519", "-N", "öffne dich", "-a", "2", "-Z", cipher, "-f", name]);
        let text = fs::read_to_string(dir.path().join(name)).unwrap();
        let KeyText::Locked(key) = KeyText::parse(&text).unwrap() else { panic!("{cipher}: it is not locked") };
        assert_eq!(KeyText::parse(&text).unwrap().public(), public_in(dir.path(), name));
        for wrong in ["", "offne dich", "öffne dich "] {
            assert_eq!(key.open(&wrong.into()).map(|_| ()), Err(KeyError::WrongPassphrase), "{cipher}");
        }
        assert_eq!(key.open(&"öffne dich".into()).unwrap().public(), public_in(dir.path(), name), "{cipher}");
        assert_eq!(*key.to_openssh(), text, "what is kept is kept as it is");
    }
}

#[test]
fn ssh_keygen_opens_and_changes_what_is_written_behind_a_passphrase() {
    if !has("ssh-keygen") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let text = some_key().to_openssh_protected("a comment", &Passphrase::from("sesame"), [1; 16], [2; 4]);
    fs::write(dir.path().join("key"), text.as_bytes()).unwrap();
    fs::set_permissions(dir.path().join("key"), Permissions::from_mode(0o600)).unwrap();
    let public = ssh_keygen(dir.path(), &["-y", "-P", "sesame", "-f", "key"]);
    assert_eq!(public, format!("{} a comment\n", some_key().public().to_openssh()));

    ssh_keygen(dir.path(), &["-q", "-p", "-P", "sesame", "-N", "tahini", "-a", "2", "-f", "key"]);
    let text = fs::read_to_string(dir.path().join("key")).unwrap();
    let KeyText::Locked(key) = KeyText::parse(&text).unwrap() else { panic!("it is not locked") };
    assert_eq!(key.open(&"tahini".into()).unwrap().public(), some_key().public());
    ssh_keygen(dir.path(), &["-q", "-p", "-P", "tahini", "-N", "", "-f", "key"]);
    let text = fs::read_to_string(dir.path().join("key")).unwrap();
    assert_eq!(SigningKey::from_text(&text).unwrap().public(), some_key().public());
}

#[test]
fn pkcs8_and_its_public_half_are_read_as_they_come_from_a_pipeline() {
    let text = pkcs8(&[7; 32]);
    for written in [text.clone(), text.replace('\n', "\r\n"), format!("\n  {}", text.trim_end())] {
        assert_eq!(SigningKey::from_text(&written).unwrap().public(), some_key().public(), "{written:?}");
    }
    let public = some_key().public();
    assert!(matches!(KeyText::parse(&public.to_spki_pem().unwrap()), Ok(KeyText::Public(key)) if key == public));
    assert!(
        matches!(KeyText::parse(&format!("{} me", public.to_openssh())), Ok(KeyText::Public(key)) if key == public)
    );
    let place = Place::new().with("RYE_SIGNING_KEY", &text);
    assert_eq!(place.person(None).unwrap(), (public, false));
    let place = Place::new().with("RYE_SIGNING_KEY", "key.pem");
    place.write("key.pem", 0o600, &text);
    assert_eq!(place.person(None).unwrap(), (public, false));
}

/// A variable, a form or a field of one line loses line breaks, or makes blanks of them.
#[test]
fn a_key_that_lost_its_line_breaks_is_read() {
    let locked = some_key().to_openssh_protected("a comment", &Passphrase::from("sesame"), [1; 16], [2; 4]).to_string();
    let public = some_key().public();
    for text in [some_key().to_openssh("test").to_string(), locked, pkcs8(&[7; 32]), public.to_spki_pem().unwrap()] {
        for between in ["", " ", "\t", "\r\n", "\n\n", "\n    "] {
            let written = text.replace('\n', between);
            assert_eq!(KeyText::parse(&written).unwrap().public(), public, "{written:?}");
        }
        for broken in [text.replace("-----END", "----END"), format!("{text}{text}"), format!("{text} and more")] {
            KeyText::parse(&broken).unwrap_err();
        }
    }
    let place = Place::new().with("RYE_SIGNING_KEY", &some_key().to_openssh("test").replace('\n', " "));
    assert_eq!(place.person(None).unwrap(), (public, false));
}

/// The test key of `tests/vectors`, as the older program wrote it: its seed is 0, 1, 2 and so on.
#[test]
fn the_key_of_an_older_program_is_read() {
    let private = pkcs8(&std::array::from_fn(|at| u8::try_from(at).unwrap()));
    let digest = "b859bbad04b8b7cfb16533d1e3bfb1ae091adefddad8c7272b59380bae231841";
    assert_eq!(ContentHash::of(private.as_bytes()).to_string(), digest);
    let public = fs::read_to_string(Path::new(crate::support::ROOT).join("tests/vectors/key.pem")).unwrap();
    let key = SigningKey::from_text(&private).unwrap();
    assert_eq!(key.public().to_spki_pem().unwrap(), public);
    assert_eq!(key.public().key_id().as_str(), "f0ff50dacf109dea");
    assert_eq!(PublicKey::from_spki_pem(&public).unwrap(), key.public());
}

#[test]
fn what_is_no_usable_key_is_called_what_it_is() {
    let rsa = [0x30, 0x14, 2, 1, 0, 0x30, 13, 6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 13, 1, 1, 1, 5, 0, 4, 0];
    let other = |algorithm: &'static str| KeyError::Algorithm { algorithm };
    for (text, error) in [
        (pem("RSA PRIVATE KEY", b"x"), other("rsa")),
        (pem("PRIVATE KEY", &rsa), other("rsa")),
        (pem("PRIVATE KEY", b"x"), KeyError::Pkcs8),
        (pem("ENCRYPTED PRIVATE KEY", b"x"), KeyError::EncryptedPkcs8),
        (pem("CERTIFICATE", b"x"), KeyError::NoKey),
        ("PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\n".to_owned(), KeyError::Putty),
        ("hello".to_owned(), KeyError::NoKey),
    ] {
        assert_eq!(KeyText::parse(&text).map(|_| ()), Err(error), "{text}");
    }
    let public = some_key().public().to_openssh();
    assert_eq!(SigningKey::from_text(&public).map(|_| ()), Err(KeyError::PublicHalf));
    if has("ssh-keygen") {
        let dir = tempfile::tempdir().unwrap();
        let known = ["ssh-rsa", "ssh-rsa"].map(other);
        for (algorithm, wanted) in [("rsa", known), ("ecdsa", ["ecdsa", "ecdsa"].map(other))] {
            ssh_keygen(dir.path(), &["-q", "-t", algorithm, "-N", "", "-f", algorithm]);
            for (name, wanted) in [algorithm.to_owned(), format!("{algorithm}.pub")].into_iter().zip(wanted) {
                let text = fs::read_to_string(dir.path().join(&name)).unwrap();
                assert_eq!(KeyText::parse(&text).map(|_| ()), Err(wanted), "{name}");
            }
        }
    }
}

static OPEN: LazyLock<String> = LazyLock::new(|| some_key().to_openssh("x").to_string());
static LOCKED: LazyLock<String> =
    LazyLock::new(|| some_key().to_openssh_protected("x", &"p".into(), [1; 16], [2; 4]).to_string());

proptest! {
    /// A key may come from anywhere, and be damaged anywhere.
    #[test]
    fn no_text_makes_reading_a_key_fail(at in 0_usize..700, byte: u8, cut in 0_usize..700, locked: bool) {
        let text = if locked { &LOCKED } else { &OPEN };
        // Damage below the base64, where the structure is.
        let body: String = text.lines().filter(|line| !line.starts_with("-----")).collect();
        let mut bytes = STANDARD.decode(body).unwrap();
        let (at, cut) = (at % bytes.len(), cut % bytes.len());
        bytes[at] = byte;
        for bytes in [&bytes[..], &bytes[..cut]] {
            let lines: Vec<String> =
                STANDARD.encode(bytes).as_bytes().chunks(70).map(|line| String::from_utf8_lossy(line).into_owned()).collect();
            let label = "OPENSSH PRIVATE KEY";
            drop(KeyText::parse(&format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", lines.join("\n"))));
        }
        drop(KeyText::parse(&text[..cut]));
        drop(KeyText::parse(&pkcs8(&[7; 32])[..cut % 100]));
    }
}

#[test]
fn what_is_no_file_of_a_key_is_refused_unread() {
    let place = Place::new();
    fs::create_dir(place.path("folder")).unwrap();
    place.write("large", 0o600, &"x".repeat(64 * 1024 + 1));
    place.write("binary", 0o600, "");
    fs::write(place.path("binary"), [0xff, 0xfe]).unwrap();
    std::os::unix::fs::symlink("nowhere", place.path("dangling")).unwrap();
    let refused = |name: &str| place.person(Some(name)).unwrap_err();
    assert!(
        matches!(refused("folder"), KeysError::KeyUnreadable { source, .. } if source.to_string().ends_with("folder`: it is a folder"))
    );
    assert!(matches!(refused("large"), KeysError::TooLarge { path } if path == place.path("large")));
    assert!(matches!(refused("binary"), KeysError::Key { source: KeyError::NoKey, .. }));
    assert!(matches!(refused("dangling"), KeysError::KeyUnreadable { source, .. } if source.is_missing()));
    assert!(matches!(refused("nothing"), KeysError::NoFile { name } if name == "nothing"));
    assert!(matches!(refused("/dev/zero"), KeysError::KeyUnreadable { source, .. } if source.is_irregular()));
}

/// Every sentence as people see it, each with a way out.
#[test]
fn what_cannot_be_signed_with_is_told_with_a_way_out() {
    let sandbox = Sandbox::with_items();
    let home = sandbox.path("home");
    fs::create_dir(home.join("folder")).unwrap();
    for (name, text) in [
        ("legacy", pem("RSA PRIVATE KEY", b"x")),
        ("closed", pem("ENCRYPTED PRIVATE KEY", b"x")),
        ("a key.ppk", "PuTTY-User-Key-File-3: ssh-ed25519\n".to_owned()),
        ("note", "hello\n".to_owned()),
        ("damaged", pem("OPENSSH PRIVATE KEY", b"x")),
        ("me.pub", some_key().public().to_openssh()),
    ] {
        fs::write(home.join(name), text).unwrap();
        fs::set_permissions(home.join(name), Permissions::from_mode(0o600)).unwrap();
    }
    let mut seen: Vec<String> = ["folder", "legacy", "closed", "a key.ppk", "note", "damaged", "me.pub", "nothing"]
        .iter()
        .map(|name| sandbox.rye(&["sign", "--all", "--key", home.join(name).to_str().unwrap()]).transcript())
        .collect();
    let socket = sandbox.path("agent").to_str().unwrap().to_owned();
    let public = home.join("me.pub");
    let with_agent = sandbox.rye(&["key", "import", public.to_str().unwrap()]).env("SSH_AUTH_SOCK", &socket);
    seen.push(with_agent.transcript());
    seen.push(sandbox.rye(&["sign", "--all"]).env("RYE_SIGNING_KEY", "nowhere").transcript());
    seen.push(sandbox.rye(&["sign", "--all", "--key", "-----BEGIN OPENSSH PRIVATE KEY-----"]).transcript());
    assert_seen(
        seen.join("\n"),
        snapbox::str![[r#"
$ rye sign --all --key [SANDBOX]/home/folder
[stderr]
error: cannot read `[SANDBOX]/home/folder`: it is a folder
hint: name the file of an Ed25519 key, such as `~/.ssh/id_ed25519`, or run `rye key generate` to make one
[exit 2]

$ rye sign --all --key [SANDBOX]/home/legacy
[stderr]
error: the key `[SANDBOX]/home/legacy` cannot be used
cause: the key is of type `rsa`; only ssh-ed25519 keys can be used
hint: run `ssh-keygen -t ed25519` to make a key of that type, or `rye key generate`
[exit 1]

$ rye sign --all --key [SANDBOX]/home/closed
[stderr]
error: the key `[SANDBOX]/home/closed` cannot be used
cause: this is a PKCS#8 key behind a passphrase; of such keys only OpenSSH's can be opened
hint: run `openssl pkey -in [SANDBOX]/home/closed -out [SANDBOX]/home/closed.pem`, then name that file
[exit 1]

$ rye sign --all --key '[SANDBOX]/home/a key.ppk'
[stderr]
error: the key `[SANDBOX]/home/a key.ppk` cannot be used
cause: this is a key in PuTTY's form; OpenSSH's is needed
hint: run `puttygen '[SANDBOX]/home/a key.ppk' -O private-openssh-new -o '[SANDBOX]/home/a key.ppk'.openssh`, then name that file
[exit 1]

$ rye sign --all --key [SANDBOX]/home/note
[stderr]
error: the key `[SANDBOX]/home/note` cannot be used
cause: this is not a key in the format of OpenSSH or PKCS#8
hint: name another key with `--key FILE`; if it is your own, move `[SANDBOX]/home/note` away, then run `rye key generate`
[exit 1]

$ rye sign --all --key [SANDBOX]/home/damaged
[stderr]
error: the key `[SANDBOX]/home/damaged` cannot be used
cause: this is not an OpenSSH private key
cause: length invalid
hint: name another key with `--key FILE`; if it is your own, move `[SANDBOX]/home/damaged` away, then run `rye key generate`
[exit 1]

$ rye sign --all --key [SANDBOX]/home/me.pub
[stderr]
error: cannot sign with 5cc558a6d81dbb98: no ssh-agent has its private key
hint: run `eval "$(ssh-agent)"` to start one, then `ssh-add FILE` with the file of the private key
[exit 1]

$ rye sign --all --key [SANDBOX]/home/nothing
[stderr]
error: cannot read `[SANDBOX]/home/nothing`: no such file
hint: name the file of an Ed25519 key, such as `~/.ssh/id_ed25519`, or run `rye key generate` to make one
[exit 1]

$ SSH_AUTH_SOCK=[SANDBOX]/agent rye key import [SANDBOX]/home/me.pub
[stderr]
error: the ssh-agent at `[SANDBOX]/agent` cannot be asked: entity not found
hint: run `eval "$(ssh-agent)"` to start one, then `ssh-add FILE` with the file of the private key
[exit 1]

$ RYE_SIGNING_KEY=nowhere rye sign --all
[stderr]
error: `RYE_SIGNING_KEY` is neither a key nor the path of one
hint: set it to the path of a key's file, or to the text of a key without passphrase
[exit 1]

$ rye sign --all --key '-----BEGIN OPENSSH PRIVATE KEY-----'
[stderr]
error: a key was given where the path of its file belongs
hint: put the key into the variable `RYE_SIGNING_KEY`, or into a file that only you can read
[exit 1]

"#]],
    );
}

/// A link to a key is as good as the key; it is the file behind it that must be closed to others.
#[test]
fn a_link_to_a_key_is_followed_and_its_target_judged() {
    let place = Place::new();
    let key = place.write("elsewhere/key", 0o600, &some_key().to_openssh("test"));
    std::os::unix::fs::symlink(&key, place.path("link")).unwrap();
    assert_eq!(place.person(Some("link")).unwrap().0, some_key().public());
    fs::set_permissions(&key, Permissions::from_mode(0o644)).unwrap();
    assert!(matches!(place.person(Some("link")), Err(KeysError::LooseMode { mode: 0o644, .. })));
}

/// A public half is public, so its mode does not matter; without an ssh-agent it signs nothing.
#[test]
fn a_public_half_alone_signs_nothing() {
    let place = Place::new();
    place.write("key", 0o600, &some_key().to_openssh("test"));
    place.write("key.pub", 0o666, &some_key().public().to_openssh());
    let key = rye::keys::person_key(&place.context(), &place.store(), Some("key.pub"), nobody()).unwrap();
    let refused = key.open().unwrap_err();
    let key_id = some_key().public().key_id();
    assert_eq!(refused, rye::trust::SignerError::NoAgent { key_id, private: Some(place.path("key")) });
}
