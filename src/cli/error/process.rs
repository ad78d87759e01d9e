//! Errors of child processes.

use super::{Facts, hints};
use crate::context::INTERPRETERS;
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
