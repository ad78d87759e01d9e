//! Tables on terminals of 80 and of 40 columns, and what a pipe gets of them.

use snapbox::str;

use crate::support::pty::OnTerminal;
use crate::support::{Sandbox, assert_seen};

/// A project with something to see in every table.
fn busy() -> Sandbox {
    let sandbox = Sandbox::signed();
    sandbox
        .rye(&["thread", "run", "demo/greet", "-i", "name=ada", "--provider", "rye/agent/providers/steps", "-q"])
        .transcript();
    for name in ["one", "two"] {
        let text = std::fs::read_to_string(sandbox.project().join(".ai/knowledge/demo/notes.md")).unwrap();
        let text: Vec<&str> = text.lines().filter(|line| !line.contains("rye:signed")).collect();
        sandbox.put(&format!(".ai/knowledge/a_category/with_a_long_name/{name}.md"), &text.join("\n"));
    }
    sandbox.edit(".ai/knowledge/demo/notes.md", "short", "long");
    sandbox
}

/// What a terminal gets of a command.
fn on_terminal(sandbox: &Sandbox, command: &str, columns: usize) -> String {
    let program: Vec<&str> = [crate::support::RYE].into_iter().chain(command.split(' ')).collect();
    let mut env: std::collections::BTreeMap<String, String> = sandbox.variables().into_iter().collect();
    env.extend([("TERM".to_owned(), "xterm".to_owned()), ("NO_COLOR".to_owned(), "1".to_owned())]);
    OnTerminal::start(&program, &sandbox.project(), &env, columns).end().1.replace('\r', "")
}

/// Sentences are left to the terminal to break, so that a command in them can be copied.
fn is_sentence(line: &str) -> bool {
    ["note:", "hint:", "error:", "warning:", "  -->", "because:", "not ok:", "ok:"]
        .iter()
        .any(|label| line.starts_with(label))
}

#[test]
fn no_table_is_wider_than_the_terminal() {
    let sandbox = busy();
    let commands = [
        "list",
        "search greeting",
        "status",
        "verify",
        "thread list",
        "trust list",
        "key list",
        "doctor",
        "provider list",
    ];
    for command in commands {
        for columns in [80, 40] {
            let written = on_terminal(&sandbox, command, columns);
            for line in written.lines().filter(|line| !is_sentence(line)) {
                assert!(line.chars().count() <= columns, "{command} at {columns}: {line}\n{written}");
            }
        }
        let piped =
            String::from_utf8(sandbox.rye(&[&command.split(' ').collect::<Vec<_>>()[..], &["-q"]].concat()).stdout())
                .unwrap();
        assert!(
            !piped.lines().any(|line| line.ends_with('…') && line.contains('\t') && command != "search greeting"),
            "{piped}"
        );
    }
}

#[test]
fn what_has_no_column_is_below_its_row_with_its_name() {
    let sandbox = busy();
    for columns in [80, 40] {
        let threads = on_terminal(&sandbox, "thread list", columns);
        assert!(threads.contains("0.00 USD") && threads.contains("2026-03-17T01:41:08Z"), "{columns}: {threads}");
    }
    let providers = on_terminal(&sandbox, "provider list", 40);
    let steps = providers.split("rye/agent/providers/steps").nth(1).unwrap();
    assert!(steps.contains("\n  tiers: ") && !steps.contains("\n  host: "), "{providers}");
    assert!(providers.contains("\n  host: api.anthropic.com\n  secret: ANTHROPIC_API_KEY\n"), "{providers}");
    sandbox.rye(&["registry", "init", "../team.git", "-q"]).succeeds();
    sandbox.rye(&["registry", "add", "team", "../team.git", "-q"]).succeeds();
    let verified = on_terminal(&sandbox, "registry verify", 80);
    assert_eq!(verified, "STATUS  NAME  LOG     VERSIONS\nok      team  1 line  0 versions\n");
    let piped = String::from_utf8(sandbox.rye(&["registry", "verify"]).stdout()).unwrap();
    assert_eq!(piped, "ok\tteam\t1 line\t0 versions\n");
}

#[test]
fn the_table_of_a_question_fits_the_terminal() {
    let sandbox = Sandbox::signed();
    for name in ["one", "two"] {
        let header =
            format!("name: \"{name}\"\ntitle: \"A\"\ncategory: \"a_category/with_a_long_name\"\nversion: \"1.0.0\"");
        sandbox.put(
            &format!(".ai/knowledge/a_category/with_a_long_name/{name}.md"),
            &format!("```yaml\n{header}\n```\n\n# A\n\nA.\n"),
        );
    }
    sandbox.git(&["add", "-A"]);
    let program = [crate::support::RYE, "commit", "-m", "x"];
    let env = sandbox.variables().into_iter().collect();
    let mut asked = OnTerminal::start(&program, &sandbox.project(), &env, 60);
    asked.wait_for("[y/N]");
    asked.type_in("n\n");
    let seen = asked.end().1.replace('\r', "");
    let table: Vec<&str> = seen.lines().take_while(|line| !line.contains("[y/N]")).collect();
    assert!(table.len() > 3 && table.iter().all(|line| line.chars().count() <= 60), "{seen}");
}

