//! A project with a trusted revision, and a commit on top of it for every case.
//!
//! The base is made by stock git, what follows by the writer of this program, which is quick; a commit that is forged is
//! written byte by byte by stock git, which does not look at it.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use rye::context::{Context, Surroundings};
use rye::git::{CommitId, GitEnvironment, NewCommit, Repository, Signature, TreeEdit, TreeId, Writer};
use rye::ops::verify::{self, Commits, Options, Outcome, Signers, Source};
use rye::project::Project;
use rye::trust::{Namespace, Signed, Subject};
use serde_json::Value;

use super::{ADA, BOB, Beside, Case, Change, Original, TIME, key, trust_files};
use crate::support::Sandbox;

pub(super) const GREET: &str = ".ai/directives/demo/greet.md";
pub(super) const HELLO: &str = ".ai/tools/demo/hello.py";
pub(super) const RUN: &str = ".ai/tools/demo/run.sh";
pub(super) const NOTES: &str = ".ai/knowledge/demo/notes.md";
pub(super) const DATA: &str = ".ai/knowledge/demo/data.yaml";
/// Two must sign it.
pub(super) const PLAN: &str = ".ai/knowledge/team/plan.md";
/// The home folder has another one of this name.
pub(super) const COVER: &str = ".ai/knowledge/demo/cover.md";

/// The items that cases are made of, with their text.
pub(super) const ITEMS: [(&str, &str); 5] = [
    (
        GREET,
        "# Greet\n\n```xml\n<directive name=\"greet\" version=\"1.0.0\">\n</directive>\n```\n\n<process>\nSay it.\n</process>\n",
    ),
    (HELLO, "#!/usr/bin/env python3\n__version__ = \"1.0.0\"\nprint('hello')\n"),
    (RUN, "# version: 1.0.0\nset -e\necho hello\n"),
    (NOTES, "# Notes\n\nGreetings are short.\n"),
    (DATA, "title: Grüße\nversion: 1.0.0\n---\nText.\n"),
];

pub(super) const NOTES_REF: &str = "refs/notes/rye";

/// 2026-03-17T01:41:08Z, the time of every commit.
pub(super) const SECONDS: i64 = 1_773_711_668;

pub(super) struct World {
    sandbox: Sandbox,
    ctx: Context,
    base: CommitId,
    tips: Vec<CommitId>,
}

/// The library, ready to verify.
pub(super) struct Judge(Project);

impl Judge {
    /// Verifies what a commit brings, by the base.
    pub(super) fn of(&self, tip: &CommitId) -> Outcome {
        verify::verify(&self.0, &options(tip)).unwrap()
    }
}

/// A commit as it is signed, and what a forger might have at hand.
pub(super) struct Unsigned {
    /// Its bytes.
    pub(super) text: String,
    /// A commit the project has had.
    pub(super) earlier: String,
    /// A tree the project has had.
    pub(super) other_tree: String,
}

impl World {
    /// Makes the trusted revision, and of every case a commit.
    pub(super) fn new(cases: &[Case]) -> Self {
        let sandbox = project();
        let id = |name: &str| sandbox.git(&["rev-parse", name]).trim().to_owned();
        let (base, tree) = (CommitId::parse(&id("base")).unwrap(), TreeId::parse(&id("base^{tree}")).unwrap());
        let (earlier, other_tree) = (id("base~"), id("base~^{tree}"));
        let repository = Repository::open(&sandbox.project(), &GitEnvironment::default()).unwrap();
        let mut writer = repository.writer();
        let mut tips = Vec::new();
        for case in cases {
            let tree = changed(&sandbox, &mut writer, &tree, &case.changes);
            let commit = NewCommit {
                tree_id: tree,
                parents: vec![base.clone()],
                author: Signature::new("Bob", "bob@example.org", SECONDS),
                committer: Signature::new("Bob", "bob@example.org", SECONDS),
                message: format!("{}\n", case.what),
            };
            let Some(forge) = &case.forge else {
                let sign = |bytes: &[u8]| Ok(key(BOB).sign_armored(Namespace::Git, bytes));
                tips.push(writer.commit(&commit, Some(&sign)).unwrap());
                continue;
            };
            let unsigned = writer.commit(&commit, None).unwrap();
            let text = sandbox.git(&["cat-file", "commit", unsigned.as_str()]);
            let unsigned = Unsigned { text, earlier: earlier.clone(), other_tree: other_tree.clone() };
            tips.push(written(&sandbox, forge(&unsigned).as_bytes()));
        }
        let own =
            Beside { reference: NOTES_REF, path: PLAN.to_owned(), bytes: countersignature(PLAN, TEXT, BOB).into() };
        put_notes(&sandbox, &mut writer, &base, &tips, cases, &own);
        let ctx = context(&sandbox);
        Self { sandbox, ctx, base, tips }
    }

