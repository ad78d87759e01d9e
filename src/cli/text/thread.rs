//! Threads: what happens while one runs, how it ended, and how stock git looks at it.

use serde_json::{Map, Value};

use super::calls::{OpenCalls, shortened, write_result};
use super::{Cell, Page, Paint, Table, clean, count, name, one_line, quoted, tool_name};
use crate::event::{CallStatus, Event, EventData, SkippedPath, Stood, Then, UnfinishedCall};
use crate::format::event_text::{cleared, maybe_billed, turns};
use crate::git::CommitId;
use crate::id::{ThreadId, ThreadName};
use crate::thread::review::Next;
use crate::thread::{Ending, Outcome, ShareOutcome};

/// Writes what threads share from now on, and where that is written.
pub(in crate::cli) fn write_share(page: &mut Page<'_>, outcome: &ShareOutcome) {
    let path = page.path(&outcome.path);
    let wrote = if outcome.changed { "wrote to" } else { "nothing to change in" };
    let shared = if outcome.shared.is_empty() { "nothing".to_owned() } else { outcome.shared.join(", ") };
    page.line(format!("{wrote} {path}: threads share {shared}"));
}

/// Writes an event, if it is worth telling; a result with its call, if that was one of several.
pub(in crate::cli) fn write_event_among(page: &mut Page<'_>, event: &Event, calls: &mut OpenCalls) {
    match (calls.take(event), &event.what) {
        (Some(call), EventData::ToolCallResult { status, output, .. }) => {
            write_result(page, Some(&call), *status, output);
        }
        _ => write_event(page, event),
    }
}

