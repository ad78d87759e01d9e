//! Texts that are shown in part: wherever a bound falls, no part of a secret is left at it.

use std::fmt::Write as _;

use rye::redact::{Redacted, Redactor, Secret};

use super::shapes::{LETTERS, random};

/// How much of a secret may be left: what is shorter tells little, and is a part of other words.
pub(crate) const TELLS: usize = 4;

/// Returns a part of a value that a text has.
pub(crate) fn told(value: &str, shown: &str) -> Option<String> {
    let is_shown = |part: &&[u8]| shown.as_bytes().windows(TELLS).any(|window| window == *part);
    value.as_bytes().windows(TELLS).find(is_shown).map(|part| String::from_utf8_lossy(part).into_owned())
}

/// The texts that a secret is cut in: on a line with others, on a line of its own, in a long line, in several lines.
fn texts(value: &str) -> Vec<String> {
    let mut numbered = String::new();
    value.as_bytes().chunks(11).enumerate().for_each(|(at, part)| {
        writeln!(numbered, "{at}: {}", String::from_utf8_lossy(part)).unwrap();
    });
    vec![
        format!("one line\nkey = \"{value}\"\nand another\n"),
        format!("first\n{value}\nlast\n"),
        format!("{} {value} {}", "w ".repeat(90), "w ".repeat(90)),
    ]
}

#[test]
fn no_bound_leaves_a_part_of_a_secret() {
    let value = random("", LETTERS, 40);
    let lines = format!("{}\n{}\n{}", &value[..12], &value[12..30], &value[30..]);
    let token = random("ghp_", LETTERS, 36);
    for known in [&value, &lines] {
        let redactor = Redactor::new([Secret::new("MY_KEY".to_owned(), known)]);
        for text in texts(known).iter().chain(&texts(&token)) {
            for at in 0..=text.len() {
                // The text that is cut, and the text that was cut before it came.
                let whole = redactor.redacted(text.as_str());
                let lines: Vec<Redacted<'_>> = (0..4).map(|line| whole.lines(line, 1)).collect();
                let came = redactor.redacted_bytes(&text.as_bytes()[..at], at < text.len());
                let mut shown = vec![whole.beginning(at), whole.end(at), came.as_str(), came.end(at / 2)];
                shown.extend(lines.iter().map(|line| line.beginning(at)));
                for shown in shown {
                    for secret in [&value, &token[8..]] {
                        assert_eq!(told(secret, shown), None, "{at}: {text:?}: {shown:?}");
                    }
                }
            }
        }
    }
}

/// The end of a text that was cut loses little of what is not a secret, and a text that was not cut loses nothing.
#[test]
fn a_text_that_was_cut_keeps_what_no_secret_begins_with() {
    let redactor = Redactor::new([Secret::new("MY_KEY".to_owned(), &random("", LETTERS, 40))]);
    let text = "A line of prose, and another one.\n".repeat(50) + "The last";
    let came = redactor.redacted_bytes(text.as_bytes(), true);
    assert!(text.starts_with(came.as_str()) && came.as_str().ends_with("The "), "{:?}", came.end(60));
    assert_eq!(redactor.redacted_bytes("x = 1; token".as_bytes(), false).as_str(), "x = 1; token");
    let half = "Say sch\u{fc}".as_bytes();
    assert_eq!(redactor.redacted_bytes(&half[..half.len() - 1], true).as_str(), "Say ");
}

/// Lines keep their numbers, so that a tool can redact first and then count lines.
#[test]
fn a_mark_keeps_the_lines_of_its_secret() {
    let redactor = Redactor::new([Secret::new("MY_KEY".to_owned(), "abcd-efgh\nijkl-mnop\nqrst-uvwx")]);
    let redacted = redactor.redacted("one\nabcd-efgh\nijkl-mnop\nqrst-uvwx\nfive\n");
    assert_eq!(redacted.lines(4, 1).as_str(), "five\n");
    assert_eq!(redacted.as_str().lines().count(), 5);
    assert_eq!((redacted.lines(0, 1).as_str(), redacted.lines(9, 2).as_str()), ("one\n", ""));
}
