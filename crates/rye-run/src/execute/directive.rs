//! Executing a directive: its instructions with the inputs filled in, to be followed now.

use rye_plugin_abi::numbers;
use serde::Serialize;
use serde_json::{Map, Value};

use super::error::Error;
use super::inputs::Given;
use crate::capability::{Capabilities, Capability, Primary};
use crate::extends::{Chain, ContextItem, Unmet};
use crate::format::step_results::{self, Piece};
use crate::format::template::{Room, TemplateError, render as fill};
use crate::id::{ItemId, ItemType, Version};
use crate::item::{self, Action, Directive, Inputs, Limits, Messages, OnError, Output, Step, Takes};

/// The instructions of a directive.
#[derive(Debug, Clone, Serialize)]
pub struct DirectiveOutcome {
    /// Always `directive`.
    pub item_type: ItemType,
    /// The id.
    pub item_id: ItemId,
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: Version,
    /// What it is for.
    pub description: String,
    /// The directives it extends, root first: a thread may do what all of them allow.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extends: Vec<ItemId>,
    /// Knowledge to take into account, its own and inherited.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<ContextItem>,
    /// The process zone with the inputs filled in.
    pub instructions: String,
    /// The steps with their actions.
    pub steps: Vec<RenderedStep>,
    /// The inputs, defaults filled in.
    pub inputs: Map<String, Value>,
    /// What to return.
    pub outputs: Vec<Output>,
    /// Files it is about, its own and those of what it extends.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related_files: Vec<String>,
    /// What it needs from outside, such as packages, its own and those of what it extends.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<String>,
    /// Directives that use it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub used_by: Vec<ItemId>,
    /// Directives that go well with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub suggests: Vec<ItemId>,
    /// What it is an example of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub example_of: Vec<ItemId>,
    /// How its author wants a model to reason; empty when not said.
    #[serde(skip)]
    pub reasoning: String,
    /// What to say at the end, in the older form of outputs.
    #[serde(skip_serializing_if = "Messages::is_empty")]
    pub messages: Messages,
    /// The directive that goes on where this one stops.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub continuation: Option<ItemId>,
    /// What it may do.
    pub permissions: Vec<Capability>,
    /// What it may use.
    pub limits: Limits,
    /// The words that it or one of its bases requires, and that nothing here offers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unmet: Vec<Unmet>,
    /// All permissions that it and its bases declare, root first: every one of them must allow a call.
    #[serde(skip)]
    pub granted: Vec<Capabilities>,
}

/// One step.
#[derive(Debug, Clone, Serialize)]
pub struct RenderedStep {
    /// Its name.
    pub name: String,
    /// What to do.
    pub description: String,
    /// The calls it names.
    pub actions: Vec<RenderedAction>,
    /// What follows when one of its calls fails or is denied, where no model runs.
    #[serde(skip_serializing_if = "OnError::is_end")]
    pub on_error: OnError,
}

/// One call a step names.
#[derive(Debug, Clone, Serialize)]
pub struct RenderedAction {
    /// The action.
    pub primary: Primary,
    /// The type of item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item_type: Option<ItemType>,
    /// The item's id, as text: it may name nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item_id: Option<String>,
    /// Its parameters, as a model reads them.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub parameters: Map<String, Value>,
    /// Of the parameters, those that use results of earlier steps: what they are made of.
    #[serde(skip)]
    pub uses: Vec<(String, Vec<Piece>)>,
}

/// Fills the text of a chain's leaf in with its inputs; `context` is what the chain's context came to.
///
/// # Errors
///
/// Fails when an input is missing, unknown or of the wrong type, when a placeholder has no value, and when all texts
/// together come to more than [`Room`] is made for.
pub fn render(chain: &Chain, context: Vec<ContextItem>, given: &Given) -> Result<DirectiveOutcome, Error> {
    let leaf = chain.leaf();
    let (item_id, directive) = (leaf.item_id(), leaf.directive());
    let inputs = resolved(item_id, directive, given)?;
    let room = Room::new();
    let failed = |source| Error::Template { item_id: item_id.clone(), source };
    let text = |text: &str| fill(text, &inputs, &room).map_err(failed);
    let pieces = |text: &str| step_results::pieces(text, &inputs, &directive.steps, &room);
    let steps = directive.steps.iter().map(|step| rendered_step(step, &pieces)).collect::<Result<_, _>>();
    let said = |output: &Output| Ok(Output { description: text(&output.description)?, ..output.clone() });
    let outputs = directive.outputs.iter().map(said).collect::<Result<_, Error>>()?;
    Ok(DirectiveOutcome {
        item_type: ItemType::Directive,
        item_id: item_id.clone(),
        name: directive.name.clone(),
        version: directive.version,
        description: directive.description.clone(),
        extends: chain.bases(),
        context,
        instructions: step_results::in_words(&pieces(&directive.body).map_err(failed)?),
        steps: steps.map_err(failed)?,
        inputs: inputs.values().clone(),
        outputs,
        related_files: chain.mentioned(|context| &context.related_files),
        dependencies: chain.mentioned(|context| &context.dependencies),
        used_by: directive.context.used_by.clone(),
        suggests: directive.context.suggests.clone(),
        example_of: directive.context.example_of.clone(),
        reasoning: directive.model.as_ref().map(|model| model.text.clone()).unwrap_or_default(),
        messages: Messages {
            success: directive.messages.success.as_deref().map(text).transpose()?,
            failure: directive.messages.failure.as_deref().map(text).transpose()?,
        },
        continuation: directive.continuation.clone(),
        permissions: directive.permissions.as_ref().map(|granted| granted.calls.clone()).unwrap_or_default(),
        limits: directive.limits.clone(),
        unmet: chain.unmet().to_vec(),
        granted: chain.permissions().map(|(_, granted)| granted.clone()).collect(),
    })
}

