//! Pure judgement: what happens next in a thread, what it may use, and what the model is told. Values in, values out.
//!
//! [`state_machine`](Machine) steps from inputs to effects; [`harness`] and [`allowance`] count limits and the context, [`hooks`] says what
//! fires, [`returns`] holds the outputs: these are of the floor below. `prompt`, `instructions` and `notes` are the texts; `setup` and
//! `terms` are what of it is recorded.
//! Nothing here reads a file, a clock or the network, and nothing here imports from the other folders of the room.

mod current_directive;
mod effect;
pub(super) mod ending;
pub(super) mod instructions;
pub(super) mod lost_requests;
mod notes;
mod position;
pub(super) mod prompt;
mod setup;
mod state_machine;
mod terms;

pub use rye_action::harness::Compaction;
pub use rye_action::{allowance, harness, hooks, returns};

pub use effect::{Answer, Effect, Input, Origin, Performed, Question, Replacement};
pub(super) use ending::{CONTEXT, PROVIDER_FAILED};
pub use ending::{Ending, Status};

pub(super) use position::Position;
pub(super) use setup::{SETUP_FORMAT, SetupRecord};
pub use state_machine::{Fork, Machine, Resumption, Setup};
pub(super) use terms::Terms;
