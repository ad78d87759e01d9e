//! Running the directive of a thread again, with the recorded inputs.

use crate::id::ThreadName;
use crate::item::PersonGrant;
use crate::permissions::Caller;
use crate::session::Session;
use crate::thread::error::Error;
use crate::thread::record::{History, Verb, state};
use crate::thread::replay::judge;
use crate::thread::run::RunOptions;

/// Completes options from the record of a thread: directive, inputs, provider and model, and what its caller allowed.
/// Provider, model and permissions that are given stay as they are.
///
/// # Errors
///
/// Fails when the thread is unknown, when a commit of it does not count, and when its record cannot be read.
pub fn rerun_options(session: &Session, thread: impl Into<ThreadName>, given: RunOptions) -> Result<RunOptions, Error> {
    let name = thread.into();
    let repository = session.project().require_repository()?;
    let history = [History::read(session, &name)?];
    if let Some(bad) = judge(session, &history, Verb::Rerun).into_iter().next() {
        return Err(Error::of_commit(&name, bad.commit_id, bad.fault));
    }
    let granted = history[0].granted().cloned();
    // Flags are the word of the person who ran the thread: another person's agent cannot pass them on.
    let is_own = name.remote.is_none() && judge(session, &history, Verb::Fork).is_empty();
    if granted.as_ref().is_some_and(PersonGrant::widens) && !is_own {
        return Err(Error::GrantedByAnother { thread: name });
    }
    let [History { outcome: thread, .. }] = history;
    let thread_id = &name.thread_id;
    let unknown = || Error::Unknown { name: thread_id.to_string(), suggestion: None };
    let record = state::record_at(&repository, &thread.commit_id, thread_id)?.ok_or_else(unknown)?;
    let is_open = given.provider.is_none() && given.model.is_none();
    Ok(RunOptions {
        directive: record.directive.id,
        given: record.inputs.into(),
        provider: if is_open { Some(record.provider) } else { given.provider },
        model: if is_open { Some(record.model) } else { given.model },
        caller: match given.caller {
            Some(caller) => Some(caller),
            None => state::tokens_at(&repository, &thread.commit_id, thread_id)?.iter().find_map(Caller::of_token),
        },
        granted,
        rerun_of: Some(thread_id.clone()),
        words_of: record.base,
        ..given
    })
}
