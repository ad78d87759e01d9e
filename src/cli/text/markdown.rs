//! A model's words on a terminal: headings, lists, tables, code, emphasis and links.
//!
//! Each part is escaped after it is read, as an entity may stand for any character.

use super::{Page, Paint, clean};
use crate::format::{Prose, Shape, prose};

/// Writes a text.
pub(in crate::cli) fn write(page: &mut Page<'_>, indent: &str, text: &str) {
    for line in lines(page.paint(), text) {
        page.line(format!("{indent}{line}").trim_end());
    }
}

/// Renders a text, line by line.
fn lines(paint: Paint, text: &str) -> Vec<String> {
    let mut sheet = Sheet { paint, lines: Vec::new(), line: String::new(), open: Vec::new(), is_begun: false };
    for part in prose(text) {
        match part {
            Prose::Start(shape) => sheet.start(shape),
            Prose::End(shape) => sheet.end(&shape),
            Prose::Text(text) => sheet.words(&clean(&text)),
            Prose::Code(code) => sheet.line.push_str(&paint.cyan(format!("`{}`", one_line(&code)))),
            Prose::Break => sheet.next_line(),
            Prose::Rule => {
                sheet.gap();
                sheet.line.push_str(&paint.dim("────"));
                sheet.next_line();
            }
        }
    }
    sheet.finish_line();
    sheet.lines
}

/// Lines under way.
struct Sheet {
    paint: Paint,
    lines: Vec<String>,
    line: String,
    /// The open shapes; of a numbered list with the number of its next entry.
    open: Vec<Shape>,
    /// Whether the line has its indentation.
    is_begun: bool,
}

impl Sheet {
    fn start(&mut self, shape: Shape) {
        match &shape {
            Shape::Paragraph if self.open.last() == Some(&Shape::Item) => {}
            Shape::Paragraph | Shape::Heading(_) | Shape::Quote | Shape::Table | Shape::CodeBlock => self.gap(),
            Shape::List(_) if self.open.contains(&Shape::Item) => self.finish_line(),
            Shape::List(_) => self.gap(),
            Shape::Item => self.begin_item(),
            Shape::Cell if !self.line.trim().is_empty() => self.line.push_str(&self.paint.dim(" │ ")),
            Shape::Row | Shape::Cell | Shape::Emphasis | Shape::Strong | Shape::Link(_) => {}
        }
        self.open.push(shape);
    }

    fn end(&mut self, shape: &Shape) {
        self.open.pop();
        match shape {
            Shape::Paragraph | Shape::Heading(_) | Shape::CodeBlock | Shape::Item | Shape::Row => self.finish_line(),
            Shape::Link(address) => {
                let address = one_line(address);
                if !self.line.contains(&address) {
                    self.line.push_str(&self.paint.dim(format!(" ({address})")));
                }
            }
            Shape::Quote | Shape::List(_) | Shape::Table | Shape::Cell | Shape::Emphasis | Shape::Strong => {}
        }
    }

    fn begin_item(&mut self) {
        self.finish_line();
        let list = self.open.iter_mut().rev().find_map(|shape| match shape {
            Shape::List(next) => Some(next),
            _ => None,
        });
        let mark = match list {
            Some(Some(next)) => {
                let mark = format!("{next}. ");
                *next = next.saturating_add(1);
                mark
            }
            Some(None) | None => "• ".to_owned(),
        };
        self.begin();
        self.line.push_str(&mark);
    }

    /// Writes words in the look of what is open.
    fn words(&mut self, text: &str) {
        let is_code = self.open.last() == Some(&Shape::CodeBlock);
        for (number, piece) in text.split('\n').enumerate() {
            if number > 0 {
                self.next_line();
            }
            if piece.is_empty() {
                continue;
            }
            self.begin();
            let look = self.look(piece);
            self.line.push_str(&if is_code { self.paint.cyan(piece) } else { look });
        }
    }

    fn look(&self, text: &str) -> String {
        let has = |wanted: fn(&Shape) -> bool| self.open.iter().any(wanted);
        let text = match () {
            () if has(|shape| matches!(shape, Shape::Heading(_))) => return self.paint.blue(text),
            () if has(|shape| matches!(shape, Shape::Link(_))) => self.paint.underline(text),
            () => text.to_owned(),
        };
        match () {
            () if has(|shape| *shape == Shape::Strong) => self.paint.bold(text),
            () if has(|shape| *shape == Shape::Emphasis) => self.paint.italic(text),
            () => text,
        }
    }

    /// Indents a line by what it lies in.
    fn begin(&mut self) {
        if self.is_begun {
            return;
        }
        self.is_begun = true;
        let items = self.open.iter().filter(|shape| **shape == Shape::Item).count();
        self.line.push_str(&"  ".repeat(items));
        for shape in &self.open {
            match shape {
                Shape::Quote => self.line.push_str(&self.paint.dim("│ ")),
                Shape::CodeBlock => self.line.push_str("  "),
                _ => {}
            }
        }
    }

    fn next_line(&mut self) {
        self.lines.push(std::mem::take(&mut self.line));
        self.is_begun = false;
    }

    fn finish_line(&mut self) {
        if !self.line.is_empty() {
            self.next_line();
        }
    }

    /// Leaves one line empty before a part that is not the first.
    fn gap(&mut self) {
        self.finish_line();
        if self.lines.last().is_some_and(|last| !last.is_empty()) {
            self.lines.push(String::new());
        }
    }
}

fn one_line(text: &str) -> String {
    super::one_line(&clean(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(text: &str) -> Vec<String> {
        lines(Paint::new(false), text)
    }

    #[test]
    fn headings_lists_code_emphasis_and_links_have_their_look() {
        let text = "# Done\n\nI *did* **it** with `ls`.\n\n- one\n- two\n  1. inner\n\n```sh\nls -l\n\ntrue\n```\n\n> so\n\n[here](https://example.org)";
        let expected = [
            "Done",
            "",
            "I did it with `ls`.",
            "",
            "• one",
            "• two",
            "  1. inner",
            "",
            "  ls -l",
            "",
            "  true",
            "",
            "│ so",
            "",
            "here (https://example.org)",
        ];
        assert_eq!(rendered(text), expected);
        let painted = lines(Paint::new(true), text).join("\n");
        assert!(painted.contains("\u{1b}[1mit") && painted.contains("\u{1b}[3mdid"), "{painted:?}");
    }

    /// Neither the text nor an entity in it moves the cursor or hides a character.
    #[test]
    fn foreign_words_control_nothing() {
        let hostile =
            "a\u{1b}[2Kb &#27;[2K &#x202e; [x](http://a/&#27;) `\u{1b}[1A`\n\n<b>html</b> ![i](http://a/b.png)";
        let text = rendered(hostile).join("\n");
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'), "{text:?}");
        assert!(text.contains("<b>html</b>") && text.contains("image: i (http://a/b.png)"), "{text}");
    }
}
