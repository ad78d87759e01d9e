//! The bounds of the run of a tool.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::capability::{Denial, HostRule, PathRules};
use crate::item::Builtin;
use crate::process::{CancelFlag, LastLine, Limits};
use crate::redact::Redactor;
use crate::session::Session;

use super::status::ToolStatus;

/// How long a tool may run when nothing says otherwise.
pub(super) const DEFAULT_TIMEOUT: Duration = Duration::from_secs(120);

/// What a tool shows to its user, who may see their own secrets.
static NOTHING: Redactor = Redactor::of_nothing();

/// Performs a built-in tool that works with registries: its result, as a model gets it.
pub type Registries = fn(&Session, Builtin, &Map<String, Value>, &Bounds<'_>) -> Result<(ToolStatus, Value), Denial>;

/// The bounds of the run of a tool.
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
    /// What works with registries. None where a person runs the tool, who has commands for that.
    pub registries: Option<Registries>,
    /// Gets the last line of a script's stderr while it runs.
    pub said: Option<&'a LastLine>,
    /// Keeps secrets out of what the tool returns, before any of that is cut. It replaces nothing where a person runs the tool.
    pub secrets: &'a Redactor,
}

impl<'a> Bounds<'a> {
    /// Returns bounds without limits of a caller.
    #[must_use]
    pub fn usual(cancel: &'a CancelFlag) -> Self {
        let max_output = Limits::default().max_stdout;
        Self {
            cancel,
            timeout: None,
            max_output,
            paths: None,
            hosts: &[],
            registries: None,
            said: None,
            secrets: &NOTHING,
        }
    }
}
