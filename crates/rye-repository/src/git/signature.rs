//! Who made a commit: an identity (name and address), and with a time, git's author and committer lines.
//!
//! Invariant: names and addresses hold no `<`, `>`, line break or NUL, so they cannot forge a header.

use serde::Serialize;

/// A person or a program, as git names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Identity {
    /// The name, trimmed.
    pub name: String,
    /// The address, trimmed; may be empty.
    pub email: String,
}

impl Identity {
    /// Builds an identity, dropping what git does not allow in it; an empty name becomes the address, or `unknown`.
    pub fn new(name: &str, email: &str) -> Self {
        let (name, email) = (sanitise(name), sanitise(email));
        let name = [&name, &email].into_iter().find(|text| !text.is_empty()).cloned();
        Self { name: name.unwrap_or_else(|| "unknown".into()), email }
    }

    /// Adds a time in seconds since 1970, UTC.
    pub fn at(&self, seconds: i64) -> Signature {
        Signature::new(&self.name, &self.email, seconds)
    }
}

/// An identity at a time: git's author or committer line (git calls this a signature; nothing cryptographic).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Signature {
    /// Who.
    #[serde(flatten)]
    pub identity: Identity,
    /// When, in seconds since 1970; written with the offset `+0000`.
    pub seconds: i64,
}

impl Signature {
    /// Builds a signature; name and address are cleaned as in [`Identity::new`].
    pub fn new(name: &str, email: &str, seconds: i64) -> Self {
        Self { identity: Identity::new(name, email), seconds }
    }

    pub(super) fn to_gix(&self) -> gix::actor::Signature {
        // The fields are public, so they are cleaned once more where it matters.
        let Identity { name, email } = Identity::new(&self.identity.name, &self.identity.email);
        gix::actor::Signature {
            name: name.into(),
            email: email.into(),
            time: gix::date::Time { seconds: self.seconds, offset: 0 },
        }
    }
}

fn sanitise(text: &str) -> String {
    let kept: String = text.chars().filter(|c| !matches!(c, '<' | '>') && !c.is_control()).collect();
    // Git strips these "crud" characters at both ends too; left in, stock git would print another name than ours.
    kept.trim_matches(|c: char| c.is_whitespace() || matches!(c, '.' | ',' | ':' | ';' | '"' | '\\' | '\'')).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_what_could_forge_a_header() {
        let forged = Identity::new("Eve> 0 +0000\ntree 00\0", " <eve@example.org>\r\n");
        assert_eq!(forged, Identity { name: "Eve 0 +0000tree 00".into(), email: "eve@example.org".into() });
    }

    #[test]
    fn an_empty_name_falls_back() {
        assert_eq!(Identity::new("<>", "a@b").name, "a@b");
        assert_eq!(Identity::new("", ""), Identity { name: "unknown".into(), email: String::new() });
    }
}
