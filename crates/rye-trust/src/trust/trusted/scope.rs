//! How far a decision of trust reaches, and what a signature is judged for.

use std::fmt;

use crate::id::{ItemId, Space};
use crate::trust::Subject;

/// How far a decision reaches. Items outside are judged as if the decision did not exist.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Scope {
    /// Every item and commit.
    #[default]
    Everything,
    /// Items and commits of the project at hand.
    Project,
    /// Items whose id is a namespace of a registry or lies below it, and that were pulled: a decision about a registry says nothing
    /// of what its owners signed and never published. For a skill from a git repository, `git--…` takes the place of the registry's
    /// name.
    Namespace {
        /// The registry's name.
        registry: String,
        /// The first segment of the ids: of a skill from a git repository often all of it.
        namespace: String,
    },
}

/// What a signature is judged for. Unknown facts are not assumed: a place without a space is in no project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place<'a> {
    /// The space it lies in.
    pub space: Option<Space>,
    /// The item's id; none for commits and tokens.
    pub item_id: Option<&'a ItemId>,
    /// Whether the lock of the space has this item with these bytes.
    pub is_pulled: bool,
}

impl Scope {
    /// Reads `REGISTRY/NAMESPACE`: two names of letters, digits, `_` and `-`, as ids have them.
    #[must_use]
    pub fn of_namespace(text: &str) -> Option<Self> {
        let (registry, namespace) = text.split_once('/')?;
        let is_name = |name: &str| name.parse::<ItemId>().is_ok_and(|id| id.category().is_empty());
        let scope = || Self::Namespace { registry: registry.to_owned(), namespace: namespace.to_owned() };
        (is_name(registry) && is_name(namespace)).then(scope)
    }

    /// Tells whether the scope has a place in it. Whether an item was pulled is for trust alone: a revocation reaches further.
    #[must_use]
    pub fn reaches(&self, place: Place<'_>) -> bool {
        match self {
            Self::Everything => true,
            Self::Project => place.space == Some(Space::Project),
            Self::Namespace { namespace, .. } => place.item_id.is_some_and(|id| lies_below(id, namespace)),
        }
    }
}

impl<'a> Place<'a> {
    /// A commit of the project.
    pub const PROJECT: Self = Self { space: Some(Space::Project), item_id: None, is_pulled: false };

    /// An item of a space.
    #[must_use]
    pub const fn item(space: Option<Space>, subject: &'a Subject) -> Self {
        Self { space, item_id: Some(&subject.item_id), is_pulled: false }
    }

    /// The same, where it is known whether the item was pulled.
    #[must_use]
    pub const fn pulled(self, is_pulled: bool) -> Self {
        Self { is_pulled, ..self }
    }
}

/// For people: `everything`, `this project`, and a namespace with its registry.
impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Everything => f.pad("everything"),
            Self::Project => f.pad("this project"),
            Self::Namespace { registry, namespace } => match registry.strip_prefix("git--") {
                Some(source) => write!(f, "skill `{namespace}` and `{namespace}/**` from `{source}`"),
                None => write!(f, "`{namespace}/**` of the registry `{registry}`"),
            },
        }
    }
}

fn lies_below(id: &ItemId, namespace: &str) -> bool {
    let rest = id.as_str().strip_prefix(namespace).filter(|_| !namespace.is_empty());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
