//! Files that run with a tool: exactly those its header names, byte for byte.

use snapbox::str;

use crate::support::{Sandbox, assert_seen};

const WORDS: &str = "one two\n";
/// The SHA-256 of [`WORDS`].
const DIGEST: &str = "2dbb4a503f1515636b6a54e7f5b1a8ccfddcb62f0571c8b57a2879c360d00346";
const TOOL: &str = "\
#!/bin/sh
# version: 1.0.0
# description: List what lies beside it
# companions:
#   - path: lib/words.txt
#     sha256: 2dbb4a503f1515636b6a54e7f5b1a8ccfddcb62f0571c8b57a2879c360d00346
cd \"$(dirname \"$0\")\" && find . -type f | sort | tr '\\n' ' ' && cat lib/words.txt
";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_items();
    sandbox.put(".ai/tools/demo/beside.sh", TOOL);
    sandbox.put(".ai/tools/demo/lib/words.txt", WORDS);
    sandbox.put(".ai/tools/demo/lib/more.txt", "not named\n");
    sandbox.rye(&["sign", "tool", "demo/beside", "-q"]).succeeds();
    sandbox
}

#[test]
fn a_tool_has_its_companions_beside_it_and_nothing_else() {
    assert!(TOOL.contains(DIGEST));
    assert_seen(
        sandbox().rye(&["execute", "tool", "demo/beside"]).transcript(),
        str![[r#"
$ rye execute tool demo/beside
./beside.sh ./lib/words.txt one two
[exit 0]

"#]],
    );
}

#[test]
fn a_companion_that_was_changed_or_removed_is_refused() {
    let sandbox = sandbox();
    sandbox.put(".ai/tools/demo/lib/words.txt", "one two three\n");
    assert_seen(
        sandbox.rye(&["execute", "tool", "demo/beside"]).transcript(),
        str![[r#"
$ rye execute tool demo/beside
[stderr]
error: the companion `lib/words.txt` of tool `demo/beside` is not the file its header names
hint: mend it, then run `rye sign tool demo/beside`
[exit 3]

"#]],
    );
    std::fs::remove_file(sandbox.project().join(".ai/tools/demo/lib/words.txt")).unwrap();
    assert_seen(
        sandbox.rye(&["execute", "tool", "demo/beside", "--dry-run"]).transcript(),
        str![[r#"
$ rye execute tool demo/beside --dry-run
[stderr]
error: the companion `lib/words.txt` of tool `demo/beside` is not the file its header names
cause: `[SANDBOX]/project/.ai/tools/demo/lib/words.txt` does not exist
hint: mend it, then run `rye sign tool demo/beside`
[exit 3]

"#]],
    );
    std::os::unix::fs::symlink("more.txt", sandbox.project().join(".ai/tools/demo/lib/words.txt")).unwrap();
    assert_seen(
        sandbox.rye(&["execute", "tool", "demo/beside"]).transcript(),
        str![[r#"
$ rye execute tool demo/beside
[stderr]
error: the companion `lib/words.txt` of tool `demo/beside` is not the file its header names
cause: `[SANDBOX]/project/.ai/tools/demo/lib/words.txt` is a symlink, and symlinks are not followed here
hint: mend it, then run `rye sign tool demo/beside`
[exit 3]

"#]],
    );
}
