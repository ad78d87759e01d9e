//! How git's call for a commit's signature reaches the key: through a socket of the `rye commit` that started git.
//!
//! Git runs `PROGRAM -Y sign -n git -f KEY [-U] FILE` and takes `FILE.sig`. PROGRAM is this program, KEY the socket. So
//! whatever key `rye commit` uses (a file, behind a passphrase, in an ssh-agent, in a variable) signs the commit too, is
//! opened once, and is neither written down nor put into the environment of git and its hooks.
//!
//! Invariants: the socket lies in a folder of mode 0700 and is gone with the commit; the signed data begins like a
//! commit, under the namespace `git` and no other; a silent or endless caller is dropped.
//!
//! The protocol: the caller sends the length of the data as eight bytes, big-endian, and the data; the answer is `ok\n`
//! and the armored envelope, or `no\n` and a sentence.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use thiserror::Error;

use super::KeysError;
use crate::context::{Context, PrivateFolder, Unreadable, bounded};
use crate::trust::{Namespace, Signer};

/// The word that git's call begins with, and that no verb of this program is.
pub const SIGN_FLAG: &str = "-Y";

/// How commits begin, unlike tags and what else git signs.
const COMMIT: &[u8] = b"tree ";
const MOST_BYTES: u64 = 16 * 1024 * 1024;
const PATIENCE: Duration = Duration::from_secs(10);

/// A socket at which commits are signed.
#[derive(Debug)]
pub struct SignSocket {
    folder: PrivateFolder,
    listener: UnixListener,
}

/// Why git's call could not be answered.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum AnswerError {
    /// The call is not the one that git makes for `rye commit`.
    #[error("only `rye commit` has this program sign for git, and only commits")]
    NotOurs,
    /// The `rye commit` that started git is gone.
    #[error("the `rye commit` that asked for this signature cannot be reached")]
    Gone {
        #[source]
        source: io::Error,
    },
    /// A file of git's cannot be read or written.
    #[error("cannot {action} `{}`", path.display())]
    Io {
        action: &'static str,
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// The text to sign cannot be read.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// There is no signature.
    #[error("{reason}")]
    Refused { reason: String },
}

impl SignSocket {
    /// Opens a socket.
    ///
    /// # Errors
    ///
    /// Fails when the folder for temporary files cannot be written, or its path is too long for a socket.
    pub fn open(ctx: &Context) -> Result<Self, KeysError> {
        let dir = ctx.temp_dir()?;
        let failed = |source| KeysError::Io { action: "open a socket in", path: dir.clone(), source };
        // With any umask: a process that reaches the socket gets commits signed.
        let folder = PrivateFolder::create(&dir).map_err(failed)?;
        let listener = UnixListener::bind(socket_in(folder.path())).map_err(failed)?;
        Ok(Self { folder, listener })
    }

    /// Returns where it is: what git takes for the key's file.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        socket_in(self.folder.path())
    }

    /// Returns the settings by which git asks here for the signature of a commit. `program` is this program.
    #[must_use]
    pub fn config(&self, program: &Path) -> [(&'static str, String); 4] {
        [
            ("gpg.format", "ssh".to_owned()),
            ("gpg.ssh.program", program.display().to_string()),
            ("user.signingKey", self.path().display().to_string()),
            ("commit.gpgSign", "true".to_owned()),
        ]
    }

    /// Does `work` on a thread of its own, and signs requests with the key of `signer` until it is done.
    pub fn serve<T: Send>(&self, signer: &dyn Signer, work: impl FnOnce() -> T + Send) -> T {
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            let worker = scope.spawn(|| {
                let _end = End { done: &done, socket: self.path() };
                work()
            });
            for caller in self.listener.incoming() {
                if done.load(Ordering::SeqCst) {
                    break;
                }
                // A caller that went away is told nothing; git says that it has no signature.
                let _ = caller.and_then(|caller| answer(caller, signer));
            }
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }
}

/// Wakes the server when the work is done, however it ended.
struct End<'a> {
    done: &'a AtomicBool,
    socket: PathBuf,
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.done.store(true, Ordering::SeqCst);
        // Without a listener there is no thread to wake.
        let _ = UnixStream::connect(&self.socket);
    }
}

fn socket_in(folder: &Path) -> PathBuf {
    folder.join("sign")
}

fn answer(mut caller: UnixStream, signer: &dyn Signer) -> io::Result<()> {
    caller.set_read_timeout(Some(PATIENCE))?;
    caller.set_write_timeout(Some(PATIENCE))?;
    let mut length = [0; 8];
    caller.read_exact(&mut length)?;
    let length = u64::from_be_bytes(length);
    let mut data = Vec::new();
    (&caller).take(length.min(MOST_BYTES)).read_to_end(&mut data)?;
    if !data.starts_with(COMMIT) || data.len() as u64 != length {
        return caller.write_all(b"no\nthis is not a commit");
    }
    let answer = match signer.sign_armored(Namespace::Git, &data) {
        Ok(armored) => format!("ok\n{armored}"),
        Err(error) => format!("no\n{error}"),
    };
    caller.write_all(answer.as_bytes())
}

/// Answers git's call: `arguments` are those after the program's name.
///
/// # Errors
///
/// Fails on another call, and without a signature.
pub fn answer_git(arguments: &[OsString]) -> Result<(), AnswerError> {
    let (socket, file) = parse(arguments).ok_or(AnswerError::NotOurs)?;
    let failed = |action, path: &Path| {
        let path = path.to_path_buf();
        move |source| AnswerError::Io { action, path, source }
    };
    let data = bounded::read(file, MOST_BYTES)?;
    let answer = ask(socket, &data).map_err(|source| AnswerError::Gone { source })?;
    let armored = match answer.split_once('\n') {
        Some(("ok", armored)) => armored,
        Some((_, reason)) => return Err(AnswerError::Refused { reason: reason.to_owned() }),
        None => return Err(AnswerError::Gone { source: io::ErrorKind::UnexpectedEof.into() }),
    };
    let signature = file.with_added_extension("sig");
    let written = File::create_new(&signature).and_then(|mut file| file.write_all(armored.as_bytes()));
    written.map_err(failed("write", &signature))
}

/// Takes git's call apart: the socket, and the file to sign.
fn parse(arguments: &[OsString]) -> Option<(&Path, &Path)> {
    let (start, rest) = arguments.split_at_checked(5)?;
    if start != ["-Y", "sign", "-n", Namespace::Git.as_str(), "-f"].map(OsStr::new) {
        return None;
    }
    match rest {
        [socket, file] => Some((Path::new(socket), Path::new(file))),
        [socket, flag, file] if flag == "-U" => Some((Path::new(socket), Path::new(file))),
        _ => None,
    }
}

fn ask(socket: &Path, data: &[u8]) -> io::Result<String> {
    let mut stream = UnixStream::connect(socket)?;
    stream.write_all(&(data.len() as u64).to_be_bytes())?;
    stream.write_all(data)?;
    let mut answer = String::new();
    stream.take(MOST_BYTES).read_to_string(&mut answer)?;
    Ok(answer)
}
