//! The door to CEL: a hook's condition from its text, checked and bounded (docs/formats.md, section 2.11).
//!
//! CEL's grammar without macros, bytes, maps and messages; the functions are `size`, `contains`, `startsWith` and
//! `endsWith`. At most 1 KiB, 24 levels in brackets and 48 in all. An unknown variable is a fault here: at run time it
//! would only be absent, and the hook would never fire (hole 15 of the threat model). Its value is `item`'s part.

use cel::common::ast::{CallExpr, Expr, LiteralValue, operators};
use cel::parser::{ParseErrors, PrattParser};
use serde_json::Value;

use crate::format::Span;
use crate::id::nearest;
use crate::item::{Condition, Expression, Function, HookEvent, Input, InputKind, Operator, Variables};

/// The longest condition, in bytes.
pub const MOST_BYTES: usize = 1024;
const MOST_BRACKETS: u16 = 24;
const MOST_LEVELS: usize = 48;

/// The variables that threads set, with their types.
const VARIABLES: [(&str, InputKind); 14] = [
    ("cost.current", InputKind::Number),
    ("cost.limit", InputKind::Number),
    ("cost.spend", InputKind::Number),
    ("cost.turns", InputKind::Integer),
    ("cost.tokens", InputKind::Integer),
    ("limits.spend", InputKind::Number),
    ("limits.turns", InputKind::Integer),
    ("limits.tokens", InputKind::Integer),
    ("loop_count", InputKind::Integer),
    ("error.type", InputKind::String),
    ("error.resource", InputKind::String),
    ("deviation.type", InputKind::String),
    ("deviation.message", InputKind::String),
    ("directive.name", InputKind::String),
];

/// Why a text is not a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConditionFault {
    /// Where in the condition.
    pub span: Span,
    /// The fault.
    pub message: String,
    /// How to mend it.
    pub hint: String,
}

/// Reads a condition; `inputs` are the directive's, which are variables too.
///
/// # Errors
///
/// Returns the first fault with its place in `source`.
pub fn compile(source: &str, inputs: &[Input]) -> Result<Condition, ConditionFault> {
    let whole = Span::new(0, source.len());
    if source.len() > MOST_BYTES {
        let message = format!("the condition has {} bytes, more than {MOST_BYTES}", source.len());
        return Err(fault(whole, message, "shorten it, or split the hook"));
    }
    // The crate's other parser takes some 150 KiB of stack for each bracket; this one is bounded by its depth.
    let parser = PrattParser::new().max_recursion_depth(MOST_BRACKETS);
    let parsed = parser.parse(source).map_err(|errors| explained(&errors, source))?;
    let reader = Reader { source, inputs };
    let expression = reader.expression(&parsed, MOST_LEVELS)?;
    match reader.kind(&expression) {
        None | Some(InputKind::Boolean) => Ok(Condition::new(source.to_owned(), expression)),
        Some(kind) => {
            let message = format!("the condition is of type {kind}, and must be true or false");
            Err(fault(whole, message, "compare it with something, such as `cost.current > 0.5`"))
        }
    }
}

/// Tells whether a condition holds.
#[must_use]
pub fn evaluate(condition: &Condition, variables: &Variables) -> bool {
    condition.holds(variables)
}

/// Returns the type of a variable by its dotted name; the inner `None` is a part of an input, whose type is open.
#[must_use]
pub fn variable(name: &str, inputs: &[Input]) -> Option<Option<InputKind>> {
    if let Some((_, kind)) = VARIABLES.iter().find(|(known, _)| *known == name) {
        return Some(Some(*kind));
    }
    let (root, rest) = name.split_once('.').map_or((name, None), |(root, rest)| (root, Some(rest)));
    let input = inputs.iter().find(|input| input.name == root)?;
    match rest {
        None => Some(Some(input.kind)),
        Some(_) => (input.kind == InputKind::Object).then_some(None),
    }
}

