//! Puts a plugin's Rust code behind its table.
//!
//! A plugin crate says `export_provider!` or `export_tool_kind!` once. That makes one static, reachable by Rust path
//! as `TABLE` and, in a dynamic library, under the symbol of its crate's name: one crate serves as library and as the
//! linked-in copy.
//!
//! # Invariants
//!
//! - A panic becomes a failure with the code `panic`; it never crosses the boundary.
//! - Every response is a boxed slice made here and dropped here.
#![expect(unsafe_code, reason = "requests arrive and responses leave as pointers")]

use std::any::Any;
use std::panic::catch_unwind;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::message::{CODE_PANIC, CODE_REQUEST, Failure, FailurePayload};
use crate::provider::Provider;
use crate::table::{
    KIND_PROVIDER, KIND_TOOL_KIND, OP_COUNT, OP_COUNTED, OP_DECODE, OP_DESCRIBE, OP_ENCODE, OP_INTERPRET, OP_PEEK,
    OP_PLAN, Response, STATUS_ANSWER, STATUS_FAILURE, Table,
};
use crate::tool_kind::ToolKind;

/// Exports a [`Provider`] as this crate's plugin: `export_provider!(crate_name, "name", Type)`.
#[macro_export]
macro_rules! export_provider {
    ($crate_name:ident, $name:literal, $provider:ty) => {
        $crate::export_table!($crate_name, $crate::export::provider::<$provider>($name));
    };
}

/// Exports a [`ToolKind`] as this crate's plugin: `export_tool_kind!(crate_name, "name", Type)`.
#[macro_export]
macro_rules! export_tool_kind {
    ($crate_name:ident, $name:literal, $tool_kind:ty) => {
        $crate::export_table!($crate_name, $crate::export::tool_kind::<$tool_kind>($name));
    };
}

/// Exports any table under the symbol of a crate's name: `export_table!(crate_name, table)`.
#[macro_export]
macro_rules! export_table {
    ($crate_name:ident, $table:expr) => {
        /// This plugin's table, as the host finds it in the dynamic library or links it.
        // SAFETY: the symbol carries the crate's name, so no other of the same name is linked with it.
        #[unsafe(export_name = concat!("rye_plugin_v1_", stringify!($crate_name)))]
        pub static TABLE: $crate::Table = $table;
    };
}

/// The table of a provider.
#[must_use]
pub const fn provider<P: Provider>(name: &'static str) -> Table {
    Table::new(KIND_PROVIDER, name, call::<ProviderCalls<P>>, free)
}

/// The table of a tool kind.
#[must_use]
pub const fn tool_kind<T: ToolKind>(name: &'static str) -> Table {
    Table::new(KIND_TOOL_KIND, name, call::<ToolKindCalls<T>>, free)
}

/// Frees a response made by [`respond`]; the [`Free`](crate::table::Free) of every plugin exported from here.
///
/// # Safety
///
/// Pointer and length are those of a response of the same plugin that has not been freed before.
pub unsafe extern "C" fn free(pointer: *mut u8, length: usize) {
    if !pointer.is_null() {
        // SAFETY: `respond` made the pointer from a boxed slice of this length, and the caller gives it up.
        drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(pointer, length)) });
    }
}

/// Hands bytes over as a call's response.
///
/// # Safety
///
/// `response` is valid for writing.
pub unsafe fn respond(response: *mut Response, bytes: Vec<u8>) {
    let bytes = Box::leak(bytes.into_boxed_slice());
    // SAFETY: the caller promises that it is valid for writing.
    unsafe { response.write(Response { pointer: bytes.as_mut_ptr(), length: bytes.len() }) };
}

/// What a kind of plugin does with an operation. Answers are serialised JSON.
trait Calls {
    fn answer(op: u32, request: &[u8]) -> Result<Vec<u8>, Failure>;
}

struct ProviderCalls<P>(std::marker::PhantomData<P>);

impl<P: Provider> Calls for ProviderCalls<P> {
    fn answer(op: u32, request: &[u8]) -> Result<Vec<u8>, Failure> {
        match op {
            OP_DESCRIBE => print(&P::describe()),
            OP_ENCODE => print(&P::encode(parse(request)?)?),
            OP_PEEK => print(&P::peek(parse(request)?)?),
            OP_DECODE => print(&P::decode(parse(request)?)?),
            OP_COUNT => print(&P::count(parse(request)?)?),
            OP_COUNTED => print(&P::counted(parse(request)?)?),
            _ => Err(Failure::unsupported(op)),
        }
    }
}

struct ToolKindCalls<T>(std::marker::PhantomData<T>);

impl<T: ToolKind> Calls for ToolKindCalls<T> {
    fn answer(op: u32, request: &[u8]) -> Result<Vec<u8>, Failure> {
        match op {
            OP_DESCRIBE => print(&T::describe()),
            OP_PLAN => print(&T::plan(parse(request)?)?),
            OP_INTERPRET => print(&T::interpret(parse(request)?)?),
            _ => Err(Failure::unsupported(op)),
        }
    }
}

/// Answers one call; the [`Call`](crate::table::Call) of every plugin exported from here.
unsafe extern "C" fn call<C: Calls>(
    op: u32,
    request: *const u8,
    request_length: usize,
    response: *mut Response,
) -> u32 {
    // SAFETY: the host hands over a request of this length that it keeps until the call returns.
    let request = unsafe { bytes(request, request_length) };
    let answer = catch_unwind(|| C::answer(op, request)).unwrap_or_else(|panic| Err(panicked(panic)));
    let (status, bytes) = match answer {
        Ok(bytes) => (STATUS_ANSWER, bytes),
        Err(error) => (STATUS_FAILURE, failure(error)),
    };
    // SAFETY: the host hands over a response it is waiting to read.
    unsafe { respond(response, bytes) };
    status
}

/// # Safety
///
/// The pointer is null, or valid for reading that many bytes until the caller of the caller returns.
unsafe fn bytes<'a>(pointer: *const u8, length: usize) -> &'a [u8] {
    if pointer.is_null() {
        return &[];
    }
    // SAFETY: not null, and the caller promises the rest.
    unsafe { std::slice::from_raw_parts(pointer, length) }
}

fn parse<T: DeserializeOwned>(request: &[u8]) -> Result<T, Failure> {
    serde_json::from_slice(request)
        .map_err(|problem| Failure::new(CODE_REQUEST, format!("the request cannot be read: {problem}")))
}

fn print<T: Serialize>(answer: &T) -> Result<Vec<u8>, Failure> {
    serde_json::to_vec(answer)
        .map_err(|problem| Failure::new(CODE_REQUEST, format!("the answer cannot be written: {problem}")))
}

fn failure(error: Failure) -> Vec<u8> {
    serde_json::to_vec(&FailurePayload { error }).expect("because two strings are always JSON")
}

/// Names a panic, whose value is not dropped unless it is text: dropping it could panic again.
fn panicked(panic: Box<dyn Any + Send>) -> Failure {
    let message = match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().map_or("a value that is not text", |&text| text).to_owned();
            std::mem::forget(panic);
            text
        }
    };
    Failure::new(CODE_PANIC, message)
}
