//! Which files of a project instruct or configure an agent: those in the places of the one table that are for agents, at any depth.

use super::code_place::fits;
use super::folding::folded;
use super::place_table::places_of_agents;

/// Tells of paths whether they are files of agents. Paths that follow each other mostly share their folder, which is judged once.
#[derive(Debug, Default)]
pub struct AgentFiles {
    folder: String,
    names: Vec<String>,
    is_in_place: bool,
}

impl AgentFiles {
    /// Tells whether a path, from the top of the project, lies in a place of agents.
    pub fn has(&mut self, path: &str) -> bool {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        if folder != self.folder {
            self.names = folder.split('/').filter(|name| !name.is_empty()).map(folded).collect();
            self.is_in_place = (1..=self.names.len()).any(|end| ends_in_place(&self.names[..end]));
            folder.clone_into(&mut self.folder);
        }
        if self.is_in_place {
            return true;
        }
        self.names.push(folded(name));
        let is_place = ends_in_place(&self.names);
        self.names.pop();
        is_place
    }
}

/// Tells whether the last of these folded names are a place.
fn ends_in_place(names: &[String]) -> bool {
    places_of_agents().any(|place| {
        let mut rest = names.iter().rev();
        place.rsplit('/').all(|part| rest.next().is_some_and(|name| fits(part, name)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_of_agents_is_found_at_any_depth_and_spelling() {
        let mut files = AgentFiles::default();
        for place in places_of_agents() {
            let place = place.replace('*', "x");
            for path in [place.clone(), format!("a/b/{place}"), format!("{place}/c/d"), place.to_uppercase()] {
                assert!(files.has(&path), "{path}");
            }
        }
        for path in ["README.md", "docs/claude.md.txt", ".github/workflows/ci.yml", ".vscode/tasks.json", "a/.git", ""]
        {
            assert!(!files.has(path), "{path}");
        }
    }
}
