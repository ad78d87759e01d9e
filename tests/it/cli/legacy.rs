//! Items signed in version 1: shown, verified with a finding or a warning, never used.

use rye::trust::SigningKey;
use snapbox::str;

use crate::support::{Sandbox, assert_seen};
use crate::trust::legacy::v1_line;

const NOTES: &str = include_str!("../support/items/notes.md");
const GREET: &str = include_str!("../support/items/greet.md");
const SEED: [u8; 32] = [7; 32];

/// Makes a sandbox whose notes and directive are signed in version 1 by a key that is trusted.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::signed();
    sandbox.put("old.pub", &format!("{} old@example.org\n", SigningKey::from_seed(&SEED).public().to_openssh()));
    sandbox.rye(&["trust", "add", "old.pub"]).succeeds();
    let line = v1_line("<!-- ", " -->", NOTES.as_bytes(), &SEED);
    sandbox.put(".ai/knowledge/demo/notes.md", &format!("{line}\n{NOTES}"));
    let (start, end) = (GREET.find("<directive").unwrap(), GREET.find("</directive>").unwrap() + "</directive>".len());
    let line = v1_line("<!-- ", "|rye-registry@old -->", &GREET.as_bytes()[start..end], &SEED);
    sandbox.put(".ai/directives/demo/greet.md", &format!("{line}\n{GREET}"));
    sandbox
}

