//! Everything decided before a thread begins: directive, inputs, provider, tools, limits, token.
//!
//! Whatever can be wrong is found here, before anything is written.

use std::sync::Arc;

use std::path::{Path, PathBuf};
use std::time::Duration;

use rye_plugin_abi::provider::EncodeRequest;
use serde_json::{Map, Value};

use super::grant::{self, Declared};
use super::performer::{Loaded, exclusions};
use crate::action::{OfferedTool, Toolbox};
use crate::capability::programs::{Programs, programs};
use crate::capability::shell;
use crate::capability::{Call, Capabilities, Claims, Primary, Token, TokenChain, TokenDirective, TokenError};
use crate::context::bounded;
use crate::event::{AskedModel, EventData, ModelChoice};
use crate::execute::{self, DirectiveOutcome, Given, render};
use crate::executors::{self, Script};
use crate::extends::{self, Chain, ContextItem, Link};
use crate::format::template::TooLong;
use crate::format::{Finding, Profile};
use crate::git::CommitId;
use crate::id::{ItemId, ItemType, ThreadId};
use crate::item::{Builtin, Directive, Hook, HookEvent, Item, Limits, PersonGrant};
use crate::locate::Purpose;
use crate::machine::harness::{Ceilings, Harness};
use crate::machine::hooks::Hooks;
use crate::machine::returns::Returns;
use crate::machine::{Machine, Setup, SetupRecord, prompt};
use crate::permissions::Caller;
use crate::project_words::{ProjectWords, environment};
use crate::session::Session;
use crate::thread::error::Error;
use crate::thread::model::Guard;
use crate::thread::model::provider::{self, Chosen};
use crate::thread::record::ForkedFrom;
use crate::trust::{Place, SigningKey};

/// How long a token counts beyond the thread's own limit, in seconds.
const TOKEN_GRACE: i64 = 3_600;

/// The greatest size of a file with scripted answers, in bytes.
const MOST_SCRIPT_BYTES: u64 = 64 * 1024 * 1024;

/// The plugin that answers from a script.
const SCRIPTED: &str = "scripted";

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
    /// How long an outage of the model is waited for, instead of ten minutes.
    pub patience: Option<Duration>,
    /// Permissions that only narrow the directive's.
    pub caller: Option<Caller>,
    /// What its person lets it do by flags, if the directive is the built-in task.
    pub granted: Option<PersonGrant>,
    /// Whether it begins with what its person has not committed.
    pub with_changes: bool,
    /// The thread that is run again.
    pub rerun_of: Option<ThreadId>,
    /// The commit whose words of the project are told: the base of that thread, or else of this one.
    pub words_of: Option<CommitId>,
    /// Whether it works in its person's own tree.
    pub in_place: bool,
}

/// A thread that is ready to begin.
pub(in crate::thread) struct Prepared {
    pub(in crate::thread) thread_id: ThreadId,
    pub(in crate::thread) directive: TokenDirective,
    pub(in crate::thread) inputs: Map<String, Value>,
    pub(in crate::thread) machine: Machine,
    pub(in crate::thread) chain: TokenChain,
    pub(in crate::thread) setup: SetupRecord,
    pub(in crate::thread) forked_from: Option<ForkedFrom>,
    pub(in crate::thread) rerun_of: Option<ThreadId>,
    pub(in crate::thread) chosen: Chosen,
    /// Keeps secrets out of it.
    pub(in crate::thread) guard: Guard,
    /// What every request has in common; state, document and model are the provider's part.
    pub(in crate::thread) request: EncodeRequest,
    /// The directives of the chain, each with those it excludes.
    pub(in crate::thread) loaded: Vec<Loaded>,
    pub(in crate::thread) findings: Vec<Finding>,
}

