//! A directive: a workflow for an agent, with what it may do, use and return.

use serde::{Deserialize, Serialize};

use super::{Cost, DirectiveContext, Hook, Input, InputKind, Limits, Risk, Step};
use crate::capability::Capabilities;
use crate::id::{ItemId, Version};

/// A directive, read.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Directive {
    /// The `name` attribute: the last segment of the id.
    pub name: String,
    /// The `version` attribute.
    pub version: Version,
    /// The directive whose context it inherits and whose permissions bound its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extends: Option<ItemId>,
    /// The first heading, without its mark; empty without one.
    pub title: String,
    /// The text between the title and the fence.
    pub preamble: String,
    /// One line that says what the directive does.
    pub description: String,
    /// The folder below `.ai/directives`.
    pub category: String,
    /// Who wrote it.
    pub author: Option<String>,
    /// The model it wants.
    pub model: Option<Model>,
    /// What it may do; `None` when it declares nothing, and then nothing is allowed.
    pub permissions: Option<Capabilities>,
    /// Risks that the author knows of and gives a reason for.
    pub acknowledged: Vec<Acknowledge>,
    /// Its limits as declared.
    pub limits: Limits,
    /// Its cost element.
    pub cost: Option<Cost>,
    /// Its relations, and the context of its model.
    #[serde(skip_serializing_if = "DirectiveContext::is_empty")]
    pub context: DirectiveContext,
    /// What a thread of it does by itself when something happens.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hooks: Vec<Hook>,
    /// The directive that goes on where this one stops.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub continuation: Option<ItemId>,
    /// What it takes.
    pub inputs: Vec<Input>,
    /// What it returns.
    pub outputs: Vec<Output>,
    /// What to say at the end, in the older form of outputs.
    #[serde(skip_serializing_if = "Messages::is_empty")]
    pub messages: Messages,
    /// The steps of its process, in order.
    pub steps: Vec<Step>,
    /// When it has succeeded.
    pub criteria: Vec<String>,
    /// The process zone exactly as written, trimmed: the instructions, placeholders and all.
    pub body: String,
}

/// The model a directive asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Model {
    /// A tier that a provider document maps to a model.
    pub tier: String,
    /// A model by its own id.
    pub id: Option<String>,
    /// The tier to use when the first is not to be had; no effect yet.
    pub fallback: Option<String>,
    /// The model to use when the first is not to be had; no effect yet.
    pub fallback_id: Option<String>,
    /// How the author wants it to reason, for the model to read; empty when not said.
    pub text: String,
}

impl Model {
    /// The tier of a directive that names no model and can be done without one.
    pub const WITHOUT_MODEL: &str = "steps";

    /// The tier of any other directive that names no model.
    pub const DEFAULT_TIER: &str = "general";
}

impl Directive {
    /// Returns the model it asks for: the declared one; else the tier `steps` where every step is nothing but action
    /// elements, and the tier `general` where one needs to be understood.
    #[must_use]
    pub fn wanted_model(&self) -> Model {
        let acts_alone = !self.steps.is_empty() && self.steps.iter().all(|step| step.acts_alone);
        let tier = if acts_alone { Model::WITHOUT_MODEL } else { Model::DEFAULT_TIER }.to_owned();
        let implied = || Model { tier, id: None, fallback: None, fallback_id: None, text: String::new() };
        self.model.clone().unwrap_or_else(implied)
    }
}

/// A risk the author has named, with the reason for taking it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Acknowledge {
    /// The tier of risk.
    pub risk: Risk,
    /// Why.
    pub reason: String,
}

/// What to say when the directive has succeeded or failed: templates.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Messages {
    /// After success.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success: Option<String>,
    /// After failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl Messages {
    /// Tells whether neither is declared.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.success.is_none() && self.failure.is_none()
    }
}

/// A value the directive returns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// Its name.
    pub name: String,
    /// Its type; `string` unless declared.
    #[serde(rename = "type")]
    pub kind: InputKind,
    /// Whether a thread without it is in error; true unless declared.
    pub required: bool,
    /// `step_name` or `step_name.field`: the step whose result fills the output when no model runs. An attribute of
    /// this program, not of the seed documents; a model is never shown it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// What it is.
    pub description: String,
}
