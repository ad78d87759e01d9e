//! What the program needs on this machine and in this project, looked at part by part.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use super::{hints, text};
use crate::context::{Context, Share};
use crate::error::with_causes;
use crate::keys::{KeyName, KeyStore};
use crate::ops::decisions::{ProposalStatus, project_state};
use crate::ops::execute::check_sandbox;
use crate::ops::executors::Server;
use crate::ops::locate::ToolNeed;
use crate::ops::plugins;
use crate::process::{self, CancelFlag, ChildSpec, Limits};
use crate::project::Project;
use crate::registry::known;
use crate::session::Session;
use crate::thread::{ProviderStatus, providers};

/// The oldest git that checks signatures of SSH keys.
const OLDEST_GIT: (u32, u32) = (2, 34);

/// How a part is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    /// As it should be.
    Ok,
    /// Usable, and something is worth knowing.
    Note,
    /// It has to be mended.
    Problem,
}

/// The result for one part.
#[derive(Debug, Serialize)]
pub(super) struct Check {
    /// The part.
    pub(super) part: &'static str,
    /// How it is.
    pub(super) state: State,
    /// The result.
    pub(super) message: String,
    /// What helps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) fix: Option<String>,
}

/// The results of all parts.
#[derive(Debug, Serialize)]
pub(super) struct DoctorOutcome {
    /// The worst of them.
    pub(super) status: State,
    /// The parts, in order.
    pub(super) checks: Vec<Check>,
}

/// What one look came to: good, worth knowing, or wrong.
type Found = Result<Look, Look>;

/// A sentence, and what helps.
struct Look {
    state: State,
    message: String,
    fix: Option<String>,
}

impl Look {
    fn good(message: impl Into<String>) -> Self {
        Self { state: State::Ok, message: message.into(), fix: None }
    }

    fn note(message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { state: State::Note, message: message.into(), fix: Some(fix.into()) }
    }

    fn problem(message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { state: State::Problem, message: message.into(), fix: Some(fix.into()) }
    }
}

/// Looks at every part; a failure in one does not affect the others.
pub(super) fn examine(ctx: &Context) -> DoctorOutcome {
    let session = Session::open(ctx);
    let mut checks = vec![check("git", git(ctx, session.as_ref().ok().map(Session::project)))];
    match &session {
        Err(error) => checks.push(check(
            "project",
            Err(Look::problem(with_causes(error), "correct what it names, then run `rye doctor` again")),
        )),
        Ok(session) => checks.extend([
            check("project", project(session.project())),
            check("configuration", configuration(session.project())),
            check("keys", keys(ctx)),
            check("trust", trust(session.project())),
            check("sandbox", sandbox(ctx)),
            check("providers", of_providers(session)),
            check("plugins", plugins(session.project())),
            check("registries", registries(ctx)),
        ]),
    }
    if let Some(found) = session.as_ref().ok().and_then(mcp_servers) {
        checks.push(check("mcp servers", found));
    }
    if let Some(found) = session.as_ref().ok().and_then(tool_chains) {
        checks.push(check("tools of threads", found));
    }
    let status = checks.iter().map(|check| check.state).max().unwrap_or(State::Ok);
    DoctorOutcome { status, checks }
}

fn check(part: &'static str, found: Found) -> Check {
    let Look { state, message, fix } = found.unwrap_or_else(|wrong| wrong);
    Check { part, state, message: text::one_line(&message), fix }
}

fn git(ctx: &Context, project: Option<&Project>) -> Found {
    let install = "install git 2.34 or newer and put it on `PATH`";
    let path = ctx.variable("PATH").unwrap_or_default();
    let program =
        process::find_program("git", path, &[]).map_err(|error| Look::problem(with_causes(&error), install))?;
    let said = version(&program).map_err(|error| Look::problem(with_causes(&error), install))?;
    let numbers: Vec<u32> =
        said.split_whitespace().nth(2).unwrap_or_default().split('.').map_while(|number| number.parse().ok()).collect();
    match numbers[..] {
        [major, minor, ..] if (major, minor) >= OLDEST_GIT => {
            let found = format!("{said}, at `{}`", program.display());
            match project.and_then(Project::repository) {
                Some(repository) if repository.committer().is_none() => Ok(Look::note(
                    format!("{found}; it does not know your name, which each commit has"),
                    hints::IDENTITY.fill(&[]),
                )),
                Some(_) | None => Ok(Look::good(found)),
            }
        }
        _ => Ok(Look::note(
            format!("`{}` is {said}, which does not check signatures of SSH keys", program.display()),
            install,
        )),
    }
}

