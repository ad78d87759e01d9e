//! What cannot be rewritten: it stays byte for byte, and is named with its line in the file and the reason.

use rye::format::{Migration, Renames, Scope, migrate};
use rye::id::ItemType;
use rye::trust::Subject;

use super::{PURE, document, greet, migrated, subject, told, with_permissions};

fn found(subject: &Subject, text: &str) -> Migration {
    migrate(subject, text, Scope::All, &Renames::default())
}

/// Checks that a text stays, and returns its remarks.
#[track_caller]
fn stays(subject: &Subject, text: &str) -> Vec<(usize, String)> {
    let found = found(subject, text);
    assert_eq!((found.text.as_str(), &found.changes), (text, &vec![]));
    assert!(found.remarks.iter().all(|remark| remark.stays), "{:?}", found.remarks);
    found.remarks.into_iter().map(|remark| (remark.line, remark.message)).collect()
}

fn with_outputs(outputs: &str) -> String {
    with_permissions("")
        .replace("  </metadata>\n", &format!("  </metadata>\n  <outputs>\n    {outputs}\n  </outputs>\n"))
}

#[test]
fn messages_that_cannot_be_outputs_stay() {
    for (outputs, wanted) in [
        (
            "<output name=\"success\">A</output>\n<success>B</success>",
            vec![(15, "`<success>` stays: the output `success` already exists")],
        ),
        (
            "<failure>A</failure>\n<failure>B</failure>",
            vec![
                (14, "`<failure>` stays: it appears twice: keep one"),
                (15, "`<failure>` stays: it appears twice: keep one"),
            ],
        ),
        ("<success a=\"b\">A</success>", vec![(14, "`<success>` stays: it contains more than a text")]),
        ("<success>A<b/></success>", vec![(14, "`<success>` stays: it contains more than a text")]),
    ] {
        let wanted: Vec<(usize, String)> =
            wanted.into_iter().map(|(line, message)| (line, message.to_owned())).collect();
        assert_eq!(stays(&greet(), &with_outputs(outputs)), wanted);
    }
}

#[test]
fn keys_that_would_be_two_of_one_name_stay() {
    let yaml = subject(ItemType::Tool, "demo/x", "yaml");
    let head = "version: \"1.0.0\"\ndescription: d\n";
    for (rest, line, message) in [
        ("parameters: {}\nconfig_schema: {}\n", 4, "`config_schema` stays: there is `parameters` already: keep one"),
        ("schema: null\ninput_schema: {}\n", 4, "`input_schema` stays: there is `schema` already: keep one"),
        ("? config_schema\n: {}\n", 1, "`config_schema` stays: it is not on a line of its own: name it `parameters`"),
    ] {
        assert_eq!(stays(&yaml, &format!("{head}{rest}")), [(line, message.to_owned())]);
    }
    let two = stays(&yaml, &format!("{head}input_schema: {{}}\nconfig_schema: {{}}\n"));
    let message = |name: &str| format!("`{name}` stays: there are several names of one key: keep one");
    assert_eq!(two, [(3, message("input_schema")), (4, message("config_schema"))]);
    assert_eq!(stays(&yaml, "config_schema: null\nversion: \"1.0.0\"\n"), []);
    let broken = stays(&yaml, "version: 1\nversion: 2\nconfig_schema: {}\n");
    assert!(broken.len() == 1 && broken[0].1.starts_with("the yaml cannot be read, so its forms stay: "), "{broken:?}");
}

#[test]
fn lists_that_would_lose_something_stay() {
    let shown = "[rye.load.*, # why rye.sign.*]";
    let flow = document("capabilities: [rye.load.*, # why\n  rye.sign.*]\n");
    assert_eq!(told(&flow), [(1, true, format!("`{shown}` has no form of its own: spell it out").as_str())]);
    assert!(!flow.is_change());
    // These are not capabilities of ours.
    for other in ["capabilities: [read, write]\n", "capabilities:\n  - read\n  - chat\n", "capabilities: {a: b}\n"] {
        assert_eq!(document(other), Migration { text: other.to_owned(), ..Migration::default() });
    }
    // Words that are something else in YAML are put in quotes.
    let odd = document("capabilities:\n- rye.load.tool.1\n- rye.load.tool.true\n");
    assert!(odd.text.contains("specifics: \"1\"\n") && odd.text.contains("specifics: \"true\"\n"), "{}", odd.text);
}

