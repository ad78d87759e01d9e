//! Responses, `POST /responses`.
//!
//! - `request`: the body. `reply`: events become a turn. `item`: an item of the output.
//!
//! Nothing is stored at the server: reasoning comes encrypted and goes back with the next request.

mod item;
mod reply;
mod request;

pub(crate) use reply::{peek, turn};
pub(crate) use request::request;
