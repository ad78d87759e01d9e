//! The `<hooks>` element, in both of its forms (docs/formats.md, section 2.11).
//!
//! Seed form: `<when>`, `<execute item_type="…">name</execute>`, `<inputs>`. Event form: `event="…"`, any number of
//! `<condition path op value/>`, `<action primary item_type item_id/>`, `<inputs>`. Parts of both may occur together.

use serde_json::Value;

use super::context::{former_name, item_id};
use super::elements::{Shape, check, leaf, list};
use super::{condition, declarations, template};
use crate::capability::Primary;
use crate::format::span::Findings;
use crate::format::syntax::prose;
use crate::format::syntax::xml::{Attribute, Element};
use crate::format::{Span, no_effect, rules};
use crate::id::{ItemType, nearest};
use crate::item::{Condition, Expression, Function, Hook, HookAction, HookEvent, Input, Operator};

const HOOK: Shape = Shape {
    attributes: &["event"],
    children: &["when", "condition", "execute", "action", "inputs"],
    repeats: true,
    text: false,
};

/// Reads `<hooks>`.
pub(super) fn read(element: &Element, inputs: &[Input], findings: &mut Findings<'_>) -> Vec<Hook> {
    check(element, &list(&["hook"]), findings);
    let hooks = element.children.iter().filter(|child| child.name == "hook");
    hooks.filter_map(|child| Reader { inputs, findings }.hook(child)).collect()
}

struct Reader<'i, 't, 'f> {
    inputs: &'i [Input],
    findings: &'f mut Findings<'t>,
}

