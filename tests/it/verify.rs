//! `rye verify` as a pipeline sees it: stock git makes the histories, keys of the test sign them, the program judges.
//!
//! `attributes` is about those of git, `root` about a revision that is trusted, `range` about commits on the way, `going_back` about what merges and later
//! commits take back, `former` about what the base has or had, `commits` about their own signatures, `forges` about those of a forge, `other_kinds` about
//! those that are not judged, `openpgp` about those of `gpg`, `mixed` about histories of all kinds, `countersignatures` about notes, `output` about formats, `lookalikes` about names of other file systems, `because` about originals, `cache`
//! about verdicts of earlier runs, `repositories` about what git may do to history, `survival` about what people do to it.

mod attributes;
mod because;
mod cache;
mod commits;
mod countersignatures;
mod forges;
mod former;
mod going_back;
mod lookalikes;
mod mixed;
mod openpgp;
mod other_kinds;
mod output;
mod planted;
mod range;
mod repositories;
mod root;
mod survival;

use std::fs;
use std::os::unix::fs::PermissionsExt;

use rye::id::Timestamp;
use rye::trust::{
    ConfigDigest, Digests, Namespace, Signed, SignedManifest, SigningKey, Subject, TrustFile, TrustedKey,
    allowed_signers_line, trust_file_path,
};
use serde_json::Value;

use crate::support::Sandbox;

const NOTES: &str = ".ai/knowledge/demo/notes.md";
const GREET: &str = ".ai/directives/demo/greet.md";
const NOTES_TEXT: &str = include_str!("support/items/notes.md");
const GREET_TEXT: &str = include_str!("support/items/greet.md");

/// When everything is signed unless a test says otherwise.
const TIME: &str = "2026-03-17T01:41:08Z";
const LATER: &str = "2026-03-18T00:00:00Z";

/// The project's maintainer; another trusted person; an unknown person.
const ADA: u8 = 1;
const BOB: u8 = 2;
const EVE: u8 = 9;

/// A run: its exit code and what it printed as JSON.
struct Seen {
    code: String,
    json: Value,
}

impl Seen {
    /// The findings as severity, rule and path.
    fn findings(&self) -> Vec<(&str, &str, &str)> {
        let findings = self.json["findings"].as_array().map(Vec::as_slice).unwrap_or_default();
        findings
            .iter()
            .map(|finding| {
                let field = |name: &str| finding[name].as_str().unwrap_or_default();
                (field("severity"), field("rule"), field("path"))
            })
            .collect()
    }

    fn field(&self, nth: usize, name: &str) -> &str {
        self.json["findings"][nth][name].as_str().unwrap_or_default()
    }

    #[track_caller]
    fn is_ok(&self) {
        assert_eq!((self.code.as_str(), self.json["status"].as_str()), ("0", Some("ok")), "{:#}", self.json);
    }

    #[track_caller]
    fn is_refused(&self, findings: &[(&str, &str)]) {
        let seen: Vec<_> = self.findings().into_iter().map(|(_, rule, path)| (rule, path)).collect();
        assert_eq!((self.code.as_str(), seen.as_slice()), ("3", findings), "{:#}", self.json);
    }

    #[track_caller]
    fn fails(&self, code: &str, word: &str) {
        assert_eq!((self.code.as_str(), self.json["error"]["code"].as_str()), (code, Some(word)), "{:#}", self.json);
    }
}

/// Verifies with `--json`.
fn verify(sandbox: &Sandbox, args: &[&str]) -> Seen {
    let transcript = sandbox.rye(&[&["verify", "--json"], args].concat()).transcript();
    let json = transcript.lines().find(|line| line.starts_with('{')).unwrap_or_else(|| panic!("{transcript}"));
    let code = transcript.rsplit("[exit ").next().unwrap().trim_end_matches("]\n").to_owned();
    Seen { code, json: serde_json::from_str(json).unwrap() }
}

fn key(number: u8) -> SigningKey {
    SigningKey::from_seed(&[number; 32])
}

fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn subject(path: &str) -> Subject {
    let (folder, rest) = path.strip_prefix(".ai/").unwrap().split_once('/').unwrap();
    let (id, extension) = rest.rsplit_once('.').unwrap();
    Subject {
        item_type: folder.trim_end_matches('s').parse().unwrap(),
        item_id: id.parse().unwrap(),
        extension: extension.parse().unwrap(),
    }
}

