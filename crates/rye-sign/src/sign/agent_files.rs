//! Signing the list of the files that instruct agents, `.ai/agent-files.sig`: drafted, so that its person can look, then signed.
//!
//! Commit point: the rename of the finished list over the old one. No file of the list is written.

use serde::Serialize;

use super::super::locate::{
    AGENT_FILES_NAME, AgentFileChange, FoundAgentFiles, LocateError, SignedSkills, agent_files_bytes, history_store,
    past_lists,
};
use super::error::Error;
use super::outcome::Status;
use crate::format::{AGENT_FILES, AgentFileList, MAX_AGENT_FILES_BYTES, SignedAgentFiles};
use crate::git::Untracked;
use crate::id::{SPACE_FOLDER, Timestamp};
use crate::item::attributes_line;
use crate::project::Project;
use crate::trust::{Fault, KeyId, Namespace, PublicKey, Signer};
use crate::workspace::{ATTRIBUTES_FILE, Expected, Site};

/// A list that is ready to be signed; nothing is written.
#[derive(Debug)]
pub struct AgentFilesDraft<'a> {
    project: &'a Project,
    before: Option<Vec<u8>>,
    list: AgentFileList,
    replaces: Option<Replaced>,
    outcome: AgentFilesOutcome,
}

/// The signature that a new one would replace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replaced {
    /// That of another person, by the names under which the key is trusted, or by its id.
    OfAnother(String),
    /// That of an agent.
    OfAgent,
}

/// What became of the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentFilesOutcome {
    /// `signed` if it is signed anew, else `unchanged`.
    pub status: Status,
    /// The file of the list, from the top of the project.
    pub path: &'static str,
    /// How many files it has.
    pub files: usize,
    /// How the files differ from the list that was signed before.
    pub changes: Vec<AgentFileDelta>,
    /// Files of agents that git does not track: they are not listed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub untracked: Vec<String>,
    /// Untracked repositories inside of the project: what they contain is not listed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repositories: Vec<String>,
    /// Files of agents, or whole folders of them, that git ignores: they are not listed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<String>,
    /// The key that signed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_id: Option<KeyId>,
}

/// How one file differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentFileDelta {
    /// The file.
    pub path: String,
    /// How it differs.
    pub change: AgentFileChange,
}

/// Lists the files of agents as they are. A list that says the same and whose signature counts stays, unless it is wanted `again`.
///
/// # Errors
///
/// Fails outside of a project, and when a file cannot be read.
pub fn draft_agent_files(project: &Project, own: Option<PublicKey>, again: bool) -> Result<AgentFilesDraft<'_>, Error> {
    project.root()?;
    let skills = SignedSkills::here(project)?;
    let found = FoundAgentFiles::here(project, &skills)?;
    if let Some(path) = found.unread().next() {
        return Err(Error::AgentFileUnread { path: path.to_owned() });
    }
    if let Some(path) = found.led_out().next() {
        return Err(Error::AgentLinkOut { path: path.to_owned() });
    }
    let Untracked { new, repositories, ignored } = found.untracked(project, &skills)?;
    let before = agent_files_bytes(project)?;
    let signed = before.as_deref().and_then(|bytes| SignedAgentFiles::parse(bytes).ok());
    let known = AgentFileList {
        signed_at: Timestamp::from_milliseconds(0),
        files: signed.as_ref().map(|signed| signed.list.files.clone()).unwrap_or_default(),
    };
    let delta = |(path, change)| AgentFileDelta { path, change };
    let changes: Vec<AgentFileDelta> = found.changes(&known, &skills).into_iter().map(delta).collect();
    let mut files = found.files;
    // What a sparse checkout leaves out stays as it was signed.
    let left_out = known.files.into_iter().filter(|(path, _)| found.left_out.contains(path));
    files.extend(left_out);
    let past = past(project)?;
    let judged = signed.as_ref().map(|signed| judged(project, signed));
    let stays = match &judged {
        Some(Ok(())) => changes.is_empty() && !again,
        Some(Err(_)) => false,
        // Once there was a list, an empty one says that no file is left.
        None => before.is_none() && files.is_empty() && past.is_empty(),
    };
    let replaces = signed.as_ref().filter(|_| !stays).and_then(|signed| replaced(project, signed, own));
    let outcome = AgentFilesOutcome {
        status: if stays { Status::Unchanged } else { Status::Signed },
        path: AGENT_FILES,
        files: files.len(),
        changes,
        untracked: new,
        repositories,
        ignored,
        key_id: signed.as_ref().filter(|_| stays).map(|signed| signed.key.key_id()),
    };
    // A clock that went back must not make the new list the older one.
    let counts = past.iter().flatten().filter(|signed| self::judged(project, signed).is_ok());
    let least = counts.chain(&signed).map(|signed| signed.list.signed_at).max();
    let now = Timestamp::from_milliseconds(project.context().now().seconds() * 1000);
    let list = AgentFileList { signed_at: least.map_or(now, |least| least.max(now)), files };
    Ok(AgentFilesDraft { project, before, list, replaces, outcome })
}

