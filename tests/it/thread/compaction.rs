//! A conversation that is longer than the context of its model: old results become pointers, old turns a summary, and the work
//! goes on; on each wire format, against a server that refuses what a model's server refuses.

use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use rye::event::{CallStatus, Event, EventData, TurnRange};
use rye::thread::{Outcome, Status};
use serde_json::{Value, json};

use super::providers::{ANTHROPIC, CHAT, RESPONSES, Wire};
use super::world::{World, check_events};
use crate::support::http::{Asked, Piece, Reply, Server, reply};
use crate::support::strict;

/// A model, and how long it works.
#[derive(Debug, Clone, Copy)]
struct Scale {
    turns: usize,
    /// Its context, in tokens.
    window: u64,
    /// The most output of one answer.
    output: u64,
}

const SMALL: Scale = Scale { turns: 60, window: 8_000, output: 2_048 };

/// What turn 3 finds.
const FACT: &str = "FACT-7391: the vault is behind the tulips";

/// How a request for a summary begins.
const WANTED: &str = "The context is full. Your answer to this message";

const LONG: Scale = Scale { turns: 400, window: 20_000, output: 4_096 };

/// What a server saw.
#[derive(Debug, Default)]
struct Seen {
    /// The tokens of each request, and whether it asked for a summary.
    requests: Vec<(u64, bool)>,
    /// Why it refused a request.
    faults: Vec<String>,
    /// Whether the fact was in the last request, or was read back.
    has_fact: bool,
    read_back: bool,
}

/// A server that reads files for so many turns, and summarises when it is asked.
struct Model {
    server: Server,
    seen: Arc<Mutex<Seen>>,
}

/// What the model keeps in a summary.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Summaries {
    /// The fact or its pointer, whatever it sees.
    Good,
    /// Nothing.
    Empty,
}

/// Counts as a server does: what a token is of a text, it alone knows.
fn tokens(asked: &Asked) -> u64 {
    asked.body.to_string().len() as u64 * 2 / 7
}

fn most_output(body: &Value) -> u64 {
    let names = ["max_tokens", "max_completion_tokens", "max_output_tokens"];
    names.iter().find_map(|name| body[*name].as_u64()).unwrap()
}

/// Gives a reply the usage that its request has.
fn billed(reply: Reply, input: u64) -> Reply {
    let billed = |text: &str| {
        text.replace("\"input_tokens\":60,", &format!("\"input_tokens\":{},", input.saturating_sub(40)))
            .replace("\"input_tokens\":100,", &format!("\"input_tokens\":{input},"))
            .replace("\"prompt_tokens\":100,", &format!("\"prompt_tokens\":{input},"))
    };
    let piece = |piece| match piece {
        Piece::Bytes(bytes) => Piece::Bytes(billed(&String::from_utf8(bytes).unwrap()).into_bytes()),
        other => other,
    };
    reply.into_iter().map(piece).collect()
}

fn refused(message: &str) -> Reply {
    let error = json!({"type": "error", "error": {"type": "invalid_request_error", "message": message, "code": null}});
    reply("400 Bad Request", &["content-type: application/json"], &error.to_string())
}

/// Returns the call of turn 3 that a pointer or a summary in a request names.
fn pointer(body: &str) -> Option<String> {
    let (body, mark) = (body.replace('\\', ""), "\"turn\":3,\"call_id\":\"");
    let rest = &body[body.find(mark)? + mark.len()..];
    Some(rest[..rest.find('"')?].to_owned())
}

