//! Pure judgement: what happens next in a thread, what it may use, and what the model is told. Values in, values out.
//!
//! [`state_machine`](Machine) steps from inputs to effects; [`harness`] and [`allowance`] count limits and the context, [`hooks`] says what
//! fires, [`returns`] holds the outputs: these are of the floor below. `prompt`, `instructions` and `notes` are the texts; `setup` and
//! `terms` are what of it is recorded.
//! Nothing here reads a file, a clock or the network, and nothing here imports from the other folders of the room.

mod current_directive;
mod effect;
pub mod ending;
pub mod instructions;
pub mod lost_requests;
mod notes;
mod position;
pub mod prompt;
mod setup;
mod state_machine;
mod terms;

pub use rye_action::harness::Compaction;
pub use rye_action::{allowance, harness, hooks, returns};

pub use effect::{Answer, Effect, Input, Origin, Performed, Question, Replacement};
pub use ending::{CONTEXT, PROVIDER_FAILED, declined};
pub use ending::{Ending, Status};

pub use position::Position;
pub use setup::{SETUP_FORMAT, SetupRecord};
pub use state_machine::{Fork, Machine, Resumption, Setup};
pub use terms::Terms;
