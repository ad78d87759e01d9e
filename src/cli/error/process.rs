//! Errors of child processes and plugins.

use super::{Facts, hints};
use crate::cli::text::quoted;
use crate::context::INTERPRETERS;
use crate::plugin;
use crate::process::Error;

pub(super) fn facts(error: &Error) -> Facts {
    match error {
        Error::ProgramNotFound { name, .. } if INTERPRETERS.contains(&name.as_str()) => {
            Facts::failed("no-interpreter").hint_with(hints::INTERPRETER, &[("name", name)])
        }
        Error::ProgramNotFound { name, .. } if name == "git" => Facts::failed("no-program").hint(hints::NO_GIT),
        Error::ProgramNotFound { name, .. } => Facts::failed("no-program").hint_with(hints::PROGRAM, &[("name", name)]),
        Error::NotAName { .. } => Facts::failed("interpreter-name"),
        Error::NotExecutable { .. } => Facts::failed("not-executable").hint(hints::CONFIG),
        Error::Start { .. } => Facts::failed("cannot-start"),
        Error::Wait { .. } => Facts::failed("lost-child").hint(hints::RETRY),
        Error::Script { .. } => Facts::failed("no-private-copy").hint(hints::DISK),
        Error::Signal { .. } => Facts::failed("signal"),
        Error::ConfineArguments { .. } => Facts::invalid("confinement-arguments"),
        Error::NoSandbox { .. } => Facts::failed("no-sandbox"),
        Error::NoNetwork { .. } => Facts::failed("no-network").hint(hints::NO_NETWORK),
        Error::Grant { .. } => Facts::failed("sandbox-grant").hint(hints::CONFIG),
        Error::Confine { .. } => Facts::failed("cannot-confine"),
    }
}

pub(super) fn plugin(error: &plugin::Error) -> Facts {
    match error {
        plugin::Error::UnknownPlugin { .. } => Facts::failed("unknown-plugin"),
        plugin::Error::UnknownExtension { .. } => Facts::failed("unknown-extension"),
        plugin::Error::Installed { plugin, source } => {
            super::plugin::installed(source).hint_with(hints::PLUGIN_VERIFY, &[("name", &quoted(plugin))])
        }
        plugin::Error::Store(source) => super::plugin::installed(source),
        plugin::Error::OtherThanManifest { .. } => Facts::failed("plugin-manifest").hint(hints::PLUGIN_AUTHOR),
        plugin::Error::Undeclared { .. } => Facts::failed("plugin-undeclared").hint(hints::PLUGIN_AUTHOR),
        plugin::Error::AmbiguousExtension { plugins, .. } => {
            let last = plugins.last().map(|name| quoted(name)).unwrap_or_default();
            Facts::failed("ambiguous-extension").hint_with(hints::PLUGIN_REMOVE_ONE, &[("name", &last)])
        }
        plugin::Error::Program { .. }
        | plugin::Error::Read { .. }
        | plugin::Error::NotAFile { .. }
        | plugin::Error::WrongOwner { .. }
        | plugin::Error::UnsafePermissions { .. } => Facts::failed("plugin-library").hint(hints::REINSTALL),
        plugin::Error::Load { .. }
        | plugin::Error::Refused { .. }
        | plugin::Error::MissingSymbol { .. }
        | plugin::Error::WrongAbi { .. }
        | plugin::Error::WrongSize { .. }
        | plugin::Error::WrongKind { .. }
        | plugin::Error::WrongName { .. }
        | plugin::Error::MalformedTable { .. } => Facts::failed("plugin-contract").hint(hints::REINSTALL),
        plugin::Error::Panicked { .. } => Facts::failed("plugin-panic").hint(hints::BUG),
        plugin::Error::Reported { .. } => Facts::failed("plugin-failure"),
        plugin::Error::Request { .. }
        | plugin::Error::UnknownStatus { .. }
        | plugin::Error::TooLarge { .. }
        | plugin::Error::NotJson { .. }
        | plugin::Error::WrongShape { .. }
        | plugin::Error::UnknownAnswer { .. } => Facts::failed("plugin-answer").hint(hints::BUG),
    }
}
