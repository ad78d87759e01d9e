//! The manifest as text: the author's part, and the signed part.

use serde::{Deserialize, Serialize};

use super::{
    Library, MAX_PLUGIN_LIBRARY_BYTES, MAX_PLUGIN_MANIFEST_BYTES, Manifest, Needs, PLUGIN_MANIFEST, PLUGIN_SIGNATURE,
    PluginKind, PluginName,
};
use crate::id::{Timestamp, Version};
use crate::trust::ContentHash;

/// The version of the format.
const FORMAT: u32 = 1;

/// The most libraries.
const MOST_LIBRARIES: usize = 32;

/// The longest texts, in bytes.
const LONGEST_NAME: usize = 128;
const LONGEST_TEXT: usize = 1000;

/// A manifest without what signing adds.
#[derive(Debug, Clone)]
pub struct Draft(File);

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    manifest: u32,
    name: PluginName,
    #[serde(rename = "crate")]
    crate_name: String,
    kind: PluginKind,
    version: Version,
    abi: u32,
    description: String,
    license: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    signed_at: Option<Timestamp>,
    #[serde(default)]
    needs: Needs,
    #[serde(default)]
    library: Vec<Entry>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    target: String,
    file: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sha256: Option<ContentHash>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
}

#[derive(Deserialize)]
struct Head {
    manifest: u32,
}

