//! The door to the network, against servers of this machine that do what servers do, and what they should not.

use std::cell::Cell;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rye::context::Secret;
use rye::net::{Body, Client, Error, Flow, Limits, Request, Response, ServerEvent, Settings};

use crate::support::http::{Piece, Reply, Server, reply};

const EVENTS: &str = "content-type: text/event-stream; charset=utf-8";

fn limits() -> Limits {
    Limits { silence: Duration::from_secs(20), whole: Duration::from_secs(30), ..Limits::default() }
}

fn send_to(
    url: &str,
    limits: Limits,
    is_cancelled: &dyn Fn() -> bool,
    seen: &mut dyn FnMut(&ServerEvent) -> Flow,
) -> Result<Response, Error> {
    send_by(&Client::new(Settings::default()), url, limits, is_cancelled, seen)
}

fn send_by(
    client: &Client,
    url: &str,
    limits: Limits,
    is_cancelled: &dyn Fn() -> bool,
    seen: &mut dyn FnMut(&ServerEvent) -> Flow,
) -> Result<Response, Error> {
    let endpoint = url.parse().unwrap();
    let request = Request {
        endpoint: &endpoint,
        path: "/v1/messages",
        headers: vec![("anthropic-version".to_owned(), "2023-06-01".to_owned())],
        authentication: Some(("x-api-key".to_owned(), Secret::new("geheim".to_owned()))),
        body: b"{}".to_vec(),
        stream: true,
    };
    assert!(!format!("{request:?}").contains("geheim"));
    client.send(request, limits, "2026-11-23T10:00:00Z".parse().unwrap(), is_cancelled, seen)
}

fn send(replies: Vec<Reply>) -> (Server, Result<Response, Error>) {
    let server = Server::new(replies);
    let sent = send_to(&server.url(), limits(), &|| false, &mut |_| Flow::More);
    (server, sent)
}

fn event(name: &str, data: &str) -> ServerEvent {
    ServerEvent { event: name.to_owned(), data: data.to_owned() }
}

#[test]
fn a_request_is_a_post_of_json_with_its_headers() {
    let (server, sent) =
        send(vec![reply("200 OK", &["content-type: application/json", "request-id: req_1"], "{\"a\": 1}")]);
    let response = sent.unwrap();
    assert_eq!((response.status, response.request_id.as_deref()), (200, Some("req_1")));
    assert_eq!(response.body, Body::Text { text: "{\"a\": 1}".to_owned() });
    let asked = &server.asked()[0];
    assert_eq!((asked.path.as_str(), asked.header("x-api-key")), ("/v1/messages", Some("geheim")));
    assert_eq!(asked.header("content-type"), Some("application/json"));
    assert_eq!(asked.header("accept"), Some("text/event-stream"));
    assert_eq!(asked.header("anthropic-version"), Some("2023-06-01"));
}

/// Whatever way the bytes of a stream are cut, the same events come.
#[test]
fn events_are_read_however_they_are_cut() {
    let text = "\u{feff}event: a\r\ndata: {\"x\": \"ü\"}\r\n\r\n: a comment\n\ndata: one\ndata: two\n\nevent: ping\ndata:\n\nid: 7\ndata: last\n\n";
    let expected = [event("a", "{\"x\": \"ü\"}"), event("", "one\ntwo"), event("ping", ""), event("", "last")].to_vec();
    let bytes = text.as_bytes();
    for at in (1..bytes.len()).step_by(3) {
        let head = Piece::Bytes(format!("HTTP/1.1 200 OK\r\n{EVENTS}\r\nconnection: close\r\n\r\n").into_bytes());
        let (one, two) = (Piece::Bytes(bytes[..at].to_vec()), Piece::Bytes(bytes[at..].to_vec()));
        let (_, sent) = send(vec![vec![head, one, Piece::Wait(Duration::from_millis(2)), two]]);
        let Body::Events { events, is_whole } = sent.unwrap().body else { panic!("no events") };
        let events: Vec<ServerEvent> = events.into_iter().filter(|event| event.event != "ping").collect();
        let expected: Vec<ServerEvent> = expected.iter().filter(|event| event.event != "ping").cloned().collect();
        assert!(is_whole);
        assert_eq!(events, expected, "cut at {at}");
    }
}

