//! Commits that `gpg` signed, judged by keys that trust files name: good exactly where stock git calls them good.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use super::commits::{ALL, COMMIT, forge, put_together, taken_apart};
use super::*;
use crate::support::has;

/// A person with keys of `gpg`, which its agent keeps below a short path.
pub(super) struct Gpg {
    home: tempfile::TempDir,
}

impl Gpg {
    pub(super) fn new() -> Option<Self> {
        has("gpg").then(|| Self { home: tempfile::tempdir_in("/tmp").unwrap() })
    }

    pub(super) fn run(&self, arguments: &[&str]) -> String {
        let mut gpg = Command::new("gpg");
        gpg.args([
            "--homedir",
            self.home.path().to_str().unwrap(),
            "--batch",
            "--quiet",
            "--pinentry-mode",
            "loopback",
        ]);
        let output = gpg.args(["--passphrase", ""]).args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Makes a key that existed before every commit of these tests.
    pub(super) fn make(&self, name: &str, algorithm: &str, expires: &str) {
        let old = "--faked-system-time=20250101T000000!";
        self.run(&[old, "--quick-generate-key", name, algorithm, "sign", expires]);
    }

    /// Returns the line of a key for a file of signers.
    pub(super) fn line(&self, name: &str, options: &str) -> String {
        let armor = self.run(&["--armor", "--export", name]);
        let (key, names) = rye::trust::PublicKey::from_openpgp_armor(&armor).unwrap();
        assert!(names.iter().any(|one| one.contains(name)), "{names:?}");
        format!("{name} {options}{}\n", key.to_openssh())
    }

    /// Commits everything by a key.
    pub(super) fn commit(&self, sandbox: &Sandbox, name: &str, message: &str) {
        sandbox.git(&["add", "-A"]);
        let program = format!("gpg.program={}", self.program(sandbox, "gpg"));
        let key = format!("user.signingkey={name}");
        let format = "gpg.format=openpgp";
        sandbox.git(&["-c", &program, "-c", &key, "-c", format, "commit", "-q", "-S", "--allow-empty", "-m", message]);
    }

    /// Tells whether stock git calls the last commit good.
    fn is_good(&self, sandbox: &Sandbox) -> bool {
        let program = format!("gpg.program={}", self.program(sandbox, "gpg"));
        let mut git = Command::new("git");
        git.env_clear().envs(sandbox.variables()).current_dir(sandbox.project());
        git.args(["-c", &program, "verify-commit", "HEAD"]).output().unwrap().status.success()
    }

    /// Writes a program for git that uses these keys.
    pub(super) fn program(&self, sandbox: &Sandbox, name: &str) -> String {
        let program = sandbox.path(&format!("tmp/{name}"));
        let home = self.home.path().display();
        fs::write(&program, format!("#!/bin/sh\nexec gpg --homedir {home} --batch --quiet \"$@\"\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        program.display().to_string()
    }
}

/// The agent of `gpg` ends with the folder of its socket.
impl Drop for Gpg {
    fn drop(&mut self) {
        let home = self.home.path();
        drop(Command::new("gpgconf").arg("--homedir").arg(home).args(["--kill", "gpg-agent"]).output());
    }
}

#[track_caller]
fn judged(sandbox: &Sandbox, lines: &str) -> Seen {
    fs::write(sandbox.path("tmp/signers"), signers() + lines).unwrap();
    let file = sandbox.path("tmp/signers").display().to_string();
    verify(sandbox, &["--range", "base..HEAD", "--commits", "--allowed-signers", &file])
}

#[test]
fn a_key_of_openpgp_is_imported_as_far_as_it_counts() {
    let Some(gpg) = Gpg::new() else { return };
    gpg.make("pgp@example.org", "ed25519", "0");
    let sandbox = Sandbox::empty();
    sandbox.put("public.asc", &gpg.run(&["--armor", "--export", "pgp@example.org"]));
    let seen = sandbox.rye(&["key", "import", "public.asc"]).transcript();
    assert!(seen.contains("pgp@example.org") && seen.ends_with("[exit 0]\n"), "{seen}");
    sandbox.put("private.asc", &gpg.run(&["--armor", "--export-secret-keys", "pgp@example.org"]));
    fs::set_permissions(sandbox.project().join("private.asc"), fs::Permissions::from_mode(0o600)).unwrap();
    for command in [&["key", "import"], &["trust", "add"]] {
        let seen = sandbox.rye(&[&command[..], &["private.asc"]].concat()).transcript();
        let hint =
            "hint: run `gpg --export --armor ada@example.org >key.asc`, then `rye trust add key.asc`\n[exit 1]\n";
        assert!(seen.ends_with(hint), "{seen}");
    }
}

#[test]
fn each_key_of_a_file_is_added_however_gpg_writes_it() {
    let Some(gpg) = Gpg::new() else { return };
    let names = ["one@example.org", "two@example.org", "three@example.org"];
    for name in names {
        gpg.make(name, "ed25519", "0");
    }
    let armored = |name: &str| gpg.run(&["--armor", "--export", name]);
    let binary = gpg.home.path().join("binary.gpg");
    gpg.run(&["--yes", "--output", binary.to_str().unwrap(), "--export"]);
    let in_one_armor = gpg.run(&["--armor", "--export"]);
    let one_after_the_other = names.map(armored).join("\n");
    let files = [fs::read(&binary).unwrap(), in_one_armor.into_bytes(), one_after_the_other.into_bytes()];
    for file in &files {
        let sandbox = Sandbox::empty();
        fs::write(sandbox.project().join("keys"), file).unwrap();
        sandbox.rye(&["trust", "add", "keys", "--principal", "cat@example.org", "-q"]).succeeds();
        let listed = fs::read_to_string(sandbox.path("config/rye/trust/allowed_signers")).unwrap();
        assert_eq!(listed.lines().filter(|line| line.starts_with("cat@example.org openpgp ")).count(), 3, "{listed}");
    }
    // One that cannot be used is told by its number, and none is added.
    gpg.make("weak@example.org", "rsa1024", "0");
    let sandbox = Sandbox::empty();
    let with_weak = [armored("one@example.org"), armored("weak@example.org")].concat();
    let with_text = format!("{}\nbob@example.org ssh-ed25519 AAAA\n", armored("one@example.org"));
    for (file, told) in
        [(with_weak, "key 2 of 2 in the file cannot be used"), (with_text, "not one OpenPGP public key")]
    {
        sandbox.put("keys", &file);
        let seen = sandbox.rye(&["trust", "add", "keys"]).transcript();
        assert!(seen.contains(told) && seen.ends_with("[exit 1]\n"), "{seen}");
        assert!(!sandbox.path("config/rye/trust/allowed_signers").exists());
    }
    let private = gpg.home.path().join("private.gpg");
    gpg.run(&["--yes", "--output", private.to_str().unwrap(), "--export-secret-keys", "one@example.org"]);
    fs::copy(&private, sandbox.project().join("keys")).unwrap();
    let seen = sandbox.rye(&["trust", "add", "keys"]).transcript();
    assert!(seen.contains("is a private key") && seen.ends_with("[exit 1]\n"), "{seen}");
}

#[test]
fn a_commit_signed_by_openpgp_counts_where_git_counts_it() {
    let Some(gpg) = Gpg::new() else { return };
    let sandbox = project();
    for (name, algorithm) in [("rsa@x", "rsa3072"), ("ed@x", "ed25519"), ("nist@x", "nistp256"), ("wide@x", "nistp521")]
    {
        gpg.make(name, algorithm, "0");
        sandbox.git(&["reset", "-q", "--hard", "base"]);
        gpg.commit(&sandbox, name, "signed by gpg");
        let line = gpg.line(name, "");
        assert!(gpg.is_good(&sandbox), "{name}");
        judged(&sandbox, &line).is_ok();
        judged(&sandbox, &gpg.line(name, "namespaces=\"git\" ")).is_ok();
        // Without its key the signature says nothing; by another use, or outside of its time, the key does not count.
        judged(&sandbox, "").is_refused(&[("RYE-C008", COMMIT)]);
        judged(&sandbox, &gpg.line(name, "namespaces=\"file\" ")).is_refused(&[("RYE-C004", COMMIT)]);
        judged(&sandbox, &gpg.line(name, "valid-before=\"20260101Z\" ")).is_refused(&[("RYE-C005", COMMIT)]);
        fs::write(sandbox.path("tmp/bad"), line.split_once(' ').unwrap().1).unwrap();
        let (file, bad) = (sandbox.path("tmp/signers"), sandbox.path("tmp/bad"));
        fs::write(&file, signers() + &line).unwrap();
        let (file, bad) = (file.display().to_string(), bad.display().to_string());
        let named = ["--range", "base..HEAD", "--commits", "--allowed-signers", &file, "--revoked", &bad];
        verify(&sandbox, &named).is_refused(&[("RYE-C006", COMMIT)]);
        // A signature of another commit.
        forge(&sandbox, |commit| {
            let (signature, rest) = taken_apart(&commit);
            put_together(&signature, &rest.replace("signed by gpg", "not signed"))
        });
        assert!(!gpg.is_good(&sandbox), "{name}");
        judged(&sandbox, &line).is_refused(&[("RYE-C003", COMMIT)]);
    }
}

#[test]
fn a_subkey_signs_and_what_its_holder_revoked_does_not() {
    let Some(gpg) = Gpg::new() else { return };
    let sandbox = project();
    gpg.make("sub@x", "ed25519", "0");
    let fingerprint = gpg.run(&["--with-colons", "--list-keys", "sub@x"]);
    let fingerprint = fingerprint.lines().find_map(|line| line.strip_prefix("fpr:::::::::")).unwrap();
    let fingerprint = fingerprint.trim_end_matches(':').to_owned();
    gpg.run(&["--faked-system-time=20250102T000000!", "--quick-add-key", &fingerprint, "rsa2048", "sign", "0"]);
    gpg.commit(&sandbox, "sub@x", "signed by a subkey");
    assert!(gpg.is_good(&sandbox));
    judged(&sandbox, &gpg.line("sub@x", "")).is_ok();

    // A key that its holder revoked is skipped, and signs nothing.
    let armor = gpg.run(&["--armor", "--export", "sub@x"]);
    let folder = sandbox.path("tmp");
    let revocation = gpg.home.path().join(format!("openpgp-revocs.d/{fingerprint}.rev"));
    let revocation = fs::read_to_string(revocation).unwrap().replace(":-----BEGIN", "-----BEGIN");
    fs::write(folder.join("revocation"), revocation).unwrap();
    gpg.run(&["--import", folder.join("revocation").to_str().unwrap()]);
    assert!(!gpg.is_good(&sandbox));
    assert!(rye::trust::PublicKey::from_openpgp_armor(&armor).is_ok());
    let armor = gpg.run(&["--armor", "--export", "sub@x"]);
    let error = rye::trust::PublicKey::from_openpgp_armor(&armor).unwrap_err();
    assert_eq!(error.to_string(), "the OpenPGP key is revoked by its holder");
}

#[test]
fn an_expired_or_a_weak_key_does_not_count() {
    let Some(gpg) = Gpg::new() else { return };
    let sandbox = project();
    gpg.make("short@x", "ed25519", "20250201T000000");
    gpg.make("long@x", "ed25519", "0");
    gpg.commit(&sandbox, "long@x", "signed");
    judged(&sandbox, &gpg.line("long@x", "")).is_ok();
    let (signature, _) = taken_apart(&sandbox.git(&["cat-file", "commit", "HEAD"]));
    assert!(signature.starts_with("-----BEGIN PGP SIGNATURE-----"));
    // What an expired key signed in its time is not this commit's, which is younger.
    let payload = taken_apart(&sandbox.git(&["cat-file", "commit", "HEAD"])).1;
    fs::write(sandbox.path("tmp/payload"), payload).unwrap();
    let file = sandbox.path("tmp/payload").display().to_string();
    let old = "--faked-system-time=20250110T000000!";
    let signature = gpg.run(&[old, "--local-user", "short@x", "--armor", "--detach-sign", "--output", "-", &file]);
    forge(&sandbox, |commit| put_together(&signature, &taken_apart(&commit).1));
    assert!(!gpg.is_good(&sandbox));
    judged(&sandbox, &gpg.line("short@x", "")).is_refused(&[("RYE-C005", COMMIT)]);

    gpg.make("weak@x", "rsa1024", "0");
    let armor = gpg.run(&["--armor", "--export", "weak@x"]);
    let error = rye::trust::PublicKey::from_openpgp_armor(&armor).unwrap_err();
    assert_eq!(error.to_string(), "the OpenPGP key is weak, or of a type that is not known here");
}

/// Makes the last commit one of another time, signed by `gpg` at its own.
fn signed_at(gpg: &Gpg, sandbox: &Sandbox, name: &str, (committed, signed): (&str, &str)) {
    let payload = taken_apart(&sandbox.git(&["cat-file", "commit", "HEAD"])).1;
    let committer = payload.lines().find(|line| line.starts_with("committer ")).unwrap();
    let payload = payload.replace(committer, &format!("committer Ada <ada@example.org> {committed} +0000"));
    fs::write(sandbox.path("tmp/payload"), &payload).unwrap();
    let (file, time) = (sandbox.path("tmp/payload").display().to_string(), format!("--faked-system-time={signed}!"));
    let signature = gpg.run(&[&time, "--local-user", name, "--armor", "--detach-sign", "--output", "-", &file]);
    forge(sandbox, |_| put_together(&signature, &payload));
}

#[test]
fn the_times_of_a_signature_count_as_they_do_for_git() {
    let Some(gpg) = Gpg::new() else { return };
    let sandbox = project();
    gpg.make("short@x", "ed25519", "20250201T000000");
    gpg.make("long@x", "ed25519", "0");
    let (january_10, june_2024) = ("1736467200", "1717200000");
    gpg.commit(&sandbox, "long@x", "signed");
    // In its time, by a key that has expired since; and by one that is older than the signature, and not than the commit.
    for (name, committed, is_good) in
        [("short@x", january_10, false), ("long@x", january_10, true), ("long@x", june_2024, true)]
    {
        signed_at(&gpg, &sandbox, name, (committed, "20250110T000000"));
        assert_eq!(gpg.is_good(&sandbox), is_good, "{name} {committed}");
        let seen = judged(&sandbox, &gpg.line(name, ""));
        if is_good {
            seen.is_ok();
        } else {
            seen.is_refused(&[("RYE-C005", COMMIT)]);
            assert!(seen.field(0, "message").contains("has expired since"), "{:#}", seen.json);
        }
    }
}

/// The whole way: the person adds the key of a colleague, and later takes that back.
#[test]
fn the_key_of_a_colleague_is_added_and_revoked_as_any() {
    let Some(gpg) = Gpg::new() else { return };
    let sandbox = project();
    gpg.make("Carol <carol@example.org>", "ed25519", "0");
    fs::write(sandbox.path("tmp/carol.asc"), gpg.run(&["--armor", "--export", "carol@example.org"])).unwrap();
    gpg.commit(&sandbox, "carol@example.org", "carol's");
    let file = sandbox.path("tmp/carol.asc").display().to_string();
    let commits = ["--rev", "HEAD", "--commits", "no/such/item"];
    let of_commit = |sandbox: &Sandbox| {
        let seen = verify(sandbox, &commits[..3]);
        let rules: Vec<String> = seen.findings().iter().map(|(_, rule, _)| (*rule).to_owned()).collect();
        rules.into_iter().filter(|rule| rule.starts_with("RYE-C")).collect::<Vec<_>>()
    };
    assert_eq!(of_commit(&sandbox), ["RYE-C008"]);
    sandbox.rye(&["trust", "add", &file]).succeeds();
    // Carol is not the author, and that is a warning.
    assert_eq!(of_commit(&sandbox), ["RYE-C007"]);
    let listed = sandbox.rye(&["trust", "list"]).transcript();
    assert!(listed.contains("carol@example.org"), "{listed}");
    let for_git = fs::read_to_string(sandbox.path("config/rye/trust/git_allowed_signers")).unwrap_or_default();
    assert!(!for_git.contains("openpgp"), "{for_git}");
    sandbox.rye(&["trust", "revoke", "carol@example.org", "--yes"]).transcript();
    assert_eq!(of_commit(&sandbox), ["RYE-C006"]);
    verify(&sandbox, &ALL).is_refused(&[("RYE-C006", COMMIT)]);
}
