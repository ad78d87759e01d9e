//! Every hint of the command line, in tables by what they are about.
//!
//! A hint is imperative and holds a command that works as pasted where there is one; a test parses them all. A model gets
//! another form: instead of a command or setting that lifts a refusal, it reads what to ask the user for. Each hint
//! says which, so a new one has to decide.

use std::fmt::Display;

/// A hint with places to fill in: `{type}`, `{id}`, `{path}` and the like.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hint {
    text: &'static str,
    model: ForModel,
}

/// What a model gets in place of a hint.
#[derive(Debug, Clone, Copy)]
enum ForModel {
    /// The same text, which is about the call's own arguments or asks the user already.
    Same,
    /// Another text.
    Other(&'static str),
    /// No hint.
    Nothing,
}

impl Hint {
    /// Fills in the places of the form for a model, if there is one.
    pub(super) fn fill_for_model(self, values: &[(&str, &dyn Display)]) -> Option<String> {
        match self.model {
            ForModel::Same => Some(self.fill(values)),
            ForModel::Other(text) => Some(filled(text, values)),
            ForModel::Nothing => None,
        }
    }

    /// Fills in the places.
    pub(super) fn fill(self, values: &[(&str, &dyn Display)]) -> String {
        filled(self.text, values)
    }
}

fn filled(text: &str, values: &[(&str, &dyn Display)]) -> String {
    values.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), &value.to_string()))
}

/// Makes a constant for each hint and the table of all of them. Goes before the modules, which use it.
macro_rules! hints {
    (model: same) => { ForModel::Same };
    (model: nothing) => { ForModel::Nothing };
    (model: $other:literal) => { ForModel::Other($other) };
    ($($name:ident $text:literal => $model:tt)*) => {
        $(pub(in crate::cli) const $name: Hint = Hint { text: $text, model: hints!(model: $model) };)*

        #[cfg(test)]
        pub(super) const ALL: &[Hint] = &[$($name),*];
    };
}

mod accept;
mod commit;
mod general;
mod git;
mod items;
mod keys;
mod mcp;
mod place;
mod plugin;
mod provider;
mod pull;
mod registry;
#[cfg(test)]
mod tests;
mod thread;
mod tools;
mod trust;

pub(in crate::cli) use self::accept::*;
pub(in crate::cli) use self::commit::*;
pub(in crate::cli) use self::general::*;
pub(in crate::cli) use self::git::*;
pub(in crate::cli) use self::items::*;
pub(in crate::cli) use self::keys::*;
pub(in crate::cli) use self::mcp::*;
pub(in crate::cli) use self::place::*;
pub(in crate::cli) use self::plugin::*;
pub(in crate::cli) use self::provider::*;
pub(in crate::cli) use self::pull::*;
pub(in crate::cli) use self::registry::*;
pub(in crate::cli) use self::thread::*;
pub(in crate::cli) use self::tools::*;
pub(in crate::cli) use self::trust::*;
