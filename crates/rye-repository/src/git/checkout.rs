//! Writing the files of a commit, or of an index, into a folder that has none of them.

use std::{
    fs,
    io::{ErrorKind, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
    sync::atomic::AtomicBool,
};

use gix::{
    bstr::{BStr, ByteSlice},
    config::tree::Core,
    glob::pattern::Case,
    index::{
        Entry, File,
        entry::{Flags, Mode as IndexMode, Stat},
    },
    progress::Discard,
    worktree::{sparse, stack::state::attributes::Source, state::checkout, state::checkout::Options},
};

use super::{
    BlobId, Cause, CommitId, Error, Repository,
    conversion::Conversions,
    tree::{os_path, text},
};

/// Where the records of threads lie.
const RECORDS: &str = ".ai/threads/";

impl Repository {
    /// Writes the files of a commit into the empty work tree, then the index.
    pub(super) fn fill(&self, base: &CommitId, should_stop: &AtomicBool) -> Result<File, Cause> {
        let repo = &self.inner;
        let work_dir = self.require_work_dir()?;
        let tree = self.tree_of(base)?.to_gix();
        self.check_extent(tree, should_stop)?;
        let mut index = repo.index_from_tree(&tree)?;
        let mut options = repo.checkout_options(Source::IdMapping)?;
        options.destination_is_initially_empty = true;
        options.keep_going = true;
        let config = repo.config_snapshot();
        if config.boolean(Core::SPARSE_CHECKOUT).unwrap_or_default()
            && let Some(patterns) = sparse::read_patterns(repo.git_dir())?
        {
            let cone = config.boolean(Core::SPARSE_CHECKOUT_CONE).unwrap_or_default();
            let case = if options.fs.ignore_case { Case::Fold } else { Case::Sensitive };
            let origin = repo.git_dir().join("info/sparse-checkout");
            sparse::apply_patterns(&mut index, &patterns, &origin, cone, case)?;
        }
        hide_records(&mut index);
        self.check_out(&mut index, work_dir, options, should_stop)?;
        let hidden = hide_submodules(&mut index);
        index.write(Default::default())?;
        // Read back, as it is compared by the time it was written: one made in memory is as old as its making, so every file
        // would be newer, and would be read to be known as unchanged.
        let mut index = repo.open_index()?;
        for place in hidden {
            index.entries_mut()[place].flags.remove(Flags::SKIP_WORKTREE);
        }
        Ok(index)
    }

    /// Writes the files of an index into a folder that has none of them.
    pub(super) fn write_files(&self, index: &mut File, folder: &Path, should_stop: &AtomicBool) -> Result<(), Cause> {
        let mut options = self.inner.checkout_options(Source::IdMapping)?;
        options.destination_is_initially_empty = true;
        options.keep_going = true;
        self.check_out(index, folder, options, should_stop)
    }

    fn check_out(
        &self,
        index: &mut File,
        work_dir: &Path,
        options: Options,
        should_stop: &AtomicBool,
    ) -> Result<(), Cause> {
        let objects = self.inner.objects.clone().into_arc()?;
        let outcome = checkout(index, work_dir, objects, &Discard, &Discard, should_stop, options)?;
        let mut conversions = Conversions::new(self, index, Source::IdMapping)?;
        // gix takes `-working-tree-encoding`, which `rye init` sets for items, for a mistake.
        for failed in outcome.errors {
            let entry = index.entry_by_path(failed.path.as_bstr());
            self.write_anew(work_dir, entry.ok_or("not found in the index")?, failed.path.as_bstr(), &mut conversions)
                .map_err(|error| match error.downcast::<Error>() {
                    Ok(error) => Cause::from(*error),
                    Err(error) => format!("cannot write `{}`: {}; {error}", failed.path, failed.error).into(),
                })?;
        }
        if conversions.has_encodings(self, index)? {
            self.encode(index, work_dir, &mut conversions)?;
        }
        Ok(())
    }

    /// Writes the files anew whose encoding gix does not write.
    fn encode(&self, index: &mut File, work_dir: &Path, conversions: &mut Conversions) -> Result<(), Cause> {
        let is_file = |entry: &Entry| matches!(entry.mode, IndexMode::FILE | IndexMode::FILE_EXECUTABLE);
        for place in 0..index.entries().len() {
            let entry = index.entry(place);
            if !is_file(entry) || entry.flags.contains(Flags::SKIP_WORKTREE) {
                continue;
            }
            let path = entry.path(index);
            let conversion = conversions.at(self, &text(path))?;
            if conversion.driver.is_none() && conversion.encoding.is_own() {
                self.write_anew(work_dir, entry, path, conversions)?;
                let found = gix::index::fs::Metadata::from_path_no_follow(&work_dir.join(os_path(&text(path))))?;
                index.entries_mut()[place].stat = Stat::from_fs(&found)?;
            }
        }
        Ok(())
    }

    /// Writes a file of the index in the place of the partial one: as git does, or if that needs a driver or cannot be,
    /// as the repository has it.
    fn write_anew(
        &self,
        work_dir: &Path,
        entry: &Entry,
        path: &BStr,
        conversions: &mut Conversions,
    ) -> Result<(), Cause> {
        let (path, stored) = (text(path), self.blob(&BlobId::from_gix(entry.id))?);
        let file = work_dir.join(os_path(&path));
        let conversion = conversions.at(self, &path)?;
        let bytes = match conversion.driver {
            Some(_) => None,
            None => conversions.to_work_tree(self, &conversion, stored.clone())?,
        };
        let bytes = bytes.unwrap_or(stored);
        let mode = match entry.mode {
            IndexMode::FILE => 0o666,
            IndexMode::FILE_EXECUTABLE => 0o777,
            _ => return Err("not a regular file".into()),
        };
        fs::create_dir_all(file.parent().unwrap_or(work_dir))?;
        match fs::remove_file(&file) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
        let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(file)?;
        Ok(file.write_all(&bytes)?)
    }
}

/// Has stock git pass over submodules: none is there as a repository, and one that a tool makes in the place has a configuration of
/// the tool's, which `git status` would obey. Returns the places of those that it had not passed over.
fn hide_submodules(index: &mut File) -> Vec<usize> {
    let mut hidden = Vec::new();
    for (place, entry) in index.entries_mut().iter_mut().enumerate() {
        if entry.mode == IndexMode::COMMIT && !entry.flags.contains(Flags::SKIP_WORKTREE) {
            entry.flags.insert(Flags::SKIP_WORKTREE | Flags::EXTENDED);
            hidden.push(place);
        }
    }
    hidden
}

/// Leaves the records of threads out of a checkout: no tool may touch them, and there can be a file for every turn.
fn hide_records(index: &mut File) {
    let (entries, paths) = index.entries_mut_and_pathbacking();
    for entry in entries.iter_mut() {
        if entry.path_in(paths).starts_with(RECORDS.as_bytes()) {
            entry.flags.insert(Flags::SKIP_WORKTREE | Flags::EXTENDED);
        }
    }
}
