//! The id of a wrapper: a tool's name, where that is a segment of an id; else what of it is one, and a digest of all of it.

use crate::id::{ItemId, Segment};
use crate::trust::ContentHash;

/// How much of an invalid name is kept, in bytes.
const KEPT: usize = 40;
/// How many digits of the digest tell the rests of two names apart.
const DIGITS: usize = 10;

/// Returns the id of the wrapper of a server's tool. Names that differ have ids that differ.
pub(super) fn wrapper_id(server: &str, tool: &str) -> Option<ItemId> {
    let name = match tool.parse::<Segment>() {
        Ok(segment) if !ends_as_made(tool) => segment.as_str().to_owned(),
        Ok(_) | Err(_) => made(tool),
    };
    format!("mcp/{server}/{name}").parse().ok()
}

fn made(tool: &str) -> String {
    let is_of_a_segment = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let kept: String = tool.chars().map(|c| if is_of_a_segment(c) { c } else { '-' }).take(KEPT).collect();
    let kept = kept.trim_matches(['-', '_']);
    let digest = &ContentHash::of(tool.as_bytes()).to_string()[..DIGITS];
    if kept.is_empty() { format!("tool-{digest}") } else { format!("{kept}-{digest}") }
}

/// Tells whether a name ends as one that was made does: it could be the name made of another.
fn ends_as_made(tool: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    tool.rsplit_once('-').is_some_and(|(_, end)| end.len() == DIGITS && end.bytes().all(is_digit))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn names_that_differ_have_ids_that_differ() {
        let id = |tool: &str| wrapper_id("s", tool).unwrap().to_string();
        assert_eq!(id("get_current_time"), "mcp/s/get_current_time");
        assert!(id("repo.list/all").starts_with("mcp/s/repo-list-all-"), "{}", id("repo.list/all"));
        assert!(id("🦀").starts_with("mcp/s/tool-"));
        assert!(id("../../../x").starts_with("mcp/s/x-"));
        // Nor can a name pretend to be the one that is made of another.
        let taken = id("repo.list/all").replace("mcp/s/", "");
        let names = ["repo.list/all", "repo/list.all", "repo-list-all", &taken, "a", "A ", "A", &"x".repeat(200)];
        let ids: std::collections::BTreeSet<String> = names.iter().map(|name| id(name)).collect();
        assert_eq!(ids.len(), names.len());
    }
}
