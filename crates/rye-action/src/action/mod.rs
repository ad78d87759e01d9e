//! What a model may do: every call of a model, a hook or a client as one value, checked, then performed.
//!
//! A call is parsed once into an [`Action`]. Only [`Action::permit`] makes a [`Permitted`] action, and only a permitted
//! action can be performed, so the checked value is the dispatched one (hole 6 of the threat model). Threads, their
//! hooks and connections over MCP have no other way to a tool.
//!
//! - [`Toolbox`], [`primary_spec`], [`flat_names`]: the tools a model is offered, under names that no two share.
//! - [`perform`]: does the permitted action, under [`Bounds`], and returns what was [`Done`].

mod bounds;
mod done;
mod error;
mod names;
mod perform;
mod permit;
mod primary;
mod question;
mod recall;
mod registries;
mod search;
mod toolbox;
mod written_items;

pub use bounds::{Bounds, Progress};
pub use done::{DATA, Done};
pub use error::Error;
pub use names::{DEVIATION, RECALL, RETURN, flat_names};
pub use perform::perform;
pub use permit::{Action, Permitted};
pub use primary::{action, parse_primary, primary_spec};
pub use question::{MOST_IN_FORM, MOST_ON_TERMINAL};
pub use recall::{Recall, Recalled};
pub use search::Search;
pub use toolbox::{OfferedTool, Resolved, Toolbox};
