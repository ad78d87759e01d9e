//! Generated histories that mix keys of all kinds, merges, squashes and rebases: a commit is good here exactly where stock git
//! calls it good, by the same keys.

use std::collections::BTreeMap;
use std::process::Command;

use super::commits::{forge, put_together, taken_apart};
use super::openpgp::Gpg;
use super::*;
use crate::support::{has, ssh_keygen};

/// How many commits are made; `RYE_MIXED_COMMITS` is for a longer run.
const COMMITS: usize = 30;

const X509: &str = include_str!("../support/signatures/x509.pem");

/// Who signs a commit.
#[derive(Clone)]
enum Signer {
    Nobody,
    Ssh(String),
    OpenPgp(&'static str),
    /// A key of `gpg` that nobody else has.
    Unknown,
    /// A signature by X.509, which is not judged.
    X509,
}

/// A history that grows by chance, from a number.
struct History<'s> {
    sandbox: &'s Sandbox,
    gpg: &'s Gpg,
    stranger: &'s Gpg,
    signers: Vec<Signer>,
    state: u64,
    made: usize,
}

impl History<'_> {
    fn chance(&mut self, of: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        usize::try_from(self.state % u64::try_from(of).unwrap()).unwrap()
    }

    /// Runs a command of git that commits, signed by somebody.
    fn commit(&mut self, arguments: &[&str]) {
        let signer = self.chance(self.signers.len());
        let (format, key, program) = match self.signers[signer].clone() {
            Signer::Nobody => {
                self.sandbox.git(&[&["-c", "commit.gpgSign=false"], arguments].concat());
                self.made += 1;
                return;
            }
            Signer::X509 => {
                self.sandbox.git(&[&["-c", "commit.gpgSign=false"], arguments].concat());
                forge(self.sandbox, |commit| put_together(X509, &taken_apart(&commit).1));
                self.made += 1;
                return;
            }
            Signer::Ssh(path) => ("ssh", path, String::new()),
            Signer::OpenPgp(name) => ("openpgp", name.to_owned(), self.gpg.program(self.sandbox, "gpg")),
            Signer::Unknown => ("openpgp", "stranger@x".to_owned(), self.stranger.program(self.sandbox, "other-gpg")),
        };
        let (format, key) = (format!("gpg.format={format}"), format!("user.signingkey={key}"));
        let mut options = vec!["-c", "commit.gpgSign=true", "-c", &format, "-c", &key];
        let program = format!("gpg.program={program}");
        if program.len() > "gpg.program=".len() {
            options.extend(["-c", &program]);
        }
        self.sandbox.git(&[&options[..], arguments].concat());
        self.made += 1;
    }

    fn change(&mut self) {
        let (file, text) = (format!("file{}", self.made), format!("text {}\n", self.made));
        self.sandbox.put(&file, &text);
        self.sandbox.git(&["add", "-A"]);
        let message = format!("change {file}");
        self.commit(&["commit", "-q", "-m", &message]);
    }

    /// A branch of one to three commits, which comes to main in one of three ways.
    fn branch(&mut self) {
        let name = format!("topic{}", self.made);
        self.sandbox.git(&["checkout", "-q", "-b", &name]);
        for _ in 0..=self.chance(3) {
            self.change();
        }
        self.sandbox.git(&["checkout", "-q", "main"]);
        self.change();
        match self.chance(3) {
            0 => self.commit(&["merge", "-q", "--no-ff", "-m", "merge", &name]),
            1 => {
                self.sandbox.git(&["merge", "-q", "--squash", &name]);
                self.commit(&["commit", "-q", "-m", "squash (#1)"]);
            }
            _ => {
                self.sandbox.git(&["checkout", "-q", &name]);
                // Every commit of it is made anew.
                self.commit(&["rebase", "-q", "--force-rebase", "main"]);
                self.sandbox.git(&["checkout", "-q", "main"]);
                self.sandbox.git(&["merge", "-q", "--ff-only", &name]);
            }
        }
    }
}

