//! The page of a thread.

use serde_json::{Value, json};

use super::change::write_changes;
use super::elements::Html;
use super::markdown;
use super::value::{folded, write_value};
use crate::cli::text::review::{model, sentences};
use crate::cli::text::summary::{Fact, facts};
use crate::cli::text::thread::{next_command, seconds};
use crate::event::{CallStatus, Event, EventData, SkippedPath, Then, UnfinishedCall};
use crate::format::event_text::{cleared, maybe_billed, turns};
use crate::git::CommitId;
use crate::id::Timestamp;
use crate::thread::Ending;
use crate::thread::review::{Block, Called, Review, ReviewedCommit, ReviewedTurn, blocks};

/// Writes the page of a thread.
pub(in crate::cli) fn page(review: &Review) -> String {
    let mut html = Html::new(&format!("{} · {}", review.outcome.directive, review.outcome.thread_id));
    write_head(&mut html, review);
    write_summary(&mut html, review);
    write_asked(&mut html, review);
    html.element("h2", "", "What happened");
    html.open("ol", "turns");
    for turn in &review.turns {
        write_turn(&mut html, review, turn);
    }
    for call in &review.interrupted {
        html.open("li", "turn");
        html.element("h3", "", &format!("Turn {}, interrupted", call.turn));
        write_call(&mut html, &call.called());
        html.close("li");
    }
    for commit in review.other_commits() {
        html.open("li", "turn");
        write_title(&mut html, "Commit", Some(commit));
        html.element("p", "note", &commit.subject);
        write_changes(&mut html, commit);
        html.close("li");
    }
    html.close("ol");
    write_outputs(&mut html, review);
    write_commands(&mut html, review);
    html.finish()
}

fn write_head(html: &mut Html, review: &Review) {
    let outcome = &review.outcome;
    html.open("header", "");
    let (verified, faults) = sentences(&review.signatures);
    html.open("p", if review.signatures.verified { "seal good" } else { "seal bad" });
    html.element("strong", "", if review.signatures.verified { "Verified" } else { "Not verified" });
    html.text(&format!(" {}.", verified.replace('`', "")));
    html.close("p");
    if !faults.is_empty() || !review.unreadable.is_empty() {
        html.open("ul", "faults");
        for sentence in faults.iter().chain(&review.unreadable) {
            html.element("li", "", &sentence.replace('`', ""));
        }
        html.close("ul");
    }
    html.open("h1", "");
    html.text(outcome.directive.as_str());
    html.open("span", status_class(outcome.ending));
    html.text(outcome.ending.as_str());
    html.close("span");
    html.close("h1");
    if let Some(fault) = &outcome.error {
        html.element("p", "reason", &fault.message);
    }
    html.open("p", "id");
    html.element("code", "", outcome.thread_id.as_str());
    html.close("p");
    html.open("dl", "facts");
    html.fact("Model", &model(outcome));
    html.fact("Turns", &outcome.turns.to_string());
    let usage = outcome.usage;
    html.fact("Tokens", &format!("{} read, {} written", usage.input_tokens, usage.output_tokens));
    html.fact("Cost", &format!("{} {}", outcome.spend.amount, outcome.spend.currency));
    html.fact("Directive", &format!("version {}", review.directive_version));
    html.fact("Began (UTC)", &moment(outcome.started_at));
    if let Some(ended_at) = outcome.ended_at {
        html.fact("Ended (UTC)", &moment(ended_at));
    }
    html.close("dl");
    html.close("header");
}

/// Writes what a reader wants to know first.
fn write_summary(html: &mut Html, review: &Review) {
    html.element("h2", "", "Summary");
    html.open("dl", "value summary");
    for Fact { name, first, rest, .. } in facts(&review.outcome.thread_id, &review.summary) {
        html.element("dt", "", name);
        html.open("dd", "block");
        let lines: Vec<String> = std::iter::once(first).chain(rest).collect();
        html.element("pre", "", &lines.join("\n").replace('`', ""));
        html.close("dd");
    }
    html.close("dl");
}

