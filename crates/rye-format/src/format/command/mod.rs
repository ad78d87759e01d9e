//! Slash commands of AI clients: reading their files, and drafting a directive from one.
//!
//! A command's text is data: what would be a tag, a call or a placeholder of a directive is written so that it is text, and a draft is
//! held against the format before anything is made of it.

mod document;
mod draft;
mod tools;

pub use document::{CommandForm, SlashCommand, slash_command};
pub use draft::{CommandDraft, command_draft};
