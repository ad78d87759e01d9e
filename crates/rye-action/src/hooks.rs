//! The hooks of a thread, as judgement: which of them fire at a moment, and what each then asks for.
//!
//! A hook with an event fires each time the event happens and its condition holds. One without fires when its condition
//! turns true; a condition that speaks of an event, of `error` or of `deviation` is judged afresh at each moment, because
//! these are gone at the next. The action of a hook is checked like any call, and never fires a hook itself.

use serde_json::{Map, Value, json};

use crate::action::{Action, action};
use crate::execute::Given;
use crate::format::template::{Room, TooLong, render_variables};
use crate::id::ItemId;
use crate::item::{Hook, HookEvent, Money, Variables};

/// How often in a row the same calls make a loop.
pub const LOOP: u64 = 3;

/// The hooks of one thread and what they saw so far.
#[derive(Debug, Clone, Default)]
pub struct Hooks {
    armed: Vec<Armed>,
    /// The inputs and the directive's name: they never change.
    constant: Map<String, Value>,
    /// Whether a hook may take in what it names without a permission.
    declare: bool,
}

#[derive(Debug, Clone)]
struct Armed {
    hook: Hook,
    target: ItemId,
    /// Whether its condition held at the last moment.
    held: bool,
}

/// The facts at an event.
#[derive(Debug, Clone, PartialEq)]
pub struct Moment {
    /// What happens.
    pub event: HookEvent,
    /// The spent amount so far.
    pub spend: Money,
    /// What may be spent.
    pub limit: Money,
    /// Round trips begun, and how many there may be.
    pub turns: (u32, u32),
    /// Tokens counted, and how many there may be.
    pub tokens: (u64, u64),
    /// How often in a row the model made the same calls.
    pub loop_count: u64,
    /// Two words about the event: type and resource of an error, type and message of a deviation.
    pub about: Option<(String, String)>,
}

/// A hook that fires.
#[derive(Debug, Clone, PartialEq)]
pub struct Firing {
    /// Its number in the directive, from 1.
    pub hook: usize,
    /// What it asks for, or why that means nothing.
    pub action: Result<Action, String>,
}

impl Hooks {
    /// Arms hooks, each with the item its action names.
    #[must_use]
    pub fn new(hooks: Vec<(Hook, ItemId)>, directive: &str, inputs: &Map<String, Value>) -> Self {
        let mut constant = inputs.clone();
        constant.insert("directive".to_owned(), json!({"name": directive}));
        let armed = hooks.into_iter().map(|(hook, target)| Armed { hook, target, held: false });
        Self { armed: armed.collect(), constant, declare: true }
    }

    /// Has what hooks take in need a permission, as in older recorded threads.
    #[must_use]
    pub fn declaring(self, declare: bool) -> Self {
        Self { declare, ..self }
    }

    /// Tells whether a hook may take in what it names without a permission.
    #[must_use]
    pub const fn declare(&self) -> bool {
        self.declare
    }

    /// Returns the hooks in order, each with the item its action names.
    pub fn armed(&self) -> impl Iterator<Item = (&Hook, &ItemId)> {
        self.armed.iter().map(|armed| (&armed.hook, &armed.target))
    }

    /// Tells whether some hook may fire at `event`.
    #[must_use]
    pub fn listen_to(&self, event: HookEvent) -> bool {
        self.armed.iter().any(|armed| armed.hook.listens_to(event))
    }

    /// Returns the hooks that fire at a moment, in the order of the directive.
    pub fn at(&mut self, moment: &Moment) -> Vec<Firing> {
        if self.armed.is_empty() {
            return Vec::new();
        }
        // Of one moment: many hooks with long inputs make one bounded text, too.
        let (variables, room) = (self.variables(moment), Room::new());
        let armed = self.armed.iter_mut().enumerate();
        let firing =
            armed.filter_map(|(at, armed)| armed.fires(&variables).then(|| (at, armed.action(&variables, &room))));
        firing.map(|(at, action)| Firing { hook: at + 1, action }).collect()
    }

    fn variables(&self, moment: &Moment) -> Variables {
        let mut values = self.constant.clone();
        let (spend, limit) = (decimal(&moment.spend), decimal(&moment.limit));
        let (turns, tokens) = (moment.turns, moment.tokens);
        let cost = json!({"current": spend, "limit": limit, "spend": spend, "turns": turns.0, "tokens": tokens.0});
        values.insert("cost".to_owned(), cost);
        // An input of this name was there before the variables were.
        let limits = || json!({"spend": limit, "turns": turns.1, "tokens": tokens.1});
        values.entry("limits").or_insert_with(limits);
        values.insert("loop_count".to_owned(), json!(moment.loop_count));
        // An input of such a name would be another thing than what the word says.
        values.remove("error");
        values.remove("deviation");
        if let Some((kind, text)) = &moment.about {
            if moment.event == HookEvent::Deviation {
                values.insert("deviation".to_owned(), json!({"type": kind, "message": text}));
            } else {
                values.insert("error".to_owned(), json!({"type": kind, "resource": text}));
            }
        }
        Variables { event: moment.event, values }
    }
}

impl Armed {
    fn fires(&mut self, variables: &Variables) -> bool {
        let Hook { event, when, .. } = &self.hook;
        let holds = when.as_ref().is_none_or(|when| when.holds(variables));
        match (event, when) {
            (Some(event), _) => holds && *event == variables.event,
            (None, None) => false,
            (None, Some(when)) if when.is_momentary() => holds,
            (None, Some(_)) => std::mem::replace(&mut self.held, holds) != holds && holds,
        }
    }

    fn action(&self, variables: &Variables, room: &Room) -> Result<Action, String> {
        // A hook gives text, to be typed by what the item declares.
        let pair = |(name, text): &(String, String)| Ok((name.clone(), render_variables(text, variables, room)?));
        let pairs: Result<_, TooLong> = self.hook.inputs.iter().map(pair).collect();
        let pairs = pairs.map_err(|error| error.to_string())?;
        let named = &self.hook.action;
        action(named.primary, named.item_type, self.target.clone(), Given { pairs, ..Given::default() })
    }
}

/// Returns an amount as the decimal that conditions compute with.
fn decimal(amount: &Money) -> f64 {
    amount.amount().parse().unwrap_or(f64::MAX)
}
