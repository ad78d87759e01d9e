//! The journal of a running thread: what follows from nothing else and is not committed yet, each piece as it came.
//!
//! `journal` next to the log of record: the model's answers, the person's approvals, which calls with effects beyond the tree began, how
//! calls ended, and which files they left. By it a thread whose runner died goes on without asking or doing anything twice. Each line
//! is signed by the agent key and names the last commit: lines of another commit do not count, and neither does an incomplete line.
//!
//! Commit point of a line: written at once, it outlives the program; flushed before anything follows from it, the machine.

use std::collections::{BTreeMap, VecDeque};
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use rye_plugin_abi::provider::ModelEvent;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::log;
use crate::capability::ProjectPath;
use crate::event::{AskedHost, CallStatus, TurnRange, Usage};
use crate::git::CommitId;
use crate::id::ThreadId;
use crate::machine::{Answer, Performed, Replacement};
use crate::thread::error::{Error, ResumeError};
use crate::thread::tree::{Change, State};
use crate::trust::{Namespace, PublicKey, RawSignature, SigningKey};

const FORMAT: u32 = 1;

/// The journal of a running thread.
pub(in crate::thread) struct Journal {
    path: PathBuf,
    file: File,
    thread_id: ThreadId,
    /// The commit that its lines follow; none before the first.
    after: Option<CommitId>,
    is_flushed: bool,
    /// How files are that it holds already.
    kept: BTreeMap<ProjectPath, State>,
    /// What an earlier runner left in it.
    received: Received,
}

/// What a runner left that died: none of it is committed.
#[derive(Debug, Default)]
pub(in crate::thread) struct Received {
    /// What the model answered, and what attempts used that failed before.
    pub(in crate::thread) answer: Option<(Answer, Usage)>,
    /// The turns that it summarises; none where it is the answer of a turn.
    pub(in crate::thread) summarized: Option<TurnRange>,
    /// How many requests were sent after that, and not answered.
    pub(in crate::thread) sent: u32,
    /// Which models took over, in order, and what attempts used that had failed by then.
    pub(in crate::thread) fell_back: VecDeque<(Replacement, Usage)>,
    /// What a person said to calls, by their descriptions.
    asked: BTreeMap<String, VecDeque<bool>>,
    /// The calls that had begun, with their words.
    pub(in crate::thread) begun: BTreeMap<CallOf, String>,
    /// How calls ended.
    pub(in crate::thread) ended: BTreeMap<CallOf, Ended>,
    /// The files that calls left.
    pub(in crate::thread) files: BTreeMap<ProjectPath, KeptFile>,
}

/// A call: whose it is, and its id among theirs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "by", content = "id", rename_all = "snake_case")]
pub(in crate::thread) enum CallOf {
    /// The model's.
    Model(String),
    /// A hook's.
    Hook(String),
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::thread) struct Ended {
    id: CallOf,
    /// The call, in words; none for one that was given up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    call: Option<String>,
    status: CallStatus,
    output: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    artifact: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stderr: Option<String>,
    /// The whole output, where the model sees it abridged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    whole: Option<String>,
    /// The hosts that a tool asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    hosts: Vec<AskedHost>,
    duration_ms: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    files: Vec<KeptFile>,
}

/// A file that a call left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::thread) struct KeptFile {
    path: String,
    /// Its bytes in base64; none if it was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(in crate::thread) executable: bool,
}

#[derive(Serialize, Deserialize)]
struct Line {
    v: u32,
    thread_id: ThreadId,
    after: Option<CommitId>,
    #[serde(flatten)]
    entry: Entry,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "type", content = "data", rename_all = "snake_case")]
enum Entry {
    Answer {
        events: Vec<ModelEvent>,
        state: Value,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
        #[serde(default, skip_serializing_if = "Usage::is_empty")]
        failed: Usage,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        summarized: Option<TurnRange>,
    },
    Sent {},
    FellBack {
        to: Replacement,
        #[serde(default, skip_serializing_if = "Usage::is_empty")]
        failed: Usage,
    },
    Asked {
        call: String,
        agreed: bool,
    },
    Begun {
        id: CallOf,
        call: String,
    },
    Ended(Ended),
}

impl Journal {
    /// Opens the journal of a thread whose lock is held, empty.
    pub(in crate::thread) fn create(common_dir: &Path, thread_id: &ThreadId) -> Result<Self, Error> {
        let journal = Self::open(common_dir, thread_id, None, Received::default())?;
        journal.file.set_len(0).map_err(|error| journal.failed(error))?;
        Ok(journal)
    }

    /// Opens the journal of a thread whose lock is held, with its [read](Received::read) part.
    pub(in crate::thread) fn open(
        common_dir: &Path,
        thread_id: &ThreadId,
        after: Option<CommitId>,
        received: Received,
    ) -> Result<Self, Error> {
        let path = path(common_dir, thread_id);
        let file = OpenOptions::new().create(true).read(true).append(true).mode(0o600).open(&path);
        let file = file.map_err(|source| Error::Log { path: path.clone(), source })?;
        let kept = received.files.values().filter_map(|file| Some((file.path()?, file.state()))).collect();
        Ok(Self { path, file, thread_id: thread_id.clone(), after, is_flushed: true, kept, received })
    }

