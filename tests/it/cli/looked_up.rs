//! What `rye lint` looks up and tells with a caret, and where relations are shown.

use serde_json::Value;

use crate::support::Sandbox;

/// A directive with this model, limits, context and process.
fn directive(name: &str, model: &str, turns: u32, context: &str, process: &str) -> String {
    format!(
        "# Look\n\n```xml\n<directive name=\"{name}\" version=\"1.0.0\">\n  <metadata>\n    \
         <description>Look at one file</description>\n    <category>demo</category>\n    <author>ada</author>\n    \
         <model tier=\"{model}\" />\n    <limits turns=\"{turns}\" />\n    <permissions>\n      \
         <execute><tool>demo.echo</tool></execute>\n    </permissions>\n    {context}\n  </metadata>\n</directive>\n```\n\n\
         {process}\n"
    )
}

const PROCESS: &str = "<process>\n  <step name=\"say\">\n    <execute item_type=\"tool\" item_id=\"demo/echo\">\n      \
                       <param name=\"text\" value=\"hello\" />\n    </execute>\n  </step>\n</process>";

fn linted(sandbox: &Sandbox, name: &str) -> String {
    sandbox.rye(&["lint", name]).transcript()
}

#[test]
fn an_element_in_another_case_is_one_error_per_tag() {
    let sandbox = Sandbox::with_items();
    let process = PROCESS.replace("process>", "Process>");
    sandbox.put(".ai/directives/demo/look.md", &directive("look", "steps", 5, "", &process));
    let seen = linted(&sandbox, "demo/look");
    let told = "error: unknown tag `<Process>`: tags are in lower case [RYE-D023]\n  \
                --> .ai/directives/demo/look.md:19:1\n    |\n 19 | <Process>\n    | ^^^^^^^^\n";
    assert!(seen.contains(told), "{seen}");
    assert!(seen.contains("2 errors, 0 warnings") && seen.matches("error:").count() == 2, "{seen}");
}

#[test]
fn a_version_that_is_a_number_is_shown_with_its_own_name() {
    let sandbox = Sandbox::with_items();
    sandbox.put(
        ".ai/tools/demo/number.py",
        "\"\"\"Counts.\"\"\"\n__version__ = 1\n__tool_description__ = \"Counts\"\n__category__ = \"demo\"\nprint(1)\n",
    );
    let seen = linted(&sandbox, "demo/number");
    assert!(seen.contains("error: `version` must be a string, not `1` [RYE-T002]"), "{seen}");
    assert!(seen.contains("  2 | __version__ = 1\n    | ^^^^^^^^^^^^^^^\n"), "{seen}");
    assert!(seen.contains("hint: write `__version__ = \"1.0.0\"`, in quotes"), "{seen}");
}

#[test]
fn scripts_that_nothing_runs_or_a_shell_misreads_are_warned_of() {
    let sandbox = Sandbox::with_items();
    let header = "# version: 1.0.0\n# description: Counts\n# category: demo\n";
    sandbox.put(".ai/tools/demo/dos.sh", &format!("{header}echo one\necho two\n").replace('\n', "\r\n"));
    sandbox.put(".ai/tools/demo/query.sql", &format!("{}select 1;\n", header.replace('#', "--")));
    let seen = linted(&sandbox, "demo/dos");
    assert!(seen.contains("which a shell takes for a part of its last word [RYE-T013]"), "{seen}");
    assert!(seen.contains("  1 | # version: 1.0.0") && seen.contains("    | ^^^^^^^^^^^^^^^^"), "{seen}");
    let seen = linted(&sandbox, "demo/query");
    assert!(seen.contains("nothing can run this tool") && seen.contains("`sql`"), "{seen}");
}

