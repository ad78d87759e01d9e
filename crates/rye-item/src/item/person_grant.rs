//! What a person lets a task do, by flags of the command line: the same types as a directive's `<permissions>`.
//!
//! The thread of [`TASK`] has these permissions in the place of the directive's own. They are in its record, and a replay judges
//! by them.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Builtin, FileTool, Limits, Money};
use crate::capability::{
    Access, Capabilities, Capability, HostRule, HostRuleError, PathRules, PathRulesError, ProjectPath, shell,
};
use crate::id::ItemId;

/// The only directive whose permissions a person gives by flags.
pub const TASK: &str = "rye/core/task";

/// Every path of the project.
const EVERYTHING: &str = "**";

/// The tools that read the project's history. Git reads more than a path rule says, so they come with the whole project only.
const HISTORY: [&str; 4] = ["rye/git/status", "rye/git/diff", "rye/git/log", "rye/git/show"];

/// What a task may do. Without flags it reads the project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "GrantFlags", into = "GrantFlags")]
pub struct PersonGrant {
    paths: PathRules,
    programs: Vec<String>,
    hosts: Vec<HostRule>,
}

/// The flags as the record has them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GrantFlags {
    /// Globs of paths that may be read; the whole project without any.
    pub read: Vec<String>,
    /// Globs of paths that may be written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub write: Vec<String>,
    /// Names of programs that may be run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shell: Vec<String>,
    /// Hosts that may be reached.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub host: Vec<String>,
}

