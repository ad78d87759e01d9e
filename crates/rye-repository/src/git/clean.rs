//! What git stores of a file of the work tree: clean filters, encodings, line ends and `$Id$`, by its attributes.
//!
//! Invariant: the attributes are those of the index or commit that a [`Cleaner`] is made of, of `info/attributes` and of
//! `core.attributesFile`. A `.gitattributes` that a tool wrote since has no say, so no tool chooses which program runs. A
//! driver runs only if the configuration defines it, and through the caller, who bounds it.
//!
//! Stricter than git: a driver that fails refuses the file even if it is not `required`, and so does one that has only a
//! `process`. gix's own pipeline ignores `required` without a command, and has no bounds.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use gix::{
    bstr::{BString, ByteSlice},
    filter::plumbing::{
        Driver,
        eol::{self, AttributesDigest, convert_to_git},
        ident,
        pipeline::CrlfRoundTripCheck,
    },
    index::{
        State,
        entry::{Flags, Mode as IndexMode, Stat},
    },
    objs::{Find as _, Kind},
    worktree::stack::state::attributes::Source,
};

use super::{
    BlobId, Cause, CommitId, Error, LinkedTree, Repository,
    conversion::{Conversions, attributes_in, failed, is_attributes},
    encoding::{Encoding, Named},
    objects::Objects,
};

/// The size above which no file is read here, in bytes: git reads no larger file of attributes either.
const MAX_BYTES: u64 = 100 * 1024 * 1024;

/// Runs the shell command of a driver on bytes, and returns what it prints; `None` if it fails.
pub type RunFilter = Box<dyn FnMut(&str, &[u8]) -> Option<Vec<u8>> + Send>;

/// What git stores of some bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stored {
    /// These very bytes.
    AsIs,
    /// Others.
    As(Vec<u8>),
    /// Nothing: they cannot be converted as the attributes demand.
    NotConvertible,
}

/// Turns bytes of the work tree into what git stores.
pub struct Cleaner {
    repository: Repository,
    conversions: Conversions,
    before: Before,
    run: RunFilter,
    /// What a driver made of the last bytes of a path.
    ran: BTreeMap<String, (BlobId, Vec<u8>)>,
}

/// Where it is looked whether git has CRLF in a text already, which then stays.
enum Before {
    Nothing,
    Commit(CommitId),
    Index(Box<State>),
}

impl std::fmt::Debug for Cleaner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cleaner").field("is_plain", &self.conversions.is_plain).finish_non_exhaustive()
    }
}

impl LinkedTree {
    /// Makes a cleaner by the attributes of the commit that was checked out.
    ///
    /// # Errors
    /// [`Error::Status`].
    pub fn cleaner(&self, base: Option<&CommitId>, run: RunFilter) -> Result<Cleaner, Error> {
        let before = base.map_or(Before::Nothing, |base| Before::Commit(base.clone()));
        Cleaner::new(&self.repository, &self.index, Source::IdMapping, before, run)
    }
}

impl Repository {
    /// Makes a cleaner by the attributes of a commit.
    ///
    /// # Errors
    /// [`Error::Status`], and as for [`tree_of`](Self::tree_of).
    pub fn cleaner_at(&self, commit_id: &CommitId, run: RunFilter) -> Result<Cleaner, Error> {
        let tree_id = self.tree_of(commit_id)?.to_gix();
        let index = self.inner.index_from_tree(&tree_id).map_err(|source| failed(self, source))?;
        Cleaner::new(self, &index, Source::IdMapping, Before::Commit(commit_id.clone()), run)
    }

    /// Makes a cleaner by the attributes in the work tree, at the time they are asked for. It runs no driver.
    pub(super) fn cleaner_without_drivers(&self, index: &State) -> Result<Cleaner, Error> {
        let before = Before::Index(Box::new(index.clone()));
        Cleaner::new(self, index, Source::WorktreeThenIdMapping, before, Box::new(|_, _| None))
    }

