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

/// The mistake, its place, the change, and the expected message: the very text that corrects the file.
type Mistake = (&'static str, &'static str, &'static str, &'static str, &'static str);

const MISTAKES: [Mistake; 32] = [
    ("a misspelt end tag", GREET, "</author>", "</autor>", "expected `</author>`"),
    ("an ampersand in the block", GREET, "Greet someone", "Greet & thank someone", "write `&amp;`"),
    ("a misspelt element", GREET, "<limits ", "<limit ", "`limits`"),
    ("a misspelt attribute", GREET, "turns=\"3\"", "max-turns=\"3\"", "`max_turns`"),
    ("a kebab name", GREET, "name=\"greet\"", "name=\"greet-all\"", "name it `greet`"),
    ("another name than the file's", GREET, "name=\"greet\"", "name=\"welcome\"", "name it `greet`"),
    (
        "another category than the folder",
        GREET,
        "<category>demo</category>",
        "<category>examples</category>",
        "write `demo`",
    ),
    ("no version", GREET, " version=\"1.2.3\"", "", "add `version=\"1.0.0\"`"),
    ("a short version", GREET, "version=\"1.2.3\"", "version=\"1.2\"", "`version=\"1.0.0\"`"),
    ("no author", GREET, "    <author>ada</author>\n", "", "add `<author>…</author>`"),
    ("a type of another language", GREET, "type=\"integer\"", "type=\"int\"", "`type=\"integer\"`"),
    (
        "an input that is declared twice",
        GREET,
        "<input name=\"times\" type=\"integer\" default=\"1\">",
        "<input name=\"name\" type=\"integer\" default=\"1\">",
        "give the second another name",
    ),
    ("a misspelt placeholder", GREET, "{input:name}", "{input:nmae}", "`{input:name}`"),
    ("a placeholder of another language", GREET, "{input:name}", "{input: name}", "write `{input:name}`"),
    ("a fence without its language", GREET, "```xml", "```", "```xml"),
    (
        "a fence that is not closed",
        GREET,
        "</directive>\n```\n",
        "</directive>\n",
        "a line of ``` below `</directive>`",
    ),
    ("a step that is not closed", GREET, "  </step>\n", "", "add `</step>`"),
    ("a call without the type of its item", GREET, "item_type=\"tool\" ", "", "add `item_type=\"tool\"`"),
    ("a dotted id in a call", GREET, "item_id=\"demo/echo\"", "item_id=\"demo.echo\"", "write `demo/echo`"),
    (
        "a tool outside of an action",
        GREET,
        "<execute><tool>demo.*</tool></execute>",
        "<tool>demo.*</tool>",
        "`<execute><tool>…</tool></execute>`",
    ),
    (
        "a pattern outside of a type",
        GREET,
        "<execute><tool>demo.*</tool></execute>",
        "<execute>demo.*</execute>",
        "write `<execute><tool>demo.*</tool></execute>`",
    ),
    (
        "everything",
        GREET,
        "<execute><tool>demo.*</tool></execute>",
        "*",
        "add `<acknowledge risk=\"unrestricted\">reason</acknowledge>`",
    ),
    (
        "the shell, without a word why",
        GREET,
        "<tool>demo.*</tool>",
        "<tool>demo.*</tool><tool>rye.shell.git</tool>",
        "add `<acknowledge risk=\"elevated\">reason</acknowledge>`",
    ),
    (
        "an old permission",
        GREET,
        "<execute><tool>demo.*</tool></execute>",
        "<cap>rye.execute.tool.demo.*</cap>",
        "write `<execute><tool>demo.*</tool></execute>`",
    ),
    (
        "a path out of the project",
        GREET,
        "<permissions>",
        "<permissions><read resource=\"filesystem\" path=\"/etc\" />",
        "such as `docs/**,README.md`",
    ),
    (
        "a misspelt variable in a condition",
        GREET,
        "</metadata>",
        "<hooks><hook><when>cost.curent > 1</when><execute item_type=\"tool\">demo/echo</execute></hook></hooks></metadata>",
        "`cost.current`",
    ),
    (
        "one equals sign in a condition",
        GREET,
        "</metadata>",
        "<hooks><hook><when>loop_count = 3</when><execute item_type=\"tool\">demo/echo</execute></hook></hooks></metadata>",
        "`==`",
    ),
    (
        "a hook that never fires",
        GREET,
        "</metadata>",
        "<hooks><hook><execute item_type=\"tool\">demo/echo</execute></hook></hooks></metadata>",
        "add `<when>…</when>`",
    ),
    ("a number as a version", NOTES, "version: \"1.0.0\"", "version: 1.0", "write `version: \"1.0.0\"`"),
    ("a colon in a title", NOTES, "title: Notes of the demo", "title: Notes: the demo", "quote texts that hold `: `"),
    ("a parameter of no JSON type", ECHO, "text: {type: string}", "text: {type: str}", "string, integer, number"),
    (
        "a version that has to be computed",
        TURN,
        "__version__ = \"0.1.0\"",
        "__version__ = VERSION",
        "write the value out",
    ),
];

/// Returns the messages about a file, without the lines that show it.
fn said(transcript: &str) -> String {
    let is_said =
        |line: &&str| ["error: ", "warning: ", "advice: ", "hint: "].iter().any(|kind| line.starts_with(kind));
    transcript.lines().filter(is_said).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_mistake_is_told_so_that_it_can_be_mended() {
    let mut page = String::new();
    for (what, path, good, bad, mend) in MISTAKES {
        let sandbox = Sandbox::with_items();
        sandbox.rye(&["new", "tool", "demo/turn", "-q"]).succeeds();
        sandbox.rye(&["lint", path]).succeeds();
        sandbox.edit(path, good, bad);
        let transcript = sandbox.rye(&["lint", path]).transcript();
        assert!(said(&transcript).contains(mend), "{what}: {transcript}");
        let _ = write!(page, "# {what}\n{transcript}\n");
    }
    assert_seen(page, file!["mistakes.txt"]);
}
