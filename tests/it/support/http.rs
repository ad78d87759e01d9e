//! An HTTP server on this machine that answers by a script, and remembers what it was asked.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;

/// A request as it arrived.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) path: String,
    /// By lower-case name.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Value,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// A piece of a reply: bytes, or a wait, for a time or until a file is there.
#[derive(Debug, Clone)]
pub(crate) enum Piece {
    Bytes(Vec<u8>),
    Wait(Duration),
    Until(PathBuf),
}

/// What the server sends before it closes the connection.
pub(crate) type Reply = Vec<Piece>;

/// A reply of this status with these headers and this body.
pub(crate) fn reply(status: &str, headers: &[&str], body: &str) -> Reply {
    let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
    vec![Piece::Bytes(format!("HTTP/1.1 {status}\r\n{headers}connection: close\r\n\r\n{body}").into_bytes())]
}

/// A stream of server-sent events.
pub(crate) fn stream(events: &[(&str, Value)]) -> Reply {
    let body: String = events
        .iter()
        .map(
            |(name, data)| {
                if name.is_empty() { format!("data: {data}\n\n") } else { format!("event: {name}\ndata: {data}\n\n") }
            },
        )
        .collect();
    reply("200 OK", &["content-type: text/event-stream"], &body)
}

/// The server; it answers the first request with the first reply, and every one after the last with the last.
pub(crate) struct Server {
    address: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    pub(crate) fn new(replies: Vec<Reply>) -> Self {
        Self::answering(move |number, _| replies[number.min(replies.len() - 1)].clone())
    }

    /// A server that makes each reply of the request and its number, from 0.
    pub(crate) fn answering(answer: impl Fn(usize, &Asked) -> Reply + Send + Sync + 'static) -> Self {
        let answer = Arc::new(answer);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&asked);
        // It ends with the test's process, without a join.
        std::thread::spawn(move || {
            for (number, connection) in listener.incoming().enumerate() {
                let (Ok(connection), seen) = (connection, Arc::clone(&seen)) else { continue };
                let answer = Arc::clone(&answer);
                std::thread::spawn(move || serve(connection, &seen, |asked| answer(number, asked)));
            }
        });
        Self { address, asked }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

/// What breaks here is what the test is about: the other side went away.
fn serve(mut connection: TcpStream, seen: &Mutex<Vec<Asked>>, answer: impl Fn(&Asked) -> Reply) -> Option<()> {
    let mut reader = BufReader::new(connection.try_clone().ok()?);
    let mut line = || -> Option<String> {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        Some(line.trim_end().to_owned())
    };
    let path = line()?.split(' ').nth(1)?.to_owned();
    let mut headers = Vec::new();
    while let Some((name, value)) = line()?.split_once(": ") {
        headers.push((name.to_lowercase(), value.to_owned()));
    }
    // A request without a body says nothing of its length.
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.map_or(Some(0), |(_, length)| length.parse().ok())?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    let asked = Asked { path, headers, body };
    seen.lock().unwrap().push(asked.clone());
    for piece in answer(&asked) {
        match piece {
            Piece::Bytes(bytes) => connection.write_all(&bytes).and_then(|()| connection.flush()).ok()?,
            Piece::Wait(wait) => std::thread::sleep(wait),
            Piece::Until(path) => {
                while !path.exists() {
                    std::thread::sleep(Duration::from_millis(5));
                }
            }
        }
    }
    Some(())
}
