//! What is told while a thread runs, and when it ended.

use std::time::Duration;

use super::{tell_of_new_keys, thread_after, warn_of_findings};
use crate::capability::Capability;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::text;
use crate::event::Event;
use crate::id::ItemType;
use crate::ops::locate::Session;
use crate::process::CancelFlag;
use crate::thread::{Observer, Outcome, SharedFolder, Status};

/// Tells each event as it comes.
pub(super) struct Progress<'a> {
    pub(super) output: &'a mut Output,
    pub(super) cancel: &'a CancelFlag,
}

impl Observer for Progress<'_> {
    fn event(&mut self, event: &Event) {
        self.output.progress(|page| text::thread::write_event(page, event));
    }

    fn again(&mut self, why: &str, wait: Duration) {
        self.output.note(&format!("{why}; it is asked again in {:.1} s", wait.as_secs_f32()));
    }

    fn redirected(&mut self, variable: &str, host: &str) {
        self.output.note(&format!("`{variable}` has the model asked at `{host}`"));
    }

    fn left_out(&mut self, paths: usize) {
        if paths > 0 {
            let counted = text::count(paths, "uncommitted file");
            self.output.note(&format!(
                "the thread works on the last commit, without your {counted}; `--with-changes` takes them along"
            ));
        }
    }

    fn shared(&mut self, folder: &SharedFolder) {
        thread_after::tell_of_shared(self.output, folder);
    }

    fn agrees(&mut self, call: &str, pattern: &Capability) -> bool {
        let question = format!("the thread wants to {call}, which `permissions.ask` covers with `{pattern}`; let it?");
        self.output.agrees(&question, self.cancel)
    }
}

/// Tells how a thread ended that was run.
pub(super) fn tell(output: &mut Output, session: &Session, outcome: &Outcome) -> Result<Exit, Error> {
    tell_of_new_keys(output, &outcome.keys_created);
    warn_of_findings(output, ItemType::Directive, &outcome.directive, &outcome.warnings);
    if outcome.identity_is_fallback {
        output.note(
            "git knows no identity here, so the commits name `rye <rye@localhost>`; set `user.name` and `user.email`",
        );
    }
    output.gap();
    output.outcome(outcome, |page| text::thread::write(page, outcome))?;
    thread_after::finish(output, session);
    Ok(exit(outcome))
}

fn exit(outcome: &Outcome) -> Exit {
    let code = outcome.error.as_ref().map_or("", |fault| fault.code.as_str());
    match (outcome.status, code) {
        (Status::Completed | Status::Running, _) => Exit::Done,
        (Status::Cancelled, _) | (Status::Error, "limit" | "loop") => Exit::Stopped,
        (Status::Error, code) if code.starts_with("provider") => Exit::Provider,
        (Status::Error | Status::Interrupted, _) => Exit::Failed,
    }
}