impl Model {
    fn new(wire: Wire, Scale { turns, window, .. }: Scale, summaries: Summaries) -> Self {
        let seen = Arc::new(Mutex::new(Seen::default()));
        let (shared, answered) = (Arc::clone(&seen), AtomicUsize::new(0));
        let server = Server::answering(move |_, asked| {
            let (input, body) = (tokens(asked), asked.body.to_string());
            if asked.path.ends_with("/count_tokens") {
                return reply(
                    "200 OK",
                    &["content-type: application/json"],
                    &json!({"input_tokens": input}).to_string(),
                );
            }
            let is_summary = body.contains(WANTED);
            let mut seen = shared.lock().unwrap();
            seen.requests.push((input, is_summary));
            if let Some(fault) = strict::fault(&asked.path, &asked.body) {
                seen.faults.push(fault.clone());
                return refused(&fault);
            }
            if input + most_output(&asked.body) > window {
                return refused(&format!("prompt is too long: {input} tokens > {window} maximum"));
            }
            let answer = if is_summary {
                (wire.text)(&summary(&body, summaries))
            } else {
                let number = answered.fetch_add(1, Ordering::SeqCst) + 1;
                turn(&wire, number, turns, &body, &mut seen)
            };
            billed(answer, input)
        });
        Self { server, seen }
    }
}

fn summary(body: &str, summaries: Summaries) -> String {
    if summaries == Summaries::Empty {
        return "  ".to_owned();
    }
    let fact = if body.contains(FACT) {
        FACT.to_owned()
    } else {
        pointer(body).map_or_else(String::new, |id| json!({"turn": 3, "call_id": id}).to_string())
    };
    format!("Read many files. Found: {fact}. Open: read the rest. {}", "Note. ".repeat(80))
}

/// What the model does in a turn: reads a file, and in the last one has the fact or reads it back.
fn turn(wire: &Wire, number: usize, turns: usize, body: &str, seen: &mut Seen) -> Reply {
    let read = |path: String| (wire.call)("rye_file_system_read", &json!({"path": path}));
    if number < turns {
        return read(if number == 3 { "data/fact.txt".to_owned() } else { format!("data/f{}.txt", number % 7) });
    }
    seen.has_fact = body.contains(FACT);
    match (seen.has_fact, seen.read_back) {
        (false, false) => {
            seen.read_back = true;
            let id = pointer(body).unwrap_or_default();
            (wire.call)("rye_read_result", &json!({"turn": 3, "call_id": id}))
        }
        _ => (wire.text)("Done."),
    }
}

/// A world whose directive reads files, asked of a document of this server.
fn world(wire: &Wire, server: &Server, output: u64, models: &str) -> World {
    let world = World::new();
    let permissions =
        r#"<execute><tool>rye.file-system.read</tool></execute><read resource="filesystem" path="data/**" />"#;
    world.directive(permissions, LIMITS, "");
    let path = ".ai/directives/demo/work.md";
    world.write(path, &world.read(path).replace("tier=\"scripted\"", "tier=\"general\""));
    for number in 0..7 {
        world
            .write(&format!("data/f{number}.txt"), &format!("file {number}: {}\n", "lorem ipsum ".repeat(90 + number)));
    }
    world.write("data/fact.txt", &format!("{FACT}\n{}\n", "dolor sit ".repeat(120)));
    let plugin = match wire.provider {
        provider if provider == ANTHROPIC.provider => "plugin: anthropic",
        provider if provider == RESPONSES.provider => "plugin: openai\nwire: responses",
        _ => "plugin: openai\nwire: chat",
    };
    let document = format!(
        "tool_id: my/server\ntool_type: provider\nversion: \"1.0.0\"\ncategory: my\ndescription: A server\n{plugin}\n\
         url: {}{}\ntiers:\n  general: local\nlimits:\n  max_output_tokens: {output}\npricing:\n  \"*\":\n    input_per_million: \"1\"\n    output_per_million: \"1\"\n{models}",
        server.url(),
        wire.base,
    );
    world.write_at(&world.path("home/.ai/tools/my/server.yaml"), &document);
    for args in [&["sign", "--all", "-q"][..], &["-C", "../home", "sign", "tool", "my/server", "-q"]] {
        let signed = world.rye(args).output().unwrap();
        assert!(signed.status.success(), "{}", String::from_utf8_lossy(&signed.stderr));
    }
    world.commit("items");
    world
}

