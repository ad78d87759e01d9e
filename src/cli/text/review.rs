//! One thread for people to read: the request, the events, the changes. Nothing of it controls the terminal.

use serde_json::{Map, Value, json};

use super::findings::hint;
use super::thread::{row, write_looks, write_next, write_outputs, write_reason, write_resumed, write_summary};
use super::{Page, Paint, clean, count, one_line, tool_name};
use crate::cli::hints;
use crate::event::{AskedModel, CallStatus, Event, EventData};
use crate::format::event_text::parts;
use crate::git::CommitId;
use crate::thread::review::{Block, Called, FileChange, FileContent, Review, ReviewedCommit, ReviewedTurn, blocks};
use crate::thread::{DiffKind, Outcome, Signer, Standing};
use crate::trust::KeyId;

/// The most lines of a text or a diff that are shown.
const LINES: usize = 40;

/// How many of them are from the beginning of a longer one; the others are from its end.
const BEGINNING: usize = 24;

/// The most characters of a line that are shown.
const WIDTH: usize = 400;

/// Writes a thread: why it ended badly and whether its signatures count before all else.
pub(in crate::cli) fn write(page: &mut Page<'_>, review: &Review) {
    // Of a record that is not verified the reason is no more than a claim.
    if review.signatures.verified {
        write_reason(page, &review.outcome);
        write_standing(page, &review.signatures);
    } else {
        write_standing(page, &review.signatures);
        write_reason(page, &review.outcome);
    }
    for sentence in &review.unreadable {
        page.line(format!("{} {}", page.paint().yellow("damaged: "), one_line(sentence)));
    }
    super::summary::write(page, &review.outcome.thread_id, &review.summary);
    write_summary(page, &review.outcome);
    row(page, "model", model(&review.outcome));
    row(page, "began", review.outcome.started_at.to_seconds_text());
    if let Some(ended_at) = review.outcome.ended_at {
        row(page, "ended", ended_at.to_seconds_text());
    }
    if !review.limits.is_empty() {
        let named = review.limits.iter().map(|(name, value)| format!("{name} {}", value.as_str().unwrap_or_default()));
        row(page, "limits", one_line(&named.collect::<Vec<_>>().join(", ")));
    }
    write_asked(page, review);
    for turn in &review.turns {
        write_turn(page, review, turn);
    }
    for call in &review.interrupted {
        heading(page, &format!("Turn {}", call.turn), Some("interrupted"));
        write_call(page, &call.called());
    }
    for commit in review.other_commits() {
        heading(page, &format!("Commit {}", abbreviated(&commit.commit_id)), Some(&one_line(&commit.subject)));
        write_changes(page, commit);
    }
    write_outputs(page, &review.outcome.outputs);
    write_looks(page, &review.outcome);
    write_next(page, &review.outcome.name(), &review.next);
}

/// Writes whose signatures the record has.
pub(in crate::cli) fn write_standing(page: &mut Page<'_>, standing: &Standing) {
    let paint = page.paint();
    let (verified, others) = sentences(standing);
    let label = if standing.verified { paint.green("verified ") } else { paint.red("NOT VERIFIED") };
    page.line(format!("{label} {}", one_line(&verified)));
    for sentence in others {
        page.line(format!("  {}", one_line(&sentence)));
    }
    without_use(&standing.without_use).iter().for_each(|sentence| hint(page, sentence));
}

/// Says what to do about keys without a use for turns; nothing if there is none.
pub(in crate::cli) fn without_use(keys: &[KeyId]) -> Option<String> {
    let named = keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
    let word = if keys.len() == 1 { "key" } else { "keys" };
    (!keys.is_empty()).then(|| format!("no use for turns for {word} {named}: {}", hints::TURNS_USE.fill(&[])))
}

