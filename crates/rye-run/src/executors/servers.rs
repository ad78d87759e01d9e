//! MCP servers: which the person's configuration declares, how each is started or asked, and what it may reach.
//!
//! Only the person's own file sets the reach of a server, so it is the same in a thread and outside. Paths in the
//! project are those of the thread's tree in a thread. A server over HTTP is one that the person named: that is its
//! permission.

use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::time::Duration;

use super::environment;
use super::foreign_config;
use super::git_reading::{self, ReadableGit};
use super::judged_copy;
use super::programs;
use super::server_error::ServerError;
use super::server_reach::ServerReach;
use super::{KeptAway, ProjectWrites};
use crate::capability::{HostRules, NamedBy};
use crate::context::{
    ContextError, INTERPRETERS, McpServer, PrivateFolder, Sandbox as Rule, Secret, SecretName, ServerVariable,
};
use crate::mcp_client::{self, CallBounds, Client, ListedTool, Local, Peer, Remote, ServerFolders};
use crate::net::Address;
use crate::process::{self, CancelFlag, ChildSpec, Profile, Sandbox};
use crate::project::Project;
use crate::redact::{self, Redactor};
use crate::session::Session;
use crate::workspace::CopiedBack;

/// A server that the configuration declares.
#[derive(Debug, Clone, Copy)]
pub struct Server<'a> {
    session: &'a Session,
    name: &'a str,
    config: &'a McpServer,
    /// Whether a model asks for it: then it runs in a sandbox or not at all, unless the configuration says otherwise.
    is_for_model: bool,
}

impl<'a> Server<'a> {
    /// Finds a declared server.
    ///
    /// # Errors
    ///
    /// [`ServerError::Undeclared`].
    pub fn declared(session: &'a Session, name: &'a str, is_for_model: bool) -> Result<Self, ServerError> {
        let ctx = session.context();
        match ctx.config().mcp_servers.get(name) {
            Some(config) => Ok(Self { session, name, config, is_for_model }),
            None => {
                let config = ctx.config_dir()?.join("config.toml");
                let lines = foreign_config::lines(session.project(), name);
                Err(ServerError::Undeclared { server: name.to_owned(), config, lines })
            }
        }
    }

