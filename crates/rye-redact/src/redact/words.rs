//! Text of a person's that a sentence repeats, without what could be a private key.
//!
//! People put a key where its name or its file belongs, and an error that repeats it writes it into a log. Armoured
//! text goes whole; of other text each long word that looks like base64 of a key, and the lines that follow it. Ids,
//! fingerprints, digests and paths stay.

use std::borrow::Cow;

/// The replacement of a key.
const CONCEALED: &str = "[hidden: it looks like a key]";

/// The shortest text that is taken for a part of a key.
const SHORTEST: usize = 40;

/// The shortest line that is taken for the rest of one.
const SHORTEST_REST: usize = 8;

/// A part without a `/` must have this length, and look like base64: parts of paths are shorter, or words, or digests.
const SHORTEST_PART: usize = 24;

/// How the base64 of private keys begins: OpenSSH's, and PKCS#8 of Ed25519, of RSA and of elliptic curves.
const BEGINNINGS: [&str; 5] = ["b3BlbnNzaC1rZXkt", "MC4CAQAw", "MFECAQEw", "MIIE", "MIGHAgEA"];

/// How that of a public Ed25519 key begins, in OpenSSH's form. It has 68 characters.
const PUBLIC: (&str, usize) = ("AAAAC3NzaC1lZDI1NTE5AAAAI", 68);

/// How many characters a fingerprint has behind `SHA256:`.
const FINGERPRINT: usize = 43;

/// Returns a text without what could be a private key.
#[must_use]
pub fn without_keys(text: &str) -> Cow<'_, str> {
    let Some((start, end)) = found(text) else { return Cow::Borrowed(text) };
    let (before, rest) = (&text[..start], &text[end..]);
    Cow::Owned(format!("{before}{CONCEALED}{}", without_keys(rest)))
}

fn found(text: &str) -> Option<(usize, usize)> {
    [armoured(text), bare(text)].into_iter().flatten().min()
}

/// Finds the first PEM. One without an end goes on to that of the text.
fn armoured(text: &str) -> Option<(usize, usize)> {
    let start = text.find("-----BEGIN")?;
    let end = text[start..].find("-----END").map_or(text.len(), |at| start + at + "-----END".len());
    let dashes = text[end..].find("-----").map_or(text.len(), |at| end + at + "-----".len());
    Some((start, dashes))
}

/// Finds the first long word that looks like base64, with the shorter ones behind it.
fn bare(text: &str) -> Option<(usize, usize)> {
    let mut words = words(text);
    let is_fingerprint = |at: usize, word: &str| word.len() == FINGERPRINT && text[..at].ends_with("SHA256:");
    let (start, word) = words.find(|(at, word)| looks_like_a_key(word) && !is_fingerprint(*at, word))?;
    let mut end = start + word.len();
    for (at, word) in words {
        let between = &text[end..at];
        let is_next = between.chars().all(char::is_whitespace) || matches!(between, "\\n" | "\\r\\n");
        if !is_next || !may_follow(word) {
            break;
        }
        end = at + word.len();
    }
    Some((start, end))
}

/// Returns the runs of characters of base64, each with its place.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_other = |character: char| !character.is_ascii_alphanumeric() && !matches!(character, '+' | '/' | '=');
    text.split(is_other)
        .map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
        .filter(|(_, word)| !word.is_empty())
}

fn looks_like_a_key(word: &str) -> bool {
    if BEGINNINGS.iter().any(|beginning| word.len() >= SHORTEST && word.contains(beginning)) {
        return true;
    }
    let is_public = word.starts_with(PUBLIC.0) && word.len() == PUBLIC.1;
    let has_part = || word.split('/').any(|part| part.len() >= SHORTEST_PART && is_mixed(part));
    !is_public && word.len() > SHORTEST && has_part()
}

/// Tells whether a word behind a part of a key may be the next one.
fn may_follow(word: &str) -> bool {
    let has = |is: fn(&u8) -> bool| word.bytes().any(|byte| is(&byte));
    let has_both_cases = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    word.len() >= SHORTEST || word.len() >= SHORTEST_REST && has_both_cases
}

/// Tells whether a word has what base64 of random bytes has and words of people have not: digits among letters of both
/// cases.
fn is_mixed(word: &str) -> bool {
    let count = |is: fn(&u8) -> bool| word.bytes().filter(is).count();
    count(u8::is_ascii_uppercase) >= 3 && count(u8::is_ascii_lowercase) >= 3 && count(u8::is_ascii_digit) >= 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trust::SigningKey;

    #[test]
    fn keys_are_taken_out_and_other_words_stay() {
        let key = SigningKey::from_seed(&[7; 32]);
        let text = key.to_openssh("a comment").to_string();
        let lines: Vec<&str> = text.lines().collect();
        let body = &lines[1..lines.len() - 1];
        let mut written =
            vec![text.clone(), text.replace('\n', ""), text.replace('\n', " "), text.replace('\n', "\\n")];
        written.extend([body.join("\n"), body.concat(), body.join(" "), text[..200].to_owned()]);
        written.extend([text.replacen("-----BEGIN", "----BEGIN", 1), format!("\"{text}\"")]);
        for written in written {
            let shown = without_keys(&format!("no key `{written}` is known")).into_owned();
            assert!(shown.starts_with("no key `") && shown.contains(CONCEALED), "{shown}");
            assert!(body.iter().all(|line| !shown.contains(&line[..line.len().min(12)])), "{shown}");
        }
        let public = key.public();
        for harmless in [
            &public.to_openssh(),
            &public.fingerprint(),
            public.key_id().as_str(),
            &crate::trust::ContentHash::of(b"x").to_string(),
            "cannot read `/home/ada/projects/GardenPlanner2/src/main/java/org/example/Beds3/PlanSeason.java`: not found",
            "unknown option `--with-changes`; `a_test_that_is_called_by_a_very_long_name_of_words_indeed` is one",
            "/dev/shm/.tmpA3bXQz/config/rye/trust/projects/a61cb159d54a9d47161dcb4206d6266e4950cfd5/9f2e4c1ab00d77e1/Git2",
            "https://example.org/repositories/garden/pulls/12/files/docs/README",
        ] {
            assert_eq!(without_keys(harmless), harmless);
        }
    }
}
