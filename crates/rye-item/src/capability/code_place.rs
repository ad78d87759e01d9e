//! Places of a project whose content runs code on the person's machine, or instructs an agent there, without being asked.
//!
//! A tool writes there only where a path rule names the place (`standpoint.rs`). Names are compared folded, and at any depth. What
//! a person starts knowingly (build scripts, Makefiles) is not such a place.

use super::folding::{folded, is_short};

/// Each place by the folders that lead to it; `*` matches the rest of a name. Paths below it belong to it.
const PLACES: &[&[&str]] = &[
    // The pulled files, and so the bytes for which the keys of their namespaces count.
    &["rye.lock"],
    // Servers, hooks, settings and instructions of agents and their clients.
    &[".mcp"],
    &[".mcp.json"],
    &[".agent"],
    &[".agents"],
    &[".aider.conf.yml"],
    &[".amazonq"],
    &[".amp"],
    &[".augment"],
    &[".augment-guidelines"],
    &[".claude"],
    &[".claude-plugin"],
    &[".clinerules"],
    &[".codex"],
    &[".cody"],
    &[".continue"],
    &[".continuerules"],
    &[".copilot"],
    &[".crush"],
    &[".crush.json"],
    &[".cursor"],
    &[".cursorrules"],
    &[".devin"],
    &[".factory"],
    &[".gemini"],
    &[".goosehints"],
    &[".junie"],
    &[".kilocode"],
    &[".kiro"],
    &[".openhands"],
    &[".openhands_instructions"],
    &[".opencode"],
    &[".pearai"],
    &[".pi"],
    &[".qodo"],
    &[".qwen"],
    &[".roo"],
    &[".roomodes"],
    &[".rules"],
    &[".sourcegraph"],
    &[".tabnine"],
    &[".trae"],
    &[".void"],
    &[".warp"],
    &[".windsurf"],
    &[".windsurfrules"],
    &["agent.md"],
    &["agents.md"],
    &["agents.override.md"],
    &["claude.md"],
    &["claude.local.md"],
    &["crush.json"],
    &["crush.md"],
    &["gemini.md"],
    &["opencode.json*"],
    &["qwen.md"],
    &["warp.md"],
    &[".github", "agents"],
    &[".github", "chatmodes"],
    &[".github", "copilot-instructions.md"],
    &[".github", "hooks"],
    &[".github", "instructions"],
    &[".github", "prompts"],
    &[".github", "skills"],
    &[".gitlab", "duo"],
    // Tasks, launchers, extensions and start files of editors.
    &[".codesandbox"],
    &[".devcontainer"],
    &[".devcontainer.json"],
    &[".dir-locals*.el"],
    &[".emacs"],
    &[".emacs.d"],
    &[".exrc"],
    &[".fleet"],
    &[".gitpod.yml"],
    &[".gvimrc"],
    &[".helix"],
    &[".idea"],
    &[".idx"],
    &[".local.vimrc"],
    &[".lvimrc"],
    &[".nvim.lua"],
    &[".nvimrc"],
    &[".replit"],
    &[".theia"],
    &[".vim"],
    &[".vimrc"],
    &[".vs"],
    &[".vscode"],
    &[".vscode-insiders"],
    &[".ycm_extra_conf.py"],
    &[".zed"],
    &["*.code-workspace"],
    &["*.sublime-project"],
    &["_exrc"],
    &["_vimrc"],
    // Pipelines.
    &[".appveyor.yml"],
    &[".build.yml"],
    &[".buildkite"],
    &[".builds"],
    &[".circleci"],
    &[".cirrus.yml"],
    &[".drone.yml"],
    &[".forgejo"],
    &[".gitea"],
    &[".github", "actions"],
    &[".github", "workflows"],
    &[".gitlab-ci.yml"],
    &[".gitlab", "ci"],
    &[".semaphore"],
    &[".tekton"],
    &[".travis.yml"],
    &[".woodpecker"],
    &[".woodpecker.y*"],
    &["appveyor.yml"],
    &["azure-pipelines.yml"],
    &["bitbucket-pipelines.yml"],
    &["buildspec.yml"],
    &["cloudbuild.yaml"],
    &["jenkinsfile"],
    // Git and its like: filters, submodules, hooks, other repositories.
    &[".captainhook.json"],
    &[".cargo-husky"],
    &[".config", "lefthook*"],
    &[".git-hooks"],
    &[".gitattributes"],
    &[".gitconfig"],
    &[".githooks"],
    &[".gitmodules"],
    &[".hg"],
    &[".hgrc"],
    &[".hooks"],
    &[".husky"],
    &[".huskyrc*"],
    &[".jj"],
    &[".lefthook*"],
    &[".lintstagedrc*"],
    &[".overcommit.yml"],
    &[".pre-commit-config.yaml"],
    &[".rusty-hook.toml"],
    &[".simple-git-hooks.*"],
    &["captainhook.json"],
    &["lefthook"],
    &["lefthook-local.*"],
    &["lefthook.*"],
    &["lint-staged.config.*"],
    &["prek.toml"],
    &["simple-git-hooks.*"],
    // Shells, debuggers, interpreters, version and package managers, as soon as they start here.
    &[".asdfrc"],
    &[".autoenv*"],
    &[".aws", "config"],
    &[".bash_*"],
    &[".bashrc"],
    &[".bundle"],
    &[".cargo", "config*"],
    &[".config", "autostart"],
    &[".config", "direnv"],
    &[".config", "emacs"],
    &[".config", "environment.d"],
    &[".config", "fish"],
    &[".config", "git"],
    &[".config", "mise*"],
    &[".config", "nvim"],
    &[".config", "systemd", "user"],
    &[".direnv"],
    &[".docker", "cli-plugins"],
    &[".docker", "config.json"],
    &[".envrc"],
    &[".gdbearlyinit"],
    &[".gdbinit"],
    &[".ghci"],
    &[".gradle", "init.d"],
    &[".gradle", "init.gradle*"],
    &[".iex.exs"],
    &[".ipython"],
    &[".irbrc"],
    &[".kube", "config"],
    &[".latexmkrc"],
    &[".lldbinit"],
    &[".local", "bin"],
    &[".local", "share", "systemd", "user"],
    &[".mise*"],
    &[".mvn"],
    &[".node-version"],
    &[".npmrc"],
    &[".nvmrc"],
    &[".ocamlinit"],
    &[".pdbrc*"],
    &[".pnpmfile.*"],
    &[".profile"],
    &[".pryrc"],
    &[".python-version"],
    &[".renviron"],
    &[".rprofile"],
    &[".rtx.toml"],
    &[".ruby-version"],
    &[".ssh"],
    &[".tool-versions"],
    &[".venv"],
    &[".xinitrc"],
    &[".xprofile"],
    &[".xsession*"],
    &[".yarn"],
    &[".yarnrc*"],
    &[".zlog*"],
    &[".zprofile"],
    &[".zshenv"],
    &[".zshrc"],
    &["bunfig.toml"],
    &["gradle", "wrapper", "gradle-wrapper.properties"],
    &["latexmkrc"],
    &["mise*.toml"],
    &["rust-toolchain*"],
];

