//! Places of a project whose content runs code on the person's machine, or instructs an agent there, without being asked.
//!
//! A tool writes there only where a path rule names the place (`standpoint.rs`). Names are compared folded, and at any depth.

use super::folding::{folded, is_short};
use super::place_table::{PLACE_TABLE, PlaceRole, places_of};

/// The most names that a place has.
pub const LONGEST_PLACE: usize = longest();

const fn longest() -> usize {
    let (mut most, mut group) = (0, 0);
    while group < PLACE_TABLE.len() {
        let mut at = 0;
        while at < PLACE_TABLE[group].places.len() {
            let names = count(PLACE_TABLE[group].places[at]);
            most = if names > most { names } else { most };
            at += 1;
        }
        group += 1;
    }
    most
}

/// Counts the names of a path.
const fn count(path: &str) -> usize {
    let (mut names, mut at) = (1, 0);
    while at < path.len() {
        names += (path.as_bytes()[at] == b'/') as usize;
        at += 1;
    }
    names
}

/// Such a place, where a path lies in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CodePlace {
    path: &'static str,
    /// How many folders lie above it.
    above: usize,
}

/// Tells whether these names, from a top folder on, are a place or lead to one.
#[must_use]
pub fn leads_to_code_place(names: &[String]) -> bool {
    let names: Vec<String> = names.iter().map(|name| folded(name)).collect();
    let begins = |place: &str| {
        names.len() <= count(place) && names.iter().zip(place.split('/')).all(|(part, name)| fits(name, part))
    };
    places_of(PlaceRole::Code).any(begins)
}

/// Tells whether these names, from a top folder on, lie in a place.
#[must_use]
pub fn is_code_place(names: &[String]) -> bool {
    let names: Vec<String> = names.iter().map(|name| folded(name)).collect();
    !CodePlace::of(&names).is_empty()
}

impl CodePlace {
    /// Returns every place that folded names lie in.
    pub(super) fn of(parts: &[String]) -> Vec<Self> {
        let places = |above| places_of(PlaceRole::Code).map(move |path| Self { path, above });
        (0..parts.len()).flat_map(places).filter(|place| place.lies_on(parts)).collect()
    }

    /// Returns how many names lead to its end.
    pub(super) const fn end(self) -> usize {
        self.above + count(self.path)
    }

    /// Tells whether folded names spell it out.
    pub(super) fn lies_on(self, parts: &[String]) -> bool {
        let there = parts.get(self.above..self.end());
        there.is_some_and(|there| there.iter().zip(self.path.split('/')).all(|(part, name)| fits(name, part)))
    }
}

/// Tells whether a folded name is the one of the table, or the short name that some file systems give it.
pub(super) fn fits(name: &str, part: &str) -> bool {
    let is_same = match name.split_once('*') {
        Some((start, end)) => part.len() >= start.len() + end.len() && part.starts_with(start) && part.ends_with(end),
        None => part == name,
    };
    is_same || is_short(name, part)
}

#[cfg(test)]
mod tests {

    use super::*;

    fn places(path: &str) -> Vec<CodePlace> {
        CodePlace::of(&path.split('/').map(folded).collect::<Vec<_>>())
    }

    #[test]
    fn every_place_is_found_at_any_depth_and_spelling() {
        for path in places_of(PlaceRole::Code) {
            let path = path.replace('*', "x");
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
            ".agents/skills/x/SKILL.md",
            "docs/QWEN.md",
            ".github/instructions/x.instructions.md",
            ".lefthook-local.yaml",
            "lefthook.toml",
            ".mise/tasks/x",
            "mise.dev.toml",
            ".pnpmfile.mjs",
            ".yarn/plugins/x.cjs",
            ".yarnrc.yml",
            ".dir-locals-2.el",
            ".hg/hgrc",
            ".jj/repo/config.toml",
            "HG~1/hgrc",
            ".eslintrc.cjs",
            "web/eslint.config.mjs",
            "Prettier.config.ts",
            ".prettierrc.js",
            "Replit.md",
            ".Serena/memories/x.md",
            "packages/web/.roo/skills/x/SKILL.md",
            "mise/config.toml",
            "mise/conf.d/x.toml",
            ".mise.local.toml",
            "web/rust-analyzer.toml",
            ".config/sway/config",
            ".config/i3/config",
            ".config/hypr/hyprland.conf",
            ".config/openbox/autostart",
            ".config/autostart-scripts/x.sh",
            ".kde/Autostart/x.sh",
            ".local/share/dbus-1/services/x.service",
            ".gnupg/gpg-agent.conf",
            ".gnupg/gpg.conf",
            "lib/python3.12/site-packages/x.pth",
            "lib/python3.12/site-packages/sitecustomize.py",
            ".p10k.zsh",
            ".zimrc",
            ".shadowenv.d/500.lisp",
        ] {
            assert!(!places(path).is_empty(), "{path}");
        }
    }

    #[test]
    fn a_folder_of_skills_that_must_be_signed_is_in_a_code_place_and_an_offered_one_is_not() {
        for path in places_of(PlaceRole::Skills) {
            assert!(!places(&path.replace('*', "x")).is_empty(), "{path}");
        }
        for path in places_of(PlaceRole::Offered) {
            assert_eq!(places(&path.replace('*', "x")), [], "{path}");
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
            "docs/misers.md",
            "lefthook-notes.md",
            ".gitlab/issue_templates/bug.md",
            ".config/nextest.toml",
            "roo/x",
            "skills/x/SKILL.md",
            "plugins/a/skills/x/SKILL.md",
            "eslint.md",
            "prettier/config.js",
            "README.md",
        ] {
            assert_eq!(places(path), [], "{path}");
        }
    }
}
