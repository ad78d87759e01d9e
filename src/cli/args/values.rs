//! How the value of an argument is read.

use clap::ValueEnum;
use clap::builder::{NonEmptyStringValueParser, PossibleValuesParser, TypedValueParser};

use super::Format;
use crate::id::{ItemType, Space};
use crate::thread::Ending;

/// Reads one of some forms of output: a command's own `--format` that widens the global one.
pub(in crate::cli) fn formats(known: &'static [Format]) -> impl TypedValueParser<Value = Format> {
    let names = known.iter().filter_map(|format| format.to_possible_value()).map(|value| value.hide(false));
    PossibleValuesParser::new(names).try_map(|word| Format::from_str(&word, false))
}

/// Reads the name of something. An empty one is not a name: a script's variable was not set, and "all" is not meant.
pub(in crate::cli) fn name() -> NonEmptyStringValueParser {
    NonEmptyStringValueParser::new()
}

/// Reads the state or end of a thread.
pub(in crate::cli) fn ending(text: &str) -> Result<Ending, String> {
    one_of(&Ending::ALL, text)
}

/// Reads the state or end of a thread that is not running.
pub(in crate::cli) fn past_ending(text: &str) -> Result<Ending, String> {
    one_of(&Ending::ALL[1..], text)
}

fn one_of(known: &[Ending], text: &str) -> Result<Ending, String> {
    let names: Vec<&str> = known.iter().map(|ending| ending.as_str()).collect();
    let found = known.iter().copied().find(|ending| ending.as_str() == text);
    found.ok_or_else(|| format!("unknown status `{text}` (expected one of {})", names.join(", ")))
}

/// Reads an item type; an unknown one is an error that lists the three.
pub(in crate::cli) fn item_type() -> impl TypedValueParser<Value = ItemType> {
    PossibleValuesParser::new(ItemType::ALL.map(ItemType::as_str)).try_map(|word| word.parse::<ItemType>())
}

/// Reads a space; an unknown one is an error that lists the three.
pub(in crate::cli) fn space() -> impl TypedValueParser<Value = Space> {
    PossibleValuesParser::new(Space::ALL.map(Space::as_str)).try_map(|word| word.parse::<Space>())
}

/// Reads a space that can be written.
pub(in crate::cli) fn writable_space() -> impl TypedValueParser<Value = Space> {
    PossibleValuesParser::new([Space::Project, Space::User].map(Space::as_str)).try_map(|word| word.parse::<Space>())
}