    /// Makes a cleaner by the attributes that the work tree has now, as `git add` goes by them: the content of `dirty`,
    /// the uncommitted paths, counts from here on, even if these files change.
    ///
    /// # Errors
    /// Fails in a bare repository, and with [`Error::Status`].
    pub fn cleaner_now(&self, dirty: &BTreeSet<String>, run: RunFilter) -> Result<Cleaner, Error> {
        let work_dir = self.require_work_dir()?;
        let index = self.inner.index_or_empty().map_err(|source| failed(self, source))?;
        let mut attributes = attributes_in(&index);
        let memory = self.in_memory();
        for path in dirty.iter().filter(|path| is_attributes(path.as_bytes().as_bstr())) {
            // Git follows no link here, and takes the index's if the file is missing.
            let file = work_dir.join(path);
            let is_small = fs::symlink_metadata(&file).is_ok_and(|found| found.is_file() && found.len() <= MAX_BYTES);
            let Some(bytes) = is_small.then(|| fs::read(&file).ok()).flatten() else { continue };
            let id = memory.inner.write_blob(bytes).map_err(|source| failed(self, source))?.detach();
            let path = path.as_bytes().as_bstr();
            attributes.remove_entries(|_, known, _| known == path);
            attributes.dangerously_push_entry(Stat::default(), id, Flags::empty(), IndexMode::FILE, path);
            attributes.sort_entries();
        }
        Cleaner::new(&memory, &attributes, Source::IdMapping, Before::Index(Box::new(State::clone(&index))), run)
    }
}

impl Cleaner {
    fn new(
        repository: &Repository,
        index: &State,
        source: Source,
        before: Before,
        run: RunFilter,
    ) -> Result<Self, Error> {
        let conversions = Conversions::new(repository, index, source)?;
        Ok(Self { repository: repository.clone(), conversions, before, run, ran: BTreeMap::new() })
    }

    /// Returns what git stores of bytes at a path.
    ///
    /// # Errors
    /// [`Error::Status`] if the attributes or a blob cannot be read.
    pub fn clean(&mut self, path: &str, bytes: &[u8]) -> Result<Stored, Error> {
        if self.conversions.is_plain || bytes.is_empty() {
            return Ok(Stored::AsIs);
        }
        let conversion = self.conversions.at(&self.repository, path);
        let conversion = conversion.map_err(|source| failed(&self.repository, source))?;
        let mut stored = None;
        if let Some(driver) = &conversion.driver {
            match self.driven(driver, path, bytes) {
                Ok(driven) => stored = driven,
                Err(Refused) => return Ok(Stored::NotConvertible),
            }
        }
        match conversion.encoding {
            Named::Utf8 => {}
            Named::Known(encoding) => {
                let bytes = stored.as_deref().unwrap_or(bytes);
                match encoding.to_git(bytes, self.is_checked(encoding)) {
                    // Git leaves an empty file alone.
                    _ if bytes.is_empty() => {}
                    Some(text) => stored = Some(text),
                    None => return Ok(Stored::NotConvertible),
                }
            }
            Named::Unknown => return Ok(Stored::NotConvertible),
        }
        match self.lines(path, stored.as_deref().unwrap_or(bytes), conversion.lines) {
            Ok(Some(lines)) => stored = Some(lines),
            Ok(None) => {}
            Err(LinesError::Refused) => return Ok(Stored::NotConvertible),
            Err(LinesError::Failed(cause)) => return Err(failed(&self.repository, cause)),
        }
        if conversion.is_ident {
            let mut undone = Vec::new();
            match ident::undo(stored.as_deref().unwrap_or(bytes), &mut undone) {
                Ok(true) => stored = Some(undone),
                Ok(false) => {}
                Err(source) => return Err(failed(&self.repository, source)),
            }
        }
        Ok(stored.filter(|stored| stored != bytes).map_or(Stored::AsIs, Stored::As))
    }

    /// Tells whether git stores a file as a blob.
    pub(super) fn makes(&mut self, path: &str, file: &Path, blob_id: &BlobId) -> bool {
        let is_small = fs::symlink_metadata(file).is_ok_and(|found| found.is_file() && found.len() <= MAX_BYTES);
        let Some(bytes) = is_small.then(|| fs::read(file).ok()).flatten() else { return false };
        match self.clean(path, &bytes) {
            Ok(Stored::As(stored)) => self.repository.blob_id_of(&stored) == *blob_id,
            Ok(Stored::AsIs) => self.repository.blob_id_of(&bytes) == *blob_id,
            Ok(Stored::NotConvertible) | Err(_) => false,
        }
    }

