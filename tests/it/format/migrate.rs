//! Legacy forms rewritten: the same meaning, nothing else touched, and nothing left to rewrite.

mod forms;
mod laws;
mod references;
mod remarks;

use rye::format::{
    Migration, Profile, Renames, Scope, Severity, capabilities, migrate, migrate_document, unified_diff, validate,
};
use rye::id::ItemType;
use rye::trust::Subject;

use super::{directive, knowledge, read};

fn subject(item_type: ItemType, id: &str, extension: &str) -> Subject {
    Subject { item_type, item_id: id.parse().expect("an id"), extension: extension.parse().expect("known") }
}

fn greet() -> Subject {
    subject(ItemType::Directive, "demo/greet", "md")
}

/// Migrates, and checks that migrating again changes nothing.
fn migrated(subject: &Subject, text: &str) -> String {
    let own = rye::format::snake_id(&subject.item_id).map(|new| (subject.item_id.clone(), new));
    let renames = Renames::new(&own.into_iter().collect(), &[]);
    let once = migrate(subject, text, Scope::All, &renames);
    let twice = migrate(subject, &once.text, Scope::All, &renames);
    assert_eq!((twice.text.as_str(), &twice.changes), (once.text.as_str(), &vec![]), "migrating twice");
    assert_eq!(once.is_change(), once.text != text);
    once.text
}

/// Line, whether a form stays, and message of each remark.
fn told(found: &Migration) -> Vec<(usize, bool, &str)> {
    found.remarks.iter().map(|remark| (remark.line, remark.stays, remark.message.as_str())).collect()
}

fn document(text: &str) -> Migration {
    migrate_document(text, &Renames::default())
}

fn with_permissions(permissions: &str) -> String {
    format!(
        "# Greet\n\nSays & <does>.\n\n```xml\n<directive name=\"greet\" version=\"1.0.0\">\n  <metadata>\n    \
         <description>Greet</description> <!-- one -->\n    <category>demo</category>\n    <author>ada</author>\n    \
         {permissions}\n  </metadata>\n</directive>\n```\n\n<process>\n  <step name=\"a\">Do <b>it</b>.</step>\n</process>\n"
    )
}

/// Rules broken, warnings included, advice not.
fn faults(text: &str) -> Vec<String> {
    let parsed = read(ItemType::Directive, "md", text);
    let found = validate(&parsed, &"demo/greet".parse().expect("an id"), Profile::Reference);
    let shown = |finding: &rye::format::Finding| format!("{}: {}", finding.rule, finding.message);
    found.iter().filter(|finding| finding.severity != Severity::Advice).map(shown).collect()
}

#[test]
fn legacy_permissions_become_elements_that_mean_the_same() {
    let cases = [
        (
            "<permissions>\n      <cap>rye.execute.tool.rye.agent.git</cap>\n      <cap>rye.execute.tool.rye.file-system.*</cap>\n    </permissions>",
            "<permissions>\n      <execute>\n        <tool>rye.agent.git</tool>\n        <tool>rye.file-system.*</tool>\n      </execute>\n    </permissions>",
        ),
        (
            "<permissions><cap>rye.load.tool.a</cap><cap>rye.load.tool.b</cap></permissions>",
            "<permissions><load><tool>a</tool><tool>b</tool></load></permissions>",
        ),
        (
            "<permissions><cap>rye.search.*</cap> <!-- why --> <cap>rye.search.knowledge.x</cap></permissions>",
            "<permissions><search>*</search> <!-- why --> <search><knowledge>x</knowledge></search></permissions>",
        ),
        (
            "<permissions>\n      <read resource=\"filesystem\" path=\"**/*\" />\n      <execute resource=\"tool\" id=\"deploy-kubernetes\" />\n      <execute resource=\"kiwi-mcp\" action=\"search\" />\n    </permissions>",
            "<permissions>\n      <read resource=\"filesystem\" path=\"**/*\" />\n      <execute><tool>deploy-kubernetes</tool></execute>\n      <search>*</search>\n    </permissions>",
        ),
        (
            "<permissions><execute><tool>rye/file-system/fs_read</tool></execute></permissions>",
            "<permissions><execute><tool>rye/file-system/read</tool></execute></permissions>",
        ),
    ];
    for (old, new) in cases {
        let (old, new) = (with_permissions(old), with_permissions(new));
        assert_eq!(migrated(&greet(), &old), new);
        assert_eq!(directive(&new), directive(&old));
        assert_eq!(faults(&new), Vec::<String>::new(), "{new}");
        assert_ne!(faults(&old), Vec::<String>::new(), "{old}");
    }
}

