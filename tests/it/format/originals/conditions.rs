//! Every condition of the documents, with variables under which it holds and under which it does not.

use rye::format::condition::{compile, evaluate};
use rye::item::{HookEvent, Variables};
use serde_json::{Value, json};

/// A condition, where it holds, and where it does not: at its edge, beyond it, and where what it asks for is absent.
type Condition = (&'static str, Vec<Value>, Vec<Value>);

fn conditions() -> Vec<Condition> {
    let spent = |current: f64, limit: f64| json!({"cost": {"current": current, "limit": limit}});
    let failed = |kind: &str| json!({"error": {"type": kind, "resource": "rye.execute.tool.x"}});
    let left = |kind: &str| json!({"deviation": {"type": kind, "message": "it is so"}});
    vec![
        (
            "cost.current > cost.limit * 0.8",
            vec![spent(0.81, 1.0), spent(9.0, 10.0), json!({"cost": {"current": 1, "limit": 1}})],
            vec![spent(0.8, 1.0), spent(0.1, 1.0), json!({"cost": {"current": 1}}), json!({})],
        ),
        (
            "cost.current > cost.limit * 0.9",
            vec![spent(28.0, 30.0), json!({"cost": {"current": 28, "limit": 30}})],
            vec![spent(0.9, 1.0), spent(26.0, 30.0), json!({"cost": {"limit": 1}}), json!({})],
        ),
        (
            "loop_count > 3",
            vec![json!({"loop_count": 4}), json!({"loop_count": 40})],
            vec![json!({"loop_count": 3}), json!({"loop_count": 0}), json!({})],
        ),
        (
            "error.type == \"permission_denied\"",
            vec![failed("permission_denied")],
            vec![failed("timeout"), failed("permission_denied "), left("permission_denied"), json!({})],
        ),
        (
            "deviation.type == \"schema_mismatch\"",
            vec![left("schema_mismatch")],
            vec![left("output_mismatch"), failed("schema_mismatch"), json!({})],
        ),
        (
            "deviation.type == \"rollback_required\"",
            vec![left("rollback_required")],
            vec![left("schema_mismatch"), failed("rollback_required"), json!({})],
        ),
    ]
}

/// Returns the conditions of the table.
pub(super) fn known() -> Vec<&'static str> {
    conditions().iter().map(|(source, ..)| *source).collect()
}

/// Needs no document: their conditions are here.
#[test]
fn every_condition_of_the_documents_evaluates_as_they_say() {
    for (source, holds, fails) in conditions() {
        let condition = compile(source, &[]).unwrap_or_else(|fault| panic!("{source}: {fault:?}"));
        let both =
            holds.into_iter().map(|values| (values, true)).chain(fails.into_iter().map(|values| (values, false)));
        for (values, wanted) in both {
            let Value::Object(values) = values else { panic!("{values} is not an object") };
            let variables = Variables { event: HookEvent::AfterStep, values };
            assert_eq!(evaluate(&condition, &variables), wanted, "{source}: {:?}", variables.values);
        }
    }
}
