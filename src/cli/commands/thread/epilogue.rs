//! Work and output after a thread has ended, and the notes of a list of threads.

use crate::cli::output::Output;
use crate::cli::text;
use crate::context::AgentClient;
use crate::error::with_causes;
use crate::ops::hook;
use crate::process::Answer;
use crate::session::Session;
use crate::thread::{self, NotShared, Outcome, SharedFolder, Status, TreeSetUp};

/// Puts old threads away, and says once in a repository that nothing stops threads from being pushed. The thread's own outcome does
/// not depend on it.
pub(super) fn finish(output: &mut Output, session: &Session) {
    match thread::tidy(session) {
        Ok(tidied) if tidied.archived > 0 => {
            let counted = text::count(tidied.archived, "finished thread");
            let it = if tidied.archived == 1 { "it" } else { "them" };
            output.note(&format!("moved {counted} to the archive; `rye thread list --archived` shows {it}"));
        }
        Ok(_) => {}
        Err(error) => output.warn(&format!("old threads stay where they are: {}", with_causes(&error))),
    }
    match hook::is_to_be_told(session.project()) {
        Ok(true) => output.note(
            "this repository has a remote, and nothing stops threads from being pushed to it; run `rye hook install`",
        ),
        Ok(false) => {}
        // Without git there is no push.
        Err(error) if output.is_verbose() => output.warn(&with_causes(&error)),
        Err(_) => {}
    }
}

/// Shows the whole command that a project has run in the trees of its threads, with what it may do, and asks. `--yes` answers what it
/// shows, but not where an agent client may have given it.
pub(super) fn agrees_to_set_up(output: &mut Output, client: Option<AgentClient>, set_up: &TreeSetUp) -> bool {
    let digest = set_up.digest();
    let what = format!("the project has a command run in the trees of its threads: {set_up} (digest {digest})");
    let question = format!("{what}; run it, now and whenever what it reads changes?");
    let answer = match (client, output.is_agreed()) {
        (Some(_), _) => output.agrees_now(&question),
        (None, true) => {
            output.note(&what);
            Answer::Yes
        }
        (None, false) => output.agrees(&question),
    };
    answer == Answer::Yes
}

/// Says how much of a folder a thread's tree got, or why not.
pub(super) fn tell_of_shared(output: &mut Output, folder: &SharedFolder) {
    let path = &folder.path;
    match &folder.copied {
        Ok(copied) if copied.bytes == 0 => {
            output.note(&format!("the thread has a copy of `{path}` ({}, shared on disk)", size(copied.reflinked)));
        }
        Ok(copied) => output.note(&format!("the thread has a copy of `{path}` ({})", size(copied.bytes))),
        Err(NotShared::NoFolder) => {
            output.warn(&format!("`{path}` is in `threads.share` but is not a folder: nothing is copied"));
        }
        Err(NotShared::InTree) => {
            output.warn(&format!(
                "`{path}` is in `threads.share` and git tracks files in it: the thread has those, and no copy"
            ));
        }
        Err(NotShared::NotIgnored) => {
            output.warn(&format!("`{path}` is in `threads.share` and git does not ignore it: it is not copied"));
        }
        Err(NotShared::Cancelled) => {}
        Err(NotShared::Failed(error)) => output.warn(&format!("`{path}` is not copied: {}", with_causes(error))),
    }
}

/// Writes a number of bytes as people read it.
fn size(bytes: u64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let steps = (1..units.len()).take_while(|step| bytes >> (10 * step) > 0).count();
    if steps == 0 { format!("{bytes} bytes") } else { format!("{} {}", bytes >> (10 * steps), units[steps]) }
}

/// Says how interrupted threads go on or are removed, if there are any.
pub(super) fn tell_of_interrupted(output: &mut Output, threads: &[Outcome]) {
    let interrupted: Vec<&Outcome> = threads.iter().filter(|thread| thread.status == Status::Interrupted).collect();
    if let Some(last) = interrupted.first() {
        let counted = text::count(interrupted.len(), "interrupted thread");
        let thread_id = &last.thread_id;
        output.note(&format!(
            "{counted}; `rye thread resume {thread_id}` goes on, `rye thread rm --status interrupted` removes them"
        ));
    }
}