/// Writes an event, if it is worth telling.
pub(in crate::cli) fn write_event(page: &mut Page<'_>, event: &Event) {
    let paint = page.paint();
    match &event.what {
        EventData::ThreadStart { .. } => {
            page.line(format!("{} {}", paint.dim("thread"), paint.bold(&event.thread_id)));
        }
        EventData::ThreadForked { thread_id, turn, .. } => {
            page.line(format!("{} {}", paint.dim("thread"), paint.bold(&event.thread_id)));
            page.line(format!("  {} {thread_id} after turn {turn}", paint.cyan("continues")));
        }
        EventData::ThreadResumed { after, turn, unfinished, unanswered, .. } => {
            page.line(format!("{} {}", paint.dim("thread"), paint.bold(&event.thread_id)));
            write_resumed(page, *after, *turn, unfinished, *unanswered);
        }
        EventData::StepStart { turn } => page.line(paint.blue(format!("turn {turn}"))),
        EventData::AssistantText { text } if !text.trim().is_empty() => page.line(format!("  {}", shortened(text))),
        EventData::ToolCallStart { tool, item_id, input, .. } => {
            let name = item_id.as_ref().map_or_else(|| tool_name(tool), ToString::to_string);
            page.line(format!("  {} {} {}", paint.cyan("call"), name, paint.dim(shortened(&input.to_string()))));
        }
        EventData::ToolCallResult { status, output, .. } => write_result(page, None, *status, output),
        EventData::PermissionAsked { agreed: true, pattern, .. } => {
            page.line(format!("    {} as `permissions.ask` has `{}`", paint.green("agreed"), one_line(pattern)));
        }
        EventData::PermissionDenied { message, .. } => {
            page.line(format!("    {} {}", paint.yellow("denied"), one_line(message)));
        }
        EventData::ContextInjected { position, item_id, .. } => {
            page.line(format!("  {} {item_id} {}", paint.cyan("context"), paint.dim(position.as_str())));
        }
        EventData::ProjectFile { path, told, reason, .. } => {
            let reason = reason.as_deref().map(|reason| format!(": {}", one_line(reason))).unwrap_or_default();
            let told = paint.dim(format!("{}{reason}", told.as_str()));
            page.line(format!("  {} {} {told}", paint.cyan("project"), one_line(path)));
        }
        EventData::HookTriggered { hook, event, call, status, result, .. } => {
            page.line(format!("  {} {hook} at {event}: {}", paint.cyan("hook"), one_line(call)));
            write_result(page, None, *status, result);
        }
        EventData::ChangesTaken { paths } => {
            let named = paths.iter().map(|path| name(path)).collect::<Vec<_>>().join(", ");
            page.line(format!("  {} {}", paint.cyan("with your changes"), shortened(&named)));
        }
        EventData::Deviation { kind, message } => {
            let line = format!("  {} {}: {}", paint.yellow("deviation"), one_line(kind), one_line(message));
            page.line(line);
        }
        EventData::PathsSkipped { paths } => {
            for SkippedPath { path, reason } in paths {
                page.line(format!("  {} {} {}", paint.yellow("not committed"), name(path), paint.dim(reason)));
            }
        }
        EventData::StepFinish { usage, spend, .. } if usage.total() > 0 => {
            page.line(paint.dim(format!("  {} tokens, {spend}", usage.total())));
        }
        EventData::AttemptsFailed { usage, spend } => {
            page.line(paint.dim(format!("  {} tokens of failed attempts, {spend}", usage.total())));
        }
        EventData::RequestsUnanswered { count } => {
            if let Some(told) = maybe_billed(*count) {
                page.line(paint.dim(format!("  {told}")));
            }
        }
        EventData::LimitPassed { limit, value, by } => {
            page.line(format!("  {} {limit} of {value} is passed by {by}", paint.yellow("limit:")));
        }
        EventData::Retry { reason, without, .. } if !without.is_empty() => {
            let (reason, without) = (one_line(reason), one_line(&without.join(", ")));
            page.line(format!("  {} {reason}; asked without {without} from here on", paint.yellow("retry")));
        }
        EventData::Retry { reason, wait_ms, .. } => {
            let (reason, wait) = (one_line(reason), seconds(*wait_ms));
            page.line(format!("  {} {reason}; retrying in {wait}", paint.yellow("retry")));
        }
        EventData::Fallback { provider, model, reason, .. } => {
            let reason = one_line(reason);
            page.line(format!("  {} {reason}; `{}` of {provider} answers", paint.yellow("fallback"), one_line(model)));
        }
        EventData::ResultsCleared { results } => {
            page.line(format!("  {} {}", paint.yellow("left out"), cleared(results)));
        }
        EventData::ContextRefused { message } => {
            page.line(format!("  {} {}; asking with a shorter one", paint.yellow("too long"), one_line(message)));
        }
        EventData::ContinuationStart { item_id, status, .. } => {
            let note = if *status == CallStatus::Ok { "" } else { ": not taken in" };
            page.line(format!("  {} {item_id}{note}", paint.yellow("continues with")));
        }
        EventData::SummaryStart { turns: of } => {
            page.line(format!("  {} {} for the model's context", paint.yellow("summarising"), turns(*of)));
        }
        EventData::Summary { turns: of, usage, spend, .. } => {
            let used = paint.dim(format!("{} tokens, {spend}", usage.total()));
            page.line(format!("  {} {} {used}", paint.yellow("summarised"), turns(*of)));
        }
        EventData::AnswerDeclined { reason } => {
            page.line(format!("  {} {}", paint.yellow("declined"), one_line(reason)));
        }
        EventData::LimitReached { limit, value } => {
            page.line(format!("{} {limit} of {value} is reached", paint.red("limit:")));
        }
        // The end is told by the outcome, a disagreement by the refusal; the rest speaks to the model.
        EventData::AssistantText { .. }
        | EventData::PermissionAsked { agreed: false, .. }
        | EventData::InputCounted { .. }
        | EventData::StepFinish { .. }
        | EventData::AssistantReasoning { .. }
        | EventData::UserMessage { .. }
        | EventData::DirectiveReturn { .. }
        | EventData::ThreadCancelled { .. }
        | EventData::ThreadComplete { .. }
        | EventData::ThreadError { .. } => {}
    }
}

/// Tells a time in seconds.
pub(in crate::cli) fn seconds(milliseconds: u64) -> String {
    format!("{}.{} s", milliseconds / 1000, milliseconds % 1000 / 100)
}

/// Writes that a thread was taken up again, and what became of its unfinished calls.
pub(super) fn write_resumed(
    page: &mut Page<'_>,
    after: Stood,
    turn: u32,
    unfinished: &[UnfinishedCall],
    unanswered: u32,
) {
    let paint = page.paint();
    let turn = after.last_turn(turn);
    page.line(format!("  {} after turn {turn} {}", paint.cyan("resumed"), paint.dim(format!("({})", after.as_str()))));
    if let Some(told) = maybe_billed(unanswered) {
        page.line(format!("  {} {told}", paint.yellow("note:")));
    }
    for UnfinishedCall { call, then, .. } in unfinished {
        let what = match then {
            Then::Repeat => paint.yellow("made again"),
            Then::Fail => paint.yellow("not made again"),
        };
        page.line(format!("  {what} {}", shortened(call)));
    }
}

