//! Numbers in JSON that a 64-bit integer does not hold.

use std::borrow::Cow;

use serde_json::Value;

/// Parses JSON; an integer of more than 64 bits becomes a string with its digits, which a float would not keep.
///
/// # Errors
///
/// Fails when the text is not JSON.
pub fn parse(text: &str) -> serde_json::Result<Value> {
    serde_json::from_str(&kept(text))
}

/// Puts quotes around integers of more than 64 bits.
#[must_use]
pub fn kept(text: &str) -> Cow<'_, str> {
    // 18 digits always fit.
    if !text.as_bytes().windows(19).any(|digits| digits.iter().all(u8::is_ascii_digit)) {
        return Cow::Borrowed(text);
    }
    let (mut kept, mut rest) = (String::with_capacity(text.len() + 8), text);
    while let Some(start) = rest.find(['"', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']) {
        kept.push_str(&rest[..start]);
        rest = &rest[start..];
        let end = if rest.starts_with('"') { string_end(rest) } else { number_end(rest) };
        let (token, behind) = rest.split_at(end);
        match is_wide(token) {
            true => kept.extend(["\"", token, "\""]),
            false => kept.push_str(token),
        }
        rest = behind;
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

/// Tells whether a text is an integer of more than 64 bits.
#[must_use]
pub fn is_wide(text: &str) -> bool {
    is_integer(text) && text.parse::<u64>().is_err() && text.parse::<i64>().is_err()
}

/// As JSON writes one: other values that begin like it stay an error.
fn is_integer(token: &str) -> bool {
    let digits = token.strip_prefix('-').unwrap_or(token);
    !digits.starts_with('0') && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn string_end(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn number_end(text: &str) -> usize {
    text.find(|letter: char| !matches!(letter, '0'..='9' | '-' | '+' | '.' | 'e' | 'E')).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn digits_of_wide_integers_are_kept() {
        let text = r#"{"a": 123456789012345678901234567890, "b": [-9223372036854775809, 18446744073709551615, 1.5e30], "c": "\" 99999999999999999999"}"#;
        let expected = json!({"a": "123456789012345678901234567890", "b": ["-9223372036854775809", u64::MAX, 1.5e30],
            "c": "\" 99999999999999999999"});
        assert_eq!(parse(text).ok(), Some(expected));
    }

    #[test]
    fn what_is_not_json_does_not_become_json() {
        for text in ["{\"a\": 099999999999999999999}", "{\"a\": 99999999999999999999x}", "\"99999999999999999999", "-"]
        {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(matches!(kept("{\"a\": 999999999999999999}"), Cow::Borrowed(_)));
    }
}
