//! The sections of the configuration file, and what each key means (docs/formats.md, section 8).

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer, de};

use super::share::Share;
use crate::capability::{Capability, ProjectPath, is_taken_for, skill_folders};
use crate::id::{Age, ItemId};
use crate::item::{ProjectFiles, Rates};
use crate::trust::ContentHash;

/// Settings of threads.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Threads {
    /// What the branches of threads start with, before `/threads/<id>`.
    pub prefix: String,
    /// The age beyond which finished threads leave the branches for the archive; without it they stay.
    pub keep: Option<Age>,
    /// Ignored folders of the person's tree that a thread's tree gets copies of, and presets for the tools of languages.
    pub share: Vec<Share>,
}

/// What a thread tells its model of the project and of where it runs.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ThreadContext {
    /// Which of the project's own instructions the model reads.
    pub project: ProjectFiles,
    /// Whether the model is told of project, date, platform and budget.
    pub environment: bool,
}

/// Settings of items.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Items {
    /// Whether items of a project or of the user may take the place of built-in ones below `rye/`.
    pub shadow_reserved: bool,
}

/// What this installation offers to directives that require it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Offered {
    /// Words such as `docker-runtime`; each has the form of an id of one segment.
    pub offered: BTreeSet<ItemId>,
}

/// Settings of connections over MCP.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Mcp {
    /// The calls a connection may make; without them, those the program allows by itself.
    pub permissions: Option<Vec<Capability>>,
    /// What flags of the command line allow of these: a call needs one pattern of each list.
    #[serde(skip)]
    pub narrowing: Vec<Vec<Capability>>,
}

/// Settings of skills.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Skills {
    /// The folders of a project that clients read skills from; the first is where new ones go.
    #[serde(deserialize_with = "skill_paths")]
    pub paths: Vec<ProjectPath>,
}

/// What a project says of its skills.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProjectSkills {
    /// Further folders whose skills are judged. Where there are any, every skill of the project must be signed.
    #[serde(deserialize_with = "some_skill_paths")]
    pub paths: Option<Vec<ProjectPath>>,
}

/// Reads folders of skills. Skills are written there, so none may lie in a repository's own folder.
fn skill_paths<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<ProjectPath>, D::Error> {
    let paths = Vec::<ProjectPath>::deserialize(deserializer)?;
    let is_git = |part: &str| part == ".git" || is_taken_for(part, ".git");
    match paths.iter().find(|path| path.as_str().is_empty() || path.parts().any(is_git)) {
        Some(path) => Err(de::Error::custom(format!(
            "`{path}` cannot be a folder of skills: expected a folder of the project, outside of `.git`"
        ))),
        None => Ok(paths),
    }
}

fn some_skill_paths<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<ProjectPath>>, D::Error> {
    skill_paths(deserializer).map(Some)
}

/// Settings of commits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Commit {
    /// What a commit signs without asking.
    pub sign: CommitSigning,
}

/// What a commit signs without asking.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CommitSigning {
    /// Nothing.
    #[default]
    Ask,
    /// Changes to items whose committed version this person signed.
    Own,
}

/// Settings of what goes out: of commits, pushes and packages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Outgoing {
    /// The SHA-256 of tokens and keys of tests, which may go out.
    pub test_secrets: BTreeSet<ContentHash>,
}

/// Settings of agent clients.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Agents {
    /// Whether a command that an agent client runs may sign as the person, and widen trust.
    pub sign: AgentSigning,
}

/// Whether a command that an agent client runs may sign as the person, and widen trust.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AgentSigning {
    /// Only when the person says so on the terminal, each time.
    #[default]
    Ask,
    /// As if the person had run it.
    Allow,
}

/// Where a secret may go, besides where the built-in provider documents send theirs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SecretBinding {
    /// The hosts, with a port where it is not the usual one.
    pub hosts: BTreeSet<String>,
    /// The provider documents and tools that may use it.
    pub items: BTreeSet<ItemId>,
}

impl SecretBinding {
    /// Tells whether an item may send the secret to a host, which is named with a port where that is not the usual one.
    #[must_use]
    pub fn lets(&self, item: &ItemId, host: &str) -> bool {
        self.hosts.contains(host) && self.items.contains(item)
    }
}

/// Settings of the network.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Net {
    /// Whose word is taken for who a server is.
    pub roots: NetRoots,
}

/// How threads are held to their limits.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LimitRules {
    /// Whether a call is judged by the bytes of its request, which bound its tokens, instead of an estimate of them.
    pub strict: bool,
    /// After how many rounds in a row with the same calls and the same results a thread is stopped.
    pub repeats: u32,
    /// What one unit of a currency costs in another, by pairs such as `EUR/USD`.
    pub rates: Rates,
}

/// Whose word is taken for who a server is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NetRoots {
    /// Mozilla's list of certificates, as it is compiled in.
    #[default]
    Webpki,
    /// The certificates that this machine trusts.
    Platform,
}

impl Default for Threads {
    fn default() -> Self {
        Self { prefix: "rye".to_owned(), keep: None, share: Vec::new() }
    }
}

impl Default for ThreadContext {
    fn default() -> Self {
        Self { project: ProjectFiles::All, environment: true }
    }
}

impl Default for Skills {
    fn default() -> Self {
        Self { paths: skill_folders().filter_map(|path| path.parse().ok()).collect() }
    }
}

impl Default for LimitRules {
    fn default() -> Self {
        Self { strict: false, repeats: 6, rates: Rates::default() }
    }
}
