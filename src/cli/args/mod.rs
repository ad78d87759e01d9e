//! What the arguments of several commands have in common.

mod allow_secret;
mod global;
mod named;
mod values;

pub(super) use allow_secret::AllowSecret;
pub(super) use global::{Color, Early, Format, Global};
pub(super) use named::{Named, is_path};
pub(super) use values::{ending, formats, item_type, name, number, past_ending, space, writable_space};
