//! Whoever watches a thread while it runs: what it is told, and what it is asked.
//!
//! Only events are on record. Everything else that is told here comes and goes with the run.

use std::time::Duration;

use rye_plugin_abi::provider::Delta;

use crate::capability::Capability;
use crate::event::{CallStatus, Event, Then, Usage};
use crate::execute::{SharedFolder, TreeSetUp};
use crate::id::ItemId;
use crate::item::Money;
use crate::machine::harness::Harness;
use crate::process;

/// Why it is not decided what becomes of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undecided {
    /// The person wants neither.
    Declined,
    /// There is no terminal.
    NoTerminal,
}

/// Whoever wants to see a thread while it runs.
pub trait Observer {
    /// Sees an event, after it became durable.
    fn event(&mut self, event: &Event);

    /// Hears that the thread's branch has its first commit, or the one that takes it up again.
    fn began(&mut self) {}

    /// Hears the state of the thread, before each request to the model.
    fn standing(&mut self, _tally: &Tally) {}

    /// Hears the state of the thread when the model has answered, with what the answer used.
    fn counted(&mut self, _tally: &Tally) {}

    /// Hears what the model says, as it arrives. Nothing of it is on record yet, and [`again`](Self::again) takes it back.
    fn arriving(&mut self, _delta: &Delta) {}

    /// Hears how far a call is. Its result is not on record yet.
    fn call(&mut self, _call_id: &str, _stage: Stage) {}

    /// Hears that the model did not answer, why, and after how long it is asked again.
    fn again(&mut self, _why: &str, _wait: Duration) {}

    /// Hears that a variable of the environment says where the model is asked.
    fn redirected(&mut self, _variable: &str, _host: &str) {}

    /// Hears which permitted tools are withheld from the model: scripts, where the sandbox is missing that they must run in.
    fn withheld(&mut self, _tools: &[ItemId], _missing: &process::Error) {}

    /// Hears how many paths its person has not committed, which are not in the thread's tree.
    fn left_out(&mut self, _paths: usize) {}

    /// Hears that the project proposes something for the trees of threads that its person did not accept.
    fn tree_proposed(&mut self) {}

    /// Asks the user to approve the command that the project has run in the trees of its threads. Without an answer no thread begins.
    fn agrees_to_set_up(&mut self, _set_up: &TreeSetUp) -> bool {
        false
    }

    /// Hears that the command begins, as a shell reads it.
    fn setting_up(&mut self, _command: &str) {}

    /// Hears of a folder that its person's configuration shares with the thread.
    fn shared(&mut self, _folder: &SharedFolder) {}

    /// Asks what becomes of a call, described in one line, that had begun and not ended when the thread's runner died.
    ///
    /// # Errors
    ///
    /// Fails when the person does not say.
    fn unfinished(&mut self, _call: &str) -> Result<Then, Undecided> {
        Err(Undecided::NoTerminal)
    }

    /// Asks the user to approve a call matched by `permissions.ask`, described in one line. Without a terminal the call is denied.
    fn agrees(&mut self, _call: &str, _pattern: &Capability) -> bool {
        false
    }
}

/// How far a call is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// It is being made.
    Began,
    /// It ended.
    Ended(CallStatus),
}

/// The state of a thread, for people who watch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tally {
    /// The number of the turn that begins: greater than the count of turns after a resumption.
    pub number: u32,
    /// How many turns there were with this one, and the limit on them.
    pub turns: (u32, u32),
    /// Tokens used, as the limit counts them: each once.
    pub tokens: u64,
    /// Money spent, and the limit on it.
    pub spend: (Money, Money),
    /// How long the thread may still run.
    pub remaining: Duration,
}

impl Tally {
    /// Reads the counts at the beginning of a turn.
    pub(in crate::thread) fn new(harness: &Harness, remaining: Duration) -> Self {
        let ceilings = harness.ceilings();
        Self {
            number: harness.number(),
            turns: (harness.turns(), ceilings.turns),
            tokens: harness.tokens(),
            spend: (harness.spend().clone(), ceilings.spend.clone()),
            remaining,
        }
    }
    /// Reads the counts, and the usage of an answer.
    pub(in crate::thread) fn after(mut harness: Harness, usage: Usage, now_ms: u64) -> Self {
        harness.add(usage);
        Self::new(&harness, Duration::from_millis(harness.remaining_ms(now_ms)))
    }
}
