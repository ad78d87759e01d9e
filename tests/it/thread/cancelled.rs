//! A thread that asks a model is stopped at any moment of the exchange, and ends on record.
//!
//! No server here ever answers: that the program ends at all shows that it does not wait for one.

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::TcpListener;
use std::process::{Child, ChildStderr, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::live::{begun, on_terminal};
use super::providers::{ANTHROPIC, KEY, world};
use super::world::World;
use crate::support::has;
use crate::support::http::{Piece, Reply, Server, reply};
use crate::support::pty::shown;

/// Longer than any wait.
const NEVER: Piece = Piece::Wait(Duration::from_secs(3600));

const SIGNALS: [(&str, &str); 3] =
    [("INT", "it was interrupted (Ctrl-C)"), ("TERM", "it was told to terminate"), ("HUP", "its terminal was closed")];

fn start(world: &World, url: &str) -> (Child, BufReader<ChildStderr>) {
    let mut rye = world.rye(&["thread", "run", "demo/work", "--json"]);
    rye.env(ANTHROPIC.key, KEY).env(ANTHROPIC.url, url).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut rye = rye.spawn().unwrap();
    let told = BufReader::new(rye.stderr.take().unwrap());
    (rye, told)
}

/// Sends the signal, and holds what follows to the contract.
fn stop(world: &World, mut rye: Child, mut told: BufReader<ChildStderr>, (signal, sentence): (&str, &str)) {
    let sent = std::process::Command::new("kill").args(["-s", signal, &rye.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let (mut printed, mut rest) = (String::new(), String::new());
    rye.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
    told.read_to_string(&mut rest).unwrap();
    let outcome: Value = serde_json::from_str(&printed).unwrap_or_else(|_| panic!("{printed}{rest}"));
    assert_eq!(rye.wait().unwrap().code(), Some(5), "{outcome}{rest}");
    assert_eq!((&outcome["status"], &outcome["error"]["message"]), (&json!("cancelled"), &json!(sentence)), "{rest}");
    let thread = world.shown(&outcome);
    world.check(&thread);
    assert_eq!(world.log(&thread, "%s").last().unwrap(), "end: cancelled");
    assert_eq!(world.trees(), Vec::<String>::new());
}

/// Waits until the server has been asked.
fn asked(server: &Server) {
    let mut waited = 0;
    while server.asked().is_empty() {
        assert!(waited < 12_000, "it was never asked");
        std::thread::sleep(Duration::from_millis(5));
        waited += 1;
    }
}

#[test]
fn while_it_connects() {
    let world = world();
    for signal in SIGNALS {
        // The server accepts the connection and never answers the TLS handshake.
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("https://{}", listener.local_addr().unwrap());
        let (rye, told) = start(&world, &url);
        let (mut connection, _) = listener.accept().unwrap();
        assert_eq!(connection.read(&mut [0]).unwrap(), 1);
        stop(&world, rye, told, signal);
    }
}

#[test]
fn before_the_first_byte() {
    let world = world();
    for signal in SIGNALS {
        let server = Server::new(vec![vec![NEVER]]);
        let (rye, told) = start(&world, &server.url());
        asked(&server);
        stop(&world, rye, told, signal);
    }
}

/// An answer that stops after its first words, in a stream or not.
fn halves() -> [Reply; 2] {
    let events = "event: ping\ndata: {\"type\": \"ping\"}\n\nevent: content_block_st";
    let stream = reply("200 OK", &["content-type: text/event-stream"], events);
    let body = reply("200 OK", &["content-type: application/json", "content-length: 5000"], "{\"type\": ");
    [stream, body].map(|reply| reply.into_iter().chain([NEVER]).collect())
}

#[test]
fn in_the_middle_of_an_answer() {
    let world = world();
    for signal in SIGNALS {
        for half in halves() {
            let server = Server::new(vec![half]);
            let (rye, told) = start(&world, &server.url());
            asked(&server);
            stop(&world, rye, told, signal);
        }
    }
}

#[test]
fn while_it_waits_to_ask_again() {
    let world = world();
    for signal in SIGNALS {
        let busy = r#"{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}"#;
        let busy = reply("529 Overloaded", &["content-type: application/json", "retry-after: 29"], busy);
        let server = Server::new(vec![busy]);
        let (rye, mut told) = start(&world, &server.url());
        let mut lines = String::new();
        while !lines.contains("retrying in 29.0 s") {
            assert_ne!(told.read_line(&mut lines).unwrap(), 0, "{lines}");
        }
        stop(&world, rye, told, signal);
        assert_eq!(server.asked().len(), 1);
    }
}

#[test]
fn on_a_terminal_by_ctrl_c() {
    if !has("python3") {
        return;
    }
    let world = world();
    let mut half = begun(&["Half of what it", " wanted to say."]);
    half.push(NEVER);
    let server = Server::new(vec![half]);
    let mut rye = on_terminal(&world, &server, &[], 80);
    rye.wait_for("wanted to say");
    rye.type_in("\u{3}");
    let (code, written) = rye.end();
    let lines = shown(&written, 80);
    assert_eq!(code, 5, "{lines:#?}");
    let half = lines.iter().position(|line| line.starts_with("  Half of what it wanted to say")).unwrap();
    assert_eq!(lines[half + 1], "  (this answer broke off and does not count)", "{lines:#?}");
    assert!(lines.iter().any(|line| line == "status    cancelled"), "{lines:#?}");
    let thread = world.shown(&world.rye_json(&["thread", "show", "@latest"]).1);
    world.check(&thread);
    assert!(!world.thread_file(&thread, "transcript.md").contains("Half of what"));
}

/// A model that does not answer in the time of the thread is not a failure of its provider.
#[test]
fn the_time_of_a_thread_ends_it_while_the_model_is_asked() {
    let world = world();
    let server = Server::new(vec![vec![NEVER]]);
    let mut rye = world.rye(&["thread", "run", "demo/work", "--json", "--limit", "duration=2"]);
    let output = rye.env(ANTHROPIC.key, KEY).env(ANTHROPIC.url, server.url()).output().unwrap();
    let outcome: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &outcome["error"]["code"]), (Some(5), &json!("limit")), "{outcome}");
    world.check(&world.shown(&outcome));
}

/// Whether the provider answered it is unknown.
#[test]
fn a_request_that_a_killed_run_sent_is_told_when_the_thread_goes_on() {
    let world = world();
    let server = Server::new(vec![vec![NEVER], (ANTHROPIC.text)("Done.")]);
    let (mut rye, _told) = start(&world, &server.url());
    asked(&server);
    rye.kill().unwrap();
    rye.wait().unwrap();
    let mut rye = world.rye(&["thread", "resume", "@latest", "--json"]);
    let output = rye.env(ANTHROPIC.key, KEY).env(ANTHROPIC.url, server.url()).output().unwrap();
    let outcome: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &outcome["status"]), (Some(0), &json!("completed")), "{outcome}");
    world.check_record(&world.shown(&outcome));
    let shown = world.rye(&["thread", "show", "@latest"]).output().unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains("1 request was sent and not answered; it may have been billed"), "{shown}");
}

