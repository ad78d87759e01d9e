//! What a directive names and cannot do without: found by lint, told when it is followed, kept to by threads.

use std::process::Command;

use serde_json::Value;
use snapbox::str;

use crate::support::{Sandbox, assert_seen};

const GREET: &str = ".ai/directives/demo/greet.md";
/// The configuration of whoever has Docker.
const OFFERED: &str = "capabilities.offered=['docker-runtime']";

/// A workspace whose `demo/greet` says this in its context; unsigned.
fn relating(context: &str) -> Sandbox {
    let sandbox = Sandbox::with_items();
    sandbox.edit(GREET, "  </metadata>", &format!("    <context>\n{context}    </context>\n  </metadata>"));
    sandbox
}

/// Another directive of the workspace, with attributes and context of its own.
fn another(sandbox: &Sandbox, id: &str, attributes: &str, context: &str) {
    let (category, name) = id.rsplit_once('/').unwrap();
    let text = include_str!("../support/items/greet.md")
        .replace("name=\"greet\" version=\"1.2.3\"", &format!("name=\"{name}\" version=\"1.0.0\"{attributes}"))
        .replace("<category>demo<", &format!("<category>{category}<"))
        .replace("  </metadata>", &format!("<context>{context}</context></metadata>"));
    sandbox.put(&format!(".ai/directives/{id}.md"), &text);
}

/// The lines, rules, severities and sentences of what lint finds.
fn found(sandbox: &Sandbox, args: &[&str]) -> Vec<String> {
    let args = [&["lint", "--json"], args].concat();
    let outcome: Value = serde_json::from_slice(&sandbox.rye(&args).stdout()).unwrap();
    let text = |found: &Value, key: &str| found[key].as_str().unwrap().to_owned();
    let findings = outcome["findings"].as_array().unwrap().iter();
    let told =
        findings.map(|found| format!("{} {} {}", text(found, "rule"), text(found, "severity"), text(found, "message")));
    told.filter(|line| !line.contains("advice")).collect()
}

