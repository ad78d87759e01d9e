//! Best practices of directives, as advice: only what can be judged without guessing at what an author meant.
//!
//! Not judged, because only a person can: whether a name or a description fits the task, a tier its difficulty, limits
//! the work; whether a grant is needed, files and relations are complete, hooks are small, or a criterion is the right
//! one.

use rye_plugin_abi::numbers;

use crate::capability::{Call, Capabilities, Primary, aliases, shell};
use crate::format::span::Findings;
use crate::format::syntax::prose;
use crate::format::syntax::tags::Token;
use crate::format::syntax::xml::Element;
use crate::format::{Span, rules};
use crate::id::{ItemId, ItemType};
use crate::item::{Action, Builtin, Directive, FileTool, Model, Step};

/// Last words of names that name an actor, not an action.
const DOERS: [&str; 8] = ["handler", "manager", "helper", "helpers", "processor", "service", "util", "utils"];
/// First words of descriptions that tell of a directive instead of telling what to do.
const TELLING: [&str; 44] = [
    "adds",
    "analyses",
    "analyzes",
    "applies",
    "builds",
    "checks",
    "cleans",
    "collects",
    "compiles",
    "converts",
    "copies",
    "creates",
    "defines",
    "deletes",
    "deploys",
    "describes",
    "downloads",
    "executes",
    "extracts",
    "fetches",
    "finds",
    "formats",
    "generates",
    "handles",
    "imports",
    "installs",
    "loads",
    "makes",
    "manages",
    "performs",
    "prepares",
    "provides",
    "publishes",
    "reads",
    "removes",
    "reports",
    "returns",
    "runs",
    "sends",
    "shows",
    "signs",
    "updates",
    "validates",
    "writes",
];
/// Criteria that a result cannot be checked against.
const VAGUE: [&str; 14] = [
    "it works",
    "it works correctly",
    "works",
    "works correctly",
    "works as expected",
    "everything works",
    "everything is fine",
    "done",
    "success",
    "successful",
    "task completed",
    "task is complete",
    "no errors",
    "looks good",
];
/// Directives that bring an agent's whole instructions along.
const GENERAL_BASES: [&str; 2] = ["agent/core/base", "rye/agent/core/base"];
/// How calls of the primary actions begin when they are written out in text.
const CALLS: [&str; 5] =
    ["rye_execute(item_type", "rye_search(item_type", "rye_search(query", "rye_load(item_type", "rye_sign(item_type"];

/// The folders of items that a step can write.
const ITEM_FOLDERS: [(ItemType, &str); 3] =
    [(ItemType::Directive, ".ai/directives/"), (ItemType::Tool, ".ai/tools/"), (ItemType::Knowledge, ".ai/knowledge/")];
/// The tools that bring a file where it was not, or other bytes into one.
const WRITING: [Builtin; 3] =
    [Builtin::File(FileTool::Write), Builtin::File(FileTool::Edit), Builtin::File(FileTool::Move)];

/// About the length of the text before the id in a call's name.
const PREFIX: usize = 24;
/// What comparing calls with grants may cost. This is advice: a thread checks each call when it is made.
const MOST_WORK: usize = 100_000_000;

/// Files advice about a directive; `zone` is what follows the xml.
pub(super) fn check(text: &str, zone: Span, root: &Element, directive: &Directive, findings: &mut Findings<'_>) {
    let mut practice = Practice { text, zone, root, directive, findings };
    practice.name();
    practice.description();
    practice.cost();
    practice.turns();
    practice.outputs();
    practice.signing();
    practice.never_signed();
    practice.permitted();
    practice.criteria();
}

struct Practice<'p, 'f, 't> {
    text: &'p str,
    zone: Span,
    root: &'p Element,
    directive: &'p Directive,
    findings: &'f mut Findings<'t>,
}

