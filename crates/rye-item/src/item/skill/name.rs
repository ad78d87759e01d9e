//! Names of skills and of the files in them.

use crate::capability::{is_ignorable, is_taken_for};

/// The most characters of a skill's name.
const MOST_NAME: usize = 64;

/// The most bytes in the path of a file, from the top of its skill.
const MOST_PATH: usize = 512;

/// Why a file that is deeper than others may be is refused.
pub(super) const TOO_DEEP: &str = "it lies more than 16 folders deep";

/// Tells whether a name is one that the public format gives skills: 1 to 64 of a–z, 0–9 and single hyphens between them.
#[must_use]
pub fn is_skill_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    name.len() <= MOST_NAME && name.split('-').all(|part| !part.is_empty() && part.bytes().all(is_plain))
}

/// Says why no file of a skill may have a path; none if it may.
#[must_use]
pub fn unusable_path(path: &str) -> Option<&'static str> {
    if path.len() > MOST_PATH {
        return Some("its path is longer than 512 bytes");
    }
    if path.split('/').count() > super::MOST_DEPTH {
        return Some(TOO_DEEP);
    }
    path.split('/').find_map(unusable_name)
}

/// Tells whether some file system takes a name for that of a repository's folder.
#[must_use]
pub fn is_git_folder(name: &str) -> bool {
    name == ".git" || is_taken_for(name, ".git")
}

/// Tells whether the ending of a file's name is one of files that run.
#[must_use]
pub fn is_script_name(path: &str) -> bool {
    const ENDINGS: [&str; 22] = [
        "bash", "bat", "cjs", "cmd", "com", "exe", "fish", "js", "ksh", "lua", "mjs", "php", "pl", "ps1", "py", "r",
        "rb", "sh", "ts", "vbs", "wsf", "zsh",
    ];
    path.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending.to_ascii_lowercase().as_str()))
}

/// Says why no part of a path may be called so.
fn unusable_name(name: &str) -> Option<&'static str> {
    if matches!(name, "" | "." | "..") {
        Some("its path has an empty part, `.` or `..`")
    } else if is_git_folder(name) {
        Some("some file system takes a part of its path for `.git`")
    } else if name.chars().any(char::is_control) || name.chars().any(is_ignorable) {
        Some("its path contains a character that cannot be seen")
    } else if name.contains(['\\', ':']) {
        Some("its path contains `\\` or `:`, which Windows reads otherwise")
    } else if name.ends_with(['.', ' ']) {
        Some("a part of its path ends with a dot or a blank, which Windows drops")
    } else {
        None
    }
}

/// Returns where a link in a folder leads, from the top; none if it leads out of it.
#[must_use]
pub fn resolve_link(folder: &str, target: &str) -> Option<String> {
    if target.is_empty() || target.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let mut is_below = false;
    for part in target.split('/') {
        match part {
            "" | "." => {}
            // Behind a name that may be a link, `..` leads out of what it links to.
            ".." if is_below => return None,
            ".." => {
                parts.pop()?;
            }
            part => {
                is_below = true;
                parts.push(part);
            }
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_public_format() {
        for name in ["a", "pdf", "pdf-forms-2", "7zip", &"a".repeat(64)] {
            assert!(is_skill_name(name), "{name}");
        }
        for name in ["", "-", "a-", "-a", "a--b", "A", "a_b", "a b", "ä", "a/b", "a.b", &"a".repeat(65)] {
            assert!(!is_skill_name(name), "{name}");
        }
    }

    #[test]
    fn a_script_is_known_by_its_ending_in_any_case() {
        assert!(
            ["run.sh", "a/b.PY", "x.tar.cmd", "a.exe", "a.vbs", "a.wsf", "a.com", "a.bat", "plot.R"]
                .into_iter()
                .all(is_script_name)
        );
        assert!(!["run", "sh", "a.shx", "notes.md"].into_iter().any(is_script_name));
    }

    #[test]
    fn paths_that_lead_away_or_deceive_are_refused() {
        for path in ["SKILL.md", "scripts/run.sh", "ünï/naïve.md", ".hidden", "a b.txt", "…/x"] {
            assert_eq!(unusable_path(path), None, "{path}");
        }
        let deep = ["a"; 17].join("/");
        let long = "a".repeat(513);
        for path in [
            "",
            "/a",
            "a//b",
            "..",
            "a/../b",
            "./a",
            "a/",
            ".git/config",
            "a/.GIT/x",
            "git~1/x",
            "a\u{202e}b",
            "a\u{200b}",
            "a\nb",
            "a\\b",
            "C:a",
            "a.",
            "a /b",
            &deep,
            &long,
        ] {
            assert!(unusable_path(path).is_some(), "{path:?}");
        }
    }
}