impl Reader<'_, '_, '_> {
    fn hook(&mut self, element: &Element) -> Option<Hook> {
        check(element, &HOOK, self.findings);
        let event = element.attribute("event").map(|attribute| self.event(attribute));
        let when = self.condition(element);
        let action = self.action(element);
        let given: Vec<&Element> = element.children.iter().filter(|child| child.name == "inputs").collect();
        if let [_, second, ..] = given.as_slice() {
            self.fault(second.span, "the hook has two `<inputs>`", "put all of them into one");
        }
        let inputs = given.first().map(|inputs| self.given(inputs)).unwrap_or_default();
        if let (Some(action), Some(given)) = (&action, given.first()) {
            no_effect::inputs(action.primary, given.span, self.findings);
        }
        if event.is_none() && when.is_none() {
            let hint = "add `<when>…</when>`, or `event=\"after_tool\"`";
            self.fault(element.span, "the hook does not say when it fires", hint);
        }
        // A part that could not be read would change when the hook fires: without it there is no hook.
        let hook = Hook { event: readable(event)?, when: readable(when)?, action: action?, inputs };
        self.check_firing(element, &hook);
        Some(hook)
    }

    /// Warns of a condition that cannot hold at any event the hook may fire at.
    fn check_firing(&mut self, element: &Element, hook: &Hook) {
        let Some(when) = hook.when.as_ref().filter(|_| !hook.can_fire()) else { return };
        let moment = hook.event.map_or_else(|| "no event".to_owned(), |event| format!("the event `{event}` never"));
        let roots = ["error", "deviation"].into_iter().filter(|root| when.reads(root));
        let brought = roots.map(|root| format!("`{root}.` is there at {}", bringing(root))).collect::<Vec<_>>();
        let hint = match brought.is_empty() {
            true => "wait for the event that the condition names, or leave one of the two out".to_owned(),
            false => brought.join(", "),
        };
        let span = element.child("when").or_else(|| element.child("condition")).unwrap_or(element).text_place();
        self.findings.at(&rules::NEVER_FIRES, span, format!("{moment} lets this condition hold"), hint);
    }

    fn event(&mut self, attribute: &Attribute) -> Option<HookEvent> {
        let word = attribute.value.trim();
        word.parse()
            .map_err(|error: crate::item::HookEventError| {
                let words = HookEvent::ALL.map(HookEvent::as_str);
                let hint = match nearest(&word.chars().take(40).collect::<String>(), words) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("there are: {}", words.join(", ")),
                };
                self.fault(attribute.span, &error.to_string(), &hint);
            })
            .ok()
    }

    /// Joins `<when>` and every `<condition>`: all of them must hold. `Some(None)` is one that cannot be read.
    fn condition(&mut self, element: &Element) -> Option<Option<Condition>> {
        let mut whole: Option<Option<Condition>> = None;
        for child in &element.children {
            let read = match child.name.as_str() {
                "when" => self.when(child),
                "condition" => self.comparison(child),
                _ => continue,
            };
            whole = Some(match (whole, read) {
                (None, read) => read,
                (Some(Some(one)), Some(other)) => Some(both(&one, &other)),
                _ => None,
            });
        }
        whole
    }

    fn when(&mut self, element: &Element) -> Option<Condition> {
        check(element, &leaf(&[], true), self.findings);
        let source = element.text.trim();
        if source.is_empty() {
            self.fault(element.span, "`<when>` is empty", "write a condition, such as `loop_count > 3`");
            return None;
        }
        let place = element.text_place();
        condition::compile(source, self.inputs)
            .map_err(|fault| {
                // Where the file spells the condition with entities, only the whole of it has a place.
                let plain = self.findings.source().get(place.start..).is_some_and(|rest| rest.starts_with(source));
                let inside = Span::new(place.start + fault.span.start, place.start + fault.span.end);
                let span = if plain { inside } else { place };
                self.findings.at(&rules::BAD_CONDITION, span, fault.message, fault.hint);
            })
            .ok()
    }

    /// Reads `<condition path="cost.current" op="&gt;" value="3" />`.
    fn comparison(&mut self, element: &Element) -> Option<Condition> {
        check(element, &leaf(&["path", "op", "value"], false), self.findings);
        let path = declarations::required(element, "path", self.findings);
        let op = declarations::required(element, "op", self.findings);
        let (path, op) = (path?, op?);
        if condition::variable(&path, self.inputs).is_none() {
            let message = format!("unknown variable `{}`", path.chars().take(40).collect::<String>());
            let hint = condition::variable_hint(&path, self.inputs);
            self.findings.at(&rules::BAD_CONDITION, place(element, "path"), message, hint);
            return None;
        }
        let left = Expression::Variable(path.split('.').map(str::to_owned).collect());
        let source = format!("{path} {op} {}", element.value("value").unwrap_or_default());
        if op == "exists" {
            // A variable equals itself where it is there, and nothing equals one that is not.
            return Some(Condition::new(path, compare(Operator::Equal, left.clone(), left)));
        }
        let Some(value) = element.value("value") else {
            self.fault(element.span, "the condition has no `value`", "add `value=\"…\"`");
            return None;
        };
        let right = Expression::Value(literal(value, &op));
        let expression = match op.as_str() {
            "contains" => Expression::Call(Function::Contains, vec![left, right]),
            "starts_with" => Expression::Call(Function::StartsWith, vec![left, right]),
            "ends_with" => Expression::Call(Function::EndsWith, vec![left, right]),
            other => {
                let operator = self.operator(other, place(element, "op"))?;
                if !condition::can_compare(operator, &left, &right, self.inputs) {
                    let message = format!("`{path}` is of another type than `{value}`: this is never true");
                    let hint = "give a value of the variable's type";
                    self.findings.at(&rules::BAD_CONDITION, place(element, "value"), message, hint);
                    return None;
                }
                compare(operator, left, right)
            }
        };
        Some(Condition::new(source, expression))
    }

    fn operator(&mut self, word: &str, span: Span) -> Option<Operator> {
        let operator = match word {
            "==" | "eq" => Operator::Equal,
            "!=" | "ne" => Operator::Unequal,
            ">" | "gt" => Operator::Greater,
            ">=" | "gte" => Operator::GreaterOrEqual,
            "<" | "lt" => Operator::Less,
            "<=" | "lte" => Operator::LessOrEqual,
            "in" => Operator::In,
            other => {
                let message = format!("`{}` is not an operator", other.chars().take(20).collect::<String>());
                let hint = "there are: eq ne gt gte lt lte in contains starts_with ends_with exists";
                self.findings.at(&rules::BAD_CONDITION, span, message, hint);
                return None;
            }
        };
        Some(operator)
    }

    fn action(&mut self, element: &Element) -> Option<HookAction> {
        let acts = |child: &&Element| matches!(child.name.as_str(), "execute" | "action");
        let mut actions = element.children.iter().filter(acts);
        let Some(first) = actions.next() else {
            let hint = "add `<execute item_type=\"directive\">name</execute>`";
            self.fault(element.span, "the hook does nothing", hint);
            return None;
        };
        if let Some(second) = actions.next() {
            self.fault(second.span, "the hook does two things", "write a second hook");
        }
        let is_seed_form = first.name == "execute";
        let shape =
            if is_seed_form { leaf(&["item_type"], true) } else { leaf(&["primary", "item_type", "item_id"], false) };
        check(first, &shape, self.findings);
        let primary = if is_seed_form { Some(Primary::Execute) } else { self.word(first, "primary") };
        let item_type: Option<ItemType> = self.word(first, "item_type");
        let (text, span) = if is_seed_form {
            (Some(prose::one_line(&first.text)), first.text_place())
        } else {
            (declarations::required(first, "item_id", self.findings), place(first, "item_id"))
        };
        let item = text.and_then(|text| item_id(&text, span, self.findings));
        if let (Some(item_type), Some(id)) = (item_type, &item) {
            former_name(item_type, id, span, self.findings);
        }
        if primary == Some(Primary::Search) {
            self.fault(first.span, "a hook cannot search", "execute, load or sign an item");
            return None;
        }
        Some(HookAction { primary: primary?, item_type: item_type?, item_id: item? })
    }

    /// Reads a required attribute of few words.
    fn word<T: std::str::FromStr<Err: std::fmt::Display>>(&mut self, element: &Element, name: &str) -> Option<T> {
        let text = declarations::required(element, name, self.findings)?;
        text.parse()
            .map_err(|error: T::Err| {
                let hint = "write one of the words";
                self.findings.at(&rules::BAD_VALUE, place(element, name), error.to_string(), hint);
            })
            .ok()
    }

    /// Reads `<inputs>`: one element per input, named like it.
    fn given(&mut self, element: &Element) -> Vec<(String, String)> {
        let mut given: Vec<(String, String)> = Vec::new();
        for child in &element.children {
            check(child, &leaf(&[], true), self.findings);
            if given.iter().any(|(name, _)| *name == child.name) {
                let message = format!("the input `{}` is given twice", child.name);
                self.findings.at(&rules::DUPLICATE_NAME, child.span, message, "keep one of them");
                continue;
            }
            let value = prose::dedented(&child.text);
            self.check_variables(&value, child.text_place());
            given.push((child.name.clone(), value));
        }
        if let Some(span) = element.text_span {
            let hint = "write each input as an element of its name";
            self.findings.at(&rules::STRAY_TEXT, span, "text is in `<inputs>`, which takes no text", hint);
        }
        given
    }

    fn check_variables(&mut self, value: &str, span: Span) {
        for name in template::variables(value) {
            let shown: String = name.unwrap_or_default().chars().take(40).collect();
            match name {
                Some(name) if condition::variable(name, self.inputs).is_some() => {}
                Some(name) => {
                    let message = format!("unknown variable `{shown}`");
                    self.findings.at(&rules::BAD_VARIABLE, span, message, condition::variable_hint(name, self.inputs));
                }
                None => {
                    let hint = "write `${name}`";
                    self.findings.at(&rules::BAD_VARIABLE, span, "`${` is not closed by `}`", hint);
                }
            }
        }
    }

    fn fault(&mut self, span: Span, message: &str, hint: &str) {
        self.findings.at(&rules::BAD_HOOK, span, message, hint);
    }
}

