//! What a provider that works without a model needs of a directive: its steps, their calls, its outputs.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a provider that works without a model needs of a directive.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DirectiveBrief {
    /// The directive's name.
    pub name: String,
    /// Its steps in order.
    #[serde(default)]
    pub steps: Vec<StepBrief>,
    /// Its declared outputs.
    #[serde(default)]
    pub outputs: Vec<OutputBrief>,
}

/// A step of a directive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepBrief {
    /// The step's name.
    pub name: String,
    /// Its text; may be empty.
    #[serde(default)]
    pub text: String,
    /// Its action tags, rendered, in order.
    #[serde(default)]
    pub calls: Vec<CallBrief>,
    /// What follows when one of its calls fails or is denied.
    #[serde(default, skip_serializing_if = "OnError::is_end")]
    pub on_error: OnError,
}

/// What follows when a call of a step fails or is denied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnError {
    /// The thread ends.
    #[default]
    End,
    /// The next step is done.
    Continue,
}

impl OnError {
    /// Tells whether the thread ends.
    #[must_use]
    pub const fn is_end(&self) -> bool {
        matches!(self, Self::End)
    }
}

/// An action tag of a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallBrief {
    /// The tool's name, as the model sees it.
    pub tool: String,
    /// The parameters. A string that uses results of earlier steps names them in words.
    pub input: Value,
    /// The strings of `input` that use results of earlier steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uses: Vec<Use>,
}

/// A string of a call's parameters that is made of results of earlier steps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Use {
    /// Where in the parameters: a JSON pointer.
    pub at: String,
    /// What it is made of, in order. A result that is the whole value keeps its type; otherwise a string is put in as
    /// it is and any other value as JSON.
    pub parts: Vec<Part>,
}

/// A part of a [`Use`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Unchanged text.
    Text(String),
    /// The result of a step's last call, or what a path of names and numbers, joined by dots, selects in it.
    Result {
        /// The step's name.
        step: String,
        /// The path; empty for the whole result.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        path: String,
    },
}

/// A declared output of a directive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutputBrief {
    /// The output's name.
    pub name: String,
    /// Where its value comes from: `step_name` or `step_name.field.sub`.
    #[serde(default)]
    pub from: Option<String>,
    /// Whether the directive fails without it.
    pub required: bool,
}
