//! Cutting a document into its examples: fenced and indented blocks, and code in a line that shows something.

/// One example of a document.
#[derive(Debug)]
pub(super) struct Example {
    /// The line it begins on, from 1.
    pub(super) line: usize,
    pub(super) form: Form,
    /// The last heading before it.
    pub(super) heading: String,
    pub(super) text: String,
}

/// The form of an example in its document.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// The document itself is an item.
    Document,
    /// Between fences, with the language of the first.
    Fenced(String),
    /// Indented like code.
    Indented,
    /// Code in a line.
    Inline,
}

/// What makes code in a line an example: a name alone only speaks of something.
const MARKS: [&str; 7] = ["=\"", "</", "<!--", "{", "(", ".*", "**"];

/// Takes every example out of a document, in order.
pub(super) fn examples(document: &str) -> Vec<Example> {
    let mut cutter = Cutter { found: Vec::new(), heading: String::new(), fence: None, in_process: false };
    if document.starts_with("<!-- rye:signed:") {
        cutter.push(1, Form::Document, document.to_owned());
    }
    for (index, line) in document.lines().enumerate() {
        cutter.line(index + 1, line);
    }
    cutter.found
}

struct Cutter {
    found: Vec<Example>,
    heading: String,
    /// How long the open fence is.
    fence: Option<usize>,
    /// Between the tags of a process, indentation means nothing.
    in_process: bool,
}

impl Cutter {
    fn push(&mut self, line: usize, form: Form, text: String) {
        self.found.push(Example { line, form, heading: self.heading.clone(), text });
    }

    fn extend(&mut self, line: &str) {
        let example = self.found.last_mut().expect("because an example is open");
        example.text.push_str(line);
        example.text.push('\n');
    }

    fn line(&mut self, number: usize, line: &str) {
        let ticks = line.chars().take_while(|c| *c == '`').count();
        match self.fence {
            Some(open) if ticks >= open && line[ticks..].trim().is_empty() => self.fence = None,
            Some(_) => self.extend(line),
            None if ticks >= 3 => {
                self.fence = Some(ticks);
                self.push(number, Form::Fenced(line[ticks..].trim().to_owned()), String::new());
            }
            None => self.prose(number, line),
        }
    }

    fn prose(&mut self, number: usize, line: &str) {
        self.in_process = (self.in_process || line == "<process>") && line != "</process>";
        if line.starts_with("    ") && !self.in_process {
            let goes_on = self
                .found
                .last()
                .is_some_and(|last| last.form == Form::Indented && last.line + last.text.lines().count() == number);
            if !goes_on {
                self.push(number, Form::Indented, String::new());
            }
            return self.extend(line);
        }
        if line.starts_with('#') {
            self.heading = line.trim_start_matches('#').trim().to_owned();
        }
        for code in inline(line) {
            if code.len() > 1 && MARKS.iter().any(|mark| code.contains(mark)) {
                self.push(number, Form::Inline, code.to_owned());
            }
        }
    }
}

/// Returns the code in a line: the text between two runs of as many backticks.
fn inline(line: &str) -> Vec<&str> {
    let (mut found, mut rest) = (Vec::new(), line);
    while let Some(start) = rest.find('`') {
        let (length, after) = run(&rest[start..]);
        let mut at = 0;
        let close = loop {
            let Some(next) = after[at..].find('`').map(|next| at + next) else { break None };
            let (other, _) = run(&after[next..]);
            if other == length {
                break Some(next);
            }
            at = next + other;
        };
        rest = after;
        if let Some(close) = close {
            found.push(after[..close].trim());
            rest = &after[close + length..];
        }
    }
    found
}

/// Returns how many backticks a text begins with, and what follows them.
fn run(text: &str) -> (usize, &str) {
    let rest = text.trim_start_matches('`');
    (text.len() - rest.len(), rest)
}

/// Splits markup into its top-level elements; comments and text between them are passed over.
pub(super) fn elements(text: &str) -> Vec<String> {
    let (mut found, mut depth, mut start, mut at) = (Vec::new(), 0_usize, 0, 0);
    while let Some(open) = text[at..].find('<').map(|found| at + found) {
        let rest = &text[open..];
        let skip = |end: &str| rest.find(end).map_or(text.len(), |found| open + found + end.len());
        if rest.starts_with("<!--") {
            at = skip("-->");
            continue;
        }
        if rest.starts_with("<![CDATA[") {
            at = skip("]]>");
            continue;
        }
        if !rest[1..].starts_with(|c: char| c == '/' || c.is_ascii_alphabetic()) {
            at = open + 1;
            continue;
        }
        at = skip(">");
        let tag = &text[open..at];
        if depth == 0 {
            start = open;
        }
        if tag.starts_with("</") {
            depth = depth.saturating_sub(1);
        } else if !tag.ends_with("/>") {
            depth += 1;
        }
        if depth == 0 {
            found.push(text[start..at].to_owned());
        }
    }
    found
}

/// Returns the name of an element.
pub(super) fn name_of(element: &str) -> &str {
    element[1..].split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next().unwrap_or_default()
}

#[test]
fn every_form_of_an_example_is_cut_out_where_it_stands() {
    let document = r#"# One `a="b"`

Say `name`, ``a `b="` c``, ` <a></a> `, ```xml or `{x}`.

    indented
    more

## Two

````markdown
```xml
<a/>
```
````

<process>
    Say `f(x)`.
</process>
```
last
```
"#;
    let found = examples(document);
    let found: Vec<_> =
        found.iter().map(|one| (one.line, &one.form, one.heading.as_str(), one.text.as_str())).collect();
    let (markdown, none) = (Form::Fenced("markdown".to_owned()), Form::Fenced(String::new()));
    let one = "One `a=\"b\"`";
    assert_eq!(
        found,
        [
            (1, &Form::Inline, one, "a=\"b\""),
            (3, &Form::Inline, one, "a `b=\"` c"),
            (3, &Form::Inline, one, "<a></a>"),
            (3, &Form::Inline, one, "{x}"),
            (5, &Form::Indented, one, "    indented\n    more\n"),
            (10, &markdown, "Two", "```xml\n<a/>\n```\n"),
            (17, &Form::Inline, "Two", "f(x)"),
            (19, &none, "Two", "last\n"),
        ]
    );
    let signed = "<!-- rye:signed:x -->\n# Whole\n";
    let found = examples(signed);
    assert_eq!((found.len(), found[0].line, &found[0].form, found[0].text.as_str()), (1, 1, &Form::Document, signed));
}