#[test]
fn nothing_is_read_after_the_last_event() {
    let endless = vec![
        Piece::Bytes(format!("HTTP/1.1 200 OK\r\n{EVENTS}\r\n\r\ndata: one\n\ndata: stop\n\n").into_bytes()),
        Piece::Wait(Duration::from_secs(60)),
    ];
    let server = Server::new(vec![endless]);
    let is_last = |event: &ServerEvent| if event.data == "stop" { Flow::Last } else { Flow::More };
    let begun = Instant::now();
    let sent = send_to(&server.url(), limits(), &|| false, &mut |event| is_last(event)).unwrap();
    assert_eq!(sent.body, Body::Events { events: vec![event("", "one"), event("", "stop")], is_whole: true });
    assert!(begun.elapsed() < Duration::from_secs(15));
}

#[test]
fn a_stream_that_breaks_off_is_told_from_one_that_ends() {
    let chunked = format!("HTTP/1.1 200 OK\r\n{EVENTS}\r\ntransfer-encoding: chunked\r\n\r\n");
    let cut = vec![Piece::Bytes(format!("{chunked}b\r\ndata: one\n\n\r\n40\r\ndata: tw").into_bytes())];
    let (_, sent) = send(vec![cut]);
    assert_eq!(sent.unwrap().body, Body::Events { events: vec![event("", "one")], is_whole: false });
    // Before the first event nothing is reported.
    let (_, sent) = send(vec![vec![Piece::Bytes(format!("{chunked}40\r\ndata: tw").into_bytes())]]);
    assert!(matches!(sent, Err(Error::Broken { .. })), "{sent:?}");
    let (_, sent) = send(vec![vec![]]);
    assert!(matches!(sent, Err(Error::Broken { .. })), "{sent:?}");
}

#[test]
fn limits_end_an_exchange_and_say_which() {
    let silent = vec![
        Piece::Bytes(format!("HTTP/1.1 200 OK\r\n{EVENTS}\r\n\r\n").into_bytes()),
        Piece::Wait(Duration::from_secs(60)),
    ];
    let server = Server::new(vec![silent]);
    let soon = Duration::from_millis(200);
    let bounded =
        |limits: Limits| send_to(&server.url(), limits, &|| false, &mut |_| Flow::More).unwrap_err().to_string();
    let host = server.url().replace("http://", "");
    assert_eq!(bounded(Limits { silence: soon, ..limits() }), format!("`{host}` said nothing more within 0.2 s"));
    assert_eq!(bounded(Limits { whole: soon, ..limits() }), format!("`{host}` did not end its answer within 0.2 s"));
    let mute = Server::new(vec![vec![Piece::Wait(Duration::from_secs(60))]]);
    let late = Limits { connect: soon, first_byte: soon, ..limits() };
    let told = send_to(&mute.url(), late, &|| false, &mut |_| Flow::More).unwrap_err().to_string();
    assert!(told.ends_with("did not begin to answer within 0.2 s"), "{told}");
    let large = reply("200 OK", &["content-type: application/json"], &"x".repeat(1 << 20));
    let server = Server::new(vec![large]);
    let small = Limits { bytes: 1 << 16, ..limits() };
    let error = send_to(&server.url(), small, &|| false, &mut |_| Flow::More).unwrap_err();
    assert!(matches!(error, Error::TooLarge { limit: 65536, .. }), "{error}");
}

