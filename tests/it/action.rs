//! The action of GitHub: its scripts run as the runner runs them, with a real repository, a real remote and this program.
//!
//! The events are made up from what GitHub documents; the steps that call other actions are left out.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use rye::id::Timestamp;
use rye::trust::{
    ContentHash, Digests, Namespace, Signed, SignedManifest, SigningKey, TrustFile, TrustedKey, allowed_signers_line,
};
use serde_json::{Value, json};

use crate::support::Sandbox;

const NOTES: &str = ".ai/knowledge/demo/notes.md";
const TIME: &str = "2026-03-17T01:41:08Z";
const ADA: u8 = 1;
const EVE: u8 = 9;
const FORGE: u8 = 8;

/// The action, read.
struct Action(Value);

/// A repository with a remote, as the checkout of a workflow leaves it.
struct Runner {
    origin: Sandbox,
    workspace: Sandbox,
}

/// What the steps of a run came to.
#[derive(Debug)]
struct Ran {
    code: i32,
    told: String,
    outputs: BTreeMap<String, String>,
}

impl Action {
    fn read() -> Self {
        let path = Path::new(crate::support::ROOT).join("action.yml");
        Self(serde_saphyr::from_str(&fs::read_to_string(path).unwrap()).unwrap())
    }

    fn steps(&self) -> &[Value] {
        self.0["runs"]["steps"].as_array().unwrap()
    }

    fn script(&self, name: &str) -> (&str, &Value) {
        let step = self.steps().iter().find(|step| step["name"] == name).unwrap();
        (step["run"].as_str().unwrap(), &step["env"])
    }

    /// Fills in the expressions of a value that a step takes from outside.
    fn filled(&self, template: &str, known: &dyn Fn(&str) -> String) -> String {
        let inside = template.strip_prefix("${{ ").and_then(|rest| rest.strip_suffix(" }}"));
        let inside = inside.unwrap_or_else(|| panic!("`{template}` is not an expression"));
        inside.split(" || ").map(known).find(|value| !value.is_empty()).unwrap_or_default()
    }
}

impl Runner {
    /// Makes Ada's project on a branch `main`, and a clone of it that knows nothing else.
    fn new() -> Self {
        let origin = Sandbox::empty();
        origin.git(&["init", "-q", "-b", "main"]);
        origin.git(&["config", "uploadpack.allowAnySHA1InWant", "true"]);
        origin.put("README", "text\n");
        origin.commit("first");
        origin.put(NOTES, &signed(ADA, "Greetings.\n"));
        trust(&origin, 1, &[ADA]);
        commit(&origin, ADA, "the project");
        let workspace = Sandbox::empty();
        fs::remove_dir(workspace.project()).unwrap();
        let url = format!("file://{}", origin.project().display());
        let mut git = Command::new("git");
        git.env_clear().envs(workspace.variables());
        git.args(["clone", "-q", "--depth", "1", &url]).arg(workspace.project());
        assert!(git.status().unwrap().success());
        Self { origin, workspace }
    }

    /// Begins a change on the remote, as a fork's pull request shows it.
    fn change(&self, change: impl FnOnce(&Sandbox)) -> String {
        self.origin.git(&["checkout", "-q", "-B", "change", "main"]);
        change(&self.origin);
        let head = self.origin.git(&["rev-parse", "HEAD"]).trim().to_owned();
        self.origin.git(&["update-ref", "refs/pull/7/head", &head]);
        self.origin.git(&["checkout", "-q", "main"]);
        self.origin.git(&["branch", "-q", "-D", "change"]);
        head
    }

    fn pull_request(&self, head: &str) -> Value {
        json!({"github": {
            "event_name": "pull_request", "sha": "0".repeat(40), "ref": "refs/pull/7/merge",
            "event": {
                "repository": {"default_branch": "main"},
                "pull_request": {"number": "7", "base": {"ref": "main"}, "head": {"sha": head}},
            },
        }})
    }

    fn push(&self, reference: &str, before: &str, after: &str) -> Value {
        json!({"github": {
            "event_name": "push", "sha": after, "ref": reference,
            "event": {"before": before, "repository": {"default_branch": "main"}},
        }})
    }

    fn program(&self) -> PathBuf {
        crate::support::RYE.into()
    }