/// Verifies the directive and decides everything about its thread.
pub(in crate::thread) fn prepare(session: &Session, options: &RunOptions) -> Result<Prepared, Error> {
    let project = session.project();
    let (directives, granted) = found(session, options)?;
    let (granted, asked) = (granted.as_ref(), grant::asked(&options.limits, granted.as_ref()));
    let context = directives.context_items(project)?;
    let injected: Vec<EventData> = context.iter().map(context_event).collect();
    let guard = Guard::new(session)?;
    let outcome = rendered(&directives, context, &guard, &options.given)?;
    let (leaf, directive) = (directives.leaf(), directives.leaf().directive());
    let (hooks, continuation) = (hooks(session, leaf, &outcome.inputs)?, continuation(session, leaf)?);
    let (ctx, rules) = (session.context(), &session.context().config().limits);
    let ceilings = Ceilings::new(&directive.limits, directive.cost.as_ref(), &asked, rules)?;
    let (mut chosen, choice) = chosen(session, options, directive)?;
    chosen.take_currency(&ceilings, rules)?;
    let outputs = prompt::outputs(&outcome);
    let returns = Returns::new(outputs.clone());
    // Only now: a thread that cannot begin makes no key.
    let (agent, declared) = (project.agent()?, Declared::new(&directives, granted));
    let thread_id = ThreadId::new(&directive.name, ctx.now(), ctx.random()?);
    let chain = mint(session, &thread_id, &[], &declared, options.caller.as_ref(), &ceilings, agent)?;
    let toolbox = permitted_tools(session, &chain, &declared, options.caller.as_ref(), &returns, &hooks)?;
    let toolbox = chosen.offered(toolbox, ceilings.tokens);
    let words = words(session, options, &directives, &chosen, &ceilings)?;
    let system = guard.text(words.in_system(system(leaf, &chosen, &outcome, &toolbox)?));
    let harness = Harness::new(ceilings, chosen.price.clone(), ctx.elapsed_ms())?;
    let setup = Setup {
        inputs: outcome.inputs.clone(),
        prompt: guard.text(words.in_prompt(grant::told(prompt::user_prompt(&outcome, &outputs, &toolbox), granted))),
        fixed_bytes: fixed_bytes(&system, &toolbox),
        max_output_tokens: chosen.max_output_tokens(),
        compaction: chosen.compaction(),
        continuation,
        continues: true,
        model: Some(choice),
        tells_budget: words.tells_budget(),
        granted: granted.cloned(),
        context: injected.into_iter().chain(words.events).collect(),
        toolbox,
        chain: chain.clone(),
        harness,
        returns,
        hooks,
    };
    let record = SetupRecord::new(&setup, &system, &guard.brief(prompt::brief(&outcome, &setup.toolbox)));
    Ok(Prepared {
        thread_id,
        directive: declared.leaf,
        inputs: outcome.inputs.clone(),
        request: request(&record, script(session, options.script.as_deref(), &chosen)?),
        machine: Machine::new(setup).following(leaf.item_id().clone()),
        chain,
        setup: record,
        forked_from: None,
        rerun_of: options.rerun_of.clone(),
        chosen: chosen.with_patience(options.patience),
        guard,
        loaded: directives.links().map(exclusions).collect(),
        findings: leaf.checked().findings.clone(),
    })
}

/// Finds the directive and those that it extends, each verified, and what its person lets it do by flags.
fn found(session: &Session, options: &RunOptions) -> Result<(Chain, Option<PersonGrant>), Error> {
    let project = session.project();
    let located = project.locate(ItemType::Directive, &options.directive, None, Purpose::Use)?;
    let verified = project.verified(located, Profile::Thread)?;
    let granted = grant::of(options.granted.as_ref(), &options.directive, verified.content().space)?;
    let directives = extends::resolve(project, verified)?;
    directives.require_offered()?;
    Ok((directives, granted))
}

/// Renders the directive, with no secret in its inputs.
fn rendered(
    directives: &Chain,
    context: Vec<ContextItem>,
    guard: &Guard,
    given: &Given,
) -> Result<DirectiveOutcome, Error> {
    let outcome = render(directives, context, &guard.given(given))?;
    Ok(DirectiveOutcome { inputs: guard.inputs(outcome.inputs), ..outcome })
}

/// Builds the directive's system prompt.
fn system(link: &Link, chosen: &Chosen, outcome: &DirectiveOutcome, toolbox: &Toolbox) -> Result<String, Error> {
    let too_long = |error: TooLong| execute::Error::Template { item_id: link.item_id().clone(), source: error.into() };
    Ok(prompt::system_prompt(&chosen.document.system_template, outcome, toolbox).map_err(too_long)?)
}

/// Reads the project's words and the surroundings, as far as the person and every directive of the chain let a model know them.
fn words(
    session: &Session,
    options: &RunOptions,
    directives: &Chain,
    chosen: &Chosen,
    ceilings: &Ceilings,
) -> Result<ProjectWords, Error> {
    if chosen.follows_steps() {
        return Ok(ProjectWords::default());
    }
    let (ctx, project, own) = (session.context(), session.project(), &session.context().config().context);
    let wanted = directives.project_files().map_or(own.project, |narrower| own.project.min(narrower));
    let words = ProjectWords::read(project, options.words_of.as_ref(), wanted)?;
    let is_told = own.environment && !directives.hides_environment();
    let surroundings = is_told.then(|| environment(project, ctx.now(), &ceilings.as_text()));
    Ok(words.with(surroundings))
}