impl<'p> Practice<'p, '_, '_> {
    fn metadata(&self, name: &str) -> Option<&'p Element> {
        self.root.child("metadata")?.child(name)
    }

    /// Without a model each call takes a turn, and returning one more. A model may make several calls in one.
    fn turns(&mut self) {
        let Directive { limits, steps, .. } = self.directive;
        let calls = steps.iter().map(|step| step.actions.len()).sum::<usize>();
        let needed = u32::try_from(calls + 1).unwrap_or(u32::MAX);
        let (Some(turns), Some(element)) = (limits.turns, self.metadata("limits")) else { return };
        if self.directive.wanted_model().tier != Model::WITHOUT_MODEL || calls == 0 || turns >= needed {
            return;
        }
        let attribute = element.attribute("turns").or_else(|| element.attribute("max_turns"));
        let span = attribute.map_or(element.span, |attribute| attribute.span);
        let message = format!("the steps need {needed} turns, one for each call and one to return, and have {turns}");
        self.findings.at(&rules::FEW_TURNS, span, message, format!("write `turns=\"{needed}\"`"));
    }

    fn name(&mut self) {
        let name = &self.directive.name;
        let last = name.rsplit(['_', '-']).next().unwrap_or(name);
        if DOERS.contains(&last) {
            let span = self.root.attribute("name").map_or(self.root.span, |attribute| attribute.span);
            let message = format!("`{name}` names an actor, not an action");
            self.findings.at(&rules::DOER_NAME, span, message, "begin it with a verb, such as `deploy_staging`");
        }
        let base = self.root.attribute("extends").filter(|base| GENERAL_BASES.contains(&base.value.as_str()));
        if let Some(base) = base {
            let message = format!("`{}` brings an agent's whole instructions along", base.value);
            let hint = "extend a base of your own that contains what this directive needs, or none";
            self.findings.at(&rules::GENERAL_BASE, base.span, message, hint);
        }
    }

    fn description(&mut self) {
        let Some(element) = self.metadata("description") else { return };
        let (span, lines) = (element.text_place(), element.text.trim().lines().count());
        let description = &self.directive.description;
        if lines > 1 {
            let message = format!("the description has {lines} lines");
            self.findings.at(
                &rules::DESCRIPTION_LINES,
                span,
                message,
                "say it in one line; there is room above the block",
            );
        }
        let first = description.split_whitespace().next().unwrap_or("").to_lowercase();
        let first = first.trim_matches(|found: char| !found.is_alphanumeric());
        if TELLING.contains(&first) || first == "this" && description.to_lowercase().starts_with("this directive") {
            let message = "the description tells what the directive does".to_owned();
            let hint = "tell what to do: `Deploy to staging`, not `Deploys to staging`";
            self.findings.at(&rules::DESCRIPTION_MOOD, span, message, hint);
        }
        if words(description) == words(&self.directive.name) {
            let hint = "say what comes of it, too";
            self.findings.at(
                &rules::DESCRIPTION_IS_NAME,
                span,
                "the description says what the name says already",
                hint,
            );
        }
    }

    fn cost(&mut self) {
        let Some(cost) = &self.directive.cost else { return };
        let Some(element) = self.metadata("cost") else { return };
        if cost.spend.is_none() && self.directive.limits.spend.is_none() {
            let hint = "add `<spend currency=\"USD\">0.10</spend>`";
            self.findings.at(&rules::NO_SPEND, element.span, "the cost does not say what may be spent", hint);
        }
    }

    fn outputs(&mut self) {
        let Some(outputs) = self.root.child("outputs").filter(|outputs| outputs.children.is_empty()) else { return };
        let hint = "add `<output name=\"…\">description</output>`, or remove the element";
        self.findings.at(&rules::EMPTY_OUTPUTS, outputs.span, "the outputs name nothing", hint);
    }

    /// Signing binds the made files, so files are made before it.
    fn signing(&mut self) {
        let signs = |action: &Action| action.primary == Primary::Sign;
        let steps = &self.directive.steps;
        let last = steps.len().saturating_sub(1);
        let Some(early) = steps.iter().take(last).find(|step| step.actions.iter().any(signs)) else { return };
        let message = format!("the step `{}` signs, and other steps follow", early.name);
        let span = self.find(&format!("<step name=\"{}\"", early.name));
        self.findings.at(
            &rules::SIGN_LAST,
            span,
            message,
            "sign in the last step: what changes afterwards is unsigned",
        );
    }

    /// An unsigned file cannot be used.
    fn never_signed(&mut self) {
        let signs = |action: &Action| action.primary == Primary::Sign;
        let steps = &self.directive.steps;
        if steps.iter().flat_map(|step| &step.actions).any(signs) || speaks_of_signing(self.zone.of(self.text)) {
            return;
        }
        let Some((item_type, place)) = steps.iter().find_map(written_place) else { return };
        let message = format!("a step writes below `{place}`, and none signs what it writes");
        let span = self.find(place);
        let hint = format!("sign it in the last step, such as `<sign item_type=\"{item_type}\" item_id=\"…\" />`");
        self.findings.at(&rules::NEVER_SIGNED, span, message, hint);
    }

    /// Checks the calls in steps against the grants.
    fn permitted(&mut self) {
        let Some(granted) = &self.directive.permissions else { return };
        // The grants of a base are unknown here, and so are grants lost by an error.
        if self.directive.extends.is_some() || self.findings.has_errors() {
            return;
        }
        let mut tags: Option<Vec<Token<'_>>> = None;
        let patterns: usize = granted.calls.iter().map(|pattern| pattern.as_str().len()).sum();
        let mut work = 0_usize;
        let actions: Vec<&Action> = self.directive.steps.iter().flat_map(|step| &step.actions).collect();
        for (index, action) in actions.iter().enumerate() {
            // To hold a call against a pattern takes at worst the product of their lengths.
            let name = action.item_id.as_ref().map_or(0, String::len) + PREFIX;
            work = work.saturating_add(patterns.saturating_mul(name));
            if self.findings.is_full() || work > MOST_WORK {
                return;
            }
            if let Some((call, id)) = refused(action, granted) {
                let needed = call.needed();
                let message = format!("the permissions do not allow `{call}`");
                let tags = tags.get_or_insert_with(|| crate::format::syntax::tags::scan(self.text, self.zone).tokens);
                let is_same = |other: &&&Action| (other.primary, &other.item_id) == (action.primary, &action.item_id);
                let number = actions[..index].iter().filter(is_same).count();
                let span = named_by(self.text, tags, action.primary, id, number);
                let span = span.unwrap_or_else(|| self.find_call(id));
                self.findings.at(&rules::NOT_PERMITTED, span, message, hint_for(&call, &needed));
            }
        }
    }

    fn criteria(&mut self) {
        for criterion in &self.directive.criteria {
            let plain = criterion.to_lowercase();
            let plain = plain.trim_matches(|found: char| !found.is_alphanumeric());
            if VAGUE.contains(&plain) && !self.findings.is_full() {
                let message = format!("nothing can be held against `{}`", prose::one_line(criterion));
                let hint = "say what can be seen: which file is there, which command succeeds, what a result contains";
                let span = self.find(criterion);
                self.findings.at(&rules::VAGUE_CRITERION, span, message, hint);
            }
        }
    }

    /// Finds where a call in backticks names its item, or the search that names none.
    fn find_call(&self, id: Option<&str>) -> Span {
        self.find(&id.map_or_else(|| "<search".to_owned(), |id| format!("item_id=\"{id}\"")))
    }

    /// Finds the place of a text, in the zone first; else the directive's element.
    fn find(&self, needle: &str) -> Span {
        let place = |from: usize| {
            let at = from + self.text.get(from..)?.find(needle)?;
            Some(Span::new(at, at + needle.len()))
        };
        place(self.zone.start).or_else(|| place(0)).unwrap_or(self.root.span)
    }
}

