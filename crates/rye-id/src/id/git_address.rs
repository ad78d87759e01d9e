//! Addresses of skills as people have them, as git sources: what a browser shows, `owner/repo` at GitHub, a URL without a folder.
//!
//! Nothing is fetched here: whoever takes such an address shows what it means first.

/// The host that `owner/repo` means.
const GITHUB: &str = "github.com";

/// Returns the git source that a text means, in full: `git+URL//PATH[@REV]`. None for a text of another kind, such as the id of an item.
/// The source is not checked yet.
#[must_use]
pub fn git_address(text: &str) -> Option<String> {
    let text = text.trim();
    let written = text.strip_prefix("git+");
    let url = written.unwrap_or(text);
    if let Some(rest) = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://www.")) {
        return Some(of_page(rest).unwrap_or_else(|| whole(url)));
    }
    written.map(whole)
}

/// Returns the git source of `owner/repo` or `owner/repo/path` at GitHub.
#[must_use]
pub fn github_address(text: &str) -> Option<String> {
    let (place, rev) = text.trim().split_once('@').map_or((text.trim(), None), |(place, rev)| (place, Some(rev)));
    let mut parts = place.split('/');
    let (owner, repository) = (parts.next()?, parts.next()?);
    let is_name = |part: &str| {
        let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        !part.is_empty() && !part.starts_with(['-', '.']) && part.bytes().all(is_of_name)
    };
    let path: Vec<&str> = parts.collect();
    let is_address = is_name(owner) && is_name(repository) && path.iter().all(|part| is_name(part));
    is_address.then(|| source(&format!("https://{GITHUB}/{owner}/{repository}"), &path, rev))
}

fn source(url: &str, path: &[&str], rev: Option<&str>) -> String {
    let rev = rev.map(|rev| format!("@{rev}")).unwrap_or_default();
    format!("git+{url}//{}{rev}", path.join("/"))
}

/// The source of a page that shows a repository, a folder in it, or its `SKILL.md`.
fn of_page(rest: &str) -> Option<String> {
    let rest = rest.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    let rest = rest.strip_prefix("www.").unwrap_or(rest);
    if rest.contains("//") || rest.contains('@') {
        return None;
    }
    let parts: Vec<&str> = rest.split('/').collect();
    // GitLab and its like have the repository before `-`.
    let (repository, shown) = match parts.iter().position(|part| *part == "-") {
        Some(at) => (&parts[..at], &parts[at + 1..]),
        None if parts[0].eq_ignore_ascii_case(GITHUB) && parts.len() >= 3 => parts.split_at(3),
        None => return None,
    };
    let url = format!("https://{}", repository.join("/"));
    let url = url.strip_suffix(".git").unwrap_or(&url);
    match shown {
        [] => Some(source(url, &[], None)),
        ["tree" | "blob", rev, path @ ..] => {
            let folder = match path {
                [folder @ .., "SKILL.md"] => folder,
                folder => folder,
            };
            Some(source(url, folder, Some(*rev)))
        }
        _ => None,
    }
}

/// A URL without a folder means the whole repository.
fn whole(url: &str) -> String {
    let after_scheme = url.find("://").map_or(0, |at| at + 3);
    match url[after_scheme..].contains("//") {
        true => format!("git+{url}"),
        false => format!("git+{}//", url.trim_end_matches('/')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::GitSource;

    #[test]
    fn addresses_of_people_are_told_in_full() {
        for (text, expected) in [
            ("https://github.com/acme/skills", "git+https://github.com/acme/skills//"),
            ("https://github.com/acme/skills.git", "git+https://github.com/acme/skills//"),
            ("https://www.github.com/acme/skills/", "git+https://github.com/acme/skills//"),
            (
                "  https://github.com/acme/skills/tree/main/skills/pdf\n",
                "git+https://github.com/acme/skills//skills/pdf@main",
            ),
            (
                "https://github.com/acme/skills/blob/v1.0/skills/pdf/SKILL.md?plain=1#L3",
                "git+https://github.com/acme/skills//skills/pdf@v1.0",
            ),
            (
                "https://gitlab.example.org/team/sub/skills/-/tree/main/pdf",
                "git+https://gitlab.example.org/team/sub/skills//pdf@main",
            ),
            ("https://example.org/skills", "git+https://example.org/skills//"),
            ("git+https://github.com/acme/skills", "git+https://github.com/acme/skills//"),
            ("git+file:///srv/skills", "git+file:///srv/skills//"),
            ("git+../skills", "git+../skills//"),
            (" git+https://h/r//skills/pdf@v1 ", "git+https://h/r//skills/pdf@v1"),
            ("https://h/r//skills/pdf", "git+https://h/r//skills/pdf"),
        ] {
            assert_eq!(git_address(text).as_deref(), Some(expected), "{text}");
            assert!(expected.parse::<GitSource>().is_ok(), "{expected}");
        }
        for text in ["team/runbook", "runbook", "team/runbook@^1.2", "../skills", ""] {
            assert_eq!(git_address(text), None, "{text}");
        }
        assert_eq!(github_address("acme/skills").as_deref(), Some("git+https://github.com/acme/skills//"));
        let whole = "git+https://github.com/acme/skills//skills/pdf@v1";
        assert_eq!(github_address("acme/skills/skills/pdf@v1").as_deref(), Some(whole));
        for text in ["acme", "acme/", "-x/y", "a/../b", "a/b c", "a:b/c"] {
            assert_eq!(github_address(text), None, "{text}");
        }
        // A password is refused where it is not repeated.
        let with_password = git_address("https://ada:secret@github.com/acme/skills");
        assert!(with_password.is_some_and(|text| text.parse::<GitSource>().is_err()));
    }
}