#[test]
fn what_asks_for_much_is_acknowledged_for_review() {
    let cases = [
        (
            "<execute resource=\"shell\" action=\"pytest\" />",
            "elevated",
            "<execute><tool>rye.shell.pytest</tool></execute>",
        ),
        (
            "<execute resource=\"kiwi-mcp\" action=\"publish\" />",
            "elevated",
            "<execute><tool>rye.registry.publish</tool></execute>",
        ),
        ("<execute resource=\"kiwi-mcp\" action=\"execute\" />", "unrestricted", "<execute>*</execute>"),
        ("<execute resource=\"kiwi-mcp\" action=\"*\" />", "unrestricted", "*"),
        ("<cap>rye.*</cap>", "unrestricted", "*"),
    ];
    for (old, risk, new) in cases {
        let old = with_permissions(&format!("<permissions>\n      {old}\n    </permissions>"));
        let reason = "Carried over from a legacy form that asked for no reason: narrow it, or say why it is needed.";
        let new = format!(
            "<permissions>\n      {new}\n      <acknowledge risk=\"{risk}\">{reason}</acknowledge>\n    </permissions>"
        );
        assert_eq!(migrated(&greet(), &old), with_permissions(&new));
        assert_eq!(faults(&with_permissions(&new)), Vec::<String>::new());
        let found = migrate(&greet(), &old, Scope::All, &Renames::default());
        let message = format!("the permissions are {risk}: say why in `<acknowledge>`, or narrow them");
        assert_eq!(told(&found), [(12, false, message.as_str())]);
        let permissions = |text: &str| directive(text).permissions;
        assert_eq!(permissions(&with_permissions(&new)), permissions(&old));
    }
    let acknowledged = with_permissions(
        "<permissions><cap>rye.sign.*</cap><acknowledge>elevated: it &amp; signs</acknowledge></permissions>",
    );
    let new = with_permissions(
        "<permissions><sign>*</sign><acknowledge risk=\"elevated\">it &amp; signs</acknowledge></permissions>",
    );
    assert_eq!(migrated(&greet(), &acknowledged), new);
}

#[test]
fn what_has_no_form_of_its_own_stays_and_is_named() {
    for element in [
        "<cap>rye.*.tool.x</cap>",
        "<execute resource=\"gpu\" />",
        "<cap>nonsense</cap>",
        "<execute resource=\"shell\" action=\"npm run\" />",
    ] {
        let text = with_permissions(&format!("<permissions>{element}</permissions>"));
        let found = migrate(&greet(), &text, Scope::All, &Renames::default());
        assert_eq!((found.text.as_str(), found.changes.len()), (text.as_str(), 0));
        let message = format!("`{element}` has no form of its own: spell out action, type and pattern");
        assert_eq!(told(&found), [(11, true, message.as_str())]);
    }
    let broken = with_permissions("<permissions><cap>rye.load.*</permissions>");
    let broken_found = migrate(&greet(), &broken, Scope::All, &Renames::default());
    assert_eq!((&broken_found.text, &broken_found.changes), (&broken, &vec![]));
    let why = "the xml cannot be read, so its forms stay: expected `</cap>`, found `</permissions>`, because `<cap>` was \
               opened on line 11";
    assert_eq!(told(&broken_found), [(11, true, why)]);
}

