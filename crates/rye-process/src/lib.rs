//! Child processes: started under limits, confined, watched, and ended; signals; the terminal.
//!
//! A child is started by way of this program itself, which confines itself (Landlock, seccomp, mounts, a network of its own) and becomes
//! the target. Which folders the system has that are private is surveyed here too. Git's processes are not here: `git` starts its own.

pub mod process;

// The names by which the modules here know those below.
use rye_context::context;
use rye_id::id;
use rye_item::capability;
use rye_trust::trust;