#[test]
fn generated_histories_are_good_exactly_where_git_calls_them_good() {
    let (Some(gpg), Some(stranger)) = (Gpg::new(), Gpg::new()) else { return };
    if !has("ssh-keygen") {
        return;
    }
    let commits = std::env::var("RYE_MIXED_COMMITS").map_or(COMMITS, |number| number.parse().unwrap());
    let sandbox = project();
    let mut lines = signers();
    let mut list = vec![Signer::Nobody, Signer::Unknown, Signer::X509];
    for (of, bits, is_known) in [
        ("ed25519", "256", true),
        ("ecdsa", "256", true),
        ("ecdsa", "384", true),
        ("ecdsa", "521", true),
        ("rsa", "2048", true),
        ("rsa", "3072", false),
        ("ed25519", "257", false),
    ] {
        let path = sandbox.path(&format!("tmp/{of}{bits}")).display().to_string();
        let bits = if bits == "257" { "256" } else { bits };
        ssh_keygen(&sandbox.path("tmp"), &["-q", "-t", of, "-b", bits, "-N", "", "-f", &path]);
        if is_known {
            let public = fs::read_to_string(format!("{path}.pub")).unwrap();
            lines += &format!("{of}@x namespaces=\"git\" {public}");
        }
        list.push(Signer::Ssh(path));
    }
    for (name, algorithm) in [("rsa@x", "rsa3072"), ("ed@x", "ed25519"), ("nist@x", "nistp256")] {
        gpg.make(name, algorithm, "0");
        lines += &gpg.line(name, "");
        list.push(Signer::OpenPgp(name));
    }
    stranger.make("stranger@x", "ed25519", "0");
    let mut history = History {
        sandbox: &sandbox,
        gpg: &gpg,
        stranger: &stranger,
        signers: list,
        state: 0x9e37_79b9_7f4a_7c15,
        made: 0,
    };
    while history.made < commits {
        if history.chance(3) == 0 { history.branch() } else { history.change() }
    }
    compare(&sandbox, &gpg, &lines);
}

/// What was told of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Told {
    Good,
    Faulty,
    NotJudged,
    PassedByPolicy,
}

/// Compares commit by commit: with the keys of a file, and with those of a root whose policy lets X.509 pass. What is not judged and what
/// a policy lets pass is counted apart: git calls none of them good.
#[expect(clippy::print_stdout, reason = "the figures are to be seen")]
fn compare(sandbox: &Sandbox, gpg: &Gpg, lines: &str) {
    let file = sandbox.path("tmp/signers");
    fs::write(&file, lines).unwrap();
    let file = file.display().to_string();
    sandbox.git(&["checkout", "-q", "-b", "policy", "base"]);
    sandbox.put(".ai/trust/allowed_signers", lines);
    sandbox.put(".ai/trust/policy.toml", "format = 1\nx509 = \"unjudged\"\n");
    seal(sandbox, 2, LATER, &[ADA]);
    sandbox.commit("policy");
    sandbox.git(&["checkout", "-q", "main"]);
    let by_file = told(sandbox, &["--allowed-signers", &file]);
    let by_policy = told(sandbox, &["--trust-root", &rev(sandbox, "policy")]);
    let program = format!("gpg.program={}", gpg.program(sandbox, "gpg"));
    let known = format!("gpg.ssh.allowedSignersFile={file}");
    let (mut plain, mut with_policy): (BTreeMap<Told, usize>, BTreeMap<Told, usize>) = Default::default();
    let commits = sandbox.git(&["rev-list", "base..main"]);
    for commit in commits.lines() {
        let mut git = Command::new("git");
        git.env_clear().envs(sandbox.variables()).current_dir(sandbox.project());
        let is_good =
            git.args(["-c", &program, "-c", &known, "verify-commit", commit]).output().unwrap().status.success();
        for (told, counts) in [(&by_file, &mut plain), (&by_policy, &mut with_policy)] {
            let told = told.get(commit).copied().unwrap_or(Told::Good);
            assert_eq!(told == Told::Good, is_good, "{commit}: {told:?}");
            *counts.entry(told).or_default() += 1;
        }
    }
    let all = commits.lines().count();
    println!("mixed: {all} commits, each good exactly where git says so");
    println!("mixed: by the keys of a file: {plain:?}");
    println!("mixed: by a root whose policy lets X.509 pass: {with_policy:?}");
    let of = |counts: &BTreeMap<Told, usize>, told| counts.get(&told).copied().unwrap_or_default();
    assert!(of(&plain, Told::Good) > 5 && of(&plain, Told::Faulty) > 2, "{plain:?}");
    assert!(of(&plain, Told::NotJudged) > 0 && of(&plain, Told::PassedByPolicy) == 0, "{plain:?}");
    assert_eq!(of(&plain, Told::NotJudged), of(&with_policy, Told::NotJudged) + of(&with_policy, Told::PassedByPolicy));
}

/// Verifies the history; returns what was told of each commit that is not good.
fn told(sandbox: &Sandbox, by: &[&str]) -> BTreeMap<String, Told> {
    let seen = verify(sandbox, &[&["--range", "base..main", "--commits"], by].concat());
    let commits = sandbox.git(&["rev-list", "--count", "base..main"]);
    assert_eq!(seen.json["commits_checked"].to_string(), commits.trim());
    let mut told = BTreeMap::new();
    for finding in seen.json["findings"].as_array().unwrap() {
        let word = |name: &str| finding[name].as_str().unwrap_or_default().to_owned();
        let (rule, is_error) = (word("rule"), word("severity") == "error");
        let of = match (rule.as_str(), is_error) {
            ("RYE-C008", true) => Told::NotJudged,
            ("RYE-C008" | "RYE-C009", false) => Told::PassedByPolicy,
            (rule, true) if rule.starts_with("RYE-C") => Told::Faulty,
            _ => continue,
        };
        told.insert(word("commit_id"), of);
    }
    told
}
