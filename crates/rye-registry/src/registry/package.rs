//! A package: the file of an item and its companions, each by content, below one manifest. Pure.
//!
//! The manifest is canonical JSON. The item's file comes first, under its own name; companions follow, by their paths from
//! the item's folder, as its header lists them; those of a skill are all of its folder's files, from that folder.

use serde::{Deserialize, Serialize};

use super::fault::Fault;
use super::layout::object_path;
use super::line::Release;
use crate::capability::folded;
use crate::format;
use crate::id::{ItemId, ItemType, Version};
use crate::item::{self, CompanionPath, Item, Named, unusable_path};
use crate::trust::{Blake3Hash, ContentHash, PublicKey, Signed, Subject, TrustedKey, TrustedKeys, canonical_json};

/// The largest manifest, in bytes.
const MAX_MANIFEST_BYTES: u64 = 2 * 1024 * 1024;
/// The same for an item that is not a skill.
const MAX_SMALL_MANIFEST_BYTES: u64 = 64 * 1024;
/// The largest file of a package, in bytes.
const MAX_FILE_BYTES: u64 = item::MOST_FILE_BYTES;
/// The largest file of an item that is not a skill, and of a skill's manifest, in bytes.
const MAX_ITEM_BYTES: u64 = 1024 * 1024;
/// The most bytes of all files of a package.
const MAX_BYTES: u64 = item::MOST_BYTES + MAX_ITEM_BYTES;
/// The most files of a package: a skill's, and its manifest.
const MAX_FILES: usize = item::MOST_FILES + 1;
/// The most files of a package of an item that is not a skill.
const MAX_COMPANIONS: usize = 64;
/// The version of the manifest.
const VERSION: u32 = 1;

/// Returns how large the manifest of a package and one of its files may be, in bytes.
pub(super) const fn bounds(item_type: ItemType) -> (u64, u64) {
    match item_type {
        ItemType::Skill => (MAX_MANIFEST_BYTES, MAX_FILE_BYTES),
        ItemType::Directive | ItemType::Tool | ItemType::Knowledge => (MAX_SMALL_MANIFEST_BYTES, MAX_ITEM_BYTES),
    }
}

/// What a package holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    v: u32,
    /// The files, the item's first.
    pub files: Vec<PackagedFile>,
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackagedFile {
    /// Its path from the item's folder; of a skill's file, from the skill's folder.
    pub path: String,
    /// Its size, in bytes.
    pub size: u64,
    /// The SHA-256 of its bytes.
    pub sha256: ContentHash,
    /// The BLAKE3 of its bytes: the name of the object.
    pub blake3: Blake3Hash,
}

/// A package with the bytes of its files, the item's first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    /// The manifest.
    pub manifest: Manifest,
    /// The bytes of each file of the manifest.
    pub contents: Vec<Vec<u8>>,
}

impl Package {
    /// Makes the package of an item and its companions.
    #[must_use]
    pub fn of(files: Vec<(String, Vec<u8>)>) -> Self {
        let packaged = |(path, bytes): &(String, Vec<u8>)| PackagedFile {
            path: path.clone(),
            size: bytes.len() as u64,
            sha256: ContentHash::of(bytes),
            blake3: Blake3Hash::of(bytes),
        };
        let manifest = Manifest { v: VERSION, files: files.iter().map(packaged).collect() };
        Self { manifest, contents: files.into_iter().map(|(_, bytes)| bytes).collect() }
    }

    /// Returns the objects that the package is made of: their paths and bytes.
    #[must_use]
    pub fn objects(&self) -> Vec<(String, Vec<u8>)> {
        let manifest = self.manifest.bytes();
        let files = self.manifest.files.iter().zip(&self.contents);
        let files = files.map(|(file, bytes)| (object_path(&file.blake3), bytes.clone()));
        std::iter::once((object_path(&Blake3Hash::of(&manifest)), manifest)).chain(files).collect()
    }

    /// Returns the files: their paths and bytes.
    pub fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let files = self.manifest.files.iter().zip(&self.contents);
        files.map(|(file, bytes)| (file.path.as_str(), bytes.as_slice()))
    }

    /// Returns the bytes of the item's file.
    #[must_use]
    pub fn item(&self) -> &[u8] {
        self.contents.first().map_or(&[], Vec::as_slice)
    }

    /// Returns the companions: their paths and bytes.
    pub fn companions(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let files = self.manifest.files.iter().zip(&self.contents).skip(1);
        files.map(|(file, bytes)| (file.path.as_str(), bytes.as_slice()))
    }

    /// Checks that the files are what a line says was published: that the item is the one of that type, id, extension and
    /// version, that its own signature is by the key that published it, and that its companions and the items that it needs
    /// are those it lists.
    ///
    /// # Errors
    ///
    /// Returns what does not fit.
    pub fn check(&self, release: &Release, key: &PublicKey) -> Result<(), Fault> {
        let Release { item_type, id, extension, version, .. } = release.clone();
        let files = &self.manifest.files;
        let total: u64 = files.iter().map(|file| file.size).sum();
        let is_item = files
            .first()
            .is_some_and(|file| file.sha256 == release.sha256 && file.path == file_name(&id, extension.as_str()));
        if !is_item || total != release.size {
            return Err(Fault::Content { item_type, id, version });
        }
        let mut keys = TrustedKeys::default();
        keys.add(TrustedKey::new(*key, "publisher", ""));
        let subject = Subject { item_type, item_id: id.clone(), extension: extension.clone() };
        let signed = Signed::new(subject, self.item().to_vec());
        if let Err(fault) = signed.judge_line(&keys) {
            return Err(Fault::ItemSignature { item_type, id, version, fault });
        }
        let item = format::parse_bytes(item_type, &extension, self.item()).item;
        let says = |says: String| Fault::ItemMismatch { item_type, id: id.clone(), version, says };
        let item = item.ok_or_else(|| says("no item that can be read".to_owned()))?;
        if item.version() != Some(version) {
            return Err(says(item.version().map_or("of no version".to_owned(), |says| format!("version {says}"))));
        }
        self.check_companions(&item).map_err(|path| says(format!("a tool with another companion `{path}`")))?;
        check_needs(release, &item)
    }

    fn check_companions(&self, item: &Item) -> Result<(), String> {
        let listed: Vec<(&str, ContentHash)> = match item {
            Item::Tool(tool) => tool.companions.iter().map(|file| (file.path.as_str(), file.sha256)).collect(),
            Item::Skill(skill) => skill.files.iter().map(|file| (file.path.as_str(), file.sha256)).collect(),
            Item::Directive(_) | Item::Knowledge(_) => Vec::new(),
        };
        let there = &self.manifest.files[1..];
        let first_other =
            (0..there.len().max(listed.len())).find(|index| match (listed.get(*index), there.get(*index)) {
                (Some((path, sha256)), Some(there)) => *path != there.path || *sha256 != there.sha256,
                (_, _) => true,
            });
        match first_other {
            None => Ok(()),
            Some(index) => Err(there
                .get(index)
                .map(|file| file.path.clone())
                .or_else(|| listed.get(index).map(|(path, _)| (*path).to_owned()))
                .unwrap_or_default()),
        }
    }
}

