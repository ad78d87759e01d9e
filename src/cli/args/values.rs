//! How the value of an argument is read.

use std::ffi::OsStr;
use std::num::{IntErrorKind, ParseIntError};
use std::str::FromStr;

use clap::builder::{NonEmptyStringValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Command, ValueEnum};

use super::Format;
use crate::cli::text;
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

/// Reads a whole number.
pub(in crate::cli) fn number<N: FromStr<Err = ParseIntError>>(text: &str) -> Result<N, String> {
    text.parse().map_err(|error: ParseIntError| match error.kind() {
        IntErrorKind::PosOverflow => "the number is too large".to_owned(),
        _ => "expected a whole number".to_owned(),
    })
}

/// Reads an item type, and names all of them when it is none.
pub(in crate::cli) fn item_type() -> impl TypedValueParser<Value = ItemType> {
    ItemTypeParser
}

#[derive(Debug, Clone, Copy)]
struct ItemTypeParser;

impl TypedValueParser for ItemTypeParser {
    type Value = ItemType;

    fn parse_ref(&self, cmd: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<ItemType, clap::Error> {
        // A path in the place of the type: the item follows it, so the type was left out.
        let is_first = arg.is_some_and(Arg::is_positional) && cmd.get_positionals().count() > 1;
        let text = value.to_string_lossy();
        if is_first && text.contains(['/', '.']) {
            let of_folder = |known: &ItemType| text.split('/').any(|part| part == known.folder());
            let types = match ItemType::ALL.into_iter().find(of_folder) {
                Some(known) => format!("`{known}`"),
                None => ItemType::ALL.map(|known| format!("`{known}`")).join(" or "),
            };
            let message = format!("name the type first: write {types} before `{}`", text::one_line(&text));
            return Err(cmd.clone().error(ErrorKind::ValueValidation, message));
        }
        let known = PossibleValuesParser::new(ItemType::ALL.map(ItemType::as_str));
        known.try_map(|word| word.parse::<ItemType>()).parse_ref(cmd, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(ItemType::ALL.into_iter().map(|known| PossibleValue::new(known.as_str()))))
    }
}

/// Reads a space; an unknown one is an error that lists the three.
pub(in crate::cli) fn space() -> impl TypedValueParser<Value = Space> {
    PossibleValuesParser::new(Space::ALL.map(Space::as_str)).try_map(|word| word.parse::<Space>())
}

/// Reads a space that can be written.
pub(in crate::cli) fn writable_space() -> impl TypedValueParser<Value = Space> {
    PossibleValuesParser::new([Space::Project, Space::User].map(Space::as_str)).try_map(|word| word.parse::<Space>())
}
