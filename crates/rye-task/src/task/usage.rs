//! The needs of a run: those that it used, and those that it was refused.

use std::collections::BTreeSet;

use super::need::{Need, RecordedCall, usual};
use crate::capability::{Access, HostRule, ProjectPath};
use crate::event::{CallStatus, Event, EventData};
use crate::id::{ItemId, ThreadName};
use crate::item::{GrantFlags, PersonGrant};
use crate::session::Session;
use crate::thread::{Error, History};

/// What a run was refused that flags can allow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusals {
    /// What the flags allowed.
    pub granted: PersonGrant,
    /// What they did not, in order.
    pub needs: BTreeSet<Need>,
}

/// Returns what a task was refused; none for a thread without flags.
///
/// # Errors
///
/// Fails as [`History::read`] does.
pub fn refusals(session: &Session, thread: impl Into<ThreadName>) -> Result<Option<Refusals>, Error> {
    let history = History::read(session, thread)?;
    let Some(granted) = history.granted().cloned() else { return Ok(None) };
    let events: Vec<&Event> = history.events().collect();
    let asked = calls(&events).filter(|(_, status)| *status == CallStatus::Denied).flat_map(|(call, _)| call.needs());
    let needs = asked.chain(events.iter().flat_map(|event| left_out(event)));
    let needs = needs.filter(|need| is_refused(&granted, need)).collect();
    Ok(Some(Refusals { granted, needs }))
}

impl Refusals {
    /// Returns the flags that allow it, with those that were given.
    #[must_use]
    pub fn flags(&self) -> GrantFlags {
        let mut flags = GrantFlags::from(self.granted.clone());
        for need in &self.needs {
            match need {
                Need::Read(path) => flags.read.push(folder_of(path)),
                Need::ReadAll(path) => flags.read.push(below(path)),
                Need::Write(path) => flags.write.push(folder_of(path)),
                Need::Run(program) => flags.shell.push(program.clone()),
                Need::Reach(host) => flags.host.push(host.clone()),
                Need::Call(_) => {}
            }
        }
        // Told once each, and nothing that would be refused as a flag.
        PersonGrant::try_from(flags).map_or_else(|_| self.granted.clone().into(), GrantFlags::from)
    }
}

/// Pairs the calls of tools with what became of them.
pub(super) fn calls<'a>(events: &'a [&Event]) -> impl Iterator<Item = (RecordedCall, CallStatus)> + 'a {
    events.iter().filter_map(|event| match &event.what {
        EventData::ToolCallStart { call_id, tool, item_id: Some(id), input, .. } => {
            let status = events.iter().find_map(|event| match &event.what {
                EventData::ToolCallResult { call_id: of, status, .. } if of == call_id => Some(*status),
                _ => None,
            });
            Some((RecordedCall::of(tool, id, input)?, status?))
        }
        _ => None,
    })
}

/// Returns what a tool wanted in its run, and did not get: files that it wrote, and hosts.
fn left_out(event: &Event) -> Vec<Need> {
    match &event.what {
        EventData::PathsSkipped { paths } => {
            let refused = paths.iter().filter(|path| path.reason == "not_permitted");
            refused.filter_map(|path| path.path.parse().ok().map(Need::Write)).collect()
        }
        EventData::ToolCallResult { hosts, .. } => {
            hosts.iter().filter(|asked| !asked.allowed).map(|asked| Need::Reach(usual(&asked.host))).collect()
        }
        _ => Vec::new(),
    }
}

/// Tells whether the flags do not allow it, and could. A call that the configuration denies is not one of these.
fn is_refused(granted: &PersonGrant, need: &Need) -> bool {
    match need {
        Need::Read(path) | Need::ReadAll(path) => !granted.allows(Access::Read, path),
        Need::Write(path) => !granted.allows(Access::Write, path),
        Need::Run(program) => !granted.runs(program),
        Need::Reach(host) => {
            host.parse::<HostRule>().is_ok_and(|rule| !granted.hosts().iter().any(|own| own.includes(&rule)))
        }
        Need::Call(_) => false,
    }
}

/// Returns a glob of the folder that a file lies in; of a file at the top, and of one in a hidden folder, its own path.
fn folder_of(path: &ProjectPath) -> String {
    let is_hidden = path.parts().any(|part| part.starts_with('.'));
    match path.as_str().rsplit_once('/') {
        Some((folder, _)) if !is_hidden => format!("{}/**", literal(folder)),
        Some(_) | None => literal(path.as_str()),
    }
}

/// Returns a glob of all that is in a folder.
pub(super) fn below(folder: &ProjectPath) -> String {
    match folder.as_str() {
        "" => "**".to_owned(),
        folder => format!("{}/**", literal(folder)),
    }
}

/// Writes a path as a glob of itself. A comma separates globs, so it becomes any one character.
pub(super) fn literal(path: &str) -> String {
    let glob = |character: char| match character {
        '*' | '?' | '[' | '{' => format!("[{character}]"),
        ',' => "?".to_owned(),
        other => other.to_string(),
    };
    path.chars().map(glob).collect()
}

/// What a run used.
#[derive(Debug, Default)]
pub(super) struct Usage {
    /// The tools that it called, other than the one that runs programs.
    pub(super) tools: BTreeSet<ItemId>,
    /// The needs of its calls.
    pub(super) needs: BTreeSet<Need>,
    /// Whether a tool ran that reads what it will.
    pub(super) is_open: bool,
}

impl Usage {
    /// Gathers what the calls used that were not refused.
    pub(super) fn of(history: &History) -> Self {
        let events: Vec<&Event> = history.events().collect();
        let mut usage = Self::default();
        for (call, _) in calls(&events).filter(|(_, status)| *status != CallStatus::Denied) {
            for need in call.needs() {
                usage.is_open |= matches!(need, Need::Run(_) | Need::Call(_));
                if !matches!(need, Need::Run(_)) {
                    usage.tools.insert(call.id.clone());
                }
                usage.needs.insert(need);
            }
        }
        let reached = events.iter().flat_map(|event| match &event.what {
            EventData::ToolCallResult { hosts, .. } => hosts.as_slice(),
            _ => &[],
        });
        let reached = reached.filter(|asked| asked.allowed).map(|asked| Need::Reach(usual(&asked.host)));
        usage.needs.extend(reached.collect::<Vec<_>>());
        usage
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_glob_names_a_path_and_no_other() {
        for (path, glob) in [("a*b", "a[*]b"), ("a?[x]", "a[?][[]x]"), ("a{b}", "a[{]b}"), ("a,b", "a?b")] {
            assert_eq!(literal(path), glob);
        }
    }

    #[test]
    fn what_was_refused_becomes_flags() {
        let path = |text: &str| text.parse::<ProjectPath>().unwrap();
        let needs = [
            Need::Write(path("src/lib.rs")),
            Need::Write(path("src/main.rs")),
            Need::Write(path("Cargo.toml")),
            Need::Write(path(".github/workflows/x.yml")),
            Need::Run("cargo".to_owned()),
            Need::Reach("a.example".to_owned()),
            Need::Call("rye/registry/pull".parse().unwrap()),
        ];
        let refusals = Refusals { granted: PersonGrant::default(), needs: needs.into() };
        let flags = refusals.flags();
        assert_eq!(flags.write, [".github/workflows/x.yml", "Cargo.toml", "src/**"]);
        assert_eq!((flags.shell, flags.host), (vec!["cargo".to_owned()], vec!["a.example".to_owned()]));
        assert_eq!(flags.read, ["**"]);
    }
}
