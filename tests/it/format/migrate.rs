//! Legacy forms rewritten: the same meaning, nothing else touched, and nothing left to rewrite.

use std::collections::BTreeMap;

use proptest::prelude::*;
use rye::format::{
    Profile, Renames, Scope, Severity, capabilities, migrate, migrate_document, parse, unified_diff, validate,
};
use rye::id::{ItemId, ItemType};
use rye::item::{Directive, Item};
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
        let review = migrate(&greet(), &old, Scope::All, &Renames::default()).review;
        assert_eq!(review, vec![format!("the permissions are {risk}: say why in `<acknowledge>`, or narrow them")]);
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
        assert!(found.review.len() == 1 && found.review[0].contains(element), "{:?}", found.review);
    }
    let broken = with_permissions("<permissions><cap>rye.load.*</permissions>");
    let found = migrate(&greet(), &broken, Scope::All, &Renames::default());
    assert_eq!((found.text, found.changes), (broken, vec![]));
    assert!(found.review[0].starts_with("the xml cannot be read, so its forms stay: line 11: "), "{:?}", found.review);
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
    assert!(migrate(&notes, &fenced, Scope::All, &Renames::default()).text.contains("---\r\nname"));
}

#[test]
fn flat_capabilities_are_spelled_out() {
    let old = "# about\ncapabilities:\n  - \"rye.execute.tool.rye.agent.git\" # git\n\n  - rye.search.*\n  - 'rye.execute.tool.rye.file-system.fs_write'\n  - primary: load\n    specifics: \"*\"\nother: [rye.load.*]\n";
    let new = "# about\ncapabilities:\n  - primary: execute\n    item_type: tool\n    specifics: rye.agent.git # git\n\n  - primary: search\n    specifics: \"*\"\n  - primary: execute\n    item_type: tool\n    specifics: rye.file-system.write\n  - primary: load\n    specifics: \"*\"\nother: [rye.load.*]\n";
    let found = migrate_document(old);
    assert_eq!(found.text, new);
    assert_eq!(migrate_document(new).changes, Vec::<String>::new());
    assert_eq!(capabilities(new).capabilities, capabilities(old).capabilities);
    let tool = subject(ItemType::Tool, "caps/git", "yaml");
    let head = "version: \"1.0.0\"\ndescription: d\n";
    assert_eq!(migrated(&tool, &format!("{head}{old}")), format!("{head}{new}"));
    let flow = "capabilities: [\"rye.execute.tool.a.*\",\n  rye.sign.*]\n";
    let new = "capabilities:\n  - primary: execute\n    item_type: tool\n    specifics: \"a.*\"\n  - primary: sign\n    specifics: \"*\"\n";
    assert_eq!(migrate_document(flow).text, new);
    assert_eq!(capabilities(new).capabilities, capabilities(flow).capabilities);
    let odd = "capabilities:\n- rye.*.tool.x\n- rye.load.tool.x\n";
    let found = migrate_document(odd);
    assert_eq!(found.text, "capabilities:\n- rye.*.tool.x\n- primary: load\n  item_type: tool\n  specifics: x\n");
    assert_eq!(found.review, vec!["`rye.*.tool.x` has no form of its own: spell it out"]);
}

fn renames() -> Renames {
    let id = |text: &str| text.parse::<ItemId>().expect("an id");
    let renamed = [("ops/roll-back", "ops/roll_back"), ("deploy-it", "deploy_it"), ("a/twin-one", "a/twin_one")];
    let renamed: BTreeMap<ItemId, ItemId> = renamed.into_iter().map(|(old, new)| (id(old), id(new))).collect();
    let items = [
        (ItemType::Directive, "ops/roll-back"),
        (ItemType::Directive, "deploy-it"),
        (ItemType::Directive, "a/twin-one"),
        (ItemType::Directive, "b/twin-one"),
        (ItemType::Knowledge, "notes/roll-back"),
    ];
    Renames::new(&renamed, &items.map(|(item_type, item)| (item_type, id(item))))
}

