//! Lines of allowed_signers mean to this program what they mean to stock git.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use rye::context::{Context, Surroundings};
use rye::id::{Timestamp, Zone};
use rye::trust::{Namespace, TrustedKeys, armored, parse_allowed_signers};

use super::witness::ssh_keygen;
use super::{PUBLIC, TIME, key, time};
use crate::support::has;

const MESSAGE: &[u8] = b"tree 0\n";

/// Files of allowed signers; `KEY` is the key that signed.
const FILES: &[&str] = &[
    "ed@x KEY",
    "ed@x KEY a comment\n",
    "ed@x KEY\r\n",
    "# team\r\n\r\n  ed@x\tKEY\n",
    "\u{feff}ed@x KEY\n",
    "a@x,ed@x KEY\n",
    ",ed@x,, KEY\n",
    "*@x KEY\n",
    "* KEY\n",
    "\"ed@x\" KEY\n",
    "\"ed x\" KEY\n",
    "\"ed@x,carol\" KEY\n",
    "\"ed@x\",carol KEY\n",
    "*@x,!bob@x KEY\n",
    "!bob,* KEY\n",
    "!me KEY\n",
    "ed@x,!ed@x KEY\n",
    "*,!* KEY\n",
    "ed@x namespaces=\"git\" KEY\n",
    "ed@x namespaces=\"file,git\" KEY\n",
    "ed@x namespaces=\"file\" KEY\n",
    "ed@x namespaces=\"g*\" KEY\n",
    "ed@x namespaces=\"g?t\" KEY\n",
    "ed@x namespaces=\"!git,*\" KEY\n",
    "ed@x namespaces=\"*,!git\" KEY\n",
    "ed@x namespaces=\"!file,*\" KEY\n",
    "ed@x namespaces=\"!file\" KEY\n",
    "ed@x namespaces=\"file, git\" KEY\n",
    "ed@x namespaces=\"GIT\" KEY\n",
    "ed@x namespaces=\"\" KEY\n",
    "ed@x namespaces=git KEY\n",
    "ed@x Namespaces=\"git\",valid-after=\"20200101\" KEY\n",
    "ed@x namespaces=\"git\",namespaces=\"git\" KEY\n",
    "ed@x namespaces=\"git\",,valid-after=\"20200101Z\" KEY\n",
    "ed@x namespaces=\"git\", KEY\n",
    "ed@x namespaces=\"git\" more KEY\n",
    "ed@x namespaces=\"g\\\"it,git\" KEY\n",
    "ed@x valid-after=\"20200101120000\" KEY\n",
    "ed@x valid-after=\"202001011200UTC\" KEY\n",
    "ed@x valid-after=\"2020\" KEY\n",
    "ed@x valid-after=\"20270101Z\" KEY\n",
    "ed@x valid-before=\"20200101Z\" KEY\n",
    "ed@x valid-before=\"20270101\" KEY\n",
    "ed@x valid-before=\"20200101Z\" KEY\ned@x KEY\n",
    "ed@x valid-after=\"20260101Z\",valid-before=\"20250101Z\" KEY\n",
    "ed@x verify-required KEY\n",
    "ca@x cert-authority KEY\n",
    "ca@x cert-authority KEY\ned@x KEY\n",
    "just text\ned@x KEY\n",
    "x\ned@x KEY\n",
    "\"\ned@x KEY\n",
    "bob ssh-rsa AAAAB3NzaC1yc2EAAAADAQAB\ned@x KEY\n",
    "bob ssh-dss AAAAB3NzaC1kc3MAAACBAJ\ned@x KEY\n",
    "bob ssh-unknown AAAA\ned@x KEY\n",
    "bob ssh-ed25519 AAAA\ned@x KEY\n",
    "bob ssh-ed25519\ned@x KEY\n",
    "ed@x KEYgarbage\n",
    "ed@x KEY\ned@x KEY\n",
];

#[test]
fn a_line_of_allowed_signers_means_what_it_means_to_openssh() {
    if !has("ssh-keygen") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let at = time(TIME);
    let envelope = armored(&key().public(), Namespace::Git, key().sign(Namespace::Git, MESSAGE));
    fs::write(dir.path().join("m.sig"), &envelope).unwrap();
    for file in FILES {
        let file = file.replace("KEY", PUBLIC);
        fs::write(dir.path().join("a"), &file).unwrap();
        let mut keys = TrustedKeys::default();
        keys.add_file(parse_allowed_signers(&file, "a", &Zone::default()));
        let seen = keys.judge_commit(Some(&envelope), MESSAGE, at);
        assert_eq!(seen.is_ok(), is_good(dir.path()), "{file}\n{seen:?}");
    }
}

