//! Chat Completions, `POST /chat/completions`.
//!
//! - `request`: the body. `chunk`: the shapes of a response. `reply`: chunks become a turn.
//! - `calls`: pieces of tool calls become calls. `reasoning`: pieces of reasoning, for servers that want it back.

mod calls;
mod chunk;
mod reasoning;
mod reply;
mod request;

pub(crate) use reply::{peek, turn};
pub(crate) use request::request;
