//! Registries: git repositories in which items are published, and what a client keeps of them (docs/formats.md, section 12).
//!
//! The rules are pure and apart from the files: `line`, `state`, `tree`, `tables`, `checkpoint`, `package` and `log`. Here and in `mirror`
//! and `append` git moves bytes: a registry is fetched into a mirror, checked as a whole and against its last recorded
//! state, and only then read or added to. `sparse` reads the requested parts and proves them: one item of a large
//! registry, over git or from a web server with its files (`static_files`).
//!
//! Whether a person trusts who published something is not judged here, and nothing is written into a space.

mod append;
mod bare;
mod checkpoint;
mod create;
mod error;
mod fault;
mod git_files;
mod layout;
mod line;
mod log;
mod memory;
mod meter;
mod mirror;
mod outage;
mod package;
mod proof;
mod read_parts;
mod registries_toml;
mod source;
mod sparse;
mod state;
mod static_files;
mod tables;
mod tree;
mod upstream;
mod url;

pub use append::{Addition, Appended};
pub use bare::Transport;
pub use checkpoint::{Checkpoint, SignedCheckpoint};
pub use create::create;
pub use error::Error;
pub use fault::Fault;
pub use layout::BRANCH;
pub use line::{Entry, MAX_MESSAGE_BYTES, MAX_NEEDS, MAX_OWNERS, Need, OrderedRequirement, Release, Target};
pub use log::{Files, Log};
pub use memory::forget;
pub use mirror::{Registry, Snapshot};
pub use outage::Unreached;
pub use package::{Manifest, Package, PackagedFile, file_name, release};
pub use registries_toml::{LOCAL, edit_known, find, known, local_path};
pub use sparse::Sparse;
pub use state::{Published, PublishedVersion, RESERVED, State};
pub use upstream::{Order, Upstream, UpstreamError};
pub use url::{is_static, registry_url};
