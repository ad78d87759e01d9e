//! A question in pages of a terminal: every character is on the screen before an answer counts.

/// Splits a text into pages of so many rows, of a terminal with so many columns. The last page has room for an answer.
pub(super) fn pages(text: &str, rows: usize, columns: usize) -> Vec<String> {
    let columns = columns.max(1);
    let of_text = rows_of(text, columns);
    // The prompt wraps on a narrow terminal; one more row is for an answer that wraps.
    let of_prompt = prompt(of_text.len(), of_text.len()).len().div_ceil(columns);
    let room = rows.saturating_sub(of_prompt + 1).max(1);
    of_text.chunks(room).map(|page| page.join("\n")).collect()
}

/// Returns the prompt after a page that is not the last one.
pub(super) fn prompt(page: usize, of: usize) -> String {
    format!("-- page {page} of {of}: Enter shows the next, anything else says no -- ")
}

/// Splits a text into rows of a terminal. A character outside of ASCII may take two columns.
fn rows_of(text: &str, columns: usize) -> Vec<String> {
    let mut rows = Vec::new();
    for line in text.split('\n') {
        let (mut row, mut used) = (String::new(), 0);
        for character in line.chars() {
            let width = if character.is_ascii() { 1 } else { 2 };
            if used + width > columns && used > 0 {
                rows.push(std::mem::take(&mut row));
                used = 0;
            }
            row.push(character);
            used += width;
        }
        rows.push(row);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_page_is_longer_than_the_terminal_and_nothing_is_left_out() {
        for (rows, columns) in [(24, 80), (3, 10), (1, 1), (0, 0), (50, 3)] {
            let text = format!("{}\n\n{}\u{4e2d}\u{4e2d}end", "a".repeat(500), "b\nc".repeat(40));
            let pages = pages(&text, rows, columns);
            let all: String = pages.concat();
            assert_eq!(all.replace('\n', ""), text.replace('\n', ""));
            for page in &pages {
                assert!(page.lines().count() <= rows.saturating_sub(2).max(1), "{rows} {columns}: {page}");
                assert!(page.lines().all(|row| row.chars().count() <= columns.max(1)), "{page}");
            }
        }
        assert_eq!(pages("short", 24, 80), ["short"]);
        for (rows, columns) in [(24, 80), (24, 40), (24, 10), (30, 5)] {
            let pages = pages(&"word ".repeat(400), rows, columns);
            let of_prompt = prompt(pages.len(), pages.len()).len().div_ceil(columns);
            let fits = |page: &String| page.lines().count() + of_prompt < rows;
            assert!(pages.iter().all(fits), "{rows} {columns}: {}", pages[0]);
        }
    }
}
