//! What a file says of its own id: its name and its category, in whatever form its header has.

use crate::format::{Span, parse};
use crate::id::ItemId;
use crate::item::Item;
use crate::trust::Subject;

/// Keys and elements that hold a name.
const NAMES: [&str; 2] = ["tool_id", "name"];
/// Those that hold a category.
const CATEGORIES: [&str; 1] = ["category"];

/// Writes the name and the category of another id into an item's text, where it says them; else the text stays.
#[must_use]
pub fn own_id(subject: &Subject, text: &str, new: &ItemId) -> String {
    let read = |text: &str| parse(subject.item_type, &subject.extension, text).item.map(|item| said(&item));
    let Some((name, category)) = read(text) else { return text.to_owned() };
    // A tool may say its whole id.
    let is_whole = |name: &&String| name.contains('/') && name.as_str() == subject.item_id.as_str();
    let wanted_name = name.as_ref().map(|name| if is_whole(&name) { new.as_str() } else { new.name() });
    let mut text = text.to_owned();
    if let Some(wanted) = wanted_name.filter(|wanted| name.as_deref() != Some(wanted)) {
        let is_right = |said: &Said| said.0.as_deref() == Some(wanted) && said.1 == category;
        text = written(&text, &NAMES, wanted, &|text| read(text).is_some_and(|said| is_right(&said)));
    }
    if category.is_some() && category.as_deref() != Some(new.category()) {
        let wanted = new.category();
        let name = read(&text).and_then(|said| said.0);
        let is_right = |said: &Said| said.1.as_deref() == Some(wanted) && said.0 == name;
        text = written(&text, &CATEGORIES, wanted, &|text| read(text).is_some_and(|said| is_right(&said)));
    }
    text
}

/// The name and the category that an item says it has.
type Said = (Option<String>, Option<String>);

fn said(item: &Item) -> Said {
    match item {
        Item::Directive(directive) => (Some(directive.name.clone()), Some(directive.category.clone())),
        Item::Knowledge(knowledge) => (Some(knowledge.name.clone()), Some(knowledge.category.clone())),
        Item::Tool(tool) => (tool.name.clone(), tool.category.clone()),
        Item::Skill(_) => (None, None),
    }
}

/// Puts a value behind the first key with which the text then reads right.
fn written(text: &str, keys: &[&str], value: &str, is_right: &dyn Fn(&str) -> bool) -> String {
    let spots = keys.iter().flat_map(|key| text.match_indices(key).map(|(at, key)| at + key.len()));
    let mut made = spots.filter_map(|end| spot(text, end)).map(|(span, form)| {
        let value = match form {
            Form::Value => value.to_owned(),
            Form::Bare if value.is_empty() => " \"\"".to_owned(),
            Form::Bare => format!(" {value}"),
            Form::Closed => format!(">{value}</category>"),
        };
        format!("{}{value}{}", &text[..span.start], &text[span.end..])
    });
    made.find(|text| is_right(text)).unwrap_or_else(|| text.to_owned())
}

/// The form of a value behind its key.
enum Form {
    /// Between quotes or tags.
    Value,
    /// To the end of the line, the blank before it included.
    Bare,
    /// As an element without content: `/>`.
    Closed,
}

/// Finds the value behind a key that ends at `end`.
fn spot(text: &str, end: usize) -> Option<(Span, Form)> {
    let rest = text[end..].trim_start_matches('_').trim_start_matches(['"', '\'']);
    let rest = rest.trim_start_matches([' ', '\t']);
    let at = |rest: &str| text.len() - rest.len();
    if let Some(content) = rest.strip_prefix('>') {
        let start = at(content);
        return Some((Span::new(start, start + content.find('<')?), Form::Value));
    }
    if let Some(after) = rest.strip_prefix("/>") {
        return Some((Span::new(end, at(after)), Form::Closed));
    }
    let bare = rest.strip_prefix(['=', ':'])?;
    let value = bare.trim_start_matches([' ', '\t']);
    if let Some(quote) = value.chars().next().filter(|quote| matches!(quote, '"' | '\'')) {
        let start = at(value) + 1;
        return Some((Span::new(start, start + text[start..].find(quote)?), Form::Value));
    }
    let line = bare.split(['\n', '\r']).next().unwrap_or_default();
    let line = line.split(" #").next().unwrap_or_default().trim_end();
    let start = at(bare);
    Some((Span::new(start, start + line.len()), Form::Bare))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::id::ItemType;

    #[test]
    fn a_file_says_its_new_name_and_category_in_its_own_form() {
        let knowledge = |category: &str| {
            format!(
                "```yaml\nname: greet\ntitle: \"The category: x\"\n{category}\nversion: 1.0.0\n```\n\nname: greet\n"
            )
        };
        let cases = [
            (ItemType::Knowledge, "md", knowledge("category: \"\""), knowledge("category: \"ops/all\"")),
            (ItemType::Knowledge, "md", knowledge("category: ''"), knowledge("category: 'ops/all'")),
            (
                ItemType::Tool,
                "yaml",
                "tool_id: greet\nversion: 1.0.0\ncategory: \"\" # x\n".to_owned(),
                "tool_id: hello\nversion: 1.0.0\ncategory: \"ops/all\" # x\n".to_owned(),
            ),
            (
                ItemType::Tool,
                "py",
                "__version__ = '1.0.0'\n__category__ = ''\n".to_owned(),
                "__version__ = '1.0.0'\n__category__ = 'ops/all'\n".to_owned(),
            ),
            (
                ItemType::Tool,
                "sh",
                "#!/bin/sh\n# version: 1.0.0\n# description: category: none\necho\n".to_owned(),
                "#!/bin/sh\n# version: 1.0.0\n# description: category: none\necho\n".to_owned(),
            ),
        ];
        for (item_type, extension, text, wanted) in cases {
            let wanted = if item_type == ItemType::Knowledge {
                wanted.replacen("name: greet", "name: hello", 1)
            } else {
                wanted
            };
            let subject =
                Subject { item_type, item_id: "greet".parse().unwrap(), extension: extension.parse().unwrap() };
            assert_eq!(own_id(&subject, &text, &"ops/all/hello".parse().unwrap()), wanted);
        }
        let directive = include_str!("../../../../../tests/it/registry/greet.md")
            .replace("<category>team</category>", "<category/>");
        let subject = Subject {
            item_type: ItemType::Directive,
            item_id: "greet".parse().unwrap(),
            extension: "md".parse().unwrap(),
        };
        let new = own_id(&subject, &directive, &"ops/hello".parse().unwrap());
        assert!(new.contains("<directive name=\"hello\"") && new.contains("<category>ops</category>"), "{new}");
    }
}