/// Says what the signatures are worth: in a sentence, and each fault in one.
pub(in crate::cli) fn sentences(standing: &Standing) -> (String, Vec<String>) {
    let signer = |signer: &Signer| match signer {
        Signer::Agent(key_id) => format!("the agent key `{key_id}` of this machine"),
        Signer::AgentOf(names) => format!("the agent `{names}`"),
        Signer::Person(names) => format!("`{names}`"),
    };
    let by = standing.signers.iter().map(signer).collect::<Vec<_>>().join(" and ");
    if standing.verified {
        return (format!("{}, signed by {by}", count(standing.commits, "commit")), Vec::new());
    }
    let all = count(standing.commits, "commit");
    let told = format!("the signatures of {} of {all} do not count here", standing.faults.len());
    let at = |turn: Option<u32>| turn.map_or_else(String::new, |turn| format!(" (turn {turn})"));
    let fault = |fault: &crate::thread::Fault| {
        format!("commit {}{}: {} [{}]", abbreviated(&fault.commit_id), at(fault.turn), fault.message, fault.rule)
    };
    let mut faults: Vec<String> = standing.faults.iter().take(5).map(fault).collect();
    if standing.faults.len() > faults.len() {
        faults.push(format!("and {} more", standing.faults.len() - faults.len()));
    }
    (told, faults)
}

/// Says which model answered: the chosen one, what was asked for if that is another, and what the server called it.
pub(in crate::cli) fn model(outcome: &Outcome) -> String {
    let asked = outcome.asked.as_ref().and_then(AskedModel::model).filter(|asked| *asked != outcome.model);
    let asked = asked.map(|asked| format!("; asked for {}", one_line(asked))).unwrap_or_default();
    let answered = outcome.answered.iter().filter(|name| **name != outcome.model).map(|name| one_line(name));
    let answered = answered.collect::<Vec<_>>().join(", ");
    let answered = if answered.is_empty() { answered } else { format!("; answered as {answered}") };
    format!("{} ({}){asked}{answered}", one_line(&outcome.model), outcome.provider)
}

fn write_asked(page: &mut Page<'_>, review: &Review) {
    if !review.inputs.is_empty() {
        heading(page, "Inputs", None);
        write_value(page, "  ", &Value::Object(review.inputs.clone()));
    }
    let Some(plan) = review.plan.as_ref().filter(|plan| !plan.is_empty()) else { return };
    heading(page, "Plan", None);
    for (number, step) in plan.iter().enumerate() {
        let paint = page.paint();
        page.line(format!("  {}. {}", number + 1, paint.bold(one_line(&step.name))));
        write_block(page, "     ", &step.text, plain);
    }
}

fn write_turn(page: &mut Page<'_>, review: &Review, turn: &ReviewedTurn) {
    let blocks = blocks(&turn.content);
    let commit = review.commit_of(turn);
    let shown: Vec<&Block<'_>> = blocks.iter().filter(|block| block.is_told()).collect();
    let changes = commit.is_some_and(|commit| !commit.changes.is_empty());
    if shown.is_empty() && !changes {
        return;
    }
    let is_end = blocks.iter().any(|block| matches!(block, Block::Event(event) if event.what.is_terminal()));
    let title = match turn.turn {
        _ if is_end => "End".to_owned(),
        0 => "Start".to_owned(),
        number => format!("Turn {number}"),
    };
    heading(page, &title, commit.map(|commit| abbreviated(&commit.commit_id)).as_deref());
    for block in shown {
        write_one(page, block);
    }
    if let Some(commit) = commit {
        write_changes(page, commit);
    }
}

fn write_one(page: &mut Page<'_>, block: &Block<'_>) {
    let paint = page.paint();
    match block {
        Block::Call(call) => write_call(page, call),
        Block::Event(event) => write_event(page, event),
        Block::Unknown { kind, line } => {
            page.line(format!("  {} {}", paint.yellow("unknown event"), one_line(kind)));
            write_block(page, "    ", line, |paint, line| paint.dim(line));
        }
        Block::Broken(line) => {
            page.line(format!("  {}", paint.yellow("damaged line")));
            write_block(page, "    ", line, |paint, line| paint.dim(line));
        }
    }
}

