//! Where the files of a registry are read from, how large each may be, and the package of a version out of them.

use std::fmt;

use super::error::Error;
use super::fault::Fault;
use super::layout::object_path;
use super::package::{Manifest, Package, bounds};
use super::state::PublishedVersion;
use crate::id::Segment;
use crate::trust::{Blake3Hash, ContentHash};

/// The largest file of lines, in bytes.
const MAX_LINES_BYTES: u64 = 8 * 1024 * 1024;
/// The largest file of a namespace: that of 32 owners.
const MAX_NAMESPACE_BYTES: u64 = 4096;
/// The size of a tile.
const MAX_TILE_BYTES: u64 = 256 * 32;
/// The largest table.
const MAX_TABLE_BYTES: u64 = 1024 * 1024;
/// The largest of the other files.
const MAX_OTHER_BYTES: u64 = 64 * 1024;

/// Returns the size limit of a file that is not an object of a package.
pub(super) fn most_of(path: &str) -> u64 {
    match path.split_once('/') {
        Some(("index", _)) => MAX_LINES_BYTES,
        Some(("namespaces", _)) => MAX_NAMESPACE_BYTES,
        Some(("tables", _)) => MAX_TABLE_BYTES,
        Some(("tile", _)) => MAX_TILE_BYTES,
        Some(_) | None => MAX_OTHER_BYTES,
    }
}

/// Where the files of a registry are read from.
pub(super) trait FileSource: fmt::Debug {
    /// Returns what the person calls the registry.
    fn registry(&self) -> &Segment;

    /// Reads a file of at most `most` bytes; `None` if missing.
    fn read(&self, path: &str, most: u64) -> Result<Option<Vec<u8>>, Error>;

    /// Lists files below a folder, for hints alone: no proof covers the list. Empty where files cannot be listed.
    fn listed_below(&self, _folder: &str) -> Vec<String> {
        Vec::new()
    }

    /// Remembers that the registry passed the checks of its reader.
    fn accept(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Lets other programs work with the registry from here on.
    fn unlock(&self) {}

    /// Reads a required file that is not an object.
    fn required(&self, path: &str) -> Result<Vec<u8>, Error> {
        let bytes = self.read(path, most_of(path))?;
        bytes.ok_or_else(|| self.fault(Fault::Missing { path: path.to_owned() }))
    }

    /// Says of which registry a check failed.
    fn fault(&self, fault: Fault) -> Error {
        Error::fault(self.registry(), fault)
    }
}

/// Reads the package of a version and checks all of it against what its line says.
pub(super) fn package(files: &dyn FileSource, version: &PublishedVersion) -> Result<Package, Error> {
    let path = object_path(&version.release.blake3);
    let (most_of_manifest, most_of_file) = bounds(version.release.item_type);
    let bytes = object(files, &version.release.blake3, most_of_manifest)?;
    let manifest = Manifest::parse(&path, &bytes).map_err(|fault| files.fault(fault))?;
    let mut contents = Vec::new();
    for file in &manifest.files {
        let bytes = object(files, &file.blake3, most_of_file)?;
        if bytes.len() as u64 != file.size || ContentHash::of(&bytes) != file.sha256 {
            return Err(files.fault(Fault::Object { path: object_path(&file.blake3) }));
        }
        contents.push(bytes);
    }
    let package = Package { manifest, contents };
    package.check(&version.release, &version.key).map_err(|fault| files.fault(fault))?;
    Ok(package)
}

fn object(files: &dyn FileSource, hash: &Blake3Hash, most: u64) -> Result<Vec<u8>, Error> {
    let path = object_path(hash);
    let bytes = files.read(&path, most)?;
    let bytes = bytes.ok_or_else(|| files.fault(Fault::MissingObject { path: path.clone() }))?;
    if Blake3Hash::of(&bytes) == *hash { Ok(bytes) } else { Err(files.fault(Fault::Object { path })) }
}
