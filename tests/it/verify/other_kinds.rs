//! Commits whose signatures are of kinds that are not judged: never good, never called tampered, no better than none.

use std::process::Command;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::Signer;
use sha2::{Digest, Sha256, Sha512};

use super::commits::{ALL, COMMIT, forge, put_together, taken_apart};
use super::*;
use crate::cli::sarif::assert_sarif;
use crate::support::{has, ssh_keygen};

const OPENPGP: &str = include_str!("../support/signatures/openpgp.asc");
const X509: &str = include_str!("../support/signatures/x509.pem");

/// Makes a commit with a signature of another kind in the place of Ada's.
fn swapped(sandbox: &Sandbox, armored: &str) {
    commit_by(sandbox, ADA, "ada's");
    forge(sandbox, |commit| put_together(armored, &taken_apart(&commit).1));
}

/// The last commit is not judged, and all that is said of it names the kind and rewrites nothing.
#[track_caller]
fn assert_not_judged(sandbox: &Sandbox, kind: &str, json: [&str; 2]) {
    let seen = verify(sandbox, &ALL);
    seen.is_refused(&[("RYE-C008", COMMIT)]);
    let id = head(sandbox);
    assert_eq!((seen.field(0, "verdict"), seen.field(0, "severity")), ("not_judged", "error"));
    assert_eq!((seen.field(0, "commit_id"), seen.field(0, "line")), (&*id, ""));
    assert_eq!([seen.field(0, "signature_kind"), seen.field(0, "key_type")], json);
    let message = seen.field(0, "message");
    assert!(message.ends_with(&format!("): its signature is not judged: it is an {kind}")), "{message}");
    let hint = seen.field(0, "hint");
    assert!(!["rebase", "amend", "push", "tampered"].iter().any(|word| hint.contains(word)), "{hint}");
    // As an unsigned one, it fails where the commits are asked for, and only there.
    verify(sandbox, &ALL[..4]).is_ok();
    verify(sandbox, &["--rev", "HEAD", "--commits", "--trust-root", "base"]).is_refused(&[("RYE-C008", COMMIT)]);
    let told = sandbox.rye(&[&["verify"], &ALL[..]].concat()).transcript();
    assert!(told.contains("1 commit not judged\n") && told.contains("neither good nor bad"), "{told}");
    assert!(!told.contains("tampered"), "{told}");
    let told = sandbox.rye(&[&["verify", "--format", "github"], &ALL[..]].concat()).transcript();
    assert!(told.contains("::error title=RYE-C008::commit ") && told.contains(kind), "{told}");
    let log = assert_sarif(&sandbox.rye(&[&["verify", "--format", "sarif"], &ALL[..]].concat()).stdout());
    let run = &log["runs"][0];
    assert_eq!((&run["results"][0]["ruleId"], &run["results"][0]["level"]), (&"RYE-C008".into(), &"error".into()));
    assert_eq!(run["tool"]["driver"]["rules"][0]["id"], "RYE-C008");
}

#[test]
fn a_commit_signed_by_openpgp_is_not_judged() {
    let sandbox = project();
    swapped(&sandbox, OPENPGP);
    assert_not_judged(&sandbox, "OpenPGP signature", ["openpgp", ""]);
    sandbox.git(&["reset", "-q", "--hard", "base"]);
    // As GitHub writes them: an empty line behind the armour.
    swapped(&sandbox, &OPENPGP.replace("PGP SIGNATURE", "PGP MESSAGE").replace("-----\n\n", "-----\nVersion: 1\n\n"));
    forge(&sandbox, |commit| commit.replacen("-----END PGP MESSAGE-----\n", "-----END PGP MESSAGE-----\n \n", 1));
    assert_not_judged(&sandbox, "OpenPGP signature", ["openpgp", ""]);
}

#[test]
fn a_commit_signed_by_x509_is_not_judged() {
    let sandbox = project();
    swapped(&sandbox, X509);
    assert_not_judged(&sandbox, "X.509 signature", ["x509", ""]);
}