#[test]
fn references_to_renamed_directives_follow() {
    let cases = [
        ("<directive name=\"a\" extends=\"ops/roll-back\">", "<directive name=\"a\" extends=\"ops/roll_back\">"),
        (
            "<execute item_id='deploy-it' item_type='directive' />",
            "<execute item_id='deploy_it' item_type='directive' />",
        ),
        (
            "<execute item_type=\"directive\">\n roll-back </execute>",
            "<execute item_type=\"directive\">\n roll_back </execute>",
        ),
        (
            "<action primary=\"execute\" item_type=\"directive\" item_id=\"roll-back\"/>",
            "<action primary=\"execute\" item_type=\"directive\" item_id=\"roll_back\"/>",
        ),
        (
            "<depends_on>deploy-it</depends_on><suggests>ops/roll-back</suggests>",
            "<depends_on>deploy_it</depends_on><suggests>ops/roll_back</suggests>",
        ),
        (
            "<load><directive>ops.roll-back</directive><directive>ops/roll-back</directive></load>",
            "<load><directive>ops.roll_back</directive><directive>ops/roll_back</directive></load>",
        ),
        (
            "`rye_execute(item_type=\"directive\", item_id=\"ops/roll-back\")`",
            "`rye_execute(item_type=\"directive\", item_id=\"ops/roll_back\")`",
        ),
        (
            "rye_load(item_id='deploy-it', item_type='directive')",
            "rye_load(item_id='deploy_it', item_type='directive')",
        ),
        ("see .ai/directives/ops/roll-back.md", "see .ai/directives/ops/roll_back.md"),
        // What is no reference to one of them stays.
        ("<execute item_type=\"tool\" item_id=\"deploy-it\" />", ""),
        ("<execute item_type=\"directive\" item_id=\"twin-one\" />", ""),
        ("<execute item_type=\"directive\" item_id=\"ops/roll-back-now\" />", ""),
        ("<depends_on>deploy-it and more</depends_on> deploy-it, ops/roll-back", ""),
        ("rye_execute(item_type=\"tool\", item_id=\"deploy-it\") (item_type=\"directive\")", ""),
        (".ai/directives/ops/roll-backs.md .ai/tools/ops/roll-back.md", ""),
    ];
    for (old, new) in cases {
        let found = migrate(&greet(), old, Scope::References, &renames());
        let new = if new.is_empty() { old } else { new };
        assert_eq!(found.text, new);
        assert_eq!(found.is_change(), old != new);
        assert_eq!(migrate(&greet(), new, Scope::References, &renames()).text, new);
    }
    let glob = migrate(&greet(), "<directive>ops/roll-*</directive>", Scope::References, &renames());
    assert_eq!(glob.review, vec!["the pattern `ops/roll-*` may have meant directives that are renamed"]);
    let notes = subject(ItemType::Knowledge, "demo/notes", "md");
    let old = "```yaml\nname: deploy-it\nreferences: [ops/roll-back, roll-back, \"deploy-it\"]\nused_by:\n  - deploy-it # why\n  - other\ntitle: deploy-it\n```\n[[ops/roll-back|back]] [x](.ai/directives/deploy-it.md#y) [[roll-back]] deploy-it\n";
    let new = "```yaml\nname: deploy-it\nreferences: [ops/roll_back, roll-back, \"deploy_it\"]\nused_by:\n  - deploy_it # why\n  - other\ntitle: deploy-it\n```\n[[ops/roll_back|back]] [x](.ai/directives/deploy_it.md#y) [[roll-back]] deploy-it\n";
    assert_eq!(migrate(&notes, old, Scope::References, &renames()).text, new);
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
    // A name that is another one is somebody's mistake, and not for this to mend.
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

/// Pieces of directives in which every legacy form comes up, whole or damaged.
fn pieces() -> impl Strategy<Value = String> {
    let pieces = vec![
        "<!-- rye:validated:x -->\n",
        "---\nname: a\n---\n",
        "```xml\n<directive name=\"say-hi\" version=\"1.0.0\">\n",
        "<metadata><permissions>",
        "<cap>rye.execute.tool.a.b</cap>",
        "<cap>rye.*</cap>\n  ",
        "<execute resource=\"shell\" action=\"x\" />",
        "<execute resource=\"kiwi-mcp\" action=\"*\"></execute>",
        "<acknowledge>elevated</acknowledge>",
        "<execute><tool>rye.execute.tool.rye.execute.tool.a</tool></execute>",
        "</permissions></metadata>",
        "<process><step name=\"a\"><action><![CDATA[\nx < y && z\n]]></action></step></process>",
        "</directive>\n",
        "```\n",
        "capabilities:\n  - \"rye.load.tool.rye.file-system.fs_read\"\n",
        "capabilities: [rye.sign.*]\n",
        "rye/file-system/fs_write",
        "<execute item_type=\"directive\" item_id=\"ops/roll-back\" />",
        "[[deploy-it]]",
        "é\r\n",
    ];
    prop::collection::vec(prop::sample::select(pieces), 0..16).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn migrating_twice_changes_nothing(text in pieces()) {
        for (item_type, extension) in [(ItemType::Directive, "md"), (ItemType::Knowledge, "md"), (ItemType::Tool, "yaml"), (ItemType::Tool, "sh")] {
            let subject = subject(item_type, "demo/say-hi", extension);
            let once = migrate(&subject, &text, Scope::All, &renames());
            let twice = migrate(&subject, &once.text, Scope::All, &renames());
            prop_assert_eq!((&twice.text, &twice.changes), (&once.text, &vec![]), "{:?}", once.changes);
        }
        let once = migrate_document(&text);
        prop_assert_eq!(migrate_document(&once.text).text, once.text);
    }

    /// A file of lists of capabilities means the same afterwards.
    #[test]
    fn capabilities_mean_the_same(words in prop::collection::vec("rye\\.(execute|load|search|sign)\\.(tool|directive)\\.[a-z*]{1,3}(\\.[a-z?]{1,3})?", 1..6)) {
        let list: String = words.iter().map(|word| format!("  - \"{word}\"\n")).collect();
        let old = format!("capabilities:\n{list}");
        let new = migrate_document(&old).text;
        prop_assert_eq!(capabilities(&new).capabilities, capabilities(&old).capabilities);
        prop_assert_eq!(capabilities(&new).findings, vec![]);
        let caps: String = words.iter().map(|word| format!("<cap>{word}</cap>\n      ")).collect();
        let old = with_permissions(&format!("<permissions>\n      {caps}</permissions>"));
        let new = migrate(&greet(), &old, Scope::All, &Renames::default()).text;
        prop_assert_eq!(calls(&new), calls(&old));
    }
}

fn calls(text: &str) -> Vec<String> {
    let Some(Item::Directive(directive)) = parse(ItemType::Directive, &"md".parse().expect("known"), text).item else {
        return Vec::new();
    };
    let Directive { permissions, .. } = *directive;
    permissions.into_iter().flat_map(|permissions| permissions.calls).map(|call| call.to_string()).collect()
}
