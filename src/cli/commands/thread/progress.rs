//! Output while a thread runs, and when it ended.

use std::io;

use rye_plugin_abi::provider::Delta;

use super::epilogue;
use crate::capability::{ALWAYS_ASKED, Capability};
use crate::cli::args::Format;
use crate::cli::commands::{tell_of_new_keys, warn_of_findings};
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::screen::{Screen, can_draw};
use crate::cli::text::{self, calls::OpenCalls};
use crate::context::{AgentClient, Context};
use crate::event::{Event, EventData, Then};
use crate::id::{ItemId, ItemType};
use crate::process::{self, Answer};
use crate::session::Session;
use crate::thread::{Ending, Observer, Outcome, SharedFolder, Stage, Tally, TreeSetUp, Undecided};

/// The formats of commands that run a thread.
pub(in crate::cli) const FORMATS: &[Format] = &[Format::Human, Format::Json, Format::Jsonl];

/// Tells each event as it comes.
pub(super) struct Progress<'a> {
    output: &'a mut Output,
    /// The terminal that shows the thread, if there is one.
    screen: Option<Screen>,
    /// Whether events go to standard output.
    streams: bool,
    /// Events that wait for the thread's branch; none once it is there.
    waiting: Option<Vec<Event>>,
    /// The calls without a result, for lines of text.
    calls: OpenCalls,
    /// The agent client that may have started the program.
    client: Option<AgentClient>,
    /// Why an event could not be written there.
    failed: Option<io::Error>,
}

impl<'a> Progress<'a> {
    /// Begins to tell of a thread.
    pub(super) fn new(ctx: &Context, output: &'a mut Output, format: Format) -> Self {
        let streams = format == Format::Jsonl && !output.is_json();
        let is_free = !(streams && output.is_on_terminal());
        let screen =
            output.terminal().filter(|_| can_draw(ctx) && is_free).map(|terminal| Screen::begin(ctx, terminal));
        let (waiting, calls) = (Some(Vec::new()), OpenCalls::default());
        Self { output, screen, streams, waiting, calls, client: ctx.agent_client(), failed: None }
    }

    /// Writes next to the drawn lines.
    fn aside<T>(&mut self, write: impl FnOnce(&mut Output) -> T) -> T {
        let Self { output, screen, .. } = self;
        match screen {
            Some(screen) => screen.aside(|| write(output)),
            None => write(output),
        }
    }

    /// Says why an answer does not count.
    fn broke_off(&mut self, say: impl FnOnce(&mut Output)) {
        self.screen.iter().for_each(Screen::broke_off);
        self.aside(say);
    }

    /// Streams an event, once the thread's branch is there.
    fn stream(&mut self, event: &Event) {
        match &mut self.waiting {
            Some(waiting) => waiting.push(event.clone()),
            None if self.failed.is_none() => self.failed = self.output.json_line(event).err(),
            None => {}
        }
    }

    /// Tells how the thread ended.
    pub(super) fn tell(self, session: &Session, outcome: &Outcome) -> Result<Exit, Error> {
        let Self { output, screen, streams, failed, .. } = self;
        // Drawn lines go first.
        drop(screen);
        match (streams, failed) {
            (_, Some(error)) => Err(error.into()),
            (true, None) => tell_beside(output, session, outcome),
            (false, None) => tell(output, session, outcome),
        }
    }
}