/// Before, each stop forgot the requests of those before it, and so did the refusal to ask once more.
#[test]
fn requests_that_were_not_answered_count_against_the_limits_of_all_that_follows() {
    let world = world();
    let server = Server::answering(|_, _| vec![NEVER]);
    let rye = |args: &[&str]| {
        let mut rye = world.rye(args);
        rye.env(ANTHROPIC.key, KEY).env(ANTHROPIC.url, server.url()).stdout(Stdio::piped()).stderr(Stdio::null());
        rye
    };
    let run = ["thread", "run", "demo/work", "--json", "--limit", "spend=0.01"];
    let resume = ["thread", "resume", "@latest", "--json"];
    let mut stopped = 0;
    let outcome = loop {
        let args: &[&str] = if stopped == 0 { &run } else { &resume };
        let mut child = rye(args).spawn().unwrap();
        while server.asked().len() <= stopped && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(5));
        }
        if child.try_wait().unwrap().is_none() {
            // Every other one dies without a word.
            let signal = if stopped % 2 == 0 { "INT" } else { "KILL" };
            let sent = std::process::Command::new("kill").args(["-s", signal, &child.id().to_string()]).status();
            assert!(sent.unwrap().success());
            child.wait().unwrap();
            stopped += 1;
            assert!(stopped < 40, "nothing limits it");
            continue;
        }
        let mut printed = String::new();
        child.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(5), "{printed}");
        break serde_json::from_str::<Value>(&printed).unwrap();
    };
    assert!(stopped > 1, "{outcome}");
    assert_eq!((&outcome["status"], &outcome["error"]["code"]), (&json!("error"), &json!("limit")), "{outcome}");
    let message = outcome["error"]["message"].as_str().unwrap();
    let told = format!("leaves no room: {stopped} requests were sent and not answered, and may have been billed");
    assert!(message.starts_with("the limit on spend (0.01 USD) ") && message.ends_with(&told), "{message}");
    world.check_record(&world.shown(&outcome));
    // Resumed without a higher limit, it sends no request.
    let refused = rye(&resume).output().unwrap();
    assert_eq!((refused.status.success(), server.asked().len()), (false, stopped));
}
