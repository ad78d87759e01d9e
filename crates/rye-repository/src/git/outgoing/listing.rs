//! The objects that a push sends: listed once for all its tips, however many they are.
//!
//! Git writes the list to a file without a name, so a whole history takes no memory here.

use std::{
    fs::File,
    io::{BufRead as _, BufReader, Seek as _},
    process::Stdio,
};

use gix::objs::{Find as _, Kind};

use crate::git::{
    BlobId, CommitId, Error, Git, Repository, TreeId,
    objects::Objects,
    plumbing::{id_in, range},
};

const COMMAND: &str = "git rev-list";

/// An object that is sent.
#[derive(Debug)]
pub enum Sent<'p> {
    /// A commit.
    Commit(CommitId),
    /// A folder, with a path of it.
    Tree(TreeId, &'p str),
    /// A file or the target of a link, with a path of it.
    Blob(BlobId, &'p str),
}

impl Git {
    /// Looks at each commit, tree and blob that any of `tips` leads to and none of `known` does, once, until `look` returns something. The
    /// path of a tree or blob is one that it has, up to a line feed in it. Skips missing objects of `known`, and what a partial clone left
    /// at its remote. Grafts are off.
    ///
    /// # Errors
    /// [`Error::Start`]; [`Error::Command`] with what git says, also if an object is missing otherwise; [`Error::CommandOutput`] if the
    /// list cannot be kept; what `look` fails with.
    pub fn find_sent<T>(
        &self,
        repository: &Repository,
        tips: &[CommitId],
        known: &[String],
        mut look: impl FnMut(Sent<'_>) -> Result<Option<T>, Error>,
    ) -> Result<Option<T>, Error> {
        let mut list = BufReader::new(self.list_sent(tips, known)?);
        let mut line = Vec::new();
        while list.read_until(b'\n', &mut line).map_err(unkept)? > 0 {
            let text = String::from_utf8_lossy(&line);
            let found = match sent(repository, text.trim_end_matches('\n'))? {
                Some(sent) => look(sent)?,
                None => None,
            };
            if found.is_some() {
                return Ok(found);
            }
            line.clear();
        }
        Ok(None)
    }

    /// Counts the commits that any of `tips` leads to and none of `known` does, of which some may not be here.
    ///
    /// # Errors
    /// [`Error::Start`], [`Error::Command`] or [`Error::CommandOutput`].
    pub fn count_sent(&self, tips: &[CommitId], known: &[String]) -> Result<usize, Error> {
        let args = ["rev-list", "--count", "--ignore-missing", "--stdin"];
        let ended = self.clone().plain().run(&args, range(tips, known).as_bytes())?;
        self.finish(&ended, COMMAND)?;
        let unclear = |_| Error::CommandOutput { command: COMMAND.to_owned(), reason: "it is not a number".to_owned() };
        String::from_utf8_lossy(&ended.stdout).trim_end().parse().map_err(unclear)
    }

    fn list_sent(&self, tips: &[CommitId], known: &[String]) -> Result<File, Error> {
        let mut list = tempfile::tempfile().map_err(unkept)?;
        let stdout = Stdio::from(list.try_clone().map_err(unkept)?);
        let args = ["rev-list", "--objects", "--missing=allow-promisor", "--ignore-missing", "--stdin"];
        let git = self.clone().plain().with_variable("GIT_GRAFT_FILE", "/dev/null");
        let ended = git.run_to(stdout, &args, range(tips, known).as_bytes())?;
        self.finish(&ended, COMMAND)?;
        list.rewind().map_err(unkept)?;
        Ok(list)
    }
}

/// Reads a line of the list; none for what a partial clone left at its remote.
fn sent<'p>(repository: &Repository, line: &'p str) -> Result<Option<Sent<'p>>, Error> {
    // A commit has no path, and the tree of a commit has an empty one.
    let Some((id, path)) = line.split_once(' ') else {
        return Ok(Some(Sent::Commit(id_in(line.as_bytes(), COMMAND, CommitId::parse)?)));
    };
    let blob_id = id_in(id.as_bytes(), COMMAND, BlobId::parse)?;
    Ok(match repository.kind_of(blob_id.to_gix())? {
        Some(Kind::Blob) => Some(Sent::Blob(blob_id, path)),
        Some(Kind::Tree) => Some(Sent::Tree(TreeId::from_gix(blob_id.to_gix()), path)),
        Some(Kind::Commit) => Some(Sent::Commit(CommitId::from_gix(blob_id.to_gix()))),
        // The tips lead to commits.
        Some(Kind::Tag) | None => None,
    })
}

impl Repository {
    /// Tells the kind of an object; none if a partial clone left it at its remote.
    pub(super) fn kind_of(&self, id: gix::ObjectId) -> Result<Option<Kind>, Error> {
        if let Ok(Some(header)) = self.inner.try_find_header(id) {
            return Ok(Some(header.kind()));
        }
        // Packs may have changed meanwhile.
        let found = Objects(self).try_find(&id, &mut Vec::new()).map(|found| found.map(|data| data.kind));
        match (found, self.missing(id, Kind::Blob)) {
            (Ok(Some(kind)), _) => Ok(Some(kind)),
            (Ok(None), Error::Promised { .. }) => Ok(None),
            (Ok(None), missing) => Err(missing),
            (Err(error), _) => Err(crate::git::read::corrupt(id, error)),
        }
    }
}

fn unkept(source: std::io::Error) -> Error {
    Error::CommandOutput { command: COMMAND.to_owned(), reason: format!("it cannot be kept: {source}") }
}
