//! The text of a tool as a model reads it: without the parameters that the tool fixes.

use super::source::{CURRENT_SCHEMA_KEYS, FORMER_SCHEMA_KEYS};
use crate::format::parse;
use crate::id::{Extension, ItemType};
use crate::item::{Item, Tool};

/// What a signature line contains.
const SIGNATURE: &str = "rye:signed:";

/// Returns the text of a tool for a model; `None` if its fixed parameters cannot be left out of it. Its signature covers
/// the other text, and is left out with them.
#[must_use]
pub fn model_text(text: &str, extension: &Extension, tool: &Tool) -> Option<String> {
    if tool.fixed_params.is_empty() {
        return Some(text.to_owned());
    }
    let is_yaml = extension.as_str() == "yaml";
    let mark = if is_yaml { "" } else { extension.comment().around().0.trim_end() };
    let space = if is_yaml { "" } else { " " };
    let schema = tool.offered_schema();
    let (mut kept, mut is_left_out) = (String::new(), false);
    for line in text.lines().filter(|line| !line.contains(SIGNATURE)) {
        let Some(content) = line.strip_prefix(mark) else {
            is_left_out = false;
            kept.extend([line, "\n"]);
            continue;
        };
        let continues = match is_yaml {
            true => content.is_empty() || content.starts_with([' ', '\t', '}', ']', '-', '#']),
            false => content.starts_with("  "),
        };
        if is_left_out && continues {
            continue;
        }
        let key = content.trim_start().split_once(':').map(|(key, _)| key.trim().trim_matches(['"', '\'']));
        let is_schema = key.is_some_and(|key| CURRENT_SCHEMA_KEYS.contains(&key) || FORMER_SCHEMA_KEYS.contains(&key));
        is_left_out = is_schema || key == Some("fixed_params");
        match (&schema, is_schema) {
            (Some(schema), true) => kept.push_str(&format!("{mark}{space}{}: {schema}\n", key.unwrap_or_default())),
            _ if is_left_out => {}
            _ => kept.extend([line, "\n"]),
        }
    }
    // Only what reads as the same tool without them is shown.
    match parse(ItemType::Tool, extension, &kept).item {
        Some(Item::Tool(read)) if read.fixed_params.is_empty() && read.schema == schema => Some(kept),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn shown(extension: &str, text: &str) -> Option<String> {
        let extension: Extension = extension.parse().unwrap();
        match parse(ItemType::Tool, &extension, text).item {
            Some(Item::Tool(tool)) => model_text(text, &extension, &tool),
            _ => panic!("{text}"),
        }
    }

    #[test]
    fn the_text_for_a_model_has_no_fixed_parameter() {
        let yaml = "# rye:signed:x\nversion: 1.0.0\ndescription: Repeats\nexecutor_id: http\nparameters:\n  type: object\n  \
                    properties:\n    text: {type: string}\n    times: {type: integer}\n  required: [text, times]\n\
                    fixed_params: {\n  times: 3\n}\nconfig:\n  url: https://example.org\n";
        let told = shown("yaml", yaml).unwrap();
        assert!(
            !told.contains("times") && !told.contains("signed") && told.ends_with("url: https://example.org\n"),
            "{told}"
        );
        assert!(told.contains("\"text\"") && told.contains("\"required\":[\"text\"]"), "{told}");
        let script = "#!/bin/sh\n# version: 1.0.0\n# description: Repeats\n# parameters:\n#   type: object\n#   properties:\n\
                      #     times: {type: integer}\n# fixed_params: {times: 3}\necho\n";
        let told = shown("sh", script).unwrap();
        assert!(!told.contains("times") && told.ends_with("echo\n"), "{told}");
    }

    #[test]
    fn a_text_without_fixed_parameters_stays_as_it_is() {
        let text = "# rye:signed:x\n# version: 1.0.0\n# description: Says\necho\n";
        assert_eq!(shown("sh", text).unwrap(), text);
    }
}
