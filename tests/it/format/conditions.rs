//! Conditions of hooks: their meaning, the place of an error, and the cost of hostile ones.

use proptest::prelude::*;
use rye::format::condition::{MOST_BYTES, compile, evaluate};
use rye::item::{HookEvent, Input, InputKind, Variables};
use serde_json::{Value, json};

fn inputs() -> Vec<Input> {
    let input = |name: &str, kind| Input {
        name: name.to_owned(),
        kind,
        required: false,
        default: None,
        description: String::new(),
    };
    vec![input("env", InputKind::String), input("tags", InputKind::Array), input("deploy", InputKind::Object)]
}

fn variables(event: HookEvent, values: Value) -> Variables {
    let Value::Object(values) = values else { panic!("an object") };
    Variables { event, values }
}

fn holds(source: &str, event: HookEvent, values: Value) -> bool {
    let condition = compile(source, &inputs()).unwrap_or_else(|fault| panic!("{source}: {fault:?}"));
    evaluate(&condition, &variables(event, values))
}

#[test]
fn conditions_mean_what_cel_says_and_numbers_are_promoted() {
    let spent = |current: f64, limit: i64| json!({"cost": {"current": current, "limit": limit}});
    let cases: Vec<(&str, Value, bool)> = vec![
        ("cost.current > cost.limit * 0.8", spent(0.81, 1), true),
        ("cost.current > cost.limit * 0.8", spent(0.8, 1), false),
        ("cost.current * 2 > cost.limit", spent(0.75, 1), true),
        ("loop_count > 3", json!({"loop_count": 4}), true),
        ("loop_count > 3", json!({"loop_count": 3}), false),
        ("loop_count == 3.0", json!({"loop_count": 3}), true),
        ("loop_count / 2 == 1 && loop_count % 2 == 1", json!({"loop_count": 3}), true),
        ("loop_count > 3 || cost.current > 0.5", json!({"cost": {"current": 0.6}}), true),
        ("error.type == \"permission_denied\"", json!({"error": {"type": "permission_denied"}}), true),
        ("error.type == 'permission_denied'", json!({"error": {"type": "other"}}), false),
        ("error.type in ['timeout', 'denied']", json!({"error": {"type": "denied"}}), true),
        ("!(error.type == 'x')", json!({"error": {"type": "y"}}), true),
        (
            "error.resource.startsWith('rye/') && error.resource.contains('sys')",
            json!({"error": {"resource": "rye/sys"}}),
            true,
        ),
        ("size(tags) == 2 && tags[1] == 'b'", json!({"tags": ["a", "b"]}), true),
        ("deploy.target == 'staging'", json!({"deploy": {"target": "staging"}}), true),
        ("deploy[\"target\"].endsWith('ing')", json!({"deploy": {"target": "staging"}}), true),
        ("env == 'a' ? loop_count > 1 : loop_count > 5", json!({"env": "b", "loop_count": 3}), false),
        ("env + '!' == 'a!'", json!({"env": "a"}), true),
        ("-loop_count < 0", json!({"loop_count": 1}), true),
        ("true", json!({}), true),
    ];
    for (source, values, wanted) in cases {
        assert_eq!(holds(source, HookEvent::AfterStep, values), wanted, "{source}");
    }
}

/// An absent value, or one of another type at run time, makes the condition false, its negation too.
#[test]
fn what_is_absent_does_not_hold() {
    for source in [
        "error.type == 'x'",
        "error.type != 'x'",
        "!(error.type == 'x')",
        "cost.current > 1 && true",
        "tags[9] == 'a'",
        "loop_count / 0 == 1",
        "deploy.a.b > 3",
    ] {
        assert!(!holds(source, HookEvent::AfterStep, json!({"tags": ["a"], "loop_count": 1, "deploy": {"a": "text"}})));
    }
    assert!(holds("true || error.type == 'x'", HookEvent::AfterStep, json!({})));
}

#[test]
fn a_bare_word_is_the_event_of_that_name() {
    for event in HookEvent::ALL {
        assert!(holds(event.as_str(), event, json!({})), "{event}");
        assert!(!holds(&format!("!{event}"), event, json!({})), "{event}");
        let other = HookEvent::ALL.into_iter().find(|other| *other != event).expect("there are more");
        assert!(!holds(event.as_str(), other, json!({})), "{event}");
    }
    let denied = json!({"error": {"type": "permission_denied"}});
    assert!(holds("error && error.type == 'permission_denied'", HookEvent::Error, denied.clone()));
    assert!(!holds("error && error.type == 'permission_denied'", HookEvent::AfterTool, denied));
}

