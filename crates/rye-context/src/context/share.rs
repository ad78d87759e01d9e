//! What `threads.share` names: folders of the project, and presets for the tools of a language.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, de};

use crate::capability::ProjectPath;

/// What a preset begins with in the configuration.
const PREFIX: &str = "preset:";

/// Something that the trees of threads get.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Share {
    /// A folder that git ignores.
    Folder(ProjectPath),
    /// What the tools of a language need.
    Preset(Preset),
}

/// The tools of a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Preset {
    /// Python with a virtual environment, made by uv or another tool.
    Python,
    /// Node with npm, pnpm or yarn.
    Node,
    /// Rust with cargo.
    Cargo,
    /// Go.
    Go,
}

/// By what a folder is told from another one of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// It contains this file.
    Inside(&'static str),
    /// This file lies next to it.
    Beside(&'static str),
}

/// What a preset is about.
#[derive(Debug, Clone, Copy)]
pub struct PresetRow {
    /// Its name, without the prefix.
    pub name: &'static str,
    /// The folders that threads get copies of, wherever they lie.
    pub folders: &'static [&'static str],
    /// What tells such a folder.
    pub proof: Proof,
    /// Files of a project that has a use for it.
    pub marks: &'static [&'static str],
    /// The command that makes the folders, where a project cannot do without them.
    pub maker: Option<&'static str>,
}

impl Preset {
    /// Every preset.
    pub const ALL: [Self; 4] = [Self::Python, Self::Node, Self::Cargo, Self::Go];

    /// The table.
    #[must_use]
    pub const fn row(self) -> PresetRow {
        match self {
            Self::Python => PresetRow {
                name: "python",
                folders: &[".venv", "venv"],
                proof: Proof::Inside("pyvenv.cfg"),
                marks: &[
                    "uv.lock",
                    "poetry.lock",
                    "pdm.lock",
                    "Pipfile",
                    "pyproject.toml",
                    "requirements.txt",
                    "setup.py",
                ],
                maker: Some("uv sync"),
            },
            Self::Node => PresetRow {
                name: "node",
                folders: &["node_modules"],
                proof: Proof::Beside("package.json"),
                marks: &["package.json"],
                maker: Some("npm install"),
            },
            Self::Cargo => PresetRow {
                name: "cargo",
                folders: &["target"],
                proof: Proof::Beside("Cargo.toml"),
                marks: &["Cargo.toml"],
                maker: None,
            },
            Self::Go => {
                PresetRow { name: "go", folders: &[], proof: Proof::Beside("go.mod"), marks: &["go.mod"], maker: None }
            }
        }
    }
}

impl Share {
    /// Returns the folder, if it is one.
    #[must_use]
    pub const fn folder(&self) -> Option<&ProjectPath> {
        match self {
            Self::Folder(path) => Some(path),
            Self::Preset(_) => None,
        }
    }

    /// Returns the preset, if it is one.
    #[must_use]
    pub const fn preset(&self) -> Option<Preset> {
        match self {
            Self::Folder(_) => None,
            Self::Preset(preset) => Some(*preset),
        }
    }
}

impl fmt::Display for Share {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(path) => write!(formatter, "{path}"),
            Self::Preset(preset) => write!(formatter, "{PREFIX}{}", preset.row().name),
        }
    }
}

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some(name) = text.strip_prefix(PREFIX) else {
            let path: ProjectPath = text.parse().map_err(|error| format!("`{text}`: {error}"))?;
            return match fault_of(&path) {
                Some(fault) => Err(format!("`{text}` {fault}")),
                None => Ok(Self::Folder(path)),
            };
        };
        let known = Preset::ALL.into_iter().find(|preset| preset.row().name == name);
        let names = || Preset::ALL.map(|preset| format!("{PREFIX}{}", preset.row().name)).join(", ");
        known.map(Self::Preset).ok_or_else(|| format!("unknown preset `{text}` (expected one of {})", names()))
    }
}