    /// Has a driver clean bytes; none if it has nothing to do so and need not.
    fn driven(&mut self, driver: &Driver, path: &str, bytes: &[u8]) -> Result<Option<Vec<u8>>, Refused> {
        let is_command = |command: &&BString| !command.trim().is_empty();
        let Some(command) = driver.clean.as_ref().filter(is_command) else {
            let is_needed = driver.required || driver.process.as_ref().filter(is_command).is_some();
            return if is_needed { Err(Refused) } else { Ok(None) };
        };
        let blob_id = self.repository.blob_id_of(bytes);
        if let Some((_, driven)) = self.ran.get(path).filter(|(before, _)| *before == blob_id) {
            return Ok(Some(driven.clone()));
        }
        let driven = command.to_str().ok().and_then(|command| (self.run)(&with_path(command, path), bytes));
        let driven = driven.ok_or(Refused)?;
        self.ran.insert(path.to_owned(), (blob_id, driven.clone()));
        Ok(Some(driven))
    }

    /// Tells whether text in an encoding must come back as it is (`core.checkRoundtripEncoding`).
    fn is_checked(&self, encoding: Encoding) -> bool {
        match encoding {
            Encoding::Named(named) => self.conversions.options.encodings_with_roundtrip_check.contains(&named),
            // These always do, but for their mark.
            Encoding::Utf16 { .. } | Encoding::Latin1 => false,
        }
    }

    /// Makes line ends LF; none if they stay.
    fn lines(&self, path: &str, bytes: &[u8], lines: AttributesDigest) -> Result<Option<Vec<u8>>, LinesError> {
        let is_checked = self.conversions.options.crlf_roundtrip_check == CrlfRoundTripCheck::Fail;
        let check = is_checked.then_some(convert_to_git::RoundTripCheck::Fail { rela_path: path.as_ref() });
        let options = convert_to_git::Options { round_trip_check: check, config: self.conversions.options.eol_config };
        let (mut converted, mut unread) = (Vec::new(), None);
        let mut stored = |buffer: &mut Vec<u8>| match self.stored_before(path, buffer) {
            Ok(found) => Ok(found.then_some(())),
            Err(cause) => {
                unread = Some(cause);
                Ok(None)
            }
        };
        let done = eol::convert_to_git(bytes, lines, &mut converted, &mut stored, options);
        match (unread, done) {
            (Some(cause), _) => Err(LinesError::Failed(cause)),
            (None, Ok(is_changed)) => Ok(is_changed.then_some(converted)),
            (None, Err(_)) => Err(LinesError::Refused),
        }
    }

    /// Reads what git had at a path before, and tells whether it had a file there.
    fn stored_before(&self, path: &str, buffer: &mut Vec<u8>) -> Result<bool, Cause> {
        let id = match &self.before {
            Before::Nothing => None,
            Before::Index(index) => index.entry_by_path(path.as_bytes().as_bstr()).map(|entry| entry.id),
            Before::Commit(commit_id) => self.repository.entry_at(commit_id, path)?.map(|entry| entry.blob_id.to_gix()),
        };
        let Some(id) = id else { return Ok(false) };
        Ok(Objects(&self.repository).try_find(&id, buffer)?.is_some_and(|found| found.kind == Kind::Blob))
    }
}

/// Bytes that cannot be converted.
struct Refused;

/// Why line ends are not converted.
enum LinesError {
    /// They would not come back as they are (`core.safecrlf`).
    Refused,
    Failed(Cause),
}

/// Puts the quoted path into the place of each `%f`.
fn with_path(command: &str, path: &str) -> String {
    let quoted = format!("'{}'", path.replace('\'', r"'\''"));
    command.split("%%").map(|part| part.replace("%f", &quoted)).collect::<Vec<_>>().join("%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_a_file_is_quoted_for_the_shell() {
        assert_eq!(with_path("x --file=%f 100%% %g %%f", "a b'c"), r"x --file='a b'\''c' 100% %g %f");
    }
}
