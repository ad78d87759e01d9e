//! Reading earlier results back, whole or in part: of this thread, or of those that it continues.

use serde_json::{Value, json};

use super::Live;
use crate::action::{Recall, Recalled};
use crate::event::{Event, EventData};
use crate::git::CommitId;
use crate::id::ThreadId;
use crate::machine::Performed;
use crate::thread::error::Error;
use crate::thread::record::state::record_at;
use crate::thread::record::{Record, branch};
use crate::thread::run::call_result::{Answered, recalled};

/// How much of a call's arguments a list of calls has, in bytes.
const SHOWN: usize = 200;

impl Live<'_> {
    pub(super) fn recalled(&self, call_id: String, recall: &Recall, record: &Record) -> Result<Performed, Error> {
        let whole = match &recall.recalled {
            Recalled::Artifact(digest) => self.whole_result(digest, record)?,
            Recalled::Call { turn, call_id } => self.result_of(*turn, call_id, record)?,
            Recalled::Turn(turn) => self.calls_of(*turn, record)?,
        };
        let Answered { status, output, stderr, hosts } = recalled(recall, whole.as_deref());
        Ok(Performed { call_id, status, output, artifact: None, stderr, hosts, duration_ms: 0 })
    }

    /// Returns a whole result: of the turn under way, or from the branch.
    fn whole_result(&self, digest: &str, record: &Record) -> Result<Option<String>, Error> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if let Some(whole) = self.performer.artifacts.get(digest) {
            return Ok(Some(text(whole)));
        }
        let Some(tip) = self.branch.tip() else { return Ok(None) };
        for thread_id in self.lineage(tip, record)? {
            let path = branch::path(&thread_id, &format!("artifacts/{digest}"));
            if let Some(whole) = self.branch.repository().file_at(tip, &path)? {
                return Ok(Some(text(&whole)));
            }
        }
        Ok(None)
    }

    /// Returns the result of a call as JSON: whole, also where the model saw it abridged.
    fn result_of(&self, turn: u32, wanted: &str, record: &Record) -> Result<Option<String>, Error> {
        let found = self.events_of(turn, record)?.into_iter().rev().find_map(|event| match event.what {
            EventData::ToolCallResult { call_id, output, artifact, stderr, .. } if call_id == wanted => {
                Some((output, artifact, stderr))
            }
            _ => None,
        });
        Ok(match found {
            None => None,
            Some((_, Some(digest), _)) => self.whole_result(&digest, record)?,
            Some((output, None, None)) => Some(output.to_string()),
            Some((output, None, Some(stderr))) => Some(json!({"output": output, "stderr": stderr}).to_string()),
        })
    }

    /// Lists the calls of a turn.
    fn calls_of(&self, turn: u32, record: &Record) -> Result<Option<String>, Error> {
        let events = self.events_of(turn, record)?;
        let started = |wanted: &str| {
            events.iter().find_map(|event| match &event.what {
                EventData::ToolCallStart { call_id, tool, input, .. } if call_id == wanted => {
                    let input = input.to_string();
                    Some((tool.clone(), input[..input.floor_char_boundary(SHOWN)].to_owned()))
                }
                _ => None,
            })
        };
        let calls = events.iter().filter_map(|event| match &event.what {
            EventData::ToolCallResult { call_id, status, output, .. } => {
                let (tool, input) = started(call_id).unwrap_or_default();
                let bytes = output.to_string().len();
                Some(json!({"call_id": call_id, "tool": tool, "input": input, "status": status, "bytes": bytes}))
            }
            _ => None,
        });
        let calls: Vec<Value> = calls.collect();
        Ok((!events.is_empty()).then(|| Value::Array(calls).to_string()))
    }

    /// Reads the committed events of a turn: this thread's own, and those of the threads that it continues.
    fn events_of(&self, turn: u32, record: &Record) -> Result<Vec<Event>, Error> {
        let Some(tip) = self.branch.tip() else { return Ok(Vec::new()) };
        let mut events = Vec::new();
        for thread_id in self.lineage(tip, record)? {
            let path = branch::path(&thread_id, &branch::turn_file(turn));
            let bytes = self.branch.repository().file_at(tip, &path)?.unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes);
            events.extend(text.lines().filter_map(|line| serde_json::from_str::<Event>(line).ok()));
        }
        Ok(events)
    }

    /// Returns the thread and those that it continues, whose records its branch has.
    fn lineage(&self, tip: &CommitId, record: &Record) -> Result<Vec<ThreadId>, Error> {
        let mut threads = vec![record.thread_id.clone()];
        let mut next = record.forked_from.as_ref().map(|origin| origin.thread_id.clone());
        while let Some(thread_id) = next.take() {
            if threads.contains(&thread_id) {
                break;
            }
            let continued = record_at(self.branch.repository(), tip, &thread_id)?;
            next = continued.and_then(|record| record.forked_from).map(|origin| origin.thread_id);
            threads.push(thread_id);
        }
        Ok(threads)
    }
}