fn write_event(page: &mut Page<'_>, event: &Event) {
    let paint = page.paint();
    match &event.what {
        EventData::AssistantText { text } => write_words(page, "  ", text),
        EventData::AssistantReasoning { text } => {
            page.line(format!("  {}", paint.dim("thought")));
            write_block(page, "    ", text, |paint, line| paint.dim(line));
        }
        EventData::UserMessage { text } => {
            page.line(format!("  {}", paint.cyan("told")));
            write_block(page, "    ", text, plain);
        }
        EventData::HookTriggered { hook, event, call, status, result, .. } => {
            page.line(format!("  {} {hook} at {event}: {}", paint.cyan("hook"), one_line(call)));
            write_result(page, *status, result, None, None);
        }
        EventData::ThreadForked { thread_id, turn, .. } => {
            page.line(format!("  {} {thread_id} after turn {turn}", paint.cyan("continues")));
        }
        EventData::ThreadResumed { after, turn, unfinished, unanswered, .. } => {
            write_resumed(page, *after, *turn, unfinished, *unanswered);
        }
        EventData::ThreadComplete { .. } => page.line(format!("  {}", paint.green("completed"))),
        EventData::ThreadError { code, message } => {
            page.line(format!(
                "  {} {} {}",
                paint.red("error:"),
                one_line(message),
                paint.dim(format!("[{}]", one_line(code)))
            ));
        }
        EventData::ThreadCancelled { cause } => {
            page.line(format!("  {} {}", paint.yellow("cancelled:"), one_line(cause)));
        }
        EventData::ToolCallResult { status, output, .. } => write_result(page, *status, output, None, None),
        EventData::PermissionAsked { pattern, agreed, .. } => write_asked_for(page, pattern, *agreed),
        EventData::ContinuationStart { item_id, status, result, .. } => {
            page.line(format!("  {} {item_id}", paint.cyan("continues with")));
            write_result(page, *status, result, None, None);
        }
        EventData::Summary { text, .. } => {
            super::thread::write_event(page, event);
            write_block(page, "    ", text, plain);
        }
        // A line of progress has all the facts.
        EventData::ThreadStart { .. }
        | EventData::ContextInjected { .. }
        | EventData::ProjectFile { .. }
        | EventData::ChangesTaken { .. }
        | EventData::Deviation { .. }
        | EventData::StepStart { .. }
        | EventData::Retry { .. }
        | EventData::Fallback { .. }
        | EventData::ResultsCleared { .. }
        | EventData::ContextRefused { .. }
        | EventData::SummaryStart { .. }
        | EventData::AnswerDeclined { .. }
        | EventData::ToolCallStart { .. }
        | EventData::PermissionDenied { .. }
        | EventData::PathsSkipped { .. }
        | EventData::StepFinish { .. }
        | EventData::InputCounted { .. }
        | EventData::AttemptsFailed { .. }
        | EventData::RequestsUnanswered { .. }
        | EventData::LimitPassed { .. }
        | EventData::LimitReached { .. }
        | EventData::DirectiveReturn { .. } => super::thread::write_event(page, event),
    }
}

fn write_call(page: &mut Page<'_>, call: &Called<'_>) {
    let paint = page.paint();
    let name = call.item_id.map_or_else(|| tool_name(call.tool), ToString::to_string);
    page.line(format!("  {} {}", paint.cyan(call.verb()), paint.bold(name)));
    write_value(page, "    ", call.input);
    if let Some((pattern, agreed)) = call.asked {
        write_asked_for(page, pattern, agreed);
    }
    if let Some(message) = call.denied {
        page.line(format!("    {} {}", paint.yellow("denied"), one_line(message)));
    }
    for asked in call.result.iter().flat_map(|result| result.hosts) {
        let word = if asked.allowed { paint.dim("reached") } else { paint.yellow("may not reach") };
        page.line(format!("    {word} {}", one_line(&asked.host)));
    }
    if let Some(said) = call.result.and_then(|result| result.stderr) {
        write_value(page, "    ", &json!({"stderr": said}));
    }
    match &call.result {
        Some(result) if call.denied.is_none() => {
            write_result(page, result.status, result.output, result.artifact, result.took());
        }
        Some(_) => {}
        None => page.line(format!("    {}", paint.yellow("no result is on record"))),
    }
}

fn write_asked_for(page: &mut Page<'_>, pattern: &str, agreed: bool) {
    let paint = page.paint();
    let word = if agreed { paint.green("agreed") } else { paint.yellow("not agreed") };
    page.line(format!("    {word} as `permissions.ask` has `{}`", one_line(pattern)));
}

