//! What an item can do and cost, in words, and what one version can more than another.
//!
//! Every field of an item is named here: a new one does not compile until somebody decided whether it is a power. Plain
//! text is in the diff.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::item::{Cost, Directive, DirectiveContext, Hook, Item, Knowledge, Limits, Model, Tool};

/// The longest value that is shown, in characters.
const LONGEST: usize = 120;

/// Lists what `new` can do or cost and `old` cannot: permissions and paths, limits that are higher, and whatever else decides
/// what runs, with what, and what reaches a model.
pub(super) fn gained(old: Option<&Item>, new: Option<&Item>) -> Vec<String> {
    let mut gained: Vec<String> = powers(new).difference(&powers(old)).cloned().collect();
    if let (Some(Item::Directive(old)), Some(Item::Directive(new))) = (old, new) {
        gained.extend(raised(old, new));
        gained.extend(freed(old, new).map(str::to_owned));
    }
    gained
}

/// Lists what `old` can do and `new` cannot.
pub(super) fn lost(old: Option<&Item>, new: Option<&Item>) -> Vec<String> {
    powers(old).difference(&powers(new)).cloned().collect()
}

fn powers(item: Option<&Item>) -> BTreeSet<String> {
    match item {
        Some(Item::Directive(directive)) => of_directive(directive),
        Some(Item::Tool(tool)) => of_tool(tool),
        Some(Item::Knowledge(knowledge)) => of_knowledge(knowledge),
        // Compared file by file, by `SkillChange`.
        Some(Item::Skill(_)) | None => BTreeSet::new(),
    }
}

fn of_directive(directive: &Directive) -> BTreeSet<String> {
    let Directive {
        extends,
        model,
        permissions,
        context,
        hooks,
        continuation,
        steps,
        acknowledged,
        // Compared by number, in `raised`.
        limits: _,
        cost: _,
        // Text for people and models: the diff shows it.
        name: _,
        version: _,
        title: _,
        preamble: _,
        description: _,
        category: _,
        author: _,
        inputs: _,
        outputs: _,
        messages: _,
        criteria: _,
        body: _,
    } = directive;
    let mut powers = BTreeSet::new();
    if let Some(all) = permissions {
        powers.extend(all.calls.iter().map(|call| format!("permission {call}")));
        powers.extend(all.paths.read.iter().map(|path| format!("read {path}")));
        powers.extend(all.paths.write.iter().map(|path| format!("write {path}")));
        powers.extend(all.hosts.iter().map(|host| format!("network {host}")));
    }
    powers.extend(model.iter().map(of_model));
    powers.extend(extends.iter().map(|base| format!("extends {base}")));
    powers.extend(of_context(context));
    powers.extend(hooks.iter().map(of_hook));
    powers.extend(continuation.iter().map(|next| format!("continues with {next}")));
    powers.extend(acknowledged.iter().map(|known| format!("accepts the risk {}", known.risk)));
    let actions = steps.iter().flat_map(|step| &step.actions);
    powers.extend(actions.filter_map(|action| Some(format!("{} {}", action.item_type?, action.item_id.as_ref()?))));
    powers
}

fn of_model(model: &Model) -> String {
    let Model { tier, id, fallback, fallback_id, text: _ } = model;
    let named = [id.as_ref(), fallback.as_ref(), fallback_id.as_ref()].into_iter().flatten();
    named.fold(format!("model {tier}"), |words, name| format!("{words} {name}"))
}

fn of_context(context: &DirectiveContext) -> Vec<String> {
    let DirectiveContext {
        requires,
        depends_on,
        system,
        before,
        after,
        suppress,
        // For the model to read, or without effect.
        related_files: _,
        dependencies: _,
        used_by: _,
        suggests: _,
        conflicts_with: _,
        example_of: _,
        // They take away from what the person allows.
        project: _,
        environment: _,
    } = context;
    let lists = [
        ("requires", requires),
        ("depends on", depends_on),
        ("system context", system),
        ("context before", before),
        ("context after", after),
        ("suppresses", suppress),
    ];
    lists.into_iter().flat_map(|(word, ids)| ids.iter().map(move |id| format!("{word} {id}"))).collect()
}

fn of_hook(hook: &Hook) -> String {
    let Hook { event, when, action, inputs } = hook;
    let event = event.iter().map(|event| format!(" at {event}"));
    let when = when.iter().map(|when| format!(" when {}", short(when.source())));
    let inputs = inputs.iter().map(|(name, value)| format!(" {name}={}", short(value)));
    let head = format!("hook {} {} {}", action.primary, action.item_type, action.item_id);
    event.chain(when).chain(inputs).fold(head, |words, more| words + &more)
}