    /// Runs the steps in their order as the runner does, up to the first that fails. The inputs are those given and the
    /// defaults.
    fn run(&self, event: &Value, inputs: &[(&str, &str)]) -> Ran {
        let action = Action::read();
        let program = self.program().display().to_string();
        let mut outputs: BTreeMap<String, String> = BTreeMap::new();
        let mut told = String::new();
        for name in ["Find the program", "Fetch history", "Verify"] {
            let (script, variables) = action.script(name);
            let known = |expression: &str| match expression.split_once('.').unwrap() {
                ("inputs", "program") if inputs.iter().all(|(input, _)| *input != "program") => program.clone(),
                ("inputs", name) => self.input(&action, name, inputs),
                ("steps", output) => outputs.get(output).cloned().unwrap_or_default(),
                ("github", "workspace") => self.workspace.project().display().to_string(),
                ("github", "action_path") => crate::support::ROOT.to_owned(),
                _ => event.pointer(&format!("/{}", expression.replace('.', "/"))).map_or_else(String::new, text),
            };
            let environment: Vec<(String, String)> = variables
                .as_object()
                .unwrap()
                .iter()
                .map(|(variable, template)| (variable.clone(), action.filled(template.as_str().unwrap(), &known)))
                .collect();
            let (code, printed, written) = self.step(script, &environment);
            told += &printed;
            let id = action.steps().iter().find(|step| step["name"] == name).unwrap()["id"].as_str().unwrap();
            for line in written.lines() {
                let (output, value) = line.split_once('=').unwrap();
                outputs.insert(format!("{id}.outputs.{output}"), value.to_owned());
            }
            if code != 0 {
                return Ran { code, told, outputs };
            }
        }
        Ran { code: 0, told, outputs }
    }

    fn input(&self, action: &Action, name: &str, inputs: &[(&str, &str)]) -> String {
        if let Some((_, value)) = inputs.iter().find(|(input, _)| *input == name) {
            return (*value).to_owned();
        }
        match action.0["inputs"][name]["default"].as_str().unwrap_or_else(|| panic!("there is no input `{name}`")) {
            "${{ github.workspace }}" => self.workspace.project().display().to_string(),
            default => default.to_owned(),
        }
    }

