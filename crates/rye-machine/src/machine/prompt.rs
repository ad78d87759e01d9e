//! What the model is told: texts only, nothing decided here.
//!
//! Instructions come from verified items alone. Placeholders of the provider's template are filled in once; a value
//! is never scanned again.

use rye_plugin_abi::provider::{CallBrief, DirectiveBrief, OutputBrief, Part, StepBrief, Use};
use serde_json::{Map, Value, json};

use crate::action::Toolbox;
use crate::capability::Primary;
use crate::execute::{DirectiveOutcome, RenderedAction, RenderedStep};
use crate::format::schema;
use crate::format::step_results::Piece;
use crate::format::template::{Room, TooLong};
use crate::id::{ItemId, ItemType};
use crate::item::{ContextPosition, InputKind, Messages, Output};

/// Builds the system prompt: the chain's `<system>` items, the provider document's template, filled in, and how the
/// directive wants its model to reason.
///
/// # Errors
///
/// Fails when the template comes to more than there is [`Room`] for.
pub fn system_prompt(template: &str, directive: &DirectiveOutcome, toolbox: &Toolbox) -> Result<String, TooLong> {
    let mut parts = texts(directive, ContextPosition::System);
    parts.push(system_template(template, directive, toolbox)?);
    parts.push(directive.reasoning.trim().to_owned());
    Ok(joined(parts))
}

fn joined(mut parts: Vec<String>) -> String {
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n")
}

/// Returns the knowledge of one position.
fn texts(directive: &DirectiveOutcome, position: ContextPosition) -> Vec<String> {
    let items = directive.context.iter().filter(|item| item.position == position);
    items.map(|item| item.content.clone()).collect()
}

fn system_template(template: &str, directive: &DirectiveOutcome, toolbox: &Toolbox) -> Result<String, TooLong> {
    let names: Vec<&str> = toolbox.specs().iter().map(|spec| spec.name.as_str()).collect();
    let value = |name: &str| match name {
        "directive_name" => Some(directive.name.clone()),
        "directive_description" => Some(directive.description.clone()),
        "directive_steps" => Some(steps_text(directive, toolbox)),
        "directive_inputs" => Some(Value::Object(directive.inputs.clone()).to_string()),
        "tool_names" => Some(names.join(", ")),
        _ => None,
    };
    fill(template, value)
}

/// Builds the user prompt: the directive's text with inputs filled in, the calls its steps name, the files and
/// dependencies it is about, and what to return, between the chain's `<before>` and `<after>` items.
pub fn user_prompt(directive: &DirectiveOutcome, outputs: &[Output], toolbox: &Toolbox) -> String {
    let mut parts = texts(directive, ContextPosition::Before);
    parts.extend(body(directive, toolbox));
    parts.extend(declared("returns", outputs));
    parts.extend(texts(directive, ContextPosition::After));
    parts.join("\n\n")
}

/// Builds the instructions of a directive that the model executes in a running thread.
pub fn taken_in(directive: &DirectiveOutcome, toolbox: &Toolbox) -> String {
    let mut parts = texts(directive, ContextPosition::System);
    parts.extend(texts(directive, ContextPosition::Before));
    parts.extend(body(directive, toolbox));
    parts.extend(declared("outputs", &outputs(directive)));
    parts.extend(texts(directive, ContextPosition::After));
    joined(parts)
}

/// The directive's text, the calls of its steps, and what it is about.
fn body(directive: &DirectiveOutcome, toolbox: &Toolbox) -> Vec<String> {
    let mut parts = vec![directive.instructions.clone()];
    if directive.steps.iter().any(|step| !step.actions.is_empty()) {
        parts.push(format!("The steps and their calls:\n\n{}", steps_text(directive, toolbox)));
    }
    parts.extend(mentioned("related_files", &directive.related_files));
    parts.extend(mentioned("dependencies", &directive.dependencies));
    parts
}

fn mentioned(name: &str, entries: &[String]) -> Option<String> {
    let listed: String = entries.iter().map(|entry| format!("- {entry}\n")).collect();
    (!entries.is_empty()).then(|| format!("<{name}>\n{listed}</{name}>"))
}

fn declared(name: &str, outputs: &[Output]) -> Option<String> {
    let output = |output: &Output| format!("  <output name=\"{}\">{}</output>\n", output.name, output.description);
    let listed: String = outputs.iter().map(output).collect();
    (!outputs.is_empty()).then(|| format!("<{name}>\n{listed}</{name}>"))
}

/// Returns what a thread of the directive may return: the declared outputs, and the messages of their older form, each of
/// which is an optional output of its name.
pub fn outputs(directive: &DirectiveOutcome) -> Vec<Output> {
    let mut outputs = directive.outputs.clone();
    let Messages { success, failure } = &directive.messages;
    for (name, message) in [("success", success), ("failure", failure)] {
        let is_declared = outputs.iter().any(|output| output.name == name);
        if let (Some(message), false) = (message, is_declared) {
            outputs.push(Output {
                name: name.to_owned(),
                kind: InputKind::String,
                required: false,
                from: None,
                description: message.clone(),
            });
        }
    }
    outputs
}

