//! The table a plugin exports: all that crosses the library boundary.
//!
//! Owns contract version 1 itself. Integers and pointers only: any bytes of a library there can be read and judged
//! without undefined behaviour, as long as the memory exists. Deliberately does not call anything: the host does.
#![expect(unsafe_code, reason = "a table of pointers is shared between OS threads")]

/// The version of the contract. Independent of the product's version.
pub const ABI: u32 = 1;

/// The [`Table::kind`] of a provider.
pub const KIND_PROVIDER: u32 = 1;
/// The [`Table::kind`] of a tool kind.
pub const KIND_TOOL_KIND: u32 = 2;

/// Asks either kind who it is; answered by a [`Description`](crate::Description).
pub const OP_DESCRIBE: u32 = 0;
/// Asks a provider for a turn; see [`provider`](crate::provider).
pub const OP_ENCODE: u32 = 1;
/// Asks a tool kind what to run; see [`tool_kind`](crate::tool_kind).
pub const OP_PLAN: u32 = 2;
/// Asks a tool kind what the output means; see [`tool_kind`](crate::tool_kind).
pub const OP_INTERPRET: u32 = 3;
/// Asks a provider what a server-sent event says; see [`provider`](crate::provider).
pub const OP_PEEK: u32 = 4;
/// Asks a provider what a response comes to; see [`provider`](crate::provider).
pub const OP_DECODE: u32 = 5;
/// Asks a provider for the exchange that counts a conversation's tokens; see [`provider`](crate::provider).
pub const OP_COUNT: u32 = 6;
/// Asks a provider what came of that exchange; see [`provider`](crate::provider).
pub const OP_COUNTED: u32 = 7;

/// The response is the answer to the question.
pub const STATUS_ANSWER: u32 = 0;
/// The response is a [`FailurePayload`](crate::FailurePayload).
pub const STATUS_FAILURE: u32 = 1;

/// The prefix of every exported symbol; the crate's name, dashes as underscores, follows.
///
/// The crate's name is part of it because copies linked into one program would otherwise bind silently to one of them.
pub const SYMBOL_PREFIX: &str = "rye_plugin_v1_";

/// The type behind [`Table::call`]: operation, request bytes, place for the response; returns a status.
///
/// The request stays the caller's. The bytes of the response are the plugin's, until given to [`Free`].
pub type Call =
    unsafe extern "C" fn(op: u32, request: *const u8, request_length: usize, response: *mut Response) -> u32;

/// The type behind [`Table::free`]: gives a response's bytes back to the plugin that made them.
pub type Free = unsafe extern "C" fn(pointer: *mut u8, length: usize);

/// What a plugin exports, as a static under [`SYMBOL_PREFIX`] plus its crate's name.
///
/// Function pointers are plain pointers here, since a null one would be undefined behaviour as a Rust function pointer.
#[repr(C)]
#[derive(Debug)]
pub struct Table {
    /// The contract version the plugin was built for; must be [`ABI`].
    pub abi: u32,
    /// `size_of::<Table>()` as the plugin saw it, in bytes.
    pub size: u32,
    /// [`KIND_PROVIDER`] or [`KIND_TOOL_KIND`].
    pub kind: u32,
    /// The plugin's name, UTF-8, not terminated.
    pub name: *const u8,
    /// The name's length in bytes.
    pub name_length: usize,
    /// A [`Call`].
    pub call: *const (),
    /// A [`Free`].
    pub free: *const (),
}

// SAFETY: a table is never written to, and the contract demands that what it points at is static, and that its
// functions can be called from any OS thread at any time.
unsafe impl Sync for Table {}

impl Table {
    /// Describes a plugin of this contract version by its kind, name and two functions.
    #[must_use]
    pub const fn new(kind: u32, name: &'static str, call: Call, free: Free) -> Self {
        Self {
            abi: ABI,
            size: Self::SIZE,
            kind,
            name: name.as_ptr(),
            name_length: name.len(),
            call: call as *const (),
            free: free as *const (),
        }
    }

    /// The size of this version's table in bytes, which is part of the contract.
    #[expect(clippy::cast_possible_truncation, reason = "seven words are less than 4 GiB")]
    pub const SIZE: u32 = size_of::<Self>() as u32;
}

/// Where a plugin writes the answer to a call. The host zeroes it first.
#[repr(C)]
#[derive(Debug)]
pub struct Response {
    /// The first byte, owned by the plugin.
    pub pointer: *mut u8,
    /// The number of bytes.
    pub length: usize,
}

impl Response {
    /// A response that is still empty.
    #[must_use]
    pub const fn empty() -> Self {
        Self { pointer: std::ptr::null_mut(), length: 0 }
    }
}
