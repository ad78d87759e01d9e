//! Child processes, the signals that stop a run, the limits a child lives under, and the terminal of the program itself.
//!
//! A child gets a clean environment, its own process group, its data on stdin (never on its command line) and bounded
//! output; it is stopped on time, and nothing it started outlives it. This very program runs again with a hidden verb: once as the keeper, which ends
//! whatever is left, and once to set resource limits, enter the sandbox and become the target, so no code runs between
//! fork and exec. What the program prints goes through a writer that does not block.

mod attend;
mod child;
mod confine;
mod deadline;
mod descendants;
mod descriptors;
mod error;
#[cfg(target_os = "linux")]
mod fork;
#[cfg(target_os = "linux")]
mod init_process;
#[cfg_attr(not(target_os = "linux"), path = "no_keeper.rs")]
mod keep;
mod keeper_flags;
mod kept_output;
mod last_line;
mod limits;
mod outlet;
mod pages;
mod pipes;
mod program;
mod resident;
mod sandbox;
mod script;
mod signals;
mod system_folders;
mod terminal;
mod typed_line;
mod variables;

pub use attend::{wait_ending, wait_for_an_answer, wait_passing_on};
pub use child::{ChildOutput, ChildSpec, Waiting, run, run_with_way_out};
pub use confine::confine_main;
pub use deadline::Deadline;
pub use error::{Error, Tried};
pub use keeper_flags::CONFINE_VERB;
pub use kept_output::Cut;
pub use last_line::LastLine;
pub use limits::{Excess, Limits, ResourceLimits};
pub use outlet::Outlet;
pub use program::{as_paths, configured_program, find_interpreter, find_program, interpreter_of, search_path};
pub use resident::{Resident, Said};
pub use sandbox::{Cover, MOST_SOCKETS, MountTable, PROXY_PORT, Profile, Sandbox, installation};
pub use script::PrivateScript;
pub use signals::{CancelFlag, Cause, install, is_gone, on_stop, survive_file_size_limit};
pub use system_folders::{kept_out, system_folders};
pub use terminal::{Answer, ask, ask_hidden, ask_line, terminal_width};
