//! The machine, table by table: one model's answer in, the effects out.

use rye::action::{OfferedTool, Toolbox};
use rye::capability::{Capabilities, Claims, TokenChain, TokenDirective};
use rye::context::LimitRules;
use rye::event::{CallStatus, EventData};
use rye::id::{ItemType, ThreadId, Timestamp};
use rye::item::{InputKind, Item, Limits, Money, Output, Price};
use rye::thread::harness::{Ceilings, Harness};
use rye::thread::hooks::Hooks;
use rye::thread::machine::{Answer, Compaction, Effect, Input, Machine, Performed, Setup};
use rye::thread::returns::Returns;
use rye::trust::{ContentHash, SigningKey};
use rye_plugin_abi::provider::{Message, ModelEvent, StopReason, ToolCall, Usage};
use serde_json::{Map, Value, json};

/// What a machine of the tests may use, and what it has to return.
pub(super) struct Terms {
    pub(super) turns: u32,
    pub(super) tokens: u64,
    pub(super) seconds: u64,
    /// Billionths of a unit.
    pub(super) spend: u64,
    /// Billionths of a unit for a million input and output tokens.
    pub(super) price: (u64, u64),
    /// Whether `note` is declared and required.
    pub(super) returns: bool,
    pub(super) wanted_output: u64,
    /// Hooks in the form of the format.
    pub(super) hooks: &'static str,
    /// Whether bytes bound the tokens of a request.
    pub(super) strict: bool,
    /// The context of the model; none as in older threads.
    pub(super) window: Option<u64>,
}

impl Default for Terms {
    fn default() -> Self {
        let (turns, tokens, seconds, spend) = (10, 1_000_000, 100, 1_000_000_000);
        Self {
            turns,
            tokens,
            seconds,
            spend,
            price: (0, 0),
            returns: false,
            wanted_output: 1_000,
            hooks: "",
            strict: false,
            window: None,
        }
    }
}

/// The permitted tools, and one that is offered and not permitted.
pub(super) const OFFERED: [&str; 3] = ["demo/one", "rye/file-system/write", "demo/forbidden"];

pub(super) const FIXED_BYTES: u64 = 100;

pub(super) fn usd(nano: u64) -> Money {
    Money::from_nano(nano, "USD").unwrap()
}

pub(super) fn price((input, output): (u64, u64)) -> Price {
    let (input_per_million, output_per_million) = (usd(input), usd(output));
    Price {
        input_per_million,
        output_per_million,
        cache_read_per_million: None,
        cache_write_per_million: None,
        cache_write_1h_per_million: None,
        cache_1h_unasked: false,
    }
}

pub(super) fn harness(terms: &Terms) -> Harness {
    let limits = Limits {
        turns: Some(terms.turns),
        tokens: Some(terms.tokens),
        duration: Some(terms.seconds),
        spend: Some(usd(terms.spend)),
        ..Limits::default()
    };
    let rules = LimitRules { strict: terms.strict, ..LimitRules::default() };
    let ceilings = Ceilings::new(&limits, None, &Limits::default(), &rules).unwrap();
    Harness::new(ceilings, price(terms.price), 0).unwrap()
}

/// A chain that allows `demo/one`, the file tools below `out/`, and loading knowledge of `demo`.
pub(super) fn chain() -> TokenChain {
    let key = SigningKey::from_seed(&[7; 32]);
    let mut granted = Capabilities::default();
    for capability in ["rye.execute.tool.demo.one", "rye.execute.tool.rye.file-system.*", "rye.load.knowledge.demo.*"] {
        granted.calls.push(capability.parse().unwrap());
    }
    granted.paths.write.push("out/**".to_owned());
    let directive = TokenDirective {
        id: "demo/work".parse().unwrap(),
        version: "1.0.0".parse().unwrap(),
        sha256: ContentHash::of(b""),
    };
    let thread_id: ThreadId = "work-20260101-000000-aaaaaaaa".parse().unwrap();
    let mut claims = Claims::new(thread_id, directive, granted, key.public().key_id());
    claims.expires_at = Timestamp::from_milliseconds(1_000);
    TokenChain::verify(vec![claims.sign(&key)], &key.public(), Timestamp::from_milliseconds(0)).unwrap()
}

