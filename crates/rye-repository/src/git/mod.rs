//! The door to git: everything this program asks of a repository, and all of gix, which no other module sees.
//!
//! Invariants:
//! - Object ids cross the door as [`CommitId`], [`TreeId`] and [`BlobId`]; no gix type is in a public signature.
//! - No ambient environment variable is read (`GIT_DIR`, `GIT_INDEX_FILE`, `GIT_OBJECT_DIRECTORY` and the rest), so a
//!   git hook may run this program; what the person's environment says arrives through [`GitEnvironment`], and what git
//!   itself is run with through [`Git`].
//! - Every object that is read is hashed again and compared with its id; replacements (`refs/replace/`) are off.
//! - Writing touches neither index, nor work tree, nor `HEAD`, nor any branch a work tree has checked out; only what
//!   [`Git`] is asked to do may.
//! - A missing object is reported with the reason (shallow, partial, borrowed, damaged), and never ignored.
//! - [`Writer`] makes objects durable before a branch moves; the commit point is described there.
//!
//! Everything goes through gix, but for what only git can do or a person's own git should do: `command.rs` alone runs it.
//!
//! Deliberately not here: checking signatures, judging notes.

mod absence;
mod ancestry;
mod attributes;
mod bases;
mod branch;
mod changes;
mod checked_out;
mod checkout;
mod clean;
mod command;
mod conversion;
mod create;
mod delete;
mod difference;
mod discover;
mod durable;
mod encoding;
mod environment;
mod error;
mod extent;
mod filters;
mod folders;
mod foreign;
mod history;
mod ignore_rules;
mod index_swap;
mod linked_tree;
mod notes;
mod notes_write;
mod objects;
mod obstacles;
mod oid;
mod open;
mod other_histories;
mod outgoing;
mod pack;
mod pager;
mod plumbing;
mod push_report;
mod read;
mod reference;
mod relay;
mod remotes;
mod removal;
mod rename;
mod repository;
mod revision;
mod root;
mod signature;
mod signed_commit;
mod stage;
mod staged_attributes;
mod status;
mod stderr;
mod text_merge;
mod three_way;
mod tools_config;
mod tools_folder;
mod tracked;
mod tree;
mod tree_files;
mod upstream;
mod walk;
mod write;
mod write_marks;

pub use ancestry::PastEntry;
pub use attributes::changed_by_attributes;
pub use bases::Tip;
pub use branch::BranchUpdate;
pub use changes::TreeChange;
pub use clean::{Cleaner, RunFilter, Stored};
pub use command::{Git, IndexEdit, Terminal, Wait};
pub use difference::IsSame;
pub use environment::GitEnvironment;
pub use error::{Cause, Error, Unusable};
pub use folders::KnownFolder;
pub use foreign::ForeignFiles;
pub use history::{CommitRange, RangeCommit};
pub use ignore_rules::IgnoreRules;
pub use index_swap::{Indexed, NextIndex};
pub use linked_tree::{Difference, LeftTree, LinkedTree};
pub use notes::{NOTES_REF, Notes};
pub use notes_write::{NoteEdit, NotesCommit, NotesMerge};
pub use oid::{BlobId, CommitId, InvalidId, ObjectId, TreeId};
pub use other_histories::{Bounds, Outside, Sought, Versions};
pub use outgoing::{Content, Inspection, MOST_AT_ONCE, Sent};
pub use pack::PackRange;
pub use pager::Pages;
pub use plumbing::{Attributes, IndexLine, MergeDriver, Merged};
pub use push_report::{PushStatus, PushedRef};
pub use read::{CommitInfo, CommitSignature};
pub use relay::{Relay, Words};
pub use remotes::Remote;
pub use repository::{Head, ObjectFormat, Repository, SharedRepository};
pub use revision::Tags;
pub use signature::{Identity, Signature};
pub use stage::{InWorkTree, StagedEntry};
pub use tracked::{Tracked, TrackedContent, Untracked};
pub use tree::{Mode, TreeEdit, TreeEntry, os_path};
pub use tree_files::TreeFiles;
pub use upstream::{Extent, RemoteRef};
pub use write::{NewCommit, SignCommit, Writer};