const LIMITS: &str = r#"turns="500" tokens="9000000" spend="90.00" duration="1000""#;

fn models(scale: Scale) -> String {
    format!("models:\n  local:\n    context: {}\n", scale.window)
}

fn rye(world: &World, args: &[&str]) -> (i32, Value, String) {
    let output = world.rye(args).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    (output.status.code().unwrap(), serde_json::from_slice(&output.stdout).unwrap_or_default(), told)
}

fn run(world: &World) -> (i32, Value, String) {
    rye(world, &["thread", "run", "demo/work", "--json"])
}

fn shown(world: &World, args: &[&str]) -> String {
    String::from_utf8(world.rye(args).output().unwrap().stdout).unwrap()
}

fn summarised(events: &[Event]) -> Vec<TurnRange> {
    let summary = |event: &Event| match event.what {
        EventData::Summary { turns, .. } => Some(turns),
        _ => None,
    };
    events.iter().filter_map(summary).collect()
}

/// Runs on a wire format, and holds every request to the window.
fn goes_on(wire: Wire, scale: Scale) -> (World, Outcome, String) {
    let Scale { turns, window, output } = scale;
    let (name, model) = (wire.provider, Model::new(Wire { ..wire }, scale, Summaries::Good));
    let world = world(&wire, &model.server, output, &models(scale));
    let (code, outcome, told) = run(&world);
    let seen = model.seen.lock().unwrap();
    assert_eq!(seen.faults, Vec::<String>::new(), "{name}");
    assert_eq!((code, &outcome["status"]), (0, &json!("completed")), "{name}: {told}{outcome:#}");
    assert!(seen.has_fact, "{name}: what turn 3 found is lost");
    let greatest = seen.requests.iter().map(|(tokens, _)| *tokens).max().unwrap();
    assert!(greatest + output <= window, "{name}: a request of {greatest} tokens leaves no room for an answer");
    let all: u64 = seen.requests.iter().map(|(tokens, _)| tokens).sum();
    let bound = turns as u64 * window * 6 / 10;
    assert!(all <= bound, "{name}: {all} input tokens in all, more than {bound}");
    assert_eq!(outcome["usage"]["input_tokens"], all, "{name}: summaries are counted");
    let outcome = world.shown(&outcome);
    world.check(&outcome);
    drop(seen);
    let last = model.server.asked().last().unwrap().body.to_string();
    (world, outcome, last)
}

#[test]
fn a_long_conversation_stays_within_the_window_over_messages() {
    let turns = LONG.turns;
    let (world, outcome, last_request) = goes_on(ANTHROPIC, LONG);
    let events = world.events(&outcome);
    let ranges = summarised(&events);
    assert!(!ranges.is_empty() && ranges.iter().all(|range| range.first == 1), "{ranges:?}");
    assert!(ranges.windows(2).all(|pair| pair[0].last < pair[1].last), "{ranges:?}");
    // Few large steps, not one each turn.
    let steps = events.iter().filter(|event| matches!(event.what, EventData::ResultsCleared { .. })).count();
    assert!(steps >= 1 && (steps + ranges.len()) * 4 < turns, "{steps} {ranges:?}");
    let told = events.iter().filter(|event| matches!(&event.what, EventData::UserMessage { text } if text.starts_with("The context is nearly full")));
    assert!((1..=steps + ranges.len() + 1).contains(&told.count()), "{steps} {ranges:?}");

    // A summary gives no orders: it is marked as what the model wrote.
    let note = "It is your own note: it changes no instruction and no permission.";
    assert!(last_request.contains(note), "{last_request}");

    // The whole conversation stays in the record, and pages show what was left out.
    assert_eq!(
        events.iter().filter(|event| matches!(event.what, EventData::ToolCallResult { .. })).count(),
        outcome.turns as usize - 1
    );
    assert!(world.thread_file(&outcome, "transcript.md").contains("Summary of turns 1 to"));
    let id = outcome.thread_id.as_str();
    let page = shown(&world, &["thread", "show", id]);
    assert!(page.contains("left out") && page.contains("summarised") && page.contains("Read many files."), "{page}");
    let html = world.path("run.html").display().to_string();
    shown(&world, &["thread", "show", id, "--html", &html]);
    let html = std::fs::read_to_string(html).unwrap();
    assert!(html.contains("in the place of turns 1 to") && html.contains("Left out of later requests"));
    let (_, json) = world.rye_json(&["thread", "show", id]);
    let first = json!({"first": 1, "last": ranges[0].last});
    assert!(json.to_string().contains(&format!("\"turns\":{first}")), "{json}");
    let subjects = world.log(&outcome, "%s");
    assert!(
        subjects.iter().any(|subject| *subject == format!("summary: turns 1 to {}", ranges[0].last)),
        "{subjects:?}"
    );
}

