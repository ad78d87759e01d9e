//! What programs read: SARIF, annotations of GitHub, and messages with envelopes for ssh-keygen.

use std::process::{Command, Stdio};

use snapbox::str;

use super::*;
use crate::cli::sarif::assert_sarif;
use crate::support::{assert_seen, has};

/// Makes a history in which everything there is to find is found.
fn bad() -> Sandbox {
    let sandbox = project();
    sandbox.put(".ai/knowledge/demo/50%, ü: #1.md", "Nothing.\n");
    sandbox.edit(NOTES, "short", "evil");
    sandbox.put(".ai/trust/policy.toml", "format = 1\n");
    sandbox.commit("50% of it:\nbad");
    sandbox
}

const EVERYTHING: [&str; 5] = ["--range", "base..HEAD", "--commits", "--trust-root", "base"];

#[test]
fn people_get_sentences() {
    let sandbox = bad();
    assert_seen(
        sandbox.rye(&[&["verify"], &EVERYTHING[..]].concat()).transcript(),
        str![[r#"
$ rye verify --range base..HEAD --commits --trust-root base
error: `policy.toml` does not match the signed manifest [RYE-M004]
  --> .ai/trust/policy.toml:1:1 in commit 268889ccaf1adddd3085b4d84cb37211a22c973b
hint: restore them: `git restore --source e18c9eca1cd534993bb40be5886f5c40de08eaa2 --staged --worktree -- .ai/trust`

warning: this file is not an item: `demo/50%, ü: #1` is not an item id: only letters, digits, `_` and `-` may follow [RYE-S020]
  --> .ai/knowledge/demo/50%, ü: #1.md:1:1 in commit 268889ccaf1adddd3085b4d84cb37211a22c973b
hint: rename it or move it out of the folder

error: knowledge `demo/notes`: it was changed after it was signed [RYE-S004]
  --> .ai/knowledge/demo/notes.md:1:1 in commit 268889ccaf1adddd3085b4d84cb37211a22c973b
hint: review the change, then run `rye sign knowledge demo/notes`

error: commit `268889ccaf1a` (50% of it:): it is not signed [RYE-C001]
  --> commit 268889ccaf1adddd3085b4d84cb37211a22c973b
hint: look at it with `git show 268889ccaf1a`; if no protected branch has it, sign it and the later commits: `git -c gpg.format=ssh -c user.signingKey=~/.ssh/id_ed25519 rebase --exec 'git commit --amend --no-edit -S' 268889ccaf1adddd3085b4d84cb37211a22c973b~`

not ok: 2 items and 1 commit checked: 1 good, 1 tampered, 1 commit unsigned, 1 fault in trust files, 1 stray file
[exit 3]

"#]],
    );
}

#[test]
fn code_scanning_gets_sarif_that_is_valid_by_the_standard() {
    let sandbox = bad();
    let log = assert_sarif(&sandbox.rye(&[&["verify", "--format", "sarif"], &EVERYTHING[..]].concat()).stdout());
    let run = &log["runs"][0];
    let results = run["results"].as_array().unwrap();
    let rules: Vec<&str> = results.iter().map(|result| result["ruleId"].as_str().unwrap()).collect();
    assert_eq!(rules, ["RYE-M004", "RYE-S020", "RYE-S004", "RYE-C001"]);
    for result in results {
        // Every rule is described, and the index leads to it.
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
    }
    assert_sarif(&sandbox.rye(&["verify", "--format", "sarif", "--rev", "base", "--trust-root", "base"]).stdout());
}

#[test]
fn github_gets_annotations_that_nothing_breaks_out_of() {
    let sandbox = bad();
    assert_seen(
        sandbox.rye(&[&["verify", "--format", "github"], &EVERYTHING[..]].concat()).transcript(),
        str![[r#"
$ rye verify --format github --range base..HEAD --commits --trust-root base
::error file=.ai/trust/policy.toml,line=1,col=1,title=RYE-M004::`policy.toml` does not match the signed manifest%0Ahint: restore them: `git restore --source e18c9eca1cd534993bb40be5886f5c40de08eaa2 --staged --worktree -- .ai/trust`
::warning file=.ai/knowledge/demo/50%25%2C ü%3A #1.md,line=1,col=1,title=RYE-S020::this file is not an item: `demo/50%25, ü: #1` is not an item id: only letters, digits, `_` and `-` may follow%0Ahint: rename it or move it out of the folder
::error file=.ai/knowledge/demo/notes.md,line=1,col=1,title=RYE-S004::knowledge `demo/notes`: it was changed after it was signed%0Ahint: review the change, then run `rye sign knowledge demo/notes`
::error title=RYE-C001::commit `268889ccaf1a` (50%25 of it:): it is not signed%0Ahint: look at it with `git show 268889ccaf1a`; if no protected branch has it, sign it and the later commits: `git -c gpg.format=ssh -c user.signingKey=~/.ssh/id_ed25519 rebase --exec 'git commit --amend --no-edit -S' 268889ccaf1adddd3085b4d84cb37211a22c973b~`
[exit 3]

"#]],
    );
}

/// The page that shows a run's log obeys them.
#[test]
fn annotations_hold_nothing_that_controls_a_terminal() {
    let sandbox = project();
    sandbox.put(".ai/knowledge/demo/\u{1b}[31mred\u{202e}.md", "Nothing.\n");
    let seen = sandbox.rye(&["verify", "--trust-root", "base", "--format", "github"]).transcript();
    assert!(seen.contains("red\\u{202e}.md,line=1") && !seen.contains(['\u{1b}', '\u{202e}']), "{seen:?}");
}

/// The one-liner of docs/formats.md.
#[test]
fn ssh_keygen_accepts_the_envelope_of_an_item() {
    let sandbox = project();
    let printed = sandbox.rye(&["verify", "demo/notes", "--trust-root", "base", "--format", "sshsig"]).stdout();
    let printed = String::from_utf8(printed).unwrap();
    assert!(printed.starts_with("rye-signature-v2\nknowledge\ndemo/notes\nmd\n2026-03-17T01:41:08Z\n"), "{printed}");
    if !has("ssh-keygen") {
        return;
    }
    let script = "rye verify demo/notes --trust-root base --format sshsig > item.sshsig
sed -n '/^-----BEGIN/,$p' item.sshsig > item.sig
sed '/^-----BEGIN/,$d' item.sshsig | ssh-keygen -Y verify -f .ai/trust/allowed_signers -I ada@example.org -n rye -s item.sig";
    let script = script.replace("rye verify", &format!("{} verify", crate::support::RYE));
    let run = |script: &str| {
        let mut shell = Command::new("sh");
        shell.args(["-ec", script]).env_clear().envs(sandbox.variables()).current_dir(sandbox.project());
        shell.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success()
    };
    assert!(run(&script));
    // Another item's message does not fit it.
    assert!(!run(&script.replace("sed '/^-----BEGIN/,$d'", "sed '/^-----BEGIN/,$d;s/notes/greet/'")));
    // A good item that was changed has none, and the exit code says so.
    sandbox.edit(NOTES, "short", "evil");
    let transcript = sandbox.rye(&["verify", "demo/notes", "--trust-root", "base", "--format", "sshsig"]).transcript();
    assert!(!transcript.contains("BEGIN SSH") && transcript.ends_with("[exit 3]\n"), "{transcript}");
    // A key that is known and not trusted for it: the envelope is there, and the verdict too.
    sandbox.git(&["checkout", "-q", "--", NOTES]);
    sandbox.put("signers", &signer(ADA, "ada", &["git"]));
    let transcript =
        sandbox.rye(&["verify", "demo/notes", "--allowed-signers", "signers", "--format", "sshsig"]).transcript();
    assert!(transcript.contains("BEGIN SSH") && transcript.ends_with("[exit 3]\n"), "{transcript}");
}

#[test]
fn a_form_of_output_is_told_of_where_it_is() {
    let sandbox = project();
    let transcript = sandbox.rye(&["list", "--format", "sshsig"]).transcript();
    assert!(transcript.contains("this command has no `--format sshsig`; `rye verify` has it"), "{transcript}");
    let transcript = sandbox.rye(&["list", "--format", "sarif"]).transcript();
    assert!(transcript.contains("`rye lint` and `rye verify` have it"), "{transcript}");
}

/// Programs that show a rule with its findings get its description, and the page explains it.
#[test]
fn every_rule_of_a_verification_is_described_where_the_page_has_it() {
    let page = include_str!("../../../docs/formats.md");
    let (_, section) = page.split_once("\n## 4. ").unwrap();
    let (section, _) = section.split_once("\n## 5. ").unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `RYE-")?.split_once("` |"));
    let mut documented: Vec<String> = rows.map(|(id, _)| format!("RYE-{id}")).collect();
    documented.sort();
    let mut described: Vec<&str> = rye::ops::verify::RULES.iter().map(|rule| rule.id).collect();
    described.sort_unstable();
    assert_eq!(documented, described);
}

/// A change must not bring what judges it, in no command that a page shows.
#[test]
fn no_page_shows_a_command_by_which_a_change_judges_itself() {
    let pages = [
        rye::cli::reference(),
        include_str!("../../../README.md").to_owned(),
        include_str!("../../../docs/ci.md").to_owned(),
        include_str!("../../../docs/formats.md").to_owned(),
        include_str!("../../../action.yml").to_owned(),
    ];
    let mut commands = 0;
    for line in pages.iter().flat_map(|page| page.lines()).filter(|line| line.contains("rye verify --")) {
        commands += 1;
        for own in ["--allowed-signers .ai", "--revoked .ai", "--trust-root HEAD", "--trust-root change"] {
            assert!(!line.contains(own), "{line}");
        }
    }
    assert!(commands > 8, "{commands}");
}
