//! `rye permissions`, and the configuration that beats every grant: shown there, and kept to in threads.

use rye::capability::{Capability, Policy};
use rye::id::{ItemType, Space};
use rye::ops::permissions::{CallGrant, Cut, Link, PathCut, Status, calls, paths};
use rye::workspace::Candidate;
use snapbox::str;

use crate::support::{Sandbox, assert_seen};

const GRANTS: &str = "<execute>
        <tool>demo.*</tool>
        <tool>rye.shell.git</tool>
        <tool>rye.file-system.*</tool>
      </execute>
      <cap>rye.search.knowledge.*</cap>
      <read resource=\"filesystem\" path=\"docs/**,*.md\" />
      <write resource=\"filesystem\" path=\"target/**\" />
      <acknowledge risk=\"elevated\">It looks at the history.</acknowledge>";

fn granting(permissions: &str) -> Sandbox {
    let sandbox = Sandbox::with_items();
    sandbox.edit(".ai/directives/demo/greet.md", "<execute><tool>demo.*</tool></execute>", permissions);
    sandbox
}

#[test]
fn each_grant_is_shown_with_its_line_and_its_risk() {
    let sandbox = granting(GRANTS);
    assert_seen(
        sandbox.rye(&["permissions", "demo/greet"]).transcript(),
        str![[r#"
$ rye permissions demo/greet
allowed	rye.execute.tool.demo.*	write	.ai/directives/demo/greet.md:13	
allowed	rye.execute.tool.rye.shell.git	elevated, acknowledged	.ai/directives/demo/greet.md:14	reason: It looks at the history.
allowed	rye.execute.tool.rye.file-system.*	write	.ai/directives/demo/greet.md:15	
allowed	rye.search.knowledge.*	safe	.ai/directives/demo/greet.md:17	
allowed	read docs/**	-	.ai/directives/demo/greet.md:18	
allowed	read *.md	-	.ai/directives/demo/greet.md:18	
allowed	write target/**	-	.ai/directives/demo/greet.md:19	
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["permissions", "demo/greet", "--json"]).transcript(),
        str![[r#"
$ rye permissions demo/greet --json
{"item_type":"directive","item_id":"demo/greet","path":"[SANDBOX]/project/.ai/directives/demo/greet.md","verdict":"unsigned","chain":["demo/greet"],"declared":true,"calls":[{"capability":"rye.execute.tool.demo.*","risk":"write","status":"allowed","granted_by":{"item_id":"demo/greet","path":"[SANDBOX]/project/.ai/directives/demo/greet.md","line":13,"column":15}},{"capability":"rye.execute.tool.rye.shell.git","risk":"elevated","acknowledged":true,"reason":"It looks at the history.","status":"allowed","granted_by":{"item_id":"demo/greet","path":"[SANDBOX]/project/.ai/directives/demo/greet.md","line":14,"column":15}},{"capability":"rye.execute.tool.rye.file-system.*","risk":"write","status":"allowed","granted_by":{"item_id":"demo/greet","path":"[SANDBOX]/project/.ai/directives/demo/greet.md","line":15,"column":15}},{"capability":"rye.search.knowledge.*","risk":"safe","status":"allowed","granted_by":{"item_id":"demo/greet","path":"[SANDBOX]/project/.ai/directives/demo/greet.md","line":17,"column":7}}],"paths":[{"access":"read","pattern":"docs/**","status":"allowed","granted_by":{"item_id":"demo/greet","path":"[SANDBOX]/project/.ai/directives/demo/greet.md","line":18,"column":35}},{"access":"read","pattern":"*.md","status":"allowed","granted_by":{"item_id":"demo/greet","path":"[SANDBOX]/project/.ai/directives/demo/greet.md","line":18,"column":35}},{"access":"write","pattern":"target/**","status":"allowed","granted_by":{"item_id":"demo/greet","path":"[SANDBOX]/project/.ai/directives/demo/greet.md","line":19,"column":36}}]}
[exit 0]

"#]],
    );
}

#[test]
fn what_the_configuration_grants_a_program_is_shown() {
    let sandbox = granting(GRANTS);
    let config = "[shell.git]\nread = [\"~/.gitconfig\"]\nhosts = [\"example.org\"]\n[shell.git.sockets]\nX = \"/var/run/docker.sock\"\n\
                  [shell.other]\nread = [\"/x\"]\n";
    std::fs::create_dir_all(sandbox.path("config/rye")).unwrap();
    std::fs::write(sandbox.path("config/rye/config.toml"), config).unwrap();
    let shown = sandbox.rye(&["permissions", "demo/greet"]).transcript();
    let granted = "`shell.git`: reads `~/.gitconfig`, reaches `example.org`, connects to `/var/run/docker.sock`, which makes it root on this machine; reason: It looks at the history.";
    assert!(shown.contains(granted) && !shown.contains("shell.other"), "{shown}");
    let json = sandbox.rye(&["permissions", "demo/greet", "--json"]).transcript();
    assert!(json.contains(r#""programs":[{"program":"git","read":["~/.gitconfig"],"hosts":["example.org"],"sockets":["/var/run/docker.sock"],"is_root":true}]"#), "{json}");
}

#[test]
fn what_nobody_declared_is_said() {
    assert_seen(
        granting("").rye(&["permissions", "demo/greet"]).transcript(),
        str![[r#"
$ rye permissions demo/greet
[stderr]
warning: `demo/greet` has errors and cannot be used as it is: run `rye lint demo/greet`
note: it permits no call, so a thread of it may call nothing
[exit 0]

"#]],
    );
    let sandbox = Sandbox::with_items();
    sandbox.edit(".ai/directives/demo/greet.md", "<permissions>", "<permission>");
    assert_seen(
        sandbox.rye(&["permissions", "demo/greet"]).transcript(),
        str![[r#"
$ rye permissions demo/greet
[stderr]
error: expected `</permission>`, found `</permissions>`, because `<permission>` was opened on line 11 [RYE-D004]
  --> .ai/directives/demo/greet.md:13:5
    |
 13 |     </permissions>
    |     ^^^^^^^^^^^^^^
hint: write one name in both tags, or put `</permission>` before this one

error: directive `demo/greet` is not valid
hint: mend it, then run `rye sign directive demo/greet`
[exit 2]

"#]],
    );
    assert_seen(
        Sandbox::with_items().rye(&["permissions", "demo/great"]).transcript(),
        str![[r#"
$ rye permissions demo/great
[stderr]
error: unknown directive `demo/great`
hint: did you mean `demo/greet`?
hint: run `rye list directive` to list them
[exit 1]

"#]],
    );
    assert_seen(
        Sandbox::with_items().rye(&["permissions", "demo/greet"]).transcript(),
        str![[r#"
$ rye permissions demo/greet
allowed	rye.execute.tool.demo.*	write	.ai/directives/demo/greet.md:12	
[stderr]
note: it declares no paths, so its tools may touch the whole project
[exit 0]

"#]],
    );
}

#[test]
fn configuration_cuts_grants() {
    let sandbox = granting(GRANTS);
    let policy = "permissions={ deny = ['rye.execute.tool.rye.file-system.fs_write', 'rye.execute.tool.rye.shell.*'], \
                  ask = ['rye.execute.tool.demo.*', 'rye.search.knowledge.demo.*'] }";
    assert_seen(
        sandbox.rye(&["--config", policy, "permissions", "demo/greet"]).transcript(),
        str![[r#"
$ rye --config 'permissions={ deny = ['rye.execute.tool.rye.file-system.fs_write', 'rye.execute.tool.rye.shell.*'], ask = ['rye.execute.tool.demo.*', 'rye.search.knowledge.demo.*'] }' permissions demo/greet
asked	rye.execute.tool.demo.*	write	.ai/directives/demo/greet.md:13	`permissions.ask` has `rye.execute.tool.demo.*`
denied	rye.execute.tool.rye.shell.git	elevated, acknowledged	.ai/directives/demo/greet.md:14	`permissions.deny` has `rye.execute.tool.rye.shell.*`; reason: It looks at the history.
partly	rye.execute.tool.rye.file-system.*	write	.ai/directives/demo/greet.md:15	`permissions.deny` has `rye.execute.tool.rye.file-system.write`
partly	rye.search.knowledge.*	safe	.ai/directives/demo/greet.md:17	`permissions.ask` has `rye.search.knowledge.demo.*`
allowed	read docs/**	-	.ai/directives/demo/greet.md:18	
allowed	read *.md	-	.ai/directives/demo/greet.md:18	
allowed	write target/**	-	.ai/directives/demo/greet.md:19	
[exit 0]

"#]],
    );
    let wrong = "permissions.deny=['rye.exec.tool.x']";
    assert_seen(
        sandbox.rye(&["--config", wrong, "permissions", "demo/greet"]).transcript(),
        str![[r#"
$ rye --config 'permissions.deny=['rye.exec.tool.x']' permissions demo/greet
[stderr]
error: invalid configuration `--config permissions.deny=['rye.exec.tool.x']`: `permissions.deny`: `rye.exec.tool.x` is not a capability: after `rye.` comes an action: `execute`, `search`, `load` or `sign`
hint: correct or remove the setting
[exit 2]

"#]],
    );
}

/// What a caller's file leaves of each grant is said before the thread is run under it.
#[test]
fn a_caller_s_permissions_cut_grants() {
    let sandbox = granting(GRANTS);
    let document = "capabilities:\n  - primary: execute\n    item_type: tool\n    specifics: demo.echo\n  - primary: search\n  - \
                    rye.execute.tool.rye.file-system.*\n";
    sandbox.put("less.yaml", document);
    assert_seen(
        sandbox.rye(&["permissions", "demo/greet", "--permissions", "less.yaml"]).transcript(),
        str![[r#"
$ rye permissions demo/greet --permissions less.yaml
partly	rye.execute.tool.demo.*	write	.ai/directives/demo/greet.md:13	`less.yaml` allows `rye.execute.tool.demo.echo`
denied	rye.execute.tool.rye.shell.git	elevated, acknowledged	.ai/directives/demo/greet.md:14	`less.yaml` allows none of it; reason: It looks at the history.
allowed	rye.execute.tool.rye.file-system.*	write	.ai/directives/demo/greet.md:15	
allowed	rye.search.knowledge.*	safe	.ai/directives/demo/greet.md:17	
allowed	read docs/**	-	.ai/directives/demo/greet.md:18	
allowed	read *.md	-	.ai/directives/demo/greet.md:18	
allowed	write target/**	-	.ai/directives/demo/greet.md:19	
[stderr]
warning: `less.yaml`, line 6: `rye.execute.tool.rye.file-system.*` is written in the legacy form; write `- primary: execute` with `item_type: tool` and `specifics: "rye.file-system.*"` [RYE-P014]
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["permissions", "demo/greet", "--permissions", "less.yaml", "--json", "-q"]).transcript(),
        str![[r#"
$ rye permissions demo/greet --permissions less.yaml --json -q
{"item_type":"directive","item_id":"demo/greet","path":"[SANDBOX]/project/.ai/directives/demo/greet.md","verdict":"unsigned","chain":["demo/greet"],"caller":"[SANDBOX]/project/less.yaml","declared":true,"calls":[{"capability":"rye.execute.tool.demo.*","risk":"write","status":"partly","granted_by":{"item_id":"demo/greet","path":"[SANDBOX]/project/.ai/directives/demo/greet.md","line":13,"column":15},"cut_by":[{"by":"caller","path":"[SANDBOX]/project/less.yaml","allows":["rye.execute.tool.demo.echo"]}]},{"capability":"rye.execute.tool.rye.shell.git","risk":"elevated","acknowledged":true,"reason":"It looks at the history.","status":"denied","granted_by":{"item_id":"demo/greet","path":"[SANDBOX]/project/.ai/directives/demo/greet.md","line":14,"column":15},"cut_by":[{"by":"caller","path":"[SANDBOX]/project/less.yaml","allows":[]}]},{"capability":"rye.execute.tool.rye.file-system.*","risk":"write","status":"allowed","granted_by":{"item_id":"demo/greet","path":"[SANDBOX]/project/.ai/directives/demo/greet.md","line":15,"column":15}},{"capability":"rye.search.knowledge.*","risk":"safe","status":"allowed","granted_by":{"item_id":"demo/greet","path":"[SANDBOX]/project/.ai/directives/demo/greet.md","line":17,"column":7}}],"paths":[{"access":"read","pattern":"docs/**","status":"allowed","granted_by":{"item_id":"demo/greet","path":"[SANDBOX]/project/.ai/directives/demo/greet.md","line":18,"column":35}},{"access":"read","pattern":"*.md","status":"allowed","granted_by":{"item_id":"demo/greet","path":"[SANDBOX]/project/.ai/directives/demo/greet.md","line":18,"column":35}},{"access":"write","pattern":"target/**","status":"allowed","granted_by":{"item_id":"demo/greet","path":"[SANDBOX]/project/.ai/directives/demo/greet.md","line":19,"column":36}}]}
[exit 0]

"#]],
    );
}

#[test]
fn a_thread_runs_under_the_caller_s_permissions() {
    let sandbox = Sandbox::signed();
    let run = |document: &str| {
        sandbox.put("less.yaml", document);
        let args = ["thread", "run", "demo/greet", "-i", "name=Ada", "--permissions", "less.yaml"];
        let transcript = sandbox.rye(&args).transcript();
        let told = ["denied", "error", "warning", "hint", "-->", "cause", "[exit"];
        let lines = transcript.lines().filter(|line| told.iter().any(|word| line.trim_start().starts_with(word)));
        lines.map(|line| line.trim().to_owned() + "\n").collect::<String>()
    };
    assert_seen(
        run("capabilities:\n  - rye.execute.tool.demo.echo\n"),
        str![[r#"
warning: `less.yaml`, line 2: `rye.execute.tool.demo.echo` is written in the legacy form; write `- primary: execute` with `item_type: tool` and `specifics: "demo.echo"` [RYE-P014]
[exit 0]

"#]],
    );
    assert_seen(
        run("capabilities:\n  - primary: load\n"),
        str![[r#"
denied: step `say`: the permissions given for this thread do not allow `execute tool demo/echo`: it needs `rye.execute.tool.demo.echo` [denied]
denied the permissions given for this thread do not allow `execute tool demo/echo`: it needs `rye.execute.tool.demo.echo`
[exit 4]

"#]],
    );
    assert_seen(
        run("capabilities:\n  - primary: exec\n    specific: x\n"),
        str![[r#"
error: `specific` is not a part of a capability [RYE-P013]
--> less.yaml:2:3
hint: did you mean `specifics`?
error: unknown action `exec` (expected execute, search, load or sign) [RYE-P013]
--> less.yaml:2:3
hint: write `- primary: execute`, and below it `item_type: tool` and `specifics: "pattern"`
error: the permissions in `[SANDBOX]/project/less.yaml` are not valid
[exit 2]

"#]],
    );
    let missing = ["thread", "run", "demo/greet", "--permissions", "nowhere.yaml"];
    assert_seen(
        sandbox.rye(&missing).transcript(),
        str![[r#"
$ rye thread run demo/greet --permissions nowhere.yaml
[stderr]
error: cannot read `[SANDBOX]/project/nowhere.yaml`: no such file
[exit 2]

"#]],
    );
}

/// What configuration denies or asks about is refused in a thread, whatever the directive was granted; `--yes` agrees.
#[test]
fn configuration_beats_every_grant_in_a_thread() {
    let run = |more: &[&str]| {
        let sandbox = Sandbox::signed();
        let args = [&["thread", "run", "demo/greet", "-i", "name=Ada"], more].concat();
        let transcript = sandbox.rye(&args).transcript();
        let lines = transcript
            .lines()
            .filter(|line| line.starts_with("    denied") || line.contains("refused") || line.contains("[exit"));
        lines.map(|line| line.trim().to_owned() + "\n").collect::<String>()
    };
    assert_seen(
        run(&["--config", "permissions.deny=['rye.execute.*']"]),
        str![[r#"
denied your configuration denies `execute tool demo/echo`: `permissions.deny` has `rye.execute.*`
[exit 4]

"#]],
    );
    assert_seen(
        run(&["--config", "permissions.ask=['rye.execute.tool.demo.*']"]),
        str![[r#"
denied `execute tool demo/echo` needs the user's approval and did not get it: `permissions.ask` has `rye.execute.tool.demo.*`
[exit 4]

"#]],
    );
    assert_seen(
        run(&["--config", "permissions.ask=['rye.execute.tool.demo.*']", "--yes"]),
        str![[r#"
[exit 0]

"#]],
    );
    assert_seen(
        run(&["--config", "permissions.ask=['*']", "--yes"]),
        str![[r#"
[exit 2]

"#]],
    );
}

/// A project may only add denials, and never widen permissions.
#[test]
fn a_project_s_configuration_only_tightens() {
    let sandbox = Sandbox::signed();
    let args = ["thread", "run", "demo/greet", "-i", "name=Ada"];
    sandbox.put(".ai/config.toml", "[permissions]\ndeny = [\"rye.execute.tool.demo.*\"]\n");
    let transcript = sandbox.rye(&args).transcript();
    assert!(transcript.contains("`permissions.deny` has `rye.execute.tool.demo.*`"), "{transcript}");
    for wider in [
        "[items]\nshadow_reserved = true\n",
        "[interpreters]\npython3 = \"/tmp/x\"\n",
        "[permissions]\nallow = []\n",
        "[capabilities]\noffered = [\"subagent\"]\n",
    ] {
        sandbox.put(".ai/config.toml", wider);
        let transcript = sandbox.rye(&args).transcript();
        assert!(
            transcript.contains("error: invalid configuration `") && transcript.contains("unknown field"),
            "{transcript}"
        );
        assert!(sandbox.git(&["branch", "--list", "rye/*"]).lines().count() == 1, "{transcript}");
    }
}

#[test]
fn what_an_accepted_configuration_denies_stays_denied() {
    let sandbox = Sandbox::signed();
    let args = ["thread", "run", "demo/greet", "-i", "name=Ada"];
    let is_denied = |transcript: &str| transcript.contains("`permissions.deny` has `rye.execute.tool.demo.*`");
    sandbox.put(".ai/config.toml", "[permissions]\ndeny = [\"rye.execute.tool.demo.*\"]\n");
    let proposed = sandbox.rye(&["trust", "propose", "--principal", "ada@example.org"]).transcript();
    assert!(proposed.contains("+ setting: .ai/config.toml: `deny = [\"rye.execute.tool.demo.*\"]`"), "{proposed}");
    sandbox.rye(&["trust", "accept", "--yes"]).succeeds();
    for text in [Some("# nothing\n"), None] {
        match text {
            Some(text) => sandbox.put(".ai/config.toml", text),
            None => std::fs::remove_file(sandbox.project().join(".ai/config.toml")).unwrap(),
        }
        let transcript = sandbox.rye(&args).env("RYE_SEED", "agent").transcript();
        assert!(is_denied(&transcript), "{transcript}");
    }
    let told = sandbox.rye(&["trust", "list"]).transcript();
    assert!(told.contains("`config.toml` does not match the signed manifest"), "{told}");
    // It ends when a root proposes and the person accepts it.
    let proposed = sandbox.rye(&["trust", "propose"]).transcript();
    assert!(proposed.contains("- setting: .ai/config.toml: `deny = [\"rye.execute.tool.demo.*\"]`"), "{proposed}");
    sandbox.rye(&["trust", "accept", "--yes"]).succeeds();
    let transcript = sandbox.rye(&args).env("RYE_SEED", "agent").transcript();
    assert!(!is_denied(&transcript), "{transcript}");
}

#[test]
fn a_configuration_that_widens_is_not_proposed() {
    let sandbox = Sandbox::signed();
    sandbox.put(".ai/config.toml", "[permissions]\nallow = []\n");
    let transcript = sandbox.rye(&["trust", "propose", "--principal", "ada@example.org"]).transcript();
    assert!(transcript.contains("the trust file `config.toml` cannot be used: line 2, column 1"), "{transcript}");
    assert!(!sandbox.project().join(".ai/trust").exists());
}

/// A directive of a chain, with the content of its permissions.
fn link(id: &str, permissions: &str) -> Link {
    let text = include_str!("../support/items/greet.md");
    let text = text.replace("<execute><tool>demo.*</tool></execute>", permissions);
    let text = if permissions.is_empty() {
        text.replace("<permissions>", "<!--").replace("</permissions>", "-->")
    } else {
        text
    };
    let candidate = Candidate {
        space: Space::Project,
        item_type: ItemType::Directive,
        id: id.parse().unwrap(),
        extension: "md".parse().unwrap(),
        path: format!("{id}.md").into(),
    };
    Link::read(&candidate, text.as_bytes()).unwrap()
}

fn left(chain: &[Link]) -> Vec<(String, Status, Vec<Cut>)> {
    let told = |grant: CallGrant| (grant.capability.to_string(), grant.status, grant.cut_by);
    calls(chain, None, &Policy::default()).into_iter().map(told).collect()
}

#[test]
fn every_directive_of_a_chain_narrows_and_none_widens() {
    let tools = |patterns: &[&str]| {
        let tools: String = patterns.iter().map(|pattern| format!("<tool>{pattern}</tool>")).collect();
        format!("<execute>{tools}</execute>")
    };
    let leaf = link("demo/leaf", &tools(&["demo.*", "other.one", "demo.echo"]));
    let silent = link("demo/silent", "");
    let base = link("demo/base", &tools(&["demo.echo", "demo.fail", "wide.*"]));
    let pattern = |text: &str| format!("rye.execute.tool.{text}");
    let cut = |allows: &[&str]| {
        let allows: Vec<Capability> = allows.iter().map(|text| pattern(text).parse().unwrap()).collect();
        vec![Cut::Directive { item_id: "demo/base".parse().unwrap(), allows }]
    };
    assert_eq!(
        left(&[leaf.clone(), silent.clone(), base.clone()]),
        [
            (pattern("demo.*"), Status::Partly, cut(&["demo.echo", "demo.fail"])),
            (pattern("other.one"), Status::Denied, cut(&[])),
            (pattern("demo.echo"), Status::Allowed, vec![]),
        ]
    );
    // Who declares nothing takes what the nearest one declares that does.
    let inherited: Vec<String> = calls(&[silent.clone(), base], None, &Policy::default())
        .into_iter()
        .map(|grant| format!("{} {}:{}", grant.capability, grant.granted_by.path, grant.granted_by.line))
        .collect();
    let line = |text: &str| format!("{} demo/base.md:12", pattern(text));
    assert_eq!(inherited, [line("demo.echo"), line("demo.fail"), line("wide.*")]);
    assert_eq!((left(std::slice::from_ref(&silent)), paths(&[leaf, silent])), (vec![], vec![]));
}

#[test]
fn paths_are_narrowed_by_every_directive_that_has_any() {
    let rule = |access: &str, paths: &str| format!("<{access} resource=\"filesystem\" path=\"{paths}\" />");
    let leaf = link("demo/leaf", &(rule("write", "docs/a/**") + &rule("read", "src/**,docs/*.md")));
    let open = link("demo/open", "<search>*</search>");
    let base = link("demo/base", &rule("read", "docs/**"));
    let left = |chain: &[Link]| -> Vec<(String, Status, Vec<PathCut>)> {
        let told = paths(chain).into_iter();
        told.map(|grant| (format!("{} {}", grant.access, grant.pattern), grant.status, grant.cut_by)).collect()
    };
    let cut = |id: &str, allows: &[&str]| {
        let allows = allows.iter().map(|pattern| (*pattern).to_owned()).collect();
        vec![PathCut { item_id: id.parse().unwrap(), allows }]
    };
    assert_eq!(
        left(&[leaf, open, base]),
        [
            // The base lets nothing be written, though what its rule names may be read.
            ("write docs/a/**".to_owned(), Status::Denied, cut("demo/base", &[])),
            ("read src/**".to_owned(), Status::Denied, cut("demo/base", &[])),
            ("read docs/*.md".to_owned(), Status::Allowed, vec![]),
            ("read docs/**".to_owned(), Status::Partly, cut("demo/leaf", &["docs/a/**", "docs/*.md"])),
        ]
    );
}

#[test]
fn a_directive_with_errors_is_not_taken_for_one_that_permits_little() {
    let sandbox = granting("<execute><tool>demo.*</tool><tool>demo..echo</tool></execute>");
    assert_seen(
        sandbox.rye(&["permissions", "demo/greet"]).transcript(),
        str![[r#"
$ rye permissions demo/greet
allowed	rye.execute.tool.demo.*	write	.ai/directives/demo/greet.md:12	
[stderr]
warning: `demo/greet` has errors and cannot be used as it is: run `rye lint demo/greet`
note: it declares no paths, so its tools may touch the whole project
[exit 0]

"#]],
    );
}
