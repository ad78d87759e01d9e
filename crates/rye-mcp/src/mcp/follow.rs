//! Which directive a connection follows: the last one that it executed or got as a prompt.
//!
//! It narrows what the connection may do from the answer on. A call that is permitted already finishes as permitted.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::action::Done;
use crate::capability::Following;
use crate::execute::{DirectiveOutcome, Outcome};
use crate::session::Session;

/// A directive with the top of the project that it was executed in.
pub(super) type Placed = (Option<PathBuf>, Following);

/// The directive that a connection follows now.
#[derive(Debug, Default)]
pub(super) struct Followed(Mutex<Option<Placed>>);

impl Followed {
    /// Returns it as it is now.
    pub(super) fn now(&self) -> Option<Placed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Goes on to what an answered call leads to.
    pub(super) fn go_on(&self, next: Next) {
        match next {
            Next::Same => {}
            Next::Given(following) => *self.0.lock().unwrap_or_else(PoisonError::into_inner) = following,
        }
    }
}

/// What a connection follows once a call is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Next {
    /// What it followed before.
    Same,
    /// The directive it was given, or nothing where that one declares no permissions.
    Given(Option<Placed>),
}

/// Returns what a connection follows that is given this directive.
pub(super) fn following(directive: &DirectiveOutcome) -> Option<Following> {
    Following::new(directive.item_id.clone(), directive.granted.clone())
}

/// Returns what a connection follows once this is answered.
pub(super) fn next(session: &Session, done: &Done) -> Next {
    match done {
        Done::Executed(Outcome::Directive(directive)) => {
            let place = session.project().work_dir().map(Path::to_path_buf);
            Next::Given(following(directive).map(|following| (place, following)))
        }
        Done::Executed(Outcome::Knowledge(_) | Outcome::Skill(_) | Outcome::Tool(_) | Outcome::Planned(_))
        | Done::Loaded(_)
        | Done::Found(_)
        | Done::Signed(_) => Next::Same,
    }
}