fn version(program: &Path) -> Result<String, process::Error> {
    let spec = ChildSpec {
        program: program.to_owned(),
        args: vec!["--version".into()],
        stdin: Vec::new(),
        env: BTreeMap::new(),
        target_env: BTreeMap::new(),
        current_dir: "/".into(),
        limits: Limits::default(),
        sandbox: None,
    };
    let output = process::run(&spec, None, &CancelFlag::new())?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn project(project: &Project) -> Found {
    match project.root() {
        Ok(root) if root.join(".ai").is_dir() => Ok(Look::good(format!("`{}` is a workspace", root.display()))),
        Ok(root) => Ok(Look::note(format!("`{}` has no `.ai` folder", root.display()), "run `rye init`")),
        Err(error) => Ok(Look::note(with_causes(&error), "run `rye init` in the project's folder")),
    }
}

fn configuration(project: &Project) -> Found {
    let fix = "correct the file: threads and `rye mcp` do not start until then";
    project.configs().map_err(|error| Look::problem(with_causes(&error), fix))?;
    let folder = project.context().config_dir().map_err(|error| Look::problem(with_causes(&error), "set `HOME`"))?;
    let file = folder.join("config.toml");
    let has = if file.exists() { "is read" } else { "does not exist; it is optional" };
    Ok(Look::good(format!("`{}` {has}", file.display())))
}

fn keys(ctx: &Context) -> Found {
    let fix = "run `rye key list`";
    let store = KeyStore::new(ctx).map_err(|error| Look::problem(with_causes(&error), fix))?;
    let keys = store.list().map_err(|error| Look::problem(with_causes(&error), fix))?;
    match keys.iter().find(|key| key.name == KeyName::Person.as_str()) {
        Some(key) => Ok(Look::good(format!("you sign with the key {}", key.key_id))),
        None => Ok(Look::note("you have no key yet; your first signature makes one", "run `rye key generate`")),
    }
}

fn trust(project: &Project) -> Found {
    let state = project_state(project).map_err(|error| Look::problem(with_causes(&error), "run `rye trust list`"))?;
    let Some(state) = state else { return Ok(Look::good("the project proposes no keys")) };
    let said = text::trust::proposal(&state, true).unwrap_or_default();
    Ok(match state.status {
        ProposalStatus::Accepted => Look::good(said),
        ProposalStatus::Proposed | ProposalStatus::Changed => Look::note(said, "run `rye trust accept`"),
        ProposalStatus::Unusable => Look::problem(
            said,
            "if you are a root of the project, run `rye trust propose --commit`; otherwise ask one to",
        ),
    })
}

fn sandbox(ctx: &Context) -> Found {
    let required = check_sandbox(ctx);
    match (process::Sandbox::is_supported(), required) {
        (Ok(()), _) => Ok(Look::good("this system can run scripts in a sandbox")),
        (Err(error), Err(_)) => Err(Look::problem(
            format!("{}: no script runs in a thread or over MCP", with_causes(&error)),
            "use a kernel with Landlock (Linux 6.2 or newer), or set `sandbox = \"prefer\"` in your configuration to run scripts without a sandbox",
        )),
        (Err(error), Ok(())) => Ok(Look::note(
            format!("{}: your configuration lets scripts run without a sandbox", with_causes(&error)),
            "use a kernel with Landlock (Linux 6.2 or newer)",
        )),
    }
}

fn of_providers(session: &Session) -> Found {
    let listed = providers(session).map_err(|error| Look::problem(with_causes(&error), "run `rye provider list`"))?;
    let names = |is_wanted: &dyn Fn(&&crate::thread::ProviderState) -> bool| {
        listed.providers.iter().filter(is_wanted).map(|state| format!("`{}`", state.id)).collect::<Vec<_>>().join(", ")
    };
    let broken = names(&|state| state.is_broken());
    if !broken.is_empty() {
        return Err(Look::problem(format!("cannot be used: {broken}"), "run `rye provider list`, which says why"));
    }
    let usable = names(&|state| state.status == ProviderStatus::Usable && state.secret.is_some());
    if usable.is_empty() {
        let fix = "set `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`, or name a provider of your own: `rye provider list`";
        return Ok(Look::note("no model provider has its secret", fix));
    }
    Ok(Look::good(usable))
}

fn plugins(project: &Project) -> Found {
    let listed = plugins::list(project).map_err(|error| Look::problem(with_causes(&error), "run `rye plugin list`"))?;
    let names = |is_good: bool| {
        let wanted = listed.plugins.iter().filter(|listed| listed.plugin.is_some() == is_good);
        wanted.map(|listed| format!("`{}`", listed.name)).collect::<Vec<_>>().join(", ")
    };
    let refused = names(false);
    if !refused.is_empty() {
        return Err(Look::problem(format!("not opened: {refused}"), "run `rye plugin verify`, which says why"));
    }
    match (names(true), plugins::check_can_open(project)) {
        (none, _) if none.is_empty() => Ok(Look::good("none")),
        (good, Ok(())) => Ok(Look::good(good)),
        (_, Err(error)) => Ok(Look::note(
            with_causes(&error),
            "build the program yourself with `cargo install` to use installed plugins",
        )),
    }
}

fn registries(ctx: &Context) -> Found {
    let fix = "correct the file that it names, or run `rye registry list`";
    let listed = known(ctx).map_err(|error| Look::problem(with_causes(&error), fix))?;
    Ok(match listed.registries.len() {
        0 => Look::good("none; your first `rye publish` makes one"),
        1 => Look::good(format!("`{}`", listed.registries[0].name)),
        count => Look::good(format!("{count} registries")),
    })
}

/// Looks at the declared servers: their programs, secrets and grants. None is started; without one there is nothing to tell.
fn mcp_servers(session: &Session) -> Option<Found> {
    let servers = &session.context().config().mcp_servers;
    let names: Vec<&String> = servers.keys().collect();
    let first = names.first()?;
    let fault = names.iter().find_map(|name| {
        let checked = Server::declared(session, name, false).and_then(|server| server.check());
        checked
            .err()
            .map(|error| Look::problem(with_causes(&error), "correct what it names, then run `rye doctor` again"))
    });
    Some(match (fault, names.len()) {
        (Some(fault), _) => Err(fault),
        (None, 1) => Ok(Look::good(format!("`{first}`"))),
        (None, count) => Ok(Look::good(format!("{count} servers"))),
    })
}

/// Looks at what the tools of the project need in a thread, whose tree has no ignored files. A project without such tools has nothing to
/// tell.
fn tool_chains(session: &Session) -> Option<Found> {
    let needs = session.project().tool_needs();
    let in_words = |need: &ToolNeed| {
        let folders = need.folders.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ");
        let name = Share::Preset(need.preset).to_string();
        if folders.is_empty() { name } else { format!("{name} ({folders})") }
    };
    let listed = |needs: &[&ToolNeed]| needs.iter().map(|need| in_words(need)).collect::<Vec<_>>().join(", ");
    let (shared, missing): (Vec<&ToolNeed>, Vec<&ToolNeed>) = needs.iter().partition(|need| need.is_shared);
    let unmade = |need: &&ToolNeed| need.preset.row().maker.filter(|_| need.folders.is_empty());
    if !missing.is_empty() {
        let names = missing.iter().map(|need| Share::Preset(need.preset).to_string()).collect::<Vec<_>>().join(" ");
        let message = format!("threads lack what this project's tools need: {}", listed(&missing));
        return Some(Ok(Look::note(message, format!("run `rye thread share {names}`"))));
    }
    if let Some((need, maker)) = shared.iter().find_map(|need| Some((need, unmade(need)?))) {
        let message = format!("{} finds no `{}`", in_words(need), need.preset.row().folders[0]);
        return Some(Ok(Look::note(message, format!("make it, for example with `{maker}`"))));
    }
    (!shared.is_empty()).then(|| Ok(Look::good(format!("threads share {}", listed(&shared)))))
}
