//! Plugins: found around the executable or installed, judged by their signatures, opened as dynamic libraries, and asked.
//!
//! The linked ones stand in for the libraries that an installation does not carry. What is said over the border is
//! `rye_plugin_abi`'s.

pub mod plugin;

// The names by which the modules here know those below.
use rye_context::context;
use rye_format::format;
use rye_id::error;
use rye_trust::trust;