fn write_result(page: &mut Page<'_>, status: CallStatus, output: &Value, artifact: Option<&str>, took: Option<String>) {
    let paint = page.paint();
    let word = match status {
        CallStatus::Ok => paint.green("ok"),
        CallStatus::Error => paint.red("failed"),
        CallStatus::Denied => paint.yellow("denied"),
    };
    match output.pointer("/error/message").and_then(Value::as_str) {
        Some(message) if status != CallStatus::Ok => page.line(format!("    {word} {}", one_line(message))),
        _ => {
            let took = took.map_or_else(String::new, |took| format!(" {}", paint.dim(took)));
            page.line(format!("    {word}{took}"));
            write_value(page, "      ", output);
        }
    }
    if let Some(digest) = artifact {
        page.line(format!("      {}", paint.dim(format!("all of it: artifacts/{}", one_line(digest)))));
    }
}

/// Writes a value part by part; nothing for one that says nothing.
fn write_value(page: &mut Page<'_>, indent: &str, value: &Value) {
    let is_empty = value.is_null() || value.as_object().is_some_and(Map::is_empty);
    for part in parts(value).into_iter().filter(|_| !is_empty) {
        let paint = page.paint();
        let name = paint.dim(one_line(&part.name));
        if part.is_block {
            if !part.name.is_empty() {
                page.line(format!("{indent}{name}"));
            }
            write_block(page, &format!("{indent}  "), &part.text, plain);
        } else {
            page.line(format!("{indent}{}", format!("{name} {}", one_line(&part.text)).trim()));
        }
    }
}

/// Writes what a commit changed.
fn write_changes(page: &mut Page<'_>, commit: &ReviewedCommit) {
    for change in &commit.changes {
        let paint = page.paint();
        let word = match change.change {
            DiffKind::Added => paint.green("added"),
            DiffKind::Changed => paint.cyan("changed"),
            DiffKind::Removed => paint.red("removed"),
        };
        page.line(format!("  {word} {}", paint.bold(one_line(&change.path))));
        write_content(page, change);
    }
}

fn write_content(page: &mut Page<'_>, change: &FileChange) {
    let paint = page.paint();
    let note = match &change.content {
        FileContent::Text(hunks) => return write_block(page, "    ", hunks, coloured_line),
        FileContent::Opaque => "no text, or too large to compare".to_owned(),
        FileContent::Link(_, Some(target)) => format!("a link to {}", one_line(target)),
        FileContent::Link(_, None) => "a link".to_owned(),
        FileContent::Submodule => "a submodule".to_owned(),
        FileContent::Unreadable(reason) => one_line(reason),
        FileContent::Unread => return,
    };
    page.line(format!("    {}", paint.dim(note)));
}

fn coloured_line(paint: Paint, line: &str) -> String {
    match line.bytes().next() {
        Some(b'+') => paint.green(line),
        Some(b'-') => paint.red(line),
        Some(b'@' | b'\\') => paint.dim(line),
        _ => line.to_owned(),
    }
}

/// Writes a model's words: on a terminal as the Markdown that they are, elsewhere as they are.
fn write_words(page: &mut Page<'_>, indent: &str, text: &str) {
    if !page.is_on_terminal() {
        return write_block(page, indent, text, plain);
    }
    super::markdown::write(page, indent, text);
}

/// Writes a text line by line; of a long one its beginning and its end.
fn write_block(page: &mut Page<'_>, indent: &str, text: &str, look: impl Fn(Paint, &str) -> String) {
    let paint = page.paint();
    let cleaned = clean(text.trim_end());
    let lines: Vec<&str> = cleaned.lines().collect();
    let left = lines.len().saturating_sub(LINES);
    for (number, line) in lines.iter().enumerate() {
        if left > 0 && number == BEGINNING {
            page.line(format!("{indent}{}", paint.dim(format!("… {} left out", count(left, "line")))));
        }
        if left > 0 && (BEGINNING..BEGINNING + left).contains(&number) {
            continue;
        }
        let shown = match line.char_indices().nth(WIDTH) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => (*line).to_owned(),
        };
        page.line(format!("{indent}{}", look(paint, &shown)).trim_end());
    }
}

fn plain(_: Paint, line: &str) -> String {
    line.to_owned()
}

fn heading(page: &mut Page<'_>, title: &str, beside: Option<&str>) {
    let paint = page.paint();
    page.line("");
    let beside = beside.map_or_else(String::new, |beside| format!("  {}", paint.dim(beside)));
    page.line(format!("{}{beside}", paint.blue(title)));
}

fn abbreviated(commit_id: &CommitId) -> String {
    commit_id.as_str().chars().take(12).collect()
}
