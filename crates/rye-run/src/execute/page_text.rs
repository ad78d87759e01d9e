//! The text of a page of HTML: without tags, comments, scripts and styles, its blocks on lines of their own.
//!
//! No parser of HTML: broken HTML gives broken text. Linear in the page. A parser would bring a tree builder of
//! thousands of lines to leave tags out.

/// Elements whose content is not read.
const SKIPPED: [&str; 7] = ["script", "style", "noscript", "template", "svg", "head", "iframe"];
/// Inline elements.
const INLINE: [&str; 20] = [
    "a", "abbr", "b", "bdi", "cite", "code", "em", "font", "i", "img", "kbd", "label", "mark", "q", "s", "small",
    "span", "strong", "sub", "sup",
];
/// The longest name of a character reference.
const LONGEST_REFERENCE: usize = 10;

/// Returns the text of a page.
pub(super) fn of(html: &str) -> String {
    let (mut text, mut rest) = (String::with_capacity(html.len() / 4), html);
    while let Some(start) = rest.find('<') {
        push(&mut text, &rest[..start]);
        rest = &rest[start..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            rest = comment.find("-->").map_or("", |end| &comment[end + 3..]);
            continue;
        }
        let name: String = rest[1..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '/').collect();
        let name = name.trim_end_matches('/').to_ascii_lowercase();
        if name.is_empty() && !rest.starts_with("<!") && !rest.starts_with("<?") {
            push(&mut text, "<");
            rest = &rest[1..];
            continue;
        }
        rest = rest.find('>').map_or("", |end| &rest[end + 1..]);
        if SKIPPED.contains(&name.as_str()) {
            rest = after_end(rest, &name);
        }
        if !INLINE.contains(&name.trim_start_matches('/')) {
            text.push('\n');
        }
    }
    push(&mut text, rest);
    lines(&text)
}

/// What follows the end of an element.
fn after_end<'a>(rest: &'a str, name: &str) -> &'a str {
    let end = format!("</{name}");
    let bytes = rest.as_bytes();
    let found = find_ignoring_case(bytes, end.as_bytes());
    found.and_then(|at| rest[at..].find('>').map(|close| &rest[at + close + 1..])).unwrap_or("")
}

/// Finds ASCII whatever its case.
fn find_ignoring_case(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window.eq_ignore_ascii_case(wanted))
}

/// Adds text, its character references replaced, its white space as one blank.
fn push(text: &mut String, mut plain: &str) {
    while let Some(at) = plain.find('&') {
        blanks(text, &plain[..at]);
        plain = &plain[at..];
        let end = plain.bytes().take(LONGEST_REFERENCE + 2).position(|byte| byte == b';');
        match end.and_then(|end| Some((reference(&plain[1..end])?, end))) {
            Some((character, end)) => {
                text.push(character);
                plain = &plain[end + 1..];
            }
            None => {
                text.push('&');
                plain = &plain[1..];
            }
        }
    }
    blanks(text, plain);
}

fn blanks(text: &mut String, plain: &str) {
    for character in plain.chars() {
        match character.is_whitespace() {
            true if text.ends_with([' ', '\n']) => {}
            true => text.push(' '),
            false => text.push(character),
        }
    }
}

fn reference(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "nbsp" => Some(' '),
        "ndash" => Some('–'),
        "mdash" => Some('—'),
        "hellip" => Some('…'),
        "copy" => Some('©'),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code).filter(|character| !character.is_control())
        }
    }
}

/// Without blanks around lines, and no more than one line that is empty.
fn lines(text: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for line in text.lines().map(str::trim) {
        if !line.is_empty() || kept.last().is_some_and(|last| !last.is_empty()) {
            kept.push(line);
        }
    }
    kept.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_read_as_its_text() {
        let page = "<!DOCTYPE html><html><head><title>T</title><style>p{}</style></head><body>\n<h1>One &amp; two</h1><script>if (a < b) {}</SCRIPT>\
            <p>A <b>bold</b>\n word&#44; 1 &lt; 2.</p><!-- <p>no</p> --><ul><li>x</li><li>y</li></ul>a < b & c";
        assert_eq!(of(page), "One & two\n\nA bold word, 1 < 2.\n\nx\n\ny\n\na < b & c");
    }

    #[test]
    fn what_is_broken_ends() {
        for page in
            ["<", "<p", "<script>", "<!--", "&", "&#x;", "&#xd800;", "<script></scrip", "ü<ü>&ü;", "<a href='>'>x"]
        {
            of(page);
        }
        assert_eq!(of(&"<".repeat(100_000)).len(), 100_000);
    }
}