#[test]
fn a_tier_that_no_provider_serves_and_too_few_turns_are_warned_of() {
    let sandbox = Sandbox::with_items();
    sandbox.put(".ai/directives/demo/tier.md", &directive("tier", "orchestrater", 5, "", PROCESS));
    let seen = linted(&sandbox, "demo/tier");
    let told = "warning: no provider serves the tier `orchestrater` [RYE-D066]\n  --> .ai/directives/demo/tier.md:9:12\n    |\n  \
                9 |     <model tier=\"orchestrater\" />\n    |            ^^^^^^^^^^^^^^^^^^^\nhint: did you mean `orchestrator`?\n";
    assert!(seen.contains(told), "{seen}");
    sandbox.put(".ai/directives/demo/turns.md", &directive("turns", "steps", 1, "", PROCESS));
    let seen = linted(&sandbox, "demo/turns");
    assert!(
        seen.contains("the steps need 2 turns, one for each call and one to return, and have 1 [RYE-D064]"),
        "{seen}"
    );
    assert!(seen.contains("hint: write `turns=\"2\"`"), "{seen}");
    sandbox.put(".ai/directives/demo/turns.md", &directive("turns", "steps", 2, "", PROCESS));
    assert!(!linted(&sandbox, "demo/turns").contains("RYE-D064"));
    // A model may make several calls in one turn.
    sandbox.put(".ai/directives/demo/turns.md", &directive("turns", "general", 1, "", PROCESS));
    assert!(!linted(&sandbox, "demo/turns").contains("RYE-D064"));
}

/// A directive that may write to `out/`, with one step.
fn with_paths(on_error: &str, tool: &str, params: &[(&str, &str)]) -> String {
    let params: String =
        params.iter().map(|(name, value)| format!("      <param name=\"{name}\" value=\"{value}\" />\n")).collect();
    let process = format!(
        "<process>\n  <step name=\"touch\"{on_error}>\n    <execute item_type=\"tool\" \
         item_id=\"rye/file-system/{tool}\">\n{params}    </execute>\n  </step>\n</process>"
    );
    let grants =
        "<execute><tool>rye.file-system.*</tool></execute>\n      <write resource=\"filesystem\" path=\"out/**\" />";
    directive("look", "steps", 5, "", &process).replace("<execute><tool>demo.echo</tool></execute>", grants)
}

#[test]
fn a_path_that_leaves_the_project_is_warned_of() {
    let sandbox = Sandbox::with_items();
    let seen = |on_error: &str, tool: &str, params: &[(&str, &str)]| {
        sandbox.put(".ai/directives/demo/look.md", &with_paths(on_error, tool, params));
        linted(&sandbox, "demo/look")
    };
    for (path, reason) in [
        ("../x.md", "it leaves the project"),
        ("out/../x", "it leaves the project"),
        ("/etc/passwd", "it is absolute; give it relative to the project's folder"),
    ] {
        let told = format!("warning: `{path}` is not a path inside the project: {reason} [RYE-P019]\n");
        for (on_error, params) in [
            ("", vec![("path", path), ("content", "x")]),
            ("", vec![("path", path), ("content", "{step:none}")]),
            (" on_error=\"continue\"", vec![("path", path), ("content", "x")]),
        ] {
            let seen = seen(on_error, "write", &params);
            assert!(seen.contains(&told), "{params:?}: {seen}");
        }
        let seen = seen("", "move", &[("from", "out/a"), ("to", path)]);
        assert!(seen.contains(&told) && seen.contains("^^^^^^^^^"), "{seen}");
    }
    let seen = seen("", "write", &[("path", "out/{step:none}"), ("content", "x")]);
    assert!(!seen.contains("RYE-P019"), "{seen}");
}

#[test]
fn a_path_that_no_rule_covers_is_warned_of_where_the_denial_ends_the_thread() {
    let sandbox = Sandbox::with_items();
    let seen = |on_error: &str, path: &str| {
        let params = [("path", path), ("content", "x")];
        sandbox.put(".ai/directives/demo/look.md", &with_paths(on_error, "write", &params));
        linted(&sandbox, "demo/look")
    };
    let told = "no path rule of this directive lets `rye/file-system/write` write `over.md` [RYE-P019]";
    assert!(seen("", "over.md").contains(told));
    for (on_error, path) in [(" on_error=\"continue\"", "over.md"), ("", "out/in.md")] {
        assert!(!seen(on_error, path).contains("RYE-P019"), "{on_error} {path}");
    }
}

