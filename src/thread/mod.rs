//! Threads: the loop that runs a directive under permissions and limits, with its transcript as git history.
//!
//! The judgement is in pure files: [`machine`] (what happens next), [`harness`] (limits), [`hooks`] (what fires
//! when), [`returns`] (outputs), `prompt` and `transcript` (texts). The effects are performed by boring ones: `driver`,
//! `perform`, `log` and `branch`. What a call means and whether it is permitted is the floor below ([`crate::action`]). Formats: docs/formats.md, section 6.

mod accept;
mod access;
pub mod allowance;
mod answered;
mod archive;
mod arrived;
mod begin;
mod branch;
mod change;
mod changes;
mod cleaning;
mod compare;
mod course;
mod diff;
mod difference;
mod driver;
mod effect;
mod ending;
mod error;
mod exchange;
mod failed;
mod find;
mod followed;
mod following;
mod fork;
mod guard;
pub mod harness;
mod history;
pub mod hooks;
mod in_place;
mod journal;
mod keeper;
mod log;
pub mod machine;
mod observer;
mod past;
mod perform;
mod position;
mod prepare;
mod prompt;
mod provider;
mod push;
mod reached;
mod ready;
mod record;
mod reissue;
mod remove;
mod replay;
mod report;
mod repositories;
mod rerun;
mod resume;
pub mod returns;
pub mod review;
mod scribe;
mod setup;
mod share;
mod standing;
mod state;
mod tail;
mod taken_in;
mod terms;
mod tidy;
mod together;
mod traces;
mod transcript;
mod tree;
mod unanswered;
mod unfinished;
pub mod values;
mod withheld;

pub use accept::{
    AcceptOptions, Acceptance, Accepted, Accepting, Becomes, ByHook, Conflict, ConflictKind, Error as AcceptError,
    HookDid, InTheWay, LeftOut, Moved, Obstacle, Recovered, StuckFile, Taken, Why,
};
pub use begin::run;
pub use compare::{Call, CallPair, Comparison, FilePair, OutputPair, Run, RunDifference, compare, show_stat};
pub use diff::{Diff, DiffPath, diff, show_diff};
pub use difference::DiffKind;
pub use ending::Ending;
pub use error::{Error, ResumeError};
pub use find::find;
pub use fork::{ForkOptions, fork};
pub use history::{Content, History, RecordedCommit, RecordedLine, RecordedTurn};
pub use observer::{Observer, Stage, Tally, Undecided};
pub use prepare::RunOptions;
pub use provider::{
    ProviderCheck, ProviderChecks, ProviderList, ProviderState, ProviderStatus, SkippedProvider, Unanswered,
    check_providers, providers,
};
pub use push::{Push, Pushed, PushedThread, Shared, push, pushable};
pub use record::{FellBack, ForkedFrom, Outcome, Spend, Status, ThreadFault};
pub use remove::{Removable, RemoveOptions, Removed, removable, remove};
pub use replay::{BadSignature, Difference, Replay, ReplayStatus, replay};
pub use report::{ListOptions, ListOutcome, list, select};
pub use rerun::rerun_options;
pub use resume::{ResumeOptions, resume};
pub use share::{NotShared, SharedFolder};
pub use standing::{Fault, Signer, Standing};
pub use state::show;
pub use tail::{Next, Tail};
pub use tidy::{Tidied, tidy};
pub use unfinished::Unfinished;
