//! Line ends that are not those that were signed: why, and how to mend them.

use serde::Serialize;

use crate::project::Project;
use crate::trust::{Signed, Unverified};
use crate::workspace::{ATTRIBUTES_FILE, MAX_ITEM_BYTES, Site, keeps_bytes};

/// Why an item of the work tree has CRLF where LF was signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LineEnds {
    /// The cause, as a sentence about the item.
    pub cause: String,
    /// What to run.
    pub mend: String,
}

impl LineEnds {
    /// Looks at an item of the project, by its path from the top of the work tree; none where line ends are not what changed.
    #[must_use]
    pub fn of(project: &Project, path: &str, signed: &Signed<Vec<u8>, Unverified>) -> Option<Self> {
        let signed_bytes = signed.with_lf()?;
        let repository = project.repository();
        let is_kept = is_kept(project);
        let why = match (is_kept, repository.as_ref().is_some_and(|repository| repository.converts_lines())) {
            (false, true) => "git converts it, as `core.autocrlf` is set and `.gitattributes` has no line for `.ai/`",
            (false, false) => "`.gitattributes` has no line that keeps git from converting `.ai/`",
            (true, _) => {
                "it was checked out before `.gitattributes` had its line for `.ai/`, or an editor converted it"
            }
        };
        let committed = repository.and_then(|repository| {
            let head = repository.head().ok()?.commit_id().cloned()?;
            repository.file_at(&head, path).ok()?
        });
        let restore = match committed {
            Some(bytes) if bytes == signed_bytes => format!("`rm {path} && git checkout -- {path}`"),
            Some(_) | None => format!("`sed -i 's/\\r$//' {path}`"),
        };
        let init = if is_kept { "run" } else { "run `rye init`, then" };
        Some(Self {
            cause: format!("its line ends are CRLF, and it was signed with LF: {why}"),
            mend: format!("{init} {restore}"),
        })
    }
}

fn is_kept(project: &Project) -> bool {
    let read = || Site::open(project.root().ok()?).ok()?.read(ATTRIBUTES_FILE, MAX_ITEM_BYTES).ok()?;
    read().is_some_and(|attributes| keeps_bytes(&attributes))
}
