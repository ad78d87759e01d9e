//! Threads: the loop that runs a directive under permissions and limits, with its transcript as git history.
//!
//! Pure judgement is the floor below ([`machine`]); here its effects are performed, boringly. Folders import in one direction, from
//! the end of this list to its beginning:
//!
//! - `error`: why a thread cannot be run or shown.
//! - `tree`: the private work tree and what changed in it. `record`: log, journal, branch, transcript, and reading them back.
//! - `model`: the provider, and asking it. `accept`: bringing over what a thread changed.
//! - `run`: the beginning, the loop, and the calls. `replay`: deriving a thread again from its record.
//! - `continuation`: taking up again, and forks. `manage`: listing, comparing, sharing, removing. [`review`]: a thread to read.
//!
//! What a call means and whether it is permitted is the floor below ([`crate::action`]). Formats: docs/formats.md, section 6.

mod accept;
mod continuation;
mod error;
mod manage;
mod model;
mod record;
mod replay;
pub mod review;
mod run;
mod tree;

pub use accept::{
    AcceptOptions, Acceptance, Accepted, Accepting, Becomes, ByHook, Conflict, ConflictKind, Error as AcceptError,
    HookDid, InTheWay, LeftOut, Moved, Obstacle, Recovered, StuckFile, Taken, Why,
};
pub use continuation::{ForkOptions, ResumeOptions, Unfinished, fork, resume};
pub use error::{Error, ResumeError};
pub use manage::{
    Call, CallPair, Comparison, Diff, DiffPath, FetchStatus, Fetched, FetchedList, FetchedThread, FilePair,
    ListOptions, ListOutcome, ListedFetched, OutputPair, Push, Pushed, PushedThread, Removable, RemoveOptions, Removed,
    Run, RunDifference, ShareOutcome, Shared, Tidied, compare, diff, fetch, find, find_for, has_fetched, list,
    list_fetched, page, pending, push, pushable, removable, remove, rerun_options, select, share, show_diff, show_stat,
    tidy,
};
pub use model::{
    PriceOptions, PriceOutcome, ProviderCheck, ProviderChecks, ProviderList, ProviderState, ProviderStatus,
    SkippedProvider, Unanswered, check_providers, price_model, providers,
};
pub use record::{
    Content, Fault, FellBack, ForkedFrom, History, Need, Next, Outcome, RecordedCommit, RecordedLine, RecordedTurn,
    Signer, Spend, Standing, Status, Tail, ThreadFault, Verb, show,
};
pub use replay::{BadSignature, Difference, Replay, ReplayStatus, replay};
pub use run::{Observer, RunOptions, Stage, Tally, Undecided, run};
pub use rye_machine::machine::{self, Ending, allowance, harness, hooks, returns};
pub use tree::DiffKind;

pub use crate::execute::{NotShared, SharedFolder, TreeSetUp};
