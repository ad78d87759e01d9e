//! The way out of a tool that may reach some hosts: an HTTP proxy that serves one tool, and opens the connections itself.
//!
//! It looks names up, so a tool learns no address and asks no name server. `CONNECT` opens a tunnel, which carries https; a request with a whole
//! address is passed on over http. The content of a tunnel is not inspected.

use std::collections::BTreeSet;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream, lookup_host};
use tokio::runtime;
use tokio::sync::{Semaphore, oneshot};
use tokio::time::timeout;

use super::reachable::{Destination, is_reachable};
use crate::capability::HostRules;

/// How long to wait when a connection could not be accepted.
const PAUSE: Duration = Duration::from_millis(50);
/// The longest head of a request, in bytes.
const MOST_HEAD: usize = 16 * 1024;
/// The most headers of a request.
const MOST_HEADERS: usize = 100;
/// How many hosts that were asked for are remembered, of those that are named and of the others.
const MOST_ASKED: usize = 100;
/// How many connections there may be at once.
const MOST_CONNECTIONS: usize = 64;
/// How long a request's head may take to arrive, and a host to be reached.
const PATIENCE: Duration = Duration::from_secs(30);

/// A proxy that serves while it lives.
#[derive(Debug)]
pub struct Proxy {
    stop: Option<oneshot::Sender<()>>,
    server: Option<JoinHandle<()>>,
    shared: Arc<Shared>,
}

/// What the proxy was asked for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Asked {
    /// The host with its port.
    pub host: String,
    /// Whether the rules name it.
    pub is_allowed: bool,
}

#[derive(Debug)]
struct Shared {
    rules: HostRules,
    asked: Mutex<BTreeSet<Asked>>,
}

impl Proxy {
    /// Serves at a listening socket what the rules name.
    ///
    /// # Errors
    ///
    /// Fails without a thread or a runtime.
    pub fn serve(listener: OwnedFd, rules: HostRules) -> io::Result<Self> {
        let shared = Arc::new(Shared { rules, asked: Mutex::default() });
        let (stop, stopped) = oneshot::channel();
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        let listener = std::net::TcpListener::from(listener);
        listener.set_nonblocking(true)?;
        let for_server = Arc::clone(&shared);
        let server = std::thread::Builder::new().spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    _ = stopped => {}
                    _ = accept(listener, for_server) => {}
                }
            });
            // A name that is still being looked up is not waited for.
            runtime.shutdown_background();
        })?;
        Ok(Self { stop: Some(stop), server: Some(server), shared })
    }

    /// Returns the hosts requested until now, sorted.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        self.shared.asked.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// Returns the hosts requested since the last call, sorted.
    #[must_use]
    pub fn take_asked(&self) -> Vec<Asked> {
        let mut asked = self.shared.asked.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *asked).into_iter().collect()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        drop(self.stop.take());
        self.server.take().map(JoinHandle::join);
    }
}

async fn accept(listener: std::net::TcpListener, shared: Arc<Shared>) -> io::Result<()> {
    let listener = TcpListener::from_std(listener)?;
    let connections = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let Ok(free) = Arc::clone(&connections).acquire_owned().await else { return Ok(()) };
        let Ok((client, _)) = listener.accept().await else {
            // A client that went again, or no descriptor left for it: others come.
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let shared = Arc::clone(&shared);
        tokio::spawn(async move {
            let _ = serve_one(client, &shared).await;
            drop(free);
        });
    }
}

async fn serve_one(mut client: TcpStream, shared: &Shared) -> io::Result<()> {
    let (request, rest) = match timeout(PATIENCE, read_head(&mut client)).await {
        Ok(Ok(read)) => read,
        Ok(Err(Some(reason))) => return refuse(&mut client, "400 Bad Request", reason).await,
        Ok(Err(None)) | Err(_) => return Ok(()),
    };
    let Destination { host, port } = &request.destination;
    let by = shared.rules.names(host, *port);
    let asked = Asked { host: request.destination.to_string(), is_allowed: by.is_some() };
    let told = asked.host.clone();
    {
        let mut all = shared.asked.lock().unwrap_or_else(PoisonError::into_inner);
        // Each kind has room of its own, so that none hides the other.
        if all.iter().filter(|one| one.is_allowed == asked.is_allowed).count() < MOST_ASKED {
            all.insert(asked);
        }
    }
    let Some(by) = by else {
        let reason = format!("this tool may not reach `{told}`: it may reach {}", shared.rules);
        return refuse(&mut client, "403 Forbidden", &reason).await;
    };
    let found = match timeout(PATIENCE, lookup_host((host.as_str(), *port))).await {
        Ok(Ok(found)) => found.collect::<Vec<_>>(),
        Ok(Err(error)) => {
            return refuse(&mut client, "502 Bad Gateway", &format!("`{host}` is not found: {error}")).await;
        }
        Err(_) => return refuse(&mut client, "504 Gateway Timeout", &format!("`{host}` is not found in time")).await,
    };
    let mut last = format!(
        "the addresses of `{host}` are this machine's, or for a pattern its network's, which a tool reaches only where a rule spells the address out"
    );
    for address in found.into_iter().filter(|address| is_reachable(address.ip(), by)) {
        match timeout(PATIENCE, TcpStream::connect(address)).await {
            Ok(Ok(mut server)) => return relay(client, &mut server, &request, &rest).await,
            Ok(Err(error)) => last = format!("`{told}` cannot be reached: {error}"),
            Err(_) => last = format!("`{told}` does not answer"),
        }
    }
    refuse(&mut client, "502 Bad Gateway", &last).await
}