fn resolved(item_id: &ItemId, directive: &Directive, given: &Given) -> Result<Inputs, Error> {
    let given = given.join(|name, text| {
        let declared = directive.inputs.iter().find(|input| input.name == name);
        declared.map_or_else(|| Value::String(text.to_owned()), |input| item::typed(input.kind, text))
    });
    item::resolve(&directive.inputs, &given).map_err(|source| Error::Inputs {
        item_type: ItemType::Directive,
        item_id: item_id.clone(),
        takes: Takes::of_inputs(&directive.inputs),
        source,
    })
}

/// Takes a text apart, inputs filled in.
type InPieces<'a> = &'a dyn Fn(&str) -> Result<Vec<Piece>, TemplateError>;

fn rendered_step(step: &Step, pieces: InPieces<'_>) -> Result<RenderedStep, TemplateError> {
    let actions = step.actions.iter().map(|action| rendered_action(action, pieces)).collect::<Result<_, _>>()?;
    let description = step_results::in_words(&pieces(&step.text)?);
    Ok(RenderedStep { name: step.name.clone(), description, actions, on_error: step.on_error })
}

/// Fills in the texts of a parameter that is a list or map in JSON as it is written; none of any other, and of one that uses the result of a
/// step.
fn in_json(template: &str, pieces: InPieces<'_>) -> Result<Option<String>, TemplateError> {
    if !template.trim_start().starts_with(['[', '{']) {
        return Ok(None);
    }
    let Ok(mut value) = numbers::parse(template) else { return Ok(None) };
    let mut has_result = false;
    fill_texts(&mut value, &mut |text| {
        let pieces = pieces(text)?;
        has_result |= pieces.iter().any(|piece| matches!(piece, Piece::Result { .. }));
        Ok(step_results::in_words(&pieces))
    })?;
    Ok((!has_result).then(|| value.to_string()))
}

fn fill_texts(
    value: &mut Value,
    fill: &mut dyn FnMut(&str) -> Result<String, TemplateError>,
) -> Result<(), TemplateError> {
    match value {
        Value::String(text) => *text = fill(text)?,
        Value::Array(list) => list.iter_mut().try_for_each(|value| fill_texts(value, fill))?,
        Value::Object(map) => map.values_mut().try_for_each(|value| fill_texts(value, fill))?,
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
    Ok(())
}

fn rendered_action(action: &Action, pieces: InPieces<'_>) -> Result<RenderedAction, TemplateError> {
    let (mut parameters, mut uses) = (Map::new(), Vec::new());
    for (name, value) in action.attributes.iter().chain(action.params.iter().map(|(name, value)| (name, value))) {
        // In a list or map an input fills a part of one text.
        if let Some(rendered) = in_json(value, pieces)? {
            parameters.insert(name.clone(), Value::String(rendered));
            continue;
        }
        let pieces = pieces(value)?;
        parameters.insert(name.clone(), Value::String(step_results::in_words(&pieces)));
        uses.retain(|(known, _): &(String, Vec<Piece>)| known != name);
        if pieces.iter().any(|piece| matches!(piece, Piece::Result { .. })) {
            uses.push((name.clone(), pieces));
        }
    }
    let item_id = action.item_id.as_deref().map(|id| pieces(id).map(|pieces| step_results::in_words(&pieces)));
    Ok(RenderedAction {
        primary: action.primary,
        item_type: action.item_type,
        item_id: item_id.transpose()?,
        parameters,
        uses,
    })
}