/// Reads the lists that the branch had; none for one that cannot be read.
fn past(project: &Project) -> Result<Vec<Option<SignedAgentFiles>>, LocateError> {
    let repository = project.require_repository()?;
    let Some(head) = repository.head()?.commit_id().cloned() else { return Ok(Vec::new()) };
    let mut past = Vec::new();
    for blob_id in past_lists(&repository, &head, history_store(project, &repository))? {
        let bytes = repository.blob_within(&blob_id, MAX_AGENT_FILES_BYTES)?;
        past.push(bytes.and_then(|bytes| SignedAgentFiles::parse(&bytes).ok()));
    }
    Ok(past)
}

fn judged(project: &Project, signed: &SignedAgentFiles) -> Result<(), Fault> {
    project.keys().judge_detached(&signed.key, signed.list.signed_at).map(drop)
}

fn replaced(project: &Project, signed: &SignedAgentFiles, own: Option<PublicKey>) -> Option<Replaced> {
    if own == Some(signed.key) {
        return None;
    }
    let key_id = signed.key.key_id();
    Some(match judged(project, signed) {
        Err(Fault::AgentSigned) => Replaced::OfAgent,
        Ok(()) | Err(_) => match project.keys().principals(&key_id) {
            names if names.is_empty() => Replaced::OfAnother(key_id.to_string()),
            names => Replaced::OfAnother(names.join(", ")),
        },
    })
}

impl AgentFilesDraft<'_> {
    /// Returns what signing comes to.
    #[must_use]
    pub const fn outcome(&self) -> &AgentFilesOutcome {
        &self.outcome
    }

    /// Returns whose signature would be replaced, besides the person's own.
    #[must_use]
    pub const fn replaces(&self) -> Option<&Replaced> {
        self.replaces.as_ref()
    }

    /// Signs and writes the list, unless it stays.
    ///
    /// # Errors
    ///
    /// Fails, with nothing written, when the key refuses, and when the list was changed meanwhile or cannot be written.
    pub fn sign(self, signer: &dyn Signer) -> Result<AgentFilesOutcome, Error> {
        let Self { project, before, list, outcome, .. } = self;
        if outcome.status != Status::Signed {
            return Ok(outcome);
        }
        let text = list.to_text();
        let bytes = (text.clone() + &signer.sign_armored(Namespace::Item, text.as_bytes())?).into_bytes();
        let root = project.root()?;
        let written = || {
            let expected = before.as_deref().map_or(Expected::Absent, Expected::Content);
            Site::open(root)?.add_lines(ATTRIBUTES_FILE, [attributes_line(SPACE_FOLDER)])?;
            project.workspace().write_project_file(AGENT_FILES_NAME, &bytes, expected)
        };
        written().map_err(|source| Error::WriteAgentFiles { source })?;
        Ok(AgentFilesOutcome { key_id: Some(signer.public().key_id()), ..outcome })
    }
}
