//! The LLM loop as a pure machine: inputs in, effects out.
//!
//! It knows no clock, no file and no network: the driver performs each effect and feeds the result back. Invariants,
//! with any behavior of the model and the tools: no call is made that is estimated to pass a limit, every call gets
//! exactly one result, results fold in the order of the calls, every answered turn is counted, and the last event is
//! always a terminal one. An input that does not fit what the machine waits for changes nothing.

mod budget;
mod calls;
mod compaction;
mod context;
mod continuation;
mod conversation;
mod cut_answer;
mod cutoff;
mod end;
mod fallback;
mod hook_calls;
mod repeats;
mod results;
mod resumption;
mod retry;
mod settlement;
mod steps;
mod wait;

use rye_plugin_abi::provider::{Message, StopReason as WireStop, ToolCall};
use serde_json::{Map, Value, json};

use self::context::Compacting;
use self::conversation::Conversation;
use self::cutoff::CutOff;
use self::hook_calls::resource;
use self::repeats::Repeats;
pub use self::resumption::Resumption;
use self::wait::{Then, Waiting};
use super::allowance::Allowance;
use super::current_directive::Following;
use super::effect::{Answer, Effect, Input, Origin, Performed, Question, Replacement};
use super::harness::{Ceilings, Compaction, Harness, LimitPassed, Size};
use super::hooks::{Hooks, LOOP};
use super::returns::Returns;
use crate::action::Toolbox;
use crate::capability::TokenChain;
use crate::event::{CallStatus, CallingStep, EventData, ModelChoice, Usage};
use crate::id::ItemId;
use crate::item::{CurrencyMismatch, HookEvent, PersonGrant, Price};
use crate::project_words::ToldBudget;

/// What a thread is made of, decided before it begins.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The inputs of the directive.
    pub inputs: Map<String, Value>,
    /// What the model can call.
    pub toolbox: Toolbox,
    /// What it may do.
    pub chain: TokenChain,
    /// What it may use.
    pub harness: Harness,
    /// What it has to return.
    pub returns: Returns,
    /// What it does by itself when something happens.
    pub hooks: Hooks,
    /// The events that name the knowledge in the context.
    pub context: Vec<EventData>,
    /// Bytes of the system prompt and the tool descriptions, which go with every request.
    pub fixed_bytes: u64,
    /// The user prompt.
    pub prompt: String,
    /// The most output tokens the provider takes.
    pub max_output_tokens: u64,
    /// By what it keeps its conversation within the model's context; none in older threads.
    pub compaction: Option<Compaction>,
    /// The directive that goes on when turns were summarised.
    pub continuation: Option<ItemId>,
    /// Whether the model is asked once to continue an answer that was cut; threads of older versions end.
    pub continues: bool,
    /// Whether the model is told what is left of its budget.
    pub tells_budget: bool,
    /// The model that was asked for, and the one that was chosen; older threads do not tell.
    pub model: Option<ModelChoice>,
    /// What its person let it do by flags.
    pub granted: Option<PersonGrant>,
}

/// What another thread has of its own that continues a thread.
#[derive(Debug)]
pub struct Fork {
    /// What it continues.
    pub origin: Origin,
    /// What it may do.
    pub chain: TokenChain,
    /// Its limits, including the former usage.
    pub ceilings: Ceilings,
    /// What its model costs.
    pub price: Price,
    /// The most output tokens its provider takes.
    pub max_output_tokens: u64,
    /// By what it keeps its conversation within the model's context.
    pub compaction: Option<Compaction>,
    /// The driver's clock now, and for how long the thread ran before.
    pub now_ms: u64,
    /// For how long the thread ran before.
    pub used_ms: u64,
}

