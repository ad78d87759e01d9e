//! The files of a registry, with how many bytes of them were read.

use std::cell::Cell;

use super::error::Error;
use super::fault::Fault;
use super::source::FileSource;
use crate::id::Segment;

/// Files whose bytes are counted.
#[derive(Debug)]
pub(super) struct Counted<'c> {
    files: Box<dyn FileSource + 'c>,
    bytes: Cell<u64>,
}

impl<'c> Counted<'c> {
    pub(super) fn new(files: Box<dyn FileSource + 'c>) -> Self {
        Self { files, bytes: Cell::new(0) }
    }

    /// Returns how many bytes were read.
    pub(super) const fn bytes(&self) -> u64 {
        self.bytes.get()
    }
}

impl FileSource for Counted<'_> {
    fn registry(&self) -> &Segment {
        self.files.registry()
    }

    fn read(&self, path: &str, most: u64) -> Result<Option<Vec<u8>>, Error> {
        let read = self.files.read(path, most)?;
        let length = read.as_ref().map_or(0, |bytes| bytes.len() as u64);
        self.bytes.set(self.bytes.get() + length);
        Ok(read)
    }

    fn listed_below(&self, folder: &str) -> Vec<String> {
        self.files.listed_below(folder)
    }

    fn accept(&self) -> Result<(), Error> {
        self.files.accept()
    }

    fn fault(&self, fault: Fault) -> Error {
        self.files.fault(fault)
    }

    fn unlock(&self) {
        self.files.unlock();
    }
}
