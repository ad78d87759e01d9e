//! Checked bytes as a file that nothing can change: a sealed file in memory, or a private copy where the system makes none.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use super::InstalledError;
use crate::context::PrivateFolder;

/// The name of the private copy.
const COPY: &str = "plugin";

/// How often the kernel is asked to seal a file: a page of it that is moved in that moment keeps it from that.
#[cfg(target_os = "linux")]
const SEALINGS: u32 = 10;

/// A file with checked bytes.
#[derive(Debug)]
pub(in crate::plugin) struct Sealed {
    /// The file, opened to read it.
    pub(in crate::plugin) file: File,
    /// The path of the private copy, where it is one.
    pub(in crate::plugin) path: Option<PathBuf>,
    _folder: Option<PrivateFolder>,
}

impl Sealed {
    /// Puts bytes into a file; `temp_dir` is asked only where the system has no sealed files.
    pub(super) fn new(
        bytes: &[u8],
        temp_dir: impl FnOnce() -> Result<PathBuf, InstalledError>,
    ) -> Result<Self, InstalledError> {
        match in_memory(bytes) {
            Ok(Some(file)) => Ok(Self { file, path: None, _folder: None }),
            Ok(None) => Self::copied(bytes, &temp_dir()?).map_err(InstalledError::Copy),
            Err(error) => Err(InstalledError::Copy(error)),
        }
    }

    /// Writes a private copy (mode 0500) into a folder of this user alone. A process that can change it can change the
    /// program's memory.
    fn copied(bytes: &[u8], temp_dir: &Path) -> io::Result<Self> {
        let folder = PrivateFolder::create(temp_dir)?;
        let path = folder.path().join(COPY);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o500).open(&path)?.write_all(bytes)?;
        Ok(Self { file: File::open(&path)?, path: Some(path), _folder: Some(folder) })
    }
}

/// Makes a file in memory that cannot be changed any more; none where the system has no such files.
#[cfg(target_os = "linux")]
fn in_memory(bytes: &[u8]) -> io::Result<Option<File>> {
    use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
    use rustix::io::Errno;

    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let mut file = match memfd_create("rye-plugin", flags) {
        Ok(descriptor) => File::from(descriptor),
        // An old kernel, or one that is told to make none.
        Err(Errno::NOSYS | Errno::INVAL | Errno::ACCESS | Errno::PERM) => return Ok(None),
        Err(code) => return Err(code.into()),
    };
    file.write_all(bytes)?;
    let seals = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL;
    for _ in 0..SEALINGS {
        match fcntl_add_seals(&file, seals) {
            Ok(()) => return Ok(Some(file)),
            // The kernel holds a page of the file at this moment, such as to move it. It waits a little by itself.
            Err(Errno::BUSY) => {}
            Err(code) => return Err(code.into()),
        }
    }
    Ok(None)
}

/// Makes a file in memory that cannot be changed any more; none where the system has no such files.
#[cfg(not(target_os = "linux"))]
fn in_memory(_bytes: &[u8]) -> io::Result<Option<File>> {
    Ok(None)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use std::io::Read as _;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn no_byte_of_a_sealed_file_can_be_changed() {
        use std::os::fd::AsRawFd as _;

        let mut sealed = Sealed::new(b"checked", || unreachable!()).unwrap();
        assert!(sealed.file.write_all(b"other").is_err() && sealed.file.set_len(0).is_err());
        // By its path, too, which another process of this user could take.
        let path = format!("/proc/self/fd/{}", sealed.file.as_raw_fd());
        let again = OpenOptions::new().write(true).open(&path);
        assert!(again.is_err() || again.unwrap().write_all(b"other").is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"checked");
    }

    #[test]
    fn where_there_are_no_sealed_files_the_copy_is_this_user_s_alone() {
        let temp = tempfile::tempdir().unwrap();
        let mut sealed = Sealed::copied(b"checked", temp.path()).unwrap();
        let path = sealed.path.clone().unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o7777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o500, 0o700));
        let mut bytes = Vec::new();
        sealed.file.read_to_end(&mut bytes).unwrap();
        assert_eq!(bytes, b"checked");
        drop(sealed);
        assert!(!path.exists());
    }
}