/// Signs a text as the item at a path.
fn signed_at(path: &str, text: &str, number: u8, at: &str) -> String {
    let (_, bytes) = Signed::new(subject(path), text.as_bytes().to_vec()).sign(&key(number), time(at)).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn signed(path: &str, text: &str, number: u8) -> String {
    signed_at(path, text, number, TIME)
}

/// A line of allowed_signers.
fn signer(number: u8, name: &str, namespaces: &[&str]) -> String {
    let namespaces = namespaces.iter().map(|name| (*name).to_owned()).collect();
    let trusted = TrustedKey { namespaces, ..TrustedKey::new(key(number).public(), name, "") };
    format!("{}\n", allowed_signers_line(&trusted))
}

/// A line of a list of revoked keys.
fn revoked(number: u8) -> String {
    format!("{} stolen\n", key(number).public().to_openssh())
}

/// Ada is root and signs everything; Bob signs items and commits.
fn signers() -> String {
    signer(ADA, "ada@example.org", &["rye", "git", "rye-trust"]) + &signer(BOB, "bob@example.org", &["rye", "git"])
}

/// Makes a project of Ada's: two signed items, trust files with a manifest, one commit that `base` points to.
fn project() -> Sandbox {
    project_with(&[])
}

/// The same, with further trust files.
fn project_with(trust: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.put(NOTES, &signed(NOTES, NOTES_TEXT, ADA));
    sandbox.put(GREET, &signed(GREET, GREET_TEXT, ADA));
    sandbox.put(".ai/trust/allowed_signers", &signers());
    for (name, text) in trust {
        sandbox.put(&format!(".ai/trust/{name}"), text);
    }
    seal(&sandbox, 1, TIME, &[ADA]);
    sandbox.commit("base");
    sandbox.git(&["branch", "base"]);
    sandbox
}

/// Writes a manifest over the trust files that are there.
fn seal(sandbox: &Sandbox, version: u64, at: &str, roots: &[u8]) {
    seal_of(sandbox, version, at, roots, None);
}

/// The same, for the project whose history began with a commit.
fn seal_of(sandbox: &Sandbox, version: u64, at: &str, roots: &[u8], project: Option<String>) {
    let digest = |file: TrustFile| {
        let bytes = fs::read(sandbox.project().join(trust_file_path(file.as_str()))).ok()?;
        Some(rye::trust::ContentHash::of(&bytes))
    };
    let [allowed_signers, revoked, policy, config] = TrustFile::ALL.map(digest);
    let config = ConfigDigest::Covered(config);
    let mut manifest =
        SignedManifest::unsigned(version, time(at), Digests { allowed_signers, revoked, policy, config })
            .of_project(project);
    for root in roots {
        manifest.add(&key(*root).sign_armored(Namespace::Trust, manifest.message().as_bytes())).unwrap();
    }
    sandbox.put(".ai/trust/trust.sig", &manifest.to_text());
}

/// Writes somebody's private key where git finds it, and returns the options that sign a commit by it.
fn signing(sandbox: &Sandbox, number: u8) -> [String; 4] {
    let path = sandbox.path(&format!("tmp/key{number}"));
    fs::write(&path, key(number).to_openssh("test").as_bytes()).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    ["-c".into(), "gpg.format=ssh".into(), "-c".into(), format!("user.signingkey={}", path.display())]
}

/// Commits everything, written and signed by somebody.
fn commit_by(sandbox: &Sandbox, number: u8, message: &str) {
    let author = if number == BOB { "Bob <bob@example.org>" } else { "Ada <ada@example.org>" };
    commit_for(sandbox, number, author, message);
}

/// Commits everything, written by an author and signed by somebody.
fn commit_for(sandbox: &Sandbox, number: u8, author: &str, message: &str) {
    sandbox.git(&["add", "-A"]);
    let (signing, author) = (signing(sandbox, number), format!("--author={author}"));
    let mut args: Vec<&str> = signing.iter().map(String::as_str).collect();
    args.extend(["commit", "-q", "-S", "--allow-empty", &author, "-m", message]);
    sandbox.git(&args);
}

fn head(sandbox: &Sandbox) -> String {
    rev(sandbox, "HEAD")
}

fn rev(sandbox: &Sandbox, name: &str) -> String {
    sandbox.git(&["rev-parse", name]).trim().to_owned()
}

/// Puts somebody's signature of a file into a note on its blob.
fn countersign(sandbox: &Sandbox, path: &str, number: u8) {
    let bytes = fs::read(sandbox.project().join(path)).unwrap();
    let (line, _) = Signed::new(subject(path), bytes).sign(&key(number), time(TIME)).unwrap();
    note(sandbox, path, &line.bare());
}

/// Appends lines to the note on a file's blob, by stock git.
fn note(sandbox: &Sandbox, path: &str, lines: &str) {
    let blob = sandbox.git(&["hash-object", "-w", path]);
    sandbox.git(&["notes", "--ref=rye", "append", "-m", lines, blob.trim()]);
}