/// Writes a thread's end, where no outcome follows that tells it.
pub(in crate::cli) fn write_end(page: &mut Page<'_>, what: &EventData) {
    let paint = page.paint();
    match what {
        EventData::ThreadComplete { .. } => page.line(paint.green("completed")),
        EventData::ThreadError { code, message } => {
            page.line(format!(
                "{} {} {}",
                paint.red("error:"),
                one_line(message),
                paint.dim(format!("[{}]", one_line(code)))
            ));
        }
        EventData::ThreadCancelled { cause } => {
            page.line(format!("{} {}", paint.yellow("cancelled:"), one_line(cause)));
        }
        what => debug_assert!(!what.is_terminal(), "every end is told"),
    }
}

/// Writes how a thread ended and how to look at it.
pub(in crate::cli) fn write(page: &mut Page<'_>, outcome: &Outcome) {
    write_reason(page, outcome);
    write_summary(page, outcome);
    write_outputs(page, &outcome.outputs);
    write_commands(page, outcome);
}

/// Writes a name and its value.
pub(super) fn row(page: &mut Page<'_>, name: &str, value: String) {
    let name = page.paint().dim(format!("{name:<9}"));
    page.line(format!("{name} {value}"));
}

/// Writes what ended a thread, if it ended badly: the call or the limit, before all else.
pub(super) fn write_reason(page: &mut Page<'_>, outcome: &Outcome) {
    let paint = page.paint();
    let word = format!("{}:", outcome.ending.as_str());
    let word = match outcome.ending {
        Ending::Running | Ending::Completed => return,
        Ending::Cancelled | Ending::Interrupted => paint.yellow(word),
        Ending::Error | Ending::Limit | Ending::Denied | Ending::Provider | Ending::Outputs => paint.red(word),
    };
    match &outcome.error {
        Some(fault) => {
            let code = paint.dim(format!("[{}]", one_line(&fault.code)));
            page.line(format!("{word} {} {code}", one_line(&fault.message)));
        }
        None => page.line(format!("{word} its runner ended after {}", count(outcome.turns as usize, "turn"))),
    }
}

/// Writes the state of a thread.
pub(super) fn write_summary(page: &mut Page<'_>, outcome: &Outcome) {
    let paint = page.paint();
    row(page, "thread", paint.bold(outcome.name()));
    row(page, "directive", outcome.directive.to_string());
    if let Some(fork) = &outcome.forked_from {
        row(page, "continues", format!("{} after turn {}", fork.thread_id, fork.turn));
    }
    if let Some(thread_id) = &outcome.rerun_of {
        row(page, "rerun of", thread_id.to_string());
    }
    row(page, "status", coloured(paint, outcome.ending));
    for change in &outcome.fallbacks {
        let (from, to) = (one_line(&change.from_model), one_line(&change.model));
        row(page, "fallback", format!("{to} from turn {} on, for {from}: {}", change.turn, one_line(&change.reason)));
    }
    row(page, "turns", outcome.turns.to_string());
    let (read, wrote) = (outcome.usage.input_tokens, outcome.usage.output_tokens);
    let counted = outcome.tokens.unwrap_or(outcome.usage.total());
    let billed = Some(outcome.usage.total()).filter(|billed| *billed != counted);
    let billed = billed.map(|billed| format!("; {billed} billed")).unwrap_or_default();
    row(page, "tokens", format!("{counted}{billed} ({read} read, {wrote} written)"));
    row(page, "spend", one_line(&format!("{} {}", outcome.spend.amount, outcome.spend.currency)));
    for passed in &outcome.passed {
        let (limit, value, by) = (one_line(&passed.limit), one_line(&passed.value), one_line(&passed.by));
        row(page, "passed", format!("the limit on {limit} ({value}) by {by}: an estimate was too low"));
    }
    row(page, "branch", short(&outcome.branch).to_owned());
}

pub(super) fn write_outputs(page: &mut Page<'_>, outputs: &Map<String, Value>) {
    for (name, value) in outputs {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        page.line("");
        page.line(page.paint().bold(one_line(name)));
        if page.is_on_terminal() {
            super::markdown::write(page, "  ", &text);
        } else {
            clean(text.trim_end()).lines().for_each(|line| page.line(format!("  {line}").trim_end()));
        }
    }
}

/// Writes commands that work as pasted, and how to take the thread up again.
fn write_commands(page: &mut Page<'_>, outcome: &Outcome) {
    page.line("");
    row(page, "inspect", format!("rye thread show {}", outcome.thread_id));
    let next = if outcome.can_be_resumed() { vec![Next::Resume] } else { Vec::new() };
    write_next(page, &outcome.name(), &next);
}

