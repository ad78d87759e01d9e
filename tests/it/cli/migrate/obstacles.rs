//! Files that cannot be written: if known before, nothing is written; if found on the way, earlier writes are reported.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::Command;

use snapbox::str;

use crate::support::{Sandbox, assert_seen};

fn legacy(name: &str, more: &str) -> String {
    format!(
        "# Do it\n\n```xml\n<directive name=\"{name}\" version=\"1.0.0\">\n  <metadata>\n    <description>Do it</description>\n    \
         <category></category>\n    <author>ada</author>\n    <permissions>\n      <cap>rye.search.*</cap>\n    </permissions>\n  \
         </metadata>\n</directive>\n```\n\nGo on.\n{more}"
    )
}

fn sandbox(names: &[&str]) -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.git(&["init", "-q", "-b", "main"]);
    names.iter().for_each(|name| sandbox.put(&format!(".ai/directives/{name}.md"), &legacy(name, "")));
    sandbox
}

#[test]
fn nothing_is_written_when_something_cannot_be() {
    let sandbox = sandbox(&["a", "b", "c-d"]);
    let closed = sandbox.project().join(".ai/directives/b.md");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o444)).unwrap();
    assert_seen(
        sandbox.rye(&["migrate", "--check"]).transcript(),
        str![[r#"
$ rye migrate --check
.ai/directives/a.md: write permissions in the hierarchical form
.ai/directives/b.md: write permissions in the hierarchical form
.ai/directives/c-d.md -> .ai/directives/c_d.md: write permissions in the hierarchical form; name it `c_d`; move it to `c_d`
[stderr]
warning: `.ai/directives/b.md:1`: `--write` will write nothing because of this file: `[SANDBOX]/project/.ai/directives/b.md` is write-protected (its mode has no write bit for its owner)
note: 3 files to change: run `rye migrate --write` to change them
note: no commit contains `.ai/directives/a.md` and 2 more as it is now: commit first to be able to go back
[exit 1]

"#]],
    );
    assert_seen(
        sandbox.rye(&["migrate", "--write"]).transcript(),
        str![[r#"
$ rye migrate --write
[stderr]
error: nothing was written, because this cannot be: `.ai/directives/b.md`
cause: `[SANDBOX]/project/.ai/directives/b.md` is write-protected (its mode has no write bit for its owner)
hint: run `chmod u+w [SANDBOX]/project/.ai/directives/b.md`
[exit 1]

"#]],
    );
    for name in ["a", "b", "c-d"] {
        let text = fs::read_to_string(sandbox.project().join(format!(".ai/directives/{name}.md"))).unwrap();
        assert_eq!(text, legacy(name, ""));
    }
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o600)).unwrap();
    sandbox.rye(&["migrate", "--write"]).succeeds();
    assert_eq!(fs::metadata(&closed).unwrap().permissions().mode() & 0o777, 0o600, "the mode stays");
}

#[test]
fn a_symlink_is_left_to_the_file_it_leads_to() {
    let sandbox = sandbox(&["a"]);
    sandbox.put(".ai/shared/b.txt", &legacy("b", ""));
    symlink("../shared/b.txt", sandbox.project().join(".ai/directives/b.md")).unwrap();
    assert_seen(
        sandbox.rye(&["migrate", "--write"]).transcript(),
        str![[r#"
$ rye migrate --write
.ai/directives/a.md: write permissions in the hierarchical form
[stderr]
warning: `.ai/directives/b.md:1`: this file is not an item: it is a symlink, and symlinks are not followed
note: 1 file changed
[exit 0]

"#]],
    );
    let text = fs::read_to_string(sandbox.project().join(".ai/shared/b.txt")).unwrap();
    assert_eq!(text, legacy("b", ""));
    assert!(sandbox.project().join(".ai/directives/b.md").is_symlink());
}

#[test]
fn files_that_are_no_text_and_no_items_are_named() {
    let sandbox = sandbox(&["a"]);
    sandbox.put(".ai/directives/My notes.md", "x");
    sandbox.put(".ai/tools/big.sh", &"#".repeat(1024 * 1024 + 1));
    fs::write(sandbox.project().join(".ai/directives/b.md"), b"# \xff\n").unwrap();
    assert_seen(
        sandbox.rye(&["migrate", "--check"]).transcript(),
        str![[r#"
$ rye migrate --check
.ai/directives/a.md: write permissions in the hierarchical form
[stderr]
warning: `.ai/directives/b.md:1`: the file is not UTF-8, so its forms stay
warning: `.ai/tools/big.sh:1`: the file is larger than 1 MiB, so its forms stay
warning: `.ai/directives/My notes.md:1`: this file is not an item: `My notes` is not an item id: only letters, digits, `_` and `-` may follow
note: 1 file to change: run `rye migrate --write` to change them
note: no commit contains `.ai/directives/a.md` as it is now: commit first to be able to go back
[exit 1]

"#]],
    );
    assert_seen(
        sandbox.rye(&["migrate", ".ai/directives/My notes.md"]).transcript(),
        str![[r#"
$ rye migrate '.ai/directives/My notes.md'
[stderr]
warning: `.ai/directives/My notes.md:1`: this file is not an item: `My notes` is not an item id: only letters, digits, `_` and `-` may follow
note: nothing to migrate
[exit 0]

"#]],
    );
}

/// The second file is larger than a file may become: earlier writes are reported, and running it again does the rest.
#[test]
fn a_run_that_fails_half_way_says_what_it_did() {
    let sandbox = sandbox(&["a-b", "d"]);
    sandbox.put(".ai/directives/c.md", &legacy("c", &"x".repeat(20_000)));
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    let limited = |args: &str| {
        let script = format!("trap '' XFSZ; ulimit -f 16; exec '{}' migrate --write {args}", crate::support::RYE);
        let mut sh = Command::new("sh");
        sh.env_clear().envs(sandbox.variables()).current_dir(sandbox.project()).args(["-c", &script]);
        let output = sh.output().unwrap();
        let text = |bytes: &[u8]| {
            String::from_utf8_lossy(bytes).replace(&sandbox.path("").display().to_string(), "[SANDBOX]/")
        };
        format!("{}[stderr]\n{}[exit {:?}]\n", text(&output.stdout), text(&output.stderr), output.status.code())
    };
    assert_seen(
        limited(""),
        str![[r#"
.ai/directives/a-b.md -> .ai/directives/a_b.md: not moved yet: write permissions in the hierarchical form; name it `a_b`; move it to `a_b`
.ai/directives/c.md: failed: write permissions in the hierarchical form
.ai/directives/d.md: not reached: write permissions in the hierarchical form
[stderr]
note: changed files are not signed any more: when the rest is written too, look at the changes, then run `rye sign directive a_b`
error: `.ai/directives/c.md` could not be written; files written before it: 1, not reached: 1
cause: cannot write `[SANDBOX]/project/.ai/directives/c.md`: it would exceed the file-size limit; the old content is unchanged
hint: make room, then run the command again
[exit Some(1)]

"#]],
    );
    assert_seen(
        limited("--json"),
        str![[r#"
{"status":"failed","files":[{"item_type":"directive","item_id":"a_b","path":".ai/directives/a-b.md","new_path":".ai/directives/a_b.md","state":"unmoved","changes":["move it to `a_b`"],"diff":"diff --git a/.ai/directives/a-b.md b/.ai/directives/a_b.md\nrename from .ai/directives/a-b.md\nrename to .ai/directives/a_b.md\n"},{"item_type":"directive","item_id":"c","path":".ai/directives/c.md","state":"failed","changes":["write permissions in the hierarchical form"],"diff":"--- a/.ai/directives/c.md\n+++ b/.ai/directives/c.md\n@@ -1,4 +1,3 @@\n-<!-- rye:signed:2026-03-17T01:41:08Z:693790cd21e3ca0a18b9a025843f2728754125df0d4faa80c9c10a3a8fd031a5:UlvZPGSvyA3HQK-X13dc0qEUHsAEItuOn_558ck1CVBS6ZFHNCIMkmS2hOuW2ECYjWbEBF89FBTDTbI3HKkMAA==:706f575fc5331071 -->\n # Do it\n \n ```xml\n@@ -8,7 +7,7 @@\n     <category></category>\n     <author>ada</author>\n     <permissions>\n-      <cap>rye.search.*</cap>\n+      <search>*</search>\n     </permissions>\n   </metadata>\n </directive>\n"},{"item_type":"directive","item_id":"d","path":".ai/directives/d.md","state":"left","changes":["write permissions in the hierarchical form"],"diff":"--- a/.ai/directives/d.md\n+++ b/.ai/directives/d.md\n@@ -1,4 +1,3 @@\n-<!-- rye:signed:2026-03-17T01:41:08Z:55802a296412e1aedd6500e85a3a8bc91fa6b558c10b5eb4854f1c1995fb2e4f:9XaIZ6hD_MPxPQ0lNKQGgI72jsCknp3ZjmhbO6fEPPHkccyPE3FF-2MiJEZYDtVVzBN9SpZREdh2W6mWpN2UCQ==:706f575fc5331071 -->\n # Do it\n \n ```xml\n@@ -8,7 +7,7 @@\n     <category></category>\n     <author>ada</author>\n     <permissions>\n-      <cap>rye.search.*</cap>\n+      <search>*</search>\n     </permissions>\n   </metadata>\n </directive>\n"}],"sign":[],"error":{"path":".ai/directives/c.md","message":"cannot write `[SANDBOX]/project/.ai/directives/c.md`: it would exceed the file-size limit; the old content is unchanged"}}
[stderr]
[exit Some(1)]

"#]],
    );
    assert_seen(
        sandbox.rye(&["migrate", "--write"]).transcript(),
        str![[r#"
$ rye migrate --write
.ai/directives/a-b.md -> .ai/directives/a_b.md: move it to `a_b`
.ai/directives/c.md: write permissions in the hierarchical form
.ai/directives/d.md: write permissions in the hierarchical form
[stderr]
note: 3 files changed
note: changed files are not signed any more: look at the changes, then run `rye sign directive c d`
[exit 0]

"#]],
    );
    sandbox.rye(&["migrate", "--check"]).succeeds();
    sandbox.rye(&["sign", "--all"]).succeeds();
}
