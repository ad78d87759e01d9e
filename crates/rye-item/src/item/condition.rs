//! When a hook fires: an expression over a thread's variables, and its value.
//!
//! Expressions come from text through `format`, bounded in size and depth. A missing value, or one that an operator
//! does not accept, gives no value; `&&` and `||` need only the side that decides, as in CEL; a condition without a
//! value is false. An integer with a decimal is promoted. Deliberately without loops, functions of the outside world,
//! or anything that could fail.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::HookEvent;

/// The longest text that joining two texts may give, in bytes.
const MOST_TEXT: usize = 64 * 1024;

/// A condition, read and checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    source: String,
    expression: Expression,
}

/// An expression.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expression {
    /// A literal.
    Value(Value),
    /// Whether this event is the one that happens.
    Event(HookEvent),
    /// A variable by its path, such as `cost.current`.
    Variable(Vec<String>),
    /// `list[0]` or `object["key"]`.
    Index(Box<Self>, Box<Self>),
    /// A list.
    List(Vec<Self>),
    /// `!a`.
    Not(Box<Self>),
    /// `-a`.
    Negate(Box<Self>),
    /// `a + b` and its like.
    Binary(Operator, Box<Self>, Box<Self>),
    /// `a ? b : c`.
    Choose(Box<Self>, Box<Self>, Box<Self>),
    /// `a.contains(b)` and its like.
    Call(Function, Vec<Self>),
}

/// An operator between two expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operator {
    /// `&&`
    And,
    /// `||`
    Or,
    /// `==`
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `in`
    In,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
}

/// A function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Function {
    /// Characters of a text, members of a list or an object.
    Size,
    /// A text in a text.
    Contains,
    /// A text at a text's start.
    StartsWith,
    /// A text at a text's end.
    EndsWith,
}

/// The facts about a thread at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Variables {
    /// What happens.
    pub event: HookEvent,
    /// The variables; a dot in a name goes one object down.
    pub values: Map<String, Value>,
}

impl Condition {
    /// Makes a condition from its text and what it means.
    #[must_use]
    pub const fn new(source: String, expression: Expression) -> Self {
        Self { source, expression }
    }

    /// Returns the condition as written.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns what the condition means.
    #[must_use]
    pub const fn expression(&self) -> &Expression {
        &self.expression
    }

    /// Tells whether the condition holds.
    #[must_use]
    pub fn holds(&self, variables: &Variables) -> bool {
        self.expression.value(variables) == Some(Value::Bool(true))
    }

    /// Tells whether the condition can hold when `event` happens, as far as that is known before there are values.
    #[must_use]
    pub fn can_hold(&self, event: HookEvent) -> bool {
        self.expression.can_hold(event)
    }

    /// Tells whether the condition names `event` as a bare word.
    #[must_use]
    pub fn names(&self, event: HookEvent) -> bool {
        self.expression.any(&mut |part| *part == Expression::Event(event))
    }

    /// Tells whether the condition reads a variable below `root`.
    #[must_use]
    pub fn reads(&self, root: &str) -> bool {
        self.expression.any(&mut |part| match part {
            Expression::Variable(path) => path.first().is_some_and(|first| first == root),
            _ => false,
        })
    }

    /// Tells whether the condition can hold only at single moments: it names an event, or reads what only one brings.
    #[must_use]
    pub fn is_momentary(&self) -> bool {
        let names_event = self.expression.any(&mut |part| matches!(part, Expression::Event(_)));
        names_event || self.reads("error") || self.reads("deviation")
    }
}

impl Serialize for Condition {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.source)
    }
}

impl Variables {
    /// Returns a variable by its path.
    #[must_use]
    pub fn value(&self, path: &[impl AsRef<str>]) -> Option<&Value> {
        let (first, rest) = path.split_first()?;
        let root = self.values.get(first.as_ref())?;
        rest.iter().try_fold(root, |value, name| value.get(name.as_ref()))
    }
}

impl Expression {
    /// Computes the value, if it has one.
    #[must_use]
    pub fn value(&self, variables: &Variables) -> Option<Value> {
        match self {
            Self::Value(value) => Some(value.clone()),
            Self::Event(event) => Some(Value::Bool(variables.event == *event)),
            Self::Variable(path) => variables.value(path).filter(|value| !value.is_null()).cloned(),
            Self::Index(of, at) => indexed(&of.value(variables)?, &at.value(variables)?),
            Self::List(items) => {
                items.iter().map(|item| item.value(variables)).collect::<Option<_>>().map(Value::Array)
            }
            Self::Not(inner) => inner.value(variables)?.as_bool().map(|truth| Value::Bool(!truth)),
            Self::Negate(inner) => arithmetic(Operator::Subtract, &Value::from(0), &inner.value(variables)?),
            Self::Binary(Operator::And, left, right) => either(left, right, false, variables),
            Self::Binary(Operator::Or, left, right) => either(left, right, true, variables),
            Self::Binary(operator, left, right) => binary(*operator, &left.value(variables)?, &right.value(variables)?),
            Self::Choose(condition, then, otherwise) => {
                let chosen = if condition.value(variables)?.as_bool()? { then } else { otherwise };
                chosen.value(variables)
            }
            Self::Call(function, arguments) => {
                let values: Option<Vec<Value>> = arguments.iter().map(|argument| argument.value(variables)).collect();
                called(*function, &values?)
            }
        }
    }

    fn can_hold(&self, event: HookEvent) -> bool {
        match self {
            Self::Event(other) => *other == event,
            Self::Binary(Operator::And, left, right) => left.can_hold(event) && right.can_hold(event),
            Self::Binary(Operator::Or, left, right) => left.can_hold(event) || right.can_hold(event),
            other => !other.is_absent(event),
        }
    }