/// A flag that grants nothing that can be enforced.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum PersonGrantError {
    /// The glob is not one, or leaves the project.
    #[error(transparent)]
    Path(#[from] PathRulesError),
    /// The glob names no path.
    #[error("a glob is empty: name paths relative to the project's folder, such as `src/**`")]
    NoPath,
    /// The glob lies in a place that no tool may touch.
    #[error("no tool may touch `{pattern}`: git or Rye keeps this place for itself")]
    Forbidden { pattern: String },
    /// The word names no program.
    #[error("`{name}` does not name a program: {reason}")]
    Program { name: String, reason: &'static str },
    /// The word names no host.
    #[error(transparent)]
    Host(#[from] HostRuleError),
}

impl Default for PersonGrant {
    fn default() -> Self {
        let paths = PathRules { read: vec![EVERYTHING.to_owned()], write: Vec::new() };
        Self { paths, programs: Vec::new(), hosts: Vec::new() }
    }
}

impl TryFrom<GrantFlags> for PersonGrant {
    type Error = PersonGrantError;

    fn try_from(flags: GrantFlags) -> Result<Self, Self::Error> {
        let mut paths = PathRules::default();
        flags.read.iter().try_for_each(|glob| add(&mut paths, Access::Read, glob))?;
        flags.write.iter().try_for_each(|glob| add(&mut paths, Access::Write, glob))?;
        if paths.read.is_empty() {
            paths.read.push(EVERYTHING.to_owned());
        }
        let mut programs = flags.shell;
        programs.iter().try_for_each(|name| check_program(name))?;
        let mut hosts = flags.host.iter().map(|host| host.parse()).collect::<Result<Vec<HostRule>, _>>()?;
        [&mut paths.read, &mut paths.write, &mut programs].into_iter().for_each(without_repeats);
        without_repeats(&mut hosts);
        Ok(Self { paths, programs, hosts })
    }
}

impl From<PersonGrant> for GrantFlags {
    fn from(PersonGrant { paths, programs, hosts }: PersonGrant) -> Self {
        let host = hosts.iter().map(ToString::to_string).collect();
        Self { read: paths.read, write: paths.write, shell: programs, host }
    }
}

impl PersonGrant {
    /// Returns the permissions: a function of the flags and of nothing else.
    #[must_use]
    pub fn capabilities(&self) -> Capabilities {
        let mut tools: Vec<&str> =
            Builtin::ALL.into_iter().filter(|tool| self.grants(*tool)).map(Builtin::id).collect();
        if self.paths.read.iter().any(|glob| glob == EVERYTHING) {
            tools.extend(HISTORY);
        }
        let programs = self.programs.iter().map(|name| format!("rye.execute.tool.rye.shell.{name}"));
        let tools = tools.into_iter().map(|id| format!("rye.execute.tool.{}", id.replace('/', ".")));
        // A text that is not a capability grants nothing.
        let calls = tools.chain(programs).filter_map(|text| text.parse::<Capability>().ok()).collect();
        Capabilities { calls, paths: self.paths.clone(), hosts: self.hosts.clone() }
    }

    /// Decides of each built-in tool whether the flags let it be called.
    fn grants(&self, tool: Builtin) -> bool {
        match tool {
            Builtin::File(FileTool::Read | FileTool::List | FileTool::Glob | FileTool::Grep) => true,
            Builtin::File(FileTool::Write | FileTool::Edit | FileTool::Move | FileTool::Delete) => {
                !self.paths.write.is_empty()
            }
            Builtin::WebFetch => !self.hosts.is_empty(),
            // They use the person's registries and key.
            Builtin::RegistrySearch | Builtin::RegistryPull | Builtin::RegistryPublish => false,
        }
    }

    /// Tells whether the flags let something be done that others grant: none of it is beyond them.
    #[must_use]
    pub fn covers(&self, granted: &Capabilities) -> bool {
        let own = self.capabilities();
        granted.calls.iter().all(|call| own.calls.contains(call))
            && granted.paths == own.paths
            && granted.hosts == own.hosts
    }

    /// Tells whether the flags allow more than reading.
    #[must_use]
    pub fn widens(&self) -> bool {
        !(self.paths.write.is_empty() && self.programs.is_empty() && self.hosts.is_empty())
    }

    /// Tells whether a path may be read or written.
    #[must_use]
    pub fn allows(&self, access: Access, path: &ProjectPath) -> bool {
        // Without a rule there is no write.
        (access == Access::Read || !self.paths.write.is_empty())
            && crate::capability::check_path([&self.paths], access, path).is_ok()
    }

    /// Tells whether a program may be run.
    #[must_use]
    pub fn runs(&self, program: &str) -> bool {
        self.programs.iter().any(|name| name == program)
    }

    /// Returns the rules of hosts.
    #[must_use]
    pub fn hosts(&self) -> &[HostRule] {
        &self.hosts
    }

    /// Returns the globs of paths that may be read.
    #[must_use]
    pub fn readable(&self) -> &[String] {
        &self.paths.read
    }

    /// Tells whether a tool is shown to the model that the flags may not allow. Its call is refused, and the end of the run names the
    /// flag.
    #[must_use]
    pub fn shows(id: &ItemId) -> bool {
        id.as_str() == shell::RUN
            || Builtin::of(id).is_some_and(|tool| match tool {
                Builtin::File(_) | Builtin::WebFetch => true,
                Builtin::RegistrySearch | Builtin::RegistryPull | Builtin::RegistryPublish => false,
            })
    }

    /// Returns the limits of a task for which the person sets none.
    #[must_use]
    pub fn limits() -> Limits {
        Limits {
            turns: Some(50),
            tokens: Some(1_000_000),
            spend: Money::parse("1.00", "USD").ok(),
            duration: Some(3_600),
            ..Limits::default()
        }
    }
}

/// In words: `read **; write src/**; run cargo`.
impl fmt::Display for PersonGrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hosts: Vec<String> = self.hosts.iter().map(ToString::to_string).collect();
        let granted =
            [("read", &self.paths.read), ("write", &self.paths.write), ("run", &self.programs), ("reach", &hosts)];
        let words = granted.into_iter().filter(|(_, named)| !named.is_empty());
        f.write_str(&words.map(|(verb, named)| format!("{verb} {}", named.join(", "))).collect::<Vec<_>>().join("; "))
    }
}

fn add(paths: &mut PathRules, access: Access, glob: &str) -> Result<(), PersonGrantError> {
    let before = (paths.read.len(), paths.write.len());
    paths.add(access, glob)?;
    if before == (paths.read.len(), paths.write.len()) {
        return Err(PersonGrantError::NoPath);
    }
    match glob.split(',').map(str::trim).find(|glob| is_forbidden(glob)) {
        Some(glob) => Err(PersonGrantError::Forbidden { pattern: glob.to_owned() }),
        None => Ok(()),
    }
}

/// Tells whether a glob lies in a place that no tool may touch. What a wider glob matches there is refused with each call.
fn is_forbidden(glob: &str) -> bool {
    let parts: Vec<String> =
        glob.split('/').filter(|part| !part.is_empty() && *part != ".").map(str::to_ascii_lowercase).collect();
    let own = ["trust", "threads", "config.toml", "plugins"];
    parts.iter().any(|part| part == ".git")
        || parts.windows(2).any(|pair| pair[0] == ".ai" && own.contains(&pair[1].as_str()))
}

fn check_program(name: &str) -> Result<(), PersonGrantError> {
    let refuse = |reason| Err(PersonGrantError::Program { name: name.chars().take(80).collect(), reason });
    if name.contains('/') {
        return refuse("it is a path; name a program on PATH, such as `cargo`");
    }
    match format!("rye/shell/{name}").parse::<ItemId>() {
        Ok(id) if shell::is_program(&id) => Ok(()),
        Ok(_) => refuse("this name is the tool's own"),
        Err(_) => {
            refuse("a name has only letters, digits, `_` and `-`; give one flag for each program, without arguments")
        }
    }
}

