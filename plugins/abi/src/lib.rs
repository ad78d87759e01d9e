//! The contract between the program and its plugins, version 1.
//!
//! A plugin is a translator: it is asked one question at a time, in JSON, and answers in JSON. It performs no input or
//! output of its own, so the host's limits, secrets, sandbox and transcript cannot be gone round by accident.
//!
//! - [`table`]: what crosses the library boundary, integers and pointers only.
//! - [`export`]: how a plugin's Rust code is put behind that table, panics included.
//! - [`message`]: what every plugin says: who it is, what went wrong.
//! - [`provider`], [`tool_kind`]: the questions and answers of the two kinds of plugin.
//! - [`conversation`], [`brief`]: what a provider is asked about; [`event`]: what it answers; [`exchange`]: what it has its host send.
//! - [`numbers`]: JSON whose integers keep their digits.
//!
//! # Invariants
//!
//! - Data crosses the boundary as JSON or without a niche: no `bool`, `str`, `Option`, `Vec`, reference.
//! - Unknown fields in payloads are tolerated on both sides: fields are added without a new version.
//! - Every call that carries a conversation forward carries and returns an opaque `state`; plugins keep none.
//! - A plugin frees what it allocates, and a panic never crosses the boundary.
//!
//! This crate knows nothing of the program, and deliberately opens no library: that is the host's work.

pub mod brief;
pub mod conversation;
pub mod event;
pub mod exchange;
pub mod export;
pub mod message;
pub mod numbers;
pub mod provider;
pub mod table;
pub mod tool_kind;

pub use message::{Description, Failure, FailurePayload};
pub use table::{ABI, Table};
