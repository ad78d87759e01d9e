//! The way out: a tool that may reach some hosts reaches these, through the program's proxy, and nothing else.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rye::capability::HostRules;
use rye::net::Proxy;
use rye::process::{CancelFlag, ChildOutput, Waiting, find_program, run_with_way_out};

use super::{Cell, Held, PATH, text};
use crate::support::has;
use crate::support::users::User;

/// A server that answers every request with what it was asked, and counts them.
struct Server {
    port: u16,
    asked: Arc<AtomicUsize>,
}

impl Server {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                counted.fetch_add(1, Ordering::SeqCst);
                let mut head = [0; 2048];
                let count = stream.read(&mut head).unwrap_or_default();
                let body = String::from_utf8_lossy(&head[..count]).into_owned();
                let _ = write!(
                    stream,
                    "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                    body.len()
                );
            }
        });
        Self { port, asked }
    }
}

/// Runs a program in Python that may reach what `rules` name.
fn python(cell: &Cell, program: &str, rules: &[String], held: Held) -> ChildOutput {
    let mut spec = cell.spec(&find_program("python3", PATH, &[]).unwrap(), &["-c", program], "", held);
    let rules = rules.iter().map(|rule| rule.parse().unwrap()).collect();
    spec.sandbox.iter_mut().for_each(|sandbox| sandbox.network = true);
    let serve = |listener, _| Proxy::serve(listener, HostRules::default().or(vec![rules])).unwrap();
    let waiting = Waiting { cancel: &CancelFlag::new(), said: None };
    run_with_way_out(&spec, Some(crate::support::RYE.as_ref()), waiting, serve).unwrap()
}

/// What all programs here begin with: a request through the proxy, and what came back.
const ASK: &str = "
import socket
def ask(head):
    s = socket.create_connection(('127.0.0.1', 3128))
    s.sendall(head.encode())
    all = b''
    while True:
        more = s.recv(65536)
        if not more: return all.decode()
        all += more
";

#[test]
fn a_host_that_is_named_is_reached_and_no_other() {
    if !has("python3") {
        return;
    }
    for user in User::all() {
        user.does(|| {
            let (named, other) = (Server::start(), Server::start());
            let (port, other_port) = (named.port, other.port);
            let cell = Cell::new();
            let program = format!(
                "{ASK}
print(ask('GET http://127.0.0.1:{port}/plain HTTP/1.1\\r\\nHost: elsewhere\\r\\n\\r\\n'))
s = socket.create_connection(('127.0.0.1', 3128))
s.sendall(b'CONNECT 127.0.0.1:{port} HTTP/1.1\\r\\n\\r\\n')
print(s.recv(100).decode().splitlines()[0])
s.sendall(b'GET /tunnel HTTP/1.1\\r\\n\\r\\n')
more = s.recv(1000)
while more:
    print(more.decode())
    more = s.recv(1000)
print(ask('CONNECT 127.0.0.1:{other_port} HTTP/1.1\\r\\n\\r\\n'))
print(ask('GET http://localhost:{port}/ HTTP/1.1\\r\\n\\r\\n'))
print(ask('GET http://example.org/ HTTP/1.1\\r\\n\\r\\n'))
print(ask('GET / HTTP/1.1\\r\\n\\r\\n'))"
            );
            let rules = [format!("127.0.0.1:{port}")];
            let output = python(&cell, &program, &rules, Held::AsEverywhere);
            let said = text(&output.stdout);
            let told = format!("{user:?}: {said}{}", text(&output.stderr));
            assert!(said.contains(&format!("GET /plain HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n")), "{told}");
            assert!(said.contains("HTTP/1.1 200 Connection established") && said.contains("GET /tunnel"), "{told}");
            let refused =
                |host: &str| format!("rye: this tool may not reach `{host}`: it may reach `127.0.0.1:{port}`");
            for host in [format!("127.0.0.1:{other_port}"), format!("localhost:{port}"), "example.org:80".to_owned()] {
                assert!(said.contains(&refused(&host)), "{host}: {told}");
            }
            assert!(said.contains("rye: this is a proxy"), "{told}");
            assert_eq!((named.asked.load(Ordering::SeqCst), other.asked.load(Ordering::SeqCst)), (2, 0), "{told}");
        });
    }
}

/// The attempts, by name, and in Python; `PORT` is a server's of this machine that is named, `OTHER` one that is not.
pub(super) const ATTEMPTS: [(&str, &str); 9] = [
    ("another port of an allowed host", "assert ' 200 ' in ask('CONNECT 127.0.0.1:OTHER HTTP/1.1\\r\\n\\r\\n')"),
    ("an allowed host without the proxy", "socket.create_connection(('127.0.0.1', PORT))"),
    (
        "an allowed name that is this machine's",
        "assert ' 200 ' in ask('CONNECT ip6-localhost:PORT HTTP/1.1\\r\\n\\r\\n')",
    ),
    (
        "a datagram without the proxy",
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', PORT))",
    ),
    ("a name server without the proxy", "socket.getaddrinfo('example.org', 80)"),
    ("a server without the proxy", "s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen()"),
    ("a raw socket without the proxy", "socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)"),
    ("netlink without the proxy", "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)"),
    ("a socket by path without the proxy", "socket.socket(socket.AF_UNIX).connect('/run/docker.sock')"),
];

#[test]
fn a_way_out_is_no_way_around() {
    if !has("python3") {
        return;
    }
    for user in User::all() {
        user.does(|| {
            let (named, other) = (Server::start(), Server::start());
            let cell = Cell::new();
            for (name, attempt) in ATTEMPTS {
                let attempt =
                    attempt.replace("PORT", &named.port.to_string()).replace("OTHER", &other.port.to_string());
                let rules = [format!("127.0.0.1:{}", named.port), format!("ip6-localhost:{}", named.port)];
                let output = python(&cell, &format!("{ASK}\n{attempt}"), &rules, Held::AsEverywhere);
                assert_eq!(output.exit_code, Some(1), "{name}, {user:?}: {}", text(&output.stderr));
            }
            assert_eq!((named.asked.load(Ordering::SeqCst), other.asked.load(Ordering::SeqCst)), (0, 0), "{user:?}");
        });
    }
}

/// The proxy goes with the tool, and what it still carries with it.
#[test]
fn nothing_is_left_of_a_way_out() {
    if !has("python3") {
        return;
    }
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let rule = format!("127.0.0.1:{}", silent.local_addr().unwrap().port());
    let program = format!(
        "{ASK}
s = socket.create_connection(('127.0.0.1', 3128))
s.sendall(b'CONNECT {rule} HTTP/1.1\\r\\n\\r\\n')
print(s.recv(100).decode().splitlines()[0])"
    );
    let output = python(&Cell::new(), &program, &[rule], Held::AsEverywhere);
    assert!(text(&output.stdout).contains("200"), "{}", text(&output.stderr));
    let (mut carried, _) = silent.accept().unwrap();
    assert_eq!(carried.read(&mut [0; 10]).unwrap(), 0);
}
