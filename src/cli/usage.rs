//! What clap says about a command line, with the arguments it repeats made words of its sentence: no line of their own, no
//! control of the terminal, no private key in the place of its name.

use clap::CommandFactory as _;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::command::Cli;
use super::text::in_sentence;

/// Returns the error as it may be shown.
pub(super) fn harmless(mut error: clap::Error) -> clap::Error {
    let sentence = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
    if in_sentence(&sentence) != sentence {
        // The sentence of whoever parsed a value repeats it, and clap has no way to replace that sentence alone.
        let value = |kind| error.get(kind).map(ToString::to_string).unwrap_or_default();
        let (given, argument) = (value(ContextKind::InvalidValue), value(ContextKind::InvalidArg));
        let message = format!("invalid value '{given}' for '{argument}': {sentence}");
        return Cli::command().error(ErrorKind::ValueValidation, in_sentence(&message));
    }
    let mut is_changed = false;
    let context: Vec<_> = error.context().map(|(kind, value)| (kind, value.clone())).collect();
    for (kind, value) in context {
        let shown = match &value {
            ContextValue::String(text) => ContextValue::String(in_sentence(text)),
            ContextValue::Strings(texts) => ContextValue::Strings(texts.iter().map(|text| in_sentence(text)).collect()),
            _ => continue,
        };
        if shown != value {
            is_changed = true;
            error.insert(kind, shown);
        }
    }
    if is_changed {
        // Advice is finished text, which contains the argument unchanged.
        error.remove(ContextKind::Suggested);
    }
    error
}