/// Stock git calls these good with a file that names the key: so does this program, and without it they are untrusted.
#[test]
fn a_commit_signed_by_another_ssh_key_is_judged_as_any() {
    if !has("ssh-keygen") {
        return;
    }
    let sandbox = project();
    for (of, bits, key_type) in [
        ("ecdsa", "256", "ecdsa-sha2-nistp256"),
        ("ecdsa", "384", "ecdsa-sha2-nistp384"),
        ("ecdsa", "521", "ecdsa-sha2-nistp521"),
        ("rsa", "2048", "ssh-rsa"),
    ] {
        let key = sandbox.path(&format!("tmp/{of}{bits}")).display().to_string();
        ssh_keygen(&sandbox.path("tmp"), &["-q", "-t", of, "-b", bits, "-N", "", "-f", &key]);
        let key = format!("user.signingkey={key}");
        let signed = ["-c", "gpg.format=ssh", "-c", &key, "commit", "-q", "-S", "--allow-empty", "-m", "signed"];
        sandbox.git(&signed);
        let public = fs::read_to_string(sandbox.path(&format!("tmp/{of}{bits}.pub"))).unwrap();
        assert!(public.starts_with(key_type), "{public}");
        assert_git_accepts(&sandbox, &public);
        assert_judged(&sandbox, &public);
        sandbox.git(&["reset", "-q", "--hard", "base"]);
    }
}

/// A security key made the signature: there is none in a test, so the test signs as one does (PROTOCOL.u2f).
#[test]
fn a_commit_signed_by_a_security_key_is_judged_as_any() {
    let sandbox = project();
    let (key_type, application) = ("sk-ssh-ed25519@openssh.com", "ssh:");
    let text = |bytes: &[u8]| [&u32::try_from(bytes.len()).unwrap().to_be_bytes()[..], bytes].concat();
    let secret = ed25519_dalek::SigningKey::from_bytes(&[7; 32]);
    let public =
        [text(key_type.as_bytes()), text(secret.verifying_key().as_bytes()), text(application.as_bytes())].concat();
    commit_by(&sandbox, ADA, "ada's");
    forge(&sandbox, |commit| {
        let (_, payload) = taken_apart(&commit);
        let signed_for = [text(b"git"), text(b""), text(b"sha512")].concat();
        let signed = [&b"SSHSIG"[..], &signed_for, &text(&Sha512::digest(&payload))].concat();
        let tail = [&[1][..], &7u32.to_be_bytes()].concat();
        let message = [&Sha256::digest(application)[..], &tail, &Sha256::digest(&signed)[..]].concat();
        let raw = secret.sign(&message).to_bytes();
        let signature = [text(key_type.as_bytes()), text(&raw), tail].concat();
        let envelope = [&b"SSHSIG\0\0\0\x01"[..], &text(&public), &signed_for, &text(&signature)].concat();
        let body = STANDARD.encode(envelope);
        let lines: Vec<&str> = body.as_bytes().chunks(70).map(|line| std::str::from_utf8(line).unwrap()).collect();
        let lines = lines.join("\n");
        put_together(&format!("-----BEGIN SSH SIGNATURE-----\n{lines}\n-----END SSH SIGNATURE-----\n"), &payload)
    });
    if has("ssh-keygen") {
        assert_git_accepts(&sandbox, &format!("{key_type} {}\n", STANDARD.encode(&public)));
    }
    assert_judged(&sandbox, &format!("{key_type} {}\n", STANDARD.encode(&public)));
}

