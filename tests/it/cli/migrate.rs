//! `rye migrate`, on a tree that has every legacy form.

mod forms;
mod kill;
mod names;
mod obstacles;
mod shared;

use snapbox::str;

use crate::support::{Sandbox, assert_seen};

const ROLL_BACK: &str = r#"<directive name="roll-back" version="1.0.0">
  <metadata>
    <description>Roll back</description>
    <category>ops</category>
    <author>ada</author>
    <permissions>
      <cap>rye.execute.tool.rye.file-system.fs_read</cap>
    </permissions>
  </metadata>

  <process>
    <step name="back">Go back.</step>
  </process>
</directive>
"#;

const DEPLOY: &str = r#"# Deploy

```xml
<directive name="deploy" version="1.0.0">
  <metadata>
    <description>Deploy</description>
    <category>ops</category>
    <author>ada</author>
  </metadata>
</directive>
```

<process>
  <step name="deploy">
    Deploy, or ops/roll-back.
    <execute item_type="directive" item_id="ops/roll-back" />
  </step>
</process>
"#;

const NOTES: &str = "<!-- rye:validated:2026-01-01T00:00:00Z:ab -->\n---\nname: old-notes\ntitle: Notes\ncategory: ops\n\
                     version: \"1.0.0\"\nreferences: [ops/roll-back]\n---\n\nText.\n";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_items();
    sandbox.put(".ai/directives/ops/deploy.md", DEPLOY);
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    sandbox.put(".ai/directives/ops/roll-back.md", ROLL_BACK);
    sandbox.put(".ai/knowledge/ops/old-notes.md", NOTES);
    sandbox.put("caps/git.yaml", "capabilities:\n  - rye.execute.tool.git.*\n");
    sandbox
}

