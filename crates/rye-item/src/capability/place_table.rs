//! The one table of the places in a project that programs read unasked: code places, and the folders that agents read skills from.
//!
//! docs/formats.md shows it (section 2.6), and a test compares the two. Names are compared folded, so they are in lower case here.
//! `*` matches the rest of a name. What a person starts knowingly (build scripts, Makefiles) is not in it.

/// What the places of a group are to the programs that read them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceRole {
    /// Code places, at any depth: their content runs code on the person's machine, or instructs an agent there, unasked.
    Code,
    /// Folders of skills in code places, at any depth: where skills are judged, each of them must be signed.
    Skills,
    /// Folders of skills at the top that a person may install from. They are no code places, and an unsigned skill is a warning.
    Offered,
}

/// Places of one kind.
#[derive(Debug, Clone, Copy)]
pub struct PlaceGroup {
    /// Whose places they are.
    pub about: &'static str,
    /// What they are.
    pub role: PlaceRole,
    /// The paths. What lies below them belongs to them.
    pub places: &'static [&'static str],
}

/// Every group.
#[rustfmt::skip]
pub const PLACE_TABLE: &[PlaceGroup] = &[
    PlaceGroup {
        about: "Pulled files",
        role: PlaceRole::Code,
        places: &[
            "rye.lock",
        ],
    },
    PlaceGroup {
        about: "Agents and their clients",
        role: PlaceRole::Code,
        places: &[
            ".agent", ".agents", ".aiassistant", ".aider.conf.yml", ".amazonq", ".amp", ".augment",
            ".augment-guidelines", ".claude", ".claude-plugin", ".cline", ".clinerules", ".codebuddy", ".codex",
            ".cody", ".continue", ".continuerules", ".copilot", ".crush", ".crush.json", ".cursor", ".cursorrules",
            ".devin", ".factory", ".gemini", ".github/agents", ".github/chatmodes",
            ".github/copilot-instructions.md", ".github/hooks", ".github/instructions", ".github/prompts",
            ".github/skills", ".gitlab/duo", ".goose", ".goosehints", ".iflow", ".junie", ".kilocode", ".kiro",
            ".lingma", ".mcp", ".mcp.json", ".opencode", ".openhands", ".openhands_instructions", ".pearai", ".pi",
            ".qoder", ".qodo", ".qwen", ".roo", ".roomodes", ".rovodev", ".rules", ".serena", ".sourcegraph",
            ".tabnine", ".trae", ".void", ".warp", ".windsurf", ".windsurfrules", ".zencoder", "agent.md",
            "agents.md", "agents.override.md", "claude.local.md", "claude.md", "crush.json", "crush.md",
            "gemini.md", "opencode.json*", "qwen.md", "replit.md", "warp.md",
        ],
    },
    PlaceGroup {
        about: "Editors",
        role: PlaceRole::Code,
        places: &[
            ".codesandbox", ".devcontainer", ".devcontainer.json", ".dir-locals*.el", ".emacs", ".emacs.d",
            ".exrc", ".fleet", ".gitpod.yml", ".gvimrc", ".helix", ".idea", ".idx", ".local.vimrc", ".lvimrc",
            ".nvim.lua", ".nvimrc", ".replit", ".theia", ".vim", ".vimrc", ".vs", ".vscode", ".vscode-insiders",
            ".ycm_extra_conf.py", ".zed", "*.code-workspace", "*.sublime-project", "_exrc", "_vimrc",
        ],
    },
    PlaceGroup {
        about: "Linters, formatters and compilers, whose settings are code or load it",
        role: PlaceRole::Code,
        places: &[
            ".eslintrc*", ".markdownlint-cli2.*", ".prettierrc*", ".pylintrc", ".remarkrc*", ".rubocop.yml",
            ".stylelintrc*", "eslint.config.*", "prettier.config.*", "pylintrc", "stylelint.config.*",
            "svelte.config.*",
        ],
    },
    PlaceGroup {
        about: "Pipelines",
        role: PlaceRole::Code,
        places: &[
            ".appveyor.yml", ".build.yml", ".buildkite", ".builds", ".circleci", ".cirrus.star", ".cirrus.yml",
            ".drone.yml", ".forgejo", ".gitea", ".github/actions", ".github/workflows", ".gitlab-ci.yml",
            ".gitlab/ci", ".semaphore", ".tekton", ".travis.yml", ".woodpecker", ".woodpecker.y*", "appveyor.yml",
            "azure-pipelines.yml", "bitbucket-pipelines.yml", "buildspec.yml", "cloudbuild.yaml", "jenkinsfile",
        ],
    },
    PlaceGroup {
        about: "Git and its like",
        role: PlaceRole::Code,
        places: &[
            ".captainhook.json", ".cargo-husky", ".config/lefthook*", ".git-hooks", ".gitattributes", ".gitconfig",
            ".githooks", ".gitmodules", ".hg", ".hgrc", ".hooks", ".husky", ".huskyrc*", ".jj", ".lefthook*",
            ".lintstagedrc*", ".overcommit.yml", ".pre-commit-config.yaml", ".rusty-hook.toml",
            ".simple-git-hooks.*", "captainhook.json", "lefthook", "lefthook-local.*", "lefthook.*",
            "lint-staged.config.*", "prek.toml", "simple-git-hooks.*",
        ],
    },
    PlaceGroup {
        about: "Shells, interpreters and package managers",
        role: PlaceRole::Code,
        places: &[
            ".asdfrc", ".autoenv*", ".aws/config", ".bash_*", ".bashrc", ".bundle", ".cargo/config*",
            ".config/autostart", ".config/direnv", ".config/emacs", ".config/environment.d", ".config/fish",
            ".config/git", ".config/mise*", ".config/nvim", ".config/systemd/user", ".direnv",
            ".docker/cli-plugins", ".docker/config.json", ".envrc", ".gdbearlyinit", ".gdbinit", ".ghci",
            ".gradle/init.d", ".gradle/init.gradle*", ".iex.exs", ".ipython", ".irbrc", ".kube/config",
            ".latexmkrc", ".lldbinit", ".local/bin", ".local/share/systemd/user", ".mise*", ".mvn",
            ".node-version", ".npmrc", ".nvmrc", ".ocamlinit", ".pdbrc*", ".pnpmfile.*", ".profile", ".pryrc",
            ".python-version", ".renviron", ".rprofile", ".rtx.toml", ".ruby-version", ".ssh", ".tool-versions",
            ".venv", ".xinitrc", ".xprofile", ".xsession*", ".yarn", ".yarnrc*", ".zlog*", ".zprofile", ".zshenv",
            ".zshrc", "bunfig.toml", "gradle/wrapper/gradle-wrapper.properties", "latexmkrc", "mise*.toml",
            "rust-toolchain*",
        ],
    },
    PlaceGroup {
        about: "Skills, each of which must be signed",
        role: PlaceRole::Skills,
        places: &[
            ".claude/skills", ".agents/skills", ".codex/skills", ".gemini/skills", ".github/skills",
            ".cursor/skills", ".opencode/skills", ".opencode/skill", ".agent/skills", ".augment/skills",
            ".cline/skills", ".codebuddy/skills", ".continue/skills", ".crush/skills", ".devin/skills",
            ".factory/skills", ".goose/skills", ".iflow/skills", ".junie/skills", ".kilocode/skills",
            ".kiro/skills", ".lingma/skills", ".openhands/skills", ".pi/skills", ".qoder/skills", ".qwen/skills",
            ".roo/skills", ".roo/skills-*", ".rovodev/skills", ".tabnine/agent/skills", ".trae/skills",
            ".windsurf/skills", ".zencoder/skills",
        ],
    },
    PlaceGroup {
        about: "Skills that are offered to others",
        role: PlaceRole::Offered,
        places: &[
            "skills", "plugins/*/skills",
        ],
    },
];

/// Lists the places of a role, in the order of the table.
pub(super) fn places_of(role: PlaceRole) -> impl Iterator<Item = &'static str> {
    PLACE_TABLE.iter().filter(move |group| group.role == role).flat_map(|group| group.places.iter().copied())
}
