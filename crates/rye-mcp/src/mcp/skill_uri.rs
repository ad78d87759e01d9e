//! Addresses of skills: `skill://`, the id, and the path of a file or folder of the skill.

use super::roots::decoded;
use crate::id::ItemId;
use crate::item::SKILL_FILE;

/// The prefix of every address.
const PREFIX: &str = "skill://";

/// Tells whether an address is one of a skill.
pub(super) fn is_one(uri: &str) -> bool {
    uri.starts_with(PREFIX)
}

/// Returns the address of a file of a skill.
pub(super) fn of_file(id: &ItemId, path: &str) -> String {
    format!("{PREFIX}{id}/{}", encoded(path))
}

/// Returns the address of a folder of a skill; that of the skill itself where the path is empty.
pub(super) fn of_folder(id: &ItemId, path: &str) -> String {
    if path.is_empty() { format!("{PREFIX}{id}") } else { of_file(id, path) }
}

/// Returns the address of a skill's `SKILL.md`.
pub(super) fn of_skill(id: &ItemId) -> String {
    of_file(id, SKILL_FILE)
}

/// Returns the template of all addresses.
pub(super) fn template() -> String {
    format!("{PREFIX}{{+id}}/{{+path}}")
}

/// Returns the decoded part behind the scheme; `None` if it is not text.
pub(super) fn path(uri: &str) -> Option<String> {
    decoded(uri.strip_prefix(PREFIX)?)
}

/// Returns the id of the skill whose `SKILL.md` an address is, if it could be one.
pub(super) fn skill(uri: &str) -> Option<ItemId> {
    path(uri)?.strip_suffix(SKILL_FILE)?.strip_suffix('/')?.parse().ok()
}

/// Replaces each byte that no address may have by `%` and its two digits.
fn encoded(path: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/!$&'()*+,;=:@".contains(&byte);
    let one = |byte: u8| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    path.bytes().map(one).collect()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn an_address_leads_back_to_the_path() {
        let id: ItemId = "acme/read-pdf".parse().unwrap();
        assert_eq!(of_skill(&id), "skill://acme/read-pdf/SKILL.md");
        assert_eq!(skill(&of_skill(&id)), Some(id.clone()));
        assert_eq!(of_folder(&id, ""), "skill://acme/read-pdf");
        let uri = of_file(&id, "notes/50% of it?#ü.md");
        assert_eq!(uri, "skill://acme/read-pdf/notes/50%25%20of%20it%3F%23%C3%BC.md");
        assert_eq!(path(&uri).unwrap(), "acme/read-pdf/notes/50% of it?#ü.md");
        assert_eq!((path("skill://a/%2"), path("rye://a"), skill("skill://a/b.md")), (None, None, None));
    }
}
