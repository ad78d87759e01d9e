//! What keeps secrets out of a thread: everything is redacted before the machine takes it in, so the model, the log, the
//! commits and every hash see the same bytes.
//!
//! - Inputs and prompts are redacted when the thread is prepared, answers of the model and results of tools when they come.
//! - The state of an answer goes back to its provider unchanged or not at all: a signed part that was changed is refused. Of an
//!   answer that holds a secret, in its state or elsewhere, no state is kept, and the message goes back as its redacted text.
//! - A call with a mark in the place of a secret is not performed: the tool would get the mark. Only the content of a file
//!   that the built-in tool writes is what the model wrote; files are the person's business.
//!
//! Names and descriptions of tools are not redacted: they are those of signed items.

use std::collections::BTreeMap;

use rye_plugin_abi::provider::{Delta, DirectiveBrief, ModelEvent, ToolCall};
use serde_json::{Map, Value};

use super::provider;
use crate::action::{Action, Permitted};
use crate::event::{AskedHost, SkippedPath};
use crate::execute::Given;
use crate::item::{Builtin, FileTool};
use crate::machine::Answer;
use crate::redact::{Arriving, Redactor, Secret, marks, marks_in};
use crate::session::Session;
use crate::thread::error::Error;

/// The parameter of the built-in tool that writes files, which goes there as the model wrote it.
const CONTENT: &str = "content";

/// Redacts what enters a thread. The default knows forms alone, and no secrets of this installation.
#[derive(Debug, Default)]
pub(in crate::thread) struct Guard {
    redactor: Redactor,
    /// What the model wrote in calls of its last answer that were redacted, by their ids.
    written: BTreeMap<String, Value>,
}

/// A call that has a mark where the model would need a secret.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the call has `{mark}` in the place of a secret that this thread does not see, so nothing was done; leave it to the user"
)]
pub(in crate::thread) struct Withheld {
    mark: String,
}

fn said(text: String) -> Option<Delta> {
    (!text.is_empty()).then_some(Delta::Text { text })
}

impl Guard {
    /// Makes the guard of one thread, which knows the secrets of the provider documents and of the person's configuration, and Rye's own
    /// private keys.
    ///
    /// # Errors
    ///
    /// Fails when the file of a secret or key cannot be read, or can be read by others.
    pub(in crate::thread) fn new(session: &Session) -> Result<Self, Error> {
        let ctx = session.context();
        let mut secrets = ctx.own_keys()?;
        for name in provider::secrets(session)? {
            if let Some(secret) = ctx.secret(&name)? {
                secrets.push(Secret::new(name, secret.reveal()));
            }
        }
        Ok(Self { redactor: Redactor::new(secrets), written: BTreeMap::new() })
    }

    /// Returns what redacts a text that is shown in part, before that is cut from it.
    pub(in crate::thread) const fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// Redacts a text.
    pub(in crate::thread) fn text(&self, text: String) -> String {
        self.redactor.text(&text).into_owned()
    }

    /// Redacts what arrives of an answer, for whoever watches: a possible part of a secret waits in `arriving`.
    pub(in crate::thread) fn shown(&self, arriving: &mut Arriving, delta: &Delta) -> Vec<Delta> {
        match delta {
            Delta::Text { text } => said(arriving.push(&self.redactor, text)).into_iter().collect(),
            // Nothing but that the model reasons is shown.
            Delta::Reasoning { .. } => {
                self.rest(arriving).into_iter().chain([Delta::Reasoning { text: String::new() }]).collect()
            }
            Delta::Call { name } => {
                self.rest(arriving).into_iter().chain([Delta::Call { name: self.text(name.clone()) }]).collect()
            }
        }
    }

    /// Returns what waited.
    pub(in crate::thread) fn rest(&self, arriving: &mut Arriving) -> Option<Delta> {
        said(arriving.close(&self.redactor))
    }

    /// Redacts what a tool returned.
    pub(in crate::thread) fn result(&self, output: Value) -> Value {
        self.redactor.value(output)
    }

    /// Redacts the hosts that a tool asked for: it may have put a secret into a name.
    pub(in crate::thread) fn hosts(&self, hosts: Vec<AskedHost>) -> Vec<AskedHost> {
        let redacted = |host: String| match self.redactor.value(Value::String(host)) {
            Value::String(host) => host,
            other => other.to_string(),
        };
        hosts.into_iter().map(|asked| AskedHost { host: redacted(asked.host), ..asked }).collect()
    }

    /// Redacts the names of paths that are written down: a tool may have put a secret into one.
    pub(in crate::thread) fn paths(&self, skipped: Vec<SkippedPath>) -> Vec<SkippedPath> {
        skipped.into_iter().map(|skipped| SkippedPath { path: self.text(skipped.path), ..skipped }).collect()
    }

    /// Redacts inputs by name.
    pub(in crate::thread) fn inputs(&self, inputs: Map<String, Value>) -> Map<String, Value> {
        self.redactor.members(inputs)
    }