/// Hooks as a directive declares them, each on the item it names.
fn hooks(written: &str) -> Hooks {
    hooks_with(written, &Map::new())
}

pub(super) fn hooks_with(written: &str, inputs: &Map<String, Value>) -> Hooks {
    let declared: String =
        inputs.keys().map(|name| format!("<input name=\"{name}\" type=\"string\">I</input>")).collect();
    let text = format!(
        "# A\n\n```xml\n<directive name=\"a\" version=\"1.0.0\"><metadata><description>D</description><category/>\
         <author>x</author><hooks>{written}</hooks></metadata><inputs>{declared}</inputs></directive>\n```\nGo.\n"
    );
    let parsed = rye::format::parse(ItemType::Directive, &"md".parse().unwrap(), &text);
    assert!(!rye::format::has_errors(&parsed.findings), "{:?}", parsed.findings);
    let Some(Item::Directive(directive)) = parsed.item else { panic!() };
    let armed = directive.hooks.into_iter().map(|hook| (hook.clone(), hook.action.item_id)).collect();
    Hooks::new(armed, "work", inputs)
}

pub(super) fn machine(terms: &Terms) -> Machine {
    let note = Output {
        name: "note".to_owned(),
        kind: InputKind::String,
        required: true,
        from: None,
        description: String::new(),
    };
    let returns = Returns::new(if terms.returns { vec![note] } else { Vec::new() });
    let tools =
        OFFERED.map(|id| OfferedTool { id: id.parse().unwrap(), description: String::new(), schema: json!({}) });
    Machine::new(Setup {
        granted: None,
        inputs: Map::new(),
        toolbox: Toolbox::new(&tools, &[], returns.schema()),
        chain: chain(),
        harness: harness(terms),
        returns,
        hooks: hooks(terms.hooks),
        context: Vec::new(),
        fixed_bytes: FIXED_BYTES,
        prompt: "Work.".to_owned(),
        max_output_tokens: terms.wanted_output,
        continuation: None,
        compaction: terms.window.map(|window| Compaction { window: Some(window) }),
        continues: true,
        tells_budget: false,
        model: None,
    })
}

pub(super) fn tool_call(id: &str, name: &str, input: Value) -> ModelEvent {
    ModelEvent::ToolCall(ToolCall { call_id: id.to_owned(), name: name.to_owned(), input })
}

pub(super) fn usage(input_tokens: u64, output_tokens: u64) -> ModelEvent {
    ModelEvent::Usage(Usage { input_tokens, output_tokens, ..Usage::default() })
}

/// An answer of a provider that keeps no state.
pub(super) fn answers(events: Vec<ModelEvent>) -> Input {
    Input::Answer(Answer { events, state: Value::Null, model: None })
}

pub(super) fn done(call_id: &str) -> Input {
    let output = json!(call_id);
    let status = CallStatus::Ok;
    Input::Performed(Performed {
        call_id: call_id.to_owned(),
        status,
        output,
        artifact: None,
        stderr: None,
        hosts: Vec::new(),
        duration_ms: 1,
    })
}

/// A machine that has been asked to answer its first turn.
fn asked(terms: &Terms) -> Machine {
    let mut machine = machine(terms);
    machine.step(Input::Begin, 0);
    let effects = machine.step(Input::Committed, 0);
    assert!(matches!(effects.last(), Some(Effect::Ask(_))), "{effects:?}");
    machine
}

/// Effects in short: an event's type and its call, or the next work.
fn short(effects: &[Effect]) -> Vec<String> {
    effects.iter().map(short_one).collect()
}

