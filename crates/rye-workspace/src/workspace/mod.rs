//! The three spaces of items, and the project's own files, through directory handles.
//!
//! Everything below a root is reached from an open folder, following no symlink, never by checking a path and then
//! opening it again: a symlink swapped in between leads nowhere. `Workspace` finds, reads, lists and writes items;
//! `ProjectDir` serves the built-in file tools and the snapshots of a thread, and refuses the places that no tool may
//! touch. Whether an item is signed or shadowed is not judged here.
//!
//! The layout of a space is in docs/formats.md, section 1; the commit point of a write in docs/durability.md.

mod attributes;
mod builtin;
mod candidate;
mod closed_places;
mod copies;
mod cores;
mod documents;
mod error;
mod exact;
mod folder;
mod for_tools;
mod git_file;
mod git_folder;
mod item_file;
mod kept_folders;
mod lock_file;
mod look;
mod moved_paths;
mod nested_links;
mod output_path;
mod own_config;
mod own_places;
mod project_copy;
mod project_dir;
mod protected_places;
mod replace;
mod replace_many;
mod scan;
mod site;
mod skills;
mod snapshot;
mod space_file;
mod stamp;
mod standpoint;
mod survey;
mod swap;
mod tool_copies;
mod tool_folders;
mod tree_stamps;
mod walk;

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

pub use attributes::{ATTRIBUTES_FILE, PROJECT_ATTRIBUTES, USER_ATTRIBUTES, keeps_bytes};
pub use builtin::{BUILTIN, BuiltinItem};
pub use candidate::Candidate;
pub use closed_places::{closed_places, is_closed};
pub use copies::{Copied, CopyLimits};
pub use cores::{on_every_core, shares};
pub use documents::DOCUMENTS_FOLDER;
pub use error::{Doing, Error};
pub use for_tools::IsIgnored;
pub use git_folder::{GitFolders, GitPaths, is_repository_at};
pub use item_file::{Expected, MAX_ITEM_BYTES, Reader, replace_file};
pub use kept_folders::KeptFolders;
pub use lock_file::{LOCK_FILE, MAX_LOCK_BYTES};
pub use moved_paths::moved;
pub use output_path::{Misplaced, OutputPath, OutputPlaces};
pub use own_config::OwnConfig;
pub use own_places::OwnPlaces;
pub use project_copy::{CopiedBack, Judge, NotCopied, OpenFiles, ProjectCopy, Stops};
pub use project_dir::{DirEntry, EntryKind, FileContent, ProjectDir, Written};
pub use replace_many::Replacement;
pub use scan::Listing;
pub use site::Site;
pub use skills::{
    DEEPEST_SKILL_FILE, FolderFiles, FolderRules, IsLeftOut, PlacedFile, Placing, SkillPaths, SkillPlace, SkillPlaces,
    Staged, is_alike, is_other_path, link_fault,
};
pub use snapshot::{Changes, FileState, LeftOut, Oversized, Snapshot, SnapshotLimits};
pub use space_file::MAX_CONFIG_BYTES;
pub use stamp::FileStamp;
pub use standpoint::{check_project, is_in_code_place, standpoint};
pub use survey::Survey;
pub use swap::Held;
pub use tool_folders::tool_folders;
pub use tree_stamps::TreeStamps;
pub use walk::{Sighting, Stray, StrayFault};

use crate::id::Space;

/// Where the items of one run are looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    project_root: Option<PathBuf>,
    user_root: PathBuf,
}

impl Workspace {
    /// Makes the workspace of a project and a person; each root is the folder that holds `.ai`.
    ///
    /// When both are the same folder there is only the user space. Nothing is read until asked.
    #[must_use]
    pub fn new(project_root: Option<PathBuf>, user_root: PathBuf) -> Self {
        let project_root = project_root.filter(|root| !is_same_folder(root, &user_root));
        Self { project_root, user_root }
    }

    /// Returns the folder that holds a space's `.ai`; `None` for the system space and outside a project.
    #[must_use]
    pub fn root(&self, space: Space) -> Option<&Path> {
        match space {
            Space::Project => self.project_root.as_deref(),
            Space::User => Some(&self.user_root),
            Space::System => None,
        }
    }
}

/// Tells whether two paths name one folder. A folder that cannot be looked at is the same as nothing but its own path.
fn is_same_folder(a: &Path, b: &Path) -> bool {
    let identity = |path: &Path| std::fs::metadata(path).ok().map(|data| (data.dev(), data.ino()));
    a == b || identity(a).is_some_and(|found| identity(b) == Some(found))
}
