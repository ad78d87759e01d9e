//! What the arguments of several commands have in common.

mod global;
mod values;

pub(super) use global::{Color, Early, Format, Global};
pub(super) use values::{formats, item_type, name, space, writable_space};