/// Writes what can be done next.
pub(super) fn write_next(page: &mut Page<'_>, name: &ThreadName, next: &[Next]) {
    if next.is_empty() {
        return;
    }
    page.line("");
    page.line(page.paint().bold("Next"));
    for next in next {
        let (command, note) = next_command(name, next);
        let note = note.map(|note| format!("  {}", page.paint().dim(format!("# {note}")))).unwrap_or_default();
        page.line(format!("  {command}{note}"));
    }
}

/// Returns the command of a next step, and what to know of it.
pub(in crate::cli) fn next_command(thread_id: &ThreadName, next: &Next) -> (String, Option<String>) {
    let verb = |verb: &str| (format!("rye thread {verb} {thread_id}"), None);
    match next {
        Next::Follow => verb("tail"),
        Next::Resume => verb("resume"),
        Next::Diff => verb("diff"),
        Next::Accept => verb("accept"),
        Next::Raise { limit, most } => (
            format!("rye thread resume {thread_id} --limit {limit}={most}"),
            Some("the directive allows no more".into()),
        ),
        Next::Rerun { limit: None } => verb("rerun"),
        Next::Rerun { limit: Some(limit) } => {
            let note = format!("first raise the limit on {} in the directive, and sign it", one_line(limit));
            (format!("rye thread rerun {thread_id}"), Some(note))
        }
        Next::Fork { turn } => (format!("rye thread fork {thread_id} --turn {turn}"), None),
    }
}

/// Writes how to look at a thread.
pub(super) fn write_looks(page: &mut Page<'_>, outcome: &Outcome) {
    let branch = short(&outcome.branch);
    let range =
        outcome.base.as_ref().map_or_else(|| branch.to_owned(), |base| format!("{}..{branch}", abbreviated(base)));
    page.line("");
    page.line(page.paint().bold("Inspect"));
    page.line(format!("  git log --stat {range}"));
    if let Some(path) = &outcome.allowed_signers {
        let setting = quoted(&format!("gpg.ssh.allowedSignersFile={}", path.display()));
        page.line(format!("  git -c {setting} verify-commit {branch}"));
    }
    page.line(format!("  rye thread show {}", outcome.name()));
}

/// Writes one row per thread.
pub(in crate::cli) fn write_list(page: &mut Page<'_>, threads: &[Outcome]) {
    let heading = vec!["THREAD", "STATUS", "TURNS", "SPEND", "STARTED", "DIRECTIVE"];
    let mut table = Table::new(heading);
    for thread in threads {
        let ending = thread.ending;
        table.row(vec![
            Cell::with(&thread.thread_id, |paint, text| paint.bold(text)),
            Cell::with(ending.as_str(), move |paint, _| coloured(paint, ending)),
            Cell::new(thread.turns),
            Cell::new(format!("{} {}", thread.spend.amount, thread.spend.currency)),
            Cell::dim(thread.started_at.to_seconds_text()),
            Cell::new(&thread.directive),
        ]);
    }
    page.table(&table);
}

/// Writes what became of threads, a row each.
pub(in crate::cli) fn write_removed<'t>(page: &mut Page<'_>, threads: impl Iterator<Item = &'t ThreadId>) {
    let mut table = Table::new(vec!["STATUS", "THREAD"]);
    threads.for_each(|id| table.row(vec![Cell::new("removed"), Cell::new(id)]));
    page.table(&table);
}

/// Writes the logs that are left of threads without a branch.
pub(in crate::cli) fn write_logs(page: &mut Page<'_>, logs: &[ThreadId]) {
    let mut table = Table::new(vec!["THREAD", "LEFT"]);
    logs.iter().for_each(|id| table.row(vec![Cell::new(id), Cell::new("log without a branch")]));
    page.table(&table);
}

fn coloured(paint: Paint, ending: Ending) -> String {
    let word = ending.as_str();
    match ending {
        Ending::Completed => paint.green(word),
        Ending::Running => paint.cyan(word),
        Ending::Cancelled | Ending::Interrupted => paint.yellow(word),
        Ending::Error | Ending::Limit | Ending::Denied | Ending::Provider | Ending::Outputs => paint.red(word),
    }
}

/// Twelve digits name a commit in any repository one is likely to meet.
fn abbreviated(commit_id: &CommitId) -> String {
    commit_id.to_string().chars().take(12).collect()
}

fn short(branch: &str) -> &str {
    let short = branch.strip_prefix("refs/heads/").or_else(|| branch.strip_prefix("refs/remotes/"));
    short.unwrap_or(branch)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell_only_where_they_must_be() {
        assert_eq!(quoted("a.b=/home/x"), "a.b=/home/x");
        assert_eq!(quoted("/it's here"), r"'/it'\''s here'");
    }
}
