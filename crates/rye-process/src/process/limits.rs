//! What a child may use: time and output, watched by the parent, and resources, enforced by the kernel.
//!
//! The kernel's limits travel to the confiner as flags of its command line; `flags` and `from_flags` are inverse.

use std::fmt;
use std::time::Duration;

/// Everything that bounds a child.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Wall-clock time, after which the process group is stopped.
    pub timeout: Duration,
    /// The bytes of standard output that are kept: of more, the middle is dropped.
    pub max_stdout: usize,
    /// The bytes of standard error that are kept: of more, the middle is dropped.
    pub max_stderr: usize,
    /// The bytes of either that a child may write; one that writes more is stopped.
    pub max_written: u64,
    /// How many processes it may have at once, with all that they start.
    pub max_processes: usize,
    /// The bytes of memory that they may use together.
    pub max_memory: u64,
    /// What the kernel enforces.
    pub resources: ResourceLimits,
}

/// Limits the kernel enforces on the child and what it starts; `None` leaves the limit as it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ResourceLimits {
    /// Seconds of processor time per process.
    pub cpu_seconds: Option<u64>,
    /// Bytes of address space per process.
    pub address_space_bytes: Option<u64>,
    /// The greatest size of a file it writes, in bytes.
    pub file_size_bytes: Option<u64>,
    /// Open file descriptors per process.
    pub open_files: Option<u64>,
}

/// A limit of what a child and all that it started have together, and that they exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Excess {
    /// There were more processes at once.
    Processes(usize),
    /// They used more bytes of memory.
    Memory(u64),
}

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Processes(limit) => write!(f, "more than {limit} processes at once"),
            Self::Memory(limit) => write!(f, "its processes used more than {} MiB of memory together", limit >> 20),
        }
    }
}

impl Limits {
    /// A minute, a mebibyte of output, and the kernel limits a script can live with.
    pub(super) const USUAL: Self = Self {
        timeout: Duration::from_secs(60),
        max_stdout: 1 << 20,
        max_stderr: 1 << 18,
        max_written: 256 << 20,
        max_processes: 256,
        max_memory: 4 << 30,
        resources: ResourceLimits {
            cpu_seconds: Some(60),
            // Runtimes with WebAssembly reserve tens of gibibytes that they never use.
            address_space_bytes: Some(64 << 30),
            file_size_bytes: Some(256 << 20),
            open_files: Some(256),
        },
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::USUAL
    }
}

impl ResourceLimits {
    /// Returns the flags that carry these limits to the confiner.
    pub(super) fn flags(&self) -> Vec<String> {
        let mut copy = *self;
        let flag = |(name, limit): (&str, &mut Option<u64>)| limit.map(|limit| format!("--{name}={limit}"));
        copy.named().into_iter().filter_map(flag).collect()
    }

    /// Takes one flag in; `None` if it is not one of [`ResourceLimits::flags`].
    pub(super) fn take_flag(&mut self, flag: &str) -> Option<()> {
        let (name, limit) = flag.strip_prefix("--")?.split_once('=')?;
        let limit = limit.parse().ok()?;
        let (_, slot) = self.named().into_iter().find(|(known, _)| *known == name)?;
        slot.replace(limit).is_none().then_some(())
    }

    fn named(&mut self) -> [(&'static str, &mut Option<u64>); 4] {
        [
            ("cpu-seconds", &mut self.cpu_seconds),
            ("address-space-bytes", &mut self.address_space_bytes),
            ("file-size-bytes", &mut self.file_size_bytes),
            ("open-files", &mut self.open_files),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_carry_every_limit_and_nothing_else() {
        let limits = Limits::default().resources;
        let mut read = ResourceLimits::default();
        assert_eq!(limits.flags().iter().map(|flag| read.take_flag(flag)).collect::<Vec<_>>(), vec![Some(()); 4]);
        assert_eq!(read, limits);
        for flag in ["--cpu-seconds=1", "cpu-seconds=1", "--unknown=1", "--open-files=-1", "--open-files"] {
            assert_eq!(read.take_flag(flag), None, "{flag}");
        }
    }
}
