//! Pure judgement: what happens next in a thread, what it may use, and what the model is told. Values in, values out.
//!
//! [`state_machine`](Machine) steps from inputs to effects; [`harness`] and [`allowance`] count limits, [`hooks`] says what fires,
//! [`returns`] holds the outputs; `prompt` and `instructions` are the texts. `setup` and `terms` are what of it is recorded.
//! Nothing here reads a file, a clock or the network, and nothing here imports from the other folders of the room.

pub mod allowance;
mod current_directive;
mod effect;
pub(super) mod ending;
pub mod harness;
pub mod hooks;
pub(super) mod instructions;
pub(super) mod lost_requests;
mod position;
pub(super) mod prompt;
pub mod returns;
mod setup;
mod state_machine;
mod terms;

pub use effect::{Answer, Effect, Input, Origin, Performed, Question, Replacement};
pub(super) use ending::PROVIDER_FAILED;
pub use ending::{Ending, Status};
pub(super) use position::Position;
pub(super) use setup::{SETUP_FORMAT, SetupRecord};
pub use state_machine::{Fork, Machine, Resumption, Setup};
pub(super) use terms::Terms;
