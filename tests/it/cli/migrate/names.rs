//! Directives that cannot have the name in snake_case keep theirs, each with the reason; references follow the others.

use std::os::unix::fs::symlink;

use snapbox::str;

use crate::support::{Sandbox, assert_seen};

/// A current directive; `extra` goes into its metadata.
fn directive(name: &str, category: &str, extra: &str) -> String {
    format!(
        "# Do it\n\n```xml\n<directive name=\"{name}\" version=\"1.0.0\">\n  <metadata>\n    <description>Do it</description>\n    \
         <category>{category}</category>\n    <author>ada</author>\n    {extra}\n  </metadata>\n</directive>\n```\n\nGo on.\n"
    )
}

#[test]
fn a_name_is_never_taken_and_never_chosen_between_two() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    for name in ["a-b", "a_b", "c-d_e", "c_d-e", "f-g", "h-i", "own", "k-l"] {
        sandbox.put(&format!(".ai/directives/x/{name}.md"), &directive(name, "x", ""));
    }
    // A folder in the place of one, another one's file at the end of a symlink, a name that is not the file's.
    sandbox.put(".ai/directives/x/f_g.md/readme", "");
    symlink("own.md", sandbox.project().join(".ai/directives/x/m-n.md")).unwrap();
    sandbox.put(".ai/directives/x/o-p.md", &directive("own", "x", ""));
    sandbox.put("../home/.ai/directives/x/h_i.md", &directive("h_i", "x", ""));
    let all =
        ["x/a-b", "x/c-d_e", "x/f-g", "x/h-i", "x/k-l"].map(|id| format!("<depends_on>{id}</depends_on>")).concat();
    sandbox.put(".ai/directives/x/uses.md", &directive("uses", "x", &format!("<context>{all}</context>")));
    assert_seen(
        sandbox.rye(&["migrate", "--write"]).transcript(),
        str![[r#"
$ rye migrate --write
.ai/directives/x/k-l.md -> .ai/directives/x/k_l.md: name it `k_l`; move it to `x/k_l`
.ai/directives/x/uses.md: name renamed directives as they are called now
[stderr]
warning: `.ai/directives/x/a-b.md:4`: it keeps its kebab-case name: `x/a_b` is another directive of the project space
warning: `.ai/directives/x/c-d_e.md:4`: it keeps its kebab-case name: `x/c_d-e` would get the same name `x/c_d_e`
warning: `.ai/directives/x/c_d-e.md:4`: it keeps its kebab-case name: `x/c-d_e` would get the same name `x/c_d_e`
warning: `.ai/directives/x/f-g.md:4`: it keeps its kebab-case name: `.ai/directives/x/f_g.md` is in its place
warning: `.ai/directives/x/h-i.md:4`: it keeps its kebab-case name: `x/h_i` is another directive of the user space
warning: `.ai/directives/x/o-p.md:4`: it keeps its kebab-case name: the directive in it is not called `o-p`, or cannot be read
warning: `.ai/directives/x/f_g.md:1`: this file is not an item: `x/f_g.md` is not an item id: it contains a dot (an id has no extension)
warning: `.ai/directives/x/m-n.md:1`: this file is not an item: it is a symlink, and symlinks are not followed
note: 2 files changed
[exit 0]

"#]],
    );
    let text = std::fs::read_to_string(sandbox.project().join(".ai/directives/x/uses.md")).unwrap();
    let now =
        ["x/a-b", "x/c-d_e", "x/f-g", "x/h-i", "x/k_l"].map(|id| format!("<depends_on>{id}</depends_on>")).concat();
    assert_eq!(text, directive("uses", "x", &format!("<context>{now}</context>")));
    // What stays is found again, and keeps a check from passing.
    assert!(sandbox.rye(&["migrate", "--check", "-q"]).transcript().ends_with("[exit 1]\n"));
}

/// Under another name it would be free of what the configuration says about it.
#[test]
fn a_directive_that_is_denied_by_its_name_keeps_it() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    for name in ["drop-all", "ask-me", "both-ways", "free-now"] {
        sandbox.put(&format!(".ai/directives/x/{name}.md"), &directive(name, "x", ""));
    }
    sandbox.put(
        ".ai/config.toml",
        "permissions.deny = [\"rye.execute.directive.x.drop-all\", \"rye.*.directive.x.both*\"]\npermissions.ask = [\"rye.load.directive.x.ask-*\"]\n",
    );
    assert_seen(
        sandbox.rye(&["migrate", "--write"]).transcript(),
        str![[r#"
$ rye migrate --write
.ai/directives/x/both-ways.md -> .ai/directives/x/both_ways.md: name it `both_ways`; move it to `x/both_ways`
.ai/directives/x/free-now.md -> .ai/directives/x/free_now.md: name it `free_now`; move it to `x/free_now`
[stderr]
warning: `.ai/directives/x/ask-me.md:4`: it keeps its kebab-case name: the configured pattern `rye.load.directive.x.ask-*` does not cover `x/ask_me`: let the configuration cover both first
warning: `.ai/directives/x/drop-all.md:4`: it keeps its kebab-case name: the configured pattern `rye.execute.directive.x.drop-all` does not cover `x/drop_all`: let the configuration cover both first
note: 2 files changed
[exit 0]

"#]],
    );
}

#[test]
fn every_item_of_the_space_follows() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.put(".ai/directives/ops/roll-back.md", &directive("roll-back", "ops", ""));
    sandbox.put(
        ".ai/directives/ops/deploy.md",
        &directive(
            "deploy",
            "ops",
            "<permissions><execute><directive>ops.roll-back</directive></execute></permissions>\n    <context><suggests>ops/roll-back</suggests></context>\n    \
             <hooks><hook><when>loop_count > 3</when><execute item_type=\"directive\">roll-back</execute></hook></hooks>",
        )
        .replace(" version=", " extends=\"ops/roll-back\" version="),
    );
    sandbox.put(
        ".ai/knowledge/ops/notes.md",
        "```yaml\nname: notes\ntitle: Notes\ncategory: ops\nversion: \"1.0.0\"\nused_by: [ops/roll-back]\n```\n\n[Back](../../directives/ops/roll-back.md), ops/roll-back.\n",
    );
    sandbox.put(
        ".ai/tools/ops/run.yaml",
        "version: \"1.0.0\"\ndescription: Run it\nconfig:\n  directive: ops/roll-back\n",
    );
    sandbox.put(
        "caps.yaml",
        "capabilities:\n  - primary: execute\n    item_type: directive\n    specifics: ops.roll-back\n",
    );
    assert_seen(
        sandbox.rye(&["migrate", ".", "caps.yaml", "--write"]).transcript(),
        str![[r#"
$ rye migrate . caps.yaml --write
.ai/directives/ops/deploy.md: name renamed directives as they are called now
.ai/directives/ops/roll-back.md -> .ai/directives/ops/roll_back.md: name it `roll_back`; move it to `ops/roll_back`
.ai/tools/ops/run.yaml: name renamed directives as they are called now
.ai/knowledge/ops/notes.md: name renamed directives as they are called now
caps.yaml: name renamed directives as they are called now
[stderr]
warning: `.ai/knowledge/ops/notes.md:9`: `ops/roll-back` is named here, which is `ops/roll_back` now: change it if it is a reference
note: 5 files changed
[exit 0]

"#]],
    );
    let left = sandbox.git(&["grep", "--no-index", "-n", "roll-back", "--", ".ai", "caps.yaml"]);
    assert_seen(
        left,
        str![[r#"
.ai/knowledge/ops/notes.md:9:[Back](../../directives/ops/roll_back.md), ops/roll-back.

"#]],
    );
    assert_seen(
        sandbox.rye(&["lint"]).transcript(),
        str![[r#"
$ rye lint
warning: nothing can run this tool: no tool kind runs files with the extension `yaml`: name a tool kind as `executor_id`, such as `command` [RYE-T012]
  --> .ai/tools/ops/run.yaml:1:1
hint: models do not get it; correct the fault, or write it as knowledge

warning: `config` has no effect yet: a script does not get it [RYE-U018]
  --> .ai/tools/ops/run.yaml:3:1
    |
  3 | config:
    | ^^^^^^^
hint: remove it

ok: 4 items checked: 0 errors, 2 warnings, 0 advice
[exit 0]

"#]],
    );
}

/// Whoever migrates one directive still hears of everything that names it.
#[test]
fn one_directive_that_is_renamed_is_followed_everywhere() {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.put(".ai/directives/x/a-b.md", &directive("a-b", "x", ""));
    sandbox.put(".ai/directives/x/c-d.md", &directive("c-d", "x", "<context><suggests>x/a-b</suggests></context>"));
    let wide = "<permissions><load><directive>x.a-*</directive></load></permissions>";
    sandbox.put(".ai/directives/x/e.md", &directive("e", "x", wide));
    assert_seen(
        sandbox.rye(&["migrate", "x/a-b", "--write"]).transcript(),
        str![[r#"
$ rye migrate x/a-b --write
.ai/directives/x/a-b.md -> .ai/directives/x/a_b.md: name it `a_b`; move it to `x/a_b`
.ai/directives/x/c-d.md: name renamed directives as they are called now
[stderr]
warning: `.ai/directives/x/e.md:9`: the pattern `x.a-*` covers `x/a-b`, and not its new name `x/a_b`
note: 2 files changed
[exit 0]

"#]],
    );
}
