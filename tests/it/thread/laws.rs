//! The machine against arbitrary models, orders, clocks and cancellations: what must hold whatever they do.

use proptest::prelude::*;
use rye::event::{EventData, Usage};
use rye::thread::machine::{Effect, Input, Machine, Question};
use rye_plugin_abi::provider::{Message, ModelEvent, OnError, StopReason};
use serde_json::{Value, json};

use super::machine::{FIXED_BYTES, Terms, answers, done, hooked, machine, price, tool_call, usage};
use super::world::check_events;

/// One thing that happens to a machine.
#[derive(Debug, Clone)]
enum Happening {
    /// The model answers, and the provider reports whatever it likes.
    Answer(Vec<ModelEvent>),
    /// The model answers within what it was given: so many sixteenths of the estimated input, so many hundredths of the output.
    Honest(Vec<ModelEvent>, u64, u64),
    /// Attempts to ask the model are billed and bring nothing.
    AttemptsFailed(u64, u64),
    /// The model cannot be asked.
    Fails,
    /// The user stops the thread.
    Cancel,
    /// An input out of place.
    Stray(Stray),
}

#[derive(Debug, Clone, Copy)]
enum Stray {
    Begin,
    Committed,
    Answer,
    Performed,
}

impl Stray {
    fn input(self) -> Input {
        match self {
            Self::Begin => Input::Begin,
            Self::Committed => Input::Committed,
            Self::Answer => answers(vec![tool_call("stray", "demo_one", json!({})), usage(1, 1)]),
            Self::Performed => done("nobody"),
        }
    }
}

fn input() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!({})),
        Just(json!({"path": "out/a"})),
        Just(json!({"path": "README.md"})),
        Just(json!({"path": "../a"})),
        Just(json!({"item_type": "tool", "item_id": "demo/forbidden"})),
        Just(json!({"item_type": "tool", "item_id": "demo/one", "parameters": {}})),
        Just(json!({"item_type": "knowledge", "item_id": "demo/x"})),
        Just(json!({"note": "x"})),
        Just(json!({"note": 3, "other": null})),
        Just(json!("text")),
        Just(Value::Null),
    ]
}

fn call() -> impl Strategy<Value = ModelEvent> {
    let ids = prop_oneof![Just(""), Just("a"), Just("b"), Just("call-1"), Just("call-2")];
    let names = prop_oneof![
        Just("demo_one"),
        Just("demo_forbidden"),
        Just("rye_file_system_write"),
        Just("rye_execute"),
        Just("rye_load"),
        Just("rye_sign"),
        Just("rye_search"),
        Just("directive_return"),
        Just("shell"),
        Just(""),
    ];
    (ids, names, input()).prop_map(|(id, name, input)| tool_call(id, name, input))
}

fn step(on_error: OnError) -> ModelEvent {
    ModelEvent::Step { name: "one".to_owned(), on_error }
}

fn event() -> impl Strategy<Value = ModelEvent> {
    let stops = prop_oneof![Just(StopReason::EndTurn), Just(StopReason::ToolUse), Just(StopReason::MaxTokens)];
    prop_oneof![
        6 => call(),
        1 => "[a-z ]{0,20}".prop_map(|text| ModelEvent::Text { text }),
        1 => "[a-z ]{0,20}".prop_map(|text| ModelEvent::Reasoning { text }),
        2 => (0u64..300, 0u64..300).prop_map(|(input, output)| usage(input, output)),
        1 => Just(usage(u64::MAX, u64::MAX)),
        1 => prop_oneof![Just(OnError::End), Just(OnError::Continue)].prop_map(step),
        1 => stops.prop_map(|reason| ModelEvent::Stop { reason }),
    ]
}

fn happening() -> impl Strategy<Value = Happening> {
    let strays = prop_oneof![Just(Stray::Begin), Just(Stray::Committed), Just(Stray::Answer), Just(Stray::Performed)];
    prop_oneof![
        20 => prop::collection::vec(event(), 0..6).prop_map(Happening::Answer),
        20 => (prop::collection::vec(call(), 0..4), 0u64..40, 0u64..=100)
            .prop_map(|(calls, input, output)| Happening::Honest(calls, input, output)),
        3 => (0u64..300, 0u64..300).prop_map(|(input, output)| Happening::AttemptsFailed(input, output)),
        1 => Just(Happening::Fails),
        1 => Just(Happening::Cancel),
        6 => strays.prop_map(Happening::Stray),
    ]
}

