//! Keeps what a thread receives and does in its journal, and gives out what an earlier runner kept there: an answer that
//! was received is not asked for again, a call that ended is not made again.

use std::collections::BTreeMap;
use std::time::Duration;

use super::course::Call;
use super::observer::Stage;
use super::performer::Performer;
use super::traces::Traces;
use crate::action::Permitted;
use crate::capability::{Access, ProjectPath};
use crate::event::{CallStatus, TurnRange, Usage};
use crate::git::CommitId;
use crate::machine::{Answer, Performed, Replacement};
use crate::thread::error::Error;
use crate::thread::record::{CallOf, Journal};
use crate::thread::tree::{Change, Changes, MAX_FILE_BYTES};
use crate::trust::SigningKey;
use crate::workspace;

/// A journal with the key that signs it.
pub(super) struct Keeper<'run> {
    journal: Journal,
    agent: &'run SigningKey,
    /// How many requests of the thread were sent and not answered.
    unanswered: u32,
}

/// A call as its end is kept.
struct Mark {
    id: CallOf,
    /// In words.
    call: String,
    traces: Traces,
    writes: Vec<ProjectPath>,
}

impl Mark {
    fn of(performer: &Performer<'_>, id: CallOf, permitted: &Permitted) -> Self {
        let is_write = |access| access == Access::Write;
        let touches = permitted.touches().iter().filter(|touch| is_write(touch.access));
        let writes = touches.map(|touch| touch.path.clone()).collect();
        Self { id, call: permitted.action().to_string(), traces: performer.traces(permitted), writes }
    }
}

impl<'run> Keeper<'run> {
    /// Begins with a journal, and with how many requests of the thread were not answered by its record.
    pub(in crate::thread) const fn new(journal: Journal, agent: &'run SigningKey, unanswered: u32) -> Self {
        Self { journal, agent, unanswered }
    }

    /// Takes the answer that was received before, and what attempts used that failed before it.
    pub(super) fn earlier_answer(&mut self) -> Option<(Answer, Usage)> {
        self.journal.received().answer.take()
    }

    /// Takes the model that took over before, and what attempts used that had failed by then.
    pub(super) fn earlier_fallback(&mut self) -> Option<(Replacement, Usage)> {
        self.journal.received().fell_back.pop_front()
    }

    /// Tells whether an answer was received before, and not taken.
    pub(super) const fn has_answer(&mut self) -> bool {
        self.journal.received().answer.is_some()
    }

    /// Keeps that a request is sent.
    pub(in crate::thread) fn sent(&mut self) -> Result<(), Error> {
        self.journal.sent(self.agent)
    }

    /// Takes up that requests were not answered.
    pub(super) const fn left_unanswered(&mut self, count: u32) {
        self.unanswered = self.unanswered.saturating_add(count);
    }

    /// Returns how many requests of the thread were sent and not answered.
    pub(in crate::thread) const fn unanswered(&self) -> u32 {
        self.unanswered
    }

    /// Keeps an answer.
    pub(in crate::thread) fn answer(
        &mut self,
        answer: &Answer,
        failed: Usage,
        summarized: Option<TurnRange>,
    ) -> Result<(), Error> {
        self.journal.answer(answer, failed, summarized, self.agent)
    }

    /// Keeps that another model takes over.
    pub(in crate::thread) fn fell_back(&mut self, to: &Replacement, failed: Usage) -> Result<(), Error> {
        self.journal.fell_back(to, failed, self.agent)
    }

    /// Takes what a person said to a call before, or asks now and keeps what they say.
    pub(in crate::thread) fn agrees(&mut self, call: &str, ask: impl FnOnce() -> bool) -> Result<bool, Error> {
        if let Some(agreed) = self.journal.received().said_to(call) {
            return Ok(agreed);
        }
        let agreed = ask();
        self.journal.asked(call, agreed, self.agent)?;
        Ok(agreed)
    }

