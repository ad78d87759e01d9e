//! Events of threads as text: one in Markdown for people, the values in it, and long texts as a model gets them. Pure.

mod compaction;
mod line;
mod long_text;
mod paragraph;
mod values;

pub use compaction::{cleared, turns};
pub use line::{one_line, printable, sentence};
pub use long_text::{Gap, without_middle, without_middles};
pub use paragraph::paragraph;
pub use values::{Part, abridged, maybe_billed, parts};
