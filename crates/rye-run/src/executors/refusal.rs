//! What a server says that it was refused, as the path that its configuration could name.

use std::path::{Path, PathBuf};

/// How systems, and the languages of servers, say that a path was refused.
const REFUSED: [&str; 5] = ["Permission denied", "permission denied", "EACCES", "Read-only file system", "EROFS"];

/// A path that an MCP server was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedPath {
    /// The server.
    pub server: String,
    /// The path to name, without a quote or a backslash.
    pub path: String,
}

impl RefusedPath {
    /// Finds one in what a server says.
    #[must_use]
    pub fn in_text(server: &str, said: &str) -> Option<Self> {
        let line = said.lines().rev().find(|line| REFUSED.iter().any(|words| line.contains(words)))?;
        let mut words = line.split(|character: char| character.is_whitespace() || "'\"`:,;()[]<>".contains(character));
        let named = words.rfind(|word| word.starts_with('/') && word.len() > 1)?;
        let path = needed(Path::new(named)).to_str()?.to_owned();
        let is_plain = !path.contains(['\\', '"']) && !path.chars().any(char::is_control);
        is_plain.then(|| Self { server: server.to_owned(), path })
    }
}

/// Returns what a program would need: the folder of an installation (`~/.pyenv`), else the path itself.
fn needed(path: &Path) -> PathBuf {
    let is_hidden = |folder: &&Path| {
        let name = folder.file_name();
        name.is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
    };
    path.ancestors().skip(1).find(is_hidden).unwrap_or(path).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_leads_to_the_path_that_it_is_about() {
        for (said, expected) in [
            ("sh: 1: exec: /home/ada/.pyenv/libexec/pyenv: Permission denied", Some("/home/ada/.pyenv")),
            ("Error: EACCES: permission denied, open '/srv/data/a.txt'", Some("/srv/data/a.txt")),
            ("PermissionError: [Errno 13] Permission denied: '/srv/data/a.txt'\n", Some("/srv/data/a.txt")),
            ("OSError: [Errno 30] Read-only file system: '/var/cache/x'", Some("/var/cache/x")),
            ("Permission denied", None),
            ("/etc/passwd was read", None),
            ("/etc: Permission denied", Some("/etc")),
            ("/home/ada/.netrc: Permission denied", Some("/home/ada/.netrc")),
        ] {
            let found = RefusedPath::in_text("x", said).map(|refused| refused.path);
            assert_eq!(found.as_deref(), expected, "{said}");
        }
    }
}
