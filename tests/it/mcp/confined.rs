//! Scripts that a client has run: in the sandbox, with what the followed directive lets them write.

use serde_json::json;

use super::client::Client;
use crate::support::Sandbox;
use crate::thread::world::directive;

fn project() -> Sandbox {
    let sandbox = Sandbox::with_items();
    let header = "# version: 1.0.0\n# description: \"Tries\"\n# category: demo\n";
    let script =
        "cat >/dev/null; exec 2>/dev/null; mkdir -p out; for f in out/f src/f; do echo x >$f && echo $f; done; exit 0";
    sandbox.put(".ai/tools/demo/try.sh", &format!("{header}{script}\n"));
    for (name, path) in [("narrow", "out/**"), ("whole", "**")] {
        let rules = format!(
            "<acknowledge risk=\"unrestricted\">a test</acknowledge><execute><tool>*</tool></execute><read resource=\"filesystem\" path=\"**\" />\
             <write resource=\"filesystem\" path=\"{path}\" />"
        );
        sandbox.put(&format!(".ai/directives/demo/{name}.md"), &directive(name, &rules, "turns=\"3\"", ""));
    }
    sandbox.put("src/a.txt", "a\n");
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    sandbox
}

#[test]
fn a_followed_directive_says_what_scripts_write() {
    let sandbox = project();
    let mut client = Client::connected(&sandbox, &[]);
    let follow = |client: &mut Client<'_>, id: &str| {
        let (outcome, failed) = client.outcome("rye_execute", json!({"item_type": "directive", "item_id": id}));
        assert!(!failed, "{outcome}");
    };
    assert_eq!(client.tool("demo/try", json!({})), json!(null));
    follow(&mut client, "demo/narrow");
    // In a copy, from which one comes back.
    assert_eq!(client.tool("demo/try", json!({})), json!("out/f\nsrc/f"));
    assert!(sandbox.path("project/out/f").exists() && !sandbox.path("project/src/f").exists());
    follow(&mut client, "demo/whole");
    assert_eq!(client.tool("demo/try", json!({})), json!("out/f\nsrc/f"));
    assert!(sandbox.path("project/src/f").exists());
}
