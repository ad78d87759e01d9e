//! Sharing threads on purpose: the person's own git pushes their branches.
//!
//! All of them arrive or none. The `pre-push` hook lets exactly these pass, by a file that counts while this push runs; the person's other
//! hooks run as for any push.

use serde::Serialize;

use crate::git::{Git, PushStatus, Terminal};
use crate::hook::Announcement;
use crate::id::ThreadId;
use crate::process::{self, find_program};
use crate::redact::Cleared;
use crate::session::Session;
use crate::thread::error::Error;
use crate::thread::record::{Outcome, Status, branch, state};

/// What a push would make public.
#[derive(Debug)]
pub struct Push {
    /// Where it goes.
    pub remote: String,
    /// The threads.
    pub threads: Vec<Shared>,
    cleared: Cleared,
}

/// A thread that would be public.
#[derive(Debug)]
pub struct Shared {
    /// The thread.
    pub thread: Outcome,
    /// How many commits it has.
    pub commits: usize,
    /// How many commits of the person's go along: its base builds on them, and the remote does not have them.
    pub others: usize,
}

/// The pushed threads.
#[derive(Debug, Serialize)]
pub struct Pushed {
    /// The remote.
    pub remote: String,
    /// The threads, each with its branch there.
    pub threads: Vec<PushedThread>,
}

/// A thread at a remote.
#[derive(Debug, Serialize)]
pub struct PushedThread {
    /// The thread.
    pub thread_id: ThreadId,
    /// The full name of its branch there.
    pub branch: String,
}

/// Finds what a push of some threads would make public, beyond what the remote answers that it has. `allowed` are the secrets that may
/// be among it, each by the name that the refusal gives it.
///
/// # Errors
///
/// Fails when the remote or thread is unknown, when a thread is running, on secrets that nothing lets through, and when git cannot be
/// run.
pub fn pushable(
    session: &Session,
    remote: &str,
    threads: &[ThreadId],
    allowed: &[String],
    terminal: Terminal,
) -> Result<Push, Error> {
    let repository = session.project().require_repository()?;
    if !repository.remotes().iter().any(|known| known.name == remote) {
        return Err(Error::NoRemote { name: remote.to_owned() });
    }
    let git = git(session)?;
    let mut shared = Vec::new();
    let asking = git.clone().with_terminal(terminal).waited_for_by(process::wait_for_an_answer);
    let there = asking.ids_behind(remote)?;
    let mut inspector = session.context().inspector(allowed)?;
    for thread_id in threads {
        let thread = state::show(session, thread_id)?;
        if thread.status == Status::Running {
            return Err(Error::Running { thread_id: thread_id.clone() });
        }
        let tip = thread.commit_id.as_str();
        let (commits, others) = match &thread.base {
            Some(base) => {
                let base = base.clone();
                (git.count_commits(&[tip, &format!("^{base}")])?, git.count_sent(&[base], &there)?)
            }
            None => (git.count_commits(&[tip])?, 0),
        };
        repository.inspect_commits(&mut inspector, &git, std::slice::from_ref(&thread.commit_id), &there)?;
        shared.push(Shared { thread, commits, others });
    }
    Ok(Push { remote: remote.to_owned(), threads: shared, cleared: inspector.finish()? })
}

/// Pushes what [`pushable`] found.
///
/// # Errors
///
/// Fails when git cannot be run, when the remote cannot be reached, and when it refuses.
pub fn push(session: &Session, push: &Push, terminal: Terminal) -> Result<Pushed, Error> {
    let prefix = &session.context().config().threads.prefix;
    let mut pushed = Pushed { remote: push.remote.clone(), threads: Vec::new() };
    let (mut refspecs, mut refs) = (Vec::new(), Vec::new());
    for Shared { thread, .. } in &push.threads {
        let branch = branch::name(prefix, &thread.thread_id);
        refspecs.push(format!("{}:{branch}", thread.branch));
        refs.push([thread.branch.clone(), thread.commit_id.to_string(), branch.clone()]);
        pushed.threads.push(PushedThread { thread_id: thread.thread_id.clone(), branch });
    }
    let repository = session.project().require_repository()?;
    let announced = Announcement::new(&repository, &push.remote, refs, push.cleared.passed())?;
    let git = announced.told_to(git(session)?.with_terminal(terminal));
    let refspecs: Vec<&str> = refspecs.iter().map(String::as_str).collect();
    for answer in git.push(&push.remote, &refspecs, &push.cleared)? {
        if let PushStatus::Rejected { reason } = answer.status {
            return Err(Error::PushRefused { remote: push.remote.clone(), reason });
        }
    }
    Ok(pushed)
}

/// Returns the person's git, told of signals.
pub(super) fn git(session: &Session) -> Result<Git, Error> {
    let ctx = session.context();
    let repository = session.project().require_repository()?;
    let program = find_program("git", ctx.variable("PATH").unwrap_or_default(), repository.work_dir().as_slice())?;
    Ok(Git::new(&program, &repository, &ctx.environment_for_git()).waited_for_by(process::wait_passing_on))
}
