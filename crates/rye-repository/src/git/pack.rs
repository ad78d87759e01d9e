//! Packing what a writer left as loose objects: stock git does it, as it does in its own `gc`.
//!
//! Order: git writes the pack and its index and flushes both, each is renamed to its name; their folder is flushed; git reads every object of
//! the pack; only then are the loose copies of exactly these objects removed. Killed at any point, each object is there at least
//! once; a pack that was not finished is a `tmp_*` file, which git's `gc` removes.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use super::{CommitId, Error, Git, Repository, durable};

/// History to pack.
#[derive(Debug, Clone)]
pub struct PackRange {
    /// Its last commit.
    pub last: CommitId,
    /// A commit that is left out, with all that it builds on.
    pub base: Option<CommitId>,
}

impl Repository {
    /// Tells whether a commit is a file of its own, in no pack.
    pub fn is_loose(&self, commit_id: &CommitId) -> bool {
        self.loose_path(&commit_id.to_gix()).exists()
    }

    /// Puts the loose objects of some ranges into one pack. Returns how many there were.
    ///
    /// # Errors
    /// [`Error::Start`], [`Error::Command`], [`Error::CommandOutput`], [`Error::Sync`], or [`Error::WriteObject`].
    pub fn pack(&self, git: &Git, ranges: &[PackRange]) -> Result<usize, Error> {
        let packs = self.common_dir().join("objects").join("pack");
        let lines: String = ranges
            .iter()
            .map(|range| {
                let base = range.base.as_ref().map(|base| format!("^{base}\n")).unwrap_or_default();
                format!("{}\n{base}", range.last)
            })
            .collect();
        let git = git.clone().with_variable("GIT_NO_LAZY_FETCH", "1");
        let Some(name) = git.pack_objects(&packs.join("pack"), &lines)? else { return Ok(0) };
        let index = packs.join(format!("pack-{name}.idx"));
        for path in [&packs.join(format!("pack-{name}.pack")), &index, &packs] {
            durable::sync(path)?;
        }
        let packed = git.objects_of_pack(&index)?;
        for id in &packed {
            match fs::remove_file(self.loose_path(id)) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(Error::WriteObject { source: error.into() });
                }
                _ => {}
            }
        }
        Ok(packed.len())
    }

    fn loose_path(&self, id: &gix::ObjectId) -> PathBuf {
        durable::loose_path(&self.common_dir().join("objects"), id)
    }
}

impl Git {
    /// Has git put the loose objects that some revisions lead to (`ID` and `^ID`, one a line) into a pack `BASE-NAME`.
    /// Returns the name; `None` without such objects.
    ///
    /// # Errors
    /// [`Error::Start`], [`Error::Command`] or [`Error::CommandOutput`].
    fn pack_objects(&self, base: &Path, revisions: &str) -> Result<Option<String>, Error> {
        let command = "git pack-objects";
        let options = ["--revs", "--unpacked", "--local", "--non-empty", "--delta-base-offset", "--quiet"];
        let path = base.display().to_string();
        let ended = self.run(&[&["pack-objects"], &options[..], &[path.as_str()]].concat(), revisions.as_bytes())?;
        self.finish(&ended, command)?;
        let name = String::from_utf8_lossy(&ended.stdout).trim_end().to_owned();
        match name.as_str() {
            "" => Ok(None),
            name if name.bytes().all(|byte| byte.is_ascii_hexdigit()) => Ok(Some(name.to_owned())),
            _ => {
                Err(Error::CommandOutput { command: command.to_owned(), reason: "it is not a pack's name".to_owned() })
            }
        }
    }

    /// Lists the objects in a pack, each read and hashed.
    ///
    /// # Errors
    /// [`Error::Start`], [`Error::Command`] or [`Error::CommandOutput`].
    fn objects_of_pack(&self, index: &Path) -> Result<Vec<gix::ObjectId>, Error> {
        let command = "git verify-pack";
        let ended = self.run(&["verify-pack", "--verbose", &index.display().to_string()], &[])?;
        self.finish(&ended, command)?;
        let text = String::from_utf8_lossy(&ended.stdout);
        let is_object = |line: &&str| {
            ["commit", "tree", "blob", "tag"].contains(&line.split_whitespace().nth(1).unwrap_or_default())
        };
        let ids = text.lines().filter(is_object).filter_map(|line| line.split_whitespace().next());
        let unclear =
            |_| Error::CommandOutput { command: command.to_owned(), reason: "it is not a list of ids".to_owned() };
        ids.map(|id| gix::ObjectId::from_hex(id.as_bytes()).map_err(unclear)).collect()
    }
}
