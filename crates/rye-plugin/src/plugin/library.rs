//! Loads a library, checks its table and carries bytes across the boundary.
//!
//! # Invariants
//!
//! - A library is loaded from the very file that was judged: on Linux through `/proc/self/fd/N`, which needs `/proc`.
//!   Other systems lack such a path, and the file's own is used; only the owner of the program could swap it in
//!   between.
//! - That descriptor stays open for good: the loader knows libraries by name, and a number used again would silently
//!   give the library that had it before.
//! - A table is read as plain numbers and pointers, and no function is called before all of it has been checked.
//! - No symbol of the program is exported to a library, and none of a library to another.
#![expect(unsafe_code, reason = "dynamic libraries are code and memory that the compiler cannot check")]

use std::fs::File;
use std::path::{Path, PathBuf};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use rye_plugin_abi::Table;
use rye_plugin_abi::table::{ABI, Call, Free, Response, SYMBOL_PREFIX};

use super::Error;
use super::place::Accepted;

/// The greatest answer a plugin may give, in bytes.
pub const ANSWER_LIMIT: usize = 16 * 1024 * 1024;

/// The longest name a plugin may have, in bytes.
const NAME_LIMIT: usize = 64;

/// A checked table: a plugin's name and kind, and its functions.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) kind: u32,
    call: Call,
    free: Free,
}

impl Entry {
    /// Loads a judged file and checks its table.
    pub(super) fn load(accepted: Accepted, crate_name: &str) -> Result<Self, Error> {
        let Accepted { path, file } = accepted;
        let library = load(&path, file)?;
        let table = find_table(library, &path, crate_name)?;
        // SAFETY: the symbol of that name is a table by contract, and its library stays loaded.
        unsafe { Self::of_table(table, crate_name) }
    }

    /// Checks the table of a copy that is linked into the program.
    pub(super) fn linked(table: &'static Table, crate_name: &str) -> Result<Self, Error> {
        // SAFETY: a reference to a static is valid for good, and the copy was made by the contract's own macro.
        unsafe { Self::of_table(table, crate_name) }
    }

    /// Carries one request across, and copies the response before it is freed. Returns the status and the response.
    pub(super) fn exchange(&self, op: u32, request: &[u8]) -> Result<(u32, Vec<u8>), Error> {
        let mut response = Response::empty();
        // SAFETY: the table was checked; request and response outlive the call.
        let status = unsafe { (self.call)(op, request.as_ptr(), request.len(), &raw mut response) };
        let copied = self.copy(&response);
        if !response.pointer.is_null() {
            // SAFETY: the plugin made this response, and it is not used after this.
            unsafe { (self.free)(response.pointer, response.length) };
        }
        Ok((status, copied?))
    }

    fn copy(&self, response: &Response) -> Result<Vec<u8>, Error> {
        let length = response.length;
        if length > ANSWER_LIMIT {
            return Err(Error::TooLarge { plugin: self.name.clone(), length, limit: ANSWER_LIMIT });
        }
        if response.pointer.is_null() {
            return Ok(Vec::new());
        }
        // SAFETY: not null, and by contract so many bytes were written there.
        Ok(unsafe { std::slice::from_raw_parts(response.pointer, length) }.to_vec())
    }

    /// Checks a table, version first: of another version's table nothing else is known.
    ///
    /// # Safety
    ///
    /// If not null, the pointer is valid for good and for reading a version and a size; if both are this version's, it
    /// is a table that fulfils the contract.
    unsafe fn of_table(table: *const Table, crate_name: &str) -> Result<Self, Error> {
        let plugin = || crate_name.to_owned();
        let malformed = |problem| Error::MalformedTable { plugin: plugin(), problem };
        if table.is_null() {
            return Err(malformed("its symbol is null"));
        }
        // SAFETY: the caller promises these two.
        let (abi, size) = unsafe { ((*table).abi, (*table).size) };
        if abi != ABI {
            return Err(Error::WrongAbi { plugin: plugin(), found: abi, expected: ABI });
        }
        if size != Table::SIZE {
            return Err(Error::WrongSize { plugin: plugin(), found: size, expected: Table::SIZE });
        }
        // SAFETY: version and size are ours, so the caller promises a whole table.
        unsafe { Self::of_contents(&*table) }.map_err(malformed)
    }

    /// Reads what a table of this version holds; the error says what it lacks.
    ///
    /// # Safety
    ///
    /// Non-null entries of the table fulfil the contract.
    unsafe fn of_contents(table: &'static Table) -> Result<Self, &'static str> {
        if table.call.is_null() || table.free.is_null() {
            return Err("a function is missing");
        }
        // SAFETY: not null, and by contract functions of these types.
        let (call, free) = unsafe {
            (std::mem::transmute::<*const (), Call>(table.call), std::mem::transmute::<*const (), Free>(table.free))
        };
        // SAFETY: the caller promises the contract.
        let name = unsafe { name_of(table) }?;
        Ok(Self { name, kind: table.kind, call, free })
    }
}

/// Copies a table's name.
///
/// # Safety
///
/// If not null, the name's pointer is valid for reading its length.
unsafe fn name_of(table: &Table) -> Result<String, &'static str> {
    if table.name.is_null() || table.name_length == 0 || table.name_length > NAME_LIMIT {
        return Err("its name is missing or too long");
    }
    // SAFETY: not null, and the caller promises the rest.
    let name = unsafe { std::slice::from_raw_parts(table.name, table.name_length) };
    std::str::from_utf8(name).map(str::to_owned).map_err(|_| "its name is not UTF-8")
}

/// Loads an opened file for good.
fn load(path: &Path, file: File) -> Result<&'static Library, Error> {
    // SAFETY: the library's constructors run now. The file has been judged: it is as trusted as the program itself.
    let library = unsafe { Library::open(Some(loadable(path, &file)), RTLD_NOW | RTLD_LOCAL) };
    let library = library.map_err(|source| Error::Load { path: path.to_owned(), source })?;
    // Kept open for good: see the invariants above.
    std::mem::forget(file);
    Ok(Box::leak(Box::new(library)))
}

/// The path by which the loader reaches an opened file.
#[cfg(target_os = "linux")]
fn loadable(_path: &Path, file: &File) -> PathBuf {
    use std::os::fd::AsRawFd;
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// The path by which the loader reaches an opened file.
#[cfg(not(target_os = "linux"))]
fn loadable(path: &Path, _file: &File) -> PathBuf {
    path.to_owned()
}

fn find_table(library: &Library, path: &Path, crate_name: &str) -> Result<*const Table, Error> {
    let symbol = format!("{SYMBOL_PREFIX}{crate_name}");
    // SAFETY: only the address is taken, nothing is read.
    match unsafe { library.get::<*const Table>(symbol.as_str()) } {
        Ok(table) => Ok(*table),
        Err(source) => Err(Error::MissingSymbol { path: path.to_owned(), symbol, expected: ABI, source }),
    }
}