    /// Puts an answer down, and what attempts used that failed before.
    pub(in crate::thread) fn answer(
        &mut self,
        answer: &Answer,
        failed: Usage,
        summarized: Option<TurnRange>,
        key: &SigningKey,
    ) -> Result<(), Error> {
        let Answer { events, state, model } = answer.clone();
        self.write(Entry::Answer { events, state, model, failed, summarized }, key)
    }

    /// Puts down that a request is sent.
    pub(in crate::thread) fn sent(&mut self, key: &SigningKey) -> Result<(), Error> {
        self.write(Entry::Sent {}, key)
    }

    /// Puts down that another model takes over, and what attempts used that failed before.
    pub(in crate::thread) fn fell_back(
        &mut self,
        to: &Replacement,
        failed: Usage,
        key: &SigningKey,
    ) -> Result<(), Error> {
        self.write(Entry::FellBack { to: to.clone(), failed }, key)
    }

    /// Puts down what a person said to a call.
    pub(in crate::thread) fn asked(&mut self, call: &str, agreed: bool, key: &SigningKey) -> Result<(), Error> {
        self.write(Entry::Asked { call: call.to_owned(), agreed }, key)
    }

    /// Puts down that a call begins.
    pub(in crate::thread) fn begun(&mut self, id: &CallOf, call: &str, key: &SigningKey) -> Result<(), Error> {
        self.write(Entry::Begun { id: id.clone(), call: call.to_owned() }, key)
    }

    /// Puts down how a call ended: `whole` is the output that the model sees abridged, `changes` are the files of the
    /// next commit.
    pub(in crate::thread) fn ended<'a>(
        &mut self,
        id: CallOf,
        call: &str,
        performed: &Performed,
        whole: Option<&[u8]>,
        changes: impl Iterator<Item = (&'a ProjectPath, &'a Change)>,
        key: &SigningKey,
    ) -> Result<(), Error> {
        let whole = whole.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        let files = self.fresh(changes);
        let ended = Ended { call: Some(call.to_owned()), whole, files, ..Ended::of(id, performed.clone()) };
        self.write(Entry::Ended(ended), key)
    }

    /// Puts down that a call counts as ended that did not end.
    pub(in crate::thread) fn given_up(&mut self, id: &CallOf, key: &SigningKey) -> Result<(), Error> {
        let ended = Ended::of(id.clone(), Performed::interrupted(id.as_str().to_owned()));
        self.received.ended.insert(id.clone(), ended.clone());
        self.write(Entry::Ended(ended), key)
    }

    /// Returns the files that it does not hold yet.
    fn fresh<'a>(&mut self, changes: impl Iterator<Item = (&'a ProjectPath, &'a Change)>) -> Vec<KeptFile> {
        let mut fresh = Vec::new();
        for (path, change) in changes {
            let (bytes, executable) = match change {
                Change::Written { bytes, executable, .. } => (Some(bytes), *executable),
                Change::Removed => (None, false),
                // As the base has it: so has a tree that is made again.
                Change::Link { .. } => continue,
            };
            let state = bytes.map_or(State::Removed, |bytes| State::of(bytes, executable));
            if self.kept.insert(path.clone(), state) != Some(state) {
                let base64 = bytes.map(|bytes| STANDARD.encode(bytes));
                fresh.push(KeptFile { path: path.to_string(), base64, executable });
            }
        }
        fresh
    }

    /// Begins anew behind a commit that holds all that was put down.
    pub(in crate::thread) fn committed(&mut self, commit_id: Option<&CommitId>) -> Result<(), Error> {
        self.after = commit_id.cloned();
        self.kept.clear();
        self.received = Received::default();
        self.is_flushed = true;
        // Lines that survive name a commit that is not the last one.
        self.file.set_len(0).map_err(|error| self.failed(error))
    }

    /// Makes the journal durable.
    pub(in crate::thread) fn flush(&mut self) -> Result<(), Error> {
        if !self.is_flushed {
            self.file.sync_data().map_err(|error| self.failed(error))?;
            self.is_flushed = true;
        }
        Ok(())
    }

    /// Takes what an earlier runner left.
    pub(in crate::thread) const fn received(&mut self) -> &mut Received {
        &mut self.received
    }

    fn write(&mut self, entry: Entry, key: &SigningKey) -> Result<(), Error> {
        let line = Line { v: FORMAT, thread_id: self.thread_id.clone(), after: self.after.clone(), entry };
        let body = serde_json::to_string(&line).map_err(|error| self.failed(error.into()))?;
        let signature = URL_SAFE.encode(key.sign(Namespace::Journal, body.as_bytes()).0);
        self.file.write_all(format!("{signature} {body}\n").as_bytes()).map_err(|error| self.failed(error))?;
        self.is_flushed = false;
        Ok(())
    }

    fn failed(&self, source: std::io::Error) -> Error {
        Error::Log { path: self.path.clone(), source }
    }
}

