//! Typical mistakes of authors, each as `rye lint` tells it: whoever reads the message can mend the file.
//!
//! All in one file, `mistakes.txt`, to be read as a page. Each mistake is made in a file that is clean without it.

use std::fmt::Write as _;

use snapbox::file;

use crate::support::{Sandbox, assert_seen};

const GREET: &str = ".ai/directives/demo/greet.md";
const ECHO: &str = ".ai/tools/demo/echo.sh";
const NOTES: &str = ".ai/knowledge/demo/notes.md";
const TURN: &str = ".ai/tools/demo/turn.py";

/// What somebody did, where, and the change.
type Mistake = (&'static str, &'static str, &'static str, &'static str);

const MISTAKES: [Mistake; 28] = [
    ("a misspelt end tag", GREET, "</author>", "</autor>"),
    ("an ampersand in the block", GREET, "Greet someone", "Greet & thank someone"),
    ("a misspelt element", GREET, "<limits ", "<limit "),
    ("a misspelt attribute", GREET, "turns=\"3\"", "max-turns=\"3\""),
    ("a kebab name", GREET, "name=\"greet\"", "name=\"greet-all\""),
    ("another name than the file's", GREET, "name=\"greet\"", "name=\"welcome\""),
    ("another category than the folder", GREET, "<category>demo</category>", "<category>examples</category>"),
    ("no version", GREET, " version=\"1.2.3\"", ""),
    ("a short version", GREET, "version=\"1.2.3\"", "version=\"1.2\""),
    ("no author", GREET, "    <author>ada</author>\n", ""),
    ("a type of another language", GREET, "type=\"integer\"", "type=\"int\""),
    ("a misspelt placeholder", GREET, "{input:name}", "{input:nmae}"),
    ("a placeholder of another language", GREET, "{input:name}", "{input: name}"),
    ("a fence without its language", GREET, "```xml", "```"),
    ("a fence that is not closed", GREET, "</directive>\n```\n", "</directive>\n"),
    ("a step that is not closed", GREET, "  </step>\n", ""),
    ("a call without the type of its item", GREET, "item_type=\"tool\" ", ""),
    ("a dotted id in a call", GREET, "item_id=\"demo/echo\"", "item_id=\"demo.echo\""),
    ("a tool outside of an action", GREET, "<execute><tool>demo.*</tool></execute>", "<tool>demo.*</tool>"),
    ("a pattern outside of a type", GREET, "<execute><tool>demo.*</tool></execute>", "<execute>demo.*</execute>"),
    ("everything", GREET, "<execute><tool>demo.*</tool></execute>", "*"),
    ("the shell, without a word why", GREET, "<tool>demo.*</tool>", "<tool>demo.*</tool><tool>rye.shell.git</tool>"),
    ("an old permission", GREET, "<execute><tool>demo.*</tool></execute>", "<cap>rye.execute.tool.demo.*</cap>"),
    (
        "a path out of the project",
        GREET,
        "<permissions>",
        "<permissions><read resource=\"filesystem\" path=\"/etc\" />",
    ),
    ("a number as a version", NOTES, "version: \"1.0.0\"", "version: 1.0"),
    ("a colon in a title", NOTES, "title: Notes of the demo", "title: Notes: the demo"),
    ("a parameter of no JSON type", ECHO, "text: {type: string}", "text: {type: str}"),
    ("a version that has to be computed", TURN, "__version__ = \"0.1.0\"", "__version__ = VERSION"),
];

#[test]
fn every_mistake_is_told_so_that_it_can_be_mended() {
    let mut page = String::new();
    for (what, path, good, bad) in MISTAKES {
        let sandbox = Sandbox::with_items();
        sandbox.rye(&["new", "tool", "demo/turn", "-q"]).succeeds();
        sandbox.rye(&["lint", path]).succeeds();
        sandbox.edit(path, good, bad);
        let transcript = sandbox.rye(&["lint", path]).transcript();
        assert!(transcript.contains("hint: "), "{what}: {transcript}");
        let _ = write!(page, "# {what}\n{transcript}\n");
    }
    assert_seen(page, file!["mistakes.txt"]);
}
