//! Where a person agrees to acts in their name: only on the terminal itself.
//!
//! An agent client's command asks, with any flags. Which commands are, is in `authority.rs`.

use super::error::{Error, Question, Refusal};
use super::output::Output;
use super::text::{self, Page};
use crate::context::{AgentClient, CommitSigning, Context};
use crate::item::PersonGrant;
use crate::ops::sign::{self, AgentFilesDraft, Pending, Plan, Replaced};
use crate::process::{self, Answer, CancelFlag};

/// Signed data other than items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signs {
    /// Nothing.
    Items,
    /// The commit. `--yes` answers for it.
    Commit,
}

/// Asks about what a commit would sign, where that is to be asked.
///
/// # Errors
///
/// Fails unless the person agrees.
pub(super) fn to_sign(ctx: &Context, output: &Output, plan: &Plan, signs: Signs) -> Result<(), Error> {
    let client = ctx.agent_client();
    let signing = if client.is_some() { CommitSigning::Ask } else { ctx.config().commit.sign };
    let pending = plan.pending(signing);
    let is_answered = match (client, signs) {
        (Some(_), Signs::Commit) => false,
        (Some(_), Signs::Items) => pending.is_empty(),
        (None, Signs::Commit) => pending.is_empty() || output.is_agreed(),
        (None, Signs::Items) => pending.is_empty(),
    };
    let what = match pending.len() {
        0 => "sign the commit as yours".to_owned(),
        many => format!("sign {} as yours", text::count(many, "item")),
    };
    if !is_answered {
        let answer = agreed(output, client, |page| text::commit::write_pending(page, &pending), &what)?;
        let listed = pending.clone();
        Refusal::unless(answer, || match signs {
            Signs::Commit => Question::Commit { pending: listed },
            Signs::Items => Question::Staged { pending: listed },
        })?;
    }
    if !pending.is_empty() {
        // If it cannot be noted that there was a review, there is another one next time.
        drop(sign::begin_written(ctx));
    }
    Ok(())
}

/// Asks about items that `sign` would sign, where that is to be asked.
///
/// # Errors
///
/// Fails unless the person agrees.
pub(super) fn to_replace(ctx: &Context, output: &Output, pending: &[Pending], words: String) -> Result<(), Error> {
    let client = ctx.agent_client();
    if client.is_none() && (pending.is_empty() || output.is_agreed()) {
        return Ok(());
    }
    let what = match client {
        Some(_) => words,
        None => format!("sign {} as yours", text::count(pending.len(), "item")),
    };
    let answer = agreed(output, client, |page| text::commit::write_pending(page, pending), &what)?;
    Ok(Refusal::unless(answer, || Question::Sign { pending: pending.to_vec() })?)
}

/// Shows what changed in the files that instruct agents, and asks where the list of another one is replaced.
///
/// # Errors
///
/// Fails unless the person agrees.
pub(super) fn to_sign_agent_files(
    ctx: &Context,
    output: &mut Output,
    draft: &AgentFilesDraft<'_>,
) -> Result<(), Error> {
    let client = ctx.agent_client();
    let outcome = draft.outcome();
    if client.is_none() && (draft.replaces().is_none() || output.is_agreed()) {
        output.status(|page| text::sign::write_agent_changes(page, outcome));
        return Ok(());
    }
    let instead = match draft.replaces() {
        Some(Replaced::OfAnother(who)) => format!(", in the place of the list that {who} signed"),
        Some(Replaced::OfAgent) => ", in the place of the list that an agent signed".to_owned(),
        None => String::new(),
    };
    let what = format!("sign the list of {} as yours{instead}", text::count(outcome.files, "agent file"));
    let answer = agreed(output, client, |page| text::sign::write_agent_changes(page, outcome), &what)?;
    Ok(Refusal::unless(answer, || Question::AgentFiles)?)
}

/// Asks about an act in the person's name, where an agent client started the program. A tool's process cannot ask: there no such act is
/// done.
///
/// # Errors
///
/// Fails without agreement.
pub(super) fn in_person(ctx: &Context, output: &Output, what: &str) -> Result<(), Error> {
    if ctx.is_in_tool() {
        return Err(Error::InTool { what: what.to_owned() });
    }
    match ctx.agent_client() {
        Some(client) => {
            let answer = agreed(output, Some(client), |_| {}, what)?;
            Ok(Refusal::unless(answer, || Question::Authority)?)
        }
        None => Ok(()),
    }
}

/// Asks before a thread begins again with the permissions that its person gave by flags.
///
/// # Errors
///
/// Fails without agreement.
pub(super) fn to_grant(ctx: &Context, output: &Output, granted: Option<&PersonGrant>) -> Result<(), Error> {
    match granted.filter(|granted| granted.widens()) {
        Some(granted) => in_person(ctx, output, &format!("start a task that may {granted}")),
        None => Ok(()),
    }
}

/// Shows the planned act on the terminal, and asks. Anything but a yes is a no.
///
/// # Errors
///
/// Fails when an agent client started the program, and there is no terminal: then the model is not told what the person could run.
pub(super) fn agreed(
    output: &Output,
    client: Option<AgentClient>,
    shown: impl FnOnce(&mut Page<'_>),
    what: &str,
) -> Result<Answer, Error> {
    process::install(&CancelFlag::new())?;
    let mut page = output.terminal_page();
    shown(&mut page);
    if let Some(AgentClient { variable, name }) = client {
        page.line(format!("`{variable}` is set: {name} may have started this."));
    }
    let question = format!("{}{}?", page.into_text(), text::exact(what));
    match (output.ask(&question), client) {
        (Answer::NoTerminal, Some(client)) => Err(Error::AgentClient { client, what: what.to_owned() }),
        (answer, _) => Ok(answer),
    }
}
