//! Where a commit's signature is, and what it signs: the same split stock git makes (`parse_signed_commit`).
//!
//! A repository's own header is `gpgsig` or `gpgsig-sha256`, by its object format; other headers that start with
//! `gpgsig` are neither the signature nor signed. The tag inside a `mergetag` header is part of the signed bytes, its
//! own signature included. Of several signatures all are returned, one after the other, so that the caller cannot pick
//! one.

use super::ObjectFormat;

/// Returns the header that holds a commit's signature.
pub(super) const fn signature_header(format: ObjectFormat) -> &'static str {
    match format {
        ObjectFormat::Sha1 => "gpgsig",
        ObjectFormat::Sha256 => "gpgsig-sha256",
    }
}

/// Splits a commit's bytes into its signature and the signed bytes; `None` without a signature.
pub(super) fn split_signature(commit: &[u8], format: ObjectFormat) -> Option<(String, Vec<u8>)> {
    let body = commit.windows(2).position(|pair| pair == b"\n\n").map_or(commit.len(), |at| at + 1);
    let (headers, body) = commit.split_at(body);
    let (mut armored, mut payload) = (Vec::new(), Vec::new());
    let mut part = Part::Signed;
    for line in headers.split_inclusive(|byte| *byte == b'\n') {
        let text = match line.strip_prefix(b" ") {
            Some(continued) => continued,
            None => {
                part = Part::of(line, format);
                line.splitn(2, |byte| *byte == b' ').nth(1).unwrap_or_default()
            }
        };
        match part {
            Part::Signed => payload.extend_from_slice(line),
            Part::Signature => armored.extend_from_slice(text),
            Part::Neither => {}
        }
    }
    payload.extend_from_slice(body);
    (!armored.is_empty()).then(|| (String::from_utf8_lossy(&armored).into_owned(), payload))
}

/// What a header line is to the signature.
#[derive(Debug, Clone, Copy)]
enum Part {
    Signed,
    Signature,
    Neither,
}

impl Part {
    fn of(line: &[u8], format: ObjectFormat) -> Self {
        let own = line.strip_prefix(signature_header(format).as_bytes()).is_some_and(|rest| rest.starts_with(b" "));
        match (own, line.starts_with(b"gpgsig")) {
            (true, _) => Self::Signature,
            (false, true) => Self::Neither,
            (false, false) => Self::Signed,
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use super::*;

    const HEAD: &str = "tree 1\nauthor a\ncommitter b\n";

    fn split(headers: &str, format: ObjectFormat) -> Option<(String, String)> {
        let commit = format!("{HEAD}{headers}\nsubject\n\ngpgsig no header\n");
        let (armored, payload) = split_signature(commit.as_bytes(), format)?;
        Some((armored, String::from_utf8(payload).unwrap()))
    }

    fn payload(headers: &str) -> String {
        format!("{HEAD}{headers}\nsubject\n\ngpgsig no header\n")
    }

    #[test]
    fn the_signature_of_the_own_format_is_taken_and_the_others_are_left_out() {
        let both = "gpgsig one\n two\n \ngpgsig-sha256 three\n four\nencoding x\n";
        let one = ("one\ntwo\n\n".to_owned(), payload("encoding x\n"));
        let other = ("three\nfour\n".to_owned(), payload("encoding x\n"));
        assert_eq!(split(both, ObjectFormat::Sha1), Some(one));
        assert_eq!(split(both, ObjectFormat::Sha256), Some(other));
    }

    #[test]
    fn no_signature_is_none() {
        assert_eq!(split("gpgsig-sha256 a\n", ObjectFormat::Sha1), None);
        assert_eq!(split("mergetag object 1\n gpgsig a\n", ObjectFormat::Sha1), None);
        assert_eq!(split("", ObjectFormat::Sha1), None);
    }

    #[test]
    fn several_signatures_come_all() {
        let split = split("gpgsig one\ngpgsigx\n y\ngpgsig two\n", ObjectFormat::Sha1);
        assert_eq!(split, Some(("one\ntwo\n".to_owned(), payload(""))));
    }

    #[test]
    fn a_merged_tag_is_signed_with_its_own_signature() {
        let tag = "mergetag object 1\n type commit\n \n -----BEGIN SSH SIGNATURE-----\n";
        let split = split(&format!("{tag}gpgsig one\n"), ObjectFormat::Sha1);
        assert_eq!(split, Some(("one\n".to_owned(), payload(tag))));
    }
}