#[test]
fn signature_lines_of_older_programs_go_and_a_changed_file_loses_its_own() {
    let text = with_permissions("<permissions><search>*</search></permissions>");
    for line in
        ["rye:validated:2026-01-01T00:00:00Z:abc", "kiwi-mcp:validated:x", "rye:signed:placeholder:unsigned:unsigned"]
    {
        assert_eq!(migrated(&greet(), &format!("<!-- {line} -->\n{text}")), text);
    }
    let tool = subject(ItemType::Tool, "demo/x", "py");
    assert_eq!(
        migrated(&tool, "#!/usr/bin/env python3\n# rye:validated:x\nprint('rye/file-system/fs_read')\n"),
        "#!/usr/bin/env python3\nprint('rye/file-system/fs_read')\n"
    );
    let line =
        format!("<!-- rye:signed:2026-03-17T01:41:08Z:{}:{}==:0123456789abcdef -->\n", "0".repeat(64), "A".repeat(86));
    let signed = format!("{line}{text}");
    assert_eq!(migrated(&greet(), &signed), signed, "what is not changed keeps its signature");
    let legacy = with_permissions("<permissions><cap>rye.search.*</cap></permissions>");
    assert_eq!(migrated(&greet(), &format!("{line}{legacy}")), text);
}

const PURE: &str = r#"<!-- kiwi-mcp:validated:x -->
<directive name="say-hi" version="1.0.0">
  <metadata>
    <description>Say hi</description>
    <category>demo</category>
    <author>ada</author>
    <permissions>
      <execute resource="tool" id="hi" />
    </permissions>
  </metadata>

  <process>
    <step name="build">
      <description>Build &amp; go</description>
      <action><![CDATA[
npm run <build> && ls
  indented
      ]]></action>
    </step>
    <step name="call">
      <execute item_type="directive" item_id="ops/roll-back"><param name="a" value="&quot;1&quot;" /></execute>
    </step>
  </process>

  <success_criteria>
    <criterion>It is built</criterion>
  </success_criteria>

  <outputs>
    <output name="url">Where it is</output>
  </outputs>
</directive>
"#;

const ZONES: &str = r#"# Say hi

```xml
<directive name="say_hi" version="1.0.0">
  <metadata>
    <description>Say hi</description>
    <category>demo</category>
    <author>ada</author>
    <permissions>
      <execute><tool>hi</tool></execute>
    </permissions>
  </metadata>

  <outputs>
    <output name="url">Where it is</output>
  </outputs>
</directive>
```

<process>
  <step name="build">
    <description>Build & go</description>
    npm run <build> && ls
      indented
  </step>
  <step name="call">
    <execute item_type="directive" item_id="ops/roll-back">
      <param name="a" value="&quot;1&quot;"></param>
    </execute>
  </step>
</process>

<success_criteria>
  <criterion>It is built</criterion>
</success_criteria>
"#;

/// A pure directive, bare and fenced, becomes two zones that mean the same.
#[test]
fn pure_xml_becomes_two_zones() {
    let hi = subject(ItemType::Directive, "demo/say-hi", "md");
    assert_eq!(migrated(&hi, PURE), ZONES);
    let mut old = directive(PURE);
    assert!(!old.steps.is_empty() && old.criteria == ["It is built"]);
    old.name = "say_hi".to_owned();
    old.title = "Say hi".to_owned();
    assert_eq!(directive(ZONES), old);
    let found =
        validate(&read(ItemType::Directive, "md", ZONES), &"demo/say_hi".parse().expect("an id"), Profile::Reference);
    let faults: Vec<_> = found.iter().filter(|finding| finding.severity != Severity::Advice).collect();
    assert_eq!(faults, Vec::<&rye::format::Finding>::new());
    let element = PURE.split_once('\n').expect("two lines").1;
    let fenced = format!("# Say hi\n\n```xml\n{element}```\n");
    assert_eq!(migrated(&hi, &fenced), ZONES);
    // What follows stays below; a title stays; backticks inside the element do not end the fence.
    let more = format!("# Mine\n\nWhy.\n{element}\nMore & more.\n");
    let new = migrated(&hi, &more);
    assert!(new.starts_with("# Mine\n\nWhy.\n\n```xml\n<directive"), "{new}");
    assert!(new.ends_with("</success_criteria>\n\nMore & more.\n"), "{new}");
    let (mut old, new) = (directive(&more), directive(&new));
    old.name = "say_hi".to_owned();
    assert_eq!(new, old);
    let inside = PURE.replace("Say hi<", "Say\n```\nhi<");
    assert!(migrated(&hi, &inside).contains("````xml\n<directive"));
}