/// Tells whether a comparison can be true: its sides are of types that can be held against each other.
#[must_use]
pub fn can_compare(operator: Operator, left: &Expression, right: &Expression, inputs: &[Input]) -> bool {
    Reader { source: "", inputs }.comparable(operator, left, right).is_ok()
}

/// Says what to write for a variable that is not there.
#[must_use]
pub fn variable_hint(name: &str, inputs: &[Input]) -> String {
    let known: Vec<&str> =
        VARIABLES.iter().map(|(known, _)| *known).chain(inputs.iter().map(|input| input.name.as_str())).collect();
    match nearest(&shortened(name), known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are: {}", known.join(", ")),
    }
}

struct Reader<'s> {
    source: &'s str,
    inputs: &'s [Input],
}

impl Reader<'_> {
    fn expression(&self, parsed: &cel::IdedExpr, levels: usize) -> Result<Expression, ConditionFault> {
        let Some(levels) = levels.checked_sub(1) else {
            return Err(self.at("", "the condition has too many levels", "shorten it, or split the hook"));
        };
        match &parsed.expr {
            Expr::Literal(literal) => literal_value(literal)
                .map(Expression::Value)
                .ok_or_else(|| self.at("", "bytes are not allowed in a condition", "write a text in quotes")),
            Expr::Ident(_) | Expr::Select(_) => self.name(parsed),
            Expr::List(list) if list.optional_indices.is_empty() => {
                let items = list.elements.iter().map(|item| self.expression(item, levels));
                items.collect::<Result<_, _>>().map(Expression::List)
            }
            Expr::Call(call) => self.call(call, levels),
            Expr::Comprehension(_) => Err(self.at(
                "",
                "`all`, `exists`, `map`, `filter` and similar macros are not allowed in a condition",
                "compare with single values, or use `in`",
            )),
            _ => Err(self.at("", "this is not allowed in a condition", "compare variables with literals")),
        }
    }

    /// Reads a variable, or a bare word that names an event.
    fn name(&self, parsed: &cel::IdedExpr) -> Result<Expression, ConditionFault> {
        let Some(path) = path(&parsed.expr) else {
            let hint = "leave it out: a variable that is absent makes the condition false";
            return Err(self.at("has", "`has` and fields of values are not allowed in a condition", hint));
        };
        if let (Ok(event), [_]) = (path[0].parse::<HookEvent>(), path.as_slice()) {
            return Ok(Expression::Event(event));
        }
        let name = path.join(".");
        if variable(&name, self.inputs).is_none() {
            let message = format!("unknown variable `{}`", shortened(&name));
            // A word of its own may have been meant as an event.
            let event = nearest(&shortened(&name), HookEvent::ALL.map(HookEvent::as_str));
            let hint =
                event.map_or_else(|| variable_hint(&name, self.inputs), |near| format!("did you mean `{near}`?"));
            return Err(self.at(&name, message, hint));
        }
        Ok(Expression::Variable(path))
    }

    fn call(&self, call: &CallExpr, levels: usize) -> Result<Expression, ConditionFault> {
        let arguments = call.target.as_deref().into_iter().chain(&call.args);
        let arguments: Vec<&cel::IdedExpr> = arguments.collect();
        let read = |at: usize| self.expression(arguments[at], levels).map(Box::new);
        match (call.func_name.as_str(), arguments.len()) {
            (operators::LOGICAL_NOT, 1) => Ok(Expression::Not(read(0)?)),
            (operators::NEGATE, 1) => Ok(Expression::Negate(read(0)?)),
            (operators::CONDITIONAL, 3) => Ok(Expression::Choose(read(0)?, read(1)?, read(2)?)),
            (operators::INDEX, 2) => Ok(Expression::Index(read(0)?, read(1)?)),
            (name, count) => {
                if let (Some(operator), 2) = (operator(name), count) {
                    let (left, right) = (read(0)?, read(1)?);
                    self.comparable(operator, &left, &right)?;
                    return Ok(Expression::Binary(operator, left, right));
                }
                let Some((function, wanted)) = function(name) else {
                    let message = format!("unknown function `{}`", shortened(name));
                    let hint = "there are: size, contains, startsWith, endsWith";
                    return Err(self.at(name, message, hint));
                };
                if wanted != count {
                    let hint = "write `size(a)`, `a.contains(\"b\")`, `a.startsWith(\"b\")` or `a.endsWith(\"b\")`";
                    return Err(self.at(name, format!("`{name}` has too few or too many arguments"), hint));
                }
                let read = arguments.iter().map(|argument| self.expression(argument, levels));
                read.collect::<Result<_, _>>().map(|arguments| Expression::Call(function, arguments))
            }
        }
    }

    /// Refuses a comparison that could never be true because its sides are of different types.
    fn comparable(&self, operator: Operator, left: &Expression, right: &Expression) -> Result<(), ConditionFault> {
        let (Some(one), Some(other)) = (self.kind(left), self.kind(right)) else { return Ok(()) };
        let number = |kind| matches!(kind, InputKind::Integer | InputKind::Number);
        let fits = match operator {
            Operator::And | Operator::Or => one == InputKind::Boolean && other == InputKind::Boolean,
            Operator::In => matches!(other, InputKind::Array | InputKind::Object),
            Operator::Subtract | Operator::Multiply | Operator::Divide | Operator::Remainder => {
                number(one) && number(other)
            }
            _ => one == other || number(one) && number(other),
        };
        if fits {
            return Ok(());
        }
        let message = format!("one side is of type {one}, the other of type {other}: this is never true");
        let name = match (left, right) {
            (Expression::Variable(path), _) | (_, Expression::Variable(path)) => path.join("."),
            _ => String::new(),
        };
        Err(self.at(&name, message, "put a text in quotes, and a number in none"))
    }

    /// Returns the type of an expression, where it is known before there are values.
    fn kind(&self, expression: &Expression) -> Option<InputKind> {
        match expression {
            Expression::Value(value) => InputKind::ALL.into_iter().find(|kind| kind.fits(value)),
            Expression::Variable(path) => variable(&path.join("."), self.inputs).flatten(),
            Expression::Event(_) | Expression::Not(_) => Some(InputKind::Boolean),
            Expression::Negate(_) => Some(InputKind::Number),
            Expression::List(_) => Some(InputKind::Array),
            Expression::Call(Function::Size, _) => Some(InputKind::Integer),
            Expression::Call(..) => Some(InputKind::Boolean),
            Expression::Index(..) => None,
            Expression::Choose(_, then, otherwise) => {
                self.kind(then).filter(|kind| self.kind(otherwise) == Some(*kind))
            }
            Expression::Binary(Operator::Add, left, _) => self.kind(left),
            Expression::Binary(
                Operator::Subtract | Operator::Multiply | Operator::Divide | Operator::Remainder,
                ..,
            ) => Some(InputKind::Number),
            Expression::Binary(..) => Some(InputKind::Boolean),
        }
    }

    /// Makes a fault at the first place of `name` that is not part of another name, or else of the whole condition.
    fn at(&self, name: &str, message: impl Into<String>, hint: impl Into<String>) -> ConditionFault {
        let is_part = |found: Option<char>| found.is_some_and(|found| found.is_ascii_alphanumeric() || found == '_');
        let mut places = self.source.match_indices(name).filter(|_| !name.is_empty());
        let place = places.find(|(start, _)| {
            let (before, after) = (&self.source[..*start], &self.source[start + name.len()..]);
            !is_part(before.chars().next_back()) && !is_part(after.chars().next())
        });
        let span = place.map_or(Span::new(0, self.source.len()), |(start, _)| Span::new(start, start + name.len()));
        fault(span, message, hint)
    }
}

