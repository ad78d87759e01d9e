//! `import commands`: directives drafted from the slash commands of AI clients.
//!
//! A draft is unsigned, and no existing file is written. Commit point of each: the rename of the finished file to its name.

mod files;

use std::collections::BTreeSet;

use serde::Serialize;
use thiserror::Error;

use self::files::{CommandFile, command_files};
use super::locate::LocateError;
use crate::format::{command_draft, slash_command};
use crate::id::{Extension, ItemId, ItemType, Space};
use crate::project::Project;
use crate::workspace::{self, Expected};

/// Why nothing is drafted.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum Error {
    /// A draft cannot be written.
    #[error("cannot write directive `{item_id}`")]
    Write {
        item_id: ItemId,
        #[source]
        source: workspace::Error,
    },
    /// The project cannot be found or read.
    #[error(transparent)]
    Locate(#[from] LocateError),
}

/// What became of the commands of a project.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    /// Whether drafts were written.
    pub is_written: bool,
    /// The commands, by their files.
    pub commands: Vec<Drafted>,
}

/// What became of one command.
#[derive(Debug, Clone, Serialize)]
pub struct Drafted {
    /// Its file, from the top of the project.
    pub command: String,
    /// What it comes to.
    pub state: State,
    /// The directive; none where the command makes none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item_id: Option<ItemId>,
    /// The directive's file, from the top of the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What whoever reviews the draft should look at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Why it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What a command comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// A draft is made.
    New,
    /// The directive exists, and stays as it is.
    Exists,
    /// No draft is made.
    Refused,
}

/// Drafts a directive from each slash command of the project. With `dry_run`, nothing is written.
///
/// # Errors
///
/// Fails outside of a project, and when a file cannot be written.
pub fn draft_commands(project: &Project, dry_run: bool) -> Result<Outcome, Error> {
    let author = author(project);
    let mut taken = BTreeSet::new();
    let mut commands = Vec::new();
    for file in command_files(project)? {
        commands.push(drafted(project, file, &author, &mut taken, dry_run)?);
    }
    Ok(Outcome { is_written: !dry_run, commands })
}

fn drafted(
    project: &Project,
    file: CommandFile,
    author: &str,
    taken: &mut BTreeSet<ItemId>,
    dry_run: bool,
) -> Result<Drafted, Error> {
    let CommandFile { path: command, form, item_id, bytes } = file;
    let drafted = |state, item_id: Option<&ItemId>, notes, reason| Drafted {
        command: command.clone(),
        state,
        path: item_id.map(|id| format!(".ai/directives/{id}.md")),
        item_id: item_id.cloned(),
        notes,
        reason,
    };
    let refused = |reason: String| Ok(drafted(State::Refused, None, Vec::new(), Some(reason)));
    let Some(item_id) = item_id else { return refused("its name makes no id".to_owned()) };
    if !taken.insert(item_id.clone()) {
        return refused(format!("another command makes the directive `{item_id}`"));
    }
    let there = project.workspace().candidates(ItemType::Directive, &item_id).map_err(LocateError::from)?;
    if there.iter().any(|candidate| candidate.space == Space::Project) {
        return Ok(drafted(State::Exists, Some(&item_id), Vec::new(), None));
    }
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(reason) => return refused(reason),
    };
    let made = slash_command(form, &bytes).and_then(|read| command_draft(&read, &item_id, &command, author));
    let draft = match made {
        Ok(draft) => draft,
        Err(reason) => return refused(reason),
    };
    if !dry_run {
        let extension: Extension = "md".parse().expect("because it is one");
        let (space, text) = (Space::Project, draft.text.as_bytes());
        let written =
            project.workspace().write_item(space, ItemType::Directive, &item_id, &extension, text, Expected::Absent);
        written.map_err(|source| Error::Write { item_id: item_id.clone(), source })?;
    }
    Ok(drafted(State::New, Some(&item_id), draft.notes, None))
}

/// Takes the name git knows.
fn author(project: &Project) -> String {
    let committer = project.repository().and_then(|repository| repository.committer());
    let name = committer.map(|identity| identity.name).unwrap_or_default();
    match name.chars().filter(|character| !character.is_control()).collect::<String>().trim() {
        "" => "unknown".to_owned(),
        name => name.to_owned(),
    }
}