async fn relay(mut client: TcpStream, server: &mut TcpStream, request: &Request, rest: &[u8]) -> io::Result<()> {
    match &request.head {
        None => client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?,
        Some(head) => server.write_all(head).await?,
    }
    server.write_all(rest).await?;
    copy_bidirectional(&mut client, server).await.map(drop)
}

async fn refuse(client: &mut TcpStream, status: &str, reason: &str) -> io::Result<()> {
    let body = format!("rye: {reason}\n");
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    client.write_all(head.as_bytes()).await?;
    client.write_all(body.as_bytes()).await?;
    client.shutdown().await
}

/// What a tool asks for.
#[derive(Debug, PartialEq, Eq)]
struct Request {
    destination: Destination,
    /// The head to pass on; none for a tunnel.
    head: Option<Vec<u8>>,
}

/// Reads a request's head, and what came after it. Fails with the reason to report, if a receiver exists.
async fn read_head(client: &mut TcpStream) -> Result<(Request, Vec<u8>), Option<&'static str>> {
    let mut read = Vec::new();
    loop {
        if let Some((request, length)) = parse(&read)? {
            return Ok((request, read.split_off(length)));
        }
        if read.len() >= MOST_HEAD {
            return Err(Some("the head of the request is too long"));
        }
        let mut more = [0; 4096];
        match client.read(&mut more).await {
            Ok(0) | Err(_) => return Err(None),
            Ok(count) => read.extend_from_slice(&more[..count]),
        }
    }
}

/// Parses a head; `None` when more of it is to come.
fn parse(bytes: &[u8]) -> Result<Option<(Request, usize)>, &'static str> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    let length = match parsed.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(_) => return Err("this is not an HTTP/1.1 request"),
    };
    let (Some(method), Some(target)) = (parsed.method, parsed.path) else {
        return Err("this is not an HTTP/1.1 request");
    };
    if method == "CONNECT" {
        let destination = Destination::parse(target, None).ok_or("the target of CONNECT is a host with its port")?;
        return Ok(Some((Request { destination, head: None }, length)));
    }
    let whole =
        target.strip_prefix("http://").ok_or("this is a proxy: it takes CONNECT and requests for `http://…`")?;
    let (authority, path) = whole.find(['/', '?']).map_or((whole, ""), |at| whole.split_at(at));
    let destination = Destination::parse(authority, Some(80)).ok_or("the address names no host")?;
    let slash = if path.starts_with('/') { "" } else { "/" };
    // Only the judged address names the host.
    let authority = destination.as_authority();
    let first = format!("{method} {slash}{path} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n");
    let mut head = first.into_bytes();
    for header in parsed.headers.iter().filter(|header| is_passed_on(header.name)) {
        head.extend_from_slice(&[header.name.as_bytes(), b": ", header.value, b"\r\n"].concat());
    }
    head.extend_from_slice(b"\r\n");
    Ok(Some((Request { destination, head: Some(head) }, length)))
}

/// Headers between a client and its proxy stay there.
fn is_passed_on(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    !matches!(name.as_str(), "host" | "connection" | "keep-alive" | "te" | "upgrade") && !name.starts_with("proxy-")
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn parsed(head: &str) -> Result<Option<(Request, usize)>, &'static str> {
        parse(head.as_bytes())
    }

    #[test]
    fn a_tunnel_and_a_whole_address_are_requests() {
        let tunnel = "CONNECT API.example.org:443 HTTP/1.1\r\nHost: x\r\n\r\nrest";
        let (request, length) = parsed(tunnel).unwrap().unwrap();
        assert_eq!((request.destination.to_string().as_str(), request.head), ("api.example.org:443", None));
        assert_eq!(&tunnel[length..], "rest");
        let (request, _) = parsed(
            "POST http://a.org:8080/x?y HTTP/1.1\r\nHost: evil.org\r\nProxy-Authorization: Basic eA==\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\n",
        )
        .unwrap()
        .unwrap();
        assert_eq!(request.destination.to_string(), "a.org:8080");
        assert_eq!(
            String::from_utf8(request.head.unwrap()).unwrap(),
            "POST /x?y HTTP/1.1\r\nHost: a.org:8080\r\nConnection: close\r\nContent-Length: 2\r\n\r\n"
        );
        let (request, _) = parsed("GET http://a.org?q HTTP/1.1\r\n\r\n").unwrap().unwrap();
        assert!(request.head.unwrap().starts_with(b"GET /?q HTTP/1.1\r\nHost: a.org\r\n"));
        assert_eq!(parsed("GET http://a.org/ HTTP/1.1\r\nA: "), Ok(None));
    }

    #[test]
    fn what_names_no_host_is_no_request() {
        for head in [
            "GET / HTTP/1.1\r\n\r\n",
            "GET https://a.org/ HTTP/1.1\r\n\r\n",
            "GET http://user@a.org/ HTTP/1.1\r\n\r\n",
            "GET http:///x HTTP/1.1\r\n\r\n",
            "CONNECT a.org HTTP/1.1\r\n\r\n",
            "CONNECT :443 HTTP/1.1\r\n\r\n",
            "CONNECT a.org:0 HTTP/1.1\r\n\r\n",
            "CONNECT a.org:443:80 HTTP/1.1\r\n\r\n",
            "\x05\x01\x00 x\r\n\r\n",
        ] {
            assert!(parsed(head).is_err(), "{head:?}");
        }
    }
}