    /// Runs one script: its exit code, what it printed, what it put out.
    fn step(&self, script: &str, environment: &[(String, String)]) -> (i32, String, String) {
        let (file, output) = (self.workspace.path("tmp/step.sh"), self.workspace.path("tmp/output"));
        fs::write(&file, script).unwrap();
        fs::write(&output, "").unwrap();
        let mut bash = Command::new("bash");
        bash.args(["--noprofile", "--norc", "-e", "-o", "pipefail"]).arg(&file);
        bash.env_clear().envs(self.workspace.variables()).envs(environment.iter().cloned());
        bash.env("GITHUB_OUTPUT", &output).env("RUNNER_TEMP", self.workspace.path("tmp"));
        let ran = bash.current_dir(self.workspace.project()).output().unwrap();
        let told = format!("{}{}", String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
        (ran.status.code().unwrap(), told, fs::read_to_string(output).unwrap())
    }
}

impl Ran {
    #[track_caller]
    fn is(&self, code: i32, told: &str) {
        assert!(self.code == code && self.told.contains(told), "{self:#?} instead of {code} and {told}");
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn key(number: u8) -> SigningKey {
    SigningKey::from_seed(&[number; 32])
}

fn signed(number: u8, text: &str) -> String {
    let subject = rye::trust::Subject {
        item_type: rye::id::ItemType::Knowledge,
        item_id: "demo/notes".parse().unwrap(),
        extension: "md".parse().unwrap(),
    };
    let time: Timestamp = TIME.parse().unwrap();
    String::from_utf8(Signed::new(subject, text.as_bytes().to_vec()).sign(&key(number), time).unwrap().1).unwrap()
}

/// Writes trust files for some people, all of them but the forge roots, signed by Ada.
fn trust(sandbox: &Sandbox, version: u64, people: &[u8]) {
    let line = |number: &u8| {
        let uses = if *number == FORGE { &["git-forge"][..] } else { &["rye", "git", "rye-trust"] };
        let namespaces = uses.iter().map(|name| (*name).to_owned()).collect();
        let name = format!("person-{number}@example.org");
        format!(
            "{}\n",
            allowed_signers_line(&TrustedKey { namespaces, ..TrustedKey::new(key(*number).public(), name, "") })
        )
    };
    let signers: String = people.iter().map(line).collect();
    let digests = Digests { allowed_signers: Some(ContentHash::of(signers.as_bytes())), ..Digests::default() };
    let mut manifest = SignedManifest::unsigned(version, TIME.parse().unwrap(), digests);
    manifest.add(&key(ADA).sign_armored(Namespace::Trust, manifest.message().as_bytes())).unwrap();
    sandbox.put(&format!(".ai/trust/{}", TrustFile::AllowedSigners), &signers);
    sandbox.put(".ai/trust/trust.sig", &manifest.to_text());
}

/// Commits everything, signed by somebody.
fn commit(sandbox: &Sandbox, number: u8, message: &str) {
    let file = sandbox.path(&format!("tmp/key{number}"));
    fs::write(&file, key(number).to_openssh("test").as_bytes()).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    sandbox.git(&["add", "-A"]);
    let key = format!("user.signingkey={}", file.display());
    sandbox.git(&["-c", "gpg.format=ssh", "-c", &key, "commit", "-q", "-S", "-m", message]);
}

/// What GitHub fills in before a script is parsed may hold anything: no script has an expression in its text.
#[test]
fn no_script_of_the_action_has_an_expression_in_it() {
    let action = Action::read();
    let scripts: Vec<&str> = action.steps().iter().filter_map(|step| step["run"].as_str()).collect();
    assert_eq!(scripts.len(), 4);
    for script in scripts {
        assert!(!script.contains("${{"), "{script}");
        assert!(script.starts_with("set -euo pipefail\n"), "{script}");
    }
    for step in action.steps().iter().filter(|step| step["run"].is_string()) {
        assert_eq!(step["shell"], "bash", "{step}");
    }
    // Every input is used, and none is made up.
    let whole = fs::read_to_string(Path::new(crate::support::ROOT).join("action.yml")).unwrap();
    for name in action.0["inputs"].as_object().unwrap().keys() {
        assert!(whole.contains(&format!("inputs.{name}")), "the input `{name}` is used nowhere");
    }
}

#[test]
fn a_good_pull_request_passes_in_a_shallow_clone() {
    let runner = Runner::new();
    let head = runner.change(|change| {
        change.put(NOTES, &signed(ADA, "Greetings, all.\n"));
        commit(change, ADA, "more");
    });
    let ran = runner.run(&runner.pull_request(&head), &[]);
    ran.is(0, "");
    let base = runner.origin.git(&["rev-parse", "main"]).trim().to_owned();
    assert_eq!(ran.outputs["history.outputs.range"], format!("{base}..{head}"));
    assert_eq!((&*ran.outputs["history.outputs.trust-root"], &*ran.outputs["verify.outputs.exit-code"]), (&*base, "0"));
    // Nothing of the change was checked out.
    assert!(fs::read_to_string(runner.workspace.project().join(NOTES)).unwrap().contains("Greetings.\n"));
}

#[test]
fn a_bad_pull_request_is_refused_with_annotations() {
    let runner = Runner::new();
    let head = runner.change(|change| {
        change.edit(NOTES, "Greetings.", "Evil.");
        change.commit("::error::50% of it");
    });
    let ran = runner.run(&runner.pull_request(&head), &[]);
    ran.is(3, "::error file=.ai/knowledge/demo/notes.md,line=1,col=1,title=RYE-S004::");
    ran.is(3, "title=RYE-C001::");
    assert_eq!(ran.outputs["verify.outputs.exit-code"], "3");
    // Only the items, and as a report.
    let ran = runner.run(&runner.pull_request(&head), &[("commits", "none"), ("format", "json")]);
    ran.is(3, "");
    let report: Value =
        serde_json::from_str(&fs::read_to_string(&ran.outputs["verify.outputs.report"]).unwrap()).unwrap();
    assert_eq!((report["findings"][0]["rule"].as_str(), report["findings"][1].is_null()), (Some("RYE-S004"), true));
}

/// A fork brings its own key, signs everything with it, and names itself a root.
#[test]
fn a_change_does_not_judge_itself() {
    let runner = Runner::new();
    let head = runner.change(|change| {
        trust(change, 2, &[ADA, EVE]);
        change.edit(".ai/trust/trust.sig", "version 2", "version 3");
        change.put(NOTES, &signed(EVE, "Evil.\n"));
        commit(change, EVE, "trust me");
    });
    let ran = runner.run(&runner.pull_request(&head), &[]);
    for rule in ["RYE-M005", "RYE-S006", "RYE-C004"] {
        ran.is(3, rule);
    }
    // Nor does a branch that somebody pushed judge what they push there next.
    runner.origin.git(&["update-ref", "refs/heads/topic", &head]);
    let ran = runner.run(&runner.push("refs/heads/topic", &head, &head), &[]);
    ran.is(3, "RYE-S006");
}

#[test]
fn a_push_to_the_protected_branch_is_judged_by_what_it_was() {
    let runner = Runner::new();
    let before = runner.origin.git(&["rev-parse", "main"]).trim().to_owned();
    trust(&runner.origin, 2, &[EVE]);
    runner.origin.put(NOTES, &signed(EVE, "Evil.\n"));
    commit(&runner.origin, EVE, "mine now");
    let after = runner.origin.git(&["rev-parse", "main"]).trim().to_owned();
    let ran = runner.run(&runner.push("refs/heads/main", &before, &after), &[]);
    ran.is(3, "RYE-S006");
    assert_eq!(
        (&*ran.outputs["history.outputs.rev"], &*ran.outputs["history.outputs.trust-root"]),
        (&*after, &*before)
    );
    // A branch that begins.
    let nothing = "0".repeat(40);
    runner.run(&runner.push("refs/heads/main", &nothing, &before), &[]).is(0, "");
    runner.run(&runner.push("refs/heads/topic", &nothing, &before), &[("protected-branch", "main")]).is(3, "RYE-M");
}

/// The button squashes a pull request: what vouches for its commit is fetched, or named.
#[test]
fn a_push_by_the_merge_button_counts_by_its_pull_request() {
    let runner = Runner::new();
    trust(&runner.origin, 2, &[ADA, FORGE]);
    commit(&runner.origin, ADA, "the forge");
    let before = runner.origin.git(&["rev-parse", "main"]).trim().to_owned();
    let head = runner.change(|change| {
        change.put("one", "text\n");
        commit(change, ADA, "one");
        change.put("two", "text\n");
        commit(change, ADA, "two");
    });
    runner.origin.git(&["merge", "-q", "--squash", "refs/pull/7/head"]);
    commit(&runner.origin, FORGE, "one and two (#7)");
    let after = runner.origin.git(&["rev-parse", "main"]).trim().to_owned();
    let push = runner.push("refs/heads/main", &before, &after);
    let inputs = [("fetch", "false")];
    runner.run(&push, &[]).is(0, "");
    // Without the branch nothing vouches for it, unless somebody names it.
    let refs = runner.workspace.git(&["for-each-ref", "--format=%(refname)", "refs/rye-verify/pull/"]);
    assert_eq!(refs.trim(), "refs/rye-verify/pull/7");
    runner.workspace.git(&["update-ref", "-d", refs.trim()]);
    runner.run(&push, &inputs).is(3, "title=RYE-C009::");
    runner.run(&push, &[inputs[0], ("merged", &format!("\n{head}\n"))]).is(0, "");
    runner.run(&push, &[inputs[0], ("merged", "-x; touch evil")]).is(1, "");
    // What only commits need is not fetched without them.
    runner.run(&push, &[("commits", "none")]).is(0, "");
    assert_eq!(runner.workspace.git(&["for-each-ref", "refs/rye-verify/pull/"]), "");
}

/// Every option of `verify` that decides is an input, or the action says it.
#[test]
fn the_inputs_are_the_options_of_verify() {
    let action = Action::read();
    let help = Sandbox::empty().rye(&["verify", "--help"]).transcript();
    let options = help
        .lines()
        .filter_map(|line| line.trim_start().split_once("--"))
        .filter(|(before, _)| before.is_empty() || before.trim_end().ends_with(','));
    let names: Vec<&str> = options.filter_map(|(_, rest)| rest.split([' ', '=', '[', ',', '.']).next()).collect();
    assert!(names.contains(&"trust-root") && names.contains(&"merged"), "{names:?} {help}");
    // Those of every command, and the one that is always given.
    let others = ["no-cache", "json", "quiet", "verbose", "help", "yes", "color", "set", "config", "version"];
    for name in names.iter().filter(|name| !others.contains(name)) {
        assert!(action.0["inputs"].get(*name).is_some(), "`verify --{name}` has no input");
    }
}

/// Whatever a title, a branch or an input holds is a value and nothing else.
#[test]
fn nothing_that_comes_from_outside_is_run() {
    let runner = Runner::new();
    let head = runner.change(|change| change.commit_empty("$(touch owned)"));
    let hostile = ["$(touch owned)", "'; touch owned; \"", "--help", "a\nb=c"];
    for value in hostile {
        for input in
            ["range", "rev", "trust-root", "items", "commits", "format", "remote", "allow-empty", "revoked", "fetch"]
        {
            let ran = runner.run(&runner.pull_request(&head), &[(input, value)]);
            assert_ne!(ran.code, 0, "{input}: {value}: {ran:#?}");
        }
        for field in ["number", "base", "head"] {
            let mut event = runner.pull_request(&head);
            let request = &mut event["github"]["event"]["pull_request"];
            match field {
                "number" => request["number"] = json!(value),
                "base" => request["base"]["ref"] = json!(value),
                _ => request["head"]["sha"] = json!(value),
            }
            let ran = runner.run(&event, &[]);
            assert_ne!(ran.code, 0, "{field}: {value}: {ran:#?}");
        }
    }
    for place in [runner.workspace.project(), runner.workspace.path("tmp"), runner.origin.project()] {
        assert!(!place.join("owned").exists(), "{}", place.display());
    }
}

/// A program, or the action itself, that lies where the change is checked out is the change's.
#[test]
fn the_program_does_not_come_from_the_change() {
    let runner = Runner::new();
    let head = runner.change(|change| change.commit_empty("nothing"));
    let evil = runner.workspace.project().join("rye");
    fs::write(&evil, "#!/bin/sh\nexit 0\n").unwrap();
    fs::set_permissions(&evil, fs::Permissions::from_mode(0o755)).unwrap();
    let event = runner.pull_request(&head);
    runner.run(&event, &[("program", &evil.display().to_string())]).is(2, "program lies in the repository it judges");
    let link = runner.workspace.path("tmp/rye");
    std::os::unix::fs::symlink(&evil, &link).unwrap();
    runner.run(&event, &[("program", &link.display().to_string())]).is(2, "program lies in the repository it judges");
    let missing = runner.workspace.path("tmp/missing").display().to_string();
    runner.run(&event, &[("program", &missing)]).is(2, "input `program` is not an executable file");
    // The action of the repository itself: `uses: ./`.
    let root = crate::support::ROOT;
    let ran = runner.run(&event, &[("program", ""), ("repository", root)]);
    ran.is(2, "the action lies in the repository it judges");
    let found = runner.run(&runner.push("refs/heads/main", "", &head), &[("program", "")]);
    let build = &found.outputs["program.outputs.build"];
    assert!(build.starts_with(&runner.workspace.path("tmp/rye-").display().to_string()), "{found:#?}");
    assert_eq!(found.outputs["program.outputs.path"], format!("{build}/bin/rye"));
}

/// A program that was built before is found by this digest: a folder it leaves out could be changed unseen.
#[test]
fn the_digest_covers_all_that_the_program_is_made_of() {
    let action = Action::read();
    let (script, _) = action.script("Find the program");
    let covered = script.split_once("&& find ").and_then(|(_, rest)| rest.split_once(" -type f")).unwrap().0;
    let covered: Vec<&str> = covered.split(' ').collect();
    let manifest = fs::read_to_string(Path::new(crate::support::ROOT).join("Cargo.toml")).unwrap();
    let manifest: Value = serde_json::to_value(manifest.parse::<toml::Table>().unwrap()).unwrap();
    let paths = manifest["workspace"]["dependencies"].as_object().unwrap().values();
    let mut needed: Vec<&str> = paths.filter_map(|one| one["path"].as_str()?.split('/').next()).collect();
    needed.extend(["src", ".ai"]);
    assert!(needed.contains(&"crates") && needed.contains(&"plugins"), "{needed:?}");
    for folder in needed {
        assert!(covered.contains(&folder), "{folder}: {covered:?}");
    }
}

#[test]
fn nothing_to_verify_or_to_fetch_is_no_success() {
    let runner = Runner::new();
    let head = runner.change(|change| {
        change.git(&["rm", "-q", "-r", ".ai/knowledge"]);
        commit(change, ADA, "nothing is left");
    });
    runner.run(&runner.pull_request(&head), &[]).is(7, "");
    runner.run(&runner.pull_request(&head), &[("allow-empty", "true")]).is(0, "");
    runner.run(&runner.pull_request(&"1".repeat(40)), &[]).is(2, "the pull request has moved on");
    // Without history the origin is unknown, and the output says so.
    let shallow = Runner::new();
    let range = [("fetch", "false"), ("range", "HEAD~1..HEAD"), ("trust-root", "HEAD")];
    let tip = shallow.origin.git(&["rev-parse", "main"]).trim().to_owned();
    shallow.run(&shallow.push("refs/heads/main", "", &tip), &range).is(1, "git fetch --unshallow");
}

impl Sandbox {
    /// Commits nothing but a message.
    fn commit_empty(&self, message: &str) {
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
    }
}
