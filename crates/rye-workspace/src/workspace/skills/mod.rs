//! Skills in the folders that clients read: their places and their files.
//!
//! Nothing is followed: a link to another folder of `skills.paths` names a skill that is looked at there, and any other link is
//! a fault.

mod files;
mod leftovers;
mod own_files;
mod paths;
mod place;
mod places;
mod search;
mod tree;

pub use files::FolderFiles;
pub use paths::SkillPaths;
pub use place::{PlacedFile, Placing, Staged};
pub use places::{DEEPEST_SKILL_FILE, SkillPlace, SkillPlaces, is_alike, is_other_path, link_fault};
pub use search::{FolderRules, IsLeftOut};