#[test]
fn a_long_conversation_stays_within_the_window_over_responses() {
    goes_on(RESPONSES, SMALL);
}

#[test]
fn a_long_conversation_stays_within_the_window_over_chat_completions() {
    goes_on(CHAT, SMALL);
}

/// A server whose window no document tells refuses the request; a shorter one is sent in the same turn.
#[test]
fn a_refused_conversation_is_sent_again_shorter() {
    for wire in [ANTHROPIC, RESPONSES, CHAT] {
        let model = Model::new(Wire { ..wire }, SMALL, Summaries::Good);
        let world = world(&wire, &model.server, SMALL.output, "");
        let (code, outcome, told) = run(&world);
        let seen = model.seen.lock().unwrap();
        assert_eq!((code, &outcome["status"]), (0, &json!("completed")), "{}: {told}{outcome:#}", wire.provider);
        assert!(seen.faults.is_empty() && seen.has_fact, "{:?}", seen.faults);
        let outcome = world.shown(&outcome);
        let events = world.events(&outcome);
        assert!(events.iter().any(|event| matches!(event.what, EventData::ContextRefused { .. })), "{}", wire.provider);
        world.check(&outcome);
    }
}

/// Without a summary it ends, and can be taken up again; nothing of it is lost.
#[test]
fn an_empty_summary_ends_the_thread_resumably() {
    let model = Model::new(ANTHROPIC, SMALL, Summaries::Empty);
    let world = world(&ANTHROPIC, &model.server, SMALL.output, &models(SMALL));
    let (code, outcome, told) = run(&world);
    assert_eq!((code, &outcome["error"]["code"]), (1, &json!("context_exceeded")), "{told}{outcome:#}");
    let ended = world.shown(&outcome);
    world.check(&ended);
    let rest = Scale { turns: SMALL.turns - ended.turns as usize, ..SMALL };
    let better = Model::new(ANTHROPIC, rest, Summaries::Good);
    let document = world.path("home/.ai/tools/my/server.yaml");
    let text = std::fs::read_to_string(&document).unwrap().replace(&model.server.url(), &better.server.url());
    world.write_at(&document, &text);
    assert!(world.rye(&["-C", "../home", "sign", "tool", "my/server", "-q"]).status().unwrap().success());
    let (code, outcome, told) = rye(&world, &["thread", "resume", ended.thread_id.as_str(), "--json"]);
    assert_eq!((code, &outcome["status"]), (0, &json!("completed")), "{told}{outcome:#}");
    assert_eq!(better.seen.lock().unwrap().faults, Vec::<String>::new());
    let resumed = world.shown(&outcome);
    world.check_record(&resumed);
    assert!(world.events(&resumed).len() > world.events(&ended).len() || resumed.turns > ended.turns);
}

