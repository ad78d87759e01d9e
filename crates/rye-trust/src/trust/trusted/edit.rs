//! Changing lists of keys as texts, line by line: other lines stay as they were written, comments included.

use super::allowed_signers::read_line;
use crate::id::{Timestamp, Zone};
use crate::trust::allowed_signers_line;
use crate::trust::{PublicKey, RevocationError, RevocationList, RevokedKey, TrustedKey};

/// Adds a line for each key at the end of an allowed_signers text.
#[must_use]
pub fn with_signers(text: &str, keys: &[TrustedKey]) -> String {
    keys.iter().fold(text.to_owned(), |text, key| with_line(text, &allowed_signers_line(key)))
}

/// Adds a key to a list of revoked keys, unless it is in there.
///
/// # Errors
///
/// Fails when the list cannot be read in full.
pub fn with_revoked(text: &str, origin: &str, revoked: &RevokedKey) -> Result<String, RevocationError> {
    let is_known = RevocationList::parse(text.as_bytes(), origin)?.contains(&revoked.key);
    Ok(if is_known { text.to_owned() } else { with_line(text.to_owned(), &revoked.line()) })
}

/// Ends the validity of a key, on each of its lines that count; an earlier end stays.
#[must_use]
pub fn retire_signer(text: &str, (origin, zone): (&str, &Zone), key: &PublicKey, at: Timestamp) -> String {
    let at = Timestamp::from_milliseconds(at.seconds() * 1000);
    edited(text, (origin, zone), key, |signer| {
        let end = signer.valid_before.map_or(at, |end| end.min(at));
        Some(TrustedKey { valid_before: Some(end), ..signer })
    })
}

/// Gives a key another holder, on each of its lines that count.
#[must_use]
pub fn rename_signer(text: &str, (origin, zone): (&str, &Zone), key: &PublicKey, principal: &str) -> String {
    edited(text, (origin, zone), key, |signer| Some(TrustedKey { principal: principal.to_owned(), ..signer }))
}

/// Takes out each line of a key that counts.
#[must_use]
pub fn remove_signer(text: &str, (origin, zone): (&str, &Zone), key: &PublicKey) -> String {
    edited(text, (origin, zone), key, |_| None)
}

fn edited(
    text: &str,
    (origin, zone): (&str, &Zone),
    key: &PublicKey,
    change: impl Fn(TrustedKey) -> Option<TrustedKey>,
) -> String {
    let mut edited = String::with_capacity(text.len());
    for (index, line) in text.split_inclusive('\n').enumerate() {
        match read_line(line, (origin, index + 1), zone).ok().flatten().filter(|signer| signer.key == *key) {
            None => edited.push_str(line),
            Some(signer) => match change(signer.clone()) {
                Some(changed) if changed == signer => edited.push_str(line),
                Some(changed) => {
                    edited.push_str(format!("{} {}", allowed_signers_line(&changed), comment(line, key)).trim_end());
                    edited.push('\n');
                }
                None => {}
            },
        }
    }
    edited
}

/// Returns the comment of the key on its line.
fn comment<'l>(line: &'l str, key: &PublicKey) -> &'l str {
    let key = key.to_openssh();
    let base64 = key.split(' ').next_back().unwrap_or_default();
    line.split_once(base64).map_or("", |(_, comment)| comment.trim())
}

fn with_line(mut text: String, line: &str) -> String {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(line);
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::trust::SigningKey;

    #[test]
    fn only_the_lines_of_the_key_change() {
        let key = |seed: u8| SigningKey::from_seed(&[seed; 32]).public();
        let (one, two) = (key(1).to_openssh(), key(2).to_openssh());
        let text = format!(
            "# people\r\nada {one} laptop of Ada\nbob  {two}\n\nada,ops namespaces=\"rye\",valid-before=\"20250101Z\" {one}"
        );
        let signers = ("signers", &Zone::default());
        let retired = retire_signer(&text, signers, &key(1), "2026-03-17T01:41:08Z".parse().unwrap());
        let wanted = format!(
            "# people\r\nada valid-before=\"20260317014108Z\" {one} laptop of Ada\nbob  {two}\n\nada,ops namespaces=\"rye\",valid-before=\"20250101Z\" {one}"
        );
        assert_eq!(retired, wanted);
        assert_eq!(remove_signer(&text, signers, &key(1)), format!("# people\r\nbob  {two}\n\n"));
        assert_eq!(remove_signer(&text, signers, &key(3)), text);
        let renamed = rename_signer(&text, signers, &key(1), "eve");
        let wanted = format!(
            "# people\r\neve {one} laptop of Ada\nbob  {two}\n\neve namespaces=\"rye\",valid-before=\"20250101000000Z\" {one}\n"
        );
        assert_eq!(renamed, wanted);
        // Lines that do not count stay as they are.
        let foreign = format!("ada ssh-rsa AAAA\nca cert-authority {one}\njust text\n");
        assert_eq!(remove_signer(&format!("{foreign}ada {one}\n"), signers, &key(1)), foreign);

        let revoked = RevokedKey { key: key(1), comment: "stolen".to_owned() };
        let list = with_revoked("# bad keys", "revoked", &revoked).unwrap();
        assert_eq!(list, format!("# bad keys\n{one} stolen\n"));
        assert_eq!(with_revoked(&list, "revoked", &RevokedKey { comment: String::new(), ..revoked }).unwrap(), list);
    }
}