fn short_one(effect: &Effect) -> String {
    match effect {
        Effect::Record(event) => {
            let event = serde_json::to_value(event).unwrap();
            let detail = ["call_id", "code", "limit", "turn"].iter().find_map(|name| event["data"].get(*name));
            let detail = detail.map(|detail| format!(" {}", detail.to_string().trim_matches('"'))).unwrap_or_default();
            format!("{}{detail}", event["type"].as_str().unwrap())
        }
        Effect::Count(_) => "COUNT".to_owned(),
        Effect::Ask(_) => "ASK".to_owned(),
        Effect::Perform { call_id, .. } => format!("PERFORM {call_id}"),
        Effect::Recall { call_id, .. } => format!("RECALL {call_id}"),
        Effect::Hook { call_id, .. } => format!("HOOK {call_id}"),
        Effect::Commit => "COMMIT".to_owned(),
        Effect::End => "END".to_owned(),
    }
}

#[test]
fn a_thread_begins_asks_answers_and_ends() {
    let mut machine = machine(&Terms::default());
    assert_eq!(short(&machine.step(Input::Begin, 0)), ["thread_start", "user_message", "COMMIT"]);
    assert_eq!(short(&machine.step(Input::Committed, 0)), ["step_start 1", "ASK"]);
    let answer = vec![
        ModelEvent::Reasoning { text: "Hm.".to_owned() },
        ModelEvent::Text { text: "Do".to_owned() },
        ModelEvent::Text { text: "ne.".to_owned() },
        usage(3, 4),
        ModelEvent::Stop { reason: StopReason::EndTurn },
    ];
    let effects = machine.step(answers(answer), 0);
    assert_eq!(short(&effects), ["assistant_reasoning", "assistant_text", "step_finish", "COMMIT"]);
    assert_eq!(effects[1], Effect::Record(EventData::AssistantText { text: "Done.".to_owned() }));
    let Effect::Record(finish) = &effects[2] else { panic!() };
    assert_eq!(
        serde_json::to_value(finish).unwrap()["data"],
        json!({"usage": {"input_tokens": 3, "output_tokens": 4}, "spend": "0.00 USD", "stop_reason": "end_turn"})
    );
    assert_eq!(short(&machine.step(Input::Committed, 0)), ["thread_complete", "END"]);
    assert_eq!(machine.step(Input::Committed, 0), []);
}

/// Where a limit is near, the provider counts before the model is asked; otherwise the estimate counts.
#[test]
fn a_call_that_is_near_a_limit_is_counted_first() {
    let near = || {
        let mut machine = machine(&Terms { tokens: 58, wanted_output: 10, ..Terms::default() });
        machine.step(Input::Begin, 0);
        assert_eq!(short(&machine.step(Input::Committed, 0)), ["COUNT"]);
        assert_eq!(machine.step(answers(Vec::new()), 0), [], "nothing was asked yet");
        machine
    };
    let effects = near().step(Input::Counted(Some(30)), 0);
    assert_eq!(short(&effects), ["input_counted", "step_start 1", "ASK"]);
    let Effect::Ask(question) = &effects[2] else { panic!() };
    assert_eq!(question.max_output_tokens, 10);
    let ended = ["limit_reached tokens", "thread_error limit", "END"];
    assert_eq!(short(&near().step(Input::Counted(Some(50)), 0)), [&["input_counted"], &ended[..]].concat());
    assert_eq!(short(&near().step(Input::Counted(None), 0))[0], "step_start 1");
    assert_eq!(short(&near().step(Input::Cancel { cause: "enough".to_owned() }, 0)), ["thread_cancelled", "END"]);
}

#[test]
fn half_an_answer_is_no_end() {
    let mut machine = asked(&Terms::default());
    let cut = vec![ModelEvent::Text { text: "I".to_owned() }, ModelEvent::Stop { reason: StopReason::MaxTokens }];
    let goes_on = ["assistant_text", "step_finish", "user_message", "COMMIT"];
    assert_eq!(short(&machine.step(answers(cut.clone()), 0)), goes_on);
    machine.step(Input::Committed, 0);
    machine.step(answers(vec![tool_call("a", "nothing", json!({}))]), 0);
    machine.step(Input::Committed, 0);
    assert_eq!(short(&machine.step(answers(cut.clone()), 0)), goes_on, "a call is a new beginning");
    machine.step(Input::Committed, 0);
    assert_eq!(short(&machine.step(answers(cut), 0)), ["assistant_text", "step_finish", "COMMIT"]);
    assert_eq!(short(&machine.step(Input::Committed, 0)), ["thread_error max_tokens", "END"]);
}

