//! A text that arrives piece by piece: prose is shown as it comes, and no part of a secret is, wherever the text is cut.

use rye::redact::{Arriving, Redactor, Secret};

use super::shapes::{LETTERS, random};

fn shown(redactor: &Redactor, pieces: &[&str]) -> Vec<String> {
    let mut arriving = Arriving::default();
    let mut shown: Vec<String> = pieces.iter().map(|piece| arriving.push(redactor, piece)).collect();
    shown.push(arriving.close(redactor));
    shown
}

#[test]
fn prose_appears_as_it_comes() {
    let pieces = ["The first half of", " an answer, that is", " it. And", " then\n", "only."];
    let mut expected: Vec<String> = pieces.iter().map(|piece| (*piece).to_owned()).collect();
    expected.push(String::new());
    assert_eq!(shown(&Redactor::default(), &pieces), expected);
}

#[test]
fn a_secret_never_appears_wherever_its_text_is_cut() {
    let token = random("ghp_", LETTERS, 36);
    let begin = "-----BEGIN OPENSSH PRIVATE ".to_owned() + "KEY-----";
    let end = "-----END OPENSSH PRIVATE ".to_owned() + "KEY-----";
    let body = &random("b3BlbnNzaC1rZXktdjE", LETTERS, 50);
    let redactor = Redactor::new([Secret::new("MY_KEY".to_owned(), "correct horse battery")]);
    for (secret, text) in [
        (token.as_str(), format!("It is {token}, keep it\nNext.")),
        ("tr0ub4dor&3", "password: \"tr0ub4dor&3\" and more".to_owned()),
        ("tr0ub4dor&3", "See https://ada:tr0ub4dor&3@example.org/x now".to_owned()),
        (body.as_str(), format!("Key:\n{begin}\n{body}\n{body}\n{end}\nDone.")),
        ("correct horse battery", "say correct horse battery twice".to_owned()),
    ] {
        let whole = redactor.text(&text).into_owned();
        assert!(!whole.contains(secret) && whole.contains("[redacted: "), "{whole}");
        for at in 0..=text.len() {
            let Some((one, two)) = text.split_at_checked(at) else { continue };
            let parts = shown(&redactor, &[one, two]);
            assert_eq!(parts.concat(), whole, "{one:?} {two:?}");
        }
        let letters: Vec<String> = text.chars().map(String::from).collect();
        let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
        assert_eq!(shown(&redactor, &letters).concat(), whole);
    }
}
