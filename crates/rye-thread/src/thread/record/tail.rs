//! Following a thread by its log of record, while it runs and after.
//!
//! Reads new lines a few times a second, a bounded part at a time, until the terminal event or the runner's death. A
//! thread that has no log here is told from its branch.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::PathBuf;
use std::time::Duration;

use super::history::{Content, History, RecordedLine, read_line};
use super::log;
use crate::id::ThreadId;
use crate::process::CancelFlag;
use crate::session::Session;
use crate::thread::error::Error;

/// How long to wait for more.
const PAUSE: Duration = Duration::from_millis(100);

/// How much is read at once, in bytes.
const PART: u64 = 64 * 1024;

/// The longest line that is kept, in bytes; the rest of it is left out.
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// A thread being followed.
#[derive(Debug)]
pub struct Tail {
    thread_id: ThreadId,
    common_dir: PathBuf,
    ready: VecDeque<RecordedLine>,
    /// The log; `None` if missing, and then everything is ready.
    log: Option<LogLines>,
    /// Whether the last line was the thread's end.
    has_ended: bool,
}

/// What comes next of a thread.
#[derive(Debug)]
pub enum Next {
    /// A line of its log.
    Line(RecordedLine),
    /// Nothing: the thread has ended.
    Ended,
    /// Nothing: its runner is gone, and it has no end.
    Interrupted,
    /// Nothing: a signal stopped the following.
    Stopped,
}

impl Tail {
    /// Opens a thread's log: all of it, or its `last` lines and what follows.
    ///
    /// # Errors
    ///
    /// Fails outside a repository, when the thread is unknown, and when its log or branch cannot be read.
    pub fn open(session: &Session, thread_id: &ThreadId, last: Option<usize>) -> Result<Self, Error> {
        let repository = session.project().require_repository()?;
        let common_dir = repository.common_dir().to_path_buf();
        let path = log::folder(&common_dir, thread_id).join("events.jsonl");
        let log = match File::open(&path) {
            Ok(file) => Some(LogLines { file: BufReader::new(file), path, line: Vec::new() }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(source) => return Err(Error::LogUnreadable { path, source }),
        };
        let thread_id = thread_id.clone();
        let mut tail = Self { thread_id, common_dir, ready: VecDeque::new(), log, has_ended: false };
        if tail.log.is_none() {
            let history = History::read(session, &tail.thread_id)?;
            history.turns.into_iter().flat_map(|turn| turn.lines).for_each(|line| tail.keep(line, last));
        } else if last.is_some() {
            while let Some(line) = tail.read()? {
                tail.keep(line, last);
            }
        }
        Ok(tail)
    }

    /// Returns what comes next, and waits for it while the thread runs.
    pub fn next(&mut self, cancel: &CancelFlag) -> Result<Next, Error> {
        loop {
            if cancel.is_set() {
                return Ok(Next::Stopped);
            }
            // Asked before reading: the last writes of a runner are read then.
            let is_running = self.ready.is_empty() && log::is_running(&self.common_dir, &self.thread_id);
            let line = match self.ready.pop_front() {
                Some(line) => Some(line),
                None => self.read()?,
            };
            match line {
                Some(line) => {
                    self.has_ended = is_end(&line);
                    return Ok(Next::Line(line));
                }
                None if self.has_ended => return Ok(Next::Ended),
                None if is_running => std::thread::sleep(PAUSE),
                None => return Ok(self.rest().map_or(Next::Interrupted, Next::Line)),
            }
        }
    }

    fn keep(&mut self, line: RecordedLine, last: Option<usize>) {
        self.has_ended = is_end(&line);
        self.ready.push_back(line);
        if last.is_some_and(|last| self.ready.len() > last) {
            self.ready.pop_front();
        }
    }

    fn read(&mut self) -> Result<Option<RecordedLine>, Error> {
        let Some(log) = &mut self.log else { return Ok(None) };
        let line = log.next().map_err(|source| Error::LogUnreadable { path: log.path.clone(), source })?;
        Ok(line.map(|text| read_line(&self.thread_id, &text)))
    }

    /// Returns what a runner left of a line when it died.
    fn rest(&mut self) -> Option<RecordedLine> {
        let line = std::mem::take(&mut self.log.as_mut()?.line);
        (!line.is_empty()).then(|| read_line(&self.thread_id, &String::from_utf8_lossy(&line)))
    }
}

fn is_end(line: &RecordedLine) -> bool {
    matches!(&line.content, Content::Event(event) if event.what.is_terminal())
}

/// The lines of a file that grows.
#[derive(Debug)]
struct LogLines {
    file: BufReader<File>,
    path: PathBuf,
    /// The beginning of an incomplete line.
    line: Vec<u8>,
}

impl LogLines {
    /// Returns the next complete line, without its end.
    fn next(&mut self) -> io::Result<Option<String>> {
        loop {
            let mut part = Vec::new();
            if self.file.by_ref().take(PART).read_until(b'\n', &mut part)? == 0 {
                return Ok(None);
            }
            let is_complete = part.last() == Some(&b'\n');
            part.truncate(part.len() - usize::from(is_complete));
            part.truncate(MOST_BYTES.saturating_sub(self.line.len()));
            self.line.extend(part);
            if is_complete {
                return Ok(Some(String::from_utf8_lossy(&std::mem::take(&mut self.line)).into_owned()));
            }
        }
    }
}
