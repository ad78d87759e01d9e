//! A server that this program started: a message is a line.

use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;

use super::bounds::{CallBounds, MOST_MESSAGE, MOST_MESSAGES, MOST_READ};
use super::error::Error;
use super::message::{Message, note, request};
use super::peer::Peer;
use crate::capability::HostRules;
use crate::context::PrivateFolder;
use crate::net::{Asked, Proxy};
use crate::process::{ChildSpec, Deadline, Resident, Said};

/// How often it is looked whether the run is to stop.
const TICK: Duration = Duration::from_millis(20);

/// A server that this program started, ended when this is dropped.
#[derive(Debug)]
pub struct Local {
    child: Resident,
    proxy: Arc<Mutex<Option<Proxy>>>,
    /// Its folder, removed after its end.
    _folder: PrivateFolder,
}

impl Local {
    /// Starts a server, with a way out to the hosts that the rules name. `folder` is its own.
    ///
    /// # Errors
    ///
    /// [`Error::Start`].
    pub fn start(
        server: &str,
        spec: ChildSpec,
        confiner: &Path,
        hosts: HostRules,
        folder: PrivateFolder,
    ) -> Result<Self, Error> {
        let proxy = Arc::new(Mutex::new(None));
        let served = Arc::clone(&proxy);
        // Where it cannot be served, whoever connects is refused at once.
        let serve = move |listener: OwnedFd| {
            *served.lock().unwrap_or_else(PoisonError::into_inner) = Proxy::serve(listener, hosts).ok();
        };
        let child = Resident::start(spec, confiner.to_owned(), MOST_MESSAGE, serve)
            .map_err(|source| Error::Start { server: server.to_owned(), source })?;
        Ok(Self { child, proxy, _folder: folder })
    }

    /// Returns the hosts that it asked for since this was called last.
    pub(super) fn asked(&self) -> Vec<Asked> {
        let proxy = self.proxy.lock().unwrap_or_else(PoisonError::into_inner);
        proxy.as_ref().map(Proxy::take_asked).unwrap_or_default()
    }

    pub(super) fn tell(&self, message: &Value) {
        self.child.tell(message.to_string().into_bytes());
    }

    /// Asks, and reads until there is the answer.
    pub(super) fn ask(
        &self,
        peer: &Peer,
        id: u64,
        method: &'static str,
        params: &Value,
        bounds: &CallBounds<'_>,
    ) -> Result<Result<Value, (i64, String)>, Error> {
        self.tell(&request(id, method, params));
        let server = || peer.name().to_owned();
        let (mut bytes, mut messages) = (0, 0);
        loop {
            if bounds.cancel.is_set() {
                self.tell(&note("notifications/cancelled", &serde_json::json!({"requestId": id})));
                return Err(Error::Cancelled);
            }
            if bounds.deadline.is_over() {
                return Err(Error::Timeout { server: server(), method });
            }
            let line = match self.child.hear(Deadline::after(TICK.min(bounds.deadline.left()))) {
                Said::Nothing => continue,
                Said::Closed => return Err(Error::Ended { server: server(), said: peer.end(&self.child.complaint()) }),
                Said::TooLong(limit) => {
                    return Err(Error::Flood {
                        server: server(),
                        what: format!("a message of more than {limit} bytes"),
                    });
                }
                Said::Line(line) => line,
            };
            (bytes, messages) = (bytes + line.len(), messages + 1);
            if bytes > MOST_READ || messages > MOST_MESSAGES {
                let what = format!("more than {MOST_READ} bytes or {MOST_MESSAGES} messages before an answer");
                return Err(Error::Flood { server: server(), what });
            }
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            match Message::read(peer, &line)? {
                Message::Answer { id: answered, outcome } if answered == id => return Ok(outcome),
                // Of a call that was stopped.
                Message::Answer { .. } | Message::Note => {}
                Message::Request { refusal } => self.tell(&refusal),
            }
        }
    }
}
