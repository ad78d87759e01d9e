//! Independent witnesses: a line made by another implementation, the envelope put together by hand, and ssh-keygen.

use crate::support::has;
use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use ed25519_dalek::Signer;
use rye::trust::{Namespace, RawSignature, SshSigError, armored, verify_armored};
use sha2::{Digest, Sha256, Sha512};

use super::{DIRECTIVE, KNOWLEDGE, PUBLIC, SEED, TIME, TOOL, items, judge, key, signed_text};

/// Made once with Python's `cryptography` over [`TOOL`] as tool `demo/hello` with extension `py`; `openssl pkey
/// -pubout | sha256sum` gives the key id.
const FOREIGN_LINE: &str = "# rye:signed:2026-03-17T01:41:08Z:9813b1d6f972c662d2d2943b9460fe6c7d934bc7a76e671bea937902a99fe4dd:NL6fbF57_lCmd7V8fqp3WkY5ROsYesN9Y-R828y4IdcnZntHYmaG5II5in9s3STs9_QSRDfVp3l1L94crv66Dw==:7f2d9ed0b71b8e5a";

#[test]
fn another_implementation_makes_the_same_line() {
    let [_, (tool, text), _] = items();
    let (shebang, body) = text.split_once('\n').unwrap();
    assert_eq!(signed_text(&tool, text), format!("{shebang}\n{FOREIGN_LINE}\n{body}"));
}

#[test]
fn key_and_names_are_what_openssl_and_openssh_say() {
    let public = key().public();
    let pem = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----\n";
    assert_eq!(
        (public.to_openssh().as_str(), public.to_spki_pem().unwrap().as_str(), public.key_id().as_str()),
        (PUBLIC, pem, "7f2d9ed0b71b8e5a")
    );
    assert_eq!(public.fingerprint(), "SHA256:bbXpuKG6zhzdmnxq256TlqzFBzRl2f6OOg722cYNbU8");
}

/// Builds every line from the page alone: covered bytes, message, envelope, text.
#[test]
fn a_line_built_by_hand_from_the_page_is_accepted_and_the_same() {
    let tool_body = TOOL.split_once('\n').unwrap();
    let parts = [
        ("directive\ndeploy/staging\nmd", DIRECTIVE, String::new(), "<!-- ", " -->", DIRECTIVE),
        ("tool\ndemo/hello\npy", TOOL, format!("{}\n", tool_body.0), "# ", "", tool_body.1),
        ("knowledge\nteam/greetings\nyaml", KNOWLEDGE, String::new(), "# ", "", KNOWLEDGE),
    ];
    for ((subject, text), (named, covered, before, open, close, after)) in items().into_iter().zip(parts) {
        let hash = hex(&Sha256::digest(covered));
        let message = format!("rye-signature-v2\n{named}\n{TIME}\n{hash}\n");
        let signature = URL_SAFE.encode(sign_by_hand("rye", message.as_bytes()));
        let by_hand = format!("{before}{open}rye:signed:{TIME}:{hash}:{signature}:7f2d9ed0b71b8e5a{close}\n{after}");
        assert_eq!(signed_text(&subject, text), by_hand);
        assert!(judge(&subject, &by_hand).is_ok());
        assert_eq!(subject.message(super::time(TIME), &hash.parse().unwrap()), message.as_bytes());
    }
}

#[test]
fn the_armored_envelope_is_openssh_s_byte_for_byte() {
    let raw: [u8; 64] = sign_by_hand("rye", b"message").try_into().unwrap();
    let public = STANDARD.decode(PUBLIC.split(' ').nth(1).unwrap()).unwrap();
    let signature = [string(b"ssh-ed25519"), string(&raw)].concat();
    let envelope = [
        b"SSHSIG\x00\x00\x00\x01".to_vec(),
        string(&public),
        string(b"rye"),
        string(b""),
        string(b"sha512"),
        string(&signature),
    ];
    let text = armored(&key().public(), Namespace::Item, RawSignature(raw));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines[0], lines[lines.len() - 1]), ("-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"));
    assert_eq!(STANDARD.decode(lines[1..lines.len() - 1].concat()).unwrap(), envelope.concat());
}

#[test]
fn an_envelope_counts_for_its_own_use_and_message_only() {
    let text = key().sign_armored(Namespace::Item, b"message");
    assert_eq!(verify_armored(&text, Namespace::Item, b"message"), Ok(key().public()));
    assert_eq!(verify_armored(&text, Namespace::Item, b"massage"), Err(SshSigError::Mismatch));
    let other = SshSigError::Namespace { namespace: "rye".to_owned() };
    assert_eq!(verify_armored(&text, Namespace::Git, b"message"), Err(other));
    assert_eq!(verify_armored("-----BEGIN", Namespace::Item, b"message"), Err(SshSigError::Malformed));
}

#[test]
fn ssh_keygen_and_this_program_accept_each_other() {
    if !has("ssh-keygen") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
    file("allowed_signers", &format!("person namespaces=\"rye\" {PUBLIC}\n"));
    for (subject, text) in items() {
        let split = signed_text(&subject, text);
        let line = super::unverified(&subject, split.as_bytes()).judge_line(&super::keys_of([super::trusted(&key())]));
        let line = line.unwrap();
        let message = subject.message(line.timestamp, &line.hash);
        file("message.sig", &armored(&key().public(), Namespace::Item, line.signature));
        let verify = |namespace: &str, message: &[u8]| {
            let arguments =
                ["-Y", "verify", "-f", "allowed_signers", "-I", "person", "-n", namespace, "-s", "message.sig"];
            ssh_keygen(dir.path(), &arguments, message).status.success()
        };
        assert!(verify("rye", &message), "{subject}");
        assert!(!verify("git", &message) && !verify("rye", &message[1..]), "{subject}");
    }

    file("key", &key().to_openssh("a comment"));
    fs::set_permissions(dir.path().join("key"), Permissions::from_mode(0o600)).unwrap();
    let theirs = ssh_keygen(dir.path(), &["-Y", "sign", "-f", "key", "-n", "rye"], b"message").stdout;
    let theirs = String::from_utf8(theirs).unwrap();
    assert_eq!(verify_armored(&theirs, Namespace::Item, b"message"), Ok(key().public()));
}

pub(super) fn ssh_keygen(dir: &Path, arguments: &[&str], input: &[u8]) -> Output {
    let mut command = Command::new("ssh-keygen");
    command.current_dir(dir).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

/// Signs as PROTOCOL.sshsig says, without the library's code.
fn sign_by_hand(namespace: &str, message: &[u8]) -> Vec<u8> {
    let digest = Sha512::digest(message);
    let data =
        [b"SSHSIG".to_vec(), string(namespace.as_bytes()), string(b""), string(b"sha512"), string(&digest)].concat();
    ed25519_dalek::SigningKey::from_bytes(&SEED).sign(&data).to_bytes().to_vec()
}

/// A string of the SSH protocol: its length in four bytes, then itself.
fn string(bytes: &[u8]) -> Vec<u8> {
    [&u32::try_from(bytes.len()).unwrap().to_be_bytes(), bytes].concat()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
