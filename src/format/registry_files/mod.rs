//! The TOML files of registries: what a registry says of itself, who owns a namespace, which registries a person uses, and
//! what a project has pulled (docs/formats.md, section 12).
//!
//! Read strictly: an unknown key is an error. Written in one spelling, so that a file can be compared with what it must be.

mod config;
mod known;
mod lock;

pub use config::{Claims, RegistryConfig, namespace_text, registry_config, registry_config_text};
pub use known::{KnownRegistries, KnownRegistry, known_registries, known_registries_text};
pub use lock::{Lock, LockEntry, lock, lock_text};

/// The version of all of these formats.
const FORMAT: u32 = 1;

/// Returns a text as TOML of format 1.
fn read<'de, T: serde::Deserialize<'de>>(text: &'de str) -> Result<T, String> {
    toml::from_str(text).map_err(|error| error.message().to_owned())
}

fn check_format(format: u32) -> Result<(), String> {
    if format == FORMAT { Ok(()) } else { Err(format!("unsupported format {format} (this version reads {FORMAT})")) }
}