impl Observer for Progress<'_> {
    fn event(&mut self, event: &Event) {
        if self.streams {
            self.stream(event);
        }
        match &event.what {
            // These are worth a word wherever the output goes.
            EventData::Retry { reason, without, .. } if !without.is_empty() => {
                let without = without.join(", ");
                self.broke_off(|output| output.note(&format!("{reason}; asked without {without} from here on")));
            }
            EventData::Retry { reason, wait_ms, .. } => {
                let wait = text::thread::seconds(*wait_ms);
                self.broke_off(|output| output.note(&format!("{reason}; retrying in {wait}")));
            }
            EventData::Fallback { provider, model, reason, .. } => {
                let taken_over = format!("{reason}; the fallback `{model}` of `{provider}` answers from here on");
                self.broke_off(|output| output.warn(&taken_over));
            }
            _ => match &self.screen {
                Some(screen) => screen.event(event),
                None if self.streams => {}
                None => {
                    let calls = &mut self.calls;
                    self.output.progress(|page| text::thread::write_event_among(page, event, calls));
                }
            },
        }
    }

    fn began(&mut self) {
        for event in self.waiting.take().into_iter().flatten() {
            self.stream(&event);
        }
    }

    fn standing(&mut self, tally: &Tally) {
        self.screen.iter().for_each(|screen| screen.standing(tally));
    }

    fn counted(&mut self, tally: &Tally) {
        self.screen.iter().for_each(|screen| screen.counted(tally));
    }

    fn arriving(&mut self, delta: &Delta) {
        self.screen.iter().for_each(|screen| screen.arriving(delta));
    }

    fn call(&mut self, call_id: &str, stage: Stage) {
        self.screen.iter().for_each(|screen| screen.call(call_id, stage));
    }

    fn redirected(&mut self, variable: &str, host: &str) {
        self.aside(|output| output.note(&format!("`{variable}` has the model asked at `{host}`")));
    }

    fn withheld(&mut self, tools: &[ItemId], missing: &process::Error) {
        let named = tools.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ");
        let scripts = if tools.len() == 1 { "script" } else { "scripts" };
        self.aside(|output| {
            output.note(&format!(
                "{scripts} withheld from the model: {named}; {missing}; to run scripts without one, set `sandbox = \"prefer\"` in `config.toml` of your configuration"
            ));
        });
    }

    fn left_out(&mut self, paths: usize) {
        if paths > 0 {
            let counted = text::count(paths, "uncommitted file");
            self.aside(|output| {
                output.note(&format!(
                    "the thread starts from what is committed, without your {counted} (add them with `--with-changes`)"
                ));
            });
        }
    }

    fn tree_proposed(&mut self) {
        self.aside(|output| {
            output.note("the project proposes `[tree]` in `.ai/config.toml`, which does not count here: look at it, then run `rye trust accept`");
        });
    }

    fn agrees_to_set_up(&mut self, set_up: &TreeSetUp) -> bool {
        let client = self.client;
        self.aside(|output| epilogue::agrees_to_set_up(output, client, set_up))
    }

    fn setting_up(&mut self, command: &str) {
        self.aside(|output| output.note(&format!("setting up the thread's tree: `{command}`")));
    }

    fn shared(&mut self, folder: &SharedFolder) {
        self.aside(|output| epilogue::tell_of_shared(output, folder));
    }

    fn unfinished(&mut self, call: &str) -> Result<Then, Undecided> {
        let question =
            format!("the thread was stopped during this call, which may have taken effect: {call}; repeat it?");
        let choices = "[y]es, [n]o (the model is told), anything else stops";
        match self.aside(|output| output.answer(&question, choices)).as_deref() {
            Some("y" | "Y" | "yes") => Ok(Then::Repeat),
            Some("n" | "N" | "no") => Ok(Then::Fail),
            Some(_) => Err(Undecided::Declined),
            None => Err(Undecided::NoTerminal),
        }
    }

    fn agrees(&mut self, call: &str, pattern: &Capability) -> bool {
        if pattern.as_str() == ALWAYS_ASKED {
            // `--yes` was given before its purpose was known.
            let question = format!("the thread wants to {call}; let it?");
            return self.aside(|output| output.agrees_now(&question)) == Answer::Yes;
        }
        let question = format!("the thread wants to {call}, which `permissions.ask` covers with `{pattern}`; let it?");
        self.aside(|output| output.agrees(&question)) == Answer::Yes
    }
}

/// Tells what no event tells, where events are the output.
fn tell_beside(output: &mut Output, session: &Session, outcome: &Outcome) -> Result<Exit, Error> {
    tell_first(output, outcome);
    epilogue::finish(output, session);
    Ok(exit(outcome.ending))
}

/// Tells how a thread ended that was run.
fn tell(output: &mut Output, session: &Session, outcome: &Outcome) -> Result<Exit, Error> {
    tell_first(output, outcome);
    output.gap();
    output.outcome(outcome, |page| text::thread::write(page, outcome))?;
    epilogue::finish(output, session);
    Ok(exit(outcome.ending))
}

fn tell_first(output: &mut Output, outcome: &Outcome) {
    tell_of_new_keys(output, &outcome.keys_created);
    warn_of_findings(output, ItemType::Directive, &outcome.directive, &outcome.warnings);
    if outcome.identity_is_fallback {
        output.note("`user.name` and `user.email` are not set: the commits name `rye <rye@localhost>`");
    }
}

const fn exit(ending: Ending) -> Exit {
    match ending {
        Ending::Completed | Ending::Running => Exit::Done,
        Ending::Cancelled | Ending::Limit => Exit::Stopped,
        Ending::Provider => Exit::Provider,
        Ending::Denied => Exit::Denied,
        Ending::Error | Ending::Outputs | Ending::Interrupted => Exit::Failed,
    }
}
