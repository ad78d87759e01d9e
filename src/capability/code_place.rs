//! Places of a project whose content runs code on the person's machine, or instructs an agent there, without being asked.
//!
//! A tool writes there only where a path rule names the place: spells it out before its first wildcard, as
//! `.github/workflows/**` and `.claude/settings.json` do, and `**`, `.*/**` and `.github/**` do not. Names are compared
//! folded, and at any depth. What a person starts knowingly (build scripts, Makefiles) is no such place.

use super::folded::folded;
use super::paths::ProjectPath;

/// Each place by the folders that lead to it; `*` stands for the rest of a name. What lies below belongs to it.
const PLACES: [&[&str]; 36] = [
    // Servers, hooks, settings and instructions of agents and their clients.
    &[".mcp.json"],
    &[".claude"],
    &[".codex"],
    &[".cursor"],
    &[".cursorrules"],
    &[".gemini"],
    &[".opencode"],
    &["opencode.json*"],
    &[".windsurf"],
    &[".windsurfrules"],
    &[".clinerules"],
    &["agents.md"],
    &["agents.override.md"],
    &["claude.md"],
    &["claude.local.md"],
    &["gemini.md"],
    &[".github", "copilot-instructions.md"],
    // Tasks, launchers and extensions of editors.
    &[".devcontainer"],
    &[".devcontainer.json"],
    &[".idea"],
    &[".vscode"],
    &["*.code-workspace"],
    &[".zed"],
    // Pipelines.
    &[".github", "actions"],
    &[".github", "workflows"],
    &[".gitlab-ci.yml"],
    // Git: filters, submodules, hooks.
    &[".gitattributes"],
    &[".gitconfig"],
    &[".gitmodules"],
    &[".githooks"],
    &[".husky"],
    &[".pre-commit-config.yaml"],
    // Shells and package managers, as soon as they start here.
    &[".envrc"],
    &[".cargo", "config*"],
    &[".npmrc"],
    &[".yarnrc*"],
];

/// Such a place, where a path lies in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CodePlace {
    names: &'static [&'static str],
    /// How many folders lie above it.
    above: usize,
}

/// Tells whether the content of a path runs code on the person's machine, or instructs an agent there, unasked.
#[must_use]
pub fn runs_code(path: &ProjectPath) -> bool {
    !CodePlace::of(path).is_empty()
}

impl CodePlace {
    /// Returns every place that `path` lies in.
    pub(super) fn of(path: &ProjectPath) -> Vec<Self> {
        let parts: Vec<String> = path.parts().map(folded).collect();
        let places = |above| PLACES.into_iter().map(move |names| Self { names, above });
        (0..parts.len()).flat_map(places).filter(|place| place.lies_on(&parts)).collect()
    }

    /// Tells whether a path pattern names the place.
    pub(super) fn is_named_by(self, pattern: &str) -> bool {
        let literal = pattern.split(['*', '?', '[', '{']).next().unwrap_or_default();
        let parts: Vec<String> = literal.split('/').filter(|part| !matches!(*part, "" | ".")).map(folded).collect();
        self.lies_on(&parts)
    }

    /// Returns the widest path pattern that names the place and matches `path`.
    pub(super) fn rule(self, path: &ProjectPath) -> String {
        let parts: Vec<&str> = path.parts().collect();
        let end = self.above + self.names.len();
        let place = parts.get(..end).unwrap_or(&parts).join("/");
        if parts.len() > end { format!("{place}/**") } else { place }
    }

    fn lies_on(self, parts: &[String]) -> bool {
        let there = parts.get(self.above..self.above + self.names.len());
        there.is_some_and(|there| there.iter().zip(self.names).all(|(part, name)| fits(name, part)))
    }
}

/// Tells whether a folded name is the one of the table, or the short name that some file systems give it.
fn fits(name: &str, part: &str) -> bool {
    let is_same = match name.split_once('*') {
        Some((start, end)) => part.len() >= start.len() + end.len() && part.starts_with(start) && part.ends_with(end),
        None => part == name,
    };
    is_same || is_short(name, part)
}

/// `VSCODE~1` is `.vscode`, `GITLAB~1.YML` is `.gitlab-ci.yml`.
fn is_short(name: &str, part: &str) -> bool {
    let Some((stem, rest)) = part.split_once('~') else { return false };
    let letters = name.trim_start_matches(['.', '*']).split(['.', '*']).next().unwrap_or_default();
    let six: String = letters.chars().take(6).collect();
    !six.is_empty() && stem == six && rest.starts_with(|first: char| first.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn places(path: &str) -> Vec<CodePlace> {
        CodePlace::of(&path.parse().unwrap())
    }

    #[test]
    fn every_place_is_found_at_any_depth_and_spelling() {
        for names in PLACES {
            let path = names.join("/").replace('*', "x");
            for path in
                [path.clone(), format!("a/b/{path}"), format!("{path}/c"), path.to_uppercase(), format!("{path}.")]
            {
                assert!(!places(&path).is_empty(), "{path}");
            }
        }
        for path in [
            ".mcp.jſon",
            ".clau\u{200c}de/settings.json",
            ".vscode::$INDEX_ALLOCATION/tasks.json",
            "VSCODE~1/tasks.json",
            "GITLAB~1.YML",
            ".cargo/config",
            ".cargo/Config.toml",
            ".github/Workflows/ci.yml",
            "docs/CLAUDE.md",
        ] {
            assert!(!places(path).is_empty(), "{path}");
        }
    }

    #[test]
    fn their_neighbours_are_free() {
        for path in [
            "",
            ".github",
            ".github/ISSUE_TEMPLATE/bug.md",
            "workflows/ci.yml",
            "docs/claude",
            "vscode/a",
            ".cargo/registry",
            "config.toml",
            ".gitignore",
            "mcp.json",
            "agents/readme.md",
            "a~1",
            "README.md",
        ] {
            assert_eq!(places(path), [], "{path}");
        }
    }

    #[test]
    fn a_rule_names_a_place_that_it_spells_out_before_its_first_wildcard() {
        let named = |pattern: &str, path: &str| places(path).into_iter().all(|place| place.is_named_by(pattern));
        for (pattern, path) in [
            (".mcp.json", ".mcp.json"),
            (".mcp.json*", ".mcp.json"),
            ("./.github/workflows/**", ".github/workflows/ci.yml"),
            (".github/workflows/*.yml", ".github/workflows/ci.yml"),
            (".claude/settings.json", ".claude/settings.json"),
            (".cargo/config*", ".cargo/config.toml"),
            ("a/.vscode/**", "a/.vscode/tasks.json"),
        ] {
            assert!(named(pattern, path), "{pattern} {path}");
        }
        for (pattern, path) in [
            ("**", ".mcp.json"),
            ("*", ".mcp.json"),
            (".*", ".mcp.json"),
            (".mcp*", ".mcp.json"),
            ("{.mcp.json,a}", ".mcp.json"),
            ("**/.mcp.json", ".mcp.json"),
            (".github/**", ".github/workflows/ci.yml"),
            (".github/work*/**", ".github/workflows/ci.yml"),
            (".[c]laude/**", ".claude/settings.json"),
            ("a/**", "a/.vscode/tasks.json"),
            (".vscode/**", "a/.vscode/tasks.json"),
            // It lies in two places, and each needs its name.
            (".github/workflows/**", ".github/workflows/.claude/settings.json"),
        ] {
            assert!(!named(pattern, path), "{pattern} {path}");
        }
    }
}
