//! `plugin.toml`, the manifest of a plugin that is installed (docs/formats.md, section 7).
//!
//! - [`Manifest`]: the whole manifest, as it is signed and installed.
//! - [`Draft`]: what its author writes; signing adds digests, sizes and a time.
//! - [`CheckedManifest`], [`CheckedLibrary`]: what passed the check of signature and digest. Only the check makes them, and only
//!   they can be opened.
//!
//! Read strictly: an unknown key is an error. Pure: bytes and keys come in.

mod check;
mod fault;
mod kind;
mod manifest;
mod needs;
mod read;

pub use check::{CheckedLibrary, CheckedManifest, check_manifest};
pub use fault::PluginFault;
pub use kind::{PluginKind, PluginName, PluginNameError};
pub use manifest::{
    Library, MAX_PLUGIN_LIBRARY_BYTES, MAX_PLUGIN_MANIFEST_BYTES, MAX_PLUGIN_SIGNATURE_BYTES, Manifest,
    PLUGIN_MANIFEST, PLUGIN_SIGNATURE,
};
pub use needs::{Hosts, Needs};
pub use read::{Draft, plugin_manifest, plugin_manifest_draft, plugin_manifest_text};