#[test]
fn what_would_change_is_a_diff_that_git_takes() {
    let sandbox = sandbox();
    assert_seen(
        sandbox.rye(&["migrate"]).transcript(),
        str![[r#"
$ rye migrate
--- a/.ai/directives/ops/deploy.md
+++ b/.ai/directives/ops/deploy.md
@@ -1,4 +1,3 @@
-<!-- rye:signed:2026-03-17T01:41:08Z:7fc0badf019668b61afa1fc5428c7d046132be7f960537fc0ab7038a581ff82f:8Ua0_BOv95AAPzodb-kXegXSIHS6u4jMnd17Vt9lutEJ2SV3KLWTzGhLlRV_bIDkH38jU4QxsFpcM7M22-DQDQ==:706f575fc5331071 -->
 # Deploy
 
 ```xml
@@ -14,6 +13,6 @@
 <process>
   <step name="deploy">
     Deploy, or ops/roll-back.
-    <execute item_type="directive" item_id="ops/roll-back" />
+    <execute item_type="directive" item_id="ops/roll_back" />
   </step>
 </process>
diff --git a/.ai/directives/ops/roll-back.md b/.ai/directives/ops/roll_back.md
rename from .ai/directives/ops/roll-back.md
rename to .ai/directives/ops/roll_back.md
--- a/.ai/directives/ops/roll-back.md
+++ b/.ai/directives/ops/roll_back.md
@@ -1,14 +1,20 @@
-<directive name="roll-back" version="1.0.0">
+# Roll back
+
+```xml
+<directive name="roll_back" version="1.0.0">
   <metadata>
     <description>Roll back</description>
     <category>ops</category>
     <author>ada</author>
     <permissions>
-      <cap>rye.execute.tool.rye.file-system.fs_read</cap>
+      <execute><tool>rye.file-system.read</tool></execute>
     </permissions>
   </metadata>
+</directive>
+```
 
-  <process>
-    <step name="back">Go back.</step>
-  </process>
-</directive>
+<process>
+  <step name="back">
+    Go back.
+  </step>
+</process>
--- a/.ai/knowledge/ops/old-notes.md
+++ b/.ai/knowledge/ops/old-notes.md
@@ -1,10 +1,9 @@
-<!-- rye:validated:2026-01-01T00:00:00Z:ab -->
----
+```yaml
 name: old-notes
 title: Notes
 category: ops
 version: "1.0.0"
-references: [ops/roll-back]
----
+references: [ops/roll_back]
+```
 
 Text.
[stderr]
warning: `.ai/directives/ops/deploy.md:16`: `ops/roll-back` is named here, which is `ops/roll_back` now: change it if it is a reference
note: 3 files to change: run `rye migrate --write` to change them
note: no commit contains `.ai/directives/ops/deploy.md` and 2 more as it is now: commit first to be able to go back
note: 1 item will have to be signed again
[exit 0]

"#]],
    );
    let diff = String::from_utf8(sandbox.rye(&["migrate", ".", "caps/git.yaml", "-q"]).stdout()).unwrap();
    sandbox.put("../migrate.diff", &diff);
    sandbox.git(&["apply", "../migrate.diff"]);
    assert_seen(
        sandbox.rye(&["migrate", ".", "caps/git.yaml"]).transcript(),
        str![[r#"
$ rye migrate . caps/git.yaml
[stderr]
note: nothing to migrate
[exit 0]

"#]],
    );
}

#[test]
fn a_tree_is_written_at_once_and_only_once() {
    let sandbox = sandbox();
    assert_seen(
        sandbox.rye(&["migrate", "--check"]).transcript(),
        str![[r#"
$ rye migrate --check
.ai/directives/ops/deploy.md: name renamed directives as they are called now
.ai/directives/ops/roll-back.md -> .ai/directives/ops/roll_back.md: move the process out of the xml; write permissions in the hierarchical form; name it `roll_back`; move it to `ops/roll_back`
.ai/knowledge/ops/old-notes.md: remove the signature line of an older program; fence the header; name renamed directives as they are called now
[stderr]
warning: `.ai/directives/ops/deploy.md:16`: `ops/roll-back` is named here, which is `ops/roll_back` now: change it if it is a reference
note: 3 files to change: run `rye migrate --write` to change them
note: no commit contains `.ai/directives/ops/deploy.md` and 2 more as it is now: commit first to be able to go back
note: 1 item will have to be signed again
[exit 1]

"#]],
    );
    assert_seen(
        sandbox.rye(&["migrate", "--write"]).transcript(),
        str![[r#"
$ rye migrate --write
.ai/directives/ops/deploy.md: name renamed directives as they are called now
.ai/directives/ops/roll-back.md -> .ai/directives/ops/roll_back.md: move the process out of the xml; write permissions in the hierarchical form; name it `roll_back`; move it to `ops/roll_back`
.ai/knowledge/ops/old-notes.md: remove the signature line of an older program; fence the header; name renamed directives as they are called now
[stderr]
warning: `.ai/directives/ops/deploy.md:16`: `ops/roll-back` is named here, which is `ops/roll_back` now: change it if it is a reference
note: 3 files changed
note: changed files are not signed any more: look at the changes, then run `rye sign directive ops/deploy`
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["migrate", "--check"]).transcript(),
        str![[r#"
$ rye migrate --check
[stderr]
note: nothing to migrate
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["sign", "--all"]).transcript(),
        str![[r#"
$ rye sign --all
unchanged	directive	demo/greet	.ai/directives/demo/greet.md
signed	directive	ops/deploy	.ai/directives/ops/deploy.md
signed	directive	ops/roll_back	.ai/directives/ops/roll_back.md
unchanged	tool	demo/echo	.ai/tools/demo/echo.sh
unchanged	tool	demo/fail	.ai/tools/demo/fail.sh
unchanged	knowledge	demo/notes	.ai/knowledge/demo/notes.md
signed	knowledge	ops/old-notes	.ai/knowledge/ops/old-notes.md
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["verify"]).transcript(),
        str![[r#"
$ rye verify
ok: 7 items checked: 7 good
[exit 0]

"#]],
    );
}

#[test]
fn one_item_or_document_can_be_named() {
    let sandbox = sandbox();
    assert_seen(
        sandbox.rye(&["migrate", "caps/git.yaml", "--write", "--json"]).transcript(),
        str![[r#"
$ rye migrate caps/git.yaml --write --json
{"status":"migrated","files":[{"path":"caps/git.yaml","state":"changed","changes":["spell out the capabilities"],"diff":"--- a/caps/git.yaml\n+++ b/caps/git.yaml\n@@ -1,2 +1,4 @@\n capabilities:\n-  - rye.execute.tool.git.*\n+  - primary: execute\n+    item_type: tool\n+    specifics: \"git.*\"\n"}],"sign":[]}
[stderr]
note: 1 file changed
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["migrate", "ops/old-notes", "--check"]).transcript(),
        str![[r#"
$ rye migrate ops/old-notes --check
.ai/knowledge/ops/old-notes.md: remove the signature line of an older program; fence the header
[stderr]
note: 1 file to change: run `rye migrate --write` to change them
note: no commit contains `.ai/knowledge/ops/old-notes.md` as it is now: commit first to be able to go back
[exit 1]

"#]],
    );
    assert_seen(
        sandbox.rye(&["migrate", "nothing"]).transcript(),
        str![[r#"
$ rye migrate nothing
[stderr]
error: no item or capability document matches `nothing`
hint: run `rye list` to list them
[exit 1]

"#]],
    );
    assert_seen(
        sandbox.rye(&["migrate", ".ai/tools"]).transcript(),
        str![[r#"
$ rye migrate .ai/tools
[stderr]
note: nothing to migrate
[exit 0]

"#]],
    );
    sandbox.put(".ai/directives/ops/roll_back.md", DEPLOY);
    assert_seen(
        sandbox.rye(&["migrate", "ops/roll-back", "--check"]).transcript(),
        str![[r#"
$ rye migrate ops/roll-back --check
.ai/directives/ops/roll-back.md: move the process out of the xml; write permissions in the hierarchical form
[stderr]
warning: `.ai/directives/ops/roll-back.md:1`: it keeps its kebab-case name: `ops/roll_back` is another directive of the project space
note: 1 file to change: run `rye migrate --write` to change them
note: no commit contains `.ai/directives/ops/roll-back.md` as it is now: commit first to be able to go back
[exit 1]

"#]],
    );
}