/// Chooses who answers, and records what was asked for. What answers in its place must have a price, too.
fn chosen(session: &Session, options: &RunOptions, directive: &Directive) -> Result<(Chosen, ModelChoice), Error> {
    let (wanted, named, model) = (directive.wanted_model(), options.provider.as_ref(), options.model.as_deref());
    let chosen = provider::choose(session, named, model, Some(&wanted))?;
    provider::require_fallback_id(session, named, &wanted)?;
    let asked = AskedModel::new(&wanted, model, named);
    let choice = ModelChoice { asked, provider: chosen.id.clone(), model: chosen.model.clone() };
    Ok((chosen, choice))
}

/// Returns the tools that directives and caller allow, and those by which hooks hear of the model.
fn permitted_tools(
    session: &Session,
    chain: &TokenChain,
    declared: &Declared,
    caller: Option<&Caller>,
    returns: &Returns,
    hooks: &Hooks,
) -> Result<Toolbox, Error> {
    let granted = declared.permissions.iter().map(|(_, granted)| granted);
    let allowed: Vec<&Capabilities> = granted.chain(caller.map(Caller::capabilities)).collect();
    let toolbox = toolbox(session, chain, declared, &allowed, returns.schema())?;
    Ok(if hooks.listen_to(HookEvent::Deviation) { toolbox.with_deviation() } else { toolbox })
}

/// Makes what every request has in common.
pub(in crate::thread) fn request(setup: &SetupRecord, script: Option<String>) -> EncodeRequest {
    EncodeRequest {
        state: Value::Null,
        document: Value::Null,
        model: String::new(),
        system: setup.system.clone(),
        messages: Arc::default(),
        tools: setup.toolbox.specs().to_vec(),
        max_output_tokens: 0,
        directive: setup.directive.clone(),
        script,
    }
}

fn context_event(item: &ContextItem) -> EventData {
    EventData::ContextInjected { position: item.position, item_id: item.item_id.clone(), sha256: item.sha256 }
}

/// Arms the leaf's hooks; what one of them names must be there.
fn hooks(session: &Session, leaf: &Link, inputs: &Map<String, Value>) -> Result<Hooks, Error> {
    let directive = leaf.directive();
    let arm = |hook: &Hook| {
        let action = &hook.action;
        let target = extends::find(session.project(), leaf.item_id(), "hooks", action.item_type, &action.item_id)?;
        Ok::<_, Error>((hook.clone(), target))
    };
    let armed = directive.hooks.iter().map(arm).collect::<Result<_, _>>()?;
    Ok(Hooks::new(armed, &directive.name, inputs))
}

/// Finds the directive that goes on when turns were summarised: it must be there.
fn continuation(session: &Session, leaf: &Link) -> Result<Option<ItemId>, Error> {
    let named = leaf.directive().continuation.as_ref();
    let find =
        |name| extends::find(session.project(), leaf.item_id(), "continuation_directive", ItemType::Directive, name);
    Ok(named.map(find).transpose()?)
}

/// Counts what goes with every request.
fn fixed_bytes(system: &str, toolbox: &Toolbox) -> u64 {
    let tools = serde_json::to_vec(toolbox.specs()).map_or(0, |bytes| bytes.len() as u64);
    system.len() as u64 + tools
}

/// Offers every tool that is permitted and may be used, those of a task that its flags may refuse, and the primaries that some
/// permission needs. Scripts are withheld where the sandbox is missing that they must run in.
fn toolbox(
    session: &Session,
    chain: &TokenChain,
    declared: &Declared,
    granted: &[&Capabilities],
    returns: Option<Value>,
) -> Result<Toolbox, Error> {
    let listing = session.project().workspace().list(Some(ItemType::Tool), None)?;
    let mut ids: Vec<ItemId> = listing.items.into_iter().map(|candidate| candidate.id).collect();
    ids.dedup();
    let config = session.context().config();
    // What takes the place of a built-in tool may be a script.
    let builtin_alone = execute::check_sandbox(session.context()).is_err();
    let may_run = |id: &ItemId| !builtin_alone || (Builtin::of(id).is_some() && !config.items.shadow_reserved);
    let programs = programs(chain);
    let permitted = |id: &ItemId| match id.as_str() {
        shell::RUN => programs.is_some(),
        _ => chain.check(&Call::on(Primary::Execute, ItemType::Tool, id.clone())).is_ok(),
    };
    let tools =
        ids.iter().filter(|id| permitted(id) || declared.shows(id)).cloned().filter_map(|id| offered(session, id));
    let tools = tools.map(|tool| with_programs(tool, programs.as_ref()));
    let (tools, withheld): (Vec<OfferedTool>, Vec<OfferedTool>) = tools.partition(|tool| may_run(&tool.id));
    let withheld: Vec<ItemId> = withheld.into_iter().map(|tool| tool.id).collect();
    let primaries = [Primary::Execute, Primary::Search, Primary::Load, Primary::Sign];
    let primaries: Vec<Primary> =
        primaries.into_iter().filter(|primary| granted.iter().all(|granted| needed(*primary, granted))).collect();
    Ok(Toolbox::new(&tools, &primaries, returns).withholding(&withheld).knowing(ids))
}

