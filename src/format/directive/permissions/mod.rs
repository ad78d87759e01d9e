//! Permissions: the element of a directive, and documents of capabilities.

mod document;
mod element;
mod grants;
pub(in crate::format) mod legacy;

pub use document::{CapabilityDocument, capabilities};
pub use element::{Grant, Granted, print_permissions};
pub(in crate::format) use element::{collect, read};
pub use grants::grants;