/// A certificate vouches for a key, and is not judged.
#[test]
fn a_commit_signed_by_a_certificate_is_not_judged() {
    if !has("ssh-keygen") {
        return;
    }
    let sandbox = project();
    let (folder, path) = (sandbox.path("tmp"), |name: &str| sandbox.path(&format!("tmp/{name}")).display().to_string());
    for name in ["authority", "ada"] {
        ssh_keygen(&folder, &["-q", "-t", "ed25519", "-N", "", "-f", &path(name)]);
    }
    let certify = ["-q", "-s", &path("authority"), "-I", "ada", "-n", "ada@example.org", &path("ada.pub")];
    ssh_keygen(&folder, &certify);
    let key = format!("user.signingkey={}", path("ada-cert.pub"));
    let signed = ["-c", "gpg.format=ssh", "-c", &key, "commit", "-q", "-S", "--allow-empty", "-m", "signed"];
    sandbox.git(&signed);
    let key_type = "ssh-ed25519-cert-v01@openssh.com";
    assert_not_judged(&sandbox, &format!("SSH signature by an `{key_type}` key"), ["ssh", key_type]);
}

/// The last commit is untrusted to who does not know the key, good to who does, and bad once the key is revoked.
#[track_caller]
fn assert_judged(sandbox: &Sandbox, public: &str) {
    verify(sandbox, &ALL).is_refused(&[("RYE-C004", COMMIT)]);
    let line = format!("{}ada@example.org namespaces=\"git\" {public}", signers());
    fs::write(sandbox.path("tmp/all"), line).unwrap();
    fs::write(sandbox.path("tmp/bad"), public).unwrap();
    let (all, bad) = (sandbox.path("tmp/all").display().to_string(), sandbox.path("tmp/bad").display().to_string());
    let named = ["--range", "base..HEAD", "--commits", "--allowed-signers", &all];
    verify(sandbox, &named).is_ok();
    verify(sandbox, &[&named[..], &["--revoked", &bad]].concat()).is_refused(&[("RYE-C006", COMMIT)]);
}

#[track_caller]
fn assert_git_accepts(sandbox: &Sandbox, public: &str) {
    let signers = sandbox.path("tmp/signers");
    fs::write(&signers, format!("ada@example.org {public}")).unwrap();
    let file = format!("gpg.ssh.allowedSignersFile={}", signers.display());
    sandbox.git(&["-c", &file, "verify-commit", "HEAD"]);
}

/// Who may not sign gains nothing by it, and a damaged signature stays a damaged one.
#[test]
fn a_signature_of_another_kind_is_no_better_than_none() {
    let sandbox = project();
    swapped(&sandbox, OPENPGP);
    let not_judged = head(&sandbox);
    sandbox.git(&["reset", "-q", "--hard", "base"]);
    commit_by(&sandbox, ADA, "ada's");
    forge(&sandbox, |commit| taken_apart(&commit).1);
    let unsigned = head(&sandbox);
    let code =
        |commit: &str, more: &[&str]| verify(&sandbox, &[&["--range", &format!("base..{commit}")], more].concat()).code;
    let signers = ["--allowed-signers", ".ai/trust/allowed_signers"];
    for more in [
        &["--trust-root", "base", "--commits"][..],
        &["--trust-root", "base", "--commits=authored"],
        &["--trust-root", "base"],
        &[signers[0], signers[1], "--commits"],
        &signers,
    ] {
        assert_eq!(code(&not_judged, more), code(&unsigned, more), "{more:?}");
    }
    let bad = [
        ("", "RYE-C008"),
        ("trust me\n", "RYE-C002"),
        ("-----BEGIN SSH SIGNATURE-----\nU1NIU0lHAAAAAQ==\n-----END SSH SIGNATURE-----\n", "RYE-C002"),
    ];
    for (before, rule) in bad {
        sandbox.git(&["reset", "-q", "--hard", "base"]);
        swapped(&sandbox, &format!("{before}{OPENPGP}"));
        verify(&sandbox, &ALL).is_refused(&[(rule, COMMIT)]);
    }
}