#[test]
fn a_request_is_stopped_at_any_moment() {
    for pieces in [
        vec![Piece::Wait(Duration::from_secs(60))],
        vec![
            Piece::Bytes(format!("HTTP/1.1 200 OK\r\n{EVENTS}\r\n\r\ndata: one\n\n").into_bytes()),
            Piece::Wait(Duration::from_secs(60)),
        ],
    ] {
        let server = Server::new(vec![pieces]);
        let (begun, asked) = (Instant::now(), Cell::new(0));
        let is_cancelled = || {
            asked.set(asked.get() + 1);
            asked.get() > 5
        };
        let sent = send_to(&server.url(), limits(), &is_cancelled, &mut |_| Flow::More);
        assert!(matches!(sent, Err(Error::Cancelled)), "{sent:?}");
        assert!(begun.elapsed() < Duration::from_secs(15));
    }
}

/// A key goes to the host that it was meant for.
#[test]
fn no_redirect_is_followed() {
    let elsewhere = Server::new(vec![reply("200 OK", &[], "{}")]);
    for status in ["301 Moved Permanently", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"] {
        let to = format!("location: {}/v1/messages", elsewhere.url());
        let (server, sent) = send(vec![reply(status, &[&to], "")]);
        assert!(matches!(sent, Err(Error::Redirect { .. })), "{status}: {sent:?}");
        assert_eq!(server.asked().len(), 1);
    }
    assert_eq!(elsewhere.asked().len(), 0);
}

#[test]
fn nobody_there_is_told_without_the_key() {
    let closed = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}", listener.local_addr().unwrap())
    };
    let error = send_to(&closed, limits(), &|| false, &mut |_| Flow::More).unwrap_err();
    assert!(matches!(error, Error::Connect { .. }), "{error}");
    let told = rye::error::with_causes(&error);
    assert!(told.starts_with("cannot connect to `127.0.0.1:") && !told.contains("geheim"), "{told}");
}

/// A server that keeps each connection for this long after an answer, and closes it then. It answers so many requests on one
/// connection, and reads a further one before it closes.
fn keeping(kept: Duration, answers: usize) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let opened = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&opened);
    std::thread::spawn(move || {
        for mut connection in listener.incoming().flatten() {
            count.fetch_add(1, Ordering::SeqCst);
            std::thread::spawn(move || {
                connection.set_read_timeout(Some(kept)).unwrap();
                let mut bytes = [0; 4096];
                let mut answered = 0;
                while matches!(connection.read(&mut bytes), Ok(1..)) && answered < answers {
                    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
                    connection.write_all(head.as_bytes()).unwrap();
                    answered += 1;
                }
            });
        }
    });
    (url, opened)
}

/// Between two turns of a thread the client does not run, and does not see that a server closed its connection.
#[test]
fn a_connection_that_was_closed_while_idle_is_not_used() {
    let (url, opened) = keeping(Duration::from_millis(30), usize::MAX);
    let client = Client::new(Settings::default());
    for number in 1..=12 {
        let sent = send_by(&client, &url, limits(), &|| false, &mut |_| Flow::More);
        assert!(sent.is_ok(), "request {number}: {sent:?}");
        std::thread::sleep(Duration::from_millis(80));
    }
    assert_eq!(opened.load(Ordering::SeqCst), 12);
    // One that is still open is used again.
    let (url, opened) = keeping(Duration::from_secs(20), usize::MAX);
    for _ in 0..3 {
        send_by(&client, &url, limits(), &|| false, &mut |_| Flow::More).unwrap();
    }
    assert_eq!(opened.load(Ordering::SeqCst), 1);
}

/// Whoever reads a request may have worked on it.
#[test]
fn a_request_that_was_read_on_a_kept_connection_broke_off() {
    let (url, _) = keeping(Duration::from_secs(20), 1);
    let client = Client::new(Settings::default());
    send_by(&client, &url, limits(), &|| false, &mut |_| Flow::More).unwrap();
    let sent = send_by(&client, &url, limits(), &|| false, &mut |_| Flow::More);
    assert!(matches!(sent, Err(Error::Broken { .. })), "{sent:?}");
}
