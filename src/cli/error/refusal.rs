//! What a person was asked and did not agree to: one type, so that every verb says it in the same words, with the same exit code.

use thiserror::Error;

use super::{Facts, hints};
use crate::cli::exit::Exit;
use crate::cli::text::count;
use crate::id::ThreadId;
use crate::ops::sign::{Pending, listed};
use crate::process::Answer;
use crate::trust::Verdict;

/// Nothing was done: the person answered no, or there was no terminal to ask on.
#[derive(Debug, Error)]
#[error("{}", self.sentence())]
pub(in crate::cli) struct Refusal {
    question: Question,
    by: By,
}

/// Whose refusal it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Person,
    NoTerminal,
}

/// The question.
#[derive(Debug)]
pub(in crate::cli) enum Question {
    /// `thread accept`
    Accept {
        /// The thread.
        thread_id: ThreadId,
    },
    /// `thread rm`
    Remove,
    /// `thread push`
    Push,
    /// `commit`
    Commit {
        /// What would be signed, with whose it is.
        pending: Vec<Pending>,
    },
    /// The `pre-commit` hook.
    Staged {
        /// What would be signed, with whose it is.
        pending: Vec<Pending>,
    },
    /// `sign`
    Sign {
        /// The items of others, with whose they are.
        pending: Vec<Pending>,
    },
    /// `sign --agent-files`: the list of another person, or of an agent.
    AgentFiles,
    /// `mv`
    Move,
    /// `publish`
    Publish,
    /// `pull`: the keys it would have trusted.
    Pull,
    /// `pull` and `update`: who signed a skill.
    Signer {
        /// The fingerprint of the key.
        fingerprint: String,
    },
    /// `sync`
    Sync,
    /// `update`
    Update,
    /// `registry owner`
    Owner,
    /// `plugin install`
    Install,
    /// `plugin remove`
    Uninstall,
    /// `mcp import`
    Import,
    /// `trust accept`
    Proposal,
    /// `trust propose`: the files it would have signed.
    Propose,
    /// A command of an agent client that uses the person's key or widens trust.
    Authority,
}

impl Refusal {
    /// Goes on with a yes.
    ///
    /// # Errors
    ///
    /// Fails with any other answer.
    pub(in crate::cli) fn unless(answer: Answer, question: impl FnOnce() -> Question) -> Result<(), Self> {
        let by = match answer {
            Answer::Yes => return Ok(()),
            Answer::No | Answer::Stopped => By::Person,
            Answer::NoTerminal => By::NoTerminal,
        };
        Err(Self { question: question(), by })
    }

    fn sentence(&self) -> String {
        let done = self.question.done();
        match (self.by, &self.question) {
            (By::Person, _) => format!("nothing was {done}"),
            (By::NoTerminal, Question::Commit { pending }) => {
                format!("not committed: {} your confirmation: {}", needing(pending), listed(pending))
            }
            (By::NoTerminal, Question::Sign { pending }) => {
                format!("not signed: {} your confirmation: {}", needing(pending), listed(pending))
            }
            (By::NoTerminal, Question::Staged { pending }) => {
                let why = "staged items need your confirmation before they are signed";
                format!("not committed: {why}: {}", listed(pending))
            }
            (By::NoTerminal, Question::Signer { fingerprint }) => {
                format!("not pulled: the key {fingerprint} is new here, and trusting it needs your confirmation")
            }
            (By::NoTerminal, _) => format!("not {done}: confirm on a terminal or pass `--yes`"),
        }
    }

    pub(super) fn facts(&self) -> Facts {
        match self.by {
            By::Person => Facts::new(Exit::Stopped, "declined"),
            By::NoTerminal => self.question.advise(Facts::new(Exit::Refused, "not-agreed")),
        }
    }
}

impl Question {
    const fn done(&self) -> &'static str {
        match self {
            Self::Accept { .. } | Self::Proposal => "accepted",
            Self::Install => "installed",
            Self::Remove | Self::Uninstall => "removed",
            Self::Push => "pushed",
            Self::Move => "moved",
            Self::Publish => "published",
            Self::Pull | Self::Signer { .. } => "pulled",
            Self::Sync => "changed",
            Self::Update => "updated",
            Self::Owner => "changed",
            Self::Import => "imported",
            Self::Commit { .. } | Self::Staged { .. } => "committed",
            Self::Sign { .. } | Self::AgentFiles | Self::Propose => "signed",
            Self::Authority => "done",
        }
    }

    fn advise(&self, facts: Facts) -> Facts {
        match self {
            Self::Accept { thread_id } => facts.hint_with(hints::ACCEPT_YES, &[("id", thread_id)]),
            Self::Remove | Self::Uninstall => facts.hint(hints::AGREE),
            Self::Install => facts.hint(hints::AGREE_INSTALL),
            Self::Push => facts.hint(hints::AGREE_PUSH),
            Self::Move
            | Self::Publish
            | Self::Update
            | Self::Owner
            | Self::Import
            | Self::Sync
            | Self::AgentFiles
            | Self::Propose => facts.hint(hints::AGREE),
            Self::Pull => facts.hint(hints::AGREE_PULL),
            Self::Signer { fingerprint } => facts.hint_with(hints::AGREE_SIGNER, &[("name", fingerprint)]),
            Self::Commit { .. } => facts.hint(hints::REVIEW_PENDING),
            // `rye diff` shows what changed since a signature, and not what another key signed so.
            Self::Sign { pending } => match pending.iter().find(|item| item.verdict == Some(Verdict::Untrusted)) {
                Some(item) => {
                    facts.hint_with(hints::REVIEW_OTHERS, &[("type", &item.item_type), ("id", &item.item_id)])
                }
                None => facts.hint(hints::REVIEW_REPLACED),
            },
            Self::Staged { .. } => facts.hint(hints::REVIEW_STAGED),
            Self::Proposal => facts.hint(hints::TRUST_ACCEPT_YES),
            Self::Authority => facts.hint(hints::ASK_PERSON),
        }
    }
}

fn needing(pending: &[Pending]) -> String {
    format!("{} {}", count(pending.len(), "item"), if pending.len() == 1 { "needs" } else { "need" })
}
