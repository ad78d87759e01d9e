//! Generated histories that mix keys of all kinds, merges, squashes and rebases: a commit is good here exactly where stock git
//! calls it good, by the same keys.

use std::collections::BTreeMap;
use std::process::Command;

use super::openpgp::Gpg;
use super::*;
use crate::support::{has, ssh_keygen};

/// How many commits are made; `RYE_MIXED_COMMITS` is for a longer run.
const COMMITS: usize = 30;

/// Who signs a commit.
#[derive(Clone)]
enum Signer {
    Nobody,
    Ssh(String),
    OpenPgp(&'static str),
    /// A key of `gpg` that nobody else has.
    Unknown,
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
    let mut list = vec![Signer::Nobody, Signer::Unknown];
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

/// Compares commit by commit.
fn compare(sandbox: &Sandbox, gpg: &Gpg, lines: &str) {
    let file = sandbox.path("tmp/signers");
    fs::write(&file, lines).unwrap();
    let file = file.display().to_string();
    let seen = verify(sandbox, &["--range", "base..main", "--commits", "--allowed-signers", &file]);
    let mut faults: BTreeMap<String, String> = BTreeMap::new();
    for finding in seen.json["findings"].as_array().unwrap() {
        let word = |name: &str| finding[name].as_str().unwrap_or_default().to_owned();
        if word("severity") == "error" {
            faults.insert(word("commit_id"), word("rule"));
        }
    }
    let program = format!("gpg.program={}", gpg.program(sandbox, "gpg"));
    let known = format!("gpg.ssh.allowedSignersFile={file}");
    let (mut good, mut bad) = (0, 0);
    for commit in sandbox.git(&["rev-list", "base..main"]).lines() {
        let mut git = Command::new("git");
        git.env_clear().envs(sandbox.variables()).current_dir(sandbox.project());
        let is_good =
            git.args(["-c", &program, "-c", &known, "verify-commit", commit]).output().unwrap().status.success();
        assert_eq!(!faults.contains_key(commit), is_good, "{commit} {:?}", faults.get(commit));
        if is_good { good += 1 } else { bad += 1 }
    }
    assert!(good > 5 && bad > 2, "{good} {bad}");
    assert_eq!(seen.json["commits_checked"], good + bad);
}
