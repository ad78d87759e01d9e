//! Halves of surrogate pairs in JSON text, which no reader of UTF-8 takes.

/// How long an escape such as `\ud83d` is.
const ESCAPE: usize = 6;

/// Replaces each half of a surrogate pair that lacks its other half by U+FFFD; `None` without such a half.
pub(super) fn replaced(text: &str) -> Option<String> {
    let (mut whole, mut rest, mut found) = (String::with_capacity(text.len()), text, false);
    while let Some(at) = rest.find('\\') {
        whole.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = match (unit(rest), unit(rest.get(ESCAPE..).unwrap_or_default())) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 2 * ESCAPE,
            (Some(0xD800..=0xDFFF), _) => {
                whole.push('\u{FFFD}');
                rest = &rest[ESCAPE..];
                found = true;
                continue;
            }
            // Any other escape: the next character does not begin one.
            _ => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        };
        whole.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    whole.push_str(rest);
    found.then_some(whole)
}

/// Returns the UTF-16 unit of the escape that a text begins with.
fn unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    u32::from_str_radix(digits, 16).ok().filter(|_| is_hex)
}
