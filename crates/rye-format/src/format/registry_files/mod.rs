//! The TOML files of registries: what a registry says of itself, who owns a namespace, which registries a person uses, and
//! what a project has pulled (docs/formats.md, section 12).
//!
//! Read strictly: an unknown key is an error. Written in one spelling, so that a file can be compared with what it must be.

mod config;
mod known;
mod lock;
mod lock_skill;

pub use config::{Claims, RegistryConfig, namespace_text, registry_config, registry_config_text};
pub use known::{KnownRegistries, KnownRegistry, known_registries, known_registries_text};
pub use lock::{Lock, LockEntry, lock, lock_text};
pub use lock_skill::{LockedSignature, LockedSkill, LockedSource, SkillOrigin, UpstreamSignature};

/// The version of these formats, but for that of the lock.
const FORMAT: u32 = 1;

#[derive(serde::Deserialize)]
struct Head {
    format: u32,
}

/// Reads TOML of the formats up to `newest`. The format comes first: a newer one may have keys that are unknown here.
fn read<'de, T: serde::Deserialize<'de>>(text: &'de str, newest: u32) -> Result<T, String> {
    let failed = |error: toml::de::Error| described(text, &error);
    let Head { format } = toml::from_str(text).map_err(failed)?;
    if format == 0 || format > newest {
        let words = if format == 0 { "unknown" } else { "newer" };
        return Err(format!("it has the {words} format {format} (this version of rye reads format {newest})"));
    }
    toml::from_str(text).map_err(failed)
}

/// Says what is wrong and in which line. No value is repeated: an address may hold a password.
fn described(text: &str, error: &toml::de::Error) -> String {
    let Some(at) = error.span().map(|span| span.start.min(text.len())) else { return error.message().to_owned() };
    let number = text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count() + 1;
    let line = text.lines().nth(number - 1).unwrap_or_default();
    let key: String = line.chars().skip_while(|letter| *letter == '[').take_while(char::is_ascii_lowercase).collect();
    match error.message() {
        "duplicate key" if !key.is_empty() => format!("line {number}: duplicate key `{key}`"),
        message => format!("line {number}: {message}"),
    }
}
