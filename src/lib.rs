//! Rye: run agents under signed instructions, and record each run in git.
//!
//! The library behind the program `rye`. ARCHITECTURE.md has the floors, doors and walks; docs/formats.md the formats.
//!
//! # Map
//!
//! Each module but [`cli`] is one of a crate in `crates/`; the names here are those that tests and benches use.
//!
//! | floor | module | owns |
//! |---|---|---|
//! | ground | [`error`] | an error and its causes as sentences |
//! | | [`id`] | types, ids, spaces, versions, extensions, times |
//! | | [`trust`] | digests, keys, signature lines, verdicts, the verified type |
//! | | [`capability`] | patterns over calls, path rules, signed tokens |
//! | | [`item`] | directives, tools, knowledge, inputs, limits, money, as values |
//! | | [`event`] | what happens in a thread, one line each |
//! | | [`mod@format`] | items as text: reading them, every rule and finding |
//! | | [`redact`] | secrets in text: finding and replacing them |
//! | storage | [`context`] | environment, clock, randomness, configuration |
//! | | [`workspace`] | the three spaces and the project's files, by handle |
//! | | [`keys`] | private keys and trust decisions on disk |
//! | | [`git`] | repositories: objects, refs, status |
//! | | [`index`] | the search index: documents in, ranked keys out |
//! | | [`process`] | children, limits, signals, the terminal |
//! | | [`plugin`] | finding, judging and asking plugins |
//! | | [`net`] | HTTP requests to models and of tools, under limits |
//! | | [`mcp_client`] | MCP servers: asked over lines or HTTP, kept by a session |
//! | | [`registry`] | registries: their log, its checks, the mirror of each |
//! | project | [`project`] | repository, spaces and trust, as the person has them |
//! | session | [`session`] | what lives as long as a run, opened once and shared |
//! | verbs | [`ops`] | `Options` in, `Outcome` out: what `--json` prints, MCP returns and a thread sees |
//! | action | [`action`] | what a model may do: checked once, performed once |
//! | thread | [`thread`] | the loop: a pure machine and a boring driver |
//! | task | [`task`] | what a task was refused, and the directive it becomes |
//! | top | [`cli`] | words: arguments, output, errors, exit codes |
//! | | [`mcp`] | the four primaries for AI clients, over stdin and stdout |
//!
//! # File Overview
//!
//! Every file the program reads or writes, and the module that owns it. `CONFIG` is `$XDG_CONFIG_HOME/rye` or
//! `~/.config/rye`; `COMMON` is the git folder that all work trees share.
//!
//! | file | read, written | owner |
//! |---|---|---|
//! | `CONFIG/config.toml`, `.ai/config.toml` of a project | r | `context::config` |
//! | `CONFIG/keys/{person,agent}`, `….pub` | rw | `keys::store` |
//! | `CONFIG/keys/retired/*` | rw | `keys::import` |
//! | the file of `--key`, `RYE_SIGNING_KEY` or `key import` | r | `keys::{choose, read}` |
//! | the socket of `SSH_AUTH_SOCK` | rw | `keys::ssh_agent` |
//! | `/dev/tty`, for a passphrase or a yes | rw | `process::terminal` |
//! | `CONFIG/trust/{allowed_signers,revoked}`, `CONFIG/trust/namespaces/*/*` | rw | `keys::trust_dir` |
//! | `CONFIG/trust/projects/*/*/**` | rw | `keys::trust_dir::projects` |
//! | `git_allowed_signers`, `git_revoked` in both | rw | `keys::trust_dir::for_git` |
//! | `.ai/trust/*` of the project | rw | `workspace::space_file` |
//! | `CONFIG/keys/verdict_secret` | rw | `keys::store` |
//! | `$XDG_CACHE_HOME/rye/verdicts/*` | rw | `keys::verdict_store` |
//! | `CONFIG/registries.toml` | rw | `registry::registries_toml` |
//! | `$XDG_STATE_HOME/rye/registries/*/{checkpoint,checked}` | rw | `registry::memory` |
//! | `$XDG_STATE_HOME/rye/registries/*/index/**` | rw | `registry::read_parts` |
//! | `$XDG_CACHE_HOME/rye/registries/*/**`: bare mirrors | rw | `registry::mirror`, and stock git |
//! | `$XDG_STATE_HOME/rye/upstreams/*` (a lock), `$XDG_CACHE_HOME/rye/upstreams/*/**`: bare repositories of skills' sources | rw | `registry::upstream`, and stock git |
//! | folders of skills in `skills.paths`, `.rye-tmp-skill-*` next to these | rw | `workspace::skills` |
//! | `$XDG_DATA_HOME/rye/registries/local/**`, or the folder of `registry init`: a bare repository | rw | `registry::create`, and stock git |
//! | the file of `registry owner` | r | `ops::registries` |
//! | `rye.lock` of the project, `.ai/rye.lock` of the user space | rw | `workspace::lock_file` |
//! | `$XDG_STATE_HOME/rye/agent_written` | rw | `keys::agent_written` |
//! | `$XDG_CACHE_HOME/rye/index/*/*/{current,piece-*}` | rw | `index::{generation, draft, piece_files}` |
//! | the files of `verify --allowed-signers` and `--revoked` | r | `keys::trust_dir`, `ops::verify` |
//! | the file of `trust add` | r | `ops::decisions` |
//! | `.ai/{directives,tools,knowledge}/**` of project and user | rw | `workspace::{scan, item_file}` |
//! | a tool's companions, beside it below `.ai/tools` | rw | `workspace::{item_file, lock_file}` |
//! | capability documents named to `migrate` | rw | `workspace::project_dir` |
//! | `.rye-tmp-*` beside a file being replaced | w, gone after | `workspace::replace` |
//! | the project's files, for tools and turns | rw | `workspace::{project_dir, snapshot}` |
//! | `.gitattributes`, `.ai/.gitignore`, `.ai/*/.gitkeep` | rw | `ops::init` |
//! | `/etc/localtime`, or the file of zoneinfo that `TZ` names | r | `context::zone` |
//! | `/etc/gitconfig`, `~/.gitconfig`, `$XDG_CONFIG_HOME/git/{config,ignore}` | r | `git::environment` |
//! | `COMMON/config`, `HEAD`, `index`, `worktrees/*`, `info/*` | r | `git` |
//! | `COMMON/objects/**` | rw | `git::{read, write}`, packs by stock git in `git::pack` |
//! | `COMMON/refs/heads/<prefix>/threads/*`, their locks and logs | rw | `git::{branch, reference}` |
//! | `rye/in_place` in the git folder of a work tree | rw | `thread::tree::person_tree` |
//! | `COMMON/refs/rye/archive/*` | rw | `thread::record::archive`, by `git::rename` |
//! | `COMMON/rye/told_of_hook` | rw | `ops::hook` |
//! | `COMMON/rye/pushed-*` | rw, gone after | `ops::hook` |
//! | `COMMON/refs/notes/rye`, `COMMON/refs/notes/remotes/*/rye` | rw | `git::{notes, notes_write}` |
//! | `COMMON/config`: a fetch refspec for notes | w | `ops::init`, by stock git |
//! | `COMMON/hooks/{pre-commit,pre-push}`, `….before-rye`, or where `core.hooksPath` says | rw | `ops::hook` |
//! | `MERGE_HEAD`, `CHERRY_PICK_HEAD`, `index.lock` of the work tree | r | `git::bases` |
//! | `rye-*/sign` in the folder for temporary files: a socket | w, gone after | `keys::sign_socket` |
//! | the file git wants signed, and `….sig` beside it | rw | `keys::sign_socket` |
//! | `COMMON/rye/roots` | rw | `git::root` |
//! | `.git` of a new repository, and `.rye-tmp-git-*` while it is made | rw | `git::create` |
//! | the index a git hook names in `GIT_INDEX_FILE` | rw | `git::{stage, command}` |
//! | `COMMON/rye/threads/<id>/{events.jsonl,journal,lock}` | rw | `thread::record::{log, journal, tail}` |
//! | `COMMON/rye/threads/<id>/transcript.md` | w | `thread::record::transcript_file` |
//! | `$XDG_STATE_HOME/rye/trees/rye-*/**`: a thread's files | rw | `thread::tree::own_tree`, `git::linked_tree`, `git::checkout` |
//! | `COMMON/worktrees/rye-*/**`: that work tree's HEAD and index | rw | `git::linked_tree` |
//! | `COMMON/worktrees/rye-*/tools/**`: the git folder for tools | w | `git::tools_folder` |
//! | a private file that a thread's tool sees in the place of the tree's `.git` | w, gone after | `ops::execute::git_command` |
//! | `.rye-bin/git` in the private folder of a thread's tool | w, gone after | `ops::execute::git_command` |
//! | `COMMON/rye/rye-*.tmp`: that folder while it is made | w, gone after | `git::linked_tree` |
//! | `COMMON/rye/writing/*` | rw, gone after | `git::write_marks` |
//! | `COMMON/rye/accept/lock`; `rye/accept/**` of the work tree's git folder | rw | `thread::accept` |
//! | `COMMIT_EDITMSG`, `MERGE_MSG` of the work tree's git folder | rw | `thread::accept` |
//! | `rye/commit-index-*` in the git folder of a work tree: a copy of its index | rw, gone after | `ops::commit` |
//! | the index of the work tree and its lock | rw | `git::index_swap` |
//! | `.rye-tmp-accept-*` beside a file being accepted | w, gone after | `workspace::swap` |
//! | `.ai/threads/<id>/**`, on a thread's branch only | rw | `thread::record::{branch, thread_json}` |
//! | the scripted provider's file | r | `thread::run::preparation` |
//! | a file that `--html` or `-o` names, the pages of `man --all` | w | `workspace::output_path` |
//! | the files of `--permissions` | r | `ops::permissions` |
//! | `$XDG_CACHE_HOME/rye/system_folders` | rw | `process::system_folders` |
//! | plugin libraries around the executable | r | `plugin::place` |
//! | `$XDG_DATA_HOME/rye/plugins/*/{plugin.toml,plugin.toml.sig}`, libraries | rw | `plugin::installed` |
//! | the folder of `plugin install`, `plugin sign` | r, rw | `plugin::installed::folder` |
//! | `rye-*/plugin` in the folder for temporary files, where there are no sealed files in memory | w, gone after | `plugin::installed::sealed_file` |
//! | `rye-*/` in the folder for temporary files | w, gone after | `process::script`, `ops::executors` |
//! | interpreters on `PATH` | r | `process::program` |

pub mod cli;
pub use rye_action::action;
pub use rye_context::context;
pub use rye_format::format;
pub use rye_id::{error, id};
pub use rye_index::index;
pub use rye_item::{capability, event, item};
pub use rye_keys::keys;
pub use rye_mcp::mcp;
pub use rye_mcp_client::mcp_client;
pub use rye_net::net;
pub use rye_plugin::plugin;
pub use rye_process::process;
pub use rye_redact::redact;
pub use rye_registry::registry;
pub use rye_repository::git;
pub use rye_session::session;
pub use rye_task::task;
pub use rye_thread::thread;
pub use rye_trust::trust;
pub use rye_verify::project;
pub use rye_workspace::workspace;

/// The verbs, each a module with `Options` in and an `Outcome` out, whichever crate has it.
pub mod ops {
    pub use rye_commit::{commit, hook, init, notes};
    pub use rye_edit::{drafts, migrate, mv, new};
    pub use rye_look::{diff, list, load, search, show};
    pub use rye_run::{execute, executors, import, permissions, plugins};
    pub use rye_share::{publish, pull, registries};
    pub use rye_sign::{decisions, key, sign};
    pub use rye_verify::{extends, lint, locate, verify};
}