/// The directive of the program that is denied on purpose.
#[test]
fn the_first_thread_has_no_findings() {
    let sandbox = Sandbox::with_items();
    let seen =
        sandbox.rye(&["lint", concat!(env!("CARGO_MANIFEST_DIR"), "/../.ai/directives/rye/guides/first_thread.md")]);
    let seen = seen.transcript();
    assert!(!seen.contains("RYE-P019"), "{seen}");
}

#[test]
fn advice_to_sign_names_the_type_of_what_is_written() {
    let sandbox = Sandbox::with_items();
    for (folder, item_type) in [("directives", "directive"), ("tools", "tool"), ("knowledge", "knowledge")] {
        let path = format!(".ai/{folder}/demo/new.md");
        sandbox.put(".ai/directives/demo/look.md", &with_paths("", "write", &[("path", &path), ("content", "x")]));
        let seen = linted(&sandbox, "demo/look");
        let told =
            format!("hint: sign it in the last step, such as `<sign item_type=\"{item_type}\" item_id=\"…\" />`");
        assert!(seen.contains(&told), "{seen}");
    }
}

const CONTEXT: &str = "<context>\n      <related_files>\n        - README.md\n        - `src/gone.rs`: not there\n        \
                       - src/**/*.rs\n      </related_files>\n      <dependencies>\n        - pytest>=7\n      \
                       </dependencies>\n      <used_by>demo/greet</used_by>\n      <suggests>demo/gret</suggests>\n      \
                       <example_of>demo/notes</example_of>\n    </context>";

#[test]
fn what_a_directive_mentions_is_looked_up() {
    let sandbox = Sandbox::with_items();
    sandbox.put("README.md", "Here.\n");
    sandbox.put(".ai/directives/demo/look.md", &directive("look", "steps", 5, CONTEXT, PROCESS));
    let seen = linted(&sandbox, "demo/look");
    assert_eq!(seen.matches("RYE-D065").count(), 2, "{seen}");
    assert!(seen.contains("`<related_files>` names `src/gone.rs`, which does not exist [RYE-D065]"), "{seen}");
    assert!(seen.contains("unknown directive `demo/gret` in `<suggests>` [RYE-D065]"), "{seen}");
    assert!(seen.contains("hint: did you mean `demo/greet`?"), "{seen}");
}

#[test]
fn what_items_mention_is_shown() {
    let sandbox = Sandbox::with_items();
    sandbox.put(".ai/directives/demo/look.md", &directive("look", "steps", 5, CONTEXT, PROCESS));
    sandbox.edit(".ai/knowledge/demo/notes.md", "category: demo\n", "category: demo\nused_by: [demo/greet]\n");
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    let seen = sandbox.rye(&["execute", "directive", "demo/look"]).transcript();
    for part in [
        "Related files\n  README.md\n",
        "Dependencies\n  pytest>=7\n",
        "Used by\n  demo/greet\n",
        "Suggests\n  demo/gret\n",
        "Example of\n  demo/notes\n",
    ] {
        assert!(seen.contains(part), "{part}: {seen}");
    }
    let seen = sandbox.rye(&["execute", "knowledge", "demo/notes"]).transcript();
    assert!(seen.contains("Used by\n  demo/greet\n"), "{seen}");
    let listed: Value =
        serde_json::from_slice(&sandbox.rye(&["list", "--space", "project", "--json"]).stdout()).unwrap();
    let item =
        |id: &str| listed["items"].as_array().unwrap().iter().find(|item| item["item_id"] == id).unwrap().clone();
    let look = item("demo/look");
    assert_eq!(look["related_files"][0], "README.md");
    assert_eq!(look["dependencies"][0], "pytest>=7");
    assert_eq!(
        (&look["used_by"][0], &look["suggests"][0], &look["example_of"][0]),
        (&"demo/greet".into(), &"demo/gret".into(), &"demo/notes".into())
    );
    assert_eq!(item("demo/notes")["used_by"][0], "demo/greet");
    assert_eq!(item("demo/greet").get("used_by"), None);
}
