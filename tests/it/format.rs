//! Reading items: what a text becomes, every finding, and that nothing hostile makes reading slow or fail.

mod bounded;
mod conditions;
mod corpus;
mod directive;
mod examples;
mod forms;
mod hints;
mod hooks;
mod hostile;
mod knowledge;
mod legacy;
mod migrate;
mod no_effect;
mod originals;
mod permissions;
mod process;
mod provider;
mod rules;
mod seeds;
mod tool;
mod values;

use rye::format::{Finding, Parsed, Profile, parse, validate};
use rye::id::ItemType;
use rye::item::{Directive, Item, Knowledge, Tool};

/// A directive that has everything this version reads and not one finding.
const GUIDE: &str = r#"<!-- a signature line -->
# Greet

Says hello.

```xml
<directive name="greet" version="1.2.3">
  <metadata>
    <description>Greet &amp; go</description>
    <category>demo</category>
    <author>ada</author>
    <model tier="general" />
    <limits turns="6" max_tokens="4096" spend="0.10" duration="60" />
    <permissions>
      <execute>
        <tool>rye.file-system.*</tool>
      </execute>
      <search>*</search>
      <read resource="filesystem" path="docs/**, *.md" />
      <sign><directive>demo/*</directive></sign>
      <acknowledge risk="elevated">It signs its own notes.</acknowledge>
    </permissions>
    <cost>
      <context estimated_usage="low" turns="4">8000</context>
      <spend currency="USD">0.05</spend>
    </cost>
  </metadata>
  <inputs>
    <input name="who" type="string" required="true">Whom to greet</input>
    <input name="times" type="integer" default="2">How
      often</input>
  </inputs>
  <outputs>
    <output name="text" from="write.path">The greeting</output>
    <output name="count" type="integer" required="false">How many</output>
  </outputs>
</directive>
```

<process>
  <step name="write">
    <description>Write it & <b>see</b>.</description>
    <execute item_type="tool" item_id="rye/file-system/write">
      <param name="path" value="out/{input:who}.md" />
      <param name="content">Hello {input:who} < {input:times}</param>
    </execute>
    <search item_type="knowledge" query="{input:who}" />
    Then go: use `<step name="x">` and `rye_execute(...)` as you like.
  </step>
</process>

<success_criteria>
  <criterion>It is written</criterion>
</success_criteria>
"#;

fn read(item_type: ItemType, extension: &str, text: &str) -> Parsed {
    parse(item_type, &extension.parse().expect("a known extension"), text)
}

fn directive(text: &str) -> Directive {
    match read(ItemType::Directive, "md", text).item {
        Some(Item::Directive(directive)) => *directive,
        other => panic!("no directive: {other:?}"),
    }
}

fn tool(extension: &str, text: &str) -> Tool {
    match read(ItemType::Tool, extension, text).item {
        Some(Item::Tool(tool)) => *tool,
        other => panic!("no tool: {other:?}"),
    }
}

fn knowledge(extension: &str, text: &str) -> Knowledge {
    match read(ItemType::Knowledge, extension, text).item {
        Some(Item::Knowledge(knowledge)) => *knowledge,
        other => panic!("no knowledge: {other:?}"),
    }
}

/// Rule, line and column of each finding that is expected.
type Places = &'static [(&'static str, usize, usize)];

/// Rule, line and column of each finding.
fn places(findings: &[Finding]) -> Vec<(&str, usize, usize)> {
    findings.iter().map(|finding| (finding.rule, finding.line, finding.column)).collect()
}

fn directive_findings(text: &str, id: &str, profile: Profile) -> Vec<Finding> {
    validate(&read(ItemType::Directive, "md", text), &id.parse().expect("an id"), profile)
}
