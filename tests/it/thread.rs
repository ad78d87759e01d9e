//! Threads: the pure machine against arbitrary models, and whole threads in temporary repositories that stock git
//! judges.
//!
//! Each test has its own folder with a home of its own; no variable of the caller reaches rye or git.

mod accept;
mod answer_ends;
mod bombs;
mod caller;
mod cancelled;
mod diff;
mod dirty;
mod endings;
mod extends;
mod fallback;
mod fork;
mod fork_kill;
mod guide;
mod harness;
mod history;
mod holes;
mod hooks;
mod in_place;
mod keep;
mod kill;
mod laws;
mod live;
mod machine;
mod money;
mod names;
mod paths;
mod prompts;
mod provider_document;
mod provider_errors;
mod provider_verbs;
pub(crate) mod providers;
mod reasons;
mod recordings;
mod redaction;
mod refusals;
mod remove;
mod remove_kill;
mod replaced;
mod replay;
mod rerun;
mod results;
mod resume;
mod resume_ends;
mod resume_kill;
mod review;
mod share;
mod sole_provider;
mod states;
mod steps;
mod tail;
mod taken_in;
mod together;
mod tools_git;
pub(crate) mod world;
