//! Errors of plugins: of those that are to be installed, that are, and that are asked.

use super::{Exit, Facts, context, hints, keys, shell};
use crate::cli::text::quoted;
use crate::format::plugin_manifest::PluginFault;
use crate::ops::plugins::Error;
use crate::plugin::{self, InstalledError};
use crate::trust::Fault;

pub(super) fn facts(error: &Error) -> Facts {
    match error {
        Error::Install { fault: InstalledError::Fault(PluginFault::Unsigned), folder } => {
            installed_fault(&PluginFault::Unsigned).hint_with(hints::PLUGIN_SIGN, &[("path", &shell(folder))])
        }
        Error::Install { fault: InstalledError::Io { source, .. }, .. }
        | Error::Sign { fault: InstalledError::Io { source, .. }, .. }
            if source.kind() == std::io::ErrorKind::NotFound =>
        {
            Facts::failed("plugin-file").hint(hints::PLUGIN_FOLDER)
        }
        Error::Sign {
            fault: InstalledError::Fault(PluginFault::Manifest { .. } | PluginFault::Abi { .. }),
            folder,
        } => Facts::invalid("plugin-manifest").hint_with(hints::PLUGIN_MEND, &[("path", &shell(folder))]),
        Error::Install { fault, .. } | Error::Sign { fault, .. } | Error::Installed(fault) => installed(fault),
        Error::OwnName { .. } => Facts::new(Exit::Refused, "plugin-name").hint(hints::PLUGIN_RENAME),
        Error::Taken { .. } => Facts::new(Exit::Refused, "plugin-extension").hint(hints::PLUGIN_LIST),
        Error::Older { .. } => Facts::new(Exit::Refused, "plugin-older").hint(hints::PLUGIN_DOWNGRADE),
        Error::Signer(error) => keys::signer(error),
        Error::Plugin(error) => asked(error),
    }
}

pub(super) fn installed(error: &InstalledError) -> Facts {
    match error {
        InstalledError::Fault(fault) => installed_fault(fault),
        InstalledError::Io { action: "read", .. } => Facts::failed("plugin-file"),
        InstalledError::Io { .. } => Facts::failed("plugin-file").hint(hints::DISK),
        InstalledError::NotAFolder { .. } => Facts::invalid("plugin-folder").hint(hints::PLUGIN_FOLDER),
        InstalledError::NotAFile { path } => {
            Facts::new(Exit::Refused, "plugin-not-regular").hint_with(hints::PLUGIN_REGULAR, &[("path", &shell(path))])
        }
        InstalledError::TooLarge { .. } => Facts::new(Exit::Refused, "plugin-too-large").hint(hints::PLUGIN_SMALLER),
        InstalledError::Writable { path, .. } => {
            Facts::failed("plugin-mode").hint_with(hints::CONFIG_MODE, &[("path", &shell(path))])
        }
        InstalledError::Foreign { path, .. } => {
            Facts::failed("plugin-owner").hint_with(hints::CONFIG_OWNER, &[("path", &shell(path))])
        }
        InstalledError::Nowhere { path } => {
            Facts::failed("dangling-link").hint_with(hints::MEND_LINK, &[("path", &shell(path))])
        }
        InstalledError::Misplaced { folder, .. } => {
            Facts::new(Exit::Refused, "plugin-misplaced").hint_with(hints::PLUGIN_REMOVE, &[("name", &quoted(folder))])
        }
        InstalledError::Unknown { .. } => Facts::failed("unknown-plugin").hint(hints::PLUGIN_LIST),
        InstalledError::Static => Facts::failed("plugin-static").hint(hints::PLUGIN_BUILD),
        InstalledError::Copy(_) => Facts::failed("plugin-copy").hint(hints::DISK),
        InstalledError::Exchange { path } => {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            Facts::failed("plugin-exchange").hint_with(hints::PLUGIN_REMOVE, &[("name", &quoted(&name))])
        }
        InstalledError::Context(error) => context::facts(error),
    }
}

fn installed_fault(fault: &PluginFault) -> Facts {
    let refused = |code| Facts::new(Exit::Refused, code);
    match fault {
        PluginFault::Unsigned => refused("plugin-unsigned"),
        PluginFault::Signature(_) | PluginFault::Library { .. } => refused("plugin-tampered").hint(hints::PLUGIN_AGAIN),
        PluginFault::Manifest { .. } => Facts::invalid("plugin-manifest").hint(hints::PLUGIN_AUTHOR),
        PluginFault::Signer(Fault::Revoked { .. }) => refused("plugin-revoked").hint(hints::TRUST_LIST),
        PluginFault::Signer(Fault::OutsideValidity { .. }) => refused("plugin-retired").hint(hints::TRUST_LIST),
        PluginFault::Signer(_) | PluginFault::Limited { .. } => refused("plugin-untrusted").hint(hints::PLUGIN_TRUST),
        PluginFault::Target { .. } => Facts::failed("plugin-target").hint(hints::PLUGIN_AUTHOR),
        PluginFault::Abi { .. } => Facts::failed("plugin-contract").hint(hints::PLUGIN_AUTHOR),
    }
}

/// Of a plugin that is looked for, opened or asked.
pub(super) fn asked(error: &plugin::Error) -> Facts {
    match error {
        plugin::Error::UnknownPlugin { .. } => Facts::failed("unknown-plugin"),
        plugin::Error::UnknownExtension { .. } => Facts::failed("unknown-extension"),
        plugin::Error::Installed { plugin, source } => {
            installed(source).hint_with(hints::PLUGIN_VERIFY, &[("name", &quoted(plugin))])
        }
        plugin::Error::Store(source) => installed(source),
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
