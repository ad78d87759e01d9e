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
use crate::process::{ChildSpec, Deadline, PrivateScript, Resident, Said};

/// How often it is looked whether the run is to stop.
const TICK: Duration = Duration::from_millis(20);

/// A server that this program started, ended when this is dropped.
#[derive(Debug)]
pub struct Local {
    child: Resident,
    proxy: Arc<Mutex<Option<Proxy>>>,
    /// Its folders, removed after its end.
    _folders: ServerFolders,
}

/// The folders that a server has, removed when this is dropped.
#[derive(Debug)]
pub struct ServerFolders {
    _own: PrivateFolder,
    _git: Option<PrivateScript>,
}

impl ServerFolders {
    /// Takes the server's own folder, and the file that it sees in the place of one of git's.
    #[must_use]
    pub const fn new(own: PrivateFolder, git: Option<PrivateScript>) -> Self {
        Self { _own: own, _git: git }
    }
}

impl Local {
    /// Starts a server, with a way out to the hosts that the rules name. `folders` are its own.
    ///
    /// # Errors
    ///
    /// [`Error::Start`].
    pub fn start(
        server: &str,
        spec: ChildSpec,
        confiner: &Path,
        hosts: HostRules,
        folders: ServerFolders,
    ) -> Result<Self, Error> {
        let proxy = Arc::new(Mutex::new(None));
        let served = Arc::clone(&proxy);
        // Where it cannot be served, whoever connects is refused at once.
        let serve = move |listener: OwnedFd| {
            *served.lock().unwrap_or_else(PoisonError::into_inner) = Proxy::serve(listener, hosts).ok();
        };
        let child = Resident::start(spec, confiner.to_owned(), MOST_MESSAGE, serve)
            .map_err(|source| Error::Start { server: server.to_owned(), source })?;
        Ok(Self { child, proxy, _folders: folders })
    }

    /// Returns the hosts that it asked for since this was called last.
    pub(super) fn asked(&self) -> Vec<Asked> {
        let proxy = self.proxy.lock().unwrap_or_else(PoisonError::into_inner);
        proxy.as_ref().map(Proxy::take_asked).unwrap_or_default()
    }

    pub(super) fn tell(&self, message: &Value) {
        self.child.tell(message.to_string().into_bytes());
    }

    /// What it said before it ended: on stderr, else on stdout.
    fn last_words(&self, noise: Option<&[u8]>) -> String {
        let complaint = self.child.last_complaint();
        if complaint.is_empty() { text_of(noise) } else { complaint }
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
        let (mut bytes, mut messages, mut noise) = (0, 0, None);
        loop {
            if bounds.cancel.is_set() {
                self.tell(&note("notifications/cancelled", &serde_json::json!({"requestId": id})));
                return Err(Error::Cancelled);
            }
            if bounds.deadline.is_over() {
                return Err(Error::Timeout { server: server(), method, said: peer.end(&text_of(noise.as_deref())) });
            }
            let line = match self.child.hear(Deadline::after(TICK.min(bounds.deadline.left()))) {
                Said::Nothing => continue,
                Said::Closed => {
                    return Err(Error::Ended { server: server(), said: peer.end(&self.last_words(noise.as_deref())) });
                }
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
                Message::Noise => noise = Some(line),
                Message::Request { refusal } => self.tell(&refusal),
            }
        }
    }
}

/// A line of a server that is not a message, as text.
fn text_of(line: Option<&[u8]>) -> String {
    line.map(|line| String::from_utf8_lossy(line).into_owned()).unwrap_or_default()
}