/// Compares the needed items of a line with those that the item names. A line that lists others would have them pulled, or
/// would hold them in a version.
fn check_needs(release: &Release, item: &Item) -> Result<(), Fault> {
    let Release { item_type, id, version, deps, .. } = release;
    let named = item.needs();
    let fault = |name: &ItemId, is_named| {
        let (item_type, id, version, name) = (*item_type, id.clone(), *version, name.clone());
        Err(Fault::Needs { item_type, id, version, name, is_named })
    };
    if let Some(need) = deps.iter().find(|need| !named.iter().any(|named| named.can_mean(need.item_type, &need.id))) {
        return fault(&need.id, false);
    }
    let is_listed = |named: &&Named| {
        named.can_mean(*item_type, id) || deps.iter().any(|need| named.can_mean(need.item_type, &need.id))
    };
    match named.iter().filter(|named| named.is_of_a_published_item()).find(|named| !is_listed(named)) {
        Some(missing) => fault(&missing.name, true),
        None => Ok(()),
    }
}

impl Manifest {
    /// Reads a manifest, which lies at `path`.
    ///
    /// # Errors
    ///
    /// Says what is wrong with it.
    pub fn parse(path: &str, bytes: &[u8]) -> Result<Self, Fault> {
        let wrong = |reason| Fault::Manifest { path: path.to_owned(), reason };
        let manifest: Self = serde_json::from_slice(bytes).map_err(|_| wrong("it is not a manifest"))?;
        if manifest.v != VERSION {
            return Err(wrong("it is of another version"));
        }
        if manifest.bytes() != bytes {
            return Err(wrong("it is not canonical JSON, or has an unknown member"));
        }
        if manifest.files.is_empty() || manifest.files.len() > MAX_FILES {
            return Err(wrong("it lists no file, or too many"));
        }
        let is_skill = manifest.files[0].path.ends_with(".sig");
        let limit = if is_skill { MAX_FILE_BYTES } else { MAX_ITEM_BYTES };
        if manifest.files[0].size > MAX_ITEM_BYTES || manifest.files.iter().any(|file| file.size > limit) {
            return Err(wrong("it lists a file that is too large"));
        }
        let total = manifest.files.iter().map(|file| file.size).fold(0, u64::saturating_add);
        if total > MAX_BYTES || !is_skill && manifest.files.len() > MAX_COMPANIONS + 1 {
            return Err(wrong("it lists too many files, or too many bytes"));
        }
        let is_plain = |path: &str| path.parse::<CompanionPath>().is_ok();
        let is_path = |(at, file): (usize, &PackagedFile)| match is_skill && at > 0 {
            true => unusable_path(&file.path).is_none(),
            false => is_plain(&file.path),
        };
        if !manifest.files.iter().enumerate().all(is_path) {
            return Err(wrong("it lists a path that no file may have"));
        }
        let folded = |file: &PackagedFile| file.path.split('/').map(folded).collect::<Vec<_>>().join("/");
        // A skill's manifest lies elsewhere than its files.
        let mut names: Vec<String> = manifest.files.iter().skip(usize::from(is_skill)).map(folded).collect();
        names.sort();
        if names.windows(2).any(|pair| pair[0] == pair[1] || pair[1].starts_with(&format!("{}/", pair[0]))) {
            return Err(wrong("two of its files have one name"));
        }
        Ok(manifest)
    }

    /// Returns the manifest's bytes.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        canonical_json(self).expect("because texts and whole numbers are always JSON")
    }
}

/// Returns the name of an item's file, without its folder.
#[must_use]
pub fn file_name(id: &ItemId, extension: &str) -> String {
    format!("{}.{extension}", id.name())
}

/// Returns the release of a package.
#[must_use]
pub fn release(subject: &Subject, version: Version, package: &Package, deps: Vec<super::line::Need>) -> Release {
    Release {
        item_type: subject.item_type,
        id: subject.item_id.clone(),
        extension: subject.extension.clone(),
        version,
        sha256: ContentHash::of(package.item()),
        blake3: Blake3Hash::of(&package.manifest.bytes()),
        size: package.manifest.files.iter().map(|file| file.size).sum(),
        deps,
        requires_rye: None,
    }
}