#[test]
fn results_fold_in_the_order_of_the_calls() {
    let mut machine = asked(&Terms::default());
    let answer = vec![
        tool_call("a", "demo_one", json!({})),
        tool_call("b", "nothing", json!({})),
        tool_call("c", "demo_one", json!({})),
    ];
    let effects = machine.step(answers(answer), 0);
    let started = ["tool_call_start a", "PERFORM a", "tool_call_start b", "tool_call_start c", "PERFORM c"];
    assert_eq!(short(&effects), started);
    assert_eq!(machine.step(done("c"), 0), []);
    assert_eq!(machine.step(done("c"), 0), [], "a second result of one call counts for nothing");
    assert_eq!(machine.step(done("x"), 0), [], "a result of no call counts for nothing");
    let folded = ["tool_call_result a", "tool_call_result b", "tool_call_result c", "step_finish", "COMMIT"];
    assert_eq!(short(&machine.step(done("a"), 0)), folded);
    let effects = machine.step(Input::Committed, 0);
    let Some(Effect::Ask(question)) = effects.last() else { panic!("{effects:?}") };
    let tool = |id: &str, name: &str, output: Value, is_error| Message::Tool {
        call_id: id.to_owned(),
        name: name.to_owned(),
        output,
        is_error,
        stderr: None,
    };
    let unknown = "unknown tool `nothing` (expected demo_forbidden, demo_one, rye_file_system_write)";
    let unknown = json!({"error": {"code": "unknown_tool", "message": unknown}});
    assert_eq!(
        question.messages[2..],
        [
            tool("a", "demo_one", json!("a"), false),
            tool("b", "nothing", unknown, true),
            tool("c", "demo_one", json!("c"), false),
        ]
    );
}

/// Hole 6 of the threat model: a denied call is never performed, by whatever name it was called.
#[test]
fn what_the_chain_does_not_allow_is_denied_and_not_performed() {
    let item = |item_type: &str, id: &str| json!({"item_type": item_type, "item_id": id});
    let through =
        |path: &str| json!({"item_type": "tool", "item_id": "rye/file-system/write", "parameters": {"path": path}});
    let cases = [
        ("demo_forbidden", json!({}), false),
        ("rye_execute", item("tool", "demo/forbidden"), false),
        ("rye_execute", item("directive", "demo/one"), false),
        ("rye_sign", item("knowledge", "demo/x"), false),
        ("rye_load", item("knowledge", "other/x"), false),
        ("rye_file_system_write", json!({"path": "README.md"}), false),
        ("rye_file_system_write", json!({"path": "out"}), false),
        ("rye_execute", through("README.md"), false),
        ("rye_execute", through("out/a"), true),
        ("rye_execute", item("tool", "demo/one"), true),
        ("rye_load", item("knowledge", "demo/x"), true),
        ("rye_file_system_write", json!({"path": "out/./a"}), true),
    ];
    for (name, input, allowed) in cases {
        let mut machine = asked(&Terms::default());
        let effects = short(&machine.step(answers(vec![tool_call("a", name, input.clone())]), 0));
        let expected: &[&str] = if allowed {
            &["tool_call_start a", "PERFORM a"]
        } else {
            &["tool_call_start a", "permission_denied a", "tool_call_result a", "step_finish", "COMMIT"]
        };
        assert_eq!(effects, expected, "{name} {input}");
    }
    // An argument that the call does not take is a fault, whatever it says.
    let disguised = json!({"item_type": "tool", "item_id": "demo/forbidden", "name": "demo_one"});
    let mut machine = asked(&Terms::default());
    let effects = short(&machine.step(answers(vec![tool_call("a", "rye_execute", disguised)]), 0));
    assert_eq!(effects, ["tool_call_start a", "tool_call_result a", "step_finish", "COMMIT"]);
}

