//! Pages of HTML: no script, nothing from elsewhere, and all that comes from a thread escaped.

mod change;
mod elements;
mod markdown;
mod thread;
mod value;

pub(super) use thread::page;