/// Shows a time to the second, as people read it.
fn moment(time: Timestamp) -> String {
    time.to_seconds_text().replace('T', " ").replace('Z', "")
}

const fn status_class(ending: Ending) -> &'static str {
    match ending {
        Ending::Completed => "status good",
        Ending::Running => "status new",
        Ending::Cancelled | Ending::Interrupted => "status warn",
        Ending::Error | Ending::Limit | Ending::Denied | Ending::Provider | Ending::Outputs => "status bad",
    }
}

fn write_asked(html: &mut Html, review: &Review) {
    html.element("h2", "", "Request");
    if !review.inputs.is_empty() {
        write_value(html, &Value::Object(review.inputs.clone()));
    }
    if let Some(plan) = review.plan.as_ref().filter(|plan| !plan.is_empty()) {
        html.open("ol", "plan");
        for step in plan {
            html.open("li", "");
            html.element("strong", "", &step.name);
            html.element("p", "", step.text.trim());
            html.close("li");
        }
        html.close("ol");
    }
    let events = review.turns.iter().take(1).flat_map(|turn| blocks(&turn.content));
    for block in events {
        if let Block::Event(Event { what: EventData::UserMessage { text }, .. }) = block {
            folded(html, "The words the model was given", text);
        }
    }
    if !review.limits.is_empty() {
        let named = review.limits.iter().map(|(name, value)| format!("{name} {}", value.as_str().unwrap_or_default()));
        html.element("p", "note", &format!("Limits: {}", named.collect::<Vec<_>>().join(", ")));
    }
}

fn write_turn(html: &mut Html, review: &Review, turn: &ReviewedTurn) {
    let mut blocks = blocks(&turn.content);
    blocks.retain(Block::is_told);
    let commit = review.commit_of(turn);
    if blocks.is_empty() && commit.is_none_or(|commit| commit.changes.is_empty()) {
        return;
    }
    let is_end = blocks.iter().any(|block| matches!(block, Block::Event(event) if event.what.is_terminal()));
    let title = match turn.turn {
        _ if is_end => "End".to_owned(),
        0 => "Start".to_owned(),
        number => format!("Turn {number}"),
    };
    html.open("li", if is_end { "turn end" } else { "turn" });
    write_title(html, &title, commit);
    for block in &blocks {
        match block {
            Block::Call(call) => write_call(html, call),
            Block::Event(event) => write_event(html, event),
            Block::Unknown { kind, line } => {
                html.element("p", "tag warn", &format!("unknown event {kind}"));
                folded(html, "The line", line);
            }
            Block::Broken(line) => {
                html.element("p", "tag warn", "damaged line");
                folded(html, "The line", line);
            }
        }
    }
    if let Some(commit) = commit {
        write_changes(html, commit);
    }
    html.close("li");
}

fn write_title(html: &mut Html, title: &str, commit: Option<&ReviewedCommit>) {
    html.open("h3", "");
    html.text(title);
    if let Some(commit) = commit {
        html.element("code", "id", &abbreviated(&commit.commit_id));
    }
    html.close("h3");
}

