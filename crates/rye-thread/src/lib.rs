//! Threads: a directive run by a model under limits and permissions, with its transcript as signed commits on a branch of its own.
//!
//! What happens next is judged below (`rye-machine`); its effects are in `run` and `model`; `tree` is a thread's private work
//! tree, `record` its log and commits, `accept` takes its changes over, `replay` derives it again, `continuation` goes on, `manage` lists,
//! shows, pushes and removes, `review` says what a person reads. Folders import in that order.

pub mod thread;

// The names by which the modules here know those below.
use rye_action::{action, need};
use rye_commit::{commit, hook};
use rye_context::context;
use rye_format::format;
use rye_id::{error, id};
use rye_item::{capability, event, item};
use rye_keys::keys;
use rye_look::load;
use rye_machine::machine;
use rye_net::net;
use rye_plugin::plugin;
use rye_process::process;
use rye_redact::redact;
use rye_repository::git;
use rye_run::{execute, executors, permissions, project_words};
use rye_session::session;
use rye_sign::sign;
use rye_trust::trust;
use rye_verify::{extends, locate, project};
use rye_workspace::workspace;
