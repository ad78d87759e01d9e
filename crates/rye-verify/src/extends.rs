//! From a verified directive to the chain it extends, and to the knowledge that reaches its model.
//!
//! Every link is verified; a circle is refused with its path; the target of a link must exist. The context is merged
//! root first without duplicates, `<suppress>` removes inherited items only. A context item that is missing, unsigned
//! or changed is an error, never left out (hole 7 of the threat model). Docs: docs/formats.md, section 2.10.

mod error;
mod names;
pub mod requirements;
mod unmet;

use serde::Serialize;

use self::error::{MOST_LINKS, part};
use super::locate::{Checked, Purpose};
use crate::capability::Capabilities;
use crate::format::Profile;
use crate::format::template::Room;
use crate::id::{ItemId, ItemType};
use crate::item::{ContextPosition, Directive, DirectiveContext, Item, ProjectFiles};
use crate::project::Project;
use crate::trust::{ContentHash, Signed, Verified};

pub use error::Error;
pub use names::{Names, find};
pub use unmet::Unmet;

/// A verified directive with all it extends, root first.
#[derive(Debug)]
pub struct Chain {
    bases: Vec<Link>,
    leaf: Link,
    unmet: Vec<Unmet>,
}

/// One directive of a chain.
#[derive(Debug)]
pub struct Link {
    item_id: ItemId,
    checked: Signed<Checked, Verified>,
    directive: Directive,
}

/// Knowledge that reaches the model with the instructions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ContextItem {
    /// Its place.
    pub position: ContextPosition,
    /// The knowledge.
    pub item_id: ItemId,
    /// The SHA-256 of its whole file.
    pub sha256: ContentHash,
    /// Its text.
    pub content: String,
}

/// Follows what a verified directive extends, and checks that what the chain depends on and requires is there.
///
/// # Errors
///
/// Fails on a circle, on a directive that is not there, not signed or not valid, and on two that exclude each other.
pub fn resolve(project: &Project, leaf: Signed<Checked, Verified>) -> Result<Chain, Error> {
    let leaf = Link::new(leaf).ok_or(Error::NotADirective)?;
    let named = |link: &Link| (link.item_id.clone(), link.directive.extends.clone());
    let read = |by: &ItemId, id: &ItemId| {
        Link::new(verified(project, by, "extends", ItemType::Directive, id)?).ok_or(Error::NotADirective)
    };
    let base = |by: &ItemId, base: &ItemId| find(project, by, "extends", ItemType::Directive, base);
    let mut bases = follow(leaf, named, base, read)?;
    let leaf = bases.remove(0);
    bases.reverse();
    let mut chain = Chain { bases, leaf, unmet: Vec::new() };
    chain.check_relations(project)?;
    chain.unmet = chain.unmet_words(project)?;
    Ok(chain)
}

/// Follows what a directive extends to the end; returns the links, the leaf first. `named` tells a link's id and base,
/// `find` resolves the base that a directive names, `read` reads it.
///
/// # Errors
///
/// Fails on a circle, on a chain that is too long, on a base that is not there, and where `read` does.
pub fn follow<L>(
    leaf: L,
    named: impl Fn(&L) -> (ItemId, Option<ItemId>),
    find: impl Fn(&ItemId, &ItemId) -> Result<ItemId, Error>,
    mut read: impl FnMut(&ItemId, &ItemId) -> Result<L, Error>,
) -> Result<Vec<L>, Error> {
    let (mut by, mut next) = named(&leaf);
    let (mut path, mut links) = (vec![by.clone()], vec![leaf]);
    while let Some(base) = next {
        let id = find(&by, &base)?;
        let is_circle = path.contains(&id);
        path.push(id.clone());
        if is_circle {
            return Err(Error::Circle { path });
        }
        if path.len() > MOST_LINKS {
            return Err(Error::TooLong { path });
        }
        let link = read(&by, &id)?;
        (by, next) = named(&link);
        links.push(link);
    }
    Ok(links)
}

fn verified(
    project: &Project,
    by: &ItemId,
    element: &'static str,
    item_type: ItemType,
    id: &ItemId,
) -> Result<Signed<Checked, Verified>, Error> {
    let located = project.locate(item_type, id, None, Purpose::Use);
    located
        .and_then(|located| project.verified(located, Profile::Reference))
        .map_err(|source| part(by, element, id, source))
}

impl Link {
    /// Takes a verified item in, when it is a directive.
    fn new(checked: Signed<Checked, Verified>) -> Option<Self> {
        let item_id = checked.subject().item_id.clone();
        let Item::Directive(directive) = &checked.content().item else { return None };
        let directive = directive.as_ref().clone();
        Some(Self { item_id, checked, directive })
    }

    /// Returns the directive's id.
    #[must_use]
    pub const fn item_id(&self) -> &ItemId {
        &self.item_id
    }

    /// Returns the directive.
    #[must_use]
    pub const fn directive(&self) -> &Directive {
        &self.directive
    }

    /// Returns the verified item.
    #[must_use]
    pub const fn checked(&self) -> &Checked {
        self.checked.content()
    }
}

impl Chain {
    /// Returns the directive the chain was resolved for.
    #[must_use]
    pub const fn leaf(&self) -> &Link {
        &self.leaf
    }

    /// Returns the links, root first; the last is the leaf.
    pub fn links(&self) -> impl Iterator<Item = &Link> {
        self.bases.iter().chain([&self.leaf])
    }

