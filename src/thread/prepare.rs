//! Everything decided before a thread begins: directive, inputs, provider, tools, limits, token.
//!
//! Whatever can be wrong is found here, before anything is written.

use std::path::PathBuf;

use rye_plugin_abi::provider::EncodeRequest;
use serde_json::{Map, Value};

use super::error::Error;
use super::harness::{Ceilings, Harness};
use super::machine::Setup;
use super::prompt;
use super::provider::{self, Chosen};
use super::returns::Returns;
use super::toolbox::{OfferedTool, Toolbox};
use crate::capability::{Call, Capabilities, Claims, PathRules, Primary, TokenChain, TokenDirective};
use crate::format::{Finding, Profile};
use crate::id::{ItemId, ItemType, ThreadId};
use crate::item::{Item, Limits};
use crate::ops::execute::{DirectiveOutcome, Given, render};
use crate::ops::locate::{LocateError, Locator, Purpose};
use crate::trust::SigningKey;

/// How long a token counts beyond the thread's own limit, in seconds.
const TOKEN_GRACE: i64 = 3_600;

/// What to run.
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// The directive.
    pub directive: ItemId,
    /// Its inputs.
    pub given: Given,
    /// The provider document, instead of the one that serves the directive's model.
    pub provider: Option<ItemId>,
    /// The model, instead of the directive's.
    pub model: Option<String>,
    /// The file a scripted provider answers from.
    pub script: Option<PathBuf>,
    /// Limits that only narrow the directive's.
    pub limits: Limits,
}

/// A thread that is ready to begin.
pub(super) struct Prepared {
    pub(super) thread_id: ThreadId,
    pub(super) directive: TokenDirective,
    pub(super) inputs: Map<String, Value>,
    pub(super) setup: Setup,
    pub(super) chosen: Chosen,
    /// What every request has in common; state, document and model are the provider's part.
    pub(super) request: EncodeRequest,
    pub(super) paths: PathRules,
    pub(super) findings: Vec<Finding>,
}

/// Verifies the directive and decides everything about its thread.
pub(super) fn prepare(locator: &Locator<'_>, options: &RunOptions, agent: &SigningKey) -> Result<Prepared, Error> {
    let located = locator.locate(ItemType::Directive, &options.directive, None, Purpose::Use)?;
    let verified = locator.verified(located, Profile::Thread)?;
    let Item::Directive(directive) = &verified.content().item else {
        return Err(LocateError::Unknown {
            item_type: ItemType::Directive,
            item_id: options.directive.clone(),
            suggestion: None,
        }
        .into());
    };
    let outcome = render(&options.directive, directive, &options.given)?;
    let granted = directive.permissions.clone().unwrap_or_default();
    let ceilings = Ceilings::new(&directive.limits, directive.cost.as_ref(), &options.limits)?;
    let chosen =
        provider::choose(locator, options.provider.as_ref(), options.model.as_deref(), directive.model.as_ref())?;
    let returns = Returns::new(directive.outputs.clone());
    let toolbox = toolbox(locator, &granted, returns.schema())?;
    let system = prompt::system_prompt(&chosen.document.system_template, &outcome, &toolbox);
    let ctx = locator.context();
    let thread_id = ThreadId::new(&directive.name, ctx.now(), ctx.random()?);
    let identity =
        TokenDirective { id: options.directive.clone(), version: directive.version, sha256: verified.content().sha256 };
    let chain = mint(locator, &thread_id, &identity, granted.clone(), &ceilings, agent)?;
    let harness = Harness::new(ceilings, chosen.price.clone(), ctx.elapsed_ms())?;
    Ok(Prepared {
        thread_id,
        directive: identity,
        inputs: outcome.inputs.clone(),
        request: EncodeRequest {
            state: Value::Null,
            document: Value::Null,
            model: String::new(),
            system: system.clone(),
            messages: Vec::new(),
            tools: toolbox.specs().to_vec(),
            max_output_tokens: 0,
            directive: prompt::brief(&outcome, &toolbox),
            script: script(locator, options)?,
        },
        setup: setup(&outcome, toolbox, chain, harness, returns, &system, &chosen),
        chosen,
        paths: granted.paths,
        findings: verified.content().findings.clone(),
    })
}

