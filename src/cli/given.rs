//! Inputs as the command line gives them: `-i k=v`, and `--inputs` with JSON, a file or stdin.

use std::io::Read;
use std::path::PathBuf;

use clap::Args;
use serde_json::{Map, Value};
use thiserror::Error;

use crate::context::Context;
use crate::ops::execute::Given;

/// The longest JSON text of inputs.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// The options of every command that takes inputs.
#[derive(Debug, Args)]
pub(super) struct InputArgs {
    /// One input; its value is typed by the item's declaration
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
    #[error("the inputs in {origin} cannot be read")]
    Read {
        /// The file, or stdin.
        origin: String,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
    /// The text is no JSON.
    #[error("the inputs in {origin} are no JSON")]
    NoJson {
        /// Where they came from.
        origin: String,
        /// Why not.
        #[source]
        source: serde_json::Error,
    },
    /// The JSON is no object.
    #[error("the inputs in {origin} are no JSON object")]
    NoObject {
        /// Where they came from.
        origin: String,
    },
}

impl InputArgs {
    /// Reads what was given.
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
        (_, Some(file)) => (format!("`{file}`"), read_file(ctx.current_dir().join(file), file)?),
        (text, None) => ("`--inputs`".to_owned(), text.to_owned()),
    };
    match serde_json::from_str(&text) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(GivenError::NoObject { origin }),
        Err(source) => Err(GivenError::NoJson { origin, source }),
    }
}

/// Reads what comes on stdin.
///
/// # Errors
///
/// Fails when it cannot be read, or is no text or too long.
pub(super) fn read_stdin() -> Result<String, GivenError> {
    bounded(std::io::stdin().lock()).map_err(|source| GivenError::Read { origin: "stdin".to_owned(), source })
}

fn read_file(path: PathBuf, shown: &str) -> Result<String, GivenError> {
    let read = std::fs::File::open(path).and_then(bounded);
    read.map_err(|source| GivenError::Read { origin: format!("`{shown}`"), source })
}

/// Reads a text that ends: a device or a pipe without end must not fill the memory.
fn bounded(reader: impl Read) -> std::io::Result<String> {
    let mut text = String::new();
    reader.take(MAX_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(std::io::Error::other(format!("it is longer than {MAX_BYTES} bytes")));
    }
    Ok(text)
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write it as NAME=VALUE".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_without_end_are_refused() {
        let error = bounded(std::io::repeat(b'a')).map(|text| text.len()).map_err(|error| error.to_string());
        assert_eq!(error, Err("it is longer than 16777216 bytes".to_owned()));
        assert_eq!(bounded(&b"{}"[..]).map_err(|error| error.to_string()), Ok("{}".to_owned()));
    }
}