#[test]
fn a_repeated_or_empty_call_id_gets_one_of_its_own() {
    let mut machine = asked(&Terms::default());
    let one = |id: &str| tool_call(id, "demo_one", json!({}));
    let effects = short(&machine.step(answers(vec![one("call-2"), one("call-2"), one(""), one("call-1")]), 0));
    let performed: Vec<&String> = effects.iter().filter(|effect| effect.starts_with("PERFORM")).collect();
    assert_eq!(performed, ["PERFORM call-2", "PERFORM call-1", "PERFORM call-3", "PERFORM call-4"]);
    for id in ["call-1", "call-2", "call-3", "call-4"] {
        machine.step(done(id), 0);
    }
    machine.step(Input::Committed, 0);
    let effects = short(&machine.step(answers(vec![one("call-2")]), 0));
    assert_eq!(effects, ["tool_call_start call-5", "PERFORM call-5"]);
}

#[test]
fn outputs_are_asked_for_twice_more_and_then_the_thread_ends() {
    let terms = Terms { returns: true, ..Terms::default() };
    let returning = |input: Value| vec![tool_call("a", "directive_return", input)];
    let wrong = [
        returning(json!({})),
        returning(json!({"note": 3})),
        returning(json!({"note": "x", "other": 1})),
        vec![ModelEvent::Text { text: "Done.".to_owned() }],
    ];
    for answer in wrong {
        let mut machine = asked(&terms);
        for attempt in 1..=3 {
            let effects = short(&machine.step(answers(answer.clone()), 0));
            assert!(effects.contains(&"step_finish".to_owned()), "{effects:?}");
            let reminded = effects.contains(&"user_message".to_owned());
            assert_eq!(reminded, attempt < 3 && matches!(answer[0], ModelEvent::Text { .. }), "{effects:?}");
            assert_eq!(effects.last().unwrap(), "COMMIT");
            let next = short(&machine.step(Input::Committed, 0));
            let ended = vec!["thread_error missing_outputs".to_owned(), "END".to_owned()];
            assert_eq!(next == ended, attempt == 3, "{next:?}");
        }
    }
    let mut machine = asked(&terms);
    let answer = [returning(json!({"note": 3})), returning(json!({"note": "x"}))].concat();
    machine.step(answers(answer), 0);
    let outputs = Map::from_iter([("note".to_owned(), json!("x"))]);
    assert_eq!(machine.step(Input::Committed, 0)[0], Effect::Record(EventData::ThreadComplete { outputs }));
}

/// Hole 14 of the threat model: the last turn's cost was lost.
#[test]
fn a_turn_that_was_answered_is_counted_however_the_thread_ends() {
    let terms = Terms { price: (3_000_000_000, 15_000_000_000), ..Terms::default() };
    let cost = usd(3_000 * 1_000 + 15_000 * 10);
    let spent = |effects: &[Effect]| short(effects).iter().filter(|effect| *effect == "step_finish").count();

    let mut completed = asked(&terms);
    assert_eq!(spent(&completed.step(answers(vec![usage(1_000, 10)]), 0)), 1);
    assert_eq!(completed.harness().spend(), &cost);

    let mut cancelled = asked(&terms);
    let answer = vec![usage(400, 4), tool_call("a", "demo_one", json!({})), usage(600, 6)];
    assert_eq!(spent(&cancelled.step(answers(answer), 0)), 0);
    let effects = short(&cancelled.step(Input::Cancel { cause: "enough".to_owned() }, 0));
    assert_eq!(effects, ["tool_call_result a", "step_finish", "thread_cancelled", "END"]);
    assert_eq!(cancelled.harness().spend(), &cost);
    assert_eq!(cancelled.harness().usage().total(), 1_010);
}

