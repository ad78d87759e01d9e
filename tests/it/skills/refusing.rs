//! Every rule about a skill's folder, and whether the skill that it concerns is used all the same: executed, or offered over MCP.

use std::os::unix::fs::symlink;

use rye::item::SkillFault;
use serde_json::json;

use super::*;
use crate::mcp::client::Client;

/// A rule, what breaks it, and whether that refuses the skill.
type Row = (&'static str, fn(&Sandbox), bool);

fn at(sandbox: &Sandbox, path: &str) -> std::path::PathBuf {
    sandbox.project().join(PDF).join(path)
}

/// Each begins with the project of [`signed`].
const ROWS: &[Row] = &[
    ("RYE-A020", |it| it.put(".claude/skills/read-pdf/new.md", "x\n"), true),
    ("RYE-A021", |it| fs::remove_file(at(it, "notes/form.md")).unwrap(), true),
    ("RYE-A022", |it| it.put(".claude/skills/read-pdf/notes/form.md", "x\n"), true),
    ("RYE-A023", |it| set_mode(it, ".claude/skills/read-pdf/notes/form.md", 0o755), true),
    ("RYE-A024", |it| fs::remove_dir_all(it.project().join(PDF)).unwrap(), true),
    (
        "RYE-A025",
        |it| {
            put_skill(it, ".agents/skills/read-pdf");
            it.put(".agents/skills/read-pdf/notes/form.md", "Other.\n");
        },
        true,
    ),
    ("RYE-A026", |it| put_skill(it, ".claude/skills/Evil"), false),
    ("RYE-A027", |it| fs::rename(at(it, "SKILL.md"), at(it, "skill.md")).unwrap(), true),
    ("RYE-A028", |it| put_skill(it, ".claude/skills/group/evil"), false),
    ("RYE-A029", |it| it.put(".claude/skills/.gitattributes", "*.sh text eol=crlf\n"), true),
    ("RYE-A030", |it| symlink("/etc/passwd", at(it, "passwd")).unwrap(), true),
    (
        "RYE-A031",
        |it| assert!(std::process::Command::new("mkfifo").arg(at(it, "pipe")).status().unwrap().success()),
        true,
    ),
    ("RYE-A032", |it| it.put(".Claude/skills/read-pdf/SKILL.md", "evil\n"), true),
    ("RYE-A033", |it| it.put(".claude/skills/read-pdf/a\u{202e}b", "x\n"), true),
    ("RYE-A034", |it| it.put(".claude/skills/read-pdf/vendor/.git/config", "[core]\n"), true),
    (
        "RYE-A035",
        |it| it.put(".claude/skills/read-pdf/model.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:00\n"),
        true,
    ),
    ("RYE-A036", |it| fs::File::create(at(it, "huge.bin")).unwrap().set_len(1 << 40).unwrap(), true),
    (
        "RYE-A038",
        |it| {
            it.rye(&["sync", "--adopt", "-q"]).succeeds();
            let lock = fs::read_to_string(it.project().join("rye.lock")).unwrap();
            let digest =
                lock.lines().find_map(|line| line.strip_prefix("digest = ")).unwrap().trim_matches('"').to_owned();
            it.edit("rye.lock", &digest[digest.len() - 64..], &"0".repeat(64));
        },
        true,
    ),
    ("RYE-A039", |it| drop(it.git(&["sparse-checkout", "set", "--cone", ".ai"])), true),
];

#[test]
fn every_rule_about_a_folder_says_whether_its_skill_is_used() {
    for (rule, break_it, is_refused) in ROWS {
        let sandbox = signed();
        break_it(&sandbox);
        let rules: Vec<String> = found(&sandbox, &[]).into_iter().map(|(rule, _)| rule).collect();
        assert!(rules.iter().any(|found| found == rule), "{rule}: {rules:?}");
        let executed = sandbox.rye(&["execute", "skill", "read-pdf"]).within(20).transcript();
        let end = if *is_refused { "[exit 3]\n" } else { "[exit 0]\n" };
        assert!(executed.ends_with(end), "{rule}: {executed}");
        let mut client = Client::connected(&sandbox, &[]);
        let offered = client.ask("resources/list", json!({})).to_string().contains("skill://read-pdf/SKILL.md");
        assert_eq!(offered, !is_refused, "{rule}, as a resource");
        let call = json!({"item_type": "skill", "item_id": "read-pdf"});
        if *is_refused {
            client.refusal("rye_execute", call);
            assert_eq!(json(&sandbox, &["list", "skill"])["items"][0]["verdict"], "tampered", "{rule}");
        } else {
            client.outcome("rye_execute", call);
            assert_eq!(json(&sandbox, &["list", "skill"])["items"][0]["verdict"], "good", "{rule}");
        }
    }
}

/// A file that cannot be read is one of another machine: here it is told of the fault itself.
#[test]
fn the_table_of_rules_has_every_fault() {
    let unreadable = SkillFault::Unreadable { path: "x".to_owned(), reason: "denied".to_owned() };
    assert_eq!((unreadable.rule(), unreadable.refuses()), ("RYE-A037", true));
    let mut rules: Vec<&str> = ROWS.iter().map(|(rule, ..)| *rule).chain([unreadable.rule()]).collect();
    rules.sort_unstable();
    let wanted: Vec<String> = (20..=39).map(|number| format!("RYE-A{number:03}")).collect();
    assert_eq!(rules, wanted);
    let page = include_str!("../../../docs/formats.md");
    for (rule, _, is_refused) in ROWS {
        let row = page.lines().find(|line| line.starts_with(&format!("| `{rule}` |"))).unwrap();
        assert!(row.ends_with(if *is_refused { "| refused |" } else { "| used |" }), "{row}");
    }
}