fn of_tool(tool: &Tool) -> BTreeSet<String> {
    let Tool {
        tool_type,
        executor_id,
        fixed_params,
        params_key,
        config,
        env,
        companions,
        rest,
        // What it takes from its caller, and text: the diff shows it.
        schema: _,
        name: _,
        version: _,
        description: _,
        category: _,
    } = tool;
    let mut powers = BTreeSet::new();
    powers.extend(executor_id.iter().map(|executor| format!("executor {executor}")));
    powers.extend(tool_type.iter().map(|of| format!("tool type {of}")));
    powers.extend(env.iter().map(|(name, value)| format!("environment {name}={}", short(value))));
    powers.extend(companions.iter().map(|companion| format!("companion {} {}", companion.path, companion.sha256)));
    powers.extend(fixed_params.iter().map(|(name, value)| format!("fixed parameter {}", setting(name, value))));
    powers.extend(params_key.iter().map(|key| format!("parameters below {key}")));
    match config {
        Value::Null => {}
        Value::Object(config) => {
            powers.extend(config.iter().map(|(name, value)| format!("config {}", setting(name, value))));
        }
        other => drop(powers.insert(format!("config {}", short(&other.to_string())))),
    }
    let for_people = ["author", "tags"];
    let rest = rest.iter().filter(|(name, _)| !for_people.contains(&name.as_str()));
    powers.extend(rest.map(|(name, value)| setting(name, value)));
    powers
}

fn of_knowledge(knowledge: &Knowledge) -> BTreeSet<String> {
    knowledge.extends.iter().map(|base| format!("extends {base}")).collect()
}

/// Lists the limits that are higher. A directive without own limits has the defaults.
fn raised(old: &Directive, new: &Directive) -> Vec<String> {
    let (old, new) = (bounds(&old.limits, old.cost.as_ref()), bounds(&new.limits, new.cost.as_ref()));
    let pairs = old.into_iter().zip(new);
    let raised = pairs.filter(|((_, old), (_, new))| old.is_raised_to(new));
    raised.map(|((name, old), (_, new))| format!("limit {name} {old} -> {new}")).collect()
}

/// A limit: a number, an amount of money, or none.
struct Bound {
    number: Option<u64>,
    currency: Option<String>,
    shown: String,
}

impl Bound {
    fn of(number: Option<u64>) -> Self {
        Self { number, currency: None, shown: number.map_or_else(|| "none".to_owned(), |number| number.to_string()) }
    }

    /// Amounts in different currencies cannot be compared: the new one is told.
    fn is_raised_to(&self, new: &Self) -> bool {
        match (self.number, new.number) {
            (Some(old), Some(number)) => number > old || self.currency != new.currency,
            (Some(_), None) => true,
            (None, _) => false,
        }
    }
}

impl std::fmt::Display for Bound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&self.shown)
    }
}

fn bounds(limits: &Limits, cost: Option<&Cost>) -> Vec<(&'static str, Bound)> {
    // Two currencies in one directive are an error elsewhere; here its limits count.
    let effective = limits.effective(cost).unwrap_or_else(|_| limits.clone()).or(&Limits::defaults());
    let Limits { turns, tokens, spend, duration, spawns, depth } = effective;
    let of = |number: Option<u32>| Bound::of(number.map(u64::from));
    let spend = Bound {
        number: spend.as_ref().map(|money| money.nano()),
        currency: spend.as_ref().map(|money| money.currency().to_string()),
        shown: spend.map_or_else(|| "none".to_owned(), |money| money.to_string()),
    };
    vec![
        ("turns", of(turns)),
        ("tokens", Bound::of(tokens)),
        ("spend", spend),
        ("duration", Bound::of(duration)),
        ("spawns", of(spawns)),
        ("depth", of(depth)),
        ("context", Bound::of(cost.map(|cost| cost.context_tokens))),
    ]
}

/// Lists what bounded the older version and does not bound the newer one.
fn freed(old: &Directive, new: &Directive) -> impl Iterator<Item = &'static str> {
    let no_base = old.extends.is_some() && new.extends.is_none();
    let no_permissions = old.permissions.is_some() && new.permissions.is_none() && new.extends.is_some();
    let freed = [(no_base, "no bounds by what it extended"), (no_permissions, "all permissions of what it extends")];
    freed.into_iter().filter(|(is_so, _)| *is_so).map(|(_, words)| words)
}

fn setting(name: &str, value: &Value) -> String {
    format!("{name} {}", short(&value.to_string()))
}

fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text.to_owned(),
    }
}
