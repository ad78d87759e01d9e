//! Long texts as a model gets them: the beginning and the end, with a line that says how much of the middle is missing.

use serde_json::{Map, Value};

/// How much of a text is shown, in bytes.
#[derive(Debug, Clone, Copy)]
struct Shown {
    beginning: usize,
    end: usize,
}

/// What is shown of each text in a value: tried in this order until the value is small enough. What went wrong is mostly at the end.
const STEPS: [Shown; 5] = [
    Shown { beginning: 8192, end: 24_576 },
    Shown { beginning: 4096, end: 12_288 },
    Shown { beginning: 1024, end: 3072 },
    Shown { beginning: 256, end: 768 },
    Shown { beginning: 64, end: 192 },
];

/// The part of a text that is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap<'a> {
    /// The JSON pointer to the text in its value.
    pub pointer: &'a str,
    /// Where the part begins in the text, in bytes.
    pub offset: usize,
    /// How long it is, in bytes.
    pub bytes: usize,
}

/// Takes the middle out of the long texts in a value, so that it has at most `most` bytes as JSON. `note` says what stands in the
/// place of a gap. None if it is large for another reason. The value must hold no secrets any more.
#[must_use]
pub fn without_middles(value: &Value, most: usize, note: &dyn Fn(Gap<'_>) -> String) -> Option<Value> {
    let shorter = |shown: &Shown| shortened(value, *shown, &mut String::new(), note);
    STEPS.iter().map(shorter).find(|shorter| shorter.to_string().len() <= most)
}

/// Takes the middle out of a text: what is shown has about `most` bytes, a quarter of it from the beginning.
#[must_use]
pub fn without_middle(text: &str, most: usize, note: &dyn Fn(Gap<'_>) -> String) -> String {
    cut(text, Shown { beginning: most / 4, end: most - most / 4 }, "", note)
}

fn shortened(value: &Value, shown: Shown, pointer: &mut String, note: &dyn Fn(Gap<'_>) -> String) -> Value {
    let mut below = |name: &str, value: &Value| {
        let length = pointer.len();
        pointer.push('/');
        pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
        let shorter = shortened(value, shown, pointer, note);
        pointer.truncate(length);
        shorter
    };
    match value {
        Value::String(text) => Value::String(cut(text, shown, pointer, note)),
        Value::Array(values) => {
            values.iter().enumerate().map(|(place, value)| below(&place.to_string(), value)).collect()
        }
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| (name.clone(), below(name, value)));
            Value::Object(members.collect::<Map<_, _>>())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

fn cut(text: &str, shown: Shown, pointer: &str, note: &dyn Fn(Gap<'_>) -> String) -> String {
    let Shown { beginning, end } = shown;
    if text.len() <= beginning + end {
        return text.to_owned();
    }
    let (offset, rest) = (text.floor_char_boundary(beginning), text.ceil_char_boundary(text.len() - end));
    let gap = Gap { pointer, offset, bytes: rest - offset };
    format!("{}\n[… {} …]\n{}", &text[..offset], note(gap), &text[rest..])
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use serde_json::json;

    use super::*;

    fn note(gap: Gap<'_>) -> String {
        format!("{} of {} from {}", gap.bytes, gap.pointer, gap.offset)
    }

    #[test]
    fn every_long_text_keeps_its_beginning_and_its_end() {
        let long = |name: &str| format!("{name} begins{}{name} ends", "é\n".repeat(100_000));
        let value = json!({"exit_code": 1, "stdout": long("out"), "a/b~c": [long("list")], "stderr": long("err")});
        let shown = without_middles(&value, 24 * 1024, &note).unwrap();
        assert!(shown.to_string().len() <= 24 * 1024);
        for (pointer, name) in [("/stdout", "out"), ("/a~1b~0c/0", "list"), ("/stderr", "err")] {
            let text = shown.pointer(pointer).and_then(Value::as_str).unwrap();
            assert!(text.starts_with(&format!("{name} begins")) && text.ends_with(&format!("{name} ends")), "{text}");
            assert!(text.contains(&format!(" of {pointer} from ")), "{text}");
        }
        assert_eq!(shown["exit_code"], 1);
    }

    #[test]
    fn a_value_of_many_parts_has_no_middle_to_take_out() {
        assert_eq!(without_middles(&json!(vec!["short"; 10_000]), 1024, &note), None);
        assert_eq!(without_middles(&json!("short"), 1024, &note), Some(json!("short")));
        let text = without_middle(&"x".repeat(1000), 100, &note);
        assert_eq!(text, format!("{}\n[… 900 of  from 25 …]\n{}", "x".repeat(25), "x".repeat(75)));
    }
}
