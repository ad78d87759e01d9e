//! `transcript.md` next to the log of record: a running thread for `tail -f`, appended to as events become durable.
//!
//! A view, and no record: it is not flushed, nothing reads it back, and a thread does not fail for it. At the end it is, byte
//! for byte, the transcript that the last commit holds.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use super::thread_json::Record;
use super::transcript::Growing;
use crate::event::Event;

/// The transcript of a running thread.
#[derive(Debug)]
pub(in crate::thread) struct Followed {
    /// None if it cannot be written.
    file: Option<File>,
    growing: Growing,
    /// How many bytes were written.
    written: usize,
}

impl Followed {
    /// Begins the file in the folder of a thread's log.
    pub(in crate::thread) fn begin(folder: &Path, record: &Record) -> Self {
        let (growing, heading) = Growing::begin(record);
        let mut options = OpenOptions::new();
        let file = options.write(true).create(true).truncate(true).mode(0o600).open(folder.join("transcript.md")).ok();
        let mut followed = Self { file, growing, written: 0 };
        followed.append(&heading);
        followed
    }

    /// Adds events that became durable.
    pub(in crate::thread) fn add(&mut self, events: &[Event]) {
        let text: String = events.iter().map(|event| self.growing.event(event)).collect();
        self.append(&text);
    }

    /// Adds the missing part of the whole transcript.
    pub(in crate::thread) fn end(&mut self, whole: &str) {
        let rest = whole.get(self.written..).unwrap_or_default().to_owned();
        self.append(&rest);
    }

    fn append(&mut self, text: &str) {
        let Some(file) = &mut self.file else { return };
        match file.write_all(text.as_bytes()) {
            Ok(()) => self.written += text.len(),
            // With a gap it would not be a transcript.
            Err(_) => self.file = None,
        }
    }
}