    pub(super) const fn base(&self) -> &CommitId {
        &self.base
    }

    pub(super) fn tip(&self, number: usize) -> &CommitId {
        &self.tips[number]
    }

    pub(super) fn judge(&self) -> Judge {
        Judge(Project::open(&self.ctx).unwrap())
    }

    /// Lets something happen to the repository, judges its base again, and returns the error.
    pub(super) fn error_after(&self, happens: &[&[&str]]) -> String {
        for command in happens {
            self.sandbox.git(command);
        }
        let Err(error) = verify::verify(&Project::open(&self.ctx).unwrap(), &options(&self.base)) else {
            panic!("it is verified after {happens:?}");
        };
        error.to_string()
    }

    pub(super) fn sandbox(&self) -> &Sandbox {
        &self.sandbox
    }

    /// Asks the program about a commit: its exit code, and what it found in the order of rules and paths.
    pub(super) fn ask_program(&self, tip: &CommitId) -> (String, Vec<(String, String, Option<String>)>) {
        let range = format!("base..{tip}");
        let args = ["verify", "--json", "--range", &range, "--commits", "--trust-root", "base", "--no-cache"];
        let transcript = self.sandbox.rye(&args).transcript();
        let json = transcript.lines().find(|line| line.starts_with('{')).unwrap_or_else(|| panic!("{transcript}"));
        let code = transcript.rsplit("[exit ").next().unwrap().trim_end_matches("]\n").to_owned();
        let json: Value = serde_json::from_str(json).unwrap();
        let field = |finding: &Value, name: &str| finding[name].as_str().map(str::to_owned);
        let mut told: Vec<_> = json["findings"]
            .as_array()
            .unwrap_or_else(|| panic!("{transcript}"))
            .iter()
            .map(|found| (field(found, "rule").unwrap(), field(found, "path").unwrap(), field(found, "because")))
            .collect();
        told.sort();
        (code, told)
    }

    /// Says what explains a signature whose original is known.
    pub(super) fn because(&self, original: Original) -> String {
        match original {
            Original::InTree(path) => format!("this is the signature of {}", subject(path)),
            Original::InHistory(path) => {
                format!("this is the signature of {} as of commit `{}`", subject(path), &self.base.as_str()[..12])
            }
            Original::OpenPgp => {
                "no trust file names the key that made it; `gpg --armor --export KEY >key.asc` and `rye trust \
                                  add key.asc` add it"
                    .to_owned()
            }
        }
    }
}

/// The text of the item that two must sign, and of every other one outside of [`ITEMS`].
pub(super) const TEXT: &str = "# Plan\n\nFirst this, then that.\n";

pub(super) fn subject(path: &str) -> Subject {
    let (folder, rest) = path.strip_prefix(".ai/").unwrap().split_once('/').unwrap();
    let (id, extension) = rest.rsplit_once('.').unwrap();
    Subject {
        item_type: folder.trim_end_matches('s').parse().unwrap(),
        item_id: id.parse().unwrap(),
        extension: extension.parse().unwrap(),
    }
}

/// Signs a text as the item at a path.
pub(super) fn signed_at(path: &str, text: &str, number: u8, at: &str) -> String {
    let item = Signed::new(subject(path), text.as_bytes().to_vec());
    let (_, bytes) = item.sign(&key(number), at.parse().unwrap()).unwrap();
    String::from_utf8(bytes).unwrap()
}

pub(super) fn signed(path: &str, text: &str, number: u8) -> String {
    signed_at(path, text, number, TIME)
}

/// A person's signature of a text as the item at a path, as in notes.
pub(super) fn countersignature(path: &str, text: &str, number: u8) -> String {
    let item = Signed::new(subject(path), text.as_bytes().to_vec());
    format!("{}\n", item.sign(&key(number), TIME.parse().unwrap()).unwrap().0.bare())
}