fn write_event(html: &mut Html, event: &Event) {
    match &event.what {
        EventData::AssistantText { text } => markdown::write(html, text.trim()),
        EventData::AssistantReasoning { text } => folded(html, "Thoughts", text),
        EventData::UserMessage { text } => html.element("p", "told", text.trim()),
        EventData::ContextInjected { position, item_id, .. } => {
            html.element("p", "note", &format!("Knowledge ({}): {item_id}", position.as_str()));
        }
        EventData::ProjectFile { path, told, reason, .. } => {
            let reason = reason.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default();
            html.element("p", "note", &format!("The project's {path} ({}){reason}", told.as_str()));
        }
        EventData::HookTriggered { hook, event, call, status, result, .. } => {
            html.open("div", "call");
            html.element("p", "name", &format!("Hook {hook} at {event}: {call}"));
            write_result(html, *status, result, None);
            html.close("div");
        }
        EventData::ThreadForked { thread_id, turn, .. } => {
            html.element("p", "note", &format!("Continues {thread_id} after turn {turn}"));
        }
        EventData::ThreadResumed { after, turn, unfinished, unanswered, .. } => {
            html.element("p", "note", &format!("Resumed after turn {turn} ({})", after.as_str()));
            if let Some(told) = maybe_billed(*unanswered) {
                html.element("p", "note", &told);
            }
            for UnfinishedCall { call, then, .. } in unfinished {
                let what = match then {
                    Then::Repeat => "made again",
                    Then::Fail => "not made again",
                };
                html.element("p", "note", &format!("Unfinished, {what}: {call}"));
            }
        }
        EventData::ChangesTaken { paths } => {
            html.element("p", "note", &format!("Began with uncommitted changes: {}", paths.join(", ")));
        }
        EventData::Retry { reason, without, .. } if !without.is_empty() => {
            html.element("p", "note", &format!("{reason}; asked without {} from here on", without.join(", ")));
        }
        EventData::Retry { attempt, reason, wait_ms, .. } => {
            html.element(
                "p",
                "note",
                &format!("Attempt {attempt} failed: {reason}; asked again after {}", seconds(*wait_ms)),
            );
        }
        EventData::Fallback { provider, model, reason, .. } => {
            html.element("p", "tag warn", &format!("{reason}; {model} of {provider} answers from here on"));
        }
        EventData::ResultsCleared { results } => {
            html.element("p", "note", &format!("Left out of later requests: {}", cleared(results)));
        }
        EventData::ContinuationStart { item_id, status, result, .. } => {
            html.open("div", "call");
            html.element("p", "name", &format!("Continues with {item_id}"));
            write_result(html, *status, result, None);
            html.close("div");
        }
        EventData::ContextRefused { message } => {
            html.element("p", "tag warn", &format!("Too long for the model, asked again with less: {message}"));
        }
        EventData::Summary { turns: of, text, usage, spend, .. } => {
            html.element("p", "note", &format!("Later requests have a summary in the place of {}", turns(*of)));
            folded(html, "Summary", text);
            html.element("p", "cost", &format!("{} tokens · {spend}", usage.total()));
        }
        EventData::AnswerDeclined { reason } => html.element("p", "tag warn", &format!("Declined to answer: {reason}")),
        EventData::Deviation { kind, message } => html.element("p", "tag warn", &format!("{kind}: {message}")),
        EventData::ToolCallResult { status, output, .. } => write_result(html, *status, output, None),
        EventData::PermissionAsked { pattern, agreed, .. } => write_asked_for(html, pattern, *agreed),
        EventData::PermissionDenied { message, .. } => html.element("p", "tag warn", &format!("Refused: {message}")),
        EventData::PathsSkipped { paths } => {
            let named = paths.iter().map(|SkippedPath { path, reason }| format!("{path} ({reason})"));
            html.element("p", "note", &format!("Not committed: {}", named.collect::<Vec<_>>().join(", ")));
        }
        EventData::StepFinish { usage, spend, .. } => {
            html.element("p", "cost", &format!("{} tokens · {spend}", usage.total()));
        }
        EventData::AttemptsFailed { usage, spend } => {
            html.element("p", "cost", &format!("{} tokens of failed attempts · {spend}", usage.total()));
        }
        EventData::RequestsUnanswered { count } => {
            if let Some(told) = maybe_billed(*count) {
                html.element("p", "cost", &told);
            }
        }
        EventData::LimitPassed { limit, value, by } => {
            html.element("p", "tag warn", &format!("Limit passed: {limit} {value} by {by}"));
        }
        EventData::LimitReached { limit, value } => {
            html.element("p", "tag bad", &format!("Limit reached: {limit} {value}"));
        }
        EventData::ThreadCancelled { cause } => html.element("p", "tag warn", &format!("Cancelled: {cause}")),
        EventData::ThreadError { code, message } => html.element("p", "tag bad", &format!("{message} [{code}]")),
        EventData::ThreadComplete { .. } => html.element("p", "tag good", "Completed"),
        // The head says it, or it speaks to programs.
        EventData::ThreadStart { .. }
        | EventData::InputCounted { .. }
        | EventData::StepStart { .. }
        | EventData::SummaryStart { .. }
        | EventData::ToolCallStart { .. }
        | EventData::DirectiveReturn { .. } => {}
    }
}

