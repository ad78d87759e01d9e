//! Text as it was meant: without the indentation that its place in a file gave it.

/// Joins a text into one line, runs of blanks as one.
pub(in crate::format) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Trims a text and takes the common indentation off its lines.
///
/// A first line that follows its tag directly has no indentation of its own and does not count.
pub(in crate::format) fn dedented(text: &str) -> String {
    let text = text.trim_end();
    let first = text.find(|found: char| !found.is_whitespace()).unwrap_or(text.len());
    let body = &text[text[..first].rfind('\n').map_or(0, |newline| newline + 1)..];
    match body.split_once('\n') {
        Some((line, rest)) if !text[..first].contains('\n') && indentation(line) == 0 => {
            format!("{}\n{}", line.trim_end(), without_margin(rest))
        }
        Some(_) => without_margin(body),
        None => body.trim().to_owned(),
    }
}

fn without_margin(text: &str) -> String {
    let margin = text.lines().filter(|line| !line.trim().is_empty()).map(indentation).min().unwrap_or(0);
    let cut = |line: &str| line.get(margin..).unwrap_or("").trim_end().to_owned();
    text.lines().map(cut).collect::<Vec<_>>().join("\n")
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}
