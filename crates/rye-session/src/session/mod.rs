//! What lives as long as a run: a project, and what the process has opened to run its items.
//!
//! Opened once, then shared: nothing takes it as `&mut`, and OS threads may use one session at the same time. Expensive
//! or limited parts are opened when first needed: a plugin once per process ([`Host`]), a server once per thread.

mod server_copies;

use std::path::Path;
use std::sync::{Arc, OnceLock};

pub use server_copies::ServerCopies;

use crate::context::Context;
use crate::git::Terminal;
use crate::mcp_client::Servers;
use crate::net;
use crate::plugin::{self, Available, Plugins, Store};
use crate::process;
use crate::project::{self, Project};
use crate::registry::Transport;

/// What a process opens once, whichever folders it works in. Copies share it.
#[derive(Debug, Clone, Default)]
pub struct Host {
    plugins: Arc<OnceLock<Plugins>>,
    net: Arc<OnceLock<Arc<net::Client>>>,
    servers: Arc<Servers>,
    server_copies: Arc<ServerCopies>,
}

/// Everything a thread, a connection or a verb that runs items works with.
#[derive(Debug)]
pub struct Session {
    project: Project,
    /// The MCP servers that are kept: of a thread its own, else those of the process.
    servers: Arc<Servers>,
    host: Host,
}

/// OS threads share these.
const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<Session>();
};

impl Session {
    /// Opens the project of the current folder.
    ///
    /// # Errors
    ///
    /// As [`Project::open`].
    pub fn open(ctx: &Context) -> Result<Self, project::Error> {
        Self::open_on(&Host::default(), ctx)
    }

    /// Opens a session of a process that has others: handles per process are shared.
    ///
    /// # Errors
    ///
    /// As [`Project::open`].
    pub fn open_on(host: &Host, ctx: &Context) -> Result<Self, project::Error> {
        Ok(Self { project: Project::open(ctx)?, servers: Arc::clone(&host.servers), host: host.clone() })
    }

    /// Returns a session for one thread: with trust and servers of its own ([`Project::for_thread`]).
    #[must_use]
    pub fn for_thread(&self) -> Self {
        Self { project: self.project.for_thread(), servers: Arc::default(), host: self.host.clone() }
    }

    /// Returns the session with a private tree in the place of the person's ([`Project::in_tree`]).
    #[must_use]
    pub fn in_tree(self, tree: &Path) -> Self {
        Self { project: self.project.in_tree(tree), ..self }
    }

    /// Returns the project: its items, its repository and whom the person trusts there.
    #[must_use]
    pub const fn project(&self) -> &Project {
        &self.project
    }

    /// Returns the surroundings.
    #[must_use]
    pub const fn context(&self) -> &Context {
        self.project.context()
    }

    /// Returns the copies of projects that the process's MCP servers work in.
    #[must_use]
    pub fn server_copies(&self) -> &ServerCopies {
        &self.host.server_copies
    }

    /// Returns the program's plugins, and the installed ones, under the present trust.
    pub fn plugins(&self) -> Result<Available<'_>, plugin::Error> {
        let plugins = &self.host.plugins;
        if let Some(plugins) = plugins.get() {
            return Ok(Available::new(plugins, self.project.keys()));
        }
        // Nothing is opened yet, so a second OS thread that gets here wastes one look at the executable.
        let found = Plugins::of_program(self.context().program())?;
        // Without a folder for a person's data, none is installed.
        let found = match Store::new(self.context()) {
            Ok(store) => found.with_installed(store),
            Err(_) => found,
        };
        Ok(Available::new(plugins.get_or_init(|| found), self.project.keys()))
    }

    /// Returns the client for the network, which does nothing before it is used.
    #[must_use]
    pub fn net(&self) -> &net::Client {
        self.shared_net()
    }

    /// Returns the same client, for what lives longer than a borrow of the session.
    #[must_use]
    pub fn shared_net(&self) -> &Arc<net::Client> {
        self.host.net.get_or_init(|| Arc::new(net::Client::new(net::Settings::of(self.context()))))
    }

    /// Returns the MCP servers that are kept.
    #[must_use]
    pub fn servers(&self) -> &Servers {
        &self.servers
    }

    /// Returns how registries are fetched and pushed to: by the person's own git, found outside of the project.
    ///
    /// # Errors
    ///
    /// Fails without git.
    pub fn transport(&self, terminal: Terminal) -> Result<Transport, process::Error> {
        let path = self.context().variable("PATH").unwrap_or_default();
        let program = process::find_program("git", path, self.project.work_dir().as_slice())?;
        Ok(Transport { program, terminal, wait: process::wait_passing_on })
    }
}
