//! A call as the person sees it who is asked about it: all of it, in a bounded size, decisive fields first.
//!
//! A long value is cut in its middle, with how many characters are left out, so no parameter hides another one, and none
//! hides its end. Control characters and hidden Unicode are escaped.

use std::fmt::Write as _;

use serde_json::Value;

use super::permit::{Action, Permitted};
use crate::capability::{Access, is_ignorable};
use crate::error::without_middle;
use crate::item::Touch;
use crate::ops::execute::Given;

/// Parameters that decide what a call does, the most telling first.
const DECISIVE: [&str; 22] = [
    "path",
    "paths",
    "file",
    "files",
    "command",
    "cmd",
    "script",
    "code",
    "program",
    "executable",
    "args",
    "argv",
    "cwd",
    "url",
    "uri",
    "host",
    "method",
    "sql",
    "query",
    "source",
    "target",
    "destination",
];

/// How many characters of a decisive value are shown, and of another one.
const SHOWN: (usize, usize) = (400, 120);

/// How many characters of a parameter's name are shown.
const SHOWN_NAME: usize = 60;

/// How many parameters are shown.
const MOST: usize = 40;

impl Permitted {
    /// Tells whether [`Permitted::described`] shows every parameter. A call that it does not show whole is not asked about.
    #[must_use]
    pub fn can_be_shown(&self) -> bool {
        match self.action() {
            Action::Tool { given, .. } | Action::TakeIn { given, .. } => given.as_text().len() <= MOST,
            Action::Load { .. } | Action::Search(_) | Action::Sign { .. } => true,
        }
    }

    /// Describes the whole call in one line, for the person who is asked about it.
    #[must_use]
    pub fn described(&self) -> String {
        let mut text = self.action().to_string();
        for Touch { access, path } in self.touches() {
            let verb = match access {
                Access::Read => "reads",
                Access::Write => "writes",
            };
            // Writing to a string cannot fail.
            let _ = write!(text, ", which {verb} {}", shown(&path.to_string(), SHOWN.0));
        }
        match self.action() {
            Action::Tool { given, .. } | Action::TakeIn { given, .. } => text + &parameters(given),
            Action::Load { .. } | Action::Search(_) | Action::Sign { .. } => text,
        }
    }
}

fn parameters(given: &Given) -> String {
    let mut given: Vec<(String, Value)> = given.as_text().into_iter().collect();
    if given.is_empty() {
        return String::new();
    }
    given.sort_by_key(|(name, _)| rank(name));
    let shown = given.iter().take(MOST).map(|(name, value)| {
        let most = if rank(name) < DECISIVE.len() { SHOWN.0 } else { SHOWN.1 };
        format!("{}: {}", shown(name, SHOWN_NAME), told(value, most))
    });
    let shown = shown.collect::<Vec<_>>().join(", ");
    let more = match given.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!(", and {more} more parameters"),
    };
    format!(", with {{{shown}{more}}}")
}

fn rank(name: &str) -> usize {
    DECISIVE.iter().position(|decisive| name.eq_ignore_ascii_case(decisive)).unwrap_or(DECISIVE.len())
}

fn told(value: &Value, most: usize) -> String {
    match value {
        Value::String(text) => shown(text, most),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            escaped(&without_middle(&value.to_string(), most))
        }
    }
}

fn shown(text: &str, most: usize) -> String {
    let quoted = |piece: &str| escaped(&piece.replace('\\', "\\\\").replace('"', "\\\""));
    format!("\"{}\"", quoted(&without_middle(text, most)))
}

fn escaped(text: &str) -> String {
    text.chars().fold(String::new(), |mut escaped, character| {
        match character {
            '\n' => escaped.push_str("\\n"),
            '\t' => escaped.push_str("\\t"),
            // Line and paragraph separators begin a line in some terminals.
            '\u{2028}' | '\u{2029}' => escaped.extend(character.escape_unicode()),
            _ if character.is_control() || is_ignorable(character) => escaped.extend(character.escape_unicode()),
            _ => escaped.push(character),
        }
        escaped
    })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use serde_json::json;

    use super::*;
    use crate::capability::{Capabilities, Grant, PathRules, Policy};

    fn permitted(id: &str, parameters: &Value) -> Permitted {
        let given = parameters.as_object().unwrap().clone().into();
        let calls = vec!["rye.*".parse().unwrap()];
        let grant = Grant::new(Capabilities { calls, paths: PathRules::default() }, Policy::default());
        Action::tool(id.parse().unwrap(), given).unwrap().permit(&grant).unwrap()
    }

    fn described(id: &str, parameters: &Value) -> String {
        permitted(id, parameters).described()
    }

    /// Nobody agrees to what they cannot see.
    #[test]
    fn a_call_with_more_parameters_than_are_shown_is_not_asked_about() {
        let with = |count: usize| Value::Object((0..count).map(|number| (format!("p{number}"), json!(1))).collect());
        assert!(permitted("demo/shell", &with(MOST)).can_be_shown());
        assert!(!permitted("demo/shell", &with(MOST + 1)).can_be_shown());
    }

    #[test]
    fn the_whole_call_is_shown_with_the_decisive_fields_first() {
        assert_eq!(
            described("rye/file-system/write", &json!({"content": "a\nb", "path": "./docs//a.md"})),
            "execute tool rye/file-system/write, which writes \"docs/a.md\", with {\"path\": \"./docs//a.md\", \"content\": \"a\\nb\"}"
        );
        assert_eq!(
            described("demo/shell", &json!({"a": 1, "b": [true, null], "command": "rm", "zone": {"x": "y"}})),
            "execute tool demo/shell, with {\"command\": \"rm\", \"a\": 1, \"b\": [true,null], \"zone\": {\"x\":\"y\"}}"
        );
        assert_eq!(described("demo/shell", &json!({})), "execute tool demo/shell");
    }

    /// A long first parameter does not push the others away, and a long value still shows its end.
    #[test]
    fn what_is_long_is_cut_in_its_middle() {
        let long = format!("begin{}end", "x".repeat(100_000));
        let shown = described("demo/shell", &json!({"a": long, "command": format!("{long} && rm -rf /"), "z": "last"}));
        assert!(
            shown.contains("characters left out]…") && shown.contains("end && rm -rf /\", \"a\": \"begin"),
            "{shown}"
        );
        assert!(shown.ends_with("xend\", \"z\": \"last\"}") && shown.len() < 1000, "{shown}");
        assert!(shown.contains("…[99888 characters left out]…"), "{shown}");
        let many = (0..1000).map(|number| (format!("p{number:04}"), json!(long))).collect();
        let shown = described("demo/shell", &Value::Object(many));
        assert!(shown.ends_with(", and 960 more parameters}") && shown.len() < 10_000, "{}", shown.len());
    }

    #[test]
    fn what_is_hidden_is_escaped() {
        let hidden = "a\u{1b}[2K\r\u{202e}b\u{200b}\u{e0041}\u{7f}\u{85}\u{2028}\"\\";
        assert_eq!(
            described("demo/shell", &json!({"te\u{200d}xt": hidden, "z": [hidden]})),
            "execute tool demo/shell, with {\"te\\u{200d}xt\": \
             \"a\\u{1b}[2K\\u{d}\\u{202e}b\\u{200b}\\u{e0041}\\u{7f}\\u{85}\\u{2028}\\\"\\\\\", \"z\": \
             [\"a\\u001b[2K\\r\\u{202e}b\\u{200b}\\u{e0041}\\u{7f}\\u{85}\\u{2028}\\\"\\\\\"]}"
        );
    }
}