#[test]
fn verify_names_what_version_1_leaves_uncovered() {
    let sandbox = sandbox();
    assert_seen(
        sandbox.rye(&["verify"]).transcript(),
        str![[r#"
$ rye verify
error: directive `demo/greet`: the key `5cc558a6d81dbb98` signed it in version 1, which does not cover: type, id, extension, time, line endings, all text outside of the `<directive>` block, the process steps, the registry and user named on the signature line [RYE-S009]
  --> .ai/directives/demo/greet.md:1:1
hint: review the whole file, then run `rye sign directive demo/greet`

error: knowledge `demo/notes`: the key `5cc558a6d81dbb98` signed it in version 1, which does not cover: type, id, extension, time, line endings [RYE-S009]
  --> .ai/knowledge/demo/notes.md:1:1
hint: review the whole file, then run `rye sign knowledge demo/notes`

not ok: 4 items checked: 2 good, 2 legacy
[exit 3]

"#]],
    );
    assert_seen(
        sandbox.rye(&["verify", "demo/greet", "--json"]).transcript(),
        str![[r#"
$ rye verify demo/greet --json
{"status":"findings","checked":1,"summary":{"good":0,"builtin":0,"legacy":1,"unsigned":0,"tampered":0,"untrusted":0,"retired":0,"revoked":0,"rolled_back":0,"missing_countersignature":0,"unshadowed":0},"findings":[{"rule":"RYE-S009","verdict":"legacy","severity":"error","item_type":"directive","item_id":"demo/greet","path":".ai/directives/demo/greet.md","line":1,"message":"directive `demo/greet`: the key `5cc558a6d81dbb98` signed it in version 1, which does not cover: type, id, extension, time, line endings, all text outside of the `<directive>` block, the process steps, the registry and user named on the signature line","uncovered":["type","id","extension","time","line_endings","prose","steps","registry_suffix"],"hint":"review the whole file, then run `rye sign directive demo/greet`"}]}
[exit 3]

"#]],
    );
    sandbox.commit("old");
    assert_seen(
        sandbox.rye(&["verify", "--rev", "HEAD", "--allow-legacy"]).transcript(),
        str![[r#"
$ rye verify --rev HEAD --allow-legacy
warning: directive `demo/greet`: the key `5cc558a6d81dbb98` signed it in version 1, which does not cover: type, id, extension, time, line endings, all text outside of the `<directive>` block, the process steps, the registry and user named on the signature line [RYE-S009]
  --> .ai/directives/demo/greet.md:1:1 in commit 58fb4eba7088faf89ab0ea0ef27d44c700c4cb1d
hint: review the whole file, then run `rye sign directive demo/greet`

warning: knowledge `demo/notes`: the key `5cc558a6d81dbb98` signed it in version 1, which does not cover: type, id, extension, time, line endings [RYE-S009]
  --> .ai/knowledge/demo/notes.md:1:1 in commit 58fb4eba7088faf89ab0ea0ef27d44c700c4cb1d
hint: review the whole file, then run `rye sign knowledge demo/notes`

ok: 4 items checked: 2 good, 2 legacy
[exit 0]

"#]],
    );
    // A verdict worse than legacy stays an error with the flag.
    sandbox.edit(".ai/knowledge/demo/notes.md", "Greetings", "Warnings");
    assert_seen(
        sandbox.rye(&["verify", "demo/notes", "--allow-legacy"]).transcript(),
        str![[r#"
$ rye verify demo/notes --allow-legacy
error: knowledge `demo/notes`: it was changed after it was signed [RYE-S004]
  --> .ai/knowledge/demo/notes.md:1:1
hint: review the change, then run `rye sign knowledge demo/notes`

not ok: 1 item checked: 1 tampered
[exit 3]

"#]],
    );
}

#[test]
fn an_item_of_version_1_is_shown_and_not_used() {
    let sandbox = sandbox();
    assert_seen(
        sandbox.rye(&["list", "knowledge", "--space", "project"]).transcript(),
        str![[r#"
$ rye list knowledge --space project
knowledge	demo/notes	1.0.0	project	legacy	Notes of the demo
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["load", "directive", "demo/greet", "--json"]).transcript(),
        str![[r#"
$ rye load directive demo/greet --json
{"item_type":"directive","item_id":"demo/greet","verdict":"legacy","space":"project","path":".ai/directives/demo/greet.md","content":"<!-- rye:signed:2026-03-17T01:41:08Z:60bd99cf10d6cb144f12e8e0197787815c2df61cb923f25644dc4e3823f5017e:JyX4c5wN1Ii-WmaV1eKqgl_9ti8qv0t5k5bGLefOWTmw-gmfaZ7AnJ24Rdws6s80z-S1L6LJzGNB56z7sgw1Dg==:5cc558a6d81dbb98|rye-registry@old -->\n# Greet\n\n```xml\n<directive name=\"greet\" version=\"1.2.3\">\n  <metadata>\n    <description>Greet someone</description>\n    <category>demo</category>\n    <author>ada</author>\n    <model tier=\"steps\" />\n    <limits turns=\"3\" tokens=\"100000\" spend=\"0.01\" duration=\"30\" />\n    <permissions>\n      <execute><tool>demo.*</tool></execute>\n    </permissions>\n  </metadata>\n  <inputs>\n    <input name=\"name\" type=\"string\" required=\"true\">Whom to greet</input>\n    <input name=\"times\" type=\"integer\" default=\"1\">How often</input>\n  </inputs>\n  <outputs>\n    <output name=\"greeting\" from=\"say.text\">What was said</output>\n  </outputs>\n</directive>\n```\n\n<process>\n  <step name=\"say\">\n    <description>Say it {input:times} times.</description>\n    <execute item_type=\"tool\" item_id=\"demo/echo\">\n      <param name=\"text\" value=\"Hello, {input:name}!\" />\n    </execute>\n  </step>\n</process>\n","metadata":{"name":"greet","extension":"md","version":"1.2.3"}}
[stderr]
warning: directive `demo/greet` is legacy: `rye execute` refuses it
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["execute", "directive", "demo/greet", "-i", "name=Ada"]).transcript(),
        str![[r#"
$ rye execute directive demo/greet -i name=Ada
[stderr]
error: directive `demo/greet` is refused: the key `5cc558a6d81dbb98` signed it in version 1, which does not cover: type, id, extension, time, line endings, all text outside of the `<directive>` block, the process steps, the registry and user named on the signature line [RYE-S009]
  --> .ai/directives/demo/greet.md
hint: review the whole file, then run `rye sign directive demo/greet`
[exit 3]

"#]],
    );
    assert_seen(
        sandbox.rye(&["execute", "knowledge", "demo/notes", "--json"]).transcript(),
        str![[r#"
$ rye execute knowledge demo/notes --json
{"error":{"code":"legacy","message":"knowledge `demo/notes` is refused: the key `5cc558a6d81dbb98` signed it in version 1, which does not cover: type, id, extension, time, line endings","causes":[],"hints":["review the whole file, then run `rye sign knowledge demo/notes`"],"rule":"RYE-S009","path":"[SANDBOX]/project/.ai/knowledge/demo/notes.md"}}
[exit 3]

"#]],
    );
    assert_seen(
        sandbox.rye(&["thread", "run", "demo/greet", "-i", "name=Ada"]).transcript(),
        str![[r#"
$ rye thread run demo/greet -i name=Ada
[stderr]
error: directive `demo/greet` is refused: the key `5cc558a6d81dbb98` signed it in version 1, which does not cover: type, id, extension, time, line endings, all text outside of the `<directive>` block, the process steps, the registry and user named on the signature line [RYE-S009]
  --> .ai/directives/demo/greet.md
hint: review the whole file, then run `rye sign directive demo/greet`
[exit 3]

"#]],
    );
    // As context of a directive that is signed as it should be.
    sandbox.put(".ai/directives/demo/greet.md", GREET);
    sandbox.edit(
        ".ai/directives/demo/greet.md",
        "</metadata>",
        "  <context><system>demo/notes</system></context>\n  </metadata>",
    );
    sandbox.rye(&["sign", "directive", "demo/greet", "-q"]).succeeds();
    assert_seen(
        sandbox.rye(&["thread", "run", "demo/greet", "-i", "name=Ada"]).transcript(),
        str![[r#"
$ rye thread run demo/greet -i name=Ada
[stderr]
error: `demo/notes`, which directive `demo/greet` names in `system`, cannot be used [RYE-S009]
  --> .ai/knowledge/demo/notes.md
cause: knowledge `demo/notes` is refused: the key `5cc558a6d81dbb98` signed it in version 1, which does not cover: type, id, extension, time, line endings
hint: review the whole file, then run `rye sign knowledge demo/notes`
[exit 3]

"#]],
    );
    // Reviewed and signed again, all of it counts.
    sandbox.rye(&["sign", "knowledge", "demo/notes", "-q", "--yes"]).succeeds();
    assert_seen(
        sandbox.rye(&["verify"]).transcript(),
        str![[r#"
$ rye verify
ok: 4 items checked: 4 good
[exit 0]

"#]],
    );
}