fn literal_value(literal: &LiteralValue) -> Option<Value> {
    Some(match literal {
        LiteralValue::Boolean(truth) => Value::Bool(*truth.inner()),
        LiteralValue::Int(number) => Value::from(*number.inner()),
        LiteralValue::UInt(number) => Value::from(*number.inner()),
        LiteralValue::Double(number) => Value::from(*number.inner()),
        LiteralValue::String(text) => Value::String(text.inner().to_owned()),
        LiteralValue::Null => Value::Null,
        LiteralValue::Bytes(_) => return None,
    })
}

/// Returns the names of a path such as `a.b.c`.
fn path(mut expression: &Expr) -> Option<Vec<String>> {
    let mut names = Vec::new();
    loop {
        match expression {
            Expr::Ident(name) => {
                names.push(name.clone());
                names.reverse();
                return Some(names);
            }
            Expr::Select(select) if !select.test => {
                names.push(select.field.clone());
                expression = &select.operand.expr;
            }
            _ => return None,
        }
    }
}

fn operator(name: &str) -> Option<Operator> {
    Some(match name {
        operators::LOGICAL_AND => Operator::And,
        operators::LOGICAL_OR => Operator::Or,
        operators::EQUALS => Operator::Equal,
        operators::NOT_EQUALS => Operator::Unequal,
        operators::LESS => Operator::Less,
        operators::LESS_EQUALS => Operator::LessOrEqual,
        operators::GREATER => Operator::Greater,
        operators::GREATER_EQUALS => Operator::GreaterOrEqual,
        operators::IN => Operator::In,
        operators::ADD => Operator::Add,
        operators::SUBSTRACT => Operator::Subtract,
        operators::MULTIPLY => Operator::Multiply,
        operators::DIVIDE => Operator::Divide,
        operators::MODULO => Operator::Remainder,
        _ => return None,
    })
}