/// A run of the machine with everything it asked for.
struct Run {
    machine: Machine,
    terms: Terms,
    now_ms: u64,
    events: Vec<EventData>,
    open: Vec<String>,
    performed: Vec<String>,
    waiting: Waiting,
    answers: usize,
    hooked: Vec<String>,
    /// The estimate of the last question's input, and the most output it allows.
    asked: (u64, u64),
    /// The report of the last answer, and the last reported input.
    last: (u64, u64),
    counted_input: u64,
    /// What the provider counted of the question that comes.
    counted: Option<u64>,
    /// Billionths of a unit, exactly.
    spent: u128,
    /// Tokens and billionths of a unit that failed attempts took since the last question.
    failed: (u64, u64),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Waiting {
    Commit,
    Answer,
    Calls,
    Nothing,
}

/// Hooks at events all through a thread, permitted ones and refused ones, tools and knowledge.
const EVERY_HOOK: &str = "<hook event=\"thread_started\"><execute item_type=\"tool\">demo/one</execute></hook>\
    <hook event=\"before_tool\"><action primary=\"load\" item_type=\"knowledge\" item_id=\"demo/a\"/></hook>\
    <hook event=\"after_tool\"><execute item_type=\"tool\">demo/forbidden</execute></hook>\
    <hook><when>error || permission_denied || deviation</when><execute item_type=\"tool\">demo/one</execute></hook>\
    <hook><when>cost.current > 0</when><execute item_type=\"tool\">demo/one</execute></hook>\
    <hook event=\"limit\"><execute item_type=\"tool\">demo/one</execute></hook>\
    <hook event=\"thread_completed\"><execute item_type=\"tool\">demo/one</execute></hook>";

impl Run {
    fn new(terms: Terms) -> Self {
        let mut run = Self {
            machine: machine(&terms),
            terms,
            now_ms: 0,
            events: Vec::new(),
            open: Vec::new(),
            performed: Vec::new(),
            waiting: Waiting::Nothing,
            answers: 0,
            hooked: Vec::new(),
            asked: (0, 0),
            last: (0, 0),
            counted_input: 0,
            counted: None,
            spent: 0,
            failed: (0, 0),
        };
        run.step(Input::Begin);
        run
    }

    /// Steps, and holds each effect to its law.
    fn step(&mut self, input: Input) {
        let ended = self.events.last().is_some_and(EventData::is_terminal);
        let before = self.machine.harness().spend().nano();
        let effects = self.machine.step(input, self.now_ms);
        if ended {
            assert_eq!(effects, [], "nothing follows the end");
        }
        assert!(self.machine.harness().spend().nano() >= before, "money that is spent does not come back");
        for effect in effects {
            self.take(effect);
        }
        if !self.hooked.is_empty() {
            let call_id = self.hooked.remove(0);
            self.step(hooked(&call_id));
        }
    }

    fn take(&mut self, effect: Effect) {
        match effect {
            Effect::Record(event) => {
                self.settled(&event);
                self.events.push(event);
            }
            // A provider that is not asked may have counted: three quarters of the estimate, if it does.
            Effect::Count(messages) => {
                self.counted = None;
                let estimate = self.estimate(&messages);
                self.counted = estimate.is_multiple_of(2).then_some(estimate / 4 * 3);
                self.step(Input::Counted(self.counted));
            }
            Effect::Ask(question) => self.asked(&question),
            Effect::Perform { call_id, permitted } => {
                let action = permitted.action().item_id().map_or("a search", rye::id::ItemId::as_str);
                assert!(
                    ["demo/one", "demo/x", "rye/file-system/write"].contains(&action),
                    "{action} was not permitted"
                );
                self.open.push(call_id.clone());
                self.performed.push(call_id);
                self.waiting = Waiting::Calls;
            }
            Effect::Recall { .. } => panic!("no model of this test reads a result"),
            // As the driver does it: at once, and the answer goes back before anything else.
            Effect::Hook { call_id, .. } => self.hooked.push(call_id),
            Effect::Commit => {
                assert!(self.hooked.is_empty(), "a turn is committed when all its hooks are answered");
                assert_eq!(self.open, Vec::<String>::new(), "a turn is committed when all its calls are answered");
                self.waiting = Waiting::Commit;
            }
            Effect::End => {
                assert!(self.events.last().unwrap().is_terminal());
                self.waiting = Waiting::Nothing;
            }
        }
    }

