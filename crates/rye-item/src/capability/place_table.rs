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
    /// Whether they instruct or configure an agent: `rye sign --agent-files` lists the files there.
    pub is_for_agents: bool,
    /// The paths. What lies below them belongs to them.
    pub places: &'static [&'static str],
}

/// Every group.
#[rustfmt::skip]
pub const PLACE_TABLE: &[PlaceGroup] = &[
    PlaceGroup {
        about: "Pulled files",
        role: PlaceRole::Code,
        is_for_agents: false,
        places: &[
            "rye.lock",
        ],
    },
    PlaceGroup {
        about: "Agents and their clients",
        role: PlaceRole::Code,
        is_for_agents: true,
        places: &[
            ".adal", ".agent", ".agents", ".aiassistant", ".aider.conf.yml", ".aider.model.settings.yml",
            ".amazonq", ".amp", ".augment", ".augment-guidelines", ".bob", ".claude", ".claude-plugin", ".cline",
            ".clinerules", ".codebuddy", ".coderabbit.yaml", ".codex", ".cody", ".commandcode", ".continue",
            ".continuerc.json", ".continuerules", ".copilot", ".cortex", ".crush", ".crush.json", ".cursor",
            ".cursorrules", ".devin", ".factory", ".gemini", ".github/agents", ".github/chatmodes",
            ".github/copilot-instructions.md", ".github/hooks", ".github/instructions", ".github/prompts",
            ".github/skills", ".gitlab/duo", ".goose", ".goosehints", ".grok", ".iflow", ".junie", ".kilocode",
            ".kilocodemodes", ".kilocoderules*", ".kimi", ".kiro", ".kode", ".lingma", ".mcp", ".mcp.json",
            ".mcpjam", ".mux", ".neovate", ".opencode", ".openhands", ".openhands_instructions", ".pearai", ".pi",
            ".pochi", ".qoder", ".qodo", ".qwen", ".roo", ".roomodes", ".roorules*", ".rovodev", ".rules",
            ".serena", ".sourcegraph", ".tabnine", ".trae", ".trae-cn", ".vibe", ".void", ".voidrules", ".warp",
            ".windsurf", ".windsurfrules", ".zencoder", "agent.md", "agents.md", "agents.override.md",
            "claude.local.md", "claude.md", "codex.md", "crush.json", "crush.md", "gemini.md", "gptme.toml",
            "iflow.md", "opencode.json*", "qwen.md", "replit.md", "warp.md",
        ],
    },
    PlaceGroup {
        about: "Editors",
        role: PlaceRole::Code,
        is_for_agents: false,
        places: &[
            "*.code-workspace", "*.sublime-project", ".bloop", ".bsp", ".classpath", ".codesandbox", ".config/code",
            ".config/doom", ".config/helix", ".config/kak", ".config/vim", ".config/zed", ".devcontainer",
            ".devcontainer.json", ".dir-locals*.el", ".doom.d", ".emacs", ".emacs.d", ".emacs.el", ".exrc",
            ".externaltoolbuilders", ".factorypath", ".fleet", ".gitpod.yml", ".gvimrc", ".helix", ".hie-bios",
            ".idea", ".ideavimrc", ".idx", ".local.vimrc", ".lsp", ".luarc.json*", ".lvimrc", ".merlin", ".nova",
            ".nvim.lua", ".nvimrc", ".project", ".replit", ".run", ".settings", ".spacemacs", ".spacemacs.d",
            ".theia", ".vim", ".vimrc", ".vs", ".vscode", ".vscode-insiders", ".ycm_extra_conf.py", ".zed", "_exrc",
            "_vimrc", "hie.yaml", "omnisharp.json", "rust-analyzer.toml",
        ],
    },
    PlaceGroup {
        about: "Linters, formatters and compilers, whose settings are code or load it",
        role: PlaceRole::Code,
        is_for_agents: false,
        places: &[
            ".arcconfig", ".arclint", ".babelrc*", ".busted", ".commitlintrc*", ".credo.exs", ".eslintrc*",
            ".flake8", ".formatter.exs", ".haml-lint.yml", ".luacheckrc", ".markdownlint-cli2.*", ".mocharc*",
            ".mypy.ini", ".oxlintrc.json", ".php-cs-fixer*", ".php_cs*", ".phpcs.xml*", ".postcssrc*",
            ".prettierrc*", ".proverc", ".pylintrc", ".remarkrc*", ".rspec", ".rubocop.yml", ".scalafix.conf",
            ".simplecov", ".solargraph.yml", ".standard.yml", ".stylelintrc*", ".textlintrc*", ".tflint.hcl",
            ".xo-config.*", ".yardopts", "analysis_options.yaml", "babel.config.*", "commitlint.config.*",
            "config.nims", "directory.build.*", "eslint.config.*", "mypy.ini", "nim.cfg", "phpcs.xml*",
            "phpstan.neon*", "postcss.config.*", "prettier.config.*", "psalm.xml*", "pylintrc", "rector.php",
            "stylelint.config.*", "svelte.config.*", "tailwind.config.*", "tslint.json", "xo.config.*",
        ],
    },
    PlaceGroup {
        about: "Pipelines",
        role: PlaceRole::Code,
        is_for_agents: false,
        places: &[
            ".appveyor.yml", ".azure-pipelines", ".build.yml", ".buildkite", ".builds", ".circleci",
            ".cirrus.star", ".cirrus.yml", ".drone.yml", ".forgejo", ".gitea", ".github/actions",
            ".github/workflows", ".gitlab-ci.yml", ".gitlab/ci", ".harness", ".onedev-buildspec.yml",
            ".readthedocs.y*", ".semaphore", ".teamcity", ".tekton", ".travis.yml", ".woodpecker",
            ".woodpecker.y*", ".zuul.d", ".zuul.yaml", "amplify.yml", "appveyor.yml", "azure-pipelines.yml",
            "bitbucket-pipelines.yml", "bitrise.yml", "buildspec.yml", "ci_scripts", "cloudbuild.json",
            "cloudbuild.yaml", "cloudbuild.yml", "codemagic.yaml", "heroku.yml", "jenkinsfile", "netlify.toml",
            "procfile", "render.yaml", "vercel.json", "zuul.d", "zuul.yaml",
        ],
    },
    PlaceGroup {
        about: "Git and its like",
        role: PlaceRole::Code,
        is_for_agents: false,
        places: &[
            ".bazaar", ".bzr", ".captainhook.json", ".cargo-husky", ".config/gh", ".config/hg", ".config/jj",
            ".config/lefthook*", ".git-credentials", ".git-hooks", ".gitattributes", ".gitconfig", ".githooks",
            ".gitlint", ".gitmodules", ".hg", ".hgrc", ".hooks", ".husky", ".huskyrc*", ".jj", ".jjconfig.toml",
            ".lefthook*", ".lintstagedrc*", ".overcommit.yml", ".pre-commit-config.yaml", ".rusty-hook.toml",
            ".simple-git-hooks.*", ".sl", "_darcs", "captainhook.json", "lefthook", "lefthook-local.*",
            "lefthook.*", "lint-staged.config.*", "prek.toml", "simple-git-hooks.*",
        ],
    },
    PlaceGroup {
        about: "Shells, interpreters and package managers",
        role: PlaceRole::Code,
        is_for_agents: false,
        places: &[
            ".ammonite", ".asdfrc", ".autoenv*", ".aws/cli", ".aws/config", ".aws/credentials", ".bash_*", ".bashrc",
            ".bazeliskrc", ".bazelrc", ".bazelversion", ".bowerrc", ".buckconfig*", ".bundle", ".bunfig.toml",
            ".byebugrc", ".cargo/bin", ".cargo/config*", ".clojure", ".composer", ".condarc", ".config/alacritty",
            ".config/autostart", ".config/autostart-scripts", ".config/awesome", ".config/bspwm",
            ".config/containers", ".config/direnv", ".config/elvish", ".config/emacs", ".config/environment.d",
            ".config/fish", ".config/gdb", ".config/ghostty", ".config/git", ".config/hypr", ".config/i3",
            ".config/kitty", ".config/labwc", ".config/mise*", ".config/niri", ".config/nushell", ".config/nvim",
            ".config/openbox", ".config/pip", ".config/plasma-workspace", ".config/polybar", ".config/powershell",
            ".config/qtile", ".config/river", ".config/starship.toml", ".config/sway", ".config/sxhkd",
            ".config/systemd/user", ".config/tmux", ".config/uv", ".config/waybar", ".config/wezterm",
            ".config/xonsh", ".config/zsh", ".cshrc", ".curlrc", ".direnv", ".docker/cli-plugins",
            ".docker/config.json", ".duckdbrc", ".elvish", ".envrc", ".erlang", ".fluxbox", ".forward", ".fvm",
            ".fvmrc", ".gdbearlyinit", ".gdbinit", ".gemrc", ".ghci", ".gnupg/*.conf", ".gnuplot", ".go-version",
            ".gradle/gradle.properties", ".gradle/init.d", ".gradle/init.gradle*", ".groovy", ".guile", ".htaccess",
            ".i3", ".iex.exs", ".inputrc", ".ipython", ".irbrc", ".java-version", ".julia/config", ".juliarc.jl",
            ".jvmopts", ".kde/autostart", ".kde4/autostart", ".kshrc", ".kube/config", ".kube/kuberc", ".latexmkrc",
            ".lein", ".lessfilter", ".lldbinit", ".local/bin", ".local/share/applications",
            ".local/share/dbus-1/services", ".local/share/systemd/user", ".login", ".logout", ".m2/settings*.xml",
            ".mailcap", ".mavenrc", ".mill-jvm-opts", ".mise*", ".mkshrc", ".mongorc.js", ".mongoshrc.js", ".muttrc",
            ".mvn", ".my.cnf", ".netrc", ".node-version", ".npmrc", ".nvmrc", ".ocamlinit", ".octaverc", ".oh-my-zsh",
            ".p10k.zsh", ".pam_environment", ".pdbrc*", ".perl-version", ".perldb", ".php-version", ".pip", ".pnp.*",
            ".pnpmfile.*", ".procmailrc", ".profile", ".pryrc", ".psqlrc", ".pypirc", ".python-version", ".radare2rc",
            ".rdbgrc", ".renviron", ".rprofile", ".rtx.toml", ".ruby-gemset", ".ruby-version", ".rustup", ".rvmrc",
            ".sbclrc", ".sbt", ".sbtopts", ".sbtrc", ".screenrc", ".sdkmanrc", ".shadowenv.d", ".shrc", ".sqliterc",
            ".ssh", ".swift-version", ".tcshrc", ".terraform.d", ".terraformrc", ".tmux.conf", ".tool-versions",
            ".user.ini", ".vagrant.d", ".venv", ".wezterm.lua", ".wgetrc", ".xinitrc", ".xmonad", ".xonshrc",
            ".xprofile", ".xsession*", ".yarn", ".yarnrc*", ".zimrc", ".zlog*", ".zprofile", ".zshenv", ".zshrc",
            "ansible.cfg", "bunfig.toml", "dist-packages/*.pth", "dist-packages/sitecustomize.py",
            "dist-packages/usercustomize.py", "gradle/wrapper/gradle-wrapper.properties", "latexmkrc",
            "lean-toolchain", "library/launchagents", "library/launchdaemons", "mise*.toml", "mise/conf*",
            "nuget.config", "rust-toolchain*", "site-packages/*.pth", "site-packages/sitecustomize.py",
            "site-packages/usercustomize.py", "startup.m", "tools/bazel", "uv.toml",
        ],
    },
    PlaceGroup {
        about: "Skills, each of which must be signed",
        role: PlaceRole::Skills,
        is_for_agents: false,
        places: &[
            ".claude/skills", ".agents/skills", ".codex/skills", ".gemini/skills", ".github/skills",
            ".cursor/skills", ".opencode/skills", ".opencode/skill", ".agent/skills", ".augment/skills",
            ".cline/skills", ".codebuddy/skills", ".continue/skills", ".crush/skills", ".devin/skills",
            ".factory/skills", ".goose/skills", ".iflow/skills", ".junie/skills", ".kilocode/skills",
            ".kiro/skills", ".lingma/skills", ".openhands/skills", ".pi/skills", ".qoder/skills", ".qwen/skills",
            ".roo/skills", ".roo/skills-*", ".rovodev/skills", ".tabnine/agent/skills", ".trae/skills",
            ".windsurf/skills", ".zencoder/skills", ".vibe/skills", ".kimi/skills", ".kilocode/skills-*",
            ".bob/skills", ".commandcode/skills", ".adal/skills", ".mux/skills", ".neovate/skills",
            ".pochi/skills", ".cortex/skills", ".kode/skills", ".mcpjam/skills", ".trae-cn/skills",
        ],
    },
    PlaceGroup {
        about: "Skills that are offered to others",
        role: PlaceRole::Offered,
        is_for_agents: false,
        places: &[
            "skills", "plugins/*/skills",
        ],
    },
];

/// Lists the places of a role, in the order of the table.
pub(super) fn places_of(role: PlaceRole) -> impl Iterator<Item = &'static str> {
    PLACE_TABLE.iter().filter(move |group| group.role == role).flat_map(|group| group.places.iter().copied())
}

/// Lists the places that instruct or configure an agent.
pub(super) fn places_of_agents() -> impl Iterator<Item = &'static str> {
    PLACE_TABLE.iter().filter(|group| group.is_for_agents).flat_map(|group| group.places.iter().copied())
}
