//! A tool kind: a `.sql` file is a query on an SQLite database of the project.

use std::collections::BTreeMap;

use rye_plugin_abi::tool_kind::{
    InterpretRequest, InterpretResponse, PROJECT, Plan, PlanRequest, PlanResponse, SCRIPT, Status, ToolKind,
};
use rye_plugin_abi::{Description, Failure};
use serde_json::{Value, json};

rye_plugin_abi::export_tool_kind!(acme_sql, "sql", Sql);

/// The Python program that runs the query.
const RUNNER: &str = include_str!("run.py");

/// The tool kind. It runs nothing itself: it returns the command to run, and interprets the output.
#[derive(Debug)]
pub struct Sql;

impl ToolKind for Sql {
    fn describe() -> Description {
        Description::new("sql", env!("CARGO_PKG_VERSION"), &["sql"])
    }

    fn plan(request: PlanRequest) -> Result<PlanResponse, Failure> {
        let plan = Plan::Child {
            interpreter: vec!["python3".to_owned()],
            args: ["-I", "{run.py}", SCRIPT, PROJECT].map(str::to_owned).to_vec(),
            stdin: request.parameters.to_string(),
            env: BTreeMap::new(),
            files: BTreeMap::from([("run.py".to_owned(), RUNNER.to_owned())]),
        };
        Ok(PlanResponse { state: Value::Null, plan })
    }

    fn interpret(request: InterpretRequest) -> Result<InterpretResponse, Failure> {
        let rows = serde_json::from_str(&request.stdout).ok().filter(|_| request.exit_code == Some(0));
        let (status, result) = match rows {
            Some(rows) => (Status::Ok, rows),
            None if request.timed_out => (Status::Error, json!({"error": "the query took too long"})),
            None => {
                let last = request.stderr.lines().last().unwrap_or("the query wrote no rows");
                (Status::Error, json!({"error": last}))
            }
        };
        Ok(InterpretResponse { state: Value::Null, status, result })
    }
}
