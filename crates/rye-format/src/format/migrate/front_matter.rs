//! Front matter into the fence that a header has now: two lines of marks change, the text between them does not.

use super::edits::Edits;
use super::work::Work;
use crate::format::knowledge::FrontMatter;

pub(super) fn rewrite(work: &mut Work<'_>) {
    let Some(FrontMatter { opening, content, closing }) = FrontMatter::find(&work.text) else { return };
    let Some(closing) = closing else {
        return work.stays(opening.start, "the front matter is not closed: end it with a line of `---`");
    };
    let run = |line: &str| line.trim_start().chars().take_while(|found| *found == '`').count();
    let longest = content.of(&work.text).lines().map(run).max().unwrap_or(0);
    let marks = "`".repeat(3.max(longest + 1));
    let mut edits = Edits::default();
    edits.replace(opening, format!("{marks}yaml"));
    edits.replace(closing, marks);
    work.apply(edits, "fence the header");
}