#[test]
fn an_input_that_is_not_waited_for_changes_nothing() {
    let failed = || Input::ModelFailed { code: "provider".to_owned(), message: "no".to_owned() };
    let mut machine = machine(&Terms::default());
    for input in [Input::Committed, answers(Vec::new()), failed(), done("a")] {
        assert_eq!(machine.step(input, 0), []);
    }
    machine.step(Input::Begin, 0);
    for input in [Input::Begin, answers(Vec::new()), failed(), done("a")] {
        assert_eq!(machine.step(input, 0), []);
    }
    machine.step(Input::Committed, 0);
    for input in [Input::Begin, Input::Committed, done("a")] {
        assert_eq!(machine.step(input, 0), []);
    }
    assert_eq!(short(&machine.step(failed(), 0)), ["thread_error provider", "END"]);
    for input in [Input::Begin, Input::Committed, failed(), done("a"), Input::Cancel { cause: String::new() }] {
        assert_eq!(machine.step(input, 0), []);
    }
}

/// A hook's answer, as the driver gives it.
pub(super) fn hooked(call_id: &str) -> Input {
    let output = json!({"content": "Know this."});
    let status = CallStatus::Ok;
    Input::Hooked(Performed {
        call_id: call_id.to_owned(),
        status,
        output,
        artifact: None,
        stderr: None,
        hosts: Vec::new(),
        duration_ms: 1,
    })
}

const BEFORE_AND_AFTER: &str = "<hook event=\"before_tool\"><execute item_type=\"tool\">demo/one</execute></hook>\
    <hook event=\"after_tool\"><execute item_type=\"tool\">demo/forbidden</execute></hook>\
    <hook event=\"thread_completed\"><execute item_type=\"tool\">demo/one</execute></hook>";

#[test]
fn a_turn_ends_when_its_hooks_are_answered_and_one_that_is_refused_is_told() {
    let mut machine = asked(&Terms { hooks: BEFORE_AND_AFTER, ..Terms::default() });
    let effects = machine.step(answers(vec![tool_call("a", "demo_one", json!({}))]), 0);
    assert_eq!(short(&effects), ["tool_call_start a", "HOOK hook-1", "PERFORM a"]);
    let effects = machine.step(done("a"), 0);
    assert_eq!(short(&effects), ["tool_call_result a", "hook_triggered", "step_finish"]);
    let Effect::Record(EventData::HookTriggered { hook, status, call, .. }) = &effects[1] else { panic!() };
    assert_eq!((*hook, *status, call.as_str()), (2, CallStatus::Denied, "execute tool demo/forbidden"));
    assert_eq!(machine.step(hooked("hook-9"), 0), []);
    assert_eq!(short(&machine.step(hooked("hook-1"), 0)), ["hook_triggered", "COMMIT"]);
    machine.step(Input::Committed, 0);
    machine.step(answers(Vec::new()), 0);
    assert_eq!(short(&machine.step(Input::Committed, 0)), ["HOOK hook-2"]);
    assert_eq!(short(&machine.step(hooked("hook-2"), 0)), ["hook_triggered", "thread_complete", "END"]);
}

