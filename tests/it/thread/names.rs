//! What a tool, a model or the repository names a thing, where people and programs of theirs read it.

use serde_json::json;

use super::world::{SCRIPTED, World, call, text};

/// Filters are programs of the repository's configuration; git itself gives them no key.
#[test]
fn no_filter_sees_the_key_that_signs() {
    let world = World::new();
    let seen = world.path("filters");
    let filter = format!(
        "#!/bin/sh\nprintf '%s %s|%s|%s\\n' \"$1\" \"${{RYE_SIGNING_KEY-none}}\" \"${{GIT_INDEX_FILE-none}}\" \"$OTHER\" >> {}\nexec cat\n",
        seen.display()
    );
    world.write_at(&world.path("filter.sh"), &filter);
    for operation in ["clean", "smudge"] {
        let command = format!("sh {} {operation} %f", world.path("filter.sh").display());
        world.git(&["config", &format!("filter.f.{operation}"), &command]);
    }
    world.write(".gitattributes", "*.txt filter=f\n");
    world.write("a.txt", "one\n");
    world.tool("demo/change", "cat >/dev/null; echo two >> a.txt");
    world.directive(
        "<read resource=\"filesystem\" path=\"**\"/><write resource=\"filesystem\" path=\"**\"/><execute><tool>demo.change</tool></execute>",
        r#"turns="5""#,
        "",
    );
    world.commit("Begin");
    std::fs::remove_file(&seen).unwrap();
    let script = world.script(&[call("demo_change", json!({})), text("Done.")]).display().to_string();
    let run = ["thread", "run", "demo/work", "--provider", SCRIPTED, "--script", &script];
    let mut operations = String::new();
    for more in [&[][..], &["--with-changes"], &["--in-place"]] {
        world.write("a.txt", &format!("one {more:?}\n"));
        if more == ["--in-place"] {
            world.commit("Change");
            std::fs::remove_file(&seen).ok();
        }
        let output = world.rye(&[&run, more].concat()).env("RYE_SIGNING_KEY", "a secret").env("OTHER", "kept").output();
        let output = output.unwrap();
        assert!(output.status.success(), "{more:?}: {}", String::from_utf8_lossy(&output.stderr));
        let told = std::fs::read_to_string(&seen).unwrap();
        assert!(told.lines().all(|line| line.ends_with(" none|none|kept")), "{more:?}: {told}");
        operations += &told;
    }
    assert!(operations.contains("smudge ") && operations.contains("clean "), "{operations}");
}
