//! Messages over stdin and stdout, one on each line.
//!
//! Both are read and written on OS threads of their own, so neither a silent client nor one that does not read blocks
//! the rest. Before the handshake only requests count, and of these only what needs none. An id that is in use is
//! refused. The end of stdin gives running calls a moment to be answered, and waiting calls do not start; a lost stdout
//! ends the connection at once, and so does a client that leaves too much unread.

use std::collections::HashSet;
use std::io::{self, Write as _};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, GetExtensions as _, GetMeta as _, JsonRpcRequest, ProtocolVersion,
    RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use thiserror::Error;
use tokio::sync::{mpsc, oneshot};

use super::line::{self, Line};
use super::seats::Unread;
use super::stop::Stop;

/// How many messages wait to be understood.
const WAITING: usize = 64;

/// How long calls may go on when the client has closed stdin.
const LAST_WORD: Duration = Duration::from_secs(1);

/// The client's end is gone.
#[derive(Debug, Error)]
#[error("the client is gone")]
pub(super) struct Gone;

/// The connection to the client that started this program.
#[derive(Debug)]
pub(super) struct StdioTransport {
    incoming: mpsc::Receiver<Line>,
    /// Bounded by `unread`: a full one must not keep the word that ends the connection from being heard.
    outgoing: Option<mpsc::UnboundedSender<Vec<u8>>>,
    unread: Unread,
    is_open: bool,
    /// The ids of requests that are not answered yet, or were cancelled: their work may still run.
    open: HashSet<RequestId>,
    stop: Stop,
}

/// How many bytes the line of a request had.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineBytes(pub(super) usize);

impl StdioTransport {
    /// Starts to read and to write. The receiver tells when the last message was written.
    pub(super) fn start(stop: Stop, unread: Unread) -> (Self, oneshot::Receiver<()>) {
        let (lines, incoming) = mpsc::channel(WAITING);
        let ended = stop.clone();
        std::thread::spawn(move || {
            read(&lines);
            ended.no_more();
        });
        let (outgoing, messages) = mpsc::unbounded_channel();
        let (done, written) = oneshot::channel();
        let (lost, read) = (stop.clone(), unread.clone());
        std::thread::spawn(move || {
            if write(messages, &read).is_err() {
                lost.now();
            }
            // The receiver may be gone.
            let _ = done.send(());
        });
        (Self { incoming, outgoing: Some(outgoing), unread, is_open: false, open: HashSet::new(), stop }, written)
    }

    /// Tells whether a message counts, or returns what to answer. Before the handshake no other call can run.
    fn counts(&mut self, message: &mut ClientJsonRpcMessage, bytes: usize) -> Result<bool, ErrorData> {
        match message {
            ClientJsonRpcMessage::Request(request) => {
                self.check_open(request)?;
                if !self.open.insert(request.id.clone()) {
                    let message = format!("a request with the id `{}` is not answered yet: use a new id", request.id);
                    return Err(ErrorData::invalid_request(message, None));
                }
                request.request.extensions_mut().insert(LineBytes(bytes));
                Ok(true)
            }
            ClientJsonRpcMessage::Notification(_)
            | ClientJsonRpcMessage::Response(_)
            | ClientJsonRpcMessage::Error(_) => Ok(self.is_open),
        }
    }

    /// Refuses what needs a handshake before there was one. A request that says its version needs none.
    fn check_open(&mut self, request: &JsonRpcRequest<ClientRequest>) -> Result<(), ErrorData> {
        let request = &request.request;
        let says_version = || request.get_meta().missing_required_keys(&ProtocolVersion::NO_INITIALIZE).is_empty();
        match request {
            _ if self.is_open => {}
            ClientRequest::InitializeRequest(_) => self.is_open = true,
            ClientRequest::PingRequest(_) => {}
            ClientRequest::CustomRequest(request) if request.method == "initialize" => {
                let message = "invalid parameters for `initialize`: it takes `protocolVersion`, `capabilities` and \
                               `clientInfo`";
                return Err(ErrorData::invalid_params(message, None));
            }
            _ if says_version() => self.is_open |= !matches!(request, ClientRequest::DiscoverRequest(_)),
            _ => {
                let message = format!("initialize first: send `initialize` before `{}`", request.method());
                return Err(ErrorData::invalid_request(message, None));
            }
        }
        Ok(())
    }

    fn put(&self, message: &ServerJsonRpcMessage) -> Result<(), Gone> {
        let mut line = serde_json::to_vec(message).map_err(|_| Gone)?;
        line.push(b'\n');
        if !self.unread.add(line.len()) {
            self.stop.now();
        }
        self.outgoing.as_ref().ok_or(Gone)?.send(line).map_err(|_| Gone)
    }

    /// Lets calls go on for a moment, then stops them.
    fn last_word(&self) {
        let stop = self.stop.clone();
        tokio::spawn(async move {
            tokio::time::sleep(LAST_WORD).await;
            stop.now();
        });
    }
}

impl Transport<RoleServer> for StdioTransport {
    type Error = Gone;

    fn send(&mut self, message: ServerJsonRpcMessage) -> impl Future<Output = Result<(), Gone>> + Send + 'static {
        match &message {
            ServerJsonRpcMessage::Response(answer) => _ = self.open.remove(&answer.id),
            ServerJsonRpcMessage::Error(answer) => _ = answer.id.as_ref().map(|id| self.open.remove(id)),
            ServerJsonRpcMessage::Request(_) | ServerJsonRpcMessage::Notification(_) => {}
        }
        std::future::ready(self.put(&message))
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let stop = self.stop.clone();
            let line = tokio::select! {
                biased;
                () = stop.said() => return None,
                line = self.incoming.recv() => line,
            };
            match line {
                None => {
                    self.last_word();
                    return None;
                }
                Some(Line::Message(mut message, bytes)) => match self.counts(&mut message, bytes) {
                    Ok(true) => return Some(*message),
                    Ok(false) => {}
                    Err(error) => self.put(&ServerJsonRpcMessage::error(error, request_id(*message))).ok()?,
                },
                Some(Line::Fault(answer)) => self.put(&answer).ok()?,
            }
        }
    }

    async fn close(&mut self) -> Result<(), Gone> {
        self.outgoing = None;
        Ok(())
    }
}

fn request_id(message: ClientJsonRpcMessage) -> Option<RequestId> {
    match message {
        ClientJsonRpcMessage::Request(request) => Some(request.id),
        ClientJsonRpcMessage::Notification(_) | ClientJsonRpcMessage::Response(_) | ClientJsonRpcMessage::Error(_) => {
            None
        }
    }
}

fn read(lines: &mpsc::Sender<Line>) {
    let mut input = io::stdin().lock();
    // An unreadable stream is at its end.
    while let Ok(Some(line)) = line::next(&mut input) {
        if lines.blocking_send(line).is_err() {
            break;
        }
    }
}

fn write(mut messages: mpsc::UnboundedReceiver<Vec<u8>>, unread: &Unread) -> io::Result<()> {
    while let Some(line) = messages.blocking_recv() {
        let mut stdout = io::stdout().lock();
        stdout.write_all(&line)?;
        stdout.flush()?;
        unread.written(line.len());
    }
    Ok(())
}