/// Finds the first call that is written out in text: a model of a thread knows its tools by other names.
pub(super) fn written_call(text: &str, zone: Span) -> Option<Span> {
    let source = zone.of(text);
    let start = CALLS.iter().filter_map(|call| source.find(call)).min()?;
    let length = source[start..].find('(')?;
    Some(Span::new(zone.start + start, zone.start + start + length))
}

/// Returns the folder of items that a step writes to, by a call or in its words, and their type.
fn written_place(step: &Step) -> Option<(ItemType, &'static str)> {
    let by_call = |action: &Action| {
        let tool =
            action.item_id.as_deref().and_then(|id| id.parse().ok()).map(|id| aliases::resolve(ItemType::Tool, id));
        let writes = tool.and_then(|id| Builtin::of(&id)).is_some_and(|builtin| WRITING.contains(&builtin));
        let is_tool = action.primary == Primary::Execute && action.item_type == Some(ItemType::Tool);
        let mut paths = action.params.iter().filter(|(name, _)| matches!(name.as_str(), "path" | "to"));
        let path = paths.find(|_| is_tool && writes).map(|(_, path)| path.trim_start_matches("./"));
        path.and_then(|path| ITEM_FOLDERS.into_iter().find(|(_, folder)| path.starts_with(folder)))
    };
    let in_words = || {
        let verbs = words(&step.text);
        let writes = verbs.iter().any(|word| matches!(word.as_str(), "write" | "save" | "create" | "generate"));
        ITEM_FOLDERS.into_iter().find(|(_, folder)| writes && step.text.contains(folder))
    };
    step.actions.iter().find_map(by_call).or_else(in_words)
}

