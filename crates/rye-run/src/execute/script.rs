//! Running a tool that is a script: planned by its kind, run as a child, interpreted by its kind.
//!
//! The bytes that run are the bytes that were verified, from a private folder, with an interpreter that does not lie in the project
//! (hole 27 of the threat model).

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rye_plugin_abi::tool_kind::{InterpretRequest, PROJECT, PlanResponse, SCRIPT, Status};
use serde_json::{Map, Value};

use super::super::executors::{self, ProjectWrites, Script};
use super::super::locate::LocateError;
use super::bounds::{Bounds, DEFAULT_TIMEOUT};
use super::confinement;
use super::error::Error;
use super::git_command;
use super::in_project;
use super::said::{SaidText, said};
use super::shell::{self, Granted};
use super::start::{Program, Start};
use super::status::{Ended, ToolStatus};
use super::tool::ToolRun;
use crate::capability::shell::RUN;
use crate::capability::{HostRules, ProjectPath};
use crate::context::{GIVEN_VARIABLES, INTERPRETERS};
use crate::id::{ItemType, Space};
use crate::item::CompanionPath;
use crate::net::{Proxy, Relay};
use crate::plugin::ToolKind;
use crate::process::{self, ChildOutput, ChildSpec, Limits, PrivateScript};
use crate::trust::ContentHash;
use crate::workspace::{self, CopiedBack, ProjectCopy};

/// The commands of git that read the project and its history, and write nothing unless they are asked to.
const READS: [&str; 16] = [
    "blame",
    "cat-file",
    "describe",
    "diff",
    "for-each-ref",
    "grep",
    "log",
    "ls-files",
    "ls-tree",
    "merge-base",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "show-ref",
    "status",
];

/// A child to run, with its preparation and messages.
struct Child {
    spec: ChildSpec,
    /// The hosts that it may reach.
    hosts: HostRules,
    /// The Unix sockets that it may reach.
    sockets: Vec<PathBuf>,
    /// The files and folders outside of work trees that it writes itself.
    outside: Vec<PathBuf>,
    /// Why it has no sandbox though one was looked for.
    no_sandbox: Option<process::Error>,
}

