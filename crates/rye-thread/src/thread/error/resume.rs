//! Why a thread is not taken up again.

use std::path::PathBuf;

use thiserror::Error;

use crate::id::ThreadId;

/// Why a thread is not taken up again.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum ResumeError {
    /// The thread completed.
    #[error("thread `{thread_id}` is completed: nothing to resume")]
    Completed { thread_id: ThreadId },
    /// The thread ended in a way that it would end in again.
    #[error("thread `{thread_id}` cannot be resumed: it ended with `{code}`")]
    NotResumable { thread_id: ThreadId, code: String },
    /// The limit that stopped the thread would stop it again.
    #[error("thread `{thread_id}` cannot go on: the limit on {limit} ({value}) is reached")]
    LimitStands {
        thread_id: ThreadId,
        limit: String,
        value: String,
        /// The value that it can be raised to; none if the directive allows no more.
        most: Option<String>,
    },
    /// A scripted thread cannot go on without its script.
    #[error("thread `{thread_id}` was answered from a script, which is not on record")]
    NoScript { thread_id: ThreadId },
    /// The person was asked about such calls, and wanted neither.
    #[error("nothing was resumed")]
    Declined,
    /// Calls had begun and not ended, and the person did not say what becomes of them.
    #[error("thread `{thread_id}` was interrupted in {}, which may have taken effect: choose `--unfinished repeat` or `fail`", calls.join(" and "))]
    Unfinished { thread_id: ThreadId, calls: Vec<String> },
    /// The journal has a line that the agent did not sign.
    #[error("the journal `{}` has a line that the agent did not sign", path.display())]
    Journal { thread_id: ThreadId, path: PathBuf },
}
