//! Links in the repositories that lie in a project, its submodules and others: where one of them makes its target a code place.
//!
//! Whoever opens such a repository in an editor or starts an agent there obeys what the link leads to, which may lie outside of it. Links that git does
//! not track there count, too: no index is read.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::closed_places::{Walk, walked};
use super::error::Error;
use crate::capability::{is_code_place, leads_to_code_place};

/// Finds the links, as names from the project's folder, which is given without links.
///
/// # Errors
///
/// [`Error::TooManyFiles`] where there is too much to tell.
pub(super) fn nested_links(project: &Path) -> Result<BTreeSet<Vec<String>>, Error> {
    let Walk { links, tops, .. } = walked(vec![project.to_owned()], usize::MAX, &|| false)?;
    let below = |link: &PathBuf| {
        let top = link.ancestors().skip(1).find(|above| tops.contains(*above)).filter(|top| *top != project)?;
        let names = names(link.strip_prefix(top).ok()?);
        makes_a_place(&names).then(|| self::names(link.strip_prefix(project).unwrap_or(link)))
    };
    Ok(links.iter().filter_map(below).collect())
}

fn names(path: &Path) -> Vec<String> {
    path.iter().map(|name| name.to_string_lossy().into_owned()).collect()
}

/// Tells whether these names lie in a place, or their last ones lead to one.
fn makes_a_place(names: &[String]) -> bool {
    is_code_place(names) || (0..names.len()).any(|from| leads_to_code_place(&names[from..]))
}