fn write_call(html: &mut Html, call: &Called<'_>) {
    html.open("div", if call.denied.is_some() { "call refused" } else { "call" });
    html.open("p", "name");
    html.element("span", "verb", call.verb());
    html.text(" ");
    let tool = if call.tool.trim().is_empty() { "(no name)" } else { call.tool };
    html.element("code", "", call.item_id.map_or(tool, |id| id.as_str()));
    html.close("p");
    write_value(html, call.input);
    if let Some((pattern, agreed)) = call.asked {
        write_asked_for(html, pattern, agreed);
    }
    match (call.denied, &call.result) {
        (Some(message), _) => html.element("p", "tag warn", &format!("Refused: {message}")),
        (None, Some(result)) => write_result(html, result.status, result.output, result.took()),
        (None, None) => html.element("p", "tag warn", "no result is on record"),
    }
    if let Some(said) = call.result.and_then(|result| result.stderr) {
        write_value(html, &json!({"stderr": said}));
    }
    for asked in call.result.iter().flat_map(|result| result.hosts) {
        let (class, word) = if asked.allowed { ("note", "Reached") } else { ("tag warn", "May not reach") };
        html.element("p", class, &format!("{word} {}", asked.host));
    }
    if let Some(digest) = call.result.and_then(|result| result.artifact) {
        html.element("p", "note", &format!("All of it is in artifacts/{digest}"));
    }
    html.close("div");
}

fn write_asked_for(html: &mut Html, pattern: &str, agreed: bool) {
    let (class, word) = if agreed { ("tag good", "Agreed to") } else { ("tag warn", "Not agreed to") };
    html.element("p", class, &format!("{word}, as permissions.ask has {pattern}"));
}

fn write_result(html: &mut Html, status: CallStatus, output: &Value, took: Option<String>) {
    let (class, word) = match status {
        CallStatus::Ok => ("tag good", "ok"),
        CallStatus::Error => ("tag bad", "failed"),
        CallStatus::Denied => ("tag warn", "denied"),
    };
    html.element("p", class, &took.map_or_else(|| word.to_owned(), |took| format!("{word} · {took}")));
    match output.pointer("/error/message").and_then(Value::as_str) {
        Some(message) if status != CallStatus::Ok => html.element("p", "reason", message),
        _ => write_value(html, output),
    }
}

fn write_outputs(html: &mut Html, review: &Review) {
    if review.outcome.outputs.is_empty() {
        return;
    }
    html.element("h2", "", "What it returned");
    html.open("section", "outputs");
    write_value(html, &Value::Object(review.outcome.outputs.clone()));
    html.close("section");
}

/// Writes how to look at it on one's own; no path of a machine belongs on a page that is handed on.
fn write_commands(html: &mut Html, review: &Review) {
    let branch = review.outcome.branch.trim_start_matches("refs/heads/");
    let range = review.outcome.base.as_ref().map(|base| format!("{}..", abbreviated(base))).unwrap_or_default();
    html.open("footer", "");
    html.element("h2", "", "Inspect");
    let id = &review.outcome.name();
    let commands =
        format!("git log --stat {range}{branch}\nrye thread diff {id}\nrye thread log {id}\nrye thread show {id}");
    html.element("pre", "", &commands);
    if !review.next.is_empty() {
        html.element("h2", "", "Next");
        let commands = review.next.iter().map(|next| match next_command(id, next) {
            (command, Some(note)) => format!("{command}  # {note}"),
            (command, None) => command,
        });
        html.element("pre", "", &commands.collect::<Vec<_>>().join("\n"));
    }
    html.close("footer");
}

fn abbreviated(commit_id: &CommitId) -> String {
    commit_id.as_str().chars().take(12).collect()
}
