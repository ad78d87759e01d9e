//! The blobs that a push sends: listed once for all its tips, however many they are, and the beginning of a large one.
//!
//! Git writes the list to a file without a name, so a whole history takes no memory here.

use std::{
    fs::File,
    io::{BufRead as _, BufReader, Read as _, Seek as _},
    process::Stdio,
};

use super::{
    BlobId, CommitId, Error, Git,
    plumbing::{id_in, range},
};

const COMMAND: &str = "git rev-list";

impl Git {
    /// Looks at each blob that any of `tips` leads to and none of `known` does, once, with a path of it, until `look` returns
    /// something. Skips missing objects of `known`, and what a partial clone left at its remote. Grafts are off.
    ///
    /// # Errors
    /// [`Error::Start`]; [`Error::Command`] with what git says, also if an object is missing otherwise; [`Error::CommandOutput`] if the
    /// list cannot be kept; what `look` fails with.
    pub fn find_blob_beyond<T>(
        &self,
        tips: &[CommitId],
        known: &[String],
        mut look: impl FnMut(BlobId, &str) -> Result<Option<T>, Error>,
    ) -> Result<Option<T>, Error> {
        let mut list = BufReader::new(self.list_blobs(tips, known)?);
        let mut line = Vec::new();
        while list.read_until(b'\n', &mut line).map_err(unkept)? > 0 {
            let text = String::from_utf8_lossy(&line);
            // A commit has no path.
            if let Some((id, path)) = text.trim_end_matches('\n').split_once(' ') {
                let found = look(id_in(id.as_bytes(), COMMAND, BlobId::parse)?, path)?;
                if found.is_some() {
                    return Ok(found);
                }
            }
            line.clear();
        }
        Ok(None)
    }

    fn list_blobs(&self, tips: &[CommitId], known: &[String]) -> Result<File, Error> {
        let mut list = tempfile::tempfile().map_err(unkept)?;
        let stdout = Stdio::from(list.try_clone().map_err(unkept)?);
        let objects = ["--objects", "--filter=object:type=blob", "--missing=allow-promisor", "--ignore-missing"];
        let args = [&["rev-list"], &objects[..], &["--stdin"]].concat();
        let git = self.clone().plain().with_variable("GIT_GRAFT_FILE", "/dev/null");
        let ended = git.run_to(stdout, &args, range(tips, known).as_bytes())?;
        self.finish(&ended, COMMAND)?;
        list.rewind().map_err(unkept)?;
        Ok(list)
    }

    /// Reads the first `most` bytes of a blob that has more. Git unpacks no more of it than that, if it is stored as a whole; its id is
    /// not checked.
    ///
    /// # Errors
    /// [`Error::Start`]; [`Error::CommandOutput`] if it has fewer bytes or cannot be read.
    pub fn beginning_of(&self, blob_id: &BlobId, most: usize) -> Result<Vec<u8>, Error> {
        let mut command = self.clone().plain().command();
        command.args(["-c", "core.bigFileThreshold=1m", "cat-file", "blob", blob_id.as_str()]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|source| self.not_started(source))?;
        let mut bytes = Vec::new();
        let read = child.stdout.take().map(|pipe| pipe.take(most as u64).read_to_end(&mut bytes));
        // It may have ended by itself, and is waited for in any case.
        let _ = child.kill();
        let ended = (self.wait)(&mut child);
        ended.map_err(|source| self.not_started(source))?;
        match read {
            Some(Ok(read)) if read == most => Ok(bytes),
            Some(Ok(_) | Err(_)) | None => Err(Error::CommandOutput {
                command: "git cat-file".to_owned(),
                reason: format!("`{blob_id}` cannot be read"),
            }),
        }
    }
}

fn unkept(source: std::io::Error) -> Error {
    Error::CommandOutput { command: COMMAND.to_owned(), reason: format!("it cannot be kept: {source}") }
}
