//! A model's words on the page: headings, lists, tables, code, emphasis and links. Only elements of this list are written; HTML in the
//! words is text, no image is loaded, and an address is shown instead of followed.

use super::elements::Html;
use crate::format::{Prose, Shape, prose};

/// Writes a text.
pub(super) fn write(html: &mut Html, text: &str) {
    html.open("div", "said");
    for part in prose(text) {
        match part {
            Prose::Start(shape) => html.open(element(&shape), ""),
            Prose::End(shape) => {
                html.close_inline(element(&shape));
                if let Shape::Link(address) = &shape {
                    html.text(" ");
                    html.element("code", "", address);
                }
            }
            Prose::Text(text) => html.text(&text),
            Prose::Code(code) => html.element("code", "", &code),
            Prose::Break => html.text("\n"),
            Prose::Rule => html.open("hr", ""),
        }
    }
    html.close("div");
}

const fn element(shape: &Shape) -> &'static str {
    match shape {
        Shape::Paragraph => "p",
        // Above them are those of the page.
        Shape::Heading(1 | 2) => "h4",
        Shape::Heading(_) => "h5",
        Shape::Quote => "blockquote",
        Shape::List(None) => "ul",
        Shape::List(Some(_)) => "ol",
        Shape::Item => "li",
        Shape::Table => "table",
        Shape::Row => "tr",
        Shape::Cell => "td",
        Shape::CodeBlock => "pre",
        Shape::Emphasis => "em",
        Shape::Strong => "strong",
        Shape::Link(_) => "u",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> String {
        let mut html = Html::new("t");
        write(&mut html, text);
        html.finish().split_once("<main>\n").map(|(_, body)| body.to_owned()).unwrap_or_default()
    }

    #[test]
    fn words_have_their_look_and_nothing_of_them_is_html() {
        let body = page(
            "# A\n\n- *b* **c** `d`\n\n```\n<e>\n```\n[f](https://g.example)\n\n| k | l |\n|---|---|\n| m | <n> |\n",
        );
        for piece in [
            "<h4>A</h4>",
            "<li>",
            "<em>b</em>",
            "<strong>c</strong>",
            "<code>d</code>",
            "<pre>&lt;e&gt;",
            "<table><tr><td>k</td><td>l</td></tr><tr><td>m</td><td>&lt;n&gt;</td></tr></table>",
            "<u>f</u> <code>https://g.example</code>",
        ] {
            assert!(body.contains(piece), "{piece}: {body}");
        }
        let hostile = page(
            "<img src=x onerror=a()> ![i](https://h.example/p.png) [j](javascript:k()) <script>l</script>\n\n<iframe>\n",
        );
        for piece in ["<img", "<script", "<iframe", "href", "src=\"", "onerror=\""] {
            assert!(!hostile.contains(piece), "{piece}: {hostile}");
        }
        assert!(hostile.contains("image: ") && hostile.contains("&lt;script&gt;"), "{hostile}");
    }
}