/// To sign a commit again rewrites those that follow, and replaces their signatures.
#[test]
fn no_hint_rewrites_a_later_commit_whose_signature_is_not_the_person_s_to_replace() {
    let sandbox = project();
    let unsigned = |text: &str| {
        sandbox.put("README", text);
        sandbox.commit(text);
    };
    let rewrites = |args: &[&str]| {
        let seen = verify(&sandbox, args);
        let findings = seen.json["findings"].as_array().unwrap();
        let unsigned = findings.iter().filter(|finding| finding["verdict"] == "unsigned");
        unsigned.map(|finding| finding["hint"].as_str().unwrap().contains("rebase")).collect::<Vec<_>>()
    };
    unsigned("one");
    assert_eq!(rewrites(&ALL), [true]);
    swapped(&sandbox, OPENPGP);
    assert_eq!(rewrites(&ALL), [false]);
    let seen = verify(&sandbox, &ALL);
    let (hint, range) = (seen.field(0, "hint"), format!("`--range {}..HEAD`", rev(&sandbox, "HEAD~")));
    assert!(!hint.contains("amend") && !hint.contains("protected") && hint.contains(&range), "{hint}");
    // What comes after it may be signed again.
    unsigned("two");
    assert_eq!(rewrites(&ALL), [false, true]);

    // Somebody else's good signature.
    sandbox.git(&["reset", "-q", "--hard", "base"]);
    sandbox.git(&["config", "user.email", "ada@example.org"]);
    unsigned("one");
    commit_by(&sandbox, ADA, "her own");
    assert_eq!(rewrites(&ALL), [true]);
    commit_by(&sandbox, BOB, "another's");
    assert_eq!(rewrites(&ALL), [false]);

    // Another line of history comes along.
    sandbox.git(&["reset", "-q", "--hard", "base"]);
    unsigned("one");
    sandbox.git(&["checkout", "-q", "-b", "side", "base"]);
    swapped(&sandbox, OPENPGP);
    sandbox.git(&["checkout", "-q", "main"]);
    assert_eq!(rewrites(&ALL), [true]);
    sandbox.git(&["merge", "-q", "--no-ff", "--no-edit", "side"]);
    assert_eq!(rewrites(&ALL), [false, false]);

    // Merges that are left out may be signed all the same.
    sandbox.git(&["reset", "-q", "--hard", "base"]);
    unsigned("one");
    sandbox.git(&["checkout", "-q", "-B", "side", "base"]);
    commit_by(&sandbox, ADA, "her own");
    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.git(&["merge", "-q", "--no-ff", "--no-edit", "side"]);
    let authored = [&ALL[..4], &["--commits=authored"]].concat();
    assert_eq!(rewrites(&authored), [true]);
    forge(&sandbox, |commit| put_together(OPENPGP, &commit));
    assert_eq!(rewrites(&authored), [false]);
}

/// The hint's commands work as pasted: the next commit is signed by an Ed25519 key, and the range begins behind the others.
#[test]
fn the_next_commits_are_signed_and_the_range_begins_behind_those_that_are_not_judged() {
    if !has("ssh-keygen") {
        return;
    }
    let sandbox = project();
    swapped(&sandbox, OPENPGP);
    swapped(&sandbox, X509);
    let seen = verify(&sandbox, &ALL);
    seen.is_refused(&[("RYE-C008", COMMIT), ("RYE-C008", COMMIT)]);
    let words: Vec<&str> = seen.field(0, "hint").split('`').collect();
    // All of them have one range, which begins behind the last.
    let last = head(&sandbox);
    assert_eq!(words[3], format!("--range {last}..HEAD"));
    assert_eq!(seen.field(0, "hint"), seen.field(1, "hint"));
    let key = signing(&sandbox, ADA)[3].split_once('=').unwrap().1.to_owned();
    let command = words[1].replace("~/.ssh/id_ed25519", &key);
    assert!(command.contains(&key), "{command}");
    let mut shell = Command::new("sh");
    shell.args(["-ec", &command]).env_clear().envs(sandbox.variables()).current_dir(sandbox.project());
    assert!(shell.status().unwrap().success(), "{command}");
    sandbox.put("README", "text\n");
    sandbox.commit("signed by what the hint set up");
    let range: Vec<&str> = words[3].split(' ').collect();
    verify(&sandbox, &[&range[..], &["--commits", "--trust-root", "base"]].concat()).is_ok();
}
