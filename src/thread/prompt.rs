//! What the model is told: texts only, nothing decided here.
//!
//! Instructions come from verified items alone. Placeholders of the provider's template are filled in once; a value
//! is never scanned again.

use rye_plugin_abi::provider::{CallBrief, DirectiveBrief, OutputBrief, StepBrief};
use serde_json::{Map, Value, json};

use crate::action::Toolbox;
use crate::capability::Primary;
use crate::id::{ItemId, ItemType};
use crate::item::ContextPosition;
use crate::ops::execute::{DirectiveOutcome, RenderedAction, typed_by_schema};

/// Builds the system prompt: the chain's `<system>` items, then the provider document's template, filled in.
pub(super) fn system_prompt(template: &str, directive: &DirectiveOutcome, toolbox: &Toolbox) -> String {
    let mut parts = texts(directive, ContextPosition::System);
    parts.push(system_template(template, directive, toolbox));
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n")
}

/// Returns the knowledge of one position.
fn texts(directive: &DirectiveOutcome, position: ContextPosition) -> Vec<String> {
    let items = directive.context.iter().filter(|item| item.position == position);
    items.map(|item| item.content.clone()).collect()
}

fn system_template(template: &str, directive: &DirectiveOutcome, toolbox: &Toolbox) -> String {
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

/// Builds the user prompt: the directive's text with inputs filled in, the calls its steps name, and what to return,
/// between the chain's `<before>` and `<after>` items.
pub(super) fn user_prompt(directive: &DirectiveOutcome, toolbox: &Toolbox) -> String {
    let mut parts = texts(directive, ContextPosition::Before);
    parts.push(directive.instructions.clone());
    let calls = steps_text(directive, toolbox);
    if directive.steps.iter().any(|step| !step.actions.is_empty()) {
        parts.push(format!("The steps and their calls:\n\n{calls}"));
    }
    if !directive.outputs.is_empty() {
        let output = |output: &crate::item::Output| {
            format!("  <output name=\"{}\">{}</output>\n", output.name, output.description)
        };
        let outputs: String = directive.outputs.iter().map(output).collect();
        parts.push(format!("<returns>\n{outputs}</returns>"));
    }
    parts.extend(texts(directive, ContextPosition::After));
    parts.join("\n\n")
}

/// Describes the directive to a provider that follows its steps without a model.
pub(super) fn brief(directive: &DirectiveOutcome, toolbox: &Toolbox) -> DirectiveBrief {
    let step = |step: &crate::ops::execute::RenderedStep| StepBrief {
        name: step.name.clone(),
        text: step.description.clone(),
        calls: step.actions.iter().map(|action| call(action, toolbox)).collect(),
    };
    let output = |output: &crate::item::Output| OutputBrief {
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
    let step = |step: &crate::ops::execute::RenderedStep| {
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
    let item_type = action.item_type.unwrap_or(ItemType::Tool);
    let id = action.item_id.as_deref().and_then(|id| id.parse::<ItemId>().ok());
    if action.primary == Primary::Search {
        // A search names no item: what it says besides is what it asks for, and an item that is named all the same is refused
        // where calls are parsed.
        let mut input = action.parameters.clone();
        input.extend(action.item_id.as_ref().map(|item_id| ("item_id".to_owned(), json!(item_id))));
        input.extend(action.item_type.map(|item_type| ("item_type".to_owned(), json!(item_type))));
        return CallBrief { tool: "rye_search".to_owned(), input: Value::Object(input) };
    }
    let parameters = Value::Object(action.parameters.clone());
    let Some(id) = id else {
        // An id that is none: the call is made as it stands, and refused where calls are parsed.
        let input = json!({"item_type": item_type, "item_id": action.item_id, "parameters": parameters});
        return CallBrief { tool: format!("rye_{}", action.primary), input };
    };
    let (tool, mut input) = toolbox.call_for(action.primary, item_type, &id, parameters);
    if action.primary == Primary::Execute {
        let schema = toolbox.specs().iter().find(|spec| spec.name == tool).map(|spec| &spec.input_schema);
        if let (Some(schema), Value::Object(parameters)) = (schema, &mut input) {
            type_parameters(schema, parameters);
        }
    }
    CallBrief { tool, input }
}

fn type_parameters(schema: &Value, parameters: &mut Map<String, Value>) {
    for (name, value) in parameters.iter_mut() {
        if let Value::String(text) = value {
            *value = typed_by_schema(Some(schema), name, text);
        }
    }
}

/// Replaces `{name}` by its value in one pass; a name without a value stays as it is.
fn fill(template: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let mut filled = String::new();
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        filled.push_str(&rest[..open]);
        rest = &rest[open..];
        let found = rest.find('}').and_then(|close| Some((close, value(&rest[1..close])?)));
        let (taken, text) = found.map_or((1, "{".to_owned()), |(close, text)| (close + 1, text));
        filled.push_str(&text);
        rest = &rest[taken..];
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_is_filled_in_once() {
        let value = |name: &str| (name == "a").then(|| "{b} {a}".to_owned());
        assert_eq!(fill("x {a} {b} {a", value), "x {b} {a} {b} {a");
        assert_eq!(fill("{", value), "{");
        assert_eq!(fill("{{a}}", value), "{{b} {a}}");
    }
}
