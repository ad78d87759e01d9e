//! Links between items, and the graph they make.
//!
//! A link is a text; its target depends on the existing items and files. Resolution is pure: the caller says what
//! exists. In this order: an address (`https://…`), an id, a path, the last segment of exactly one id. Ids of knowledge
//! come before those of directives, and those before tools, as links occur in knowledge.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::id::{ItemId, ItemType};

/// How an entry says what it is linked with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkKind {
    /// The header's `references`.
    References,
    /// The header's `extends`: what it builds on.
    Extends,
    /// The header's `used_by`: what uses it.
    UsedBy,
    /// A `[[link]]` or Markdown link in the text.
    Text,
}

/// A link as it is written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Link {
    /// Its place.
    pub kind: LinkKind,
    /// What it names, without `#fragment`.
    pub target: String,
}

/// An item as the end of a link.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Node {
    /// The type.
    pub item_type: ItemType,
    /// The id.
    pub item_id: ItemId,
}

/// What a link leads to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "to")]
pub enum Target {
    /// An item.
    Item(Node),
    /// A file or folder of the project, relative to it.
    Path(String),
    /// An address outside of the project.
    Address(String),
    /// A last segment that several ids share.
    Ambiguous(Vec<Node>),
    /// Nothing there is.
    Unresolved,
}

/// What links may lead to.
pub struct Known<'a> {
    /// Every item of every space.
    pub items: BTreeSet<Node>,
    /// Whether the project has a file or folder at a relative path.
    pub has_path: &'a dyn Fn(&str) -> bool,
}

/// The links of many entries, resolved, in both directions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Graph {
    links: BTreeMap<Node, Vec<(Link, Target)>>,
    backlinks: BTreeMap<Node, BTreeSet<(Node, LinkKind)>>,
}

impl Graph {
    /// Resolves the links of every entry.
    #[must_use]
    pub fn of(entries: impl IntoIterator<Item = (Node, Vec<Link>)>, known: &Known<'_>) -> Self {
        let names = names(&known.items);
        let mut graph = Self::default();
        for (from, links) in entries {
            let resolved = links.into_iter().map(|link| {
                let target = resolve(&from, &link.target, known, &names);
                (link, target)
            });
            let resolved: Vec<(Link, Target)> = resolved.collect();
            for (link, target) in &resolved {
                if let Target::Item(to) = target {
                    graph.backlinks.entry(to.clone()).or_default().insert((from.clone(), link.kind));
                }
            }
            graph.links.insert(from, resolved);
        }
        graph
    }

    /// Returns the links of an entry with what they lead to, in the order they were given.
    #[must_use]
    pub fn links(&self, node: &Node) -> &[(Link, Target)] {
        self.links.get(node).map_or(&[], Vec::as_slice)
    }

    /// Returns the entries that link to an item, and how, sorted.
    pub fn backlinks(&self, node: &Node) -> impl Iterator<Item = (&Node, LinkKind)> {
        self.backlinks.get(node).into_iter().flatten().map(|(from, kind)| (from, *kind))
    }

    /// Returns every link that leads nowhere, or to several items, by entry.
    pub fn broken(&self) -> impl Iterator<Item = (&Node, &Link, &Target)> {
        let broken = |target: &Target| matches!(target, Target::Unresolved | Target::Ambiguous(_));
        let all = self.links.iter().flat_map(|(node, links)| links.iter().map(move |(link, to)| (node, link, to)));
        all.filter(move |(.., target)| broken(target))
    }
}

type Names<'a> = BTreeMap<&'a str, Vec<&'a Node>>;

/// Finds the items of each last segment.
fn names(items: &BTreeSet<Node>) -> Names<'_> {
    let mut names = Names::new();
    for node in items {
        names.entry(node.item_id.name()).or_default().push(node);
    }
    names
}

fn resolve(from: &Node, target: &str, known: &Known<'_>, names: &Names<'_>) -> Target {
    if is_address(target) {
        return Target::Address(target.to_owned());
    }
    if let Some(node) = item(target, &known.items) {
        return Target::Item(node);
    }
    if let Some(found) = path(from, target, known) {
        return found;
    }
    let found = names.get(target).map(|nodes| nearest_type(nodes)).unwrap_or_default();
    // Built-in items do not take names away from the items of people.
    let own: Vec<&Node> = found.iter().copied().filter(|node| !node.item_id.is_reserved()).collect();
    match (found.as_slice(), own.as_slice()) {
        ([node], _) | (_, [node]) => Target::Item((*node).clone()),
        ([_, ..], _) => Target::Ambiguous(names[target].iter().map(|node| (*node).clone()).collect()),
        ([], _) => Target::Unresolved,
    }
}

/// The types in the order in which a link means them.
const ORDER: [ItemType; 3] = [ItemType::Knowledge, ItemType::Directive, ItemType::Tool];

fn item(id: &str, items: &BTreeSet<Node>) -> Option<Node> {
    let item_id: ItemId = id.parse().ok()?;
    ORDER.into_iter().map(|item_type| Node { item_type, item_id: item_id.clone() }).find(|node| items.contains(node))
}

/// Keeps the nodes of the first type that has any.
fn nearest_type<'a>(nodes: &[&'a Node]) -> Vec<&'a Node> {
    let of = |item_type| nodes.iter().copied().filter(move |node| node.item_type == item_type).collect::<Vec<_>>();
    ORDER.into_iter().map(of).find(|found| !found.is_empty()).unwrap_or_default()
}

/// Resolves a path, relative to the project or else to the entry's own folder; an item's file is that item.
fn path(from: &Node, target: &str, known: &Known<'_>) -> Option<Target> {
    let from_project = normal("", target);
    let own_folder = format!(".ai/{}/{}", from.item_type.folder(), from.item_id.category());
    let from_entry = normal(&own_folder, target);
    let mut paths = from_project.into_iter().chain(from_entry);
    paths.find_map(|path| match item_at(&path, &known.items) {
        Some(node) => Some(Target::Item(node)),
        None => (known.has_path)(&path).then_some(Target::Path(path)),
    })
}

/// Returns the item whose file lies at a path.
fn item_at(path: &str, items: &BTreeSet<Node>) -> Option<Node> {
    let (folder, rest) = path.strip_prefix(".ai/")?.split_once('/')?;
    let item_type = ItemType::of_folder(folder)?;
    let item_id = rest.rsplit_once('.')?.0.parse().ok()?;
    let node = Node { item_type, item_id };
    items.contains(&node).then_some(node)
}

/// Joins a relative path to a folder without `.` and `..`; nothing when it is absolute or leaves the project.
#[must_use]
pub fn normal(folder: &str, path: &str) -> Option<String> {
    if path.is_empty() || path.starts_with('/') || path.contains(['\\', '\0']) {
        return None;
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/")).filter(|path| !path.is_empty())
}

/// Tells an address (RFC 3986: a scheme before the first colon) from a name or path.
fn is_address(target: &str) -> bool {
    let scheme = target.split_once(':').map_or("", |(scheme, _)| scheme);
    let mut bytes = scheme.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic())
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
}
