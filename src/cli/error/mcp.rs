//! Errors of the server for clients, and of the calls they make.

use std::path::PathBuf;

use super::{Exit, Facts, context, denial, executing, git, hints, items, keys, process, registry, shell, workspace};
use crate::mcp::{Error, Failure};
use crate::ops::import;

pub(super) fn serve(error: &Error) -> Facts {
    match error {
        Error::Context(error) => context::facts(error),
        Error::Process(error) => process::facts(error),
        Error::Runtime(_) => Facts::failed("no-server").hint(hints::RETRY),
    }
}

pub(super) fn import(error: &import::Error) -> Facts {
    match error {
        import::Error::Locate(error) => items::locate(error),
        import::Error::Server(error) => executing::server(error),
        import::Error::Sign(error) => items::sign(error),
        import::Error::Workspace(error) | import::Error::Write { source: error, .. } => workspace::facts(error),
        import::Error::NoSuchTool { server, .. } => {
            Facts::failed("no-such-tool").hint_with(hints::IMPORT_LIST, &[("name", server)])
        }
    }
}

pub(super) fn call(failure: &Failure) -> Facts {
    match failure {
        Failure::Execute(error) => executing::execute(error),
        Failure::Load(error) => items::load(error),
        Failure::Search(error) => registry::search(error),
        Failure::Sign(error) => items::sign(error),
        Failure::Locate(error) => items::locate(error),
        Failure::Keys(error) => keys::facts(error),
        Failure::Context(error) => context::facts(error),
        Failure::Git(error) => git::facts(error),
        Failure::Denied(denied) => denial::facts(denied),
        Failure::Arguments { primary, .. } => {
            Facts::invalid("wrong-arguments").hint_with(hints::TOOL_ARGUMENTS, &[("name", primary)])
        }
        Failure::UnknownPrompt { suggestion, .. } => {
            let mut facts = Facts::failed("unknown-prompt");
            if let Some(name) = suggestion {
                facts = facts.hint_with(hints::MEANT, &[("id", name)]);
            }
            facts.hint_with(hints::LIST, &[("type", &"directive")])
        }
        Failure::UnknownResource { .. } => {
            Facts::failed("unknown-resource").hint_with(hints::LIST, &[("type", &"knowledge")])
        }
        Failure::UnknownSkill { .. } | Failure::UnknownFolder { .. } => {
            Facts::failed("unknown-skill").hint_with(hints::LIST, &[("type", &"skill")])
        }
        Failure::LargeSkill { .. } => Facts::failed("large-skill").hint_with(hints::LIST, &[("type", &"skill")]),
        Failure::NoRoot { .. } | Failure::RootsUnknown { .. } => Facts::failed("no-root").hint(hints::SERVE_IN),
        Failure::OutsideRoots { roots, .. } => outside(roots),
        Failure::CodePlace { .. } => Facts::new(Exit::Denied, "code-place").hint(hints::OTHER_PATH),
        Failure::BeyondRoot { repository, .. } => Facts::new(Exit::Denied, "beyond-root")
            .hint_with(hints::SERVE_IN_REPOSITORY, &[("path", &shell(repository))]),
        Failure::Busy { .. } => Facts::failed("busy").hint(hints::AFTER_OTHERS),
        Failure::ResultGone => Facts::failed("result-gone").hint(hints::WITHOUT_OFFSET),
        Failure::Cancelled => Facts::new(Exit::Stopped, "cancelled"),
        Failure::Internal { .. } => Facts::new(Exit::Internal, "internal").hint(hints::BUG),
    }
}

fn outside(roots: &[PathBuf]) -> Facts {
    let mut facts = Facts::new(Exit::Denied, "outside-roots");
    let roots: Vec<String> = roots.iter().map(|root| format!("`{}`", root.display())).collect();
    let hint = format!("name a folder inside of {}", roots.join(", "));
    facts.advise(hint.clone(), Some(hint));
    facts.hint(hints::SERVE_IN)
}
