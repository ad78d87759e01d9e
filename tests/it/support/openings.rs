//! How often the program opens a folder, as the kernel counts it.

use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};

/// A folder whose openings are counted.
pub(crate) struct Openings(OwnedFd);

impl Openings {
    pub(crate) fn of(folder: &Path) -> Self {
        let watch = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).unwrap();
        add_watch(&watch, folder, WatchFlags::OPEN).unwrap();
        Self(watch)
    }

    /// How often the folder itself was opened since it was asked last: each event is 16 bytes, the last four the length of
    /// a name.
    pub(crate) fn count(&self) -> usize {
        let (mut events, mut buffer) = (Vec::new(), vec![0; 1 << 16]);
        while let Ok(read) = rustix::io::read(&self.0, &mut buffer[..]) {
            events.extend_from_slice(&buffer[..read]);
        }
        let (mut at, mut count) = (0, 0);
        while let Some(head) = events.get(at..at + 16) {
            let length = u32::from_ne_bytes(head[12..16].try_into().unwrap()) as usize;
            count += usize::from(length == 0);
            at += 16 + length;
        }
        count
    }
}