/// The machine.
#[derive(Debug, Clone)]
pub struct Machine {
    setup: Setup,
    /// The thread that this one continues, until that is recorded.
    origin: Option<Origin>,
    /// The event by which it is taken up again, until that is recorded.
    resumed: Option<EventData>,
    /// Whether the next answer was received already.
    answered: bool,
    messages: Conversation,
    pending: Vec<Pending>,
    cut_off: CutOff,
    turn: Turn,
    phase: Phase,
    outputs: Option<Map<String, Value>>,
    calls: u64,
    /// The hooks being performed, and what follows when all of them are answered.
    waiting: Vec<Waiting>,
    then: Option<Then>,
    /// What hooks bring to the model with the next request.
    injected: Vec<String>,
    hooked: u64,
    repeats: Repeats,
    /// Whether the model was asked to continue a cut answer, and did not end one since.
    continued: bool,
    /// What the record already tells of limits that were passed.
    passed: Vec<LimitPassed>,
    compacting: Compacting,
    /// The directive that the model took in last.
    taken_in: Option<TakenIn>,
    /// What the model knows of its budget.
    budget: ToldBudget,
    /// The directive being followed; none in threads of older versions, whose events all name their own.
    following: Option<Following>,
}

/// What the machine waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Beginning,
    Committing,
    Counting,
    Asking,
    Calling,
    Hooking,
    Ended,
}

#[derive(Debug, Clone, Default)]
struct Turn {
    usage: Usage,
    stop: Option<WireStop>,
    called: bool,
    /// Whether the answer has a text.
    said: bool,
    /// Whether the answer was cut, and the model is asked to continue it.
    goes_on: bool,
    /// Why the model or its provider declined to answer, where they say it.
    declined: Option<String>,
    /// The first call of a step that failed or was denied, where the step does not go on without it.
    failed: Option<(&'static str, String)>,
    /// Whether the model was asked and did not answer yet.
    is_open: bool,
    state: Value,
    /// The model that answered, as the server names it.
    model: Option<String>,
}

#[derive(Debug, Clone)]
struct Pending {
    call: ToolCall,
    /// What it asks for, or lacks when it is refused: the words that hooks get to see.
    what: String,
    /// The step that makes it, where no model does, and the call in words.
    step: Option<(CallingStep, String)>,
    /// The directive whose instructions it takes in.
    takes_in: Option<ItemId>,
    result: Option<Performed>,
}

/// A directive that the model took in.
#[derive(Debug, Clone)]
struct TakenIn {
    call_id: String,
    turn: u32,
    id: ItemId,
    instructions: String,
}

impl Machine {
    /// Makes a machine that waits to begin.
    #[must_use]
    pub fn new(setup: Setup) -> Self {
        Self {
            budget: ToldBudget::new(setup.harness.ceilings().as_text()),
            setup,
            origin: None,
            resumed: None,
            answered: false,
            messages: Conversation::default(),
            pending: Vec::new(),
            cut_off: CutOff::default(),
            turn: Turn::default(),
            phase: Phase::Beginning,
            outputs: None,
            calls: 0,
            waiting: Vec::new(),
            then: None,
            injected: Vec::new(),
            hooked: 0,
            repeats: Repeats::default(),
            continued: false,
            passed: Vec::new(),
            compacting: Compacting::default(),
            taken_in: None,
            following: None,
        }
    }

    /// Tells of one more thing that the thread begins with, before all others.
    pub fn begin_with(&mut self, event: EventData) {
        self.setup.context.insert(0, event);
    }

    /// Goes on as another thread, from the turn that was just committed. None of this is recorded before it begins.
    ///
    /// # Errors
    ///
    /// Fails when the spent amount, the limit and the price are in different currencies.
    pub fn forked(mut self, fork: Fork) -> Result<Self, CurrencyMismatch> {
        let Fork { origin, chain, ceilings, price, max_output_tokens, compaction, now_ms, used_ms } = fork;
        self.setup.harness = self.setup.harness.resumed(ceilings, price, now_ms, used_ms)?;
        self.setup.chain = chain;
        self.setup.max_output_tokens = max_output_tokens;
        self.setup.compaction = compaction;
        self.origin = Some(origin);
        // A fork behind a failed step continues with the next one.
        self.turn.failed = None;
        if self.setup.continues {
            self.continue_after_end();
        }
        self.phase = Phase::Beginning;
        Ok(self)
    }