    /// Returns what the configuration says of it.
    #[must_use]
    pub const fn config(&self) -> &'a McpServer {
        self.config
    }

    const fn project(&self) -> &'a Project {
        self.session.project()
    }

    /// Returns what replaces the values of its secrets in what it says.
    pub fn redactor(&self) -> Result<Redactor, ServerError> {
        let mut known = Vec::new();
        for name in self.config.secrets() {
            if let Some(secret) = self.session.context().secret(name)? {
                known.push(redact::Secret::new(name.clone(), secret.reveal()));
            }
        }
        Ok(Redactor::of_values(known))
    }

    /// Does something with the connection to it, which the session keeps, and with the tools that it lists now. Where it works in a copy of
    /// the project, that is made as the project is before, and what changed in it is judged after, if what was done `counts`. Else
    /// nothing of it comes back, and the next call finds the copy as the project is.
    ///
    /// # Errors
    ///
    /// [`ServerError`].
    pub fn with<T>(
        &self,
        time: Duration,
        cancel: &CancelFlag,
        work: impl FnOnce(&mut Client, &[ListedTool], &CallBounds<'_>) -> Result<T, mcp_client::Error>,
        counts: impl Fn(&T) -> bool,
    ) -> Result<(T, Option<CopiedBack>), ServerError> {
        let opening = self.opening()?;
        let key = self.key();
        // Of another configuration it is another server.
        let definition = format!("{:?}", self.config);
        let secrets = self.redactor()?;
        let open = |bounds: &CallBounds<'_>| {
            let peer = Peer::new(self.name.to_owned(), secrets.clone());
            self.open(&key, peer, &opening, bounds)
        };
        let mut copied = Ok(None);
        let in_copy = |client: &mut Client, tools: &[ListedTool], bounds: &CallBounds<'_>| {
            let (done, back) = self.in_copy(&key, bounds, || work(client, tools, bounds), &counts);
            copied = back;
            done
        };
        let done = self.session.servers().with(&key, &definition, time, cancel, open, in_copy);
        // A copy that cannot be made anew stops the call.
        let copied = copied?;
        Ok((done?, copied))
    }

    /// Tells whether it works in a copy of the project, by the call before.
    #[must_use]
    pub fn has_copy(&self) -> bool {
        self.session.server_copies().of(&self.key()).is_some()
    }

    /// What tells its connection from others.
    fn key(&self) -> String {
        let root = self.project().root().ok();
        format!("{}\n{root:?}\n{}", self.name, self.is_for_model)
    }

    /// Does something while its copy of the project is as the project, and judges what changed meanwhile, if what was done `counts`.
    fn in_copy<T>(
        &self,
        key: &str,
        bounds: &CallBounds<'_>,
        work: impl FnOnce() -> Result<T, mcp_client::Error>,
        counts: &dyn Fn(&T) -> bool,
    ) -> (Result<T, mcp_client::Error>, Result<Option<CopiedBack>, ServerError>) {
        let failed = |source| ServerError::Copy { server: self.name.to_owned(), source };
        let unusable = |source| ServerError::Process { server: self.name.to_owned(), source };
        let copy = self.session.server_copies().of(key);
        let Some(copy) = copy else {
            let done = work();
            // It may have made what other programs obey.
            let checked = if self.config.write.is_empty() { Ok(()) } else { self.reach().map(drop) };
            return (done, checked.map(|()| None).map_err(unusable));
        };
        let mut copy = copy.lock().unwrap_or_else(PoisonError::into_inner);
        match judged_copy::renew(self.project(), &mut copy, bounds.cancel) {
            Ok(true) => {}
            Ok(false) => return (Err(mcp_client::Error::Cancelled), Ok(None)),
            Err(error) => return (Err(mcp_client::Error::Cancelled), Err(failed(error))),
        }
        let done = work();
        let back = self.reach().map_err(unusable).and_then(|reach| {
            let writes = reach.copied.filter(|_| done.as_ref().is_ok_and(counts));
            let Some(writes) = writes else { return Ok(None) };
            let standpoint = self.project().standpoint().map_err(|error| {
                let source = std::io::Error::other(error);
                unusable(process::Error::Confine { what: "what the server writes", source })
            })?;
            writes.bring_back(self.project(), &standpoint, &copy, bounds.cancel).map(Some).map_err(failed)
        });
        (done, back)
    }

    /// Makes sure that it could be started or asked: its program, secrets, grants and address. Nothing is started.
    ///
    /// # Errors
    ///
    /// [`ServerError`].
    pub fn check(&self) -> Result<(), ServerError> {
        self.opening()?;
        let unusable = |source| ServerError::Process { server: self.name.to_owned(), source };
        self.reach().map(drop).map_err(unusable)
    }

    /// Prepares a connection, so that its faults are reported before.
    fn opening(&self) -> Result<Opening, ServerError> {
        match &self.config.url {
            Some(url) => {
                let server = || self.name.to_owned();
                let address: Address =
                    url.parse().map_err(|source| ServerError::Address { server: server(), source })?;
                let named_by = address.rule().and_then(|rule| rule.names(&address.host(), address.port()));
                let auth = self.config.auth.as_ref();
                let authentication = auth.map(|auth| {
                    let value = self.secret(&auth.secret)?;
                    let value = Secret::new(format!("{}{}", auth.prefix, value.reveal()));
                    Ok::<_, ServerError>((auth.header.to_ascii_lowercase(), value))
                });
                let authentication = authentication.transpose()?;
                Ok(Opening::Remote { address, named_by: named_by.unwrap_or(NamedBy::Name), authentication })
            }
            None => {
                let variable = |(name, variable): (&String, &ServerVariable)| {
                    let value = match variable {
                        ServerVariable::Value(value) => value.clone(),
                        ServerVariable::Secret(SecretName { secret }) => self.secret(secret)?.reveal().to_owned(),
                    };
                    Ok::<_, ServerError>((name.clone(), Secret::new(value)))
                };
                let variables = self.config.env.iter().map(variable).collect::<Result<Vec<_>, ServerError>>()?;
                Ok(Opening::Local { program: self.program()?, variables })
            }
        }
    }

    fn open(
        &self,
        key: &str,
        peer: Peer,
        opening: &Opening,
        bounds: &CallBounds<'_>,
    ) -> Result<Client, mcp_client::Error> {
        match opening {
            Opening::Remote { address, named_by, authentication } => {
                let net = self.session.shared_net().clone();
                let remote = Remote::new(net, address.clone(), *named_by, authentication.clone());
                Client::of_remote(peer, remote, bounds)
            }
            Opening::Local { program, variables } => {
                let failed = |source| mcp_client::Error::Start { server: self.name.to_owned(), source };
                let started = self.spec(key, program, variables, bounds).map_err(failed)?;
                let (spec, hosts, folder) = started;
                let confiner = self.session.context().program();
                let local = Local::start(self.name, spec, confiner, hosts, folder)?;
                Client::of_local(peer, local, bounds)
            }
        }
    }

    fn secret(&self, name: &str) -> Result<Secret, ServerError> {
        let ctx = self.session.context();
        match ctx.secret(name)? {
            Some(secret) => Ok(secret),
            None => {
                let path = ctx.config_dir()?.join("secrets").join(name);
                Err(ServerError::NoSecret { server: self.name.to_owned(), secret: name.to_owned(), path })
            }
        }
    }

    /// Finds its program, outside of the project.
    fn program(&self) -> Result<PathBuf, ServerError> {
        let refused = self.project().program_free();
        let root = &process::as_paths(&refused);
        let ctx = self.session.context();
        let path = ctx.variable("PATH").unwrap_or_default();
        let name = self.config.command.first().map(String::as_str).unwrap_or_default();
        let found = match ctx.config().interpreters.get(name) {
            Some(configured) => process::configured_program(configured, root),
            None if name.starts_with('/') => process::configured_program(Path::new(name), root),
            // A shim of a version manager would need what it manages.
            None if INTERPRETERS.contains(&name) => process::find_interpreter(name, path, root),
            None => process::find_program(name, path, root),
        };
        found.map_err(|source| ServerError::Process { server: self.name.to_owned(), source })
    }

    fn spec(
        &self,
        key: &str,
        program: &Path,
        variables: &[(String, Secret)],
        bounds: &CallBounds<'_>,
    ) -> Result<(ChildSpec, HostRules, ServerFolders), process::Error> {
        let ctx = self.session.context();
        let unusable = |error: ContextError| process::Error::NoSandbox { reason: error.to_string() };
        let temp_dir = ctx.temp_dir().map_err(unusable)?;
        let folder = private_folder(&temp_dir)?;
        let private = folder.path().canonicalize().unwrap_or_else(|_| folder.path().to_owned());
        let reach = self.reach()?;
        let git = self.readable_git(&reach, &temp_dir)?;
        let mut current_dir = if reach.is_in_project { self.root().to_path_buf() } else { private.clone() };
        let mode = ctx.config().sandbox.mode.unwrap_or(if self.is_for_model { Rule::Require } else { Rule::Prefer });
        self.session.server_copies().forget(key);
        let sandbox = match (mode, Sandbox::is_supported()) {
            (Rule::Off, _) | (Rule::Prefer, Err(_)) => None,
            (Rule::Require, Err(error)) => return Err(error),
            (Rule::Require | Rule::Prefer, Ok(())) => {
                let ServerReach { reads, projects, mut writes, copied, .. } = reach;
                let kept_away = KeptAway::of(self.project())?;
                if !self.project().is_in_tree() {
                    kept_away.check_outside(&writes)?;
                }
                writes.push(private.clone());
                if let Some(root) = copied.map(|writes| self.copy(key, &writes, &temp_dir, bounds)).transpose()? {
                    writes.push(root.clone());
                    current_dir = root;
                }
                let reads = programs::reachable(self.project(), program).into_iter().chain(reads).collect();
                let network = !self.config.hosts.is_empty();
                let mut sandbox = Sandbox { reads, projects, writes, network, ..Sandbox::of(Profile::Server) };
                let of_git = git.as_ref().map(|git| git.share(self.project(), &mut sandbox)).unwrap_or_default();
                kept_away.keep_from(&mut sandbox, &private, &of_git, bounds.cancel)?;
                Some(sandbox)
            }
        };
        let hosts = match &sandbox {
            Some(_) => HostRules::default().or(vec![self.config.hosts.clone()]),
            None => HostRules::default(),
        };
        let mut env = environment::clean(self.project(), &private);
        if !hosts.is_empty() {
            env.extend(environment::way_out());
        }
        env.extend(git.iter().flat_map(|_| git_reading::variables()));
        let spec = ChildSpec {
            program: program.to_owned(),
            args: self.config.command.iter().skip(1).map(Into::into).collect(),
            stdin: Vec::new(),
            env,
            target_env: variables.iter().map(|(name, value)| (name.clone(), value.reveal().to_owned())).collect(),
            current_dir,
            limits: Profile::Server.limits(),
            sandbox,
        };
        Ok((spec, hosts, ServerFolders::new(folder, git.map(ReadableGit::into_script))))
    }

    /// Prepares what it reads of the project's git folder, if it reads the whole project.
    fn readable_git(&self, reach: &ServerReach, temp_dir: &Path) -> Result<Option<ReadableGit>, process::Error> {
        match reach.copied.is_none() && !reach.projects.is_empty() {
            true => ReadableGit::prepare(self.project(), temp_dir),
            false => Ok(None),
        }
    }

    /// Makes the copy of the project that it works in, and returns where it is.
    fn copy(
        &self,
        key: &str,
        writes: &ProjectWrites,
        temp_dir: &Path,
        bounds: &CallBounds<'_>,
    ) -> Result<PathBuf, process::Error> {
        let failed = |source| process::Error::Script {
            file_name: "the server's copy of the project".to_owned(),
            folder: temp_dir.to_owned(),
            source,
        };
        let copy = writes.copy(self.project(), temp_dir, bounds.cancel);
        let copy = copy.map_err(|error| failed(std::io::Error::other(error)))?;
        let copy = copy.ok_or_else(|| failed(std::io::ErrorKind::Interrupted.into()))?;
        let root = copy.root().to_path_buf();
        self.session.server_copies().keep(key, copy);
        Ok(root)
    }

    fn root(&self) -> &Path {
        self.project().root().unwrap_or(self.session.context().current_dir())
    }

    /// What the configuration lets it read and write.
    fn reach(&self) -> Result<ServerReach, process::Error> {
        ServerReach::of(self.project(), self.config, self.root())
    }
}

/// What a connection needs.
enum Opening {
    Local { program: PathBuf, variables: Vec<(String, Secret)> },
    Remote { address: Address, named_by: NamedBy, authentication: Option<(String, Secret)> },
}

fn private_folder(temp_dir: &Path) -> Result<PrivateFolder, process::Error> {
    PrivateFolder::create(temp_dir).map_err(|source| process::Error::Script {
        file_name: "the server's folder".to_owned(),
        folder: temp_dir.to_owned(),
        source,
    })
}
