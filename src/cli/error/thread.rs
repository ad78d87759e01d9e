//! Errors of threads that cannot begin, be listed or be shown.

use std::fmt::Display;
use std::io::ErrorKind;

use super::{Exit, Facts, context, executing, git, hints, items, keys, plugin, process, quoted, shell, workspace};
use crate::capability::TokenError;
use crate::id::{ItemId, ThreadId, nearest};
use crate::thread::{Error, ResumeError};
use crate::trust::CommitFault;

pub(super) fn facts(error: &Error) -> Facts {
    match error {
        Error::Locate(error) => items::locate(error),
        Error::Execute(error) => executing::execute(error),
        Error::Extends(error) => executing::extends(error),
        Error::NoProvider { model: Some(model), .. } if model.trim().is_empty() => {
            Facts::failed("no-provider").hint(hints::EMPTY_MODEL)
        }
        Error::NotTheTask { .. } => Facts::invalid("not-the-task").hint(hints::TASK_REPLACED),
        Error::GrantedByAnother { .. } => Facts::new(Exit::Refused, "granted-by-another").hint(hints::TASK_AGAIN),
        Error::NoProvider { model: Some(model), known, provider, .. } if !known.is_empty() => {
            let facts = meant(Facts::failed("no-provider"), hints::MODELS_NOW, model, known);
            match provider {
                Some(id) => facts.hint_with(hints::PRICE, &price(&quoted(model), Some(id))),
                None => facts.hint_with(hints::PRICE_OF_ANY, &price(&quoted(model), None)),
            }
        }
        Error::NoProvider { model: Some(model), .. } => Facts::failed("no-provider")
            .hint(hints::PROVIDER)
            .hint_with(hints::PRICE_OF_ANY, &price(&quoted(model), None)),
        Error::NoProvider { known, .. } => {
            let mut facts = Facts::failed("no-provider").hint(hints::PROVIDER);
            if !known.is_empty() {
                facts.advise(format!("or use one of: {}", known.join(", ")), None);
            }
            facts
        }
        Error::OnlyLog { thread_id } => {
            Facts::failed("thread-without-branch").hint_with(hints::ONLY_LOG, &[("id", thread_id)])
        }
        Error::AmbiguousProvider { providers, .. } => {
            let one = providers.first().map(ToString::to_string).unwrap_or_default();
            Facts::failed("ambiguous-provider").hint_with(hints::PROVIDER_AMONG, &[("id", &one)])
        }
        Error::NotAProvider { .. } => Facts::invalid("not-a-provider").hint(hints::PROVIDER),
        Error::UnknownProvider { name, known } => {
            let (name, known): (_, Vec<&str>) = (name.as_str(), known.iter().map(ItemId::as_str).collect());
            let facts = Facts::failed("unknown-provider");
            match nearest(name, known) {
                Some(near) => facts.hint_with(hints::PROVIDER_MEANT, &[("id", &near)]),
                None => facts.hint(hints::PROVIDER),
            }
        }
        Error::NoModel { provider, .. } => {
            Facts::failed("no-model").hint_with(hints::PROVIDER_NAME_MODEL, &[("id", provider)])
        }
        Error::NoPrice { model, provider, known } if provider.is_reserved() && !known.is_empty() => {
            let facts = meant(Facts::failed("no-price"), hints::MODELS, model, known);
            facts.hint_with(hints::PRICE, &price(&quoted(model), Some(provider)))
        }
        Error::NoPrice { provider, model, .. } => {
            Facts::failed("no-price").hint_with(hints::PRICE, &price(&quoted(model), Some(provider)))
        }
        Error::PriceOfWhom { providers, .. } => Facts::invalid("no-provider").hint_with(
            hints::PRICE_AMONG,
            &[("detail", &providers.iter().map(ItemId::as_str).collect::<Vec<_>>().join(", "))],
        ),
        Error::SetUpNotAgreed { .. } => Facts::new(Exit::Refused, "set-up-not-agreed").hint(hints::SET_UP_AGREE),
        Error::SetUpFailed { .. } => Facts::failed("set-up-failed").hint(hints::SET_UP),
        Error::SetUpChanged { thread_id } => {
            Facts::failed("set-up-changed").hint_with(hints::RERUN, &[("id", thread_id)])
        }
        Error::ShareMissing { path } => {
            Facts::invalid("share-missing").hint_with(hints::SHARE_MISSING, &[("path", &quoted(path.as_str()))])
        }
        Error::ShareNotWritten { .. } => Facts::failed("share-not-written"),
        Error::PriceNotWritten { .. } => Facts::failed("price-not-written"),
        Error::Endpoint { variable: Some(name), .. } => {
            Facts::invalid("endpoint").hint_with(hints::ENDPOINT_VARIABLE, &[("name", name)])
        }
        Error::Endpoint { variable: None, .. } => Facts::invalid("endpoint").hint(hints::ENDPOINT),
        Error::NoSecret { secret, path, .. } => {
            Facts::failed("no-secret").hint_with(hints::SECRET, &[("name", secret), ("path", &path.display())])
        }
        Error::NotSetUp { .. } => Facts::failed("no-secret").hint(hints::SECRETS),
        Error::NothingToCheck { .. } => Facts::failed("no-secret").hint(hints::SECRETS_TO_CHECK),
        Error::Unbound { secret, provider, host, config } => {
            let values: [(&str, &dyn std::fmt::Display); 4] =
                [("name", secret), ("host", host), ("id", provider), ("path", &config.display())];
            Facts::new(Exit::Denied, "secret-not-bound").hint_with(hints::BIND, &values)
        }
        Error::Currency { source, config } => {
            let pair = format!("{}/{}", source.one.currency(), source.other.currency());
            let path = config.as_ref().map_or("~/.config/rye/config.toml".into(), |path| path.to_string_lossy());
            let values: [(&str, &dyn std::fmt::Display); 4] =
                [("name", &pair), ("path", &path), ("host", &source.other.currency()), ("id", &source.one.currency())];
            Facts::invalid("currency").hint_with(hints::RATES, &values).hint(hints::NARROW)
        }
        Error::Plugin { source, .. } => Facts { exit: Exit::Provider, ..plugin::asked(source) },
        Error::Script(_) => Facts::invalid("script-unreadable").hint(hints::SCRIPT),
        Error::ScriptUnused { .. } => Facts::invalid("script-unused").hint(hints::SCRIPTED),
        Error::Token(TokenError::Revoked { .. }) => Facts::failed("revoked-agent").hint(hints::AGENT_REPLACE),
        Error::Token(_) => Facts::failed("token").hint(hints::RETRY),
        Error::Log { path, source } => {
            let facts = Facts::failed("thread-log");
            match source.kind() {
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => facts.hint(hints::DISK),
                ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                    let there = path.ancestors().find(|path| path.exists()).unwrap_or(path);
                    facts.hint_with(hints::MAKE_WRITABLE, &[("path", &shell(there))])
                }
                _ => facts.hint_with(hints::WRITABLE, &[("path", &path.display())]),
            }
        }
        Error::LogUnreadable { path, .. } => {
            Facts::failed("thread-log").hint_with(hints::LOOK_AT_FILE, &[("path", &shell(path))])
        }
        Error::Git(error) => git::facts(error),
        Error::Workspace(error) => workspace::facts(error),
        Error::Record { .. } => Facts::failed("thread-record").hint(hints::FSCK),
        Error::NoSetup { thread_id } => Facts::failed("not-replayable").hint_with(hints::RERUN, &[("id", thread_id)]),
        Error::SetupFormat { .. } => Facts::failed("not-replayable").hint(hints::UPDATE),
        Error::Setup { .. } => Facts::failed("thread-record").hint(hints::FSCK),
        Error::NoTurn { thread_id, .. } => {
            Facts::invalid("no-turn").hint_with(hints::THREAD_SHOW, &[("id", thread_id)])
        }
        Error::NoStepLeft { thread_id, .. } => Facts::invalid("no-step")
            .hint_with(hints::FORK_EARLIER, &[("id", thread_id)])
            .hint_with(hints::RERUN, &[("id", thread_id)]),
        Error::NoTurns { thread_id } => Facts::failed("no-turn").hint_with(hints::RERUN, &[("id", thread_id)]),
        Error::Commit { source, thread, .. } => {
            let facts = Facts::new(Exit::Refused, source.verdict().as_str()).without_causes();
            let facts = match source {
                CommitFault::NotForTurns { .. } => facts.hint(hints::TURNS_USE),
                _ => facts.hint_with(hints::REPLAY, &[("id", thread)]),
            };
            Facts { rule: Some(source.rule()), ..facts }
        }
        Error::NotOwn { fault, thread, .. } => {
            let facts = Facts::new(Exit::Refused, fault.verdict().as_str());
            Facts { rule: Some(fault.rule()), ..facts.hint_with(hints::RERUN, &[("id", thread)]) }
        }
        Error::OnlyFetched { thread, branch: None } => {
            Facts::failed("only-fetched").hint_with(hints::FETCHED, &[("id", thread)])
        }
        Error::OnlyFetched { branch: Some([name, path]), .. } => {
            Facts::failed("only-fetched").hint_with(hints::FETCHED_OWN, &[("name", name), ("path", path)])
        }
        Error::NotHere { .. } => Facts::failed("only-fetched").hint(hints::OWN_THREADS),
        Error::NotFetched { name, remote } if remote.is_empty() || name.is_empty() => {
            Facts::failed("unknown-thread").hint(hints::FETCH)
        }
        Error::NotFetched { name, remote } => Facts::failed("unknown-thread")
            .hint_with(hints::FETCH_ONE, &[("path", &quoted(remote)), ("id", &quoted(name))]),
        Error::NotAtRemote { .. } => Facts::failed("unknown-thread").hint(hints::FETCH),
        Error::Derived { thread_id, .. } => {
            Facts::failed("thread-record").hint_with(hints::REPLAY, &[("id", thread_id)])
        }
        Error::DirectiveChanged { thread_id, .. } => {
            Facts::failed("directive-changed").hint_with(hints::RERUN, &[("id", thread_id)])
        }
        Error::Encode(_) => Facts::failed("thread-encoding").hint(hints::BUG),
        Error::Unknown { suggestion, .. } => unknown(suggestion.as_ref()).hint(hints::THREADS),
        Error::UnknownHere { name, suggestion, remote } => {
            let values: [(&str, &dyn std::fmt::Display); 2] = [("path", &quoted(remote)), ("id", &quoted(name))];
            unknown(suggestion.as_ref()).hint_with(hints::FETCH_ONE, &values).hint(hints::THREADS)
        }
        Error::NoThreads => Facts::failed("no-threads").hint(hints::FIRST_THREAD),
        Error::Ambiguous { .. } => Facts::failed("ambiguous-thread").hint(hints::THREADS),
        Error::Running { .. } => Facts::failed("thread-running").hint(hints::STOP_THREAD),
        Error::AcceptCutShort { thread_id } => {
            Facts::failed("accept-cut-short").hint_with(hints::ACCEPT_AGAIN, &[("id", thread_id)])
        }
        Error::Held { .. } => Facts::failed("thread-running").hint(hints::STOP_THREAD),
        Error::Resume(error) => resume(error),
        Error::InPlace { .. } => Facts::failed("in-place").hint(hints::STOP_THREAD),
        Error::Unborn => Facts::failed("unborn"),
        Error::Process(error) => process::facts(error),
        Error::NoRemote { .. } => Facts::failed("no-remote").hint(hints::REMOTES),
        Error::Leaks(leaks) => super::leaks::facts(leaks),
        Error::PushRefused { .. } => Facts::failed("push-refused"),
        Error::Keys(error) => keys::facts(error),
        Error::Late => Facts::new(Exit::Stopped, "limit"),
        Error::Tree { .. } => Facts::failed("thread-tree").hint(hints::DISK),
        Error::Context(error) => context::facts(error),
    }
}

