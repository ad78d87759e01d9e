//! Errors of `rye run`: a text that is not a task.

use thiserror::Error;

use super::{Facts, hints, quoted};
use crate::cli::text::in_sentence;
use crate::id::ItemId;
use crate::item::PersonGrantError;
use crate::task::DraftError;

/// Why no task is run or written.
#[derive(Debug, Error)]
pub(in crate::cli) enum TaskError {
    /// There is no text.
    #[error("the task is missing")]
    Missing,
    /// There are several words.
    #[error("the task has several words: put it in quotes")]
    Words {
        /// The words.
        text: String,
    },
    /// The text is a directive's id.
    #[error("`{item_id}` is a directive, not a task")]
    AnId {
        /// The directive.
        item_id: ItemId,
    },
    /// A thread is named whose task is written, and a text besides.
    #[error("`--from` writes the task of a thread and runs nothing, so it takes no text")]
    NothingRuns,
    /// The flags grant nothing that can be enforced.
    #[error(transparent)]
    Flags(PersonGrantError),
    /// The run becomes no directive.
    #[error(transparent)]
    Draft(DraftError),
}

pub(super) fn facts(error: &TaskError) -> Facts {
    match error {
        TaskError::Missing => Facts::invalid("no-task").hint(hints::TASK),
        TaskError::Words { text } => {
            let dashes = if text.starts_with('-') { "-- " } else { "" };
            let quoted = format!("{dashes}{}", quoted(&in_sentence(text)));
            Facts::invalid("task-not-quoted").hint_with(hints::TASK_QUOTED, &[("name", &quoted)])
        }
        TaskError::AnId { item_id } => Facts::invalid("task-is-id").hint_with(hints::TASK_RUN, &[("id", item_id)]),
        TaskError::NothingRuns => Facts::invalid("usage").hint(hints::TASK_FROM),
        TaskError::Flags(_) => Facts::invalid("usage").hint(hints::HELP),
        TaskError::Draft(DraftError::Thread(error)) => super::thread::facts(error),
        TaskError::Draft(DraftError::NotATask { .. }) => Facts::invalid("not-a-task").hint(hints::THREADS),
        TaskError::Draft(DraftError::Text { .. }) => Facts::invalid("task-text").hint(hints::TASK_BY_HAND),
    }
}
