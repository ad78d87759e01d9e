//! What bounds the run of a tool.

use std::time::Duration;

use crate::capability::{HostRule, PathRules};
use crate::process::{CancelFlag, Limits};

/// What bounds the run of a tool.
#[derive(Debug, Clone, Copy)]
pub struct Bounds<'a> {
    /// Stops it when set.
    pub cancel: &'a CancelFlag,
    /// How long it may take at most; the limit of every tool counts besides.
    pub timeout: Option<Duration>,
    /// How many bytes of its standard output are kept.
    pub max_output: usize,
    /// Rules of paths, all of which must allow what a built-in tool touches. None where a person runs the tool.
    pub paths: Option<&'a [PathRules]>,
    /// Layers of rules of hosts, all of which must name what a script reaches over the network.
    pub hosts: &'a [Vec<HostRule>],
}

impl<'a> Bounds<'a> {
    /// Returns the bounds of a run that nobody narrows.
    #[must_use]
    pub fn usual(cancel: &'a CancelFlag) -> Self {
        Self { cancel, timeout: None, max_output: Limits::default().max_stdout, paths: None, hosts: &[] }
    }
}