#[test]
fn front_matter_is_fenced() {
    let notes = subject(ItemType::Knowledge, "demo/notes", "md");
    let text = "<!-- kiwi-mcp:x -->\r\n---\r\nname: notes\ntitle: \"A: b\"\ncategory: demo\nversion: \"1.0.0\"\n---\r\n\n# Notes\n\n---\nend";
    let new =
        "```yaml\r\nname: notes\ntitle: \"A: b\"\ncategory: demo\nversion: \"1.0.0\"\n```\r\n\n# Notes\n\n---\nend";
    assert_eq!(migrated(&notes, text), new);
    assert_eq!(knowledge("md", text), knowledge("md", new));
    let fenced = text.replace("demo\n", "demo\ntags: |\n  ```\n");
    assert!(migrated(&notes, &fenced).starts_with("````yaml\r\nname"));
}

#[test]
fn flat_capabilities_are_spelled_out() {
    let old = "# about\ncapabilities:\n  - \"rye.execute.tool.rye.agent.git\" # git\n\n  - rye.search.*\n  - 'rye.execute.tool.rye.file-system.fs_write'\n  - primary: load\n    specifics: \"*\"\nother: [rye.load.*]\n";
    let new = "# about\ncapabilities:\n  - primary: execute\n    item_type: tool\n    specifics: rye.agent.git # git\n\n  - primary: search\n    specifics: \"*\"\n  - primary: execute\n    item_type: tool\n    specifics: rye.file-system.write\n  - primary: load\n    specifics: \"*\"\nother: [rye.load.*]\n";
    let found = document(old);
    assert_eq!(found.text, new);
    assert_eq!(document(new).changes, Vec::<String>::new());
    assert_eq!(capabilities(new).capabilities, capabilities(old).capabilities);
    let tool = subject(ItemType::Tool, "caps/git", "yaml");
    let head = "version: \"1.0.0\"\ndescription: d\n";
    assert_eq!(migrated(&tool, &format!("{head}{old}")), format!("{head}{new}"));
    let flow = "capabilities: [\"rye.execute.tool.a.*\",\n  rye.sign.*]\n";
    let new = "capabilities:\n  - primary: execute\n    item_type: tool\n    specifics: \"a.*\"\n  - primary: sign\n    specifics: \"*\"\n";
    assert_eq!(document(flow).text, new);
    assert_eq!(capabilities(new).capabilities, capabilities(flow).capabilities);
    let odd = "capabilities:\n- rye.*.tool.x\n- rye.load.tool.x\n";
    let found = document(odd);
    assert_eq!(found.text, "capabilities:\n- rye.*.tool.x\n- primary: load\n  item_type: tool\n  specifics: x\n");
    assert_eq!(told(&found), [(2, true, "`rye.*.tool.x` has no form of its own: spell it out")]);
}

#[test]
fn a_kebab_name_becomes_snake_case() {
    let text = with_permissions("").replace("name=\"greet\"", "name = 'say-hi'");
    let kebab = subject(ItemType::Directive, "demo/say-hi", "md");
    assert_eq!(migrated(&kebab, &text), text.replace("say-hi", "say_hi"));
    assert_eq!(rye::format::snake_id(&kebab.item_id).map(|id| id.to_string()), Some("demo/say_hi".into()));
    assert_eq!(rye::format::snake_id(&"demo/sayHi".parse().expect("an id")), None);
    // Without a new id the name stays, too.
    assert_eq!(migrate(&kebab, &text, Scope::All, &Renames::default()).text, text);
    // A different name is a mistake that this does not correct.
    assert_eq!(migrated(&greet(), &text), text);
}

#[test]
fn diffs_are_those_of_git() {
    let diff = unified_diff("a/x", "b/x", "1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\nfive\n6");
    assert_eq!(
        diff,
        "--- a/x\n+++ b/x\n@@ -2,5 +2,5 @@\n 2\n 3\n 4\n-5\n-6\n+five\n+6\n\\ No newline at end of file\n"
    );
    assert_eq!(unified_diff("a/x", "b/x", "1", "1"), "");
}

/// A lone CR ends no line for git, so it ends none in a diff that git takes.
#[test]
fn a_diff_has_the_lines_of_git() {
    let diff = unified_diff("a/x", "b/x", "1\n", "1\na\rb\n");
    assert_eq!(diff, "--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n 1\n+a\rb\n");
}
