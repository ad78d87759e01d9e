//! Finds functions that are too long to be read at once.
//!
//! A function has at most 60 lines. One that ends with a `match` is a table: an exhaustive decision stays in one place
//! however many cases it has, as long as each of them is short. Test modules are passed over. Relies on the layout of rustfmt.

use super::scan::blank;

const MOST_LINES: usize = 60;
/// Of one case of a table.
const MOST_LINES_OF_A_CASE: usize = 25;

/// Returns the line and what is wrong, for each function that is too long.
pub(super) fn too_long(source: &str) -> Vec<(usize, String)> {
    let blanked = blank(source);
    let program = blanked.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let lines: Vec<&str> = program.lines().map(str::trim_end).collect();
    let functions = (0..lines.len()).filter_map(|start| Some((start, name(lines[start])?)));
    functions.filter_map(|(start, name)| Some((start + 1, fault(&lines, start, name)?))).collect()
}

/// Returns the name of the function that a line begins.
fn name(line: &str) -> Option<&str> {
    let line = line.trim_start();
    // `pub(in crate::a)` has words of its own.
    let line = line.strip_prefix("pub(").and_then(|rest| Some(rest.split_once(')')?.1)).unwrap_or(line);
    let (before, after) = line.split_once("fn ")?;
    let is_qualifier = |word: &str| matches!(word, "const" | "async" | "unsafe" | "extern") || word.starts_with("pub");
    let name = after.split(['(', '<']).next()?;
    (!line.ends_with(['}', ';']) && before.split_whitespace().all(is_qualifier)).then_some(name)
}

fn fault(lines: &[&str], start: usize, name: &str) -> Option<String> {
    let depth = indent(lines[start]);
    let ends = |at: &usize| indent(lines[*at]) == depth && lines[*at].ends_with('}');
    let end = (start + 1..lines.len()).find(ends)?;
    let counted = match table(&lines[..end], start, depth + 4) {
        Some(begin) => {
            if longest_case(&lines[begin + 1..end - 1], depth + 8) > MOST_LINES_OF_A_CASE {
                return Some(format!("a case of `{name}` has more than {MOST_LINES_OF_A_CASE} lines"));
            }
            begin - start + 2
        }
        None => end - start + 1,
    };
    (counted > MOST_LINES).then(|| format!("`{name}` has {counted} lines, more than {MOST_LINES}"))
}

/// Returns the line on which the `match` begins that a function ends with.
fn table(lines: &[&str], start: usize, depth: usize) -> Option<usize> {
    let last = lines.len() - 1;
    if indent(lines[last]) != depth || lines[last].trim_start() != "}" {
        return None;
    }
    let begin = (start + 1..last).rev().find(|at| !lines[*at].is_empty() && indent(lines[*at]) <= depth)?;
    lines[begin].trim_start().starts_with("match ").then_some(begin)
}

/// Returns the most lines that lie between two at `depth`.
fn longest_case(lines: &[&str], depth: usize) -> usize {
    let (mut longest, mut inside) = (0, 0);
    for line in lines {
        inside = if !line.is_empty() && indent(line) <= depth { 0 } else { inside + 1 };
        longest = longest.max(inside);
    }
    longest
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}
