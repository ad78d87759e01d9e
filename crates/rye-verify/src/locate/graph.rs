//! The links between all knowledge there is, for whoever asks about items: lint, search.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use super::LocateError;
use crate::capability::ProjectPath;
use crate::format;
use crate::id::ItemType;
use crate::item::{Graph, Item, Known, Node};
use crate::project::Project;
use crate::workspace::{Candidate, ProjectDir};

impl Project {
    /// Reads every knowledge entry, the nearest of each id, and resolves its links.
    ///
    /// An entry that cannot be read, or not as knowledge, has no links; signatures do not matter here.
    pub fn knowledge_graph(&self) -> Result<Graph, LocateError> {
        let candidates = self.workspace().list(None, None)?.items;
        let items: BTreeSet<Node> = candidates.iter().map(node).collect();
        let project = match self.root() {
            Ok(root) => Some(ProjectDir::open(root)?),
            Err(_) => None,
        };
        let has_path = |path: &str| project.as_ref().is_some_and(|project| exists(project, path));
        let mut entries = BTreeMap::new();
        for candidate in candidates.iter().filter(|candidate| candidate.item_type == ItemType::Knowledge) {
            // The list has the nearest space first.
            if let Entry::Vacant(entry) = entries.entry(node(candidate)) {
                let links = match self.workspace().read(candidate) {
                    Ok(bytes) => match format::parse_bytes(candidate.item_type, &candidate.extension, &bytes).item {
                        Some(Item::Knowledge(knowledge)) => format::links(&knowledge),
                        _ => Vec::new(),
                    },
                    Err(error) if error.of_one_file().is_some() => Vec::new(),
                    Err(error) => return Err(error.into()),
                };
                entry.insert(links);
            }
        }
        Ok(Graph::of(entries, &Known { items, has_path: &has_path }))
    }
}

fn node(candidate: &Candidate) -> Node {
    Node { item_type: candidate.item_type, item_id: candidate.id.clone() }
}

fn exists(project: &ProjectDir, path: &str) -> bool {
    path.parse::<ProjectPath>().is_ok_and(|path| project.exists(&path))
}
