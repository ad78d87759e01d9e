//! Directives: the xml block for machines, and the process zone for agents.

mod block;
mod budget;
pub mod condition;
pub(super) mod context;
pub(super) mod declarations;
mod elements;
mod hooks;
pub(super) mod permissions;
mod placeholders;
mod practice;
pub(super) mod process;
pub(super) mod pure_xml;
mod relations;
mod room;
pub mod step_results;
pub mod template;

pub(super) use block::{read, root};
pub use relations::{Mention, Relation, mentions, relations};