/// Describes the directive to a provider that follows its steps without a model.
pub fn brief(directive: &DirectiveOutcome, toolbox: &Toolbox) -> DirectiveBrief {
    let step = |step: &RenderedStep| StepBrief {
        name: step.name.clone(),
        text: step.description.clone(),
        calls: step.actions.iter().map(|action| call(action, toolbox)).collect(),
        on_error: step.on_error,
    };
    let output = |output: &Output| OutputBrief {
        name: output.name.clone(),
        from: output.from.clone(),
        required: output.required,
    };
    DirectiveBrief {
        name: directive.name.clone(),
        steps: directive.steps.iter().map(step).collect(),
        outputs: directive.outputs.iter().map(output).collect(),
    }
}

fn steps_text(directive: &DirectiveOutcome, toolbox: &Toolbox) -> String {
    let step = |step: &RenderedStep| {
        let calls: String = step.actions.iter().map(|action| call_block(&call(action, toolbox))).collect();
        format!("{}: {}\n{calls}", step.name, step.description)
    };
    directive.steps.iter().map(step).collect::<Vec<_>>().join("\n")
}

fn call_block(call: &CallBrief) -> String {
    format!("```json\n{}\n```\n", json!({"tool": call.tool, "input": call.input}))
}

/// Names an action's call as the model sees it, its parameters typed by the tool's schema.
fn call(action: &RenderedAction, toolbox: &Toolbox) -> CallBrief {
    let (tool, input, parameters_at) = named_call(action, toolbox);
    let used = |(name, pieces): &(String, Vec<Piece>)| Use {
        at: format!("{parameters_at}/{}", name.replace('~', "~0").replace('/', "~1")),
        parts: pieces.iter().map(part).collect(),
    };
    CallBrief { tool, input, uses: action.uses.iter().map(used).collect() }
}

fn part(piece: &Piece) -> Part {
    match piece {
        Piece::Text(text) => Part::Text(text.clone()),
        Piece::Result { step, path } => Part::Result { step: step.clone(), path: path.clone() },
    }
}

/// Returns the tool, its input, and the place of the action's parameters in the input.
fn named_call(action: &RenderedAction, toolbox: &Toolbox) -> (String, Value, &'static str) {
    const IN_PARAMETERS: &str = "/parameters";
    let item_type = action.item_type.unwrap_or(ItemType::Tool);
    let id = action.item_id.as_deref().and_then(|id| id.parse::<ItemId>().ok());
    if action.primary == Primary::Search {
        // A search names no item: what it says besides is what it asks for, and an item that is named all the same is refused
        // where calls are parsed.
        let mut input = action.parameters.clone();
        input.extend(action.item_id.as_ref().map(|item_id| ("item_id".to_owned(), json!(item_id))));
        input.extend(action.item_type.map(|item_type| ("item_type".to_owned(), json!(item_type))));
        return ("rye_search".to_owned(), Value::Object(input), "");
    }
    let parameters = Value::Object(action.parameters.clone());
    let Some(id) = id else {
        // An id that is none: the call is made as it stands, and refused where calls are parsed.
        let mut input =
            Map::from_iter([("item_type".to_owned(), json!(item_type)), ("item_id".to_owned(), json!(action.item_id))]);
        let place = match (action.primary, parameters) {
            (Primary::Execute, parameters) => {
                input.insert("parameters".to_owned(), parameters);
                IN_PARAMETERS
            }
            (Primary::Load | Primary::Sign | Primary::Search, Value::Object(parameters)) => {
                input.extend(parameters);
                ""
            }
            (Primary::Load | Primary::Sign | Primary::Search, _) => "",
        };
        return (format!("rye_{}", action.primary), Value::Object(input), place);
    };
    let (tool, mut input) = toolbox.call_for(action.primary, item_type, &id, parameters);
    if action.primary != Primary::Execute {
        return (tool, input, "");
    }
    let spec = toolbox.specs().iter().find(|spec| spec.name == tool);
    if let (Some(spec), Value::Object(parameters)) = (spec, &mut input) {
        type_parameters(&spec.input_schema, parameters);
    }
    let is_flat = tool != format!("rye_{}", Primary::Execute);
    (tool, input, if is_flat { "" } else { IN_PARAMETERS })
}

fn type_parameters(schema: &Value, parameters: &mut Map<String, Value>) {
    for (name, value) in parameters.iter_mut() {
        if let Value::String(text) = value {
            *value = schema::typed(Some(schema), name, text);
        }
    }
}

/// Replaces `{name}` by its value in one pass; a name without a value stays as it is.
fn fill(template: &str, value: impl Fn(&str) -> Option<String>) -> Result<String, TooLong> {
    let (mut filled, room) = (String::new(), Room::new());
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        room.push(&mut filled, &rest[..open])?;
        rest = &rest[open..];
        let found = rest.find('}').and_then(|close| Some((close, value(&rest[1..close])?)));
        let (taken, text) = found.map_or((1, "{".to_owned()), |(close, text)| (close + 1, text));
        room.push(&mut filled, &text)?;
        rest = &rest[taken..];
    }
    room.push(&mut filled, rest)?;
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_is_filled_in_once() {
        let value = |name: &str| (name == "a").then(|| "{b} {a}".to_owned());
        let filled = |template: &str| fill(template, value).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(filled("x {a} {b} {a"), "x {b} {a} {b} {a");
        assert_eq!(filled("{"), "{");
        assert_eq!(filled("{{a}}"), "{{b} {a}}");
    }

    #[test]
    fn a_template_does_not_multiply_a_long_value() {
        let value = |_: &str| Some("x".repeat(1_000_000));
        assert_eq!(fill(&"{a}".repeat(4_000), value), Err(TooLong));
        assert!(fill("{a}{a}{a}{a}", value).is_ok());
    }
}
