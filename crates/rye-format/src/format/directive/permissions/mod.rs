//! Permissions: the element of a directive, and documents of capabilities.

mod document;
mod element;
mod granted;
mod grants;
mod judge;
pub(in crate::format) mod legacy;

pub use document::{CapabilityDocument, capabilities};
pub use element::print_permissions;
pub(in crate::format) use element::{collect, read};
pub use granted::{Grant, Granted};
pub use grants::grants;