/// Reads a manifest as its author wrote it.
///
/// # Errors
///
/// Says what is not understood.
pub fn plugin_manifest_draft(bytes: &[u8]) -> Result<Draft, String> {
    if bytes.len() as u64 > MAX_PLUGIN_MANIFEST_BYTES {
        return Err(format!("it is larger than {} KiB", MAX_PLUGIN_MANIFEST_BYTES / 1024));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
    let failed = |error: toml::de::Error| error.message().to_owned();
    // First: a newer one may have keys that are unknown here.
    let Head { manifest } = toml::from_str(text).map_err(failed)?;
    if manifest != FORMAT {
        let word = if manifest == 0 { "unknown" } else { "newer" };
        return Err(format!("it has the {word} format {manifest} (this version of rye reads `manifest = {FORMAT}`)"));
    }
    let file: File = toml::from_str(text).map_err(failed)?;
    check(&file)?;
    Ok(Draft(file))
}

/// Reads a manifest that is complete.
///
/// # Errors
///
/// Says what is not understood, or missing.
pub fn plugin_manifest(bytes: &[u8]) -> Result<Manifest, String> {
    let Draft(file) = plugin_manifest_draft(bytes)?;
    let library = |entry: &Entry| {
        let missing = |key| format!("the library `{}` has no `{key}`, which `rye plugin sign` adds", entry.file);
        Ok(Library {
            target: entry.target.clone(),
            file: entry.file.clone(),
            sha256: entry.sha256.ok_or_else(|| missing("sha256"))?,
            size: entry.size.ok_or_else(|| missing("size"))?,
        })
    };
    let libraries = file.library.iter().map(library).collect::<Result<Vec<_>, String>>()?;
    let signed_at = file.signed_at.ok_or("it has no `signed_at`, which `rye plugin sign` adds")?;
    Ok(complete(file, signed_at, libraries))
}

/// Writes a manifest in its one spelling.
#[must_use]
pub fn plugin_manifest_text(manifest: &Manifest) -> String {
    let Manifest { name, crate_name, kind, version, abi, description, license, signed_at, needs, libraries } =
        manifest.clone();
    let entry = |Library { target, file, sha256, size }| Entry { target, file, sha256: Some(sha256), size: Some(size) };
    let file = File {
        manifest: FORMAT,
        name,
        crate_name,
        kind,
        version,
        abi,
        description,
        license,
        signed_at: Some(signed_at),
        needs,
        library: libraries.into_iter().map(entry).collect(),
    };
    let text = toml::to_string(&file).expect("because numbers and texts can always be written");
    format!("# Written by `rye plugin sign`: any change makes {PLUGIN_SIGNATURE} invalid.\n{text}")
}

impl Draft {
    /// Returns the plugin's name.
    #[must_use]
    pub const fn name(&self) -> &PluginName {
        &self.0.name
    }

    /// Returns its version.
    #[must_use]
    pub const fn version(&self) -> Version {
        self.0.version
    }

    /// Returns the contract version.
    #[must_use]
    pub const fn abi(&self) -> u32 {
        self.0.abi
    }

    /// Returns what it says that it needs.
    #[must_use]
    pub const fn needs(&self) -> &Needs {
        &self.0.needs
    }

    /// Completes it: `measure` returns digest and size of the library in a file.
    ///
    /// # Errors
    ///
    /// As `measure`.
    pub fn complete<E>(
        self,
        signed_at: Timestamp,
        mut measure: impl FnMut(&str) -> Result<(ContentHash, u64), E>,
    ) -> Result<Manifest, E> {
        let mut libraries = Vec::new();
        for Entry { target, file, .. } in &self.0.library {
            let (sha256, size) = measure(file)?;
            libraries.push(Library { target: target.clone(), file: file.clone(), sha256, size });
        }
        Ok(complete(self.0, signed_at, libraries))
    }
}

fn complete(file: File, signed_at: Timestamp, libraries: Vec<Library>) -> Manifest {
    let File { name, crate_name, kind, version, abi, description, license, needs, .. } = file;
    Manifest { name, crate_name, kind, version, abi, description, license, signed_at, needs, libraries }
}

fn check(file: &File) -> Result<(), String> {
    if !is_crate(&file.crate_name) {
        return Err("`crate` is not the name of a crate with underscores, such as `acme_provider`".to_owned());
    }
    for (key, text) in [("description", &file.description), ("license", &file.license)] {
        if text.trim().is_empty() || text.len() > LONGEST_TEXT || text.contains(char::is_control) {
            return Err(format!("`{key}` is empty, longer than {LONGEST_TEXT} bytes, or has more than one line"));
        }
    }
    if file.library.is_empty() || file.library.len() > MOST_LIBRARIES {
        return Err(format!("it has no `[[library]]`, or more than {MOST_LIBRARIES}"));
    }
    for (at, Entry { target, file: name, size, .. }) in file.library.iter().enumerate() {
        let earlier = &file.library[..at];
        if !is_target(target) || earlier.iter().any(|other| other.target == *target) {
            return Err(format!("the `target` of library {} is not a target, or there twice", at + 1));
        }
        if !is_file_name(name) || earlier.iter().any(|other| other.file.eq_ignore_ascii_case(name)) {
            return Err(format!("the `file` of library {} is not the name of a file of its own", at + 1));
        }
        if size.is_some_and(|size| size > MAX_PLUGIN_LIBRARY_BYTES) {
            return Err(format!("library {} is larger than {} MiB", at + 1, MAX_PLUGIN_LIBRARY_BYTES / (1024 * 1024)));
        }
    }
    file.needs.check(file.kind)
}

fn is_crate(text: &str) -> bool {
    let is_fine = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    !text.is_empty()
        && text.len() <= LONGEST_NAME
        && !text.starts_with(|first: char| first.is_ascii_digit())
        && text.bytes().all(is_fine)
}

fn is_target(text: &str) -> bool {
    let is_fine = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    text.contains('-') && text.len() <= LONGEST_NAME && text.bytes().all(is_fine)
}

/// A file name without folders, other than those of manifest and signature.
fn is_file_name(text: &str) -> bool {
    let is_fine = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let own = [PLUGIN_MANIFEST, PLUGIN_SIGNATURE];
    text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text.len() <= LONGEST_NAME
        && text.bytes().all(is_fine)
        && !own.iter().any(|name| name.eq_ignore_ascii_case(text))
}
