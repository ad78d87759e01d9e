//! Rye's own private keys, and what commits and tags say besides their messages.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::tokens;
use crate::support::Sandbox;

/// A project with hooks and an empty remote.
fn pushed() -> Sandbox {
    let sandbox = Sandbox::signed();
    sandbox.git(&["init", "-q", "--bare", "../remote.git"]);
    sandbox.git(&["remote", "add", "origin", "../remote.git"]);
    sandbox.rye(&["hook", "install", "-q"]).succeeds();
    sandbox.git(&["push", "-q", "origin", "HEAD:refs/heads/main"]);
    sandbox
}

/// Writes an object of this type and text.
fn object(sandbox: &Sandbox, kind: &str, text: &str) -> String {
    std::fs::write(sandbox.path("object"), text).unwrap();
    sandbox.git(&["hash-object", "-t", kind, "-w", "--literally", "../object"]).trim().to_owned()
}

#[test]
fn no_key_of_rye_s_own_goes_out_in_any_form() {
    let sandbox = pushed();
    let key = std::fs::read_to_string(sandbox.path("config/rye/keys/person")).unwrap();
    let line = key.lines().nth(2).unwrap();
    let hexadecimal: String = key.bytes().map(|byte| format!("{byte:02x}")).collect();
    for text in [STANDARD.encode(&key), hexadecimal, format!("> {line}\n")] {
        sandbox.put("notes.txt", &text);
        sandbox.git(&["add", "notes.txt"]);
        let seen = sandbox.rye(&["commit", "--yes", "-m", "notes"]).transcript();
        assert!(seen.contains("(private key)") && seen.ends_with("[exit 3]\n"), "{seen}");
        sandbox.git(&["commit", "-q", "--no-verify", "-m", "notes"]);
        let (code, said) = sandbox.try_git(&["push", "-q", "origin", "HEAD:refs/heads/main"]);
        assert!(code != 0 && said.contains("(private key)"), "{said}");
        sandbox.git(&["reset", "-q", "--hard", "HEAD~1"]);
    }
}

#[test]
fn no_secret_or_record_in_a_header_or_message_is_pushed() {
    let [token, _] = tokens();
    let event =
        r#"{"v":1,"seq":2,"thread_id":"greet-20260101-120000-abcdefgh","turn":1,"type":"step_start","data":{}}"#;
    for (said_of_it, text) in [("github token", token.as_str()), ("adds `", event)] {
        let sandbox = pushed();
        let head = sandbox.git(&["rev-parse", "HEAD"]);
        let head = head.trim();
        let tree = sandbox.git(&["rev-parse", "HEAD^{tree}"]);
        let person = "A <a@example.org> 1700000000 +0000";
        let start = format!("tree {}\nparent {head}\nauthor {person}\ncommitter {person}\n", tree.trim());
        let signature =
            format!("gpgsig -----BEGIN PGP SIGNATURE-----\n Comment: {text}\n \n iQ==\n -----END PGP SIGNATURE-----\n");
        let merged = format!("mergetag object {head}\n type commit\n tag v1\n tagger {person}\n \n {text}\n");
        let objects = [
            object(&sandbox, "commit", &format!("{start}{signature}\nfine\n")),
            object(&sandbox, "commit", &format!("{start}{merged}\nfine\n")),
            object(&sandbox, "commit", &format!("{start}note {text}\n\nfine\n")),
            object(&sandbox, "commit", &format!("{start}\nfine\n\n{text}\n")),
            object(
                &sandbox,
                "tag",
                &format!("object {head}\ntype commit\ntag v2\ntagger {person}\nnote {text}\n\nfine\n"),
            ),
            object(&sandbox, "tag", &format!("object {head}\ntype commit\ntag v3\ntagger {person}\n\n{text}\n")),
        ];
        for (number, id) in objects.iter().enumerate() {
            let folder = if number < 4 { "heads" } else { "tags" };
            let (code, said) = sandbox.try_git(&["push", "-q", "origin", &format!("{id}:refs/{folder}/x{number}")]);
            assert!(code != 0 && said.contains(said_of_it), "{number}: {said}");
        }
    }
}
