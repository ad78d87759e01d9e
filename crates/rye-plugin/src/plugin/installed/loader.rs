//! Whether the program has the system's loader for libraries.
//!
//! A program that is linked statically has a loader of its own, which opens a library only where the system has the very C library
//! that the program was linked with, and may crash elsewhere. Which one it is can be seen in its file: a dynamic ELF program names
//! an interpreter. A build's `crt-static` is not enough to know, as it may have been said for the last step alone.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// How much of the file is read: its header and its program headers.
const MOST: u64 = 16 * 1024;

/// The type of the program header that names the interpreter.
const INTERPRETER: u32 = 3;

/// Tells whether a program is linked statically. One whose file cannot be read or is not understood counts as dynamic.
pub(super) fn is_static(program: &Path) -> bool {
    let mut head = Vec::new();
    let read = File::open(program).and_then(|file| file.take(MOST).read_to_end(&mut head));
    read.is_ok() && has_interpreter(&head) == Some(false)
}

/// Tells whether a 64-bit ELF file of this machine's byte order names an interpreter; none if it is another file.
fn has_interpreter(head: &[u8]) -> Option<bool> {
    let order = if cfg!(target_endian = "little") { 1 } else { 2 };
    if !head.starts_with(&[0x7f, b'E', b'L', b'F', 2, order]) {
        return None;
    }
    let offset = usize::try_from(u64::from_ne_bytes(*head.get(32..)?.first_chunk()?)).ok()?;
    let size = usize::from(u16::from_ne_bytes(*head.get(54..)?.first_chunk()?));
    let count = usize::from(u16::from_ne_bytes(*head.get(56..)?.first_chunk()?));
    for number in 0..count {
        let at = offset.checked_add(number.checked_mul(size)?)?;
        if u32::from_ne_bytes(*head.get(at..)?.first_chunk()?) == INTERPRETER {
            return Some(true);
        }
    }
    Some(false)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    /// The beginning of an ELF file with program headers of these types.
    fn elf(types: &[u32]) -> Vec<u8> {
        let mut head = vec![0; 64];
        head[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, if cfg!(target_endian = "little") { 1 } else { 2 }]);
        head[32..40].copy_from_slice(&64_u64.to_ne_bytes());
        head[54..56].copy_from_slice(&56_u16.to_ne_bytes());
        head[56..58].copy_from_slice(&u16::try_from(types.len()).unwrap().to_ne_bytes());
        for kind in types {
            head.extend(kind.to_ne_bytes());
            head.extend([0; 52]);
        }
        head
    }

    #[test]
    fn a_static_program_is_told_by_its_headers() {
        assert_eq!(has_interpreter(&elf(&[6, 3, 1])), Some(true));
        assert_eq!(has_interpreter(&elf(&[1, 2])), Some(false));
        for unknown in [&b""[..], b"#!/bin/sh\n", b"\x7fELF", &elf(&[1, 2])[..100]] {
            assert_eq!(has_interpreter(unknown), None, "{unknown:?}");
        }
        // These tests are a dynamic program.
        #[cfg(target_os = "linux")]
        assert!(!is_static(Path::new("/proc/self/exe")) && !is_static(Path::new("/nowhere")));
    }
}
