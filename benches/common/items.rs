//! Items of a given size.

/// Makes a knowledge item whose file has about `size` bytes.
pub(crate) fn knowledge(id: &str, size: usize) -> String {
    let (category, name) = id.rsplit_once('/').unwrap();
    let head = format!("```yaml\nname: {name}\ntitle: Note {name}\ncategory: {category}\nversion: \"1.0.0\"\n```\n\n");
    let line = format!("A line of the note {name}, as long as lines are.\n");
    let lines = size.saturating_sub(head.len()) / line.len();
    head + &line.repeat(lines)
}
