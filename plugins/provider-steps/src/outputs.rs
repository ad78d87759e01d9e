//! How declared outputs are filled from the results of steps.
//!
//! An output's `from` is a step's name, or a step's name and a path into its result: `step.field.sub`, where a number
//! also selects an element of a list. Without `from`, the step of the output's own name fills it. The result of a step
//! is that of its last call; an error fills nothing. Outputs that cannot be filled are left out and reported. All
//! outputs together are bounded: many that name one long result are not copies without end.

use rye_plugin_abi::provider::{DirectiveBrief, OutputBrief, StepBrief};
use serde_json::{Map, Value};

use crate::results::Results;
use crate::selected::select;

/// The most that all outputs come to as JSON, in bytes.
const MOST_FILLED: usize = 4 * 1024 * 1024;

/// The outputs that could be filled, and a sentence for each that could not.
pub(crate) struct Filled {
    pub(crate) values: Map<String, Value>,
    pub(crate) problems: Vec<String>,
}

/// Fills all outputs of a directive.
pub(crate) fn fill(directive: &DirectiveBrief, results: &Results) -> Filled {
    let mut filled = Filled { values: Map::new(), problems: Vec::new() };
    let mut left = MOST_FILLED;
    for output in &directive.outputs {
        match value(directive, output, results).and_then(|value| fitting(value, &mut left)) {
            Ok(value) => {
                filled.values.insert(output.name.clone(), value.clone());
            }
            Err(reason) => filled.problems.push(problem(output, &reason)),
        }
    }
    filled
}

/// Takes room for a value. Once there is no room, no other value is measured.
fn fitting<'a>(value: &'a Value, left: &mut usize) -> Result<&'a Value, String> {
    let needed = if *left == 0 { 1 } else { value.to_string().len() };
    *left = left.saturating_sub(needed);
    if *left == 0 {
        return Err(format!("all outputs together are longer than {MOST_FILLED} bytes."));
    }
    Ok(value)
}

fn problem(output: &OutputBrief, reason: &str) -> String {
    let kind = if output.required { "required" } else { "optional" };
    format!("The {kind} output `{}` cannot be filled: {reason}", output.name)
}

fn value<'a>(directive: &DirectiveBrief, output: &OutputBrief, results: &Results<'a>) -> Result<&'a Value, String> {
    let source = output.from.as_deref();
    let (number, path) = find(&directive.steps, source.unwrap_or(&output.name)).ok_or_else(|| match source {
        Some(source) => format!("`{source}` names no step."),
        None => "it names no step to fill it from, and no step has its name.".to_owned(),
    })?;
    select(&directive.steps[number - 1], number, path, results).map_err(|reason| format!("{reason}."))
}

/// Finds the step whose name a source begins with, the longest such name. Returns its number, from 1, and the rest.
fn find<'a>(steps: &[StepBrief], source: &'a str) -> Option<(usize, &'a str)> {
    let rest = |step: &StepBrief| match source.strip_prefix(&step.name)? {
        "" => Some(""),
        rest => rest.strip_prefix('.'),
    };
    let matches = steps.iter().enumerate().filter_map(|(index, step)| Some((index + 1, rest(step)?)));
    matches.min_by_key(|(_, rest)| rest.len())
}