    /// Makes calls, at the same time if there are several, but for those that ended before, and keeps how they ended.
    pub(in crate::thread) fn perform(
        &mut self,
        performer: &mut Performer<'_>,
        calls: Vec<Call>,
        remaining: Duration,
        told: &mut dyn FnMut(&str, Stage),
    ) -> Result<Vec<Performed>, Error> {
        let ids: Vec<String> = calls.iter().map(|call| call.call_id.clone()).collect();
        let (mut results, mut open, mut marks) = (BTreeMap::new(), Vec::new(), Vec::new());
        for call in calls {
            let mark = Mark::of(performer, CallOf::Model(call.call_id.clone()), &call.permitted);
            match self.earlier(performer, &mark) {
                Some(performed) => drop(results.insert(call.call_id, performed)),
                None => {
                    marks.push(mark);
                    open.push(call);
                }
            }
        }
        let Self { journal, agent, .. } = self;
        // One that ended while its neighbour ran is not made again, either.
        let mut beside = |performed: &Performed, whole: Option<&[u8]>, changes: &Changes| {
            let mark = marks.iter().find(|mark| mark.id.as_str() == performed.call_id);
            match mark.filter(|_| !performed.is_cut_off()) {
                Some(Mark { id, call, .. }) => {
                    journal.ended(id.clone(), call, performed, whole, changes.files(), agent)
                }
                None => Ok(()),
            }
        };
        let performed = performer.perform_all(open, remaining, told, &mut beside)?;
        for (mark, performed) in marks.into_iter().zip(performed) {
            // Calls cut off by the run's end stay unfinished.
            if !performed.is_cut_off() {
                self.ended(performer, mark, &performed)?;
            }
            results.insert(performed.call_id.clone(), performed);
        }
        Ok(ids.iter().filter_map(|id| results.remove(id)).collect())
    }

    /// Does what a hook asks for, unless that ended before. No event tells that it begins.
    pub(in crate::thread) fn hook(
        &mut self,
        performer: &mut Performer<'_>,
        call_id: String,
        permitted: Permitted,
        remaining: Duration,
    ) -> Result<Performed, Error> {
        let mark = Mark::of(performer, CallOf::Hook(call_id.clone()), &permitted);
        if let Some(performed) = self.earlier(performer, &mark) {
            return Ok(performed);
        }
        if mark.traces == Traces::Beyond {
            self.journal.begun(&mark.id, &permitted.described(), self.agent)?;
            self.journal.flush()?;
        }
        let performed = performer.perform(call_id, permitted, remaining)?;
        self.ended(performer, mark, &performed)?;
        Ok(performed)
    }

    /// Takes how a call ended before.
    fn earlier(&mut self, performer: &mut Performer<'_>, mark: &Mark) -> Option<Performed> {
        let (performed, whole) = self.journal.received().end_of(&mark.id, &mark.call)?.performed();
        performer.artifacts.extend(whole);
        Some(performed)
    }

    fn ended(&mut self, performer: &mut Performer<'_>, mark: Mark, performed: &Performed) -> Result<(), Error> {
        let Mark { id, call, traces, writes } = mark;
        let is_denied = performed.status == CallStatus::Denied;
        let written: Vec<(ProjectPath, Change)> = match traces {
            Traces::InTree if !writes.is_empty() && !is_denied => {
                writes.iter().filter_map(|path| Some((path.clone(), found(performer, path)?))).collect()
            }
            Traces::InTree | Traces::Beyond if !is_denied => {
                performer.look_for_files()?;
                Vec::new()
            }
            Traces::Nothing | Traces::InTree | Traces::Beyond => Vec::new(),
        };
        let whole = performed.artifact.as_ref().and_then(|digest| performer.artifacts.get(digest));
        let files = performer.changes.files().chain(written.iter().map(|(path, change)| (path, change)));
        self.journal.ended(id, &call, performed, whole.map(Vec::as_slice), files, self.agent)
    }

    /// Makes the files in a new tree that calls left which ended before.
    pub(super) fn restore(&mut self, performer: &Performer<'_>) -> Result<(), Error> {
        for (path, file) in &self.journal.received().files {
            match file.bytes() {
                Some(bytes) => {
                    performer.project().write(path, &bytes, true)?;
                    performer.project().set_executable(path, file.executable)?;
                }
                None => match performer.project().read(path, MAX_FILE_BYTES) {
                    Ok(content) => performer.project().remove(path, &content.bytes)?,
                    Err(workspace::Error::NotFound { .. }) => {}
                    Err(error) => return Err(error.into()),
                },
            }
        }
        Ok(())
    }

    /// Begins anew behind a commit.
    pub(in crate::thread) fn committed(&mut self, commit_id: Option<&CommitId>) -> Result<(), Error> {
        self.journal.committed(commit_id)
    }

    /// Makes the kept data durable.
    pub(in crate::thread) fn flush(&mut self) -> Result<(), Error> {
        self.journal.flush()
    }
}

/// Returns a file of the tree as a call left it; none for what no commit can hold.
fn found(performer: &Performer<'_>, path: &ProjectPath) -> Option<Change> {
    match performer.project().read(path, MAX_FILE_BYTES) {
        Ok(content) if content.truncated => None,
        Ok(content) => {
            let executable = performer.project().is_executable(path);
            Some(Change::Written { bytes: content.bytes, stored: None, executable })
        }
        Err(workspace::Error::NotFound { .. }) => Some(Change::Removed),
        Err(_) => None,
    }
}
