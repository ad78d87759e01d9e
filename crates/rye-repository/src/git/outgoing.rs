//! What goes out by a push: what the other side has already, which objects are sent, and a look at each of them.

mod advertised;
mod content;
mod inspection;
mod listing;
mod staged;

pub use content::{Content, MOST_AT_ONCE};
pub use inspection::Inspection;
pub use listing::Sent;
