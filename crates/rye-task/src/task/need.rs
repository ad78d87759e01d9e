//! What a recorded call needs: paths, programs, hosts, and tools that are none of these.

use std::fmt;

use serde_json::{Map, Value};

use crate::capability::{Access, ProjectPath, shell};
use crate::id::ItemId;
use crate::item::{Builtin, FileTool};

/// One thing that a call needs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// To read a file.
    Read(ProjectPath),
    /// To read a folder and all that is in it.
    ReadAll(ProjectPath),
    /// To write a file.
    Write(ProjectPath),
    /// To run a program.
    Run(String),
    /// To reach a host, with a port if it is not a usual one.
    Reach(String),
    /// To call a tool that no flag names.
    Call(ItemId),
}

/// In words: `write src/lib.rs`.
impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(path) | Self::ReadAll(path) => write!(f, "read {path}"),
            Self::Write(path) => write!(f, "write {path}"),
            Self::Run(program) => write!(f, "run {program}"),
            Self::Reach(host) => write!(f, "reach {host}"),
            Self::Call(id) => write!(f, "call {id}"),
        }
    }
}

/// A call of a tool as the record has it.
#[derive(Debug, Clone)]
pub(super) struct RecordedCall {
    /// The tool; of a program that was named as a tool, the one that runs programs.
    pub(super) id: ItemId,
    parameters: Map<String, Value>,
}

impl RecordedCall {
    /// Reads a call of a tool, by its own name or by `rye_execute`; none of another action.
    pub(super) fn of(tool: &str, id: &ItemId, input: &Value) -> Option<Self> {
        let item_type = input.get("item_type").and_then(Value::as_str);
        let parameters = match (tool, item_type) {
            ("rye_execute", Some("tool")) => input.get("parameters"),
            ("rye_execute" | "rye_load" | "rye_sign" | "rye_search", _) => return None,
            _ => Some(input),
        };
        let parameters = parameters.and_then(Value::as_object).cloned().unwrap_or_default();
        match shell::as_run(id, &parameters) {
            Some(run) => Some(Self { id: shell::RUN.parse().ok()?, parameters: run.ok()? }),
            None => Some(Self { id: id.clone(), parameters }),
        }
    }

    /// Returns what the call needs. What cannot be told needs nothing that could be granted.
    pub(super) fn needs(&self) -> Vec<Need> {
        if self.id.as_str() == shell::RUN {
            let judged = shell::judged_id(&self.id, &self.parameters);
            return judged.map(|id| vec![Need::Run(id.name().to_owned())]).unwrap_or_default();
        }
        let Some(builtin) = Builtin::of(&self.id) else { return vec![Need::Call(self.id.clone())] };
        match builtin {
            Builtin::File(tool) => {
                let touches = builtin.touches(&self.parameters).unwrap_or_default();
                touches.into_iter().map(|touch| need(tool, touch.access, touch.path)).collect()
            }
            Builtin::WebFetch => {
                let url = self.parameters.get("url").and_then(Value::as_str).unwrap_or_default();
                host(url).map(Need::Reach).into_iter().collect()
            }
            Builtin::RegistrySearch | Builtin::RegistryPull | Builtin::RegistryPublish => {
                vec![Need::Call(self.id.clone())]
            }
        }
    }
}

fn need(tool: FileTool, access: Access, path: ProjectPath) -> Need {
    match (access, tool) {
        (Access::Write, _) => Need::Write(path),
        (Access::Read, FileTool::List | FileTool::Glob | FileTool::Grep) => Need::ReadAll(path),
        (Access::Read, FileTool::Read | FileTool::Write | FileTool::Edit | FileTool::Move | FileTool::Delete) => {
            Need::Read(path)
        }
    }
}

/// Returns the host of an address, with its port if it has one.
fn host(url: &str) -> Option<String> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"))?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    Some(usual(host))
}

/// Leaves out a port that a rule without one means.
pub(super) fn usual(host: &str) -> String {
    let host = host.to_ascii_lowercase();
    [":443", ":80"].iter().find_map(|port| host.strip_suffix(port)).map_or_else(|| host.clone(), str::to_owned)
}
