//! Which references mean the item that is moved, and what each of them is called afterwards.

use std::collections::{BTreeMap, BTreeSet};

use crate::capability::Primary;
use crate::extends::Names;
use crate::format::Reference;
use crate::id::{ItemId, ItemType, SPACE_FOLDER};
use crate::item::{Graph, Named, Node, Target, meant, normal};
use crate::locate::LocateError;
use crate::project::Project;

/// The item that is moved, among all that there is.
pub(super) struct Naming<'s> {
    project: &'s Project,
    item_type: ItemType,
    from: &'s ItemId,
    to: &'s ItemId,
    names: Names,
    graph: Graph,
}

/// The replacements in one file, and the links that mean the item.
pub(super) struct Swaps {
    pub(super) words: BTreeMap<String, String>,
    links: BTreeSet<String>,
}

impl<'s> Naming<'s> {
    pub(super) fn read(
        project: &'s Project,
        item_type: ItemType,
        from: &'s ItemId,
        to: &'s ItemId,
    ) -> Result<Self, LocateError> {
        let (names, graph) = (Names::read(project, None)?, project.knowledge_graph()?);
        Ok(Self { project, item_type, from, to, names, graph })
    }

    /// Returns the replacements in the text of an item.
    pub(super) fn swaps(&self, by: &Node) -> Swaps {
        let (from, to) = (self.from, self.to);
        let mut words = BTreeMap::new();
        let mut swap = |old: String, new: String| drop(words.insert(old, new));
        swap(from.to_string(), to.to_string());
        swap(format!("{}/{from}", self.item_type), format!("{}/{to}", self.item_type));
        if from.dotted() != from.as_str() {
            swap(from.dotted(), to.dotted());
        }
        for primary in Primary::ALL {
            let capability = |id: &ItemId| format!("rye.{primary}.{}.{}", self.item_type, id.dotted());
            swap(capability(from), capability(to));
        }
        if !self.keeps_name() && from.name() != from.as_str() {
            swap(from.name().to_owned(), to.to_string());
        }
        let mut links = BTreeSet::new();
        for (target, new) in self.links_of(by) {
            if let Some(path) = new {
                swap(target.clone(), path);
            }
            links.insert(target);
        }
        Swaps { words, links }
    }

    /// Tells whether a reference of an item means the one that is moved, and returns the planned change.
    pub(super) fn is_meant(&self, by: &ItemId, swaps: &Swaps, reference: &Reference) -> bool {
        match reference {
            Reference::Link(target) => swaps.links.contains(target),
            Reference::Named(named) => self.names(by, named),
        }
    }

    fn names(&self, by: &ItemId, Named { element, item_type, name }: &Named) -> bool {
        let is_spelled_out = meant(self.item_type, name).any(|id| id == *self.from);
        if !is_spelled_out && (self.keeps_name() || name.as_str() != self.from.name()) {
            return false;
        }
        let find = |of| self.names.find(by, element, of, name).ok();
        match item_type {
            Some(of) => *of == self.item_type && find(*of).as_ref() == Some(self.from),
            // A word that this installation offers is not an item, and an item is of the first type that has it.
            None if self.project.context().config().capabilities.offered.contains(name) => false,
            None => {
                let first = ItemType::ALL.into_iter().find_map(|of| Some((of, find(of)?)));
                first.is_some_and(|(of, id)| of == self.item_type && id == *self.from)
            }
        }
    }

    /// Tells whether the last segment stays, and with it every reference by it alone.
    fn keeps_name(&self) -> bool {
        self.from.name() == self.to.name()
    }

    /// Returns the links of an entry that lead to the item, and where it is moved itself, those that lead elsewhere by a path from
    /// its folder; each with its new form, if that is a path.
    fn links_of(&self, by: &Node) -> Vec<(String, Option<String>)> {
        let moved = Node { item_type: self.item_type, item_id: self.from.clone() };
        let new_node = Node { item_type: self.item_type, item_id: self.to.clone() };
        let after = if *by == moved { &new_node } else { by };
        let mut links = Vec::new();
        for (link, target) in self.graph.links(by) {
            let target_path = |node: &Node, path: &str| {
                let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
                format!("{SPACE_FOLDER}/{}/{}.{extension}", node.item_type.folder(), node.item_id)
            };
            let from_entry = normal(&folder(by), &link.target);
            let from_top = normal("", &link.target);
            let leads_to = |path: &Option<String>, node: &Node| {
                path.as_ref().filter(|path| **path == target_path(node, path)).cloned()
            };
            let found = match target {
                Target::Item(node) => {
                    let is_moved = *node == moved;
                    let end = if is_moved { &new_node } else { node };
                    if let Some(path) = leads_to(&from_top, node).filter(|_| is_moved) {
                        Some(Some(target_path(end, &path)))
                    } else if let Some(path) =
                        leads_to(&from_entry, node).filter(|_| leads_to(&from_top, node).is_none())
                    {
                        Some(Some(relative(&folder(after), &target_path(end, &path))))
                    } else {
                        let is_named = is_moved && (link.target == self.from.as_str() || !self.keeps_name());
                        is_named.then_some(None)
                    }
                }
                Target::Path(path) if from_entry.as_ref() == Some(path) && from_top.as_ref() != Some(path) => {
                    Some(Some(relative(&folder(after), path)))
                }
                Target::Path(_) | Target::Address(_) | Target::Ambiguous(_) | Target::Unresolved => None,
            };
            links.extend(found.filter(|new| new.as_ref() != Some(&link.target)).map(|new| (link.target.clone(), new)));
        }
        links
    }
}

/// Returns the folder of an item, from the one that holds `.ai`.
fn folder(node: &Node) -> String {
    let folder = format!("{SPACE_FOLDER}/{}", node.item_type.folder());
    match node.item_id.category() {
        "" => folder,
        category => format!("{folder}/{category}"),
    }
}

/// Returns the way from a folder to a path.
fn relative(folder: &str, path: &str) -> String {
    let (from, to): (Vec<&str>, Vec<&str>) = (folder.split('/').collect(), path.split('/').collect());
    let shared = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
    let ups = std::iter::repeat_n("..", from.len() - shared);
    ups.chain(to[shared..].iter().copied()).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::relative;

    #[test]
    fn a_relative_path_goes_up_and_down() {
        assert_eq!(relative(".ai/knowledge/team", ".ai/knowledge/ops/x.md"), "../ops/x.md");
        assert_eq!(relative(".ai/knowledge", ".ai/knowledge/ops/x.md"), "ops/x.md");
        assert_eq!(relative(".ai/knowledge/a/b", "docs/x.md"), "../../../../docs/x.md");
    }
}