fn without_repeats<T: PartialEq>(list: &mut Vec<T>) {
    let mut kept: Vec<T> = Vec::new();
    for one in list.drain(..) {
        if !kept.contains(&one) {
            kept.push(one);
        }
    }
    *list = kept;
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn granted(read: &[&str], write: &[&str], shell: &[&str], host: &[&str]) -> Result<PersonGrant, PersonGrantError> {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        GrantFlags { read: texts(read), write: texts(write), shell: texts(shell), host: texts(host) }.try_into()
    }

    fn calls(grant: &PersonGrant) -> String {
        grant.capabilities().calls.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn without_flags_the_project_is_read_and_no_more() {
        let grant = granted(&[], &[], &[], &[]).unwrap();
        assert_eq!((grant.to_string().as_str(), grant.widens()), ("read **", false));
        let calls = calls(&grant);
        assert!(calls.contains("rye.file-system.read") && calls.contains("rye.git.log"), "{calls}");
        for other in ["write", "edit", "move", "delete", "shell", "web", "registry", "*"] {
            assert!(!calls.contains(other), "{other}: {calls}");
        }
        assert!(!grant.allows(Access::Write, &"a".parse().unwrap()));
        assert_eq!(grant, PersonGrant::default());
    }

    #[test]
    fn each_flag_grants_exactly_that() {
        let wrote = granted(&[], &["src/**"], &[], &[]).unwrap();
        assert!(calls(&wrote).contains("rye.file-system.edit") && !calls(&wrote).contains("shell"));
        assert!(wrote.allows(Access::Write, &"src/a".parse().unwrap()));
        assert!(!wrote.allows(Access::Write, &"a".parse().unwrap()));
        let ran = granted(&["docs/**"], &[], &["cargo", "cargo"], &["example.org"]).unwrap();
        assert_eq!(ran.to_string(), "read docs/**; run cargo; reach example.org");
        let calls = calls(&ran);
        assert!(calls.ends_with("rye.web.fetch rye.execute.tool.rye.shell.cargo"), "{calls}");
        assert!(!calls.contains("rye.git."), "{calls}");
    }

    #[test]
    fn a_flag_that_cannot_be_enforced_is_refused() {
        for glob in ["", ",", "/etc/**", "../x", "a/../../b", "a[", "a\\b"] {
            assert!(granted(&[glob], &[], &[], &[]).is_err(), "{glob}");
            assert!(granted(&[], &[glob], &[], &[]).is_err(), "{glob}");
        }
        for glob in [".git/**", "sub/.GIT/hooks/x", ".ai/trust/**", "a/.ai/config.toml"] {
            assert!(granted(&[], &[glob], &[], &[]).is_err(), "{glob}");
            assert!(granted(&[glob], &[], &[], &[]).is_err(), "{glob}");
        }
        for name in ["", "run", "a/b", "./a", "*", "cargo test", "a.b", "a*"] {
            assert!(granted(&[], &[], &[name], &[]).is_err(), "{name}");
        }
        for host in ["", "*", "*.org", "https://a.example"] {
            assert!(granted(&[], &[], &[], &[host]).is_err(), "{host}");
        }
    }

    #[test]
    fn the_record_is_read_back_and_covers_no_more() {
        let grant = granted(&["src/**"], &["src/**"], &["cargo"], &["a.example"]).unwrap();
        let text = serde_json::to_string(&grant).unwrap();
        assert_eq!(text, r#"{"read":["src/**"],"write":["src/**"],"shell":["cargo"],"host":["a.example"]}"#);
        assert_eq!(serde_json::from_str::<PersonGrant>(&text).unwrap(), grant);
        assert!(serde_json::from_str::<PersonGrant>(r#"{"read":["/etc"]}"#).is_err());
        let own = grant.capabilities();
        assert!(grant.covers(&own));
        let mut wider = own.clone();
        wider.calls.push("rye.*".parse().unwrap());
        assert!(!grant.covers(&wider));
        for change in [
            |wider: &mut Capabilities| wider.paths.write.push("**".to_owned()),
            |wider: &mut Capabilities| wider.paths = PathRules::default(),
            |wider: &mut Capabilities| wider.hosts.push("b.example".parse().unwrap()),
        ] {
            let mut wider = own.clone();
            change(&mut wider);
            assert!(!grant.covers(&wider));
        }
    }
}