fn unknown(suggestion: Option<&ThreadId>) -> Facts {
    let facts = Facts::failed("unknown-thread");
    match suggestion {
        Some(id) => facts.hint_with(hints::MEANT, &[("id", id)]),
        None => facts,
    }
}

/// Fills in what is known of a command that prices a model; its person knows the price.
fn price<'a>(model: &'a dyn Display, provider: Option<&'a ItemId>) -> Vec<(&'a str, &'a dyn Display)> {
    let known: [(&str, &dyn Display); 3] = [("name", model), ("input", &"X"), ("output", &"Y")];
    let provider = provider.map(|id| ("id", id as &dyn Display));
    known.into_iter().chain(provider).collect()
}

/// Names the model that is meant, or those that there are.
fn meant(facts: Facts, all: hints::Hint, model: &str, known: &[String]) -> Facts {
    match nearest(model, known.iter().map(String::as_str)) {
        Some(near) => facts.hint_with(hints::MODEL_MEANT, &[("name", &near)]),
        None => facts.hint_with(all, &[("detail", &known.join(", "))]),
    }
}

fn resume(error: &ResumeError) -> Facts {
    match error {
        ResumeError::Completed { thread_id } => {
            Facts::failed("not-resumable").hint_with(hints::FORK_INSTEAD, &[("id", thread_id)])
        }
        ResumeError::NotResumable { thread_id, .. } => {
            Facts::failed("not-resumable").hint_with(hints::FORK_INSTEAD, &[("id", thread_id)])
        }
        ResumeError::LimitStands { thread_id, limit, most, .. } => {
            let facts = Facts::new(Exit::Stopped, "limit");
            match most {
                Some(most) => {
                    // As the flag takes an amount of money: without a blank before the currency.
                    let most = most.replace(' ', "");
                    facts.hint_with(hints::RAISE, &[("id", thread_id), ("limit", limit), ("most", &most)])
                }
                None => facts.hint_with(hints::RAISE_DIRECTIVE, &[("id", thread_id), ("limit", limit)]),
            }
        }
        ResumeError::NoScript { thread_id } => {
            Facts::invalid("no-script").hint_with(hints::RESUME_SCRIPT, &[("id", thread_id)])
        }
        ResumeError::Declined => Facts::new(Exit::Stopped, "declined"),
        ResumeError::Unfinished { thread_id, .. } => {
            Facts::new(Exit::Refused, "unfinished-call").hint_with(hints::UNFINISHED, &[("id", thread_id)])
        }
        ResumeError::Journal { thread_id, .. } => {
            Facts::new(Exit::Refused, "untrusted").hint_with(hints::FORK_INSTEAD, &[("id", thread_id)])
        }
    }
}