    /// Returns the ids of what the leaf extends, root first.
    #[must_use]
    pub fn bases(&self) -> Vec<ItemId> {
        self.bases.iter().map(|link| link.item_id.clone()).collect()
    }

    /// Returns every declared set of permissions with its link, root first: all of them must allow a call. A link that
    /// declares none narrows nothing.
    pub fn permissions(&self) -> impl Iterator<Item = (&Link, &Capabilities)> {
        self.links().filter_map(|link| Some((link, link.directive.permissions.as_ref()?)))
    }

    /// Returns the merged context: root first within each position, without duplicates and suppressed items.
    #[must_use]
    pub fn context(&self) -> Vec<(&Link, ContextPosition, &ItemId)> {
        let mut merged: Vec<(&Link, ContextPosition, &ItemId)> = Vec::new();
        for link in self.links() {
            let own = &link.directive.context;
            merged.retain(|(_, _, id)| !own.suppress.contains(id));
            for position in ContextPosition::ALL {
                for id in own.items(position) {
                    if !merged.iter().any(|(_, at, there)| (*at, *there) == (position, id)) {
                        merged.push((link, position, id));
                    }
                }
            }
        }
        merged.sort_by_key(|(_, position, _)| ContextPosition::ALL.iter().position(|one| one == position));
        merged
    }

    /// Returns a list of what the chain's contexts mention: root first, without duplicates.
    #[must_use]
    pub fn mentioned(&self, list: impl Fn(&DirectiveContext) -> &Vec<String>) -> Vec<String> {
        let mut merged: Vec<String> = Vec::new();
        for entry in self.links().flat_map(|link| list(&link.directive.context)) {
            if !merged.contains(entry) {
                merged.push(entry.clone());
            }
        }
        merged
    }

    /// Returns which of the project's own instructions every directive of the chain lets a model read.
    #[must_use]
    pub fn project_files(&self) -> Option<ProjectFiles> {
        self.links().filter_map(|link| link.directive.context.project).min()
    }

    /// Tells whether a directive of the chain keeps from its model what project, date, platform and budget are.
    #[must_use]
    pub fn hides_environment(&self) -> bool {
        self.links().any(|link| link.directive.context.environment == Some(false))
    }

    /// Reads the merged context.
    ///
    /// # Errors
    ///
    /// Fails on the first item that is not there, not signed, changed or not valid, and when all of them together come to
    /// more than there is [`Room`] for.
    pub fn context_items(&self, project: &Project) -> Result<Vec<ContextItem>, Error> {
        let mut items: Vec<ContextItem> = Vec::new();
        let room = Room::new();
        for (link, position, name) in self.context() {
            let by = &link.item_id;
            let item_id = find(project, by, position.as_str(), ItemType::Knowledge, name)?;
            let checked = verified(project, by, position.as_str(), ItemType::Knowledge, &item_id)?;
            let Item::Knowledge(knowledge) = &checked.content().item else { continue };
            let (sha256, content) = (checked.content().sha256, knowledge.body.clone());
            let item = ContextItem { position, item_id, sha256, content };
            if !items.contains(&item) {
                let too_long = |_| Error::ContextTooLong { item_id: self.leaf.item_id.clone() };
                room.take(item.content.len()).map_err(too_long)?;
                items.push(item);
            }
        }
        Ok(items)
    }

    /// Returns the words that the chain requires and nothing here offers: advice to who follows it in place.
    #[must_use]
    pub fn unmet(&self) -> &[Unmet] {
        &self.unmet
    }

    /// Refuses a chain that requires a word which nothing here offers.
    ///
    /// # Errors
    ///
    /// Names the first one.
    pub fn require_offered(&self) -> Result<(), Error> {
        self.unmet.first().map_or(Ok(()), |unmet| Err(unmet.clone().into()))
    }

    /// Finds the required words that are not offered; a required item must be there.
    fn unmet_words(&self, project: &Project) -> Result<Vec<Unmet>, Error> {
        let offered = &project.context().config().capabilities.offered;
        let mut unmet = Vec::new();
        for link in self.links() {
            let by = &link.item_id;
            for name in &link.directive.context.requires {
                match requirements::check(by, name, offered, |of| find(project, by, "requires", of, name)) {
                    Err(Error::Unmet(word)) => unmet.push(word),
                    checked => checked?,
                }
            }
        }
        Ok(unmet)
    }

    fn check_relations(&self, project: &Project) -> Result<(), Error> {
        for link in self.links() {
            for name in &link.directive.context.depends_on {
                find(project, &link.item_id, "depends_on", ItemType::Directive, name)?;
            }
        }
        self.links().try_for_each(|link| {
            self.links()
                .try_for_each(|other| exclude((&link.item_id, &link.directive.context.conflicts_with), &other.item_id))
        })
    }
}

/// Refuses a directive that another one conflicts with, by its id or its last segment.
///
/// # Errors
///
/// Names both.
pub fn exclude((one, conflicts): (&ItemId, &[ItemId]), other: &ItemId) -> Result<(), Error> {
    let means = |name: &ItemId| name == other || name.as_str() == other.name();
    if one != other && conflicts.iter().any(means) {
        return Err(Error::Conflict { one: one.clone(), other: other.clone() });
    }
    Ok(())
}