    /// Tells whether the expression has no value when `event` happens, whatever values there are.
    fn is_absent(&self, event: HookEvent) -> bool {
        match self {
            Self::Value(_) | Self::Event(_) => false,
            Self::Variable(path) => path.first().is_some_and(|root| !event.brings(root)),
            Self::Not(inner) | Self::Negate(inner) => inner.is_absent(event),
            Self::Binary(Operator::And | Operator::Or, left, right) => left.is_absent(event) && right.is_absent(event),
            Self::Index(left, right) | Self::Binary(_, left, right) => left.is_absent(event) || right.is_absent(event),
            Self::Choose(condition, then, otherwise) => {
                condition.is_absent(event) || then.is_absent(event) && otherwise.is_absent(event)
            }
            Self::List(parts) | Self::Call(_, parts) => parts.iter().any(|part| part.is_absent(event)),
        }
    }

    /// Tells whether `test` is true of this expression or of any part of it.
    pub fn any(&self, test: &mut impl FnMut(&Self) -> bool) -> bool {
        test(self)
            || match self {
                Self::Value(_) | Self::Event(_) | Self::Variable(_) => false,
                Self::Not(inner) | Self::Negate(inner) => inner.any(test),
                Self::Index(left, right) | Self::Binary(_, left, right) => left.any(test) || right.any(test),
                Self::Choose(one, two, three) => one.any(test) || two.any(test) || three.any(test),
                Self::List(parts) | Self::Call(_, parts) => parts.iter().any(|part| part.any(test)),
            }
    }
}

/// Joins two truths; a side that is `decisive` decides, whatever the other is.
fn either(left: &Expression, right: &Expression, decisive: bool, variables: &Variables) -> Option<Value> {
    let truth = |side: &Expression| side.value(variables).and_then(|value| value.as_bool());
    let (left, right) = (truth(left), truth(right));
    if left == Some(decisive) || right == Some(decisive) {
        return Some(Value::Bool(decisive));
    }
    left.and(right).map(|_| Value::Bool(!decisive))
}

fn binary(operator: Operator, left: &Value, right: &Value) -> Option<Value> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let ordered = |wanted: &[std::cmp::Ordering]| compared(left, right).map(|found| wanted.contains(&found));
    let truth = match operator {
        Operator::Equal => Some(equal(left, right)),
        Operator::Unequal => Some(!equal(left, right)),
        Operator::Less => ordered(&[Less]),
        Operator::LessOrEqual => ordered(&[Less, Equal]),
        Operator::Greater => ordered(&[Greater]),
        Operator::GreaterOrEqual => ordered(&[Greater, Equal]),
        Operator::In => member(left, right),
        _ => return arithmetic(operator, left, right),
    };
    truth.map(Value::Bool)
}

fn equal(left: &Value, right: &Value) -> bool {
    if left.is_number() && right.is_number() {
        compared(left, right) == Some(std::cmp::Ordering::Equal)
    } else {
        left == right
    }
}

fn compared(left: &Value, right: &Value) -> Option<std::cmp::Ordering> {
    match (left, right) {
        (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
        (Value::Bool(left), Value::Bool(right)) => Some(left.cmp(right)),
        (Value::Number(one), Value::Number(other)) => match (one.as_i64(), other.as_i64()) {
            (Some(one), Some(other)) => Some(one.cmp(&other)),
            _ => one.as_f64()?.partial_cmp(&other.as_f64()?),
        },
        _ => None,
    }
}

fn member(item: &Value, of: &Value) -> Option<bool> {
    match of {
        Value::Array(list) => Some(list.iter().any(|one| equal(one, item))),
        Value::Object(object) => item.as_str().map(|key| object.contains_key(key)),
        _ => None,
    }
}

fn arithmetic(operator: Operator, left: &Value, right: &Value) -> Option<Value> {
    if let (Operator::Add, Value::String(left), Value::String(right)) = (operator, left, right) {
        return (left.len() + right.len() <= MOST_TEXT).then(|| Value::String(format!("{left}{right}")));
    }
    if let (Some(left), Some(right)) = (left.as_i64(), right.as_i64()) {
        return match operator {
            Operator::Add => left.checked_add(right),
            Operator::Subtract => left.checked_sub(right),
            Operator::Multiply => left.checked_mul(right),
            Operator::Divide => left.checked_div(right),
            Operator::Remainder => left.checked_rem(right),
            _ => None,
        }
        .map(Value::from);
    }
    let (left, right) = (left.as_f64()?, right.as_f64()?);
    let number = match operator {
        Operator::Add => left + right,
        Operator::Subtract => left - right,
        Operator::Multiply => left * right,
        Operator::Divide => left / right,
        _ => return None,
    };
    serde_json::Number::from_f64(number).map(Value::Number)
}

fn indexed(of: &Value, at: &Value) -> Option<Value> {
    match at {
        Value::String(key) => of.get(key).cloned(),
        _ => of.get(usize::try_from(at.as_u64()?).ok()?).cloned(),
    }
}

fn called(function: Function, arguments: &[Value]) -> Option<Value> {
    match (function, arguments) {
        (Function::Size, [Value::String(text)]) => Some(Value::from(text.chars().count())),
        (Function::Size, [Value::Array(list)]) => Some(Value::from(list.len())),
        (Function::Size, [Value::Object(object)]) => Some(Value::from(object.len())),
        (Function::Contains, [Value::String(text), Value::String(part)]) => Some(text.contains(part.as_str()).into()),
        (Function::StartsWith, [Value::String(text), Value::String(part)]) => {
            Some(text.starts_with(part.as_str()).into())
        }
        (Function::EndsWith, [Value::String(text), Value::String(part)]) => Some(text.ends_with(part.as_str()).into()),
        _ => None,
    }
}
