//! A thread for a person to read: the request, the events of each turn, the changes. Values, no words.

mod advice;
mod blocks;
mod files;
mod interruption;
mod plan;
mod summary;

use serde::Serialize;
use serde_json::{Map, Value};

pub use self::advice::Next;
pub use self::blocks::{Block, Called, blocks};
pub use self::files::{FileChange, FileContent};
pub use self::interruption::Interrupted;
pub use self::plan::PlanStep;
pub use self::summary::{ChangedFile, Instruction, ProjectInstruction, RefusedCall, Summary, Touched};
use super::error::Error;
use crate::git::CommitId;
use crate::id::{ThreadName, Version};
use crate::session::Session;
use crate::thread::record::{Content, History, Outcome, Standing, state};

/// A thread, to be read by people.
#[derive(Debug, Serialize)]
pub struct Review {
    /// Its state.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// The verdict of its signatures.
    pub signatures: Standing,
    /// What was refused, touched, changed and followed.
    pub summary: Summary,
    /// The directive's version.
    pub directive_version: Version,
    /// What it was given.
    pub inputs: Map<String, Value>,
    /// What it might use.
    pub limits: Map<String, Value>,
    /// The directive's steps; none if the directive of that time is not at hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<Vec<PlanStep>>,
    /// Its commits, the oldest first.
    pub commits: Vec<ReviewedCommit>,
    /// What of its record cannot be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<String>,
    /// The calls in which it was interrupted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub interrupted: Vec<Interrupted>,
    /// What happened, turn by turn.
    #[serde(skip)]
    pub turns: Vec<ReviewedTurn>,
    /// What can be done next.
    #[serde(skip)]
    pub next: Vec<Next>,
}

/// A commit of a thread.
#[derive(Debug, Serialize)]
pub struct ReviewedCommit {
    /// Its id.
    pub commit_id: CommitId,
    /// The turn it brings.
    pub turn: Option<u32>,
    /// The first line of its message.
    pub subject: String,
    /// What it changed, without the thread's record.
    pub changes: Vec<FileChange>,
}

/// A turn of a thread.
#[derive(Debug)]
pub struct ReviewedTurn {
    /// Its number.
    pub turn: u32,
    /// The place of its commit among [`Review::commits`].
    pub commit: Option<usize>,
    /// The event.
    pub content: Vec<(Content, String)>,
}

/// Reads a thread for people.
///
/// # Errors
///
/// Fails as [`History::read`] does, and when what it changed cannot be listed.
pub fn review(session: &Session, thread: impl Into<ThreadName>) -> Result<Review, Error> {
    let repository = session.project().require_repository()?;
    let history = History::read(session, thread)?;
    let signatures = history.standing(session);
    let directive = plan::directive(session, &repository, &history);
    let plan = directive.as_ref().and_then(|directive| plan::plan(directive, &history));
    let next = advice::next(&repository, &history, directive.as_ref(), &session.context().config().limits)?;
    let summary = summary::summary(session, &repository, &history)?;
    let interrupted = interruption::interrupted(session, &repository, &history)?;
    let mut unreadable = history.warnings.clone();
    let mut commits = Vec::new();
    for commit in &history.commits {
        let changes = match history.changes(&repository, commit) {
            Ok(changes) => changes,
            Err(error) => {
                unreadable.push(format!("the changes of commit `{}` cannot be read: {error}", commit.commit_id));
                Vec::new()
            }
        };
        commits.push(ReviewedCommit {
            commit_id: commit.commit_id.clone(),
            turn: commit.turn,
            subject: commit.info.message.lines().next().unwrap_or_default().to_owned(),
            changes: changes.iter().enumerate().map(|(at, change)| files::read(&repository, at, change)).collect(),
        });
    }
    let (directive_version, inputs) = (history.directive().version, history.inputs().clone());
    let limits = history.limits().clone();
    let turns = history.turns.into_iter().map(|turn| ReviewedTurn {
        turn: turn.turn,
        commit: turn.commit,
        content: turn.lines.into_iter().map(|line| (line.content, line.text)).collect(),
    });
    let turns = turns.collect();
    let outcome = state::with_signers(session, history.outcome)?;
    Ok(Review {
        outcome,
        signatures,
        summary,
        directive_version,
        inputs,
        limits,
        plan,
        commits,
        unreadable,
        interrupted,
        turns,
        next,
    })
}

impl Review {
    /// Returns the commit of a turn.
    #[must_use]
    pub fn commit_of(&self, turn: &ReviewedTurn) -> Option<&ReviewedCommit> {
        turn.commit.and_then(|at| self.commits.get(at))
    }

    /// Returns the commits that bring no turn, or one that another brings already.
    pub fn other_commits(&self) -> impl Iterator<Item = &ReviewedCommit> {
        let is_shown = |at: usize| self.turns.iter().any(|turn| turn.commit == Some(at));
        self.commits.iter().enumerate().filter(move |(at, _)| !is_shown(*at)).map(|(_, commit)| commit)
    }
}