#[test]
fn a_path_is_whole_on_a_narrow_terminal() {
    let sandbox = busy();
    let seen = on_terminal(&sandbox, "status", 40);
    let joined: String = seen.lines().map(str::trim).collect();
    assert!(joined.contains(".ai/knowledge/a_category/with_a_long_name/one.md"), "{seen}");
    let seen = on_terminal(&sandbox, "key list", 80);
    let joined: String = seen.lines().map(str::trim).collect();
    assert!(joined.contains("config/rye/keys/person"), "{seen}");
}

#[test]
fn equal_findings_of_a_verification_are_one() {
    let sandbox = busy();
    assert_seen(
        sandbox.rye(&["verify"]).transcript(),
        str![[r#"
$ rye verify
error: 2 knowledge items: each is not signed [RYE-S001]
  --> .ai/knowledge/a_category/with_a_long_name/one.md:1:1
  --> .ai/knowledge/a_category/with_a_long_name/two.md:1:1
hint: review each, then run `rye sign knowledge a_category/with_a_long_name/one a_category/with_a_long_name/two`

error: knowledge `demo/notes`: it was changed after it was signed [RYE-S004]
  --> .ai/knowledge/demo/notes.md:1:1
hint: review the change, then run `rye sign knowledge demo/notes`

not ok: 6 items checked: 3 good, 2 unsigned, 1 tampered
[exit 3]

"#]],
    );
    let json = String::from_utf8(sandbox.rye(&["verify", "--json"]).stdout()).unwrap();
    assert_eq!(json.matches("RYE-S001").count(), 2, "{json}");
}

/// Many items of one kind take ten places and one command, in a pipe too; programs get each.
#[test]
fn many_equal_findings_are_counted() {
    let sandbox = Sandbox::signed();
    let tool = |name: &str| format!("# version: 1.0.0\n# description: \"Echoes\"\n# category: many\necho {name}\n");
    for number in 10..22 {
        let name = format!("t{number}");
        sandbox.put(&format!(".ai/tools/many/{name}.sh"), &tool(&name));
    }
    let piped = String::from_utf8(sandbox.rye(&["verify"]).stdout()).unwrap();
    for seen in [piped, on_terminal(&sandbox, "verify", 80)] {
        let told = "error: 12 tools: each is not signed [RYE-S001]\n  --> .ai/tools/many/t10.sh:1:1\n";
        assert!(seen.contains(told), "{seen}");
        let told =
            "t19.sh:1:1\n  ... and 2 more; `--json` lists all\nhint: review each, then run `rye sign tool --all`\n";
        assert!(seen.contains(told), "{seen}");
    }
    let json = String::from_utf8(sandbox.rye(&["verify", "--json"]).stdout()).unwrap();
    assert_eq!((json.matches("RYE-S001").count(), json.matches("rye sign tool many/t").count()), (12, 12), "{json}");
    sandbox.edit(".ai/tools/demo/echo.sh", "cat", "cat -");
    let seen = String::from_utf8(sandbox.rye(&["verify"]).stdout()).unwrap();
    let told = "run `rye sign tool --all`; this also signs each other tool that is reported here\n";
    assert!(seen.contains(told) && seen.matches("this also signs").count() == 1, "{seen}");
    for number in 15..22 {
        std::fs::remove_file(sandbox.project().join(format!(".ai/tools/many/t{number}.sh"))).unwrap();
    }
    let seen = String::from_utf8(sandbox.rye(&["verify"]).stdout()).unwrap();
    let told = "t14.sh:1:1\nhint: review each, then run `rye sign tool many/t10 many/t11 many/t12 many/t13 many/t14`\n";
    assert!(seen.contains(told), "{seen}");
}

/// A passage of a directive is text, wherever in the file the word is.
#[test]
fn passages_of_directives_have_no_tags() {
    let sandbox = Sandbox::signed();
    for word in ["greet", "demo/echo", "name", "someone", "category:demo"] {
        let found: serde_json::Value = serde_json::from_slice(
            &sandbox.rye(&["search", word, "--type", "directive", "--space", "project", "--json"]).stdout(),
        )
        .unwrap();
        for hit in found["results"].as_array().unwrap() {
            let snippet = hit["snippet"].as_str().unwrap();
            assert!(!snippet.contains(['<', '>']) && !snippet.contains("item_id="), "{word}: {snippet}");
        }
    }
}