fn setup(
    outcome: &DirectiveOutcome,
    toolbox: Toolbox,
    chain: TokenChain,
    harness: Harness,
    returns: Returns,
    system: &str,
    chosen: &Chosen,
) -> Setup {
    let tools = serde_json::to_vec(toolbox.specs()).map_or(0, |bytes| bytes.len() as u64);
    Setup {
        inputs: outcome.inputs.clone(),
        prompt: prompt::user_prompt(outcome, &toolbox),
        toolbox,
        chain,
        harness,
        returns,
        fixed_bytes: system.len() as u64 + tools,
        max_output_tokens: chosen.max_output_tokens(),
    }
}

/// Offers every tool that is permitted and may be used, and the primaries that some permission needs.
fn toolbox(locator: &Locator<'_>, granted: &Capabilities, returns: Option<Value>) -> Result<Toolbox, Error> {
    let listing = locator.workspace().list(Some(ItemType::Tool), None)?;
    let mut ids: Vec<ItemId> = listing.items.into_iter().map(|candidate| candidate.id).collect();
    ids.dedup();
    let policy = &locator.context().config().permissions;
    let permitted = |id: &ItemId| {
        let call = Call::on(Primary::Execute, ItemType::Tool, id.clone());
        granted.check(&call).is_ok() && policy.check(&call).is_ok()
    };
    let tools: Vec<OfferedTool> = ids.into_iter().filter(permitted).filter_map(|id| offered(locator, id)).collect();
    let primaries = [Primary::Execute, Primary::Load, Primary::Sign];
    let primaries: Vec<Primary> = primaries.into_iter().filter(|primary| needed(*primary, granted)).collect();
    Ok(Toolbox::new(&tools, &primaries, returns))
}

/// Reads a tool for the offer; what is not signed or not valid is not offered, and a call of it says why.
fn offered(locator: &Locator<'_>, id: ItemId) -> Option<OfferedTool> {
    let located = locator.locate(ItemType::Tool, &id, None, Purpose::Use).ok()?;
    let verified = locator.verified(located, Profile::Reference).ok()?;
    let Item::Tool(tool) = &verified.content().item else { return None };
    if tool.tool_type.as_deref() == Some("provider") {
        return None;
    }
    let schema = tool.schema.clone().unwrap_or_else(|| serde_json::json!({"type": "object"}));
    Some(OfferedTool { id, description: tool.description.clone(), schema })
}

/// Tells whether a permission speaks of a primary beyond the tools that are offered by name.
fn needed(primary: Primary, granted: &Capabilities) -> bool {
    let wide = |text: &str, word: &str| text == "rye.*" || text.starts_with(&format!("rye.{word}."));
    granted.calls.iter().map(crate::capability::Capability::as_str).any(|text| match primary {
        Primary::Execute => wide(text, "execute") && !text.starts_with("rye.execute.tool."),
        other => wide(text, other.as_str()),
    })
}

fn mint(
    locator: &Locator<'_>,
    thread_id: &ThreadId,
    directive: &TokenDirective,
    granted: Capabilities,
    ceilings: &Ceilings,
    agent: &SigningKey,
) -> Result<TokenChain, Error> {
    let now = locator.context().now();
    let mut claims = Claims::new(thread_id.clone(), directive.clone(), granted, agent.public().key_id());
    claims.limits = ceilings.as_text();
    claims.issued_at = now;
    let seconds = i64::try_from(ceilings.duration).unwrap_or(i64::MAX);
    claims.expires_at = now.plus_seconds(seconds.saturating_add(TOKEN_GRACE));
    let policy = locator.context().config().permissions.clone();
    Ok(TokenChain::verify(vec![claims.sign(agent)], &agent.public(), now)?.under(policy))
}

/// Reads the scripted answers: the host reads, the plugin only translates.
fn script(locator: &Locator<'_>, options: &RunOptions) -> Result<Option<String>, Error> {
    let Some(path) = &options.script else { return Ok(None) };
    let path = locator.context().current_dir().join(path);
    std::fs::read_to_string(&path).map(Some).map_err(|source| Error::Script { path, source })
}
