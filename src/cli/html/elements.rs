//! A page of HTML under way.
//!
//! Text reaches it through [`Html::text`] alone, which escapes it and shows hidden characters; everything else is
//! written in this folder, word for word.

use crate::cli::text::clean;

/// The page's style, light and dark.
const STYLE: &str = include_str!("style.css");

/// Nothing is loaded, run or sent, whatever the page holds.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// A page under way.
#[derive(Debug, Default)]
pub(super) struct Html {
    page: String,
}

impl Html {
    /// Begins a page.
    pub(super) fn new(title: &str) -> Self {
        let mut html = Self::default();
        html.page.push_str("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        html.page.push_str(&format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n"));
        html.page.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
        html.page.push_str("<meta name=\"color-scheme\" content=\"light dark\">\n");
        html.page.push_str("<meta name=\"referrer\" content=\"no-referrer\">\n<title>");
        html.text(title);
        html.page.push_str(&format!("</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n"));
        html
    }

    /// Ends the page.
    pub(super) fn finish(mut self) -> String {
        self.page.push_str("</main>\n</body>\n</html>\n");
        self.page
    }

    /// Writes text from anywhere.
    pub(super) fn text(&mut self, text: &str) {
        for character in clean(text).chars() {
            match character {
                '&' => self.page.push_str("&amp;"),
                '<' => self.page.push_str("&lt;"),
                '>' => self.page.push_str("&gt;"),
                '"' => self.page.push_str("&quot;"),
                '\'' => self.page.push_str("&#39;"),
                other => self.page.push(other),
            }
        }
    }

    /// Opens an element of a class.
    pub(super) fn open(&mut self, element: &'static str, class: &'static str) {
        self.page.push_str(&match class {
            "" => format!("<{element}>"),
            class => format!("<{element} class=\"{class}\">"),
        });
    }

    /// Closes an element within a line.
    pub(super) fn close_inline(&mut self, element: &'static str) {
        self.page.push_str(&format!("</{element}>"));
    }

    pub(super) fn close(&mut self, element: &'static str) {
        self.page.push_str(&format!("</{element}>\n"));
    }

    /// Writes an element that holds text alone.
    pub(super) fn element(&mut self, element: &'static str, class: &'static str, text: &str) {
        self.open(element, class);
        self.text(text);
        self.page.push_str(&format!("</{element}>"));
    }

    /// Writes a name and a value of a list of facts.
    pub(super) fn fact(&mut self, name: &str, value: &str) {
        self.open("div", "");
        self.element("dt", "", name);
        self.element("dd", "", value);
        self.close("div");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text() {
        let mut html = Html::default();
        html.element("p", "said", "<script>\"'&\u{202e}\u{1b}</script>");
        assert_eq!(html.page, "<p class=\"said\">&lt;script&gt;&quot;&#39;&amp;\\u{202e}\u{FFFD}&lt;/script&gt;</p>");
    }
}
