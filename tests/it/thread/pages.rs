//! What files contain controls no terminal, whichever pager the person has.

use super::world::{FILES, World, text, write};

/// A text that clears the screen, gives the window a title, hides words and writes others over them.
const HOSTILE: &str =
    "\u{1b}[2J\u{1b}]0;title\u{7}\u{1b}[31mred\u{1b}[8mhidden\u{1b}[0m\rover\u{9b}2J\u{202e}\u{8}\u{8}\n";

/// What must not reach a terminal of it.
const CONTROLS: [&str; 8] =
    ["\u{1b}[2J", "\u{1b}]0;", "\u{7}", "\u{1b}[31mred", "\u{1b}[8m", "\u{9b}", "\u{202e}", "\u{8}"];

#[test]
fn what_a_thread_wrote_controls_no_terminal_through_a_pager() {
    let world = World::new();
    world.directive(FILES, r#"turns="5""#, "");
    world.tool("demo/one", "echo 1");
    world.commit("items");
    world.run(&[write("src/a.txt", HOSTILE), text("Done.")]);
    world.run(&[write("src/a.txt", &format!("{HOSTILE}-- x\n{HOSTILE}")), text("Done.")]);
    let threads = world.rye_json(&["thread", "list"]).1;
    let id = |at: usize| threads["threads"][at]["thread_id"].as_str().unwrap().to_owned();
    let (one, two) = (id(0), id(1));
    let item = world.read(".ai/tools/demo/one.sh");
    world.write(".ai/tools/demo/one.sh", &format!("{item}# {HOSTILE}"));
    for pager in ["cat", "tee /dev/null", ""] {
        world.git(&["config", "core.pager", pager]);
        for args in [
            &["thread", "diff", "@latest"][..],
            &["thread", "diff", "@latest", "--stat"],
            &["thread", "diff", &one, &two],
            &["thread", "diff", &one, &two, "--stat"],
            &["thread", "show", "@latest"],
            &["diff", "demo/one"],
        ] {
            for colour in ["never", "always"] {
                let (seen, code) = world.on_terminal(&[], &[args, &["--color", colour]].concat());
                assert_eq!(code, 0, "{args:?}: {seen}");
                assert!(!seen.trim().is_empty(), "{args:?}");
                let passed: Vec<_> = CONTROLS.iter().filter(|control| seen.contains(**control)).collect();
                assert!(passed.is_empty(), "{args:?}, {pager}: {passed:?} in {seen:?}");
                let is_patch = args == ["thread", "diff", "@latest"];
                assert!(!is_patch || seen.contains("over"), "{seen}");
                assert!(!is_patch || seen.contains("\u{1b}[32m+") == (colour == "always"), "{seen:?}");
            }
        }
    }
    // A patch in a pipe is one that git takes.
    let patch = world.rye(&["thread", "diff", "@latest"]).output().unwrap().stdout;
    assert!(String::from_utf8(patch).unwrap().contains(&format!("+{HOSTILE}")));
}
