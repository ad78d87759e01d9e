//! The name of a key's holder: what an allowed_signers line may begin with, and what a key's comment says.

/// Tells whether a line of allowed_signers can begin with this name.
#[must_use]
pub fn is_principal(name: &str) -> bool {
    let breaks = |c: char| c.is_whitespace() || c.is_control() || c == '"';
    let is_negated = name.split(',').any(|name| name.trim_matches('"').starts_with('!'));
    !name.is_empty() && !name.starts_with('#') && !is_negated && !name.contains(breaks)
}

/// Returns the holder that a key's comment names: an e-mail address in it, or the comment itself if it is one word.
///
/// Several names and patterns are read from allowed_signers lines only: the writer of a comment does not decide about
/// further holders of the key.
#[must_use]
pub fn holder_in(comment: &str) -> Option<&str> {
    let is_name = |word: &&str| is_principal(word) && !word.contains(['*', '?', ',']);
    let is_address =
        |word: &&str| word.split_once('@').is_some_and(|(name, host)| !name.is_empty() && !host.is_empty());
    let mut words = comment.split_whitespace().map(|word| word.trim_matches(['<', '>', '(', ')']));
    let address = words.clone().rfind(is_address);
    let only_word = words.next().filter(|_| words.next().is_none());
    address.or(only_word).filter(is_name)
}

/// Returns the name of the agent of the first plain name in a list of principals; none without one. An agent's key never has
/// its person's name: a policy counts people by their names.
#[must_use]
pub fn agent_of(principals: &str) -> Option<String> {
    let is_plain = |name: &&str| is_principal(name) && !name.contains(['*', '?']);
    principals.split(',').find(is_plain).map(|name| format!("rye-agent:{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_names_its_holder_by_an_address_or_by_one_word() {
        for (comment, holder) in [
            ("Ada Lovelace <ada@example.org>", Some("ada@example.org")),
            ("ada@example.org", Some("ada@example.org")),
            ("ada@example.org on her laptop", Some("ada@example.org")),
            ("ada", Some("ada")),
            ("rye person key", None),
            ("laptop of Ada", None),
            ("", None),
            ("*", None),
            ("*@*", None),
            ("ada@example.org,bob@example.org", None),
            ("!ada", None),
            ("#ada", None),
        ] {
            assert_eq!(holder_in(comment), holder, "{comment}");
        }
    }
}
