//! The one door to files that a person names, and to stdin.
//!
//! It reads regular files, and pipes that this process was started with (`<(command)`, `/dev/stdin`), up to a bound. It never
//! waits for a named pipe, and never reads a device or a folder.

use std::fmt;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
use std::path::Path;

use rustix::fs::OFlags;
use thiserror::Error;

/// Where the descriptors of this process have names. A pipe there has a writer already.
const OWN_DESCRIPTORS: [&str; 3] = ["/dev/fd", "/dev/stdin", "/proc"];

/// A file or stdin that cannot be read.
#[derive(Debug, Error)]
#[error("cannot read {origin}: {fault}")]
pub struct Unreadable {
    /// The file in backticks, or `stdin`.
    origin: String,
    fault: Fault,
}

#[derive(Debug)]
enum Fault {
    Io(io::Error),
    /// Not a regular file.
    Kind(&'static str),
    /// It is larger than this many bytes.
    TooLarge(u64),
    /// It is not UTF-8.
    NotText,
}

impl Unreadable {
    /// Tells whether the file does not exist.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(&self.fault, Fault::Io(error) if error.kind() == ErrorKind::NotFound)
    }

    /// Tells whether it exists and is not a regular file.
    #[must_use]
    pub const fn is_irregular(&self) -> bool {
        matches!(self.fault, Fault::Kind(_))
    }

    fn of(path: &Path, fault: Fault) -> Self {
        Self { origin: format!("`{}`", path.display()), fault }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) if error.kind() == ErrorKind::NotFound => f.write_str("no such file"),
            Self::Io(error) if error.kind() == ErrorKind::PermissionDenied => f.write_str("permission denied"),
            Self::Io(error) => error.fmt(f),
            Self::Kind(kind) => write!(f, "it is {kind}"),
            Self::TooLarge(most) => write!(f, "larger than {}", Size(*most)),
            Self::NotText => f.write_str("it is not UTF-8"),
        }
    }
}

/// A number of bytes, in the largest unit that divides it.
struct Size(u64);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            bytes if bytes % (1024 * 1024) == 0 => write!(f, "{} MiB", bytes / (1024 * 1024)),
            bytes if bytes % 1024 == 0 => write!(f, "{} KiB", bytes / 1024),
            bytes => write!(f, "{bytes} bytes"),
        }
    }
}

/// Opens a file to read it.
///
/// # Errors
///
/// Fails when it cannot be opened, and when it is a folder, a device, a socket or a named pipe.
pub fn open(path: &Path) -> Result<File, Unreadable> {
    let failed = |error| Unreadable::of(path, Fault::Io(error));
    let found = fs::metadata(path).map_err(failed)?;
    refuse_irregular(path, &found)?;
    let mut options = OpenOptions::new();
    options.read(true);
    if found.is_file() {
        // A pipe that takes its place in this moment is not waited for.
        options.custom_flags((OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed());
    }
    let file = options.open(path).map_err(failed)?;
    refuse_irregular(path, &file.metadata().map_err(failed)?)?;
    Ok(file)
}

/// Reads a file of at most `most` bytes.
///
/// # Errors
///
/// As [`open`], and when it is larger or cannot be read.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>, Unreadable> {
    up_to(open(path)?, most).map_err(|fault| Unreadable::of(path, fault))
}

/// Reads a text of at most `most` bytes.
///
/// # Errors
///
/// As [`read`], and when it is not UTF-8.
pub fn read_text(path: &Path, most: u64) -> Result<String, Unreadable> {
    String::from_utf8(read(path, most)?).map_err(|_| Unreadable::of(path, Fault::NotText))
}

/// Reads stdin, at most `most` bytes of it.
///
/// # Errors
///
/// Fails when there are more, and when it cannot be read.
pub fn read_stdin(most: u64) -> Result<Vec<u8>, Unreadable> {
    up_to(io::stdin().lock(), most).map_err(of_stdin)
}

/// Reads a text from stdin, at most `most` bytes of it.
///
/// # Errors
///
/// As [`read_stdin`], and when it is not UTF-8.
pub fn read_stdin_text(most: u64) -> Result<String, Unreadable> {
    String::from_utf8(read_stdin(most)?).map_err(|_| of_stdin(Fault::NotText))
}

fn of_stdin(fault: Fault) -> Unreadable {
    Unreadable { origin: "stdin".to_owned(), fault }
}

fn up_to(reader: impl Read, most: u64) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    reader.take(most + 1).read_to_end(&mut bytes).map_err(Fault::Io)?;
    if bytes.len() as u64 > most { Err(Fault::TooLarge(most)) } else { Ok(bytes) }
}

fn refuse_irregular(path: &Path, found: &Metadata) -> Result<(), Unreadable> {
    let kind = found.file_type();
    let kind = match () {
        () if kind.is_file() => return Ok(()),
        () if kind.is_fifo() && OWN_DESCRIPTORS.iter().any(|folder| path.starts_with(folder)) => return Ok(()),
        () if kind.is_dir() => "a folder",
        () if kind.is_fifo() => "a named pipe",
        () if kind.is_socket() => "a socket",
        () => "a device",
    };
    Err(Unreadable::of(path, Fault::Kind(kind)))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn what_has_no_end_is_read_to_the_bound() {
        assert_eq!(up_to(io::repeat(b'a'), 1024).unwrap_err().to_string(), "larger than 1 KiB");
        assert_eq!(up_to(&b"abc"[..], 3).unwrap(), b"abc");
        assert_eq!(up_to(&b"abcd"[..], 3).unwrap_err().to_string(), "larger than 3 bytes");
    }
}
