//! Keys of YAML tools by the names they have now: the schema of the parameters is `parameters`.

use super::edits::Edits;
use super::work::Work;
use crate::format::Span;
use crate::format::syntax::yaml;
use crate::format::tool::{CURRENT_SCHEMA_KEYS, FORMER_SCHEMA_KEYS};

const PARAMETERS: &str = CURRENT_SCHEMA_KEYS[0];

pub(super) fn rewrite(work: &mut Work<'_>) {
    let Ok(serde_json::Value::Object(keys)) = yaml::parse(&work.text) else { return };
    let is_there = |name: &&&str| keys.get(**name).is_some_and(|value| !value.is_null());
    let former: Vec<&&str> = FORMER_SCHEMA_KEYS.iter().filter(is_there).collect();
    let [name] = former[..] else {
        return former.iter().for_each(|name| stay(work, name, "there are several names of one key: keep one"));
    };
    if let Some(current) = CURRENT_SCHEMA_KEYS.iter().find(|name| keys.contains_key(**name)) {
        return stay(work, name, &format!("there is `{current}` already: keep one"));
    }
    match place(&work.text, name) {
        Some(place) => {
            let mut edits = Edits::default();
            edits.replace(place, PARAMETERS);
            work.apply(edits, format!("name the key `{PARAMETERS}`"));
        }
        None => stay(work, name, &format!("it is not on a line of its own: name it `{PARAMETERS}`")),
    }
}

fn stay(work: &mut Work<'_>, name: &str, why: &str) {
    let at = place(&work.text, name).map_or(0, |place| place.start);
    work.stays(at, format!("`{name}` stays: {why}"));
}

/// Finds a top key, without the quotes it may be in.
fn place(text: &str, name: &str) -> Option<Span> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let quote = usize::from(line.starts_with(['"', '\'']));
        let ends = |rest: &str| rest.trim_start_matches(['"', '\'']).trim_start_matches([' ', '\t']).starts_with(':');
        if line[quote..].strip_prefix(name).is_some_and(ends) {
            return Some(Span::new(at + quote, at + quote + name.len()));
        }
        at += line.len();
    }
    None
}
