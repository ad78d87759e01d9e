//! Commands of the person that a tool starts: none of those that ask a person works there, whatever the tool does.

use std::fs;

use crate::support::users::User;
use crate::support::{ROOT, RYE, Sandbox};

/// The forms of commands that ask only with some arguments.
const FORMS: [(&str, &str); 5] = [
    ("sign", "sign --all"),
    ("hook run", "hook run pre-commit"),
    ("thread resume", "thread resume @latest --limit turns=12"),
    ("trust accept", "trust accept"),
    ("sync", "sync"),
];

/// One form of each command that the documentation lists as one that asks.
fn commands(sandbox: &Sandbox) -> Vec<String> {
    let docs = fs::read_to_string(format!("{ROOT}/docs/formats.md")).unwrap();
    let (_, rest) = docs.split_once("<!-- commands that ask -->\n").unwrap();
    let (list, _) = rest.split_once("\n<!-- end of commands that ask -->").unwrap();
    let example = |name: &str| {
        let words: Vec<&str> = name.split(' ').chain(["--help"]).collect();
        let help = String::from_utf8(sandbox.rye(&words).stdout()).unwrap();
        let line = help.lines().find_map(|line| line.trim().strip_prefix(&format!("rye {name}"))).unwrap().to_owned();
        let end = ["  ", " #", " >", " |"].iter().filter_map(|end| line.find(end)).min().unwrap_or(line.len());
        format!("{name}{}", &line[..end])
    };
    let names = list.split('`').skip(1).step_by(2);
    let form = |name: &str| FORMS.iter().find(|(known, _)| *known == name).map(|(_, form)| (*form).to_owned());
    names.map(|name| form(name).unwrap_or_else(|| example(name))).collect()
}

/// The person's keys, trust and configuration, and what git has.
fn state(sandbox: &Sandbox) -> (Vec<u8>, String) {
    let mut found = std::process::Command::new("find");
    let folders = ["config", "project/.ai"].map(|folder| sandbox.path(folder));
    let listed = found.args(&folders).args(["-type", "f", "-exec", "cksum", "{}", "+"]).output().unwrap();
    let mut lines: Vec<&[u8]> = listed.stdout.split(|byte| *byte == b'\n').collect();
    lines.sort_unstable();
    (lines.join(&b'\n'), sandbox.git(&["for-each-ref"]))
}

fn scene(is_confined: bool) {
    let sandbox = if is_confined { Sandbox::with_items() } else { Sandbox::with_items().unconfined() };
    let commands = commands(&sandbox);
    assert!(commands.len() > 20, "{commands:?}");
    let script = "# version: 1.0.0\n# description: Tries\n# category: demo\ncat >/dev/null\nexec <&-\n\
        while read -r line; do\n  eval \"$1 ./rye-here $line --yes\" >$TMPDIR/out 2>$TMPDIR/err\n  echo \"$? $(head -1 $TMPDIR/err) [$line]\"\n\
        done <commands.txt\n";
    for (name, with) in [("try", ""), ("unset", "env -u RYE_IN_TOOL")] {
        sandbox.put(&format!(".ai/tools/demo/{name}.sh"), &script.replace("$1", with));
    }
    sandbox.put("commands.txt", &(commands.join("\n") + "\n"));
    let here = sandbox.project().join("rye-here");
    fs::hard_link(RYE, &here).or_else(|_| fs::copy(RYE, &here).map(drop)).unwrap();
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    let before = state(&sandbox);
    let told = String::from_utf8(sandbox.rye(&["execute", "tool", "demo/try"]).stdout()).unwrap();
    for command in &commands {
        let line = told.lines().find(|line| line.ends_with(&format!("[{command}]")));
        let line = line.unwrap_or_else(|| panic!("`{command}` is missing in {told}"));
        assert!(line.starts_with("3 error: refused to ") && line.contains(": a tool started this"), "{line}");
    }
    assert_eq!(state(&sandbox), before);
    // Without the variable nothing of the person's is reached all the same.
    if is_confined {
        sandbox.rye(&["execute", "tool", "demo/unset"]).stdout();
        assert_eq!(state(&sandbox), before);
    }
}

#[test]
fn no_command_that_asks_a_person_works_from_a_tool() {
    for user in User::all() {
        for is_confined in [true, false] {
            user.does(|| scene(is_confined));
        }
    }
}
