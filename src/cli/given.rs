//! Inputs as the command line gives them: `-i k=v`, and `--inputs` with JSON, a file or stdin.

use clap::Args;
use rye_plugin_abi::numbers;
use serde_json::{Map, Value};
use thiserror::Error;

use crate::context::{Context, Unreadable, bounded};
use crate::ops::execute::Given;

/// The longest JSON text of inputs.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// The options of every command that takes inputs.
#[derive(Debug, Args)]
pub(super) struct InputArgs {
    /// One input; the item declares its type
    #[arg(short = 'i', long = "input", visible_short_alias = 'p', value_name = "NAME=VALUE", value_parser = pair)]
    input: Vec<(String, String)>,

    /// All inputs as one JSON object: the text itself, a file (`@FILE`) or stdin (`-`)
    #[arg(long, visible_alias = "params", value_name = "JSON|@FILE|-")]
    inputs: Option<String>,
}

/// Why inputs cannot be read.
#[derive(Debug, Error)]
pub(super) enum GivenError {
    /// The file or stdin cannot be read.
    #[error(transparent)]
    Read(#[from] Unreadable),
    /// The text is not JSON.
    #[error("the inputs in {origin} are not JSON")]
    NoJson {
        /// Where they came from.
        origin: String,
        /// Why not.
        #[source]
        source: serde_json::Error,
    },
    /// The JSON is not an object.
    #[error("the inputs in {origin} are not a JSON object")]
    NoObject {
        /// Where they came from.
        origin: String,
    },
}

impl InputArgs {
    /// Tells whether they are read from stdin.
    pub(super) fn is_stdin(&self) -> bool {
        self.inputs.as_deref() == Some("-")
    }

    /// Reads the given value.
    ///
    /// # Errors
    ///
    /// Fails when the file or stdin cannot be read, or holds no JSON object.
    pub(super) fn read(&self, ctx: &Context) -> Result<Given, GivenError> {
        let object = self.inputs.as_deref().map(|text| object(ctx, text)).transpose()?;
        Ok(Given { object: object.unwrap_or_default(), pairs: self.input.clone() })
    }
}

fn object(ctx: &Context, given: &str) -> Result<Map<String, Value>, GivenError> {
    let (origin, text) = match (given, given.strip_prefix('@')) {
        ("-", _) => ("stdin".to_owned(), read_stdin()?),
        (_, Some(file)) => (format!("`{file}`"), bounded::read_text(&ctx.current_dir().join(file), MAX_BYTES)?),
        (text, None) => ("`--inputs`".to_owned(), text.to_owned()),
    };
    match numbers::parse(&text) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(GivenError::NoObject { origin }),
        Err(source) => Err(GivenError::NoJson { origin, source }),
    }
}

/// Reads what comes on stdin.
///
/// # Errors
///
/// Fails when it cannot be read, is not text, or is too long.
pub(super) fn read_stdin() -> Result<String, GivenError> {
    Ok(bounded::read_stdin_text(MAX_BYTES)?)
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write it as NAME=VALUE".to_owned()),
    }
}
