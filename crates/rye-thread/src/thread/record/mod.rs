//! What is written down of a thread, and how it is read back: files, commits and refs.
//!
//! `log` and `journal` are next to the branch while it runs; `branch` has a commit per turn, with `thread_json`, `transcript`
//! and events; `archive` is where old branches are, `remote_refs` where those of remotes are. `history`, `state`, `tail` and `signatures` read. What is done with
//! threads, such as listing or removing them, is in `manage`.

pub(super) mod archive;
pub(super) mod branch;
mod history;
mod journal;
pub(super) mod log;
pub(super) mod remote_refs;
mod replaced;
mod signatures;
pub(super) mod state;
mod tail;
mod thread_json;
pub(super) mod transcript;
mod transcript_file;

pub use crate::need::{Need, Verb};
pub(super) use crate::need::{key_ids, signer};
pub(super) use archive::Ref;
pub(super) use branch::{Addition, Branch, People};
pub(super) use history::trailers;
pub use history::{Content, History, RecordedCommit, RecordedLine, RecordedTurn};
pub(super) use journal::{CallOf, Journal, Received};
pub(super) use log::{Held, Log};
pub use signatures::{Fault, Signer, Standing};
pub use state::show;
pub use tail::{Next, Tail};
pub(super) use thread_json::{Beginning, Record};
pub use thread_json::{FellBack, ForkedFrom, Outcome, Spend, Status, ThreadFault};
pub(super) use transcript_file::Followed;
