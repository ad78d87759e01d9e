//! Pages of HTML: no script, nothing from elsewhere, and all that comes from a thread escaped.

mod elements;
mod thread;

pub(super) use thread::page;