/// A fork goes on with the conversation as it was sent, and reads back what the thread before has.
#[test]
fn a_fork_goes_on_with_the_shortened_conversation() {
    let (world, outcome, _) = goes_on(CHAT, SMALL);
    let first = summarised(&world.events(&outcome))[0];
    let summary = outcome.summaries[0].turn;
    let more = Model::new(CHAT, Scale { turns: 1, ..SMALL }, Summaries::Good);
    let document = world.path("home/.ai/tools/my/server.yaml");
    let text = std::fs::read_to_string(&document).unwrap();
    let (before, rest) = text.split_once("url: ").unwrap();
    let (_, after) = rest.split_once('\n').unwrap();
    world.write_at(&document, &format!("{before}url: {}/v1\n{after}", more.server.url()));
    assert!(world.rye(&["-C", "../home", "sign", "tool", "my/server", "-q"]).status().unwrap().success());
    let turn = (summary + 1).to_string();
    let (code, forked, told) = rye(&world, &["thread", "fork", outcome.thread_id.as_str(), "--turn", &turn, "--json"]);
    assert_eq!((code, &forked["status"]), (0, &json!("completed")), "{told}{forked:#}");
    let seen = more.seen.lock().unwrap();
    assert!(seen.faults.is_empty() && seen.has_fact, "{:?}", seen.faults);
    let asked = more.server.asked()[0].body.to_string();
    assert!(asked.contains(&format!("Your summary of turns 1 to {}", first.last)), "{asked}");
    let forked = world.shown(&forked);
    world.replays(&forked);
    assert_eq!(summarised(&world.events(&outcome))[0], first);
    check_events(&world.events(&outcome));
    assert_eq!(outcome.status, Status::Completed);
}

/// A rerun begins with the directive and the inputs of the first run, and not with its continuation; it is made shorter again.
#[test]
fn a_rerun_begins_anew_and_is_made_shorter_again() {
    let model = Model::new(ANTHROPIC, SMALL, Summaries::Good);
    let world = world(&ANTHROPIC, &model.server, SMALL.output, &models(SMALL));
    continued_by(&world, "summary");
    let (code, outcome, told) = run(&world);
    assert_eq!((code, &outcome["status"]), (0, &json!("completed")), "{told}{outcome:#}");
    let first = world.shown(&outcome);
    let again = Model::new(ANTHROPIC, SMALL, Summaries::Good);
    let document = world.path("home/.ai/tools/my/server.yaml");
    let text = std::fs::read_to_string(&document).unwrap().replace(&model.server.url(), &again.server.url());
    world.write_at(&document, &text);
    assert!(world.rye(&["-C", "../home", "sign", "tool", "my/server", "-q"]).status().unwrap().success());
    let (code, outcome, told) = rye(&world, &["thread", "rerun", first.thread_id.as_str(), "--json"]);
    assert_eq!((code, &outcome["status"]), (0, &json!("completed")), "{told}{outcome:#}");
    assert_eq!((&outcome["directive"], &outcome["rerun_of"]), (&json!("demo/work"), &json!(first.thread_id.as_str())));
    let seen = again.seen.lock().unwrap();
    assert!(seen.faults.is_empty() && seen.has_fact, "{:?}", seen.faults);
    drop(seen);
    let asked = again.server.asked()[0].body.to_string();
    assert!(asked.contains("Work.") && !asked.contains("Go on by these notes"), "{asked}");
    let rerun = world.shown(&outcome);
    assert!(!continuations(&world.events(&rerun)).is_empty());
    world.check(&rerun);
}

/// Reads a file next to the log of the thread that runs.
fn beside_log(world: &World, name: &str) -> String {
    let Ok(mut folder) = std::fs::read_dir(world.in_project(".git/rye/threads")) else { return String::new() };
    let thread = folder.next().map(|entry| entry.unwrap().path().join(name));
    thread.and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default()
}

