//! What a thread may do: by the directives of its chain, or by the flags of the person who gave a task.
//!
//! Flags take the place of the permissions of one built-in directive and of no other.

use crate::capability::{Capabilities, TokenDirective};
use crate::extends::{Chain, Link};
use crate::id::{ItemId, Space};
use crate::item::{Limits, PersonGrant, TASK};
use crate::thread::error::Error;

/// The permissions that count for a thread, those of its directive last.
pub(in crate::thread) struct Declared {
    /// The directive itself.
    pub(in crate::thread) leaf: TokenDirective,
    /// What each directive that declares permissions allows.
    pub(in crate::thread) permissions: Vec<(TokenDirective, Capabilities)>,
    /// Whether a person gave them by flags.
    is_given: bool,
}

impl Declared {
    /// Gathers the permissions of a chain. With flags of a person, these are the directive's.
    pub(in crate::thread) fn new(directives: &Chain, granted: Option<&PersonGrant>) -> Self {
        let leaf = identity(directives.leaf());
        let own = |link: &Link, declared: &Capabilities| match granted {
            Some(granted) if *link.item_id() == leaf.id => granted.capabilities(),
            Some(_) | None => declared.clone(),
        };
        let permissions = directives.permissions().map(|(link, declared)| (identity(link), own(link, declared)));
        let mut permissions: Vec<_> = permissions.collect();
        // The leaf has a token of its own in any case; the profile of threads asks it for permissions.
        if directives.leaf().directive().permissions.is_none() {
            permissions.push((leaf.clone(), Capabilities::default()));
        }
        Self { leaf, permissions, is_given: granted.is_some() }
    }

    /// Tells whether a tool is offered that may be refused.
    pub(super) fn shows(&self, id: &ItemId) -> bool {
        self.is_given && PersonGrant::shows(id)
    }
}

/// Returns what a person let a directive do: for the built-in task what the flags say, for any other directive nothing.
///
/// # Errors
///
/// Fails when there are flags, and another directive lies at the id of the built-in one.
pub(super) fn of(given: Option<&PersonGrant>, directive: &ItemId, space: Space) -> Result<Option<PersonGrant>, Error> {
    match (directive.as_str() == TASK && space == Space::System, given) {
        (true, given) => Ok(Some(given.cloned().unwrap_or_default())),
        (false, None) => Ok(None),
        (false, Some(_)) => Err(Error::NotTheTask { directive: directive.clone() }),
    }
}

/// Returns the limits that are asked for: those of a task that the person leaves open are the usual ones.
pub(in crate::thread) fn asked(limits: &Limits, granted: Option<&PersonGrant>) -> Limits {
    match granted {
        Some(_) => limits.or(&PersonGrant::limits()),
        None => limits.clone(),
    }
}

/// Tells the model what the flags let it do.
pub(super) fn told(prompt: String, granted: Option<&PersonGrant>) -> String {
    match granted {
        Some(granted) => format!(
            "{prompt}\n\nThe user lets you: {granted}. Any other call is refused. If you need a file, a program or a host that is \
             refused, make the call once: the user reads at the end what to allow. Do not look for another way to the same end; do what \
             is possible, and say in your answer what is left."
        ),
        None => prompt,
    }
}

/// Names a directive as tokens do.
pub(super) fn identity(link: &Link) -> TokenDirective {
    TokenDirective { id: link.item_id().clone(), version: link.directive().version, sha256: link.checked().sha256 }
}