    /// Money equals the bill exactly; no call is made that is estimated to pass a limit.
    fn asked(&mut self, question: &Question) {
        self.waiting = Waiting::Answer;
        let harness = self.machine.harness();
        let (estimate, cap) = (self.estimate(&question.messages), question.max_output_tokens);
        self.counted = None;
        assert!(harness.turns() <= self.terms.turns);
        assert!(self.now_ms < self.terms.seconds * 1_000);
        assert!(cap >= 16 && cap <= self.terms.wanted_output);
        assert!(harness.tokens() + estimate.saturating_sub(self.counted_input) + cap <= self.terms.tokens);
        let bound = price(self.terms.price).of(estimate, cap);
        assert!(harness.spend().nano() + bound.nano() <= self.terms.spend);
        (self.asked, self.failed) = ((estimate, cap), (0, 0));
        check_messages(&question.messages);
    }

    fn estimate(&self, messages: &[Message]) -> u64 {
        let bytes = |messages: &[Message]| {
            messages.iter().map(|message| serde_json::to_vec(message).unwrap().len() as u64).sum::<u64>()
        };
        let all = FIXED_BYTES + serde_json::to_vec(messages).unwrap().len() as u64;
        let said = messages.iter().rposition(|message| matches!(message, Message::Assistant { .. }));
        match (said, self.last) {
            _ if self.counted.is_some() => self.counted.unwrap_or_default(),
            _ if self.terms.strict => all,
            (_, (0, _)) | (None, _) => all.div_ceil(3),
            (Some(at), (input, output)) => {
                let answer = bytes(&messages[at..=at]).div_ceil(3).min(output);
                input.saturating_add(answer).saturating_add(bytes(&messages[at + 1..]).div_ceil(3))
            }
        }
    }

    /// Counts along what the record says was used.
    fn settled(&mut self, event: &EventData) {
        let (EventData::StepFinish { usage, .. } | EventData::AttemptsFailed { usage, .. }) = event else { return };
        let (input, output) = (usage.input_tokens, usage.output_tokens);
        let is_answer = matches!(event, EventData::StepFinish { .. });
        if is_answer {
            self.last = (input, output);
        }
        if input > 0 {
            self.counted_input = if is_answer { input } else { self.counted_input.max(input) };
        }
        let cost = |per: u64, tokens: u64| (u128::from(per) * u128::from(tokens)).div_ceil(1_000_000);
        self.spent += cost(self.terms.price.0, input) + cost(self.terms.price.1, output);
    }

    /// Holds a limit to be passed by no more than the estimate missed.
    fn within(&self, before: (u64, u64), real: u64) {
        let harness = self.machine.harness();
        let missed = real.saturating_sub(self.asked.0);
        let over = harness.tokens().saturating_sub(self.terms.tokens);
        // Attempts that failed were not asked for by an estimate of their own.
        let failed = before.0;
        assert!(over <= missed + failed, "{over} tokens over, {missed} missed");
        let over = harness.spend().nano().saturating_sub(self.terms.spend);
        let most = price(self.terms.price).of(missed, 0).nano() + before.1 + 2;
        assert!(over <= most, "{over} over, {missed} tokens missed");
    }

    /// Lets one thing happen; strays come wherever they are out of place.
    fn happen(&mut self, happening: Happening) {
        match (happening, self.waiting) {
            (Happening::Cancel, _) => self.step(Input::Cancel { cause: "enough".to_owned() }),
            (Happening::Stray(Stray::Committed), Waiting::Commit)
            | (Happening::Stray(Stray::Answer), Waiting::Answer) => (),
            (Happening::Stray(stray), _) => {
                let before = (self.events.len(), self.waiting);
                self.step(stray.input());
                assert_eq!((self.events.len(), self.waiting), before, "a stray input changes nothing");
            }
            (happening, Waiting::Commit) => {
                self.step(Input::Committed);
                if self.waiting == Waiting::Answer {
                    self.happen(happening);
                }
            }
            (Happening::Fails, Waiting::Answer) => {
                self.step(Input::ModelFailed { code: "provider".to_owned(), message: "no".to_owned() });
            }
            (Happening::Answer(events), Waiting::Answer) => {
                self.answers += 1;
                // Unless a call is left to perform, the turn ends at once.
                self.step(answers(events));
            }
            (Happening::AttemptsFailed(input_tokens, output_tokens), Waiting::Answer) => {
                let harness = self.machine.harness();
                let (turns, before) = (harness.turns(), (harness.tokens(), harness.spend().nano()));
                self.step(Input::AttemptsFailed(Usage { input_tokens, output_tokens, ..Usage::default() }));
                let harness = self.machine.harness();
                assert_eq!((harness.turns(), self.waiting), (turns, Waiting::Answer), "it uses no turn");
                self.failed.0 += harness.tokens() - before.0;
                self.failed.1 += harness.spend().nano() - before.1;
            }
            (Happening::Honest(mut events, input, output), Waiting::Answer) => {
                let real = self.asked.0 * input / 16;
                events.push(usage(real, self.asked.1 * output / 100));
                let failed = self.failed;
                self.answers += 1;
                self.step(answers(events));
                // With a call left to perform, the turn is settled later.
                if self.waiting == Waiting::Commit {
                    self.within(failed, real);
                }
            }
            _ => (),
        }
    }