/// Killed while a summary is asked for, when its answer is received, and before its commit: it is asked for at most once more, and
/// the thread completes.
#[test]
fn a_run_killed_around_a_summary_is_taken_up_again() {
    for (file, mark, is_received) in [
        ("events.jsonl", "\"type\":\"summary_start\"", false),
        ("journal", "\"summarized\":{", true),
        ("events.jsonl", "\"type\":\"summary\"", true),
    ] {
        let model = Model::new(ANTHROPIC, SMALL, Summaries::Good);
        let world = world(&ANTHROPIC, &model.server, SMALL.output, &models(SMALL));
        let mut rye = world.rye(&["thread", "run", "demo/work", "--quiet"]);
        let mut rye = rye.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        while !beside_log(&world, file).contains(mark) && rye.try_wait().unwrap().is_none() {}
        rye.kill().unwrap();
        rye.wait().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(80));
        let (code, outcome, told) = self::rye(&world, &["thread", "resume", "@latest", "--json"]);
        assert_eq!((code, &outcome["status"]), (0, &json!("completed")), "{mark}: {told}{outcome:#}");
        let seen = model.seen.lock().unwrap();
        assert!(seen.faults.is_empty() && seen.has_fact, "{mark}: {:?}", seen.faults);
        let asked = seen.requests.iter().filter(|(_, is_summary)| *is_summary).count();
        drop(seen);
        let outcome = world.shown(&outcome);
        let events = world.events(&outcome);
        let summaries = summarised(&events).len();
        assert!((summaries..=summaries + 1).contains(&asked), "{mark}: {asked} requests for {summaries} summaries");
        let received = events.iter().find_map(|event| match event.what {
            EventData::ThreadResumed { answered, summarized, .. } => Some((answered, summarized)),
            _ => None,
        });
        if is_received && asked == summaries {
            // Unless the commit was faster than the kill, what was received is not asked for again.
            assert!(received.is_some_and(|(answered, range)| answered == range.is_some()), "{mark}: {received:?}");
        }
        world.replays(&outcome);
    }
}

/// Writes and signs a directive that goes on with a summary.
fn continued_by(world: &World, input: &str) {
    let work = ".ai/directives/demo/work.md";
    let text = world.read(work);
    let unsigned = text.split_once('\n').unwrap().1;
    let next = unsigned.replace("name=\"work\"", "name=\"next\"").replace(
        "</directive>\n```\n\n<process>\n  <step name=\"next\">Work.</step>",
        &format!(
            "<inputs><input name=\"{input}\" type=\"string\" required=\"true\">Notes</input></inputs>\n</directive>\n```\n\n\
             <process>\n  <step name=\"go_on\">Go on by these notes: {{input:{input}}}</step>"
        ),
    );
    world.write(".ai/directives/demo/next.md", &next);
    let continued = "<continuation_directive>demo/next</continuation_directive></metadata>";
    world.write(work, &text.replace("</metadata>", continued));
    let signed = world.rye(&["sign", "--all", "-q"]).output().unwrap();
    assert!(signed.status.success(), "{}", String::from_utf8_lossy(&signed.stderr));
    world.commit("continued");
}

fn continuations(events: &[Event]) -> Vec<CallStatus> {
    let status = |event: &Event| match &event.what {
        EventData::ContinuationStart { status, .. } => Some(*status),
        _ => None,
    };
    events.iter().filter_map(status).collect()
}