/// The most names that a place has.
pub const LONGEST_PLACE: usize = longest();

const fn longest() -> usize {
    let (mut most, mut at) = (0, 0);
    while at < PLACES.len() {
        if PLACES[at].len() > most {
            most = PLACES[at].len();
        }
        at += 1;
    }
    most
}

/// Such a place, where a path lies in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CodePlace {
    names: &'static [&'static str],
    /// How many folders lie above it.
    above: usize,
}

/// Tells whether these names, from a top folder on, are a place or lead to one.
#[must_use]
pub fn leads_to_code_place(names: &[String]) -> bool {
    let names: Vec<String> = names.iter().map(|name| folded(name)).collect();
    let begins =
        |place: &&[&str]| names.len() <= place.len() && names.iter().zip(*place).all(|(part, name)| fits(name, part));
    PLACES.iter().any(begins)
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
        let places = |above| PLACES.iter().map(move |names| Self { names, above });
        (0..parts.len()).flat_map(places).filter(|place| place.lies_on(parts)).collect()
    }

    /// Returns how many names lead to its end.
    pub(super) const fn end(self) -> usize {
        self.above + self.names.len()
    }

    /// Tells whether folded names spell it out.
    pub(super) fn lies_on(self, parts: &[String]) -> bool {
        let there = parts.get(self.above..self.end());
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

#[cfg(test)]
mod tests {

    use super::*;

    fn places(path: &str) -> Vec<CodePlace> {
        CodePlace::of(&path.split('/').map(folded).collect::<Vec<_>>())
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
            "docs/misers.md",
            "lefthook-notes.md",
            ".gitlab/issue_templates/bug.md",
            ".config/nextest.toml",
            "roo/x",
            "README.md",
        ] {
            assert_eq!(places(path), [], "{path}");
        }
    }
}