impl ToolRun<'_> {
    /// Plans the run; a built-in tool has no plan.
    pub(super) fn planned(&self) -> Result<Option<(ToolKind, PlanResponse)>, Error> {
        let Self { item_id, extension, tool, bytes, .. } = self;
        let script = Script { item_id, extension, tool, bytes };
        executors::plan(self.session, script, &self.executor, &Value::Object(self.parameters.clone()))
            .map_err(|source| Error::of_plan(item_id, tool, source))
    }

    pub(super) fn run_child(
        &self,
        kind: &ToolKind,
        state: Value,
        start: Start,
        bounds: &Bounds<'_>,
    ) -> Result<(ToolStatus, Value, Ended), Error> {
        let failed = |source| Error::Process { item_id: self.item_id.clone(), source };
        let ctx = self.session.context();
        let file_name = format!("{}.{}", self.item_id.name(), self.extension);
        let temp_dir = ctx.temp_dir().map_err(LocateError::from)?;
        let script = PrivateScript::create(&temp_dir, &file_name, &self.bytes).map_err(failed)?;
        for (path, bytes) in self.companions()? {
            script.add(path.as_str(), &bytes).map_err(failed)?;
        }
        let is_new = |name: &&String| !self.tool.companions.iter().any(|companion| companion.path.as_str() == **name);
        for name in start.files.keys().filter(is_new) {
            script.add(name, start.files[name].as_bytes()).map_err(failed)?;
        }
        let git_file = match self.project().is_in_tree() {
            true => executors::git_reading::link(self.project(), &temp_dir),
            false => executors::git_reading::git_config(self.project(), &temp_dir),
        };
        let git_file = git_file.map_err(failed)?;
        let patches = self.patches(&start, bounds.secrets);
        let copy = if self.only_reads(&start) { None } else { self.copy_of_project(&temp_dir, bounds)? };
        let git_file = git_file.as_ref().map(PrivateScript::path);
        let root = copy.as_ref().map(|(_, copy)| copy.root());
        let Child { spec, hosts, sockets, outside, no_sandbox } = self.child(start, &script, git_file, root, bounds)?;
        // Where it cannot be served, whoever connects is refused at once.
        let mut proxy = None;
        let serve = |listener, listeners: Vec<OwnedFd>| {
            proxy = Proxy::serve(listener, hosts).ok();
            Relay::serve(listeners.into_iter().zip(sockets).collect())
        };
        let waiting = process::Waiting { cancel: bounds.cancel, said: bounds.said };
        let mut output = process::run_with_way_out(&spec, Some(ctx.program()), waiting, serve).map_err(failed)?;
        let planted = self.planted(&outside);
        let asked = proxy.map(|proxy| proxy.asked()).unwrap_or_default();
        let (stopped, held_open) = (stopped_for(&output), output.stdout_held_open);
        let is_held = spec.sandbox.is_some() && !self.project().is_in_tree();
        let was_refused = is_held && confinement::was_refused(&output.stderr);
        let said = said(&mut output, patches.as_ref(), bounds.secrets);
        let stderr = said.end_of_stderr();
        let ended = Ended { cancelled: output.cancelled, was_refused, no_sandbox, stderr, asked, ..Ended::default() };
        let interpreted = kind
            .interpret(&interpret_request(state, &output, said))
            .map_err(|source| Error::Plugin { item_id: self.item_id.clone(), source })?;
        let stopped = stopped.or_else(|| {
            held_open
                .then(|| "a process that the tool left in the background still holds standard output open".to_owned())
        });
        let (status, result) = match (planted.or(stopped), interpreted.status) {
            (Some(message), _) => (ToolStatus::Error, failed_by(interpreted.result, message)),
            (None, Status::Ok) => (ToolStatus::Ok, interpreted.result),
            (None, Status::Error) => (ToolStatus::Error, self.with_hint(interpreted.result, output.exit_code)),
        };
        Ok((status, result, self.take_back(copy, status, ended, bounds)?))
    }

    /// Says what a tool left in a folder that it wrote itself, if other programs would obey it.
    fn planted(&self, outside: &[PathBuf]) -> Option<String> {
        let found = outside.iter().find_map(|path| in_project::check_write(self.project(), path).err())?;
        Some(format!("the tool left what other programs would obey: {found}"))
    }

    /// Brings back what a tool did in a copy of the project. Writes of a failed script are dropped with the copy.
    fn take_back(
        &self,
        copy: Option<(ProjectWrites, ProjectCopy)>,
        status: ToolStatus,
        ended: Ended,
        bounds: &Bounds<'_>,
    ) -> Result<Ended, Error> {
        let Some((writes, copy)) = copy else { return Ok(ended) };
        if status == ToolStatus::Error || ended.cancelled {
            // It may have failed for what it did not see.
            let left_out = copy.unseen();
            let copied = (!left_out.is_empty()).then(|| CopiedBack { left_out, ..CopiedBack::default() });
            return Ok(Ended { is_dropped: true, copied, ..ended });
        }
        let standpoint = self.project().standpoint().map_err(LocateError::from)?;
        let back = writes
            .bring_back(self.project(), &standpoint, &copy, bounds.cancel)
            .map_err(|source| self.copy_failed(source))?;
        Ok(Ended { copied: Some(back), ..ended })
    }

    /// Tells whether it is a git command that only reads: it needs no copy, which has no git folder.
    fn only_reads(&self, start: &Start) -> bool {
        let is_git = matches!(&start.program, Program::Named(name) if name == "git");
        let is_built_in = self.space == Space::System && self.item_id.as_str().starts_with("rye/git/");
        let verb = start.args.iter().find(|arg| !arg.starts_with('-')).map(String::as_str);
        is_git && (is_built_in || self.item_id.as_str() == RUN) && verb.is_some_and(|verb| READS.contains(&verb))
    }

    /// Copies the project, if the tool may write in it.
    fn copy_of_project(
        &self,
        temp_dir: &Path,
        bounds: &Bounds<'_>,
    ) -> Result<Option<(ProjectWrites, ProjectCopy)>, Error> {
        if !confinement::is_held(self.project(), bounds) {
            return Ok(None);
        }
        let writes = in_project::writes(self.project(), bounds)
            .map_err(|source| Error::Process { item_id: self.item_id.clone(), source })?;
        let Some(writes) = writes else { return Ok(None) };
        let copy = writes.copy(self.project(), temp_dir, bounds.cancel).map_err(|source| self.copy_failed(source))?;
        Ok(copy.map(|copy| (writes, copy)))
    }

    fn copy_failed(&self, source: workspace::Error) -> Error {
        Error::Copy { item_id: self.item_id.clone(), source }
    }

    /// Reads the files that run with the tool, each with the digest that the verified header names.
    pub(super) fn companions(&self) -> Result<Vec<(&CompanionPath, Vec<u8>)>, Error> {
        let fault = |path: &CompanionPath, source| Error::Companion {
            item_id: self.item_id.clone(),
            path: path.clone(),
            source,
        };
        let mut files = Vec::new();
        for companion in &self.tool.companions {
            let path = &companion.path;
            let read = self.project().workspace().read_beside(self.space, ItemType::Tool, &self.item_id, path.as_str());
            let bytes = read.map_err(|source| fault(path, Some(source)))?;
            if ContentHash::of(&bytes) != companion.sha256 {
                return Err(fault(path, None));
            }
            files.push((path, bytes));
        }
        Ok(files)
    }

    fn child(
        &self,
        start: Start,
        script: &PrivateScript,
        git_file: Option<&Path>,
        copy: Option<&Path>,
        bounds: &Bounds<'_>,
    ) -> Result<Child, Error> {
        let Start { program, args, stdin, env, files, folder, timeout } = start;
        let project = self.project().root().unwrap_or(self.session.context().current_dir());
        let root = copy.unwrap_or(project).to_path_buf();
        let args = match &program {
            Program::Interpreter(_) => filled(args, script, &root, |name| files.contains_key(name)),
            // Here braces are the caller's own.
            Program::Named(_) => args.into_iter().map(OsString::from).collect(),
        };
        let granted = Granted::of(self, &program);
        let current_dir = folder.map_or_else(|| Ok(root.clone()), |folder| self.folder(&root, &folder))?;
        let mut target_env = self.variables(env)?;
        let mut env = executors::environment::clean(self.project(), script.folder());
        let of_tree = self.of_tool_chains(&program, granted, script, &current_dir, (&mut env, &mut target_env))?;
        target_env.extend(granted.variables());
        let own_git = git_command::prepare(self.project(), script, &mut env)
            .map_err(|source| Error::Process { item_id: self.item_id.clone(), source })?;
        let own = self.runtime().and_then(|runtime| runtime.timeout).map(Duration::from_secs);
        let usual = timeout.unwrap_or(DEFAULT_TIMEOUT);
        let timeout = [bounds.timeout, own].into_iter().flatten().fold(usual, Duration::min);
        let program = match (&program, own_git, of_tree) {
            // It says what git cannot do in a thread.
            (Program::Named(name), Some(own_git), _) if name == "git" && self.item_id.as_str() == RUN => own_git,
            (Program::Named(_), _, Some(of_tree)) => of_tree,
            (Program::Named(_) | Program::Interpreter(_), _, _) => self.program(&program)?,
        };
        let confinement::Parts { sandbox, hosts, outside, no_sandbox } =
            confinement::of_tool(self.project(), &program, script.folder(), git_file, copy, granted, bounds)
                .map_err(|source| Error::Process { item_id: self.item_id.clone(), source })?
                .into_parts();
        if !hosts.is_empty() {
            env.extend(executors::environment::way_out());
        }
        let sockets = if sandbox.is_some() { granted.sockets() } else { Ok(Vec::new()) };
        let sockets = sockets.map_err(|source| Error::Process { item_id: self.item_id.clone(), source })?;
        target_env.extend(shell::addresses(&sockets));
        let sockets = sockets.into_iter().map(|(_, path)| path).collect();
        let spec = ChildSpec {
            sandbox,
            program,
            args,
            stdin: stdin.into_bytes(),
            env,
            target_env,
            current_dir,
            limits: Limits { timeout, max_stdout: bounds.max_output, ..granted.profile().limits() },
        };
        Ok(Child { spec, hosts, sockets, outside, no_sandbox })
    }

    /// Finds the folder of the project that a program runs in.
    fn folder(&self, root: &Path, folder: &str) -> Result<PathBuf, Error> {
        let is_git = |part: &str| part.eq_ignore_ascii_case(".git");
        let parsed: Option<ProjectPath> = folder.parse().ok().filter(|path: &ProjectPath| !path.parts().any(is_git));
        let found = parsed.and_then(|path| root.join(path.as_str()).canonicalize().ok()).filter(|path| path.is_dir());
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        found.filter(|path| path.starts_with(root)).ok_or_else(|| Error::NoKind {
            item_id: self.item_id.clone(),
            reason: format!("`{folder}` is not a folder of the project"),
        })
    }

    /// Finds the program to start, which lies outside the project.
    pub(super) fn program(&self, program: &Program) -> Result<PathBuf, Error> {
        match program {
            Program::Interpreter(candidates) => self.interpreter(candidates),
            Program::Named(name) => {
                let refused = self.project().program_free();
                let root = &process::as_paths(&refused);
                let path = self.session.context().variable("PATH").unwrap_or_default();
                let configured = Granted::of(self, program).program();
                let configured = configured.or_else(|| name.starts_with('/').then(|| PathBuf::from(name)));
                let found = match configured {
                    Some(path) => process::configured_program(&path, root),
                    // A shim of a version manager would need what it manages.
                    None if INTERPRETERS.contains(&name.as_str()) => process::find_interpreter(name, path, root),
                    None => process::find_program(name, path, root),
                };
                found.map_err(|source| self.not_started(source))
            }
        }
    }

    /// Finds the interpreter: the configured one, else the first candidate on PATH that lies outside the project.
    fn interpreter(&self, candidates: &[String]) -> Result<PathBuf, Error> {
        let ctx = self.session.context();
        let refused = self.project().program_free();
        let root = &process::as_paths(&refused);
        let configured = candidates.iter().find_map(|name| ctx.config().interpreters.get(name));
        if let Some(path) = configured {
            return process::configured_program(path, root)
                .map_err(|source| Error::Process { item_id: self.item_id.clone(), source });
        }
        let mut missing = None;
        for name in candidates {
            match process::find_interpreter(name, ctx.variable("PATH").unwrap_or_default(), root) {
                Ok(path) => return Ok(path),
                Err(error) => missing = missing.or(Some(error)),
            }
        }
        Err(match missing {
            Some(source) => Error::Process { item_id: self.item_id.clone(), source },
            None => Error::NoKind { item_id: self.item_id.clone(), reason: "its kind names no interpreter".to_owned() },
        })
    }

    /// What the plan, the runtime and the tool's header set: for the script alone, so that none of it reaches what confines it.
    fn variables(&self, planned: BTreeMap<String, String>) -> Result<BTreeMap<String, String>, Error> {
        let mut variables = planned;
        variables.extend(self.runtime().map(|runtime| runtime.env.clone()).unwrap_or_default());
        variables.extend(self.tool.env.clone());
        let is_given =
            |name: &&String| GIVEN_VARIABLES.contains(&name.as_str()) || name.is_empty() || name.contains(['=', '\0']);
        match variables.keys().find(is_given) {
            None => Ok(variables),
            Some(name) => {
                let reason = format!("its `env` cannot set `{name}`");
                Err(Error::NoKind { item_id: self.item_id.clone(), reason })
            }
        }
    }
}