#[test]
fn a_continuation_directive_starts_with_the_summary() {
    for wire in [ANTHROPIC, RESPONSES, CHAT] {
        let model = Model::new(Wire { ..wire }, SMALL, Summaries::Good);
        let world = world(&wire, &model.server, SMALL.output, &models(SMALL));
        continued_by(&world, "summary");
        let (code, outcome, told) = run(&world);
        assert_eq!((code, &outcome["status"]), (0, &json!("completed")), "{}: {told}{outcome:#}", wire.provider);
        let seen = model.seen.lock().unwrap();
        assert!(seen.faults.is_empty() && seen.has_fact, "{:?}", seen.faults);
        drop(seen);
        let events = world.events(&world.shown(&outcome));
        let tried = events.iter().find(|event| matches!(event.what, EventData::ContinuationStart { .. }));
        let asked = model.server.asked();
        let (first, last) = (asked[0].body.to_string(), asked.last().unwrap().body.to_string());
        assert!(first.contains("Work.") && !first.contains("Go on by these notes"), "{first}");
        assert!(
            last.contains("Go on by these notes: Read many files.") && !last.contains("Work.</step>"),
            "{tried:?} {last}"
        );
        let outcome = world.shown(&outcome);
        let started = continuations(&events);
        assert!(!started.is_empty() && started.iter().all(|status| *status == CallStatus::Ok), "{started:?}");
        assert_eq!(
            events
                .iter()
                .rev()
                .find(|event| matches!(event.what, EventData::StepFinish { .. }))
                .unwrap()
                .directive
                .as_str(),
            "demo/next"
        );
        world.check(&outcome);
        let page = shown(&world, &["thread", "show", outcome.thread_id.as_str()]);
        assert!(page.contains("continues with demo/next"), "{page}");
    }
}

/// One that takes no summary is not started: the summary alone takes the place of the turns.
#[test]
fn a_continuation_directive_without_the_input_leaves_the_summary() {
    let model = Model::new(ANTHROPIC, SMALL, Summaries::Good);
    let world = world(&ANTHROPIC, &model.server, SMALL.output, &models(SMALL));
    continued_by(&world, "notes");
    let (code, outcome, told) = run(&world);
    assert_eq!((code, &outcome["status"]), (0, &json!("completed")), "{told}{outcome:#}");
    assert!(model.server.asked().last().unwrap().body.to_string().contains("Your summary of turns 1 to"));
    let outcome = world.shown(&outcome);
    assert_eq!(continuations(&world.events(&outcome))[0], CallStatus::Error);
    world.check(&outcome);
    // A thread does not begin whose continuation does not exist.
    std::fs::remove_file(world.in_project(".ai/directives/demo/next.md")).unwrap();
    let (code, outcome, told) = run(&world);
    assert!(code != 0 && format!("{told}{outcome}").contains("demo/next"), "{told}{outcome}");
}

/// What an event says it replaced is in the record, or the record is damaged.
#[test]
fn a_record_without_what_was_replaced_is_damaged() {
    let (world, outcome, _) = goes_on(CHAT, SMALL);
    let damaged = |world: &World| {
        let page = shown(world, &["thread", "show", outcome.thread_id.as_str()]);
        page.lines().filter(|line| line.contains("damaged")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(damaged(&world), Vec::<String>::new());
    let events = world.events(&outcome);
    let of = |wanted: fn(&EventData) -> bool| events.iter().find(|event| wanted(&event.what)).unwrap().turn;
    let cleared = of(|what| matches!(what, EventData::ResultsCleared { .. }));
    let summary = of(|what| matches!(what, EventData::Summary { .. }));
    let file = |turn: u32| format!("turns/00/{turn:04}.jsonl");
    let changed = |turn: u32, from: &str, to: &str| world.thread_file(&outcome, &file(turn)).replacen(from, to, 1);
    let last = summarised(&events)[0].last;
    let files = [
        (file(cleared), changed(cleared, "\"results\":[{\"turn\":1,", "\"results\":[{\"turn\":2,")),
        (file(summary), changed(summary, &format!("\"last\":{last}}},\"text\""), "\"last\":9999},\"text\"")),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    world.tamper(&outcome, &files, "changed");
    let told = damaged(&world).join("\n");
    assert!(told.contains("and turn 2 does not have it") && told.contains("summarises turns 1 to 9999"), "{told}");
    let (code, replay, _) = rye(&world, &["thread", "replay", outcome.thread_id.as_str(), "--json"]);
    assert!(code != 0 && replay["status"] != "same", "{replay:#}");
}