/// Says of the tool that runs programs which of them are permitted.
fn with_programs(mut tool: OfferedTool, programs: Option<&Programs>) -> OfferedTool {
    match programs {
        Some(Programs::Named(names)) if tool.id.as_str() == shell::RUN => {
            tool.description = format!("{} Permitted programs: {}.", tool.description, names.join(", "));
        }
        Some(Programs::Named(_) | Programs::Any) | None => {}
    }
    tool
}

/// Reads a tool for the offer; an unsigned or invalid one is not offered, and a call of it says why.
fn offered(session: &Session, id: ItemId) -> Option<OfferedTool> {
    let project = session.project();
    let located = project.locate(ItemType::Tool, &id, None, Purpose::Use).ok()?;
    let verified = project.verified(located, Profile::Reference).ok()?;
    let Item::Tool(tool) = &verified.content().item else { return None };
    if tool.tool_type.as_deref() == Some("provider") {
        return None;
    }
    let (extension, space) = (&verified.subject().extension, verified.content().space);
    let script = Script { item_id: &id, extension, tool, bytes: &verified.content().bytes };
    let read = |link: &ItemId, space| executors::verified_link(project, link, space);
    if tool.tool_type.as_deref() == Some("runtime")
        || executors::check(session, script, space, verified.verdict(), read).is_err()
    {
        return None;
    }
    let schema = tool.offered_schema().unwrap_or_else(|| serde_json::json!({"type": "object"}));
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

/// Mints one token per directive of the chain that declares permissions, behind one for what the caller allows, each
/// bound to the one before: a call must be allowed by all of them, so a leaf gets no more than its bases (hole 9 of the
/// threat model), and a caller can only narrow. `inherited` tokens come before them, issued again for this thread.
pub(in crate::thread) fn mint(
    session: &Session,
    thread_id: &ThreadId,
    inherited: &[Token],
    declared: &Declared,
    caller: Option<&Caller>,
    ceilings: &Ceilings,
    agent: &SigningKey,
) -> Result<TokenChain, Error> {
    if session.project().keys().is_revoked(&agent.public(), Place::default()) {
        return Err(TokenError::Revoked { key_id: agent.public().key_id() }.into());
    }
    let now = session.context().now();
    let seconds = i64::try_from(ceilings.duration).unwrap_or(i64::MAX);
    let mut tokens: Vec<Token> = Vec::new();
    let Declared { leaf, permissions, .. } = declared;
    let given = caller.map(|caller| (leaf.clone(), caller.capabilities().clone(), Some(caller.sha256())));
    let declared = permissions.iter().map(|(directive, granted)| (directive.clone(), granted.clone(), None));
    let inherited = inherited.iter().map(|token| {
        let Claims { directive, capabilities, paths, hosts, caller, .. } = token.claims().clone();
        (directive, Capabilities { calls: capabilities, paths, hosts }, caller)
    });
    for (directive, granted, caller) in inherited.chain(given).chain(declared) {
        let mut claims = Claims::new(thread_id.clone(), directive, granted, agent.public().key_id());
        claims.caller = caller;
        claims.limits = ceilings.as_text();
        claims.parent = tokens.last().map(Token::sha256);
        claims.issued_at = now;
        claims.expires_at = now.plus_seconds(seconds.saturating_add(TOKEN_GRACE));
        tokens.push(claims.sign(agent));
    }
    let policy = session.project().policy()?;
    Ok(TokenChain::verify(tokens, &agent.public(), now)?.under(policy))
}

/// Reads the scripted answers: the host reads, the plugin only translates.
pub(in crate::thread) fn script(
    session: &Session,
    path: Option<&Path>,
    chosen: &Chosen,
) -> Result<Option<String>, Error> {
    let Some(path) = path else { return Ok(None) };
    if chosen.document.plugin != SCRIPTED {
        return Err(Error::ScriptUnused { provider: chosen.id.clone() });
    }
    let path = session.context().current_dir().join(path);
    Ok(Some(bounded::read_text(&path, MOST_SCRIPT_BYTES)?))
}
