//! Whoever watches a thread while it runs: what it is told, and what it is asked.
//!
//! Only events are on record. Everything else that is told here comes and goes with the run.

use std::time::Duration;

use super::share::SharedFolder;
use crate::capability::Capability;
use crate::event::{CallStatus, Event};

/// Whoever wants to see a thread while it runs.
pub trait Observer {
    /// Sees an event, after it became durable.
    fn event(&mut self, event: &Event);

    /// Hears how far a call is. Its result is not on record yet.
    fn call(&mut self, _call_id: &str, _stage: Stage) {}

    /// Hears that the model did not answer, why, and after how long it is asked again.
    fn again(&mut self, _why: &str, _wait: Duration) {}

    /// Hears that a variable of the environment says where the model is asked.
    fn redirected(&mut self, _variable: &str, _host: &str) {}

    /// Hears how many paths its person has not committed, which are not in the thread's tree.
    fn left_out(&mut self, _paths: usize) {}

    /// Hears of a folder that its person's configuration shares with the thread.
    fn shared(&mut self, _folder: &SharedFolder) {}

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