    /// Performs an open call, in any order.
    fn perform(&mut self, pick: usize) {
        if !self.open.is_empty() {
            let call_id = self.open.remove(pick % self.open.len());
            self.step(done(&call_id));
        }
    }
}

/// Each tool result answers exactly one call of the answer before it, and every call has one.
fn check_messages(messages: &[Message]) {
    let mut open: Vec<(String, String)> = Vec::new();
    for message in messages {
        match message {
            Message::Tool { call_id, name, .. } => assert_eq!(open.remove(0), (call_id.clone(), name.clone())),
            Message::Assistant { calls, .. } => {
                assert!(open.is_empty());
                open = calls.iter().map(|call| (call.call_id.clone(), call.name.clone())).collect();
            }
            Message::User { .. } => assert!(open.is_empty()),
        }
    }
    assert!(open.is_empty(), "{open:?} without a result");
}

/// Holds all events of a run together.
fn check(run: &Run) {
    let turn = std::cell::Cell::new(0);
    let lines = run.events.iter().enumerate().map(|(seq, what)| {
        if let EventData::StepStart { turn: begun } = what {
            turn.set(*begun);
        }
        let line = json!({"v": 1, "seq": seq, "time": "2026-01-01T00:00:00Z", "thread_id": "t", "turn": turn.get(), "directive": "a"});
        let mut line = line.as_object().unwrap().clone();
        line.extend(serde_json::to_value(what).unwrap().as_object().unwrap().clone());
        serde_json::from_value(Value::Object(line)).unwrap()
    });
    check_events(&lines.collect::<Vec<_>>());
    let count = |wanted: fn(&EventData) -> bool| run.events.iter().filter(|event| wanted(event)).count();
    assert_eq!(
        count(|event| matches!(event, EventData::StepFinish { .. })),
        run.answers,
        "one finish per answered turn"
    );
    let denied = run.events.iter().filter_map(|event| match event {
        EventData::PermissionDenied { call_id, .. } => Some(call_id),
        _ => None,
    });
    for call_id in denied {
        assert!(!run.performed.contains(call_id), "{call_id} was denied and performed");
    }
    assert_eq!(u128::from(run.machine.harness().spend().nano()), run.spent.min(u64::MAX.into()), "money is exact");
    if let [.., before, EventData::ThreadError { code, .. }] = run.events.as_slice() {
        let told = matches!(before, EventData::LimitReached { .. } | EventData::HookTriggered { .. });
        assert!(code != "limit" || told, "{before:?}");
    }
}

/// How many histories are tried: `PROPTEST_CASES`, or a few. The slow suite tries many thousands.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(400)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn the_laws_hold_whatever_model_tools_clock_and_person_do(
        happenings in prop::collection::vec((happening(), prop::collection::vec(0usize..6, 0..5), 0u64..1_500), 1..25),
        limits in (1u32..12, 200u64..20_000, 1u64..20, 0u64..100_000),
        per in prop_oneof![Just((0, 0)), (0u64..50_000_000, 0u64..50_000_000)],
        returns in any::<bool>(),
        back in any::<bool>(),
        hooks in prop::sample::select(vec!["", EVERY_HOOK]),
        strict in any::<bool>(),
    ) {
        let (turns, tokens, seconds, spend) = limits;
        let mut run = Run::new(Terms { turns, tokens, seconds, spend, price: per, returns, wanted_output: 500, hooks, strict, window: None });
        for (happening, picks, passed) in happenings {
            // The clock jumps ahead, and now and then back.
            run.now_ms = if back && passed < 100 { run.now_ms / 2 } else { run.now_ms + passed };
            run.happen(happening);
            for pick in picks {
                run.perform(pick);
            }
        }
        while !run.open.is_empty() && run.waiting == Waiting::Calls {
            run.perform(0);
        }
        run.step(Input::Cancel { cause: "the end of the test".to_owned() });
        prop_assert_eq!(run.waiting, Waiting::Nothing);
        check(&run);
    }
}