#[test]
fn a_line_that_is_not_utf_8_is_skipped_as_openssh_skips_it() {
    for foreign in [&b"\xffa@x zz"[..], b"\xff", b"a@x ssh-ed25519 AAAA \xe9", b"# caf\xe9", b"\xffa@x KEY"] {
        for at in 0..2 {
            let key_line = format!("ed@x {PUBLIC}").into_bytes();
            let mut lines = vec![key_line];
            lines.insert(at, foreign.to_vec());
            let file = [lines.join(&b'\n'), b"\n".to_vec()].concat();
            let read = parse_allowed_signers(&file, "a", &Zone::default());
            assert_eq!(read.keys.len(), 1, "{foreign:?}");
            let told = if foreign.starts_with(b"#") { None } else { Some(at + 1) };
            assert_eq!(read.skipped.first().map(|skipped| skipped.line), told, "{foreign:?}");
            if !has("ssh-keygen") {
                continue;
            }
            let dir = tempfile::tempdir().unwrap();
            let envelope = armored(&key().public(), Namespace::Git, key().sign(Namespace::Git, MESSAGE));
            fs::write(dir.path().join("m.sig"), &envelope).unwrap();
            fs::write(dir.path().join("a"), &file).unwrap();
            assert!(is_good(dir.path()), "{foreign:?}");
        }
    }
}

/// Asks as git does: for the principals of the key, and then with each of them.
fn is_good(dir: &Path) -> bool {
    let time = "-Overify-time=20260317014108Z";
    let found = ssh_keygen(dir, &["-Y", "find-principals", time, "-f", "a", "-s", "m.sig"], b"");
    let verified = |name: &str| {
        let verify = ["-Y", "verify", time, "-n", "git", "-f", "a", "-I", name, "-s", "m.sig"];
        ssh_keygen(dir, &verify, MESSAGE).status.success()
    };
    found.status.success() && String::from_utf8_lossy(&found.stdout).lines().any(verified)
}

/// Time zones as `TZ` names them; none where it is not set. An unknown one is UTC.
const ZONES: [Option<&str>; 12] = [
    None,
    Some(""),
    Some("UTC"),
    Some("Europe/Berlin"),
    Some(":America/New_York"),
    Some("Asia/Kolkata"),
    Some("Pacific/Auckland"),
    Some("/usr/share/zoneinfo/Australia/Lord_Howe"),
    Some("CET-1CEST,M3.5.0,M10.5.0/3"),
    Some("<+0330>-3:30"),
    Some("EST5"),
    Some("Nowhere/Else"),
];

/// Times in winter, in summer, in the hour that spring leaves out, in the one that comes twice in autumn, and with a zone.
const TIMES: [&str; 9] = [
    "20260115",
    "20260701",
    "202607011230",
    "20260701123005",
    "20260329023000",
    "20261025023000",
    "20260701123005Z",
    "202607011230utc",
    "19700102",
];

#[test]
fn a_time_without_a_zone_is_what_openssh_takes_it_for_on_this_machine() {
    if !has("ssh-keygen") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let envelope = armored(&key().public(), Namespace::Git, key().sign(Namespace::Git, MESSAGE));
    fs::write(dir.path().join("m.sig"), &envelope).unwrap();
    for zone in ZONES {
        let here = zone_of(dir.path(), zone);
        for text in TIMES {
            let file = format!("ed@x valid-after=\"{text}\" {PUBLIC}\n");
            fs::write(dir.path().join("a"), &file).unwrap();
            let begins = parse_allowed_signers(&file, "a", &here).keys[0].valid_after.unwrap();
            let is_good = |at: Timestamp| is_good_at(dir.path(), zone, at);
            let seen = (is_good(begins.plus_seconds(-1)), is_good(begins));
            assert_eq!(seen, (false, true), "{zone:?} {text}: {begins}");
        }
    }
}

/// Returns the zone that the program takes from its environment.
fn zone_of(dir: &Path, zone: Option<&str>) -> Zone {
    let mut variables = BTreeMap::from([("HOME".to_owned(), dir.display().to_string())]);
    variables.extend(zone.map(|zone| ("TZ".to_owned(), zone.to_owned())));
    let surroundings = Surroundings { current_dir: dir.to_owned(), program: "rye".into(), variables };
    Context::new(surroundings, None, &[]).unwrap().zone()
}

fn is_good_at(dir: &Path, zone: Option<&str>, at: Timestamp) -> bool {
    let at = format!("-Overify-time={}", at.to_seconds_text().replace(['-', ':', 'T'], ""));
    let mut verify = Command::new("ssh-keygen");
    verify.args(["-Y", "verify", &at, "-n", "git", "-f", "a", "-I", "ed@x", "-s", "m.sig"]);
    verify.current_dir(dir).env_remove("TZ").envs(zone.map(|zone| ("TZ", zone)));
    let message = dir.join("m");
    fs::write(&message, MESSAGE).unwrap();
    verify.stdin(fs::File::open(message).unwrap()).output().unwrap().status.success()
}
