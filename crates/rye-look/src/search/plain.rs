//! A directive's text without its tags: passages are for readers.

/// Takes the tags out of a text. The content of tags stays, and so do the values of their attributes; comments and the
/// lines of fences go. Code in single backticks stays as it is.
pub(super) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['<', '&', '`']) {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let (shown, length) = piece(rest);
        plain.push_str(&shown);
        rest = &rest[length..];
    }
    plain + rest
}

/// Reads the beginning of a text; returns its shown form, and its length.
fn piece(rest: &str) -> (String, usize) {
    let as_text = |length: usize| (rest[..length].to_owned(), length);
    if rest.starts_with("```") {
        return (String::new(), rest.find('\n').unwrap_or(rest.len()));
    }
    if rest.starts_with('`') {
        let line = rest.lines().next().unwrap_or_default();
        return as_text(line[1..].find('`').map_or(1, |end| end + 2));
    }
    if let Some((entity, character)) = ENTITIES.into_iter().find(|(entity, _)| rest.starts_with(entity)) {
        return (character.to_owned(), entity.len());
    }
    if let Some(inner) = rest.strip_prefix(CDATA) {
        let end = inner.find("]]>").unwrap_or(inner.len());
        return (inner[..end].to_owned(), (CDATA.len() + end + 3).min(rest.len()));
    }
    if rest.starts_with("<!--") {
        return (String::new(), rest.find("-->").map_or(rest.len(), |end| end + 3));
    }
    tag(rest).unwrap_or_else(|| as_text(1))
}

const CDATA: &str = "<![CDATA[";

const ENTITIES: [(&str, &str); 5] = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];

/// Reads a tag; returns the values of its attributes, and its length.
fn tag(rest: &str) -> Option<(String, usize)> {
    let name = rest.strip_prefix("</").or_else(|| rest.strip_prefix('<'))?;
    name.starts_with(|first: char| first.is_ascii_alphabetic()).then_some(())?;
    let mut values = " ".to_owned();
    let mut quote = None;
    for (at, character) in rest.char_indices().skip(1) {
        match (quote, character) {
            (None, '>') => return Some((values, at + 1)),
            (None, '<') => return None,
            (None, '"' | '\'') => quote = Some(character),
            (None, _) => {}
            (Some(open), _) if character == open => {
                quote = None;
                values.push(' ');
            }
            (Some(_), _) => values.push(character),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> String {
        plain(text).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn tags_go_and_what_they_say_stays() {
        assert_eq!(
            words("<step name=\"look\">\n  <description>Read &lt;it&gt;.</description>\n</step>"),
            "look Read <it>."
        );
        assert_eq!(words("<param name='a' value=\"x > y\" />after"), "a x > y after");
        assert_eq!(words("```xml\n<a><!-- not <b> --><![CDATA[1 < 2]]></a>\n```\nend"), "1 < 2 end");
        assert_eq!(words("run `rye thread show <id>` if a < b & c"), "run `rye thread show <id>` if a < b & c");
        assert_eq!(words("a <b and <c \"open"), "a <b and <c \"open");
        assert_eq!(words("`open <x>y</x> <![CDATA[cut"), "`open y cut");
    }
}
