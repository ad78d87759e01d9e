//! The turns of a thread that runs inside of a bench: nothing outside could tell them apart.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use rye::context::{Context, Surroundings};
use rye::event::{Event, EventData};
use rye::item::Limits;
use rye::ops::execute::Given;
use rye::thread::{Observer, RunOptions};

use crate::common::{self, RYE, Workspace};

/// What a turn took.
pub(crate) struct Turn {
    pub(crate) whole: Duration,
    /// From the request to the first event of the answer.
    pub(crate) asking: Duration,
}

/// Sees when each turn begins, and when the text of its answer is there; the terminal event counts as one more turn.
#[derive(Default)]
pub(crate) struct Turns {
    begun: Vec<Instant>,
    answered: Vec<Instant>,
}

impl Turns {
    /// Returns what each turn took, in order.
    pub(crate) fn into_turns(self) -> Vec<Turn> {
        let pairs = self.begun.windows(2).zip(&self.answered);
        pairs.map(|(pair, answered)| Turn { whole: pair[1] - pair[0], asking: *answered - pair[0] }).collect()
    }
}

impl Observer for Turns {
    fn event(&mut self, event: &Event) {
        match event.what {
            EventData::StepStart { .. } | EventData::ThreadComplete { .. } => self.begun.push(Instant::now()),
            EventData::AssistantText { .. } => self.answered.push(Instant::now()),
            _ => {}
        }
    }
}

/// A process's surroundings in this workspace, with further variables.
pub(crate) fn context(workspace: &Workspace, more: &[(&str, &str)]) -> Context {
    let mut variables = BTreeMap::from([
        ("HOME".to_owned(), workspace.home().display().to_string()),
        ("PATH".to_owned(), common::PATH.to_owned()),
        ("GIT_CONFIG_GLOBAL".to_owned(), "/dev/null".to_owned()),
        ("GIT_CONFIG_NOSYSTEM".to_owned(), "1".to_owned()),
    ]);
    variables.extend(more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    let surroundings = Surroundings { current_dir: workspace.project(), program: RYE.into(), variables };
    Context::new(surroundings, None, &[]).unwrap()
}

/// A run of a directive by this provider.
pub(crate) fn options(directive: &str, provider: &str) -> RunOptions {
    RunOptions {
        granted: None,
        directive: directive.parse().unwrap(),
        given: Given::default(),
        provider: Some(provider.parse().unwrap()),
        model: None,
        script: None,
        limits: Limits::default(),
        patience: None,
        caller: None,
        with_changes: false,
        rerun_of: None,
        words_of: None,
        in_place: false,
    }
}
