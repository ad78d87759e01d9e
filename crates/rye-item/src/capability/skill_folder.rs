//! Folders that agents read skills from: those of the table, recognised by their paths in a project.

use super::code_place::fits;
use super::folding::folded;
use super::place_table::{PlaceRole, places_of};

/// A folder of skills that the table has.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TableFolder {
    /// Its path, in the spelling that agents read.
    pub path: String,
    /// Whether its skills are only offered, so that an unsigned one is a warning.
    pub is_offered: bool,
}

/// Lists the folders of skills at the top of a project whose skills must be signed, in the order of the table.
pub fn skill_folders() -> impl Iterator<Item = &'static str> {
    places_of(PlaceRole::Skills).filter(|path| !path.contains('*'))
}

/// Returns the folder of skills that an agent's name means: `claude` is `.claude/skills`.
#[must_use]
pub fn skill_folder_of(agent: &str) -> Option<&'static str> {
    skill_folders().find(|path| agent_of(path) == agent)
}

/// Lists the names of agents that have a folder of skills.
pub fn skill_agents() -> impl Iterator<Item = &'static str> {
    let is_first = |path: &&str| skill_folder_of(agent_of(path)) == Some(path);
    skill_folders().filter(is_first).map(agent_of)
}

fn agent_of(path: &str) -> &str {
    path.split('/').next().unwrap_or(path).trim_start_matches('.')
}

/// Returns the folders of skills that the folder at a path is to some file system. A link may lead to one from each of its names on:
/// `web/.claude` is one on the way to `web/.claude/skills`.
#[must_use]
pub fn skill_folders_at(path: &str, is_link: bool) -> Vec<TableFolder> {
    let names: Vec<&str> = path.split('/').collect();
    let last = names.last().map(|name| folded(name)).unwrap_or_default();
    let mut found = Vec::new();
    for place in places_of(PlaceRole::Skills) {
        let rows: Vec<&str> = place.split('/').collect();
        let from = if is_link { 1 } else { rows.len() };
        for count in (from..=rows.len()).filter(|count| fits(rows[count - 1], &last)) {
            let Some(above) = names.len().checked_sub(count) else { continue };
            if names[above..].iter().zip(&rows).all(|(name, row)| fits(row, &folded(name))) {
                found.extend(spelt(&names, above, &rows).map(|path| TableFolder { path, is_offered: false }));
            }
        }
    }
    for place in places_of(PlaceRole::Offered).filter(|_| !is_link) {
        let rows: Vec<&str> = place.split('/').collect();
        if rows.len() == names.len() && names.iter().zip(&rows).all(|(name, row)| fits(row, &folded(name))) {
            found.push(TableFolder { path: path.to_owned(), is_offered: true });
        }
    }
    found
}

/// Tells whether a folder is one on the way to a folder of skills, such as `web/.claude`.
#[must_use]
pub fn leads_to_skills(path: &str) -> bool {
    skill_folders_at(path, true).iter().any(|folder| folder.path.len() > path.len())
}

/// Spells the names that some rows fit as agents do. None if a link leads to names that the table leaves open.
fn spelt(names: &[&str], above: usize, rows: &[&str]) -> Option<String> {
    let name = |(at, row): (usize, &&str)| match names.get(above + at) {
        Some(name) if row.contains('*') => Some((*name).to_owned()),
        None if row.contains('*') => None,
        Some(_) | None => Some((*row).to_owned()),
    };
    let spelt = rows.iter().enumerate().map(name).collect::<Option<Vec<String>>>()?;
    Some(names[..above].iter().map(|name| (*name).to_owned()).chain(spelt).collect::<Vec<_>>().join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(path: &str, is_link: bool) -> Vec<(String, bool)> {
        skill_folders_at(path, is_link).into_iter().map(|folder| (folder.path, folder.is_offered)).collect()
    }

    #[test]
    fn every_folder_of_skills_is_found_at_its_depth_and_in_any_spelling() {
        for place in places_of(PlaceRole::Skills) {
            let path = place.replace('*', "code");
            for above in ["", "packages/web/", ".claude/skills/x/"] {
                let wanted = vec![(format!("{above}{path}"), false)];
                assert_eq!(at(&format!("{above}{path}"), false), wanted);
                let open = format!("{above}{}", if place.contains('*') { path.clone() } else { path.to_uppercase() });
                assert_eq!(at(&open, false), wanted, "{open}");
                assert!(!leads_to_skills(&format!("{above}{path}")), "{path}");
            }
            let top = path.split('/').next().unwrap_or_default();
            assert!(leads_to_skills(top) && at(top, false).is_empty(), "{top}");
            assert!(place.contains('*') || at(top, true).contains(&(path.clone(), false)), "{top}");
        }
        for place in places_of(PlaceRole::Offered) {
            let path = place.replace('*', "x");
            assert_eq!(at(&path, false), [(path.clone(), true)]);
            assert_eq!(at(&format!("web/{path}"), false), [], "{path}");
        }
    }

    #[test]
    fn an_agent_has_one_name_for_its_folder() {
        let known: Vec<&str> = skill_agents().collect();
        assert!(["claude", "agents", "roo", "factory", "goose"].iter().all(|agent| known.contains(agent)), "{known:?}");
        assert_eq!((skill_folder_of("opencode"), skill_folder_of("nowhere")), (Some(".opencode/skills"), None));
    }
}
