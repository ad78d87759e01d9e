//! The small words everything speaks: types, ids, spaces, versions, extensions, times, ages.
//!
//! Each is parsed once, at the edge, and is valid from then on. Nothing here touches the outside world.
//! The grammar of each is in docs/formats.md, section 1.

mod age;
mod extension;
pub mod fnmatch;
mod git_address;
mod git_source;
pub mod glob;
pub mod glob_bounds;
mod item_id;
mod item_path;
mod item_type;
mod requirement;
mod segment;
mod space;
mod suggest;
mod thread_id;
mod thread_name;
mod timestamp;
mod version;
mod zone;

pub use age::Age;
pub use extension::{CommentStyle, Extension, ExtensionError};
pub use git_address::{git_address, github_address};
pub use git_source::{GitSource, GitSourceError};
pub use item_id::{ItemId, ItemIdError};
pub use item_path::{ItemPath, ItemPathError, SPACE_FOLDER, item_path};
pub use item_type::{ItemType, ItemTypeError};
pub use requirement::{Requirement, RequirementError};
pub use segment::{Segment, SegmentError};
pub use space::{Space, SpaceError};
pub use suggest::nearest;
pub use thread_id::{ThreadId, ThreadIdError};
pub use thread_name::ThreadName;
pub use timestamp::{Timestamp, TimestampError};
pub use version::{Version, VersionError};
pub use zone::Zone;

/// Implements serde as the `Display` and `FromStr` text of a type.
#[macro_export]
macro_rules! serde_as_text {
    ($type:ty) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}
pub use serde_as_text;
