//! Errors of executing items, and of what they extend and call.

use super::items::locate;
use super::{Exit, Facts, Invalid, context, denial, hints, plugin, process};
use crate::format::template::TemplateError;
use crate::id::{ItemId, ItemType};
use crate::item::Takes;
use crate::mcp_client;
use crate::ops::executors::{RefusedPath, ServerError};
use crate::ops::permissions::CallerError;
use crate::ops::{execute, extends};

/// Says what an item takes, so that the next call is right.
fn with_parameters(facts: Facts, item_type: ItemType, item_id: &ItemId, takes: &[Takes]) -> Facts {
    if takes.is_empty() {
        return facts.hint_with(hints::SHOW_INPUTS, &[("type", &item_type), ("id", item_id)]);
    }
    facts.hint_with(hints::PASS, &[("detail", &Takes::in_words(takes))])
}

pub(super) fn execute(error: &execute::Error) -> Facts {
    match error {
        execute::Error::Locate(error) => locate(error),
        execute::Error::Denied(denied) => denial::facts(denied),
        execute::Error::Extends(error) => extends(error),
        execute::Error::Inputs { item_type, item_id, takes, .. } => {
            with_parameters(Facts::invalid("wrong-inputs"), *item_type, item_id, takes)
        }
        execute::Error::Template { source: TemplateError::TooLong(_), .. } => {
            Facts::invalid("text-too-long").hint(hints::SHORTER_INPUTS)
        }
        execute::Error::Template { item_id, .. } => {
            Facts::invalid("template").hint_with(hints::SIGN_AGAIN, &[("type", &ItemType::Directive), ("id", item_id)])
        }
        execute::Error::Parameters { item_id, takes, .. } => {
            with_parameters(Facts::invalid("wrong-parameters"), ItemType::Tool, item_id, takes)
        }
        execute::Error::Companion { item_id, .. } => Facts::new(Exit::Refused, "companion-changed")
            .hint_with(hints::SIGN_AGAIN, &[("type", &ItemType::Tool), ("id", item_id)]),
        execute::Error::NoKind { .. } => Facts::failed("no-tool-kind"),
        execute::Error::Copy { .. } => Facts::failed("project-copy").hint(hints::NAME_FOLDERS),
        execute::Error::Address { item_id, .. } => {
            Facts::invalid("wrong-address").hint_with(hints::SIGN_AGAIN, &[("type", &ItemType::Tool), ("id", item_id)])
        }
        execute::Error::Unbound { secret, item_id, host, config } => {
            let values: [(&str, &dyn std::fmt::Display); 4] =
                [("name", secret), ("host", host), ("id", item_id), ("path", &config.display())];
            Facts::new(Exit::Denied, "secret-not-bound").hint_with(hints::BIND, &values)
        }
        execute::Error::Server { source, .. } => server(source),
        execute::Error::ServerChanged { server, .. } => {
            Facts::new(Exit::Refused, "server-changed").hint_with(hints::IMPORT_AGAIN, &[("name", server)])
        }
        execute::Error::NoSecret { secret, path, .. } => {
            Facts::failed("no-secret").hint_with(hints::SECRET, &[("name", secret), ("path", &path.display())])
        }
        execute::Error::Plugin { source, .. } => plugin::asked(source),
        execute::Error::NotInTree { source, .. } | execute::Error::Process { source, .. } => process::facts(source),
    }
}

/// An MCP server that cannot be used.
pub(super) fn server(error: &ServerError) -> Facts {
    match error {
        ServerError::Undeclared { server, config, lines: None } => Facts::failed("no-server")
            .hint_with(hints::DECLARE_SERVER, &[("name", server), ("path", &config.display())]),
        ServerError::Undeclared { config, lines: Some(lines), .. } => Facts::failed("no-server")
            .hint_with(hints::COPY_SERVER, &[("path", &config.display()), ("lines", &lines.trim_end())]),
        ServerError::NoSecret { secret, path, .. } => {
            Facts::failed("no-secret").hint_with(hints::SECRET, &[("name", secret), ("path", &path.display())])
        }
        ServerError::Process { source, .. } => process::facts(source),
        ServerError::Address { .. } => Facts::invalid("wrong-address"),
        ServerError::Copy { server, .. } => {
            Facts::failed("project-copy").hint_with(hints::NAME_SERVER_FOLDERS, &[("name", server)])
        }
        ServerError::Context(error) => context::facts(error),
        ServerError::Client(mcp_client::Error::Start { source, .. }) => process::facts(source),
        ServerError::Client(mcp_client::Error::Cancelled) => Facts::new(Exit::Stopped, "stopped"),
        ServerError::Client(
            mcp_client::Error::Ended { server, said } | mcp_client::Error::Timeout { server, said, .. },
        ) => server_failed(server, said),
        ServerError::Client(mcp_client::Error::Refused { server, message, .. }) => server_failed(server, message),
        ServerError::Client(
            mcp_client::Error::Flood { .. }
            | mcp_client::Error::Malformed { .. }
            | mcp_client::Error::Status { .. }
            | mcp_client::Error::Net { .. },
        ) => Facts::failed("server-failed"),
    }
}

/// A server that failed; what it was refused is told with the line that would let it.
fn server_failed(server: &str, said: &str) -> Facts {
    let facts = Facts::failed("server-failed");
    match RefusedPath::in_text(server, said) {
        Some(RefusedPath { server, path }) => facts.hint_with(hints::LET_SERVER, &[("name", &server), ("path", &path)]),
        None => facts,
    }
}

pub(super) fn extends(error: &extends::Error) -> Facts {
    match error {
        extends::Error::Circle { path } => {
            let facts = Facts::invalid("extends-circle");
            match path.last() {
                Some(id) => facts.hint_with(hints::SIGN_AGAIN, &[("type", &ItemType::Directive), ("id", id)]),
                None => facts,
            }
        }
        extends::Error::TooLong { .. } => Facts::invalid("extends-too-long"),
        extends::Error::ContextTooLong { item_id } => Facts::invalid("context-too-long")
            .hint_with(hints::SIGN_AGAIN, &[("type", &ItemType::Directive), ("id", item_id)]),
        extends::Error::Locate(error) => locate(error),
        extends::Error::NotADirective => Facts::invalid("not-a-directive"),
        extends::Error::Part { source, .. } => locate(source),
        extends::Error::Ambiguous { .. } => Facts::invalid("ambiguous-name").hint(hints::LIST_ALL),
        extends::Error::Unmet(unmet) => {
            let mut facts = Facts::failed("not-offered");
            let ask = format!("ask the user whether this machine offers `{}`", unmet.word);
            facts.advise(unmet.hint(), Some(ask));
            facts
        }
        extends::Error::Conflict { .. } => Facts::failed("conflicting-directives"),
    }
}

pub(super) fn caller(error: &CallerError) -> Facts {
    match error {
        CallerError::Read(_) => Facts::invalid("permissions-unreadable"),
        CallerError::Invalid { path, findings, text } => {
            let invalid = Invalid { path: path.clone(), text: text.clone(), findings: findings.clone() };
            Facts { invalid: Some(invalid), ..Facts::invalid("invalid-permissions") }
        }
    }
}