    /// Returns the last state of the provider; null without one.
    #[must_use]
    pub const fn provider_state(&self) -> &Value {
        &self.turn.state
    }

    /// Returns the used amounts and the rest.
    #[must_use]
    pub const fn harness(&self) -> &Harness {
        &self.setup.harness
    }

    /// Takes one input and returns the work, in order. `now_ms` is the driver's clock.
    pub fn step(&mut self, input: Input, now_ms: u64) -> Vec<Effect> {
        match (input, self.phase) {
            (_, Phase::Ended) => Vec::new(),
            (Input::Cancel { cause }, _) => self.end(Vec::new(), EventData::ThreadCancelled { cause }),
            (Input::Fail { code, message }, _) => self.end(Vec::new(), EventData::ThreadError { code, message }),
            (Input::Begin, Phase::Beginning) => self.begin(),
            (Input::Committed, Phase::Committing) => self.next_turn(now_ms),
            (Input::Answer(answer), Phase::Asking) => match self.take_summary(answer) {
                Ok(effects) => effects,
                Err(answer) => self.answer(answer),
            },
            (Input::Counted(tokens), Phase::Counting) => self.counted(tokens, now_ms),
            (Input::AttemptsFailed(usage), Phase::Asking) => self.attempts_failed(usage),
            (Input::ModelFailed { code, message }, Phase::Asking) => self.model_failed(&code, message, now_ms),
            (Input::OutOfTime, Phase::Asking) => self.stop_at(self.setup.harness.out_of_time()),
            (Input::OutOfRoom { limit, value, message }, Phase::Asking) => self.stop_with(limit, value, message),
            (Input::FellBack(replacement), Phase::Asking) => self.fall_back(*replacement, now_ms),
            (Input::Performed(performed), Phase::Calling) => self.performed(performed),
            (Input::Hooked(performed), Phase::Calling | Phase::Hooking) => self.hook_performed(performed),
            _ => Vec::new(),
        }
    }

    fn begin(&mut self) -> Vec<Effect> {
        if let Some(event) = self.resumed.take() {
            return self.settle(vec![Effect::Record(event)], Then::Commit);
        }
        let text = self.setup.prompt.clone();
        let limits = self.setup.harness.ceilings().as_text();
        let limits = limits.into_iter().map(|(name, value)| (name, Value::String(value))).collect();
        let token = self.setup.chain.tokens().last().map(|token| token.sha256().to_string()).unwrap_or_default();
        let (model, granted) = (self.setup.model.clone().map(Box::new), self.setup.granted.clone().map(Box::new));
        if let Some(Origin { thread_id, turn, commit_id }) = self.origin.take() {
            let event = EventData::ThreadForked { thread_id, turn, commit_id, limits, token, model, granted };
            return self.settle(vec![Effect::Record(event)], Then::Commit);
        }
        self.say(text.clone());
        let start = EventData::ThreadStart { inputs: self.setup.inputs.clone(), limits, token, model, granted };
        let context = std::mem::take(&mut self.setup.context);
        let events = [start].into_iter().chain(context).chain([EventData::UserMessage { text }]);
        let mut effects = events.map(Effect::Record).collect();
        self.fire(HookEvent::ThreadStarted, None, &mut effects);
        self.settle(effects, Then::Commit)
    }

    fn next_turn(&mut self, now_ms: u64) -> Vec<Effect> {
        if let Some(effects) = self.make_again() {
            return effects;
        }
        if let Some(outputs) = self.outputs.take() {
            let mut effects = Vec::new();
            self.fire(HookEvent::ThreadCompleted, None, &mut effects);
            return self.settle(effects, Then::End(EventData::ThreadComplete { outputs }));
        }
        if let Some(message) = self.setup.returns.exhausted() {
            return self.fail(Vec::new(), "missing_outputs", message);
        }
        if let Some((code, message)) = self.broke_off() {
            return self.fail(Vec::new(), code, message);
        }
        if let Some(message) = self.goes_round() {
            return self.fail(Vec::new(), "loop", message);
        }
        let mut effects = Vec::new();
        if self.shorten(&mut effects, now_ms) {
            return effects;
        }
        let size = self.size();
        if effects.is_empty() && !self.answered && self.setup.harness.is_near(size) {
            self.phase = Phase::Counting;
            return vec![Effect::Count(self.messages.shared())];
        }
        effects.extend(self.ask(size, now_ms));
        effects
    }

