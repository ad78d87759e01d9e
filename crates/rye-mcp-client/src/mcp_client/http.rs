//! A server over streamable HTTP: a message is a POST, its answer is JSON or the last of some server-sent events.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::bounds::{CallBounds, MOST_MESSAGES, MOST_READ};
use super::error::Error;
use super::message::{Message, request};
use super::peer::Peer;
use crate::capability::NamedBy;
use crate::context::Secret;
use crate::net::{self, Address, Asked, Flow, ServerEvent, Visit, Visited};

/// How long the end of a session may take to be told.
const FAREWELL: Duration = Duration::from_secs(1);

/// A server over HTTP. The session it gave is ended when this is dropped.
#[derive(Debug)]
pub struct Remote {
    net: Arc<net::Client>,
    address: Address,
    named_by: NamedBy,
    authentication: Option<(String, Secret)>,
    session: Option<String>,
    /// The version of the protocol that was agreed on.
    version: Option<String>,
}

impl Remote {
    /// Names a server. Nothing is sent yet.
    #[must_use]
    pub const fn new(
        net: Arc<net::Client>,
        address: Address,
        named_by: NamedBy,
        authentication: Option<(String, Secret)>,
    ) -> Self {
        Self { net, address, named_by, authentication, session: None, version: None }
    }

    pub(super) fn agree(&mut self, version: &str) {
        self.version = Some(version.to_owned());
    }

    pub(super) fn asked(&self) -> Vec<Asked> {
        vec![Asked { host: self.address.authority(), is_allowed: true }]
    }

    /// Sends a notification.
    pub(super) fn tell(&self, server: &Peer, message: &Value, bounds: &CallBounds<'_>) -> Result<(), Error> {
        let visited = self.post(server, "a notification", message, bounds, &mut |_| Flow::More)?;
        if (200..300).contains(&visited.status) { Ok(()) } else { Err(status(server, &visited)) }
    }

    /// Asks, and reads until there is the answer.
    pub(super) fn ask(
        &mut self,
        server: &Peer,
        id: u64,
        method: &'static str,
        params: &Value,
        bounds: &CallBounds<'_>,
    ) -> Result<Result<Value, (i64, String)>, Error> {
        let (mut answer, mut messages) = (None, 0);
        let mut seen = |event: &ServerEvent| {
            messages += 1;
            if event.data.trim().is_empty() && messages <= MOST_MESSAGES {
                return Flow::More;
            }
            match Message::read(server, event.data.as_bytes()) {
                Ok(Message::Answer { id: answered, outcome }) if answered == id => answer = Some(Ok(outcome)),
                Err(error) => answer = Some(Err(error)),
                Ok(_) if messages > MOST_MESSAGES => {
                    let what = format!("more than {MOST_MESSAGES} messages before an answer");
                    answer = Some(Err(Error::Flood { server: server.name().to_owned(), what }));
                }
                Ok(Message::Answer { .. } | Message::Request { .. } | Message::Note | Message::Noise) => {
                    return Flow::More;
                }
            }
            Flow::Last
        };
        let visited = self.post(server, method, &request(id, method, params), bounds, &mut seen)?;
        if visited.status == 404 && self.session.is_some() {
            return Err(Error::Ended { server: server.name().to_owned(), said: "the session is over".to_owned() });
        }
        if !(200..300).contains(&visited.status) {
            return Err(status(server, &visited));
        }
        let header =
            |name: &str| visited.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        if let Some(session) = header("mcp-session-id") {
            self.session = Some(session);
        }
        let is_stream = header("content-type").is_some_and(|kind| kind.starts_with("text/event-stream"));
        match (answer, is_stream) {
            (Some(answer), _) => answer,
            (None, true) => {
                Err(Error::Ended { server: server.name().to_owned(), said: "its stream ended early".to_owned() })
            }
            (None, false) => match Message::read(server, &visited.body)? {
                Message::Answer { id: answered, outcome } if answered == id => Ok(outcome),
                Message::Noise => {
                    let reason =
                        format!("an answer is not JSON: {}", server.beginning(&String::from_utf8_lossy(&visited.body)));
                    Err(Error::Malformed { server: server.name().to_owned(), reason })
                }
                Message::Answer { .. } | Message::Request { .. } | Message::Note => Err(Error::Malformed {
                    server: server.name().to_owned(),
                    reason: "it answers another request".to_owned(),
                }),
            },
        }
    }

    fn post(
        &self,
        server: &Peer,
        method: &'static str,
        message: &Value,
        bounds: &CallBounds<'_>,
        seen: &mut dyn FnMut(&ServerEvent) -> Flow,
    ) -> Result<Visited, Error> {
        let body = Some(message.to_string().into_bytes());
        let mut headers = self.headers();
        headers.push(("accept".to_owned(), "application/json, text/event-stream".to_owned()));
        headers.push(("content-type".to_owned(), "application/json".to_owned()));
        let visit = self.visit("POST", headers, body);
        let visited = self.net.visit_events(visit, limits(bounds.deadline.left()), &|| bounds.cancel.is_set(), seen);
        visited.map_err(|source| match source {
            net::Error::Cancelled => Error::Cancelled,
            net::Error::Timeout { .. } => {
                Error::Timeout { server: server.name().to_owned(), method, said: String::new() }
            }
            source => Error::Net { server: server.name().to_owned(), source },
        })
    }

    fn headers(&self) -> Vec<(String, String)> {
        let session = self.session.iter().map(|session| ("mcp-session-id".to_owned(), session.clone()));
        let version = self.version.iter().map(|version| ("mcp-protocol-version".to_owned(), version.clone()));
        session.chain(version).collect()
    }

    fn visit<'a>(&'a self, method: &'a str, headers: Vec<(String, String)>, body: Option<Vec<u8>>) -> Visit<'a> {
        Visit {
            method,
            address: &self.address,
            named_by: self.named_by,
            headers,
            authentication: self.authentication.clone(),
            body,
            cuts: false,
        }
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        if self.session.is_some() {
            // A server that does not accept it forgets the session by itself.
            let _ = self.net.visit(self.visit("DELETE", self.headers(), None), limits(FAREWELL), &|| false);
        }
    }
}

fn limits(whole: Duration) -> net::Limits {
    let usual = net::Limits::default();
    net::Limits {
        connect: usual.connect.min(whole),
        first_byte: usual.first_byte.min(whole),
        silence: whole,
        whole,
        bytes: MOST_READ,
    }
}

fn status(server: &Peer, visited: &Visited) -> Error {
    let said = server.beginning(&String::from_utf8_lossy(&visited.body));
    Error::Status { server: server.name().to_owned(), status: visited.status, said }
}
