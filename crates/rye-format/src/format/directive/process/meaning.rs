//! The meaning of a tag at its place: decided by the innermost open element alone.

use crate::capability::Primary;
use crate::format::syntax::tags::{Kind, Token};
use crate::item::{Action, OnError};

/// An element that is open.
pub(super) enum Element {
    Process,
    Step(OpenStep),
    Description,
    Action(Action),
    Param { name: String, value: Option<String> },
    Criteria,
    Criterion,
}

/// A step that is open.
pub(super) struct OpenStep {
    pub(super) name: String,
    pub(super) on_error: OnError,
    pub(super) actions: Vec<Action>,
    /// Whether it says anything outside of its actions and descriptions.
    pub(super) has_prose: bool,
}

/// The meaning of a tag at its place.
pub(super) enum Meaning {
    Text,
    Enter,
    Leave,
    /// The open element was never closed; look at the tag again outside of it.
    Abandon,
    /// The tag is not allowed here.
    Misplaced(&'static str),
}

impl Element {
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Process => "process",
            Self::Step(_) => "step",
            Self::Description => "description",
            Self::Action(action) => action.primary.as_str(),
            Self::Param { .. } => "param",
            Self::Criteria => "success_criteria",
            Self::Criterion => "criterion",
        }
    }
}

/// Tells what a tag means inside of the innermost open element, or outside of all.
pub(super) fn meaning(innermost: Option<&Element>, token: &Token<'_>) -> Meaning {
    let opens = token.kind != Kind::Close;
    let is_action = token.name.parse::<Primary>().is_ok();
    let Some(top) = innermost else { return outside(token, is_action) };
    if !opens && token.name == top.name() {
        return Meaning::Leave;
    }
    // These end whatever is open inside of them.
    let ends_step = matches!((token.name, opens), ("step", _) | ("process", false));
    match top {
        Element::Process => match (token.name, opens) {
            ("step" | "success_criteria", true) => Meaning::Enter,
            _ if is_action && opens => Meaning::Misplaced("put the action into a `<step name=\"…\">`"),
            ("step", false) => Meaning::Misplaced("remove the end tag: no step is open"),
            _ => Meaning::Text,
        },
        Element::Step(_) if token.name == "description" && opens => Meaning::Enter,
        Element::Step(_) if is_action && opens => Meaning::Enter,
        Element::Step(_) if is_action => Meaning::Misplaced("remove the end tag: no action of this name is open"),
        Element::Step(_) if token.name == "param" && opens => {
            Meaning::Misplaced("put it into the action it is for, before that one's end tag")
        }
        Element::Description if is_action && opens => Meaning::Misplaced("put the action after the description"),
        Element::Action(_) if token.name == "param" && opens => Meaning::Enter,
        Element::Action(_) => Meaning::Abandon,
        Element::Param { .. } if is_action && !opens => Meaning::Abandon,
        Element::Step(_) | Element::Description | Element::Param { .. } if ends_step => Meaning::Abandon,
        Element::Criteria if token.name == "criterion" && opens => Meaning::Enter,
        Element::Criteria | Element::Criterion if matches!(token.name, "process" | "step") => Meaning::Abandon,
        Element::Criterion if token.name == "success_criteria" || opens && token.name == "criterion" => {
            Meaning::Abandon
        }
        _ => Meaning::Text,
    }
}

fn outside(token: &Token<'_>, is_action: bool) -> Meaning {
    match (token.name, token.kind) {
        ("process" | "success_criteria", Kind::Open | Kind::Empty) => Meaning::Enter,
        ("step", Kind::Open | Kind::Empty) => Meaning::Misplaced("put the step into `<process>`"),
        ("process" | "step" | "success_criteria", Kind::Close) => {
            Meaning::Misplaced("remove the end tag: nothing is open")
        }
        (_, Kind::Open | Kind::Empty) if is_action => {
            Meaning::Misplaced("put the action into a `<step name=\"…\">` of the `<process>`")
        }
        _ => Meaning::Text,
    }
}
