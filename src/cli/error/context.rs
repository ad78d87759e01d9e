//! Errors of the surroundings.

use std::io::ErrorKind;

use super::{Facts, hints, shell};
use crate::cli::text::brief;
use crate::context::{ConfigError, ContextError};

pub(super) fn facts(error: &ContextError) -> Facts {
    match error {
        ContextError::CurrentDir(_) => Facts::failed("no-current-folder").hint(hints::CHANGE_DIR),
        ContextError::ChangeDir { source, .. } if source.kind() == ErrorKind::NotFound => {
            Facts::invalid("no-folder").without_causes().hint(hints::CHANGE_DIR)
        }
        ContextError::ChangeDir { .. } => Facts::invalid("no-folder").hint(hints::CHANGE_DIR),
        ContextError::Program(_) => Facts::failed("no-program").hint(hints::REINSTALL),
        ContextError::NoHome => Facts::failed("no-home").hint(hints::HOME),
        ContextError::Relative { .. } => Facts::invalid("relative-variable").hint(hints::ABSOLUTE),
        ContextError::OpenTemp { path, .. } => {
            Facts::failed("open-temp").hint_with(hints::TEMP_DIR, &[("path", &shell(path))])
        }
        ContextError::ForeignTemp { .. } => Facts::failed("foreign-temp").hint(hints::FOREIGN_TEMP),
        ContextError::NoTemp { path, .. } => {
            Facts::failed("no-temp").hint_with(hints::NO_TEMP, &[("path", &shell(path))])
        }
        ContextError::OpenSecret { path, .. } => {
            Facts::failed("open-secret").hint_with(hints::SECRET_MODE, &[("path", &shell(path))])
        }
        ContextError::Unreadable(_) => Facts::failed("unreadable"),
        ContextError::Random => Facts::failed("no-randomness").hint(hints::RETRY),
        ContextError::Config(ConfigError::Read { .. }) => Facts::failed("configuration-unreadable"),
        ContextError::Config(ConfigError::WritableByOthers { path, .. }) => {
            Facts::failed("configuration-mode").hint_with(hints::CONFIG_MODE, &[("path", &shell(path))])
        }
        ContextError::Config(ConfigError::Foreign { path, .. }) => {
            Facts::failed("configuration-owner").hint_with(hints::CONFIG_OWNER, &[("path", &shell(path))])
        }
        ContextError::Config(ConfigError::Nowhere { path }) => {
            Facts::failed("dangling-link").hint_with(hints::MEND_LINK, &[("path", &shell(path))])
        }
        ContextError::Config(ConfigError::Wrong { .. } | ConfigError::UnknownSetting { .. }) => {
            Facts::invalid("configuration").hint(hints::CONFIG)
        }
        ContextError::Config(ConfigError::WrongInProject { detail, .. }) => {
            Facts::invalid("configuration").hint_with(hints::CONFIG_OF_PROJECT, &[("detail", &brief(detail))])
        }
    }
}
