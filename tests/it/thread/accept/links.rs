//! Links of the person's that make a path a code place, and repositories on the way to one.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use super::super::world::{World, call, result_in_turn, text, write};
use super::{accept, committed, scripted};
use crate::support::has;

/// A world with links at code places, and a thread's directive that may write where these patterns say.
fn linked(rules: &str) -> World {
    let world = World::new();
    let rules = format!("<write resource=\"filesystem\" path=\"{rules}\" />");
    let tools = "<acknowledge risk=\"unrestricted\">a test</acknowledge><execute><tool>rye.file-system.*</tool><tool>demo.one</tool></execute>";
    world.directive(&format!("{tools}{rules}"), r#"turns="9""#, "");
    world.tool(
        "demo/one",
        "mkdir -p docs/vs docs/wf; echo x >docs/vs/tasks.json; echo x >docs/wf/x.yml; echo x >docs/a.md",
    );
    fs::create_dir(world.in_project(".github")).unwrap();
    symlink("../docs/wf", world.in_project(".github/workflows")).unwrap();
    symlink("docs/vs", world.in_project(".vscode")).unwrap();
    world.commit("links");
    world
}

/// The list before the question has a word for whatever is more than new lines in a file.
#[test]
fn moves_and_modes_are_listed_before_the_question() {
    if !has("python3") {
        return;
    }
    let (world, _) = scripted("mkdir d; mv src/a.txt d/b.txt; chmod +x README.md");
    let question = "commit 2 files to main? [y/N] ";
    let (seen, code) = world.on_terminal(&[(question, "y\n")], &["thread", "accept", "@latest"]);
    assert_eq!(code, 0, "{seen}");
    let list = ["M README.md  (executable)", "R src/a.txt -> d/b.txt"];
    let listed = format!("  {}\n", list.join("\n  "));
    assert!(seen.starts_with(&listed), "{seen}");
    assert_eq!(committed(&world), "M\tREADME.md\nA\td/b.txt\nD\tsrc/a.txt");
}

#[test]
fn in_a_thread_a_path_that_a_link_makes_a_code_place_is_one() {
    let turns =
        [write("docs/vs/tasks.json", "x\n"), write("docs/wf/x.yml", "x\n"), write("docs/a.md", "x\n"), text("Done.")];
    let world = linked("**");
    let outcome = world.run(&turns);
    assert_eq!(world.changed(&outcome).concat(), ["docs/a.md"]);
    let told = result_in_turn(&world.events(&outcome), 1);
    assert_eq!(
        (&told["status"], &told["output"]["error"]["code"]),
        (&json!("denied"), &json!("permission_denied")),
        "{told}"
    );
    // What a script writes there is left out, too.
    let outcome = world.run(&[call("demo_one", json!({})), text("Done.")]);
    assert_eq!(world.changed(&outcome).concat(), ["docs/a.md"]);
    // A rule names the place by the link's own name.
    let world = linked("**, .vscode/**");
    let outcome = world.run(&turns);
    assert_eq!(world.changed(&outcome).concat(), ["docs/vs/tasks.json", "docs/a.md"]);
}

/// The person made the link after the thread had written the file.
#[test]
fn what_a_link_makes_a_code_place_is_left_out_unless_it_is_named() {
    let world = World::new();
    world.directive(super::FILES, r#"turns="5""#, "");
    world.commit("items");
    world.run(&[write("docs/vs/tasks.json", "x\n"), write("docs/vs2/a.md", "x\n"), text("Done.")]);
    symlink("docs/vs", world.in_project(".vscode")).unwrap();
    for args in [&[][..], &["."], &["docs"]] {
        let before = world.git(&["rev-parse", "HEAD"]);
        let (code, accepted) = accept(&world, args);
        assert_eq!((code, committed(&world).as_str()), (0, "A\tdocs/vs2/a.md"), "{args:?} {accepted}");
        let left_out = json!({"path": "docs/vs/tasks.json", "reason": "runs_code"});
        assert_eq!(accepted["left_out"].as_array().unwrap().last(), Some(&left_out));
        world.git(&["reset", "-q", "--hard", &before]);
    }
    let (code, accepted) = accept(&world, &["docs/vs"]);
    assert_eq!((code, committed(&world).as_str()), (0, "A\tdocs/vs/tasks.json"), "{accepted}");
}

/// A work tree at `.github`: its `workflows/` are those of the project around it.
#[test]
fn in_a_thread_of_a_repository_on_the_way_to_a_code_place_its_paths_are_judged_from_around_it() {
    let turns = [write("workflows/x.yml", "x\n"), write("a.md", "x\n"), text("Done.")];
    let files = "<execute><tool>rye.file-system.*</tool></execute>";
    for (rules, changed) in [
        ("", &["a.md"][..]),
        ("<write resource=\"filesystem\" path=\"**\" />", &["a.md"]),
        ("<write resource=\"filesystem\" path=\"**, workflows/**\" />", &["a.md", "workflows/x.yml"]),
    ] {
        let mut world = World::new();
        world.git(&["init", "-q", ".github"]);
        world.git(&["-C", ".github", "config", "user.name", "Ada"]);
        world.git(&["-C", ".github", "config", "user.email", "ada@example.org"]);
        world.project = "project/.github";
        world.directive(&format!("{files}{rules}"), r#"turns="5""#, "");
        world.commit("items");
        let outcome = world.run(&turns);
        let mut seen = world.changed(&outcome).concat();
        seen.sort();
        assert_eq!(seen, changed, "{rules}");
    }
}
