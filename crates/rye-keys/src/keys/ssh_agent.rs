//! Asking an ssh-agent (draft-ietf-sshm-ssh-agent): which keys it holds, and for signatures.
//!
//! One question, one connection. Each is asked on a thread of its own, so that an agent which accepts and is silent, or
//! answers by drops, costs a bounded time; answers are bounded in size and read strictly. Keys are neither added to the
//! agent nor taken out.

use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use crate::context::Context;
use crate::trust::{PublicKey, RawSignature, SignedData, SignerError};

/// The most bytes a message has, as in OpenSSH.
const LARGEST: usize = 256 * 1024;

const FAILURE: u8 = 5;
const REQUEST_IDENTITIES: u8 = 11;
const IDENTITIES_ANSWER: u8 = 12;
const SIGN_REQUEST: u8 = 13;
const SIGN_RESPONSE: u8 = 14;

/// An ssh-agent, by its socket.
#[derive(Debug, Clone)]
pub struct SshAgent {
    socket: PathBuf,
    patience: Patience,
}

/// How long an answer may take.
#[derive(Debug, Clone, Copy)]
struct Patience {
    listing: Duration,
    signing: Duration,
}

impl SshAgent {
    /// Returns the agent that `SSH_AUTH_SOCK` names, if it does.
    #[must_use]
    pub fn of(ctx: &Context) -> Option<Self> {
        // Before it signs, an agent may wait for its owner: to agree, or to touch something.
        let patience = Patience { listing: Duration::from_secs(5), signing: Duration::from_secs(60) };
        ctx.variable("SSH_AUTH_SOCK").map(|socket| Self { socket: ctx.current_dir().join(socket), patience })
    }

    /// Waits no longer than this for any answer.
    #[must_use]
    pub const fn waiting_at_most(mut self, time: Duration) -> Self {
        self.patience = Patience { listing: time, signing: time };
        self
    }

    /// Tells whether the agent holds the private half of a key.
    ///
    /// # Errors
    ///
    /// Fails when the agent cannot be asked or its answer cannot be understood.
    pub fn holds(&self, key: &PublicKey) -> Result<bool, SignerError> {
        let answer = self.ask(vec![REQUEST_IDENTITIES], self.patience.listing)?;
        let mut answer = Parts(&answer);
        if answer.byte() != Some(IDENTITIES_ANSWER) {
            return Err(self.garbled("it is not a list of keys"));
        }
        is_listed(answer, &key.to_wire()).ok_or_else(|| self.garbled("its list of keys ends early"))
    }

    /// Has the agent sign. Whether the signature fits is for the caller to see.
    ///
    /// # Errors
    ///
    /// Fails when the agent cannot be asked, refuses, or its answer cannot be understood.
    pub fn sign(&self, key: &PublicKey, data: &SignedData) -> Result<RawSignature, SignerError> {
        let no_flags = 0_u32.to_be_bytes();
        let request = [&[SIGN_REQUEST], &*string(&key.to_wire()), &*string(data.as_bytes()), &no_flags].concat();
        let answer = self.ask(request, self.patience.signing)?;
        let mut answer = Parts(&answer);
        match answer.byte() {
            Some(FAILURE) => Err(SignerError::Refused { key_id: key.key_id() }),
            Some(SIGN_RESPONSE) => answer
                .string()
                .and_then(|signature| ed25519_signature(Parts(signature)))
                .ok_or_else(|| self.garbled("it contains no Ed25519 signature")),
            _ => Err(self.garbled("it is not a signature")),
        }
    }

    /// Sends one message and waits for the answer.
    fn ask(&self, request: Vec<u8>, patience: Duration) -> Result<Vec<u8>, SignerError> {
        let (sender, answer) = mpsc::channel();
        let socket = self.socket.clone();
        let asking = std::thread::Builder::new().name("ssh-agent".to_owned()).spawn(move || {
            // The receiver may be gone.
            drop(sender.send(exchange(&socket, &request, patience)));
        });
        let answered = match asking {
            Ok(_) => answer.recv_timeout(patience).unwrap_or_else(|_| Err(ErrorKind::TimedOut.into())),
            Err(error) => Err(error),
        };
        answered.map_err(|error| match error.kind() {
            ErrorKind::TimedOut | ErrorKind::WouldBlock => {
                SignerError::Silent { socket: self.socket.clone(), seconds: patience.as_secs() }
            }
            ErrorKind::InvalidData => self.garbled("its length is invalid"),
            kind => SignerError::Unreachable { socket: self.socket.clone(), kind },
        })
    }

    fn garbled(&self, reason: &'static str) -> SignerError {
        SignerError::Garbled { socket: self.socket.clone(), reason }
    }
}

/// Sends a message and reads one back, each with its length before it.
fn exchange(socket: &Path, request: &[u8], patience: Duration) -> io::Result<Vec<u8>> {
    let mut stream = UnixStream::connect(socket)?;
    // The thread that asks must end too when its receiver is gone.
    stream.set_read_timeout(Some(patience))?;
    stream.set_write_timeout(Some(patience))?;
    stream.write_all(&string(request))?;
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = u32::from_be_bytes(length) as usize;
    if length == 0 || length > LARGEST {
        return Err(ErrorKind::InvalidData.into());
    }
    let mut answer = vec![0; length];
    stream.read_exact(&mut answer)?;
    Ok(answer)
}

/// Returns bytes with their length before them.
fn string(bytes: &[u8]) -> Vec<u8> {
    let length =
        u32::try_from(bytes.len()).expect("because a question contains a key and a digest, not four gigabytes");
    [&length.to_be_bytes(), bytes].concat()
}

/// Looks for a key in a list: each with a comment behind it, and their number before them all.
fn is_listed(mut parts: Parts<'_>, wanted: &[u8]) -> Option<bool> {
    let count = parts.number()?;
    (0..count).try_fold(false, |found, _| {
        let (held, _comment) = (parts.string()?, parts.string()?);
        Some(found || held == wanted)
    })
}

fn ed25519_signature(mut parts: Parts<'_>) -> Option<RawSignature> {
    let (algorithm, signature) = (parts.string()?, parts.string()?);
    (algorithm == b"ssh-ed25519" && parts.0.is_empty()).then_some(RawSignature(signature.try_into().ok()?))
}

/// The rest of a message.
struct Parts<'a>(&'a [u8]);

impl<'a> Parts<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, left) = self.0.split_at_checked(length)?;
        self.0 = left;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|byte| byte[0])
    }

    fn number(&mut self) -> Option<u32> {
        self.take(4)?.try_into().ok().map(u32::from_be_bytes)
    }

    fn string(&mut self) -> Option<&'a [u8]> {
        let length = self.number()?;
        self.take(length as usize)
    }
}