/// A result known before a run is never refuted by the run.
#[test]
fn a_condition_that_holds_at_an_event_was_said_to_be_able_to() {
    let parts = ["error.type == 'x'", "deviation.message != 'x'", "limit", "loop_count > 1", "tags[0] == error.type"];
    let joined = parts.iter().flat_map(|one| {
        let pairs = parts.iter().flat_map(move |other| {
            [format!("{one} && {other}"), format!("{one} || {other}"), format!("!({one}) ? {other} : {one}")]
        });
        pairs.chain([(*one).to_owned(), format!("!({one})"), format!("[{one}] == [true]")])
    });
    for source in joined {
        let condition = compile(&source, &inputs()).unwrap_or_else(|fault| panic!("{source}: {fault:?}"));
        for event in HookEvent::ALL {
            for count in [0, 2] {
                let mut values = json!({"loop_count": count, "tags": ["x"]});
                for (root, inside) in [("error", json!({"type": "x"})), ("deviation", json!({"message": "y"}))] {
                    if event.brings(root) {
                        values[root] = inside;
                    }
                }
                let holds = evaluate(&condition, &variables(event, values));
                assert!(!holds || condition.can_hold(event), "{source} at {event}");
            }
        }
    }
}

#[test]
fn what_is_no_condition_is_told_with_its_place() {
    let cases = [
        ("loop_count > 3 &&", 17, "the condition cannot be read: mismatched input 'the end'"),
        ("loop_cout > 3", 0, "unknown variable `loop_cout`"),
        ("true && cost.curent > 3", 8, "unknown variable `cost.curent`"),
        ("cost > 3", 0, "unknown variable `cost`"),
        ("loop_count > 'a'", 0, "one side is of type integer, the other of type string: this is never true"),
        ("loop_count + 1", 0, "the condition is of type integer, and must be true or false"),
        ("matches(env, 'a')", 0, "unknown function `matches`"),
        ("has(error.type)", 0, "`has` and fields of values are not allowed in a condition"),
        ("env == b'x'", 0, "bytes are not allowed in a condition"),
        ("env == é", 7, "the condition cannot be read: unexpected character"),
        ("size(env, env) > 1", 0, "`size` has too few or too many arguments"),
    ];
    for (source, start, message) in cases {
        let fault = compile(source, &inputs()).expect_err(source);
        assert_eq!(fault.message, message, "{source}");
        assert!((start..=start + 20).contains(&fault.span.start), "{source}: {fault:?}");
    }
    let fault = compile("tags.exists(t, t == 'a')", &inputs()).expect_err("a macro");
    assert_eq!(fault.hint, "compare with single values, or use `in`");
    let fault = compile("loop_cout > 3", &[]).expect_err("unknown");
    assert_eq!((fault.span.start, fault.span.end, fault.hint.as_str()), (0, 9, "did you mean `loop_count`?"));
}

#[test]
fn hostile_conditions_are_refused_or_judged_at_once() {
    let started = std::time::Instant::now();
    for part in ["(", "!", "-", "[", "a.", "1+", "{", "true||", "f(", "'", "\"", "\\", "tags[", "true?", "\u{0}"] {
        for tail in ["", "true"] {
            let source = format!("{}{tail}", part.repeat((MOST_BYTES - 4) / part.len()));
            if let Ok(condition) = compile(&source, &inputs()) {
                assert!([true, false].contains(&evaluate(&condition, &variables(HookEvent::Error, json!({})))));
            }
        }
    }
    let long = format!("env == '{}'", "x".repeat(MOST_BYTES));
    assert!(compile(&long, &inputs()).is_err());
    assert!(started.elapsed().as_secs() < 5, "{:?}", started.elapsed());
}

proptest! {
    #[test]
    fn no_text_makes_reading_a_condition_fail(source in "[a-z_.<>=!&|()\\[\\]'\"0-9+*/%?: \\n-]{0,80}") {
        if let Ok(condition) = compile(&source, &inputs()) {
            let values = json!({"error": {"type": "x"}});
            assert!([true, false].contains(&evaluate(&condition, &variables(HookEvent::Error, values))));
        }
    }
}