/// Says which limit a tool was stopped for.
pub(super) fn stopped_for(output: &ChildOutput) -> Option<String> {
    let flood = output.flood.map(|limit| format!("stopped: wrote more than {limit} bytes"));
    flood.or_else(|| output.excess.map(|excess| format!("stopped: {excess}")))
}

/// Says of a result why its tool failed, whatever the tool kind makes of it.
pub(super) fn failed_by(result: Value, message: String) -> Value {
    let mut failure = match result {
        Value::Object(failure) => failure,
        result => Map::from_iter([("stdout".to_owned(), result)]),
    };
    failure.insert("message".to_owned(), message.into());
    Value::Object(failure)
}

/// Hands an output to the tool kind, which shows parts of it.
fn interpret_request(state: Value, output: &ChildOutput, said: SaidText) -> InterpretRequest {
    InterpretRequest {
        state,
        exit_code: output.exit_code,
        signal: output.signal,
        timed_out: output.timed_out,
        stdout: said.stdout,
        stderr: said.stderr.into_owned(),
        stdout_truncated: output.stdout_truncated,
        stdout_written: output.stdout_cut.as_ref().map(|cut| cut.written),
        ..InterpretRequest::default()
    }
}

/// Fills in the places that an interpreter's arguments leave for the script, the project and files that come with the call.
fn filled(args: Vec<String>, script: &PrivateScript, root: &Path, is_file: impl Fn(&str) -> bool) -> Vec<OsString> {
    let file = |arg: &str| {
        let name = arg.strip_prefix('{')?.strip_suffix('}')?;
        is_file(name).then(|| script.folder().join(name).into())
    };
    let fill = |arg: String| match arg.as_str() {
        SCRIPT => script.path().into(),
        PROJECT => root.into(),
        _ => file(&arg).unwrap_or_else(|| arg.into()),
    };
    args.into_iter().map(fill).collect()
}