    /// Takes what the provider counted, and asks by it.
    fn counted(&mut self, counted: Option<u64>, now_ms: u64) -> Vec<Effect> {
        let event = counted.map(|tokens| Effect::Record(EventData::InputCounted { tokens }));
        let asked = self.ask(Size { counted, ..self.size() }, now_ms);
        event.into_iter().chain(asked).collect()
    }

    fn ask(&mut self, size: Size, now_ms: u64) -> Vec<Effect> {
        let before_call = match std::mem::take(&mut self.answered) {
            // A received answer is taken, and its calls are bounded as ever.
            true => Ok(0),
            false => self.setup.harness.before_call(size, self.setup.max_output_tokens, now_ms),
        };
        let max_output_tokens = match before_call {
            Ok(tokens) => tokens,
            Err(limit) => return self.stop_at(limit),
        };
        let allowance = Box::new(Allowance::new(&self.setup.harness, size, max_output_tokens));
        self.setup.harness.begin_turn();
        self.turn = Turn { state: std::mem::take(&mut self.turn.state), is_open: true, ..Turn::default() };
        self.phase = Phase::Asking;
        vec![
            Effect::Record(EventData::StepStart { turn: self.setup.harness.number() }),
            Effect::Ask(Question { messages: self.messages.shared(), max_output_tokens, allowance, summary: None }),
        ]
    }

    fn size(&self) -> Size {
        self.messages.size(self.setup.fixed_bytes)
    }

    /// Adds a text for the model to the conversation.
    fn say(&mut self, text: String) {
        self.messages.push(Message::User { text }, self.setup.harness.number());
    }

    pub(super) fn finish_turn(&mut self, mut effects: Vec<Effect>) -> Vec<Effect> {
        if self.cut_off.is_now() {
            self.cut_off.resume(false);
        } else {
            self.step_finish(&mut effects);
            self.repeats.end();
        }
        self.fire(HookEvent::AfterStep, None, &mut effects);
        if self.repeats.of_calls() == LOOP {
            self.fire(HookEvent::LoopDetected, None, &mut effects);
        }
        self.feel_pressure(&mut effects);
        self.continue_once();
        if self.broke_off().is_some() || self.turn.goes_on || self.turn.stop == Some(WireStop::Pause) {
            // Half an answer does not end the turn; its continuation is unknown.
        } else if !self.turn.called && self.outputs.is_none() {
            match self.setup.returns.missing_at_end() {
                None => self.outputs = Some(Map::new()),
                Some(reminder) => effects.extend(self.remind(reminder)),
            }
        }
        self.tell_budget();
        self.settle(effects, Then::Commit)
    }

    /// Tells the model the missing outputs, unless it will not be asked again.
    fn remind(&mut self, text: String) -> Option<Effect> {
        if self.setup.returns.exhausted().is_some() {
            return None;
        }
        self.say(text.clone());
        Some(Effect::Record(EventData::UserMessage { text }))
    }
}

fn answered(call_id: String, output: Value) -> Performed {
    Performed {
        call_id,
        status: CallStatus::Ok,
        output,
        artifact: None,
        stderr: None,
        hosts: Vec::new(),
        duration_ms: 0,
    }
}

fn refusal(call_id: String, status: CallStatus, code: &str, message: &str) -> Performed {
    let output = json!({"error": {"code": code, "message": message}});
    Performed { call_id, status, output, artifact: None, stderr: None, hosts: Vec::new(), duration_ms: 0 }
}