/// Lists the events that bring variables below `root`.
fn bringing(root: &str) -> String {
    let events = HookEvent::ALL.into_iter().filter(|event| event.brings(root));
    events.map(|event| format!("`{event}`")).collect::<Vec<_>>().join(" and ")
}

fn place(element: &Element, attribute: &str) -> Span {
    element.attribute(attribute).map_or(element.span, |attribute| attribute.span)
}

fn compare(operator: Operator, left: Expression, right: Expression) -> Expression {
    Expression::Binary(operator, Box::new(left), Box::new(right))
}

fn both(one: &Condition, other: &Condition) -> Condition {
    let source = format!("({}) && ({})", one.source(), other.source());
    Condition::new(source, compare(Operator::And, one.expression().clone(), other.expression().clone()))
}

/// Reads a value as JSON where it is a number, a truth or a list; anything else is a text. `in` takes `a, b` too.
fn literal(text: &str, op: &str) -> Value {
    let read = serde_json::from_str(text).ok().filter(|value: &Value| !value.is_object() && !value.is_null());
    match (read, op) {
        (Some(list @ Value::Array(_)), _) => list,
        (_, "in") => Value::Array(text.split(',').map(|part| literal(part.trim(), "eq")).collect()),
        (Some(value), _) => value,
        (None, _) => Value::String(text.to_owned()),
    }
}

/// Tells a part that is absent from one that could not be read: that one is `None`.
fn readable<T>(part: Option<Option<T>>) -> Option<Option<T>> {
    match part {
        None => Some(None),
        Some(read) => read.map(Some),
    }
}