impl Received {
    /// Reads the part of the journal behind a commit.
    ///
    /// # Errors
    ///
    /// Fails when the journal cannot be read, and when a line of it is not signed by the agent.
    pub(in crate::thread) fn read(
        common_dir: &Path,
        thread_id: &ThreadId,
        after: &CommitId,
        agent: &PublicKey,
    ) -> Result<Self, Error> {
        let path = path(common_dir, thread_id);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            Err(source) => return Err(Error::LogUnreadable { path, source }),
        };
        let mut received = Self::default();
        // Text behind the last line break is incomplete.
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        for line in whole.lines() {
            let unsigned = || ResumeError::Journal { thread_id: thread_id.clone(), path: path.clone() }.into();
            let (signature, body) = line.split_once(' ').ok_or_else(unsigned)?;
            let raw = URL_SAFE.decode(signature).ok().and_then(|bytes| bytes.try_into().ok()).ok_or_else(unsigned)?;
            if !agent.verifies(Namespace::Journal, body.as_bytes(), RawSignature(raw)) {
                return Err(unsigned());
            }
            let line: Line = serde_json::from_str(body).map_err(|_| unsigned())?;
            if line.v == FORMAT && line.thread_id == *thread_id && line.after.as_ref() == Some(after) {
                received.take(line.entry);
            }
        }
        Ok(received)
    }

    fn take(&mut self, entry: Entry) {
        match entry {
            Entry::Answer { events, state, model, failed, summarized } => {
                self.answer = Some((Answer { events, state, model }, failed));
                self.summarized = summarized;
                self.sent = 0;
            }
            Entry::Sent {} => self.sent = self.sent.saturating_add(1),
            Entry::FellBack { to, failed } => {
                self.fell_back.push_back((to, failed));
                // That one failed as it is told.
                self.sent = self.sent.saturating_sub(1);
            }
            Entry::Asked { call, agreed } => self.asked.entry(call).or_default().push_back(agreed),
            Entry::Begun { id, call } => drop(self.begun.insert(id, call)),
            Entry::Ended(mut ended) => {
                let files = std::mem::take(&mut ended.files);
                self.files.extend(files.into_iter().filter_map(|file| Some((file.path()?, file))));
                self.ended.insert(ended.id.clone(), ended);
            }
        }
    }

    /// Takes what a person said to a call.
    pub(in crate::thread) fn said_to(&mut self, call: &str) -> Option<bool> {
        self.asked.get_mut(call)?.pop_front()
    }

    /// Takes how a call ended.
    pub(in crate::thread) fn end_of(&mut self, id: &CallOf, call: &str) -> Option<Ended> {
        self.ended.remove(id).filter(|ended| ended.is_of(call))
    }

    /// Returns what calls came to.
    pub(in crate::thread) fn results(&self) -> impl Iterator<Item = (CallStatus, &Value)> {
        self.ended.values().map(|ended| (ended.status, &ended.output))
    }
}

impl CallOf {
    /// Returns the id.
    pub(in crate::thread) fn as_str(&self) -> &str {
        match self {
            Self::Model(id) | Self::Hook(id) => id,
        }
    }
}

impl Ended {
    /// Tells whether it may be the end of a call of these words.
    fn is_of(&self, call: &str) -> bool {
        self.call.as_ref().is_none_or(|known| known == call)
    }

    fn of(id: CallOf, performed: Performed) -> Self {
        let Performed { status, output, artifact, stderr, hosts, duration_ms, .. } = performed;
        Self { id, call: None, status, output, artifact, stderr, whole: None, hosts, duration_ms, files: Vec::new() }
    }

    /// Returns the result, and the whole output with its digest, if the model sees it abridged.
    pub(in crate::thread) fn performed(self) -> (Performed, Option<(String, Vec<u8>)>) {
        let Self { id, status, output, artifact, stderr, whole, hosts, duration_ms, .. } = self;
        let kept = artifact.clone().zip(whole.map(String::into_bytes));
        let call_id = id.as_str().to_owned();
        (Performed { call_id, status, output, artifact, stderr, hosts, duration_ms }, kept)
    }
}

impl KeptFile {
    fn path(&self) -> Option<ProjectPath> {
        self.path.parse().ok()
    }

    /// Returns its bytes; none if it was removed.
    pub(in crate::thread) fn bytes(&self) -> Option<Vec<u8>> {
        self.base64.as_ref().and_then(|text| STANDARD.decode(text).ok())
    }

    /// Returns how it is.
    pub(in crate::thread) fn state(&self) -> State {
        self.bytes().map_or(State::Removed, |bytes| State::of(&bytes, self.executable))
    }
}

fn path(common_dir: &Path, thread_id: &ThreadId) -> PathBuf {
    log::folder(common_dir, thread_id).join("journal")
}
