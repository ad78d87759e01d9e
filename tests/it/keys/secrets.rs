//! Output never contains a private key or a passphrase, whatever goes wrong.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rye::trust::{KeyText, Passphrase, SigningKey};

use super::forms::pkcs8;
use crate::support::Sandbox;

const SEED: [u8; 32] = *b"this seed is a secret of a test!";

/// Returns every spelling of the secret that could be found in a text.
fn spellings() -> Vec<String> {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let mut spellings = vec![hex(&SEED), hex(&SEED).to_uppercase(), String::from_utf8(SEED.to_vec()).unwrap()];
    spellings.push(format!("{SEED:?}").trim_matches(['[', ']']).to_owned());
    // As base64 it depends on where the seed begins.
    for shift in 0..3 {
        let text = STANDARD.encode([&vec![0; shift], &SEED[..]].concat());
        spellings.push(text[4..text.len() - 8].to_owned());
    }
    spellings.push("a secret passphrase".to_owned());
    spellings
}

#[test]
fn what_is_looked_for_would_be_found() {
    let key = SigningKey::from_seed(&SEED);
    let found = |text: &str| spellings().iter().any(|spelling| text.replace('\n', "").contains(spelling));
    assert!(found(&key.to_openssh("x")) && found(&pkcs8(&SEED)) && found(&format!("{:?}", SEED)));
    assert!(!found(&key.to_openssh_protected("x", &"p".into(), [1; 16], [2; 4])));
}

#[test]
fn no_output_holds_a_private_key_or_a_passphrase() {
    let sandbox = Sandbox::with_items();
    let key = SigningKey::from_seed(&SEED);
    let open = key.to_openssh("x").to_string();
    let locked = key.to_openssh_protected("x", &"a secret passphrase".into(), [1; 16], [2; 4]).to_string();
    let bare = STANDARD.encode(&open);
    let cut = open.lines().skip(1).collect::<Vec<_>>().join("\n");
    let broken = open.replacen("OPENSSH PRIVATE", "PRIVATE", 2);
    for (name, mode, text) in
        [("open", 0o600, &open), ("loose", 0o644, &open), ("cut", 0o600, &cut), ("locked", 0o600, &locked)]
    {
        fs::write(sandbox.path("home").join(name), text).unwrap();
        fs::set_permissions(sandbox.path("home").join(name), Permissions::from_mode(mode)).unwrap();
    }
    let file = |name: &str| sandbox.path("home").join(name).to_str().unwrap().to_owned();
    let pem = pkcs8(&SEED);
    // What a pipeline makes of a secret: line breaks lost or blanks, the label damaged.
    let lost: Vec<String> = [&open, &pem]
        .into_iter()
        .flat_map(|text| {
            let (one, blanks) = (text.replace('\n', ""), text.replace('\n', " "));
            let named = one.replace("PRIVATE KEY-----M", "PRIVATE KEY----- M");
            let label = one.replacen("PRIVATE KEY-----", "", 1).replace("-----END", "PRIVATE KEY-----END");
            [one.clone(), blanks, named, label, text.replace('\n', "\\n"), one.replace("-----END", "----END")]
        })
        .collect();
    let mut seen = String::new();
    for json in ["--json", "-vv"] {
        for value in [&open, &pem, &locked, &bare, &cut, &broken, &file("loose"), &file("cut")].into_iter().chain(&lost)
        {
            seen += &hidden(&sandbox.rye(&["sign", "--all", json]).env("RYE_SIGNING_KEY", value).transcript(), value);
            seen += &hidden(&sandbox.rye(&["sign", "--all", "--key", value, json]).transcript(), value);
            seen += &hidden(&sandbox.rye(&["key", "import", value, json]).transcript(), value);
        }
        for name in ["loose", "cut", "locked", "open"] {
            seen += &sandbox.rye(&["key", "import", &file(name), "--force", json]).transcript();
        }
        for arguments in [["key", "list"], ["key", "export"], ["key", "generate"], ["trust", "list"], ["verify", "-q"]]
        {
            seen += &sandbox.rye(&[&arguments[..], &[json]].concat()).transcript();
        }
    }
    assert!(seen.contains("\"person\"") && seen.contains("key-as-path") && seen.contains("unusable-key"), "{seen}");
    let small = seen.to_lowercase();
    for secret in spellings() {
        assert!(!seen.contains(&secret) && !small.contains(&secret.to_lowercase()), "{secret}\n{seen}");
    }
    let whole = STANDARD.encode(&open);
    assert!(!seen.contains(&whole[40..80]) && !seen.contains(&cut[..60]), "{seen}");
}

/// Leaves the command line itself out of a transcript.
fn hidden(transcript: &str, value: &str) -> String {
    transcript.replacen(value, "VALUE", 1)
}

#[test]
fn nothing_shows_a_key_for_debugging() {
    let locked = SigningKey::from_seed(&SEED).to_openssh_protected("x", &"p".into(), [1; 16], [2; 4]);
    let open = SigningKey::from_seed(&SEED);
    let id = open.public().key_id();
    assert_eq!(format!("{:?}", KeyText::parse(&open.to_openssh("x")).unwrap()), format!("Open(SigningKey({id}))"));
    assert_eq!(format!("{:?}", KeyText::parse(&locked).unwrap()), format!("Locked(LockedKey({id}))"));
    assert_eq!(format!("{:?}", Passphrase::from("a secret passphrase")), "Passphrase(…)");
}

/// People put a key where its name belongs; the error is kept in a log.
#[test]
fn no_error_repeats_an_argument_that_is_a_key() {
    let sandbox = Sandbox::with_items();
    let open = SigningKey::from_seed(&SEED).to_openssh("x").to_string();
    let body = open.lines().filter(|line| !line.starts_with("-----")).collect::<Vec<_>>().join("\n");
    let mut seen = String::new();
    for value in
        [&open, &pkcs8(&SEED), &open.replace('\n', ""), &body, &body.replace('\n', ""), &open[..300].to_owned()]
    {
        for arguments in [
            &["trust", "add", value][..],
            &["trust", "add", "--principal", value, "x.pub"],
            &["trust", "remove", value],
            &["trust", "retire", value],
            &["trust", "revoke", value],
            &["trust", "remove", "--", value],
            &["trust", value],
            &["verify", "--rev", value],
            &["--config", value, "list"],
            &["--config", &format!("threads.keep={value}"), "list"],
            &["list", &format!("--{value}")],
            &["list", "--space", value],
            &["thread", "show", value],
            &["execute", "directive", value],
            &[value],
        ] {
            for json in [&[][..], &["--json"]] {
                let output = sandbox.rye(&[json, arguments].concat()).transcript();
                assert!(!output.contains("[exit 0]"), "{output}");
                seen += &hidden(&output, value);
            }
        }
    }
    assert!(seen.contains("looks like a key") && seen.contains("unrecognized subcommand"), "{seen}");
    for secret in spellings() {
        assert!(!seen.contains(&secret), "{secret}\n{seen}");
    }
    let lines: Vec<&str> = body.lines().collect();
    assert!(lines.iter().all(|line| !seen.contains(&line[..16])), "{seen}");
}
