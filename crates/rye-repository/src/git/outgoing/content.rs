//! The content of a blob that is sent: a small one as bytes, a large one as a stream that git unpacks.

use std::io::{self, Read};
use std::process::{Child, Stdio};

use crate::git::{BlobId, Error, Git, Repository, Wait};

/// The most bytes of a content that are taken into memory at once.
pub const MOST_AT_ONCE: u64 = 16 << 20;

/// The content of a blob.
#[derive(Debug)]
pub enum Content {
    /// All of it.
    Whole(Vec<u8>),
    /// It is larger than [`MOST_AT_ONCE`], and read as often as needed.
    Large(LargeBlob),
    /// A partial clone left it at its remote.
    Promised,
}

/// A large blob.
#[derive(Debug)]
pub struct LargeBlob {
    git: Git,
    blob_id: BlobId,
}

/// A large blob that is being read.
struct Reader {
    child: Child,
    wait: Wait,
    is_read: bool,
}

impl Repository {
    /// Reads a blob, or the beginning of what a large one needs to be read.
    ///
    /// # Errors
    /// As [`blob`](Self::blob).
    pub fn content(&self, git: &Git, blob_id: &BlobId) -> Result<Content, Error> {
        match self.blob_within(blob_id, MOST_AT_ONCE) {
            Ok(Some(bytes)) => Ok(Content::Whole(bytes)),
            Ok(None) => Ok(Content::Large(LargeBlob { git: git.clone(), blob_id: blob_id.clone() })),
            Err(Error::Promised { .. }) => Ok(Content::Promised),
            Err(error) => Err(error),
        }
    }
}

impl Content {
    /// Opens it; none if a partial clone left it at its remote. The id of a large one is not checked.
    ///
    /// # Errors
    /// Fails when git cannot be started.
    pub fn open(&self) -> io::Result<Option<Box<dyn Read + '_>>> {
        Ok(match self {
            Self::Whole(bytes) => Some(Box::new(&bytes[..])),
            Self::Large(large) => Some(Box::new(large.open()?)),
            Self::Promised => None,
        })
    }
}

impl LargeBlob {
    /// Git unpacks no more of it at once than it must, if it is stored as a whole.
    fn open(&self) -> io::Result<Reader> {
        let mut command = self.git.clone().plain().command();
        command.args(["-c", "core.bigFileThreshold=1m", "cat-file", "blob", self.blob_id.as_str()]);
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        Ok(Reader { child, wait: self.git.wait, is_read: false })
    }

    /// Makes an error of this blob of one in reading it.
    pub(super) fn unread(&self, source: &io::Error) -> Error {
        let reason = format!("`{}` cannot be read: {source}", self.blob_id);
        Error::CommandOutput { command: "git cat-file".to_owned(), reason }
    }
}

impl Content {
    /// Makes an error of this content of one in reading it.
    #[must_use]
    pub fn unread(&self, source: &io::Error) -> Error {
        match self {
            Self::Large(large) => large.unread(source),
            Self::Whole(_) | Self::Promised => {
                Error::CommandOutput { command: "git cat-file".to_owned(), reason: source.to_string() }
            }
        }
    }
}

impl Read for Reader {
    /// The end of what git writes is the end of the content only if git says that it wrote all of it.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let pipe = self.child.stdout.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        let length = pipe.read(buffer)?;
        if length > 0 || buffer.is_empty() || self.is_read {
            return Ok(length);
        }
        self.is_read = true;
        let status = (self.wait)(&mut self.child)?;
        if status.success() { Ok(0) } else { Err(io::Error::other(format!("git ended with {status}"))) }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        if !self.is_read {
            // It may have ended by itself, and is waited for in any case.
            let _ = self.child.kill();
            let _ = (self.wait)(&mut self.child);
        }
    }
}