    /// Redacts inputs as they were given.
    pub(in crate::thread) fn given(&self, given: &Given) -> Given {
        let pair = |(name, text): &(String, String)| {
            let one = Map::from_iter([(name.clone(), Value::String(text.clone()))]);
            let text = self.inputs(one).into_iter().next().and_then(|(_, value)| value.as_str().map(str::to_owned));
            (name.clone(), text.unwrap_or_default())
        };
        Given { object: self.inputs(given.object.clone()), pairs: given.pairs.iter().map(pair).collect() }
    }

    /// Redacts what a provider without a model follows.
    pub(in crate::thread) fn brief(&self, mut brief: DirectiveBrief) -> DirectiveBrief {
        for step in &mut brief.steps {
            step.text = self.text(std::mem::take(&mut step.text));
            for call in &mut step.calls {
                call.input = self.redactor.value(call.input.take());
            }
        }
        brief
    }

    /// Redacts an answer. Texts are joined first: a secret may lie across two of them.
    pub(in crate::thread) fn answer(&mut self, Answer { events, state, model }: Answer) -> Answer {
        self.written.clear();
        let mut ids = std::collections::BTreeSet::new();
        let (mut text, mut first_text, mut redacted) = (String::new(), None, Vec::with_capacity(events.len()));
        let mut is_changed = false;
        for event in events {
            redacted.push(match event {
                ModelEvent::Text { text: more } => {
                    text.push_str(&more);
                    first_text.get_or_insert(redacted.len());
                    continue;
                }
                ModelEvent::Reasoning { text } => {
                    let shown = self.text(text.clone());
                    is_changed |= shown != text;
                    ModelEvent::Reasoning { text: shown }
                }
                ModelEvent::Declined { text } => {
                    let shown = self.text(text.clone());
                    is_changed |= shown != text;
                    ModelEvent::Declined { text: shown }
                }
                ModelEvent::ToolCall(call) => {
                    let shown = ToolCall {
                        call_id: call.call_id.clone(),
                        name: self.text(call.name.clone()),
                        input: self.redactor.value(call.input.clone()),
                    };
                    // Of two calls with one id, the machine gives the second another one.
                    if ids.insert(call.call_id.clone()) && shown != call {
                        self.written.insert(call.call_id.clone(), call.input.clone());
                    }
                    is_changed |= shown != call;
                    ModelEvent::ToolCall(shown)
                }
                other @ (ModelEvent::Step { .. } | ModelEvent::Usage(_) | ModelEvent::Stop { .. }) => other,
            });
        }
        if let Some(at) = first_text {
            let shown = self.text(text.clone());
            is_changed |= shown != text;
            redacted.insert(at, ModelEvent::Text { text: shown });
        }
        let state = if is_changed || self.redactor.finds_in(&state) { Value::Null } else { state };
        Answer { events: redacted, state, model: model.map(|name| self.text(name)) }
    }

    /// Lets a call through that holds no mark. A file gets the content that the model wrote; `existing` reads the
    /// present content.
    ///
    /// # Errors
    ///
    /// Withholds a call that would use a mark as if it were the secret: as a parameter, or by writing it over the secret.
    pub(in crate::thread) fn let_through(
        &self,
        call_id: &str,
        permitted: Permitted,
        is_builtin: bool,
        existing: impl FnOnce(&Permitted) -> String,
    ) -> Result<Permitted, Withheld> {
        let mut parameters = match permitted.action() {
            Action::Tool { given, .. } | Action::TakeIn { given, .. } => given.as_text(),
            Action::Load { .. } | Action::Search(_) | Action::Sign { .. } => return Ok(permitted),
        };
        let content = match permitted.action() {
            Action::Tool { id, .. } if is_builtin && Builtin::of(id) == Some(Builtin::File(FileTool::Write)) => {
                parameters.remove(CONTENT)
            }
            Action::Tool { .. }
            | Action::TakeIn { .. }
            | Action::Load { .. }
            | Action::Search(_)
            | Action::Sign { .. } => None,
        };
        if let Some(mark) = marks_in(&Value::Object(parameters)).first() {
            return Err(Withheld { mark: (*mark).to_owned() });
        }
        let Some(Value::String(content)) = content else { return Ok(permitted) };
        if marks(&content).next().is_none() {
            return Ok(permitted);
        }
        let written = self.content(call_id, &content);
        // A text that speaks of marks may go on doing so.
        let there = existing(&permitted);
        let count = |text: &str, mark: &str| marks(text).filter(|other| *other == mark).count();
        let whole = written.unwrap_or(&content);
        if let Some(mark) = marks(whole).find(|mark| count(whole, mark) > count(&there, mark)) {
            return Err(Withheld { mark: mark.to_owned() });
        }
        Ok(match written {
            Some(written) => permitted.with_content(CONTENT, written.to_owned()),
            None => permitted,
        })
    }

    /// Returns the content that the model wrote where a call now has this one.
    fn content(&self, call_id: &str, shown: &str) -> Option<&str> {
        let input = self.written.get(call_id)?;
        let content = input.get(CONTENT).or_else(|| input.pointer(&format!("/parameters/{CONTENT}")))?.as_str()?;
        (self.redactor.text(content) == shown).then_some(content)
    }
}