/// Each event fires its own hook, at its time, with what it is about.
#[test]
fn every_event_can_be_waited_for() {
    let fires = |event: &str, terms: Terms, inputs: Vec<Input>| {
        let written = format!(
            "<hook event=\"{event}\"><execute item_type=\"tool\">demo/one</execute><inputs>\
             <about>${{error.type}} ${{error.resource}}${{deviation.type}} ${{deviation.message}}</about></inputs></hook>"
        );
        let mut machine = machine(&Terms { hooks: Box::leak(written.into_boxed_str()), ..terms });
        let (mut about, mut now) = (Vec::new(), 0);
        for input in [Input::Begin].into_iter().chain(inputs) {
            let mut effects = machine.step(input, now);
            now += 1;
            while !effects.is_empty() {
                let mut next = Vec::new();
                for effect in effects {
                    if let Effect::Hook { call_id, permitted } = effect {
                        let rye::action::Action::Tool { given, .. } = permitted.action() else { panic!() };
                        about.push(given.as_text()["about"].as_str().unwrap().trim().to_owned());
                        next.extend(machine.step(hooked(&call_id), now));
                    }
                }
                effects = next;
            }
        }
        about
    };
    let answer = |calls: Vec<ModelEvent>| answers(calls);
    let one = || tool_call("", "demo_one", json!({}));
    let committed = || Input::Committed;
    let failed = |call_id: &str| {
        let output = json!({"error": {"code": "failed", "message": "no"}});
        Input::Performed(Performed {
            call_id: call_id.to_owned(),
            status: CallStatus::Error,
            output,
            artifact: None,
            stderr: None,
            hosts: Vec::new(),
            duration_ms: 1,
        })
    };
    let turn = |call_id: &str| vec![answer(vec![one()]), done(call_id), committed()];
    let plain = Terms::default;
    assert_eq!(fires("thread_started", plain(), vec![]), [""]);
    assert_eq!(fires("before_tool", plain(), vec![committed(), answer(vec![one()])]), [""]);
    assert_eq!(fires("after_tool", plain(), vec![committed(), answer(vec![one()]), done("call-1")]), [""]);
    assert_eq!(fires("after_step", plain(), vec![committed(), answer(vec![])]), [""]);
    assert_eq!(fires("limit", Terms { turns: 0, ..plain() }, vec![committed()]), [""]);
    assert_eq!(
        fires("error", plain(), vec![committed(), answer(vec![one()]), failed("call-1")]),
        ["failed rye.execute.tool.demo.one"]
    );
    let broken = Input::ModelFailed { code: "provider".to_owned(), message: "no".to_owned() };
    assert_eq!(fires("error", plain(), vec![committed(), broken]), ["provider thread"]);
    let forbidden = || tool_call("x", "demo_forbidden", json!({}));
    assert_eq!(
        fires("permission_denied", plain(), vec![committed(), answer(vec![forbidden()])]),
        ["permission_denied rye.execute.tool.demo.forbidden"]
    );
    let path = || tool_call("x", "rye_file_system_write", json!({"path": "src/a"}));
    assert_eq!(
        fires("permission_denied", plain(), vec![committed(), answer(vec![path()])]),
        ["permission_denied src/a"]
    );
    let turns: Vec<Input> = [vec![committed()], turn("call-1"), turn("call-2"), turn("call-3"), turn("call-4")]
        .into_iter()
        .flatten()
        .collect();
    assert_eq!(fires("loop_detected", plain(), turns), [""]);
    let bad = || tool_call("x", "demo_one", json!("text"));
    assert_eq!(
        fires("deviation", plain(), vec![committed(), answer(vec![bad()])]),
        ["schema_mismatch the arguments of `demo_one` must be a JSON object"]
    );
    let wrong = || tool_call("x", "directive_return", json!({}));
    assert_eq!(
        fires("deviation", Terms { returns: true, ..plain() }, vec![committed(), answer(vec![wrong()])]),
        ["output_mismatch `note` is missing"]
    );
    let returned = || tool_call("x", "directive_return", json!({"note": "n"}));
    let returning = vec![committed(), answer(vec![returned()])];
    assert_eq!(fires("directive_return", Terms { returns: true, ..plain() }, returning), [""]);
    assert_eq!(fires("thread_completed", plain(), vec![committed(), answer(vec![]), committed()]), [""]);
}

/// `<when>` fires when it turns true, and again only after it was false.
#[test]
fn a_condition_fires_when_it_turns_true() {
    let when = "<hook><when>loop_count > 1</when><execute item_type=\"tool\">demo/one</execute></hook>";
    let mut machine = asked(&Terms { hooks: when, ..Terms::default() });
    let mut fired = Vec::new();
    for (turn, name) in ["demo_one", "demo_one", "demo_one", "nothing", "demo_one", "demo_one"].iter().enumerate() {
        let id = format!("c{turn}");
        let mut effects = machine.step(answers(vec![tool_call(&id, name, json!({}))]), 0);
        effects.extend(machine.step(done(&id), 0));
        let hook = effects.iter().find_map(|effect| match effect {
            Effect::Hook { call_id, .. } => Some(call_id.clone()),
            _ => None,
        });
        fired.push(hook.is_some());
        if let Some(call_id) = hook {
            machine.step(hooked(&call_id), 0);
        }
        machine.step(Input::Committed, 0);
    }
    assert_eq!(fired, [false, true, false, false, false, true]);
}