#[test]
fn lint_finds_what_is_not_there() {
    let sandbox = relating(
        "      <depends_on>demo/build</depends_on>\n      <requires>docker-runtime</requires>\n      \
         <requires>demo/gone</requires>\n      <before>notes</before>\n      <after>demo/note</after>\n",
    );
    sandbox.edit(GREET, "version=\"1.2.3\"", "version=\"1.2.3\" extends=\"root\"");
    assert_seen(
        sandbox.rye(&["lint", "demo/greet"]).transcript(),
        str![[r#"
$ rye lint demo/greet
error: unknown directive `root` [RYE-D052]
  --> .ai/directives/demo/greet.md:4:41
    |
  4 | <directive name="greet" version="1.2.3" extends="root">
    |                                         ^^^^^^^
hint: write that item, or run `rye list` to list them

error: unknown directive `demo/build` [RYE-D052]
  --> .ai/directives/demo/greet.md:15:19
    |
 15 |       <depends_on>demo/build</depends_on>
    |                   ^^^^^^^^^^
hint: write that item, or run `rye list` to list them

warning: directive `demo/greet` requires `docker-runtime`, and nothing here offers it [RYE-D053]
  --> .ai/directives/demo/greet.md:16:17
    |
 16 |       <requires>docker-runtime</requires>
    |                 ^^^^^^^^^^^^^^
hint: if this machine has it, say so: `--config 'capabilities.offered=["docker-runtime"]'` for one run, or the same key in your configuration

error: unknown directive `demo/gone` [RYE-D052]
  --> .ai/directives/demo/greet.md:17:17
    |
 17 |       <requires>demo/gone</requires>
    |                 ^^^^^^^^^
hint: write that item, or run `rye list` to list them

error: unknown knowledge `demo/note` [RYE-D052]
  --> .ai/directives/demo/greet.md:19:14
    |
 19 |       <after>demo/note</after>
    |              ^^^^^^^^^
hint: did you mean `demo/notes`?

not ok: 1 item checked: 4 errors, 1 warning, 0 advice
[exit 2]

"#]],
    );
    // As a thread it would not begin, so there a missing word is an error too.
    let unmet = |severity: &str| {
        let message = "directive `demo/greet` requires `docker-runtime`, and nothing here offers it";
        format!("RYE-D053 {severity} {message}")
    };
    assert!(found(&sandbox, &["--profile", "thread"]).contains(&unmet("error")));
    assert!(found(&sandbox, &[]).contains(&unmet("warning")));
    assert!(!found(&sandbox, &["--config", OFFERED]).join("\n").contains("RYE-D053"));
}

#[test]
fn what_is_there_by_id_by_last_segment_or_behind_its_type_is_found() {
    let sandbox = relating(
        "      <depends_on>demo/build</depends_on>\n      <depends_on>build</depends_on>\n      <requires>build</requires>\n      \
         <requires>demo/echo</requires>\n      <requires>tool/demo/echo</requires>\n      <requires>notes</requires>\n      \
         <requires>rye/guides/first_thread</requires>\n      <system>knowledge/demo/notes</system>\n      <before>notes</before>\n",
    );
    another(&sandbox, "demo/build", "", "");
    assert_eq!(found(&sandbox, &[]), Vec::<String>::new());
    another(&sandbox, "other/build", "", "");
    let several = |element: &str| {
        format!(
            "RYE-D052 error `build`, which directive `demo/greet` names in `{element}`, fits several items: \
             `demo/build`, `other/build`"
        )
    };
    assert_eq!(found(&sandbox, &[]), [several("depends_on"), several("requires")]);
}

#[test]
fn lint_finds_chains_that_do_not_end_and_bases_that_conflict() {
    let sandbox = Sandbox::with_items();
    another(&sandbox, "demo/one", " extends=\"demo/two\"", "");
    another(&sandbox, "demo/two", " extends=\"one\"", "");
    another(&sandbox, "demo/leaf", " extends=\"demo/middle\"", "<conflicts_with>root</conflicts_with>");
    another(&sandbox, "demo/middle", " extends=\"demo/root\"", "");
    another(&sandbox, "demo/root", " extends=\"demo/nowhere\"", "");
    let circle = |path: &str| format!("RYE-D054 error the directives extend each other in a circle: {path}");
    let nowhere = "`demo/nowhere`, which directive `demo/root` names in `extends`, cannot be used: unknown directive \
                   `demo/nowhere`";
    let wanted = [
        format!("RYE-D052 error {nowhere}"),
        format!("RYE-D052 error {nowhere}"),
        circle("`demo/one` → `demo/two` → `demo/one`"),
        "RYE-D052 error unknown directive `demo/nowhere`".to_owned(),
        circle("`demo/two` → `demo/one` → `demo/two`"),
    ];
    assert_eq!(found(&sandbox, &[]), wanted);
    another(&sandbox, "demo/root", "", "");
    let conflict = "RYE-D054 error directive `demo/leaf` conflicts with `demo/root`, and both are loaded in one thread";
    assert_eq!(found(&sandbox, &["demo/leaf"]), [conflict]);
}

/// Hooks and what continues a directive matter to threads alone: in place they are warnings.
#[test]
fn lint_finds_what_hooks_and_continuations_name_and_is_not_there() {
    let sandbox = Sandbox::with_items();
    let hooks = "<hooks><hook><when>limit</when><execute item_type=\"directive\">demo/gret</execute></hook>\
                 <hook event=\"error\"><action primary=\"load\" item_type=\"knowledge\" item_id=\"demo/gone\" /></hook>\
                 <hook event=\"error\"><execute item_type=\"tool\">echo</execute></hook>\
                 <hook event=\"error\"><execute item_type=\"tool\">rye/file-system/read</execute></hook></hooks>\
                 <continuation_directive>demo/next</continuation_directive>";
    sandbox.edit(GREET, "  </metadata>", &format!("    {hooks}\n  </metadata>"));
    let missing = |severity: &str| {
        let told = |severity: &str, what: &str| format!("RYE-D052 {severity} unknown {what}");
        [
            told(severity, "directive `demo/gret`"),
            told(severity, "knowledge `demo/gone`"),
            told(severity, "directive `demo/next`"),
        ]
    };
    assert_eq!(found(&sandbox, &[]), missing("warning"));
    assert_eq!(found(&sandbox, &["--profile", "thread"]), missing("error"));
    another(&sandbox, "demo/next", "", "");
    sandbox.edit(GREET, "demo/gret<", "demo/next<");
    sandbox.edit(GREET, "demo/gone", "notes");
    assert_eq!(found(&sandbox, &["demo/greet"]), Vec::<String>::new());
    // A former name means what it means in every call.
    sandbox.edit(GREET, "rye/file-system/read", "rye/file-system/fs_read");
    let former = "RYE-P009 warning `rye/file-system/fs_read` is a former name".to_owned();
    assert_eq!(found(&sandbox, &["demo/greet"]), [former]);
}

/// Followed in place, a missing word is a warning: what follows it may have it. A thread does not begin.
#[test]
fn a_word_that_nothing_offers_is_told_in_place_and_refused_in_a_thread() {
    let sandbox = relating("      <requires>docker-runtime</requires>\n");
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    sandbox.commit("first");
    let greet = ["demo/greet", "-i", "name=Ada"];
    assert_seen(
        sandbox.rye(&[&["execute", "directive", "--dry-run", "-q"], &greet[..]].concat()).transcript(),
        str![[r#"
$ rye execute directive --dry-run -q demo/greet -i name=Ada
demo/greet 1.2.3
Greet someone

<process>
  <step name="say">
    <description>Say it 1 times.</description>
    <execute item_type="tool" item_id="demo/echo">
      <param name="text" value="Hello, Ada!" />
    </execute>
  </step>
</process>

Return
  greeting (string) What was said
[exit 0]

"#]],
    );
    let dry = sandbox.rye(&[&["execute", "directive", "--dry-run"], &greet[..]].concat()).transcript();
    let warning =
        "warning: directive `demo/greet` requires `docker-runtime`, and nothing here offers it; if this machine";
    assert!(dry.contains(warning) && dry.ends_with("[exit 0]\n"), "{dry}");
    let outcome = sandbox.rye(&[&["execute", "directive", "--json"], &greet[..]].concat()).stdout();
    let outcome: Value = serde_json::from_slice(&outcome).unwrap();
    assert_eq!(outcome["unmet"], serde_json::json!([{"item_id": "demo/greet", "word": "docker-runtime"}]));

    let run = [&["thread", "run"], &greet[..]].concat();
    assert_seen(
        sandbox.rye(&run).transcript(),
        str![[r#"
$ rye thread run demo/greet -i name=Ada
[stderr]
error: directive `demo/greet` requires `docker-runtime`, and nothing here offers it
hint: if this machine has it, say so: `--config 'capabilities.offered=["docker-runtime"]'` for one run, or the same key in your configuration
[exit 1]

"#]],
    );
    assert_eq!(sandbox.git(&["branch", "--list", "rye/*"]), "", "nothing was begun");
    sandbox.rye(&[&["--config", OFFERED], &run[..]].concat()).succeeds();
    let near = sandbox.rye(&[&["--config", "capabilities.offered=['docker_runtime']"], &run[..]].concat());
    assert!(near.transcript().contains("hint: did you mean `docker_runtime`?"));
}

/// The text of the hint works as pasted behind the command, and keeps existing offers.
#[test]
fn the_hint_about_a_missing_word_works_as_pasted() {
    let sandbox = relating("      <requires>zfs</requires>\n      <requires>docker-runtime</requires>\n");
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    std::fs::create_dir_all(sandbox.path("config/rye")).unwrap();
    std::fs::write(sandbox.path("config/rye/config.toml"), "[capabilities]\noffered = [\"zfs\"]\n").unwrap();
    let transcript = sandbox.rye(&["thread", "run", "demo/greet", "-i", "name=Ada"]).transcript();
    let option = transcript.split('`').find(|quoted| quoted.starts_with("--config ")).unwrap();
    assert_eq!(option, "--config 'capabilities.offered=[\"docker-runtime\",\"zfs\"]'");
    let line = format!("\"$RYE\" thread run demo/greet -i name=Ada {option}");
    let mut shell = Command::new("sh");
    shell.args(["-c", &line]).env_clear().envs(sandbox.variables()).env("RYE", crate::support::RYE);
    let output = shell.current_dir(sandbox.project()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_required_item_must_be_there() {
    let sandbox = relating("      <requires>demo/gone</requires>\n");
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    assert_seen(
        sandbox.rye(&["execute", "directive", "demo/greet", "-i", "name=Ada"]).transcript(),
        str![[r#"
$ rye execute directive demo/greet -i name=Ada
[stderr]
error: `demo/gone`, which directive `demo/greet` names in `requires`, cannot be used
cause: unknown directive `demo/gone`
hint: run `rye list directive` to list them
[exit 1]

"#]],
    );
    sandbox.edit(GREET, "demo/gone", "demo/echo");
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    sandbox.rye(&["thread", "run", "demo/greet", "-i", "name=Ada"]).succeeds();
}

#[test]
fn a_word_is_one_word() {
    let wrong = ["--config", "capabilities.offered=['a/b']", "list"];
    assert_seen(
        Sandbox::with_items().rye(&wrong).transcript(),
        str![[r#"
$ rye --config 'capabilities.offered=['a/b']' list
[stderr]
error: invalid configuration `--config capabilities.offered=['a/b']`: `capabilities.offered` has `a/b`, which is not a single word
hint: correct or remove the setting
[exit 2]

"#]],
    );
}
