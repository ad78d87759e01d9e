//! Rye: agents' workspaces and runs as ordinary, verifiable git.
//!
//! The library behind the program `rye`. ARCHITECTURE.md has the floors, doors and walks; docs/formats.md the formats.
//!
//! # Map
//!
//! | floor | module | owns |
//! |---|---|---|
//! | ground | [`id`] | types, ids, spaces, versions, extensions, times |
//! | | [`trust`] | digests, keys, signature lines, verdicts, the verified type |
//! | | [`capability`] | patterns over calls, path rules, signed tokens |
//! | | [`item`] | directives, tools, knowledge, inputs, limits, money, as values |
//! | | [`event`] | what happens in a thread, one line each |
//! | | [`mod@format`] | items as text: reading them, every rule and finding |

pub mod capability;
pub mod event;
pub mod format;
pub mod id;
pub mod item;
pub mod trust;