fn project() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.put("README", "A project.\n");
    sandbox.commit("first");
    for (path, text) in ITEMS {
        sandbox.put(path, &signed(path, text, ADA));
    }
    sandbox.put(PLAN, &signed(PLAN, TEXT, ADA));
    sandbox.put(COVER, &signed(COVER, TEXT, ADA));
    for (path, bytes) in trust_files::base().files() {
        sandbox.put(&path, std::str::from_utf8(&bytes).unwrap());
    }
    sandbox.commit("base");
    sandbox.git(&["branch", "base"]);
    let home = sandbox.path("home").join(COVER);
    fs::create_dir_all(home.parent().unwrap()).unwrap();
    fs::write(home, "anything\n").unwrap();
    sandbox
}

/// Writes the tree that changes make of another. Stock git makes links, which this program never writes.
fn changed(sandbox: &Sandbox, writer: &mut Writer<'_>, base: &TreeId, changes: &[(String, Change)]) -> TreeId {
    let mut edits = Vec::new();
    for (path, change) in changes {
        match change {
            Change::Put(bytes) => {
                let blob_id = writer.blob(bytes).unwrap();
                edits.push(TreeEdit::Upsert { path: path.clone(), executable: false, blob_id });
            }
            Change::Remove => edits.push(TreeEdit::Remove { path: path.clone() }),
            Change::Link(_) => {}
        }
    }
    let mut tree = writer.tree(Some(base), &edits).unwrap();
    for (path, change) in changes {
        let Change::Link(target) = change else { continue };
        let blob_id = writer.blob(target.as_bytes()).unwrap();
        sandbox.git(&["read-tree", tree.as_str()]);
        let entry = format!("120000,{blob_id},{path}");
        sandbox.git(&["update-index", "--add", "--replace", "--cacheinfo", &entry]);
        tree = TreeId::parse(sandbox.git(&["write-tree"]).trim()).unwrap();
    }
    tree
}

/// Writes a commit of exactly these bytes.
fn written(sandbox: &Sandbox, bytes: &[u8]) -> CommitId {
    let mut git = Command::new("git");
    git.env_clear().envs(sandbox.variables()).current_dir(sandbox.project());
    git.args(["hash-object", "-t", "commit", "-w", "--literally", "--stdin"]);
    let mut git = git.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    git.stdin.take().unwrap().write_all(bytes).unwrap();
    let output = git.wait_with_output().unwrap();
    assert!(output.status.success());
    CommitId::parse(std::str::from_utf8(&output.stdout).unwrap().trim()).unwrap()
}

/// Writes the notes of all cases, each on the blob that its commit has at a path.
fn put_notes(
    sandbox: &Sandbox,
    writer: &mut Writer<'_>,
    base: &CommitId,
    tips: &[CommitId],
    cases: &[Case],
    own: &Beside,
) {
    let mut notes: BTreeMap<&str, Vec<TreeEdit>> = BTreeMap::new();
    let of_cases = cases.iter().zip(tips).flat_map(|(case, tip)| case.notes.iter().map(move |note| (tip, note)));
    for (commit, Beside { reference, path, bytes }) in of_cases.chain([(base, own)]) {
        let entry = writer.repository().entry_at(commit, path).unwrap();
        let path = entry.map_or_else(|| panic!("there is no `{path}`"), |entry| entry.blob_id.to_string());
        let blob_id = writer.blob(bytes).unwrap();
        notes.entry(reference).or_default().push(TreeEdit::Upsert { path, executable: false, blob_id });
    }
    for (reference, edits) in notes {
        let who = Signature::new("Bob", "bob@example.org", SECONDS);
        let tree_id = writer.tree(None, &edits).unwrap();
        let message = "notes\n".to_owned();
        let commit = NewCommit { tree_id, parents: Vec::new(), author: who.clone(), committer: who, message };
        let commit_id = writer.commit(&commit, None).unwrap();
        sandbox.git(&["update-ref", reference, commit_id.as_str()]);
    }
}

fn context(sandbox: &Sandbox) -> Context {
    let surroundings = Surroundings {
        current_dir: sandbox.project(),
        program: crate::support::RYE.into(),
        variables: sandbox.variables().into_iter().collect(),
    };
    Context::new(surroundings, None, &[]).unwrap()
}

fn options(tip: &CommitId) -> Options {
    Options {
        source: Source::Range { range: format!("base..{tip}"), commits: Some(Commits::All) },
        signers: Signers::Root("base".to_owned()),
        no_cache: true,
        ..Options::default()
    }
}