#[test]
fn a_process_that_would_lose_something_stays() {
    let hi = subject(ItemType::Directive, "demo/say_hi", "md");
    for (from, to, line, message) in [
        ("<step name=\"call\">", "Text.\n    <step name=\"call\">", 20, "text is in `<process>`, which takes no text"),
        ("<step name=\"call\">", "<note>x</note><step name=\"call\">", 20, "`<process>` has no element `<note>`"),
        ("<step name=\"call\">", "<step name=\"call\" if=\"x\">", 20, "`<step>` has no attribute `if`"),
        ("<criterion>", "<criterion a=\"b\">", 26, "`<criterion>` has no attribute `a`"),
    ] {
        let pure =
            PURE.replace("say-hi", "say_hi").replace("<execute resource=\"tool\" id=\"hi\" />", "<search>*</search>");
        let text = pure.split_once('\n').expect("two lines").1.replacen(from, to, 1);
        let told = stays(&hi, &text);
        let why = format!("the process stays in the xml until this is mended: {message}");
        assert!(told.iter().any(|(found, message)| (*found, message) == (line - 1, &why)), "{to}: {told:?}");
    }
}

/// In the process they would be read as text: a model would see comments for people.
#[test]
fn comments_of_a_process_stay_in_the_xml() {
    let text = "<directive name=\"greet\" version=\"1.0.0\">\n  <!-- first -->\n  <metadata><description>Greet</description>\
                <category>demo</category><author>ada</author></metadata>\n\n  <process>\n    <!-- build <step name=\"old\"> before -->\n\
                \x20   <step name=\"a\">Go.<!-- or\n      not --></step>\n  </process>\n  <!-- last -->\n</directive>\n";
    let found = found(&greet(), text);
    let why = "this comment stays in the xml: in the process it would be read as text";
    assert_eq!(told(&found), [(6, false, why), (7, false, why)]);
    let wanted = "# Greet\n\n```xml\n<directive name=\"greet\" version=\"1.0.0\">\n  <!-- first -->\n  <metadata><description>Greet</description>\
                  <category>demo</category><author>ada</author></metadata>\n  <!-- build <step name=\"old\"> before -->\n  <!-- or\n      not -->\n\
                  \x20 <!-- last -->\n</directive>\n```\n\n<process>\n  <step name=\"a\">\n    Go.\n  </step>\n</process>\n";
    assert_eq!(found.text, wanted);
    let inline = with_permissions(
        "<permissions><cap>rye.load.*<!-- a --></cap> <cap><!-- b -->rye.search.*</cap></permissions>",
    );
    let wanted = with_permissions("<permissions><!-- a --><!-- b --><load>*</load><search>*</search></permissions>");
    assert_eq!(migrated(&greet(), &inline), wanted);
}

#[test]
fn lines_are_those_of_the_file() {
    // A signature line goes, the process moves, and the reported part is below both.
    let line = "<!-- rye:validated:x -->\n";
    let element = PURE.split_once('\n').expect("two lines").1;
    let text = format!(
        "{line}{}\nMore.\n",
        element.replace("<execute resource=\"tool\" id=\"hi\" />", "<cap>rye.*.tool.x</cap>")
    );
    let found = found(&subject(ItemType::Directive, "demo/say-hi", "md"), &text);
    assert!(found.is_change());
    let message = "`<cap>rye.*.tool.x</cap>` has no form of its own: spell out action, type and pattern";
    assert_eq!(told(&found), [(8, true, message)]);
}

#[test]
fn many_places_are_not_all_listed() {
    let caps = "<cap>nonsense</cap>\n".repeat(3_000);
    let text = with_permissions(&format!("<permissions>{caps}</permissions>"));
    let started = std::time::Instant::now();
    let found = found(&greet(), &text);
    assert_eq!(found.remarks.len(), 101);
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}

#[test]
fn front_matter_that_is_not_closed_stays() {
    let notes = subject(ItemType::Knowledge, "demo/notes", "md");
    let message = "the front matter is not closed: end it with a line of `---`".to_owned();
    assert_eq!(stays(&notes, "\n---\nname: notes\n"), [(2, message)]);
}

/// The last resort: a rewriting that is not what it was taken for is taken back.
#[test]
fn what_would_differ_is_taken_back() {
    // A heading below a pure directive is a step of its own; below a `<process>` it is text.
    let hi = subject(ItemType::Directive, "demo/say_hi", "md");
    let legacy = "<execute resource=\"tool\" id=\"hi\" />";
    let element = PURE.replace("say-hi", "say_hi");
    let element = element.split_once('\n').expect("two lines").1;
    let text = format!("{element}\n## Then\n\nGo.\n");
    let message = "move the process out of the xml by hand: rewritten by this program it would differ (its `steps`)";
    assert_eq!(stays(&hi, &text.replace(legacy, "<search>*</search>")), [(1, message.to_owned())]);
    // Everything else is rewritten all the same.
    let other = found(&hi, &text);
    assert_eq!(other.text, text.replace(legacy, "<execute><tool>hi</tool></execute>"));
    assert_eq!(told(&other), [(1, true, message)]);
}