/// Returns a function with the number of its arguments, the one before the dot included.
fn function(name: &str) -> Option<(Function, usize)> {
    Some(match name {
        "size" => (Function::Size, 1),
        "contains" => (Function::Contains, 2),
        "startsWith" => (Function::StartsWith, 2),
        "endsWith" => (Function::EndsWith, 2),
        _ => return None,
    })
}

/// Puts the parser's first fault into words.
fn explained(errors: &ParseErrors, source: &str) -> ConditionFault {
    let first = errors.errors.iter().find(|error| error.msg.starts_with("Syntax error")).or(errors.errors.first());
    let Some(first) = first else { return fault(Span::new(0, source.len()), "it cannot be read", "mend it") };
    let at = |number: isize| usize::try_from(number.saturating_sub(1)).unwrap_or(0);
    let line_start: usize = source.split_inclusive('\n').take(at(first.pos.0)).map(str::len).sum();
    let rest = source.get(line_start..).unwrap_or("");
    let start = line_start + byte_of(rest, at(first.pos.1));
    let end = source[start..].chars().next().map_or(start, |found| start + found.len_utf8());
    let message = first.msg.trim_start_matches("Syntax error: ");
    let message = message.split(" expecting ").next().unwrap_or(message).replace("<EOF>", "the end");
    let hint = match source[start..].starts_with('=') {
        true => "write `==` to compare",
        false => "write it as in `cost.current > cost.limit * 0.9 && error.type == \"x\"`",
    };
    fault(Span::new(start, end), format!("the condition cannot be read: {message}"), hint)
}

/// Returns where the character of this number starts.
fn byte_of(text: &str, character: usize) -> usize {
    text.char_indices().nth(character).map_or(text.len(), |(at, _)| at)
}

fn shortened(name: &str) -> String {
    name.chars().take(40).collect()
}

fn fault(span: Span, message: impl Into<String>, hint: impl Into<String>) -> ConditionFault {
    ConditionFault { span, message: message.into(), hint: hint.into() }
}