/// Tells whether a text says that something is signed.
fn speaks_of_signing(text: &str) -> bool {
    words(text).iter().any(|word| matches!(word.as_str(), "sign" | "signs" | "signed" | "signing"))
}

/// Finds where an action names its item: in the tag of its name that names this one, after `number` others that do.
fn named_by(text: &str, tags: &[Token<'_>], primary: Primary, id: Option<&str>, number: usize) -> Option<Span> {
    let id = id?;
    let names = |tag: &&Token<'_>| {
        let is_it = |(name, value): &(&str, String)| *name == "item_id" && value == id;
        tag.name == primary.as_str() && tag.attributes.iter().any(is_it)
    };
    let mut tags = tags.iter().filter(names);
    named_in(text, tags.clone().nth(number).or_else(|| tags.next())?.span, id)
}

/// Finds the attribute that names an item, in either kind of quotes.
fn named_in(text: &str, tag: Span, id: &str) -> Option<Span> {
    let source = tag.of(text);
    let start = source.find("item_id")?;
    let end = start + source[start..].find(id)? + id.len() + 1;
    Some(Span::new(tag.start + start, (tag.start + end).min(tag.end)))
}

/// Returns the call of an action that is spelled out and not granted.
fn refused<'a>(action: &'a Action, granted: &Capabilities) -> Option<(Call, Option<&'a str>)> {
    let id = action.item_id.as_deref();
    let call = match (action.primary, action.item_type, id) {
        (Primary::Search, item_type, _) => Call { primary: Primary::Search, item_type: item_type?, item_id: None },
        (Primary::Execute, Some(ItemType::Tool), Some(id)) => {
            Call::on(Primary::Execute, ItemType::Tool, judged_tool(action, id.parse().ok()?)?)
        }
        (primary, item_type, Some(id)) => Call::on(primary, item_type?, id.parse().ok()?),
        _ => return None,
    };
    // A search finds the granted items, and skips the others.
    let may_find = call.primary == Primary::Search && granted.finds_any(call.item_type);
    (!may_find && granted.check(&call).is_err()).then_some((call, id))
}

/// The id by which the call of a tool is judged. None where a placeholder decides.
fn judged_tool(action: &Action, id: ItemId) -> Option<ItemId> {
    let value = |text: &String| numbers::parse(text).unwrap_or_else(|_| text.as_str().into());
    let parameters = action.params.iter().map(|(name, text)| (name.clone(), value(text))).collect();
    shell::judged_id(&id, &parameters).ok()
}

fn hint_for(call: &Call, needed: &str) -> String {
    let (primary, item_type) = (call.primary, call.item_type);
    let specifics = call.item_id.as_ref().map_or_else(|| "*".to_owned(), crate::id::ItemId::dotted);
    format!("add `<{primary}><{item_type}>{specifics}</{item_type}></{primary}>`: without `{needed}` it is refused")
}

/// Returns the words of a text, in lower case.
fn words(text: &str) -> Vec<String> {
    let words = text.split(|found: char| !found.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}