/// Says why a path cannot be that of one file or folder in a rule of paths.
pub(super) fn fault_of(path: &ProjectPath) -> Option<&'static str> {
    match () {
        () if path.as_str().is_empty() => Some("is the whole project: name a folder in it"),
        () if path.as_str().contains(['*', '?', '[', ']', '{', '}']) => {
            Some("is a pattern: name one path, without any of `*?[]{}`")
        }
        () => None,
    }
}

impl<'de> Deserialize<'de> for Share {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// Returns the text of a configuration with `threads.share` set to these. Every other line stays as it is.
#[must_use]
pub fn written_into(text: &str, shares: &[Share]) -> String {
    #[derive(Deserialize)]
    struct Found {
        threads: Option<FoundThreads>,
    }
    #[derive(Deserialize)]
    struct FoundThreads {
        share: Option<toml::Spanned<toml::Value>>,
    }
    let quoted = shares.iter().map(|share| toml::Value::String(share.to_string()).to_string()).collect::<Vec<_>>();
    let list = format!("[{}]", quoted.join(", "));
    let found = toml::from_str::<Found>(text).ok().and_then(|found| found.threads);
    if let Some(share) = found.as_ref().and_then(|threads| threads.share.as_ref()) {
        let mut text = text.to_owned();
        text.replace_range(share.span(), &list);
        return text;
    }
    let header = text.split_inclusive('\n').scan(0, |end, line| {
        *end += line.len();
        Some((*end, line.trim() == "[threads]"))
    });
    match (header.filter(|(_, is_header)| *is_header).map(|(end, _)| end).next(), found) {
        (Some(end), _) => {
            let gap = if text[..end].ends_with('\n') { "" } else { "\n" };
            format!("{}{gap}share = {list}\n{}", &text[..end], &text[end..])
        }
        // Keys of a table that has no header of its own come before every header.
        (None, Some(_)) => format!("threads.share = {list}\n{text}"),
        (None, None) if text.trim().is_empty() => format!("[threads]\nshare = {list}\n"),
        (None, None) => format!("{}\n\n[threads]\nshare = {list}\n", text.trim_end()),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn every_preset_is_found_by_its_name_and_no_other_is() {
        for preset in Preset::ALL {
            let share = Share::Preset(preset);
            assert_eq!(share.to_string().parse::<Share>().unwrap(), share);
        }
        let wrong = "preset:ruby".parse::<Share>().unwrap_err();
        assert_eq!(
            wrong,
            "unknown preset `preset:ruby` (expected one of preset:python, preset:node, preset:cargo, preset:go)"
        );
        for wrong in ["../x", "", ".", "*", "**", "a/*", "?", "[ab]", "a/{b,c}"] {
            assert!(wrong.parse::<Share>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_configuration_keeps_every_other_line() {
        let shares = ["preset:node".parse().unwrap(), "a b".parse().unwrap()];
        let list = r#"share = ["preset:node", "a b"]"#;
        for (before, after) in [
            ("", format!("[threads]\n{list}\n")),
            (
                "# mine\n[net]\nroots = \"webpki\"\n",
                format!("# mine\n[net]\nroots = \"webpki\"\n\n[threads]\n{list}\n"),
            ),
            ("[threads]\nkeep = \"1d\" # x\n[net]\n", format!("[threads]\n{list}\nkeep = \"1d\" # x\n[net]\n")),
            ("[threads]\nshare = [\n  'x',\n] # why\n", format!("[threads]\n{list} # why\n")),
            ("threads.keep = '1d'\n", format!("threads.{list}\nthreads.keep = '1d'\n")),
            ("threads.share = ['x']\n", format!("threads.{list}\n")),
            ("[threads]", format!("[threads]\n{list}\n")),
        ] {
            assert_eq!(written_into(before, &shares), after);
        }
    }
}
