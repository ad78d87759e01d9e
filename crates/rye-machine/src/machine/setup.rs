//! `setup.json`: what the machine of a thread was made of, recorded from its first commit.
//!
//! With it and the recorded answers and results a thread is derived again, and goes on from any turn, when directive, tools,
//! provider document and configuration are gone. Holds no secret: the system text, the prompt and the offered tools are
//! what the model was sent.

use rye_plugin_abi::provider::DirectiveBrief;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::harness::{Ceilings, Compaction, Harness};
use super::hooks::Hooks;
use super::returns::Returns;
use super::state_machine::Setup;
use crate::action::Toolbox;
use crate::capability::{Policy, TokenChain};
use crate::event::{EventData, ModelChoice};
use crate::id::ItemId;
use crate::item::{Condition, CurrencyMismatch, Expression, Hook, HookAction, HookEvent, Output, PersonGrant, Price};

/// The format's version.
pub const SETUP_FORMAT: u32 = 1;

/// The content of `setup.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetupRecord {
    /// The version of its form.
    pub v: u32,
    /// The system text.
    pub system: String,
    /// The user prompt.
    pub prompt: String,
    /// What a provider without a model follows; its name is the directive's.
    pub directive: DirectiveBrief,
    /// The tools as they are offered, and which item each of them is.
    pub toolbox: Toolbox,
    /// The declared outputs.
    pub outputs: Vec<Output>,
    /// The hooks in force.
    pub hooks: Vec<ArmedHook>,
    /// The patterns of the configuration that deny or ask.
    pub policy: Policy,
    /// The limits in force.
    pub limits: Ceilings,
    /// What the model costs.
    pub price: Price,
    /// Bytes of system text and tools, which go with every request.
    pub fixed_bytes: u64,
    /// The most output tokens that the provider takes.
    pub max_output_tokens: u64,
    /// By what it keeps its conversation within the model's context; threads of older versions end where it is full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compaction: Option<Compaction>,
    /// The directive that goes on when turns were summarised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub continuation: Option<ItemId>,
    /// Whether its events name the directive being followed, and its model is told to follow one that it executes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub follows: bool,
    /// Whether its hooks take in what they name without a permission.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) hooks_declare: bool,
    /// Whether the model is asked once to continue an answer that was cut.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) continues: bool,
    /// Whether the model is told what is left of its budget.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) tells_budget: bool,
    /// The model that was asked for, and the one that was chosen; older threads do not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelChoice>,
    /// What its person let it do by flags; none for a directive with permissions of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub granted: Option<PersonGrant>,
}

/// A hook with the item that its action names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArmedHook {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    event: Option<HookEvent>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    when: Option<When>,
    action: HookAction,
    inputs: Vec<(String, String)>,
    target: ItemId,
}

/// A condition: as written, and what it means.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::machine) struct When {
    source: String,
    expression: Expression,
}

impl SetupRecord {
    /// Records the parts of a machine.
    pub fn new(setup: &Setup, system: &str, directive: &DirectiveBrief) -> Self {
        Self {
            v: SETUP_FORMAT,
            system: system.to_owned(),
            prompt: setup.prompt.clone(),
            directive: directive.clone(),
            toolbox: setup.toolbox.clone(),
            outputs: setup.returns.outputs().to_vec(),
            hooks: setup.hooks.armed().map(|(hook, target)| ArmedHook::new(hook, target)).collect(),
            policy: setup.chain.policy().clone(),
            limits: setup.harness.ceilings().clone(),
            price: setup.harness.price().clone(),
            fixed_bytes: setup.fixed_bytes,
            max_output_tokens: setup.max_output_tokens,
            compaction: setup.compaction,
            continuation: setup.continuation.clone(),
            follows: true,
            hooks_declare: setup.hooks.declare(),
            continues: setup.continues,
            tells_budget: setup.tells_budget,
            model: setup.model.clone(),
            granted: setup.granted.clone(),
        }
    }

    /// Makes what a machine needs, with the clock at 0. `context` are the events that tell what the thread began with.
    ///
    /// # Errors
    ///
    /// Fails when limit and price are in different currencies.
    pub fn setup(
        &self,
        inputs: &Map<String, Value>,
        chain: TokenChain,
        context: Vec<EventData>,
    ) -> Result<Setup, CurrencyMismatch> {
        let armed = self.hooks.iter().map(ArmedHook::armed).collect();
        Ok(Setup {
            inputs: inputs.clone(),
            toolbox: self.toolbox.clone(),
            chain,
            harness: Harness::new(self.limits.clone(), self.price.clone(), 0)?,
            returns: Returns::new(self.outputs.clone()),
            hooks: Hooks::new(armed, &self.directive.name, inputs).declaring(self.hooks_declare),
            context,
            fixed_bytes: self.fixed_bytes,
            prompt: self.prompt.clone(),
            max_output_tokens: self.max_output_tokens,
            compaction: self.compaction,
            continuation: self.continuation.clone(),
            continues: self.continues,
            tells_budget: self.tells_budget,
            model: self.model.clone(),
            granted: self.granted.clone(),
        })
    }
}

impl ArmedHook {
    fn new(hook: &Hook, target: &ItemId) -> Self {
        let when = hook.when.as_ref().map(|condition| When {
            source: condition.source().to_owned(),
            expression: condition.expression().clone(),
        });
        let Hook { event, action, inputs, .. } = hook.clone();
        Self { event, when, action, inputs, target: target.clone() }
    }

    fn armed(&self) -> (Hook, ItemId) {
        let Self { event, when, action, inputs, target } = self.clone();
        let when = when.map(|when| Condition::new(when.source, when.expression));
        (Hook { event, when, action, inputs }, target)
    }
}
