//! The tools that are built into the program: what each is called, takes, touches and risks.
//!
//! Every decision about a built-in tool matches [`Builtin`] exhaustively, so a new one does not compile until its
//! paths, access and risk are decided. The description of a tool for people and models is its item below
//! `.ai/tools/rye/`; a test holds both to the same ids and parameters.

use serde_json::{Map, Value};

use super::Risk;
use crate::capability::{Access, ProjectPath};
use crate::id::ItemId;

/// A tool that the program performs itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Builtin {
    /// Works with the project's files.
    File(FileTool),
    /// Searches the person's registries.
    RegistrySearch,
    /// Writes an item of a registry into the project.
    RegistryPull,
    /// Publishes an item under the person's key.
    RegistryPublish,
    /// Reads a page of the web.
    WebFetch,
}

/// A tool that works with the project's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileTool {
    /// Reads a file.
    Read,
    /// Lists a folder.
    List,
    /// Finds files by their paths.
    Glob,
    /// Finds lines of files.
    Grep,
    /// Writes a file.
    Write,
    /// Replaces a text in a file.
    Edit,
    /// Moves a file.
    Move,
    /// Deletes a file.
    Delete,
}

/// A parameter of a built-in tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// The name.
    pub name: &'static str,
    /// Whether a call must give it.
    pub required: bool,
}

/// A path that a call touches, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touch {
    /// What the call does with the path.
    pub access: Access,
    /// The path.
    pub path: ProjectPath,
}

/// A parameter that a call must give.
const fn required(name: &'static str) -> Parameter {
    Parameter { name, required: true }
}

/// A parameter that a call may give.
const fn optional(name: &'static str) -> Parameter {
    Parameter { name, required: false }
}

const PATH: Parameter = required("path");
const FOLDER: Parameter = optional("path");
const FROM: Parameter = required("from");
const TO: Parameter = required("to");
const QUERY: Parameter = required("query");
const ITEM: Parameter = required("item_id");
const TYPE: Parameter = required("item_type");
const ANY_TYPE: Parameter = optional("item_type");
const VERSION: Parameter = optional("version");
const REGISTRY: Parameter = optional("registry");

impl Builtin {
    /// Every built-in tool.
    pub const ALL: [Self; 12] = [
        Self::File(FileTool::Read),
        Self::File(FileTool::List),
        Self::File(FileTool::Glob),
        Self::File(FileTool::Grep),
        Self::File(FileTool::Write),
        Self::File(FileTool::Edit),
        Self::File(FileTool::Move),
        Self::File(FileTool::Delete),
        Self::RegistrySearch,
        Self::RegistryPull,
        Self::RegistryPublish,
        Self::WebFetch,
    ];

    /// Returns the built-in tool of this id.
    #[must_use]
    pub fn of(id: &ItemId) -> Option<Self> {
        Self::ALL.into_iter().find(|builtin| builtin.id() == id.as_str())
    }

    /// Returns the id of its item.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::File(tool) => tool.id(),
            Self::RegistrySearch => "rye/registry/search",
            Self::RegistryPull => "rye/registry/pull",
            Self::RegistryPublish => "rye/registry/publish",
            Self::WebFetch => "rye/web/fetch",
        }
    }

    /// Returns what a call takes.
    #[must_use]
    pub const fn parameters(self) -> &'static [Parameter] {
        match self {
            Self::File(tool) => tool.parameters(),
            Self::RegistrySearch => &[QUERY, ANY_TYPE, REGISTRY],
            Self::RegistryPull => &[ITEM, VERSION, ANY_TYPE, REGISTRY],
            Self::RegistryPublish => &[TYPE, ITEM, REGISTRY],
            Self::WebFetch => const { &[required("url"), optional("raw")] },
        }
    }

    /// Returns the parameters that name paths of the project.
    #[must_use]
    pub const fn paths(self) -> &'static [&'static str] {
        match self {
            Self::File(FileTool::Move) => &[FROM.name, TO.name],
            Self::File(
                FileTool::Read
                | FileTool::List
                | FileTool::Glob
                | FileTool::Grep
                | FileTool::Write
                | FileTool::Edit
                | FileTool::Delete,
            ) => &[PATH.name],
            Self::RegistrySearch | Self::RegistryPull | Self::RegistryPublish | Self::WebFetch => &[],
        }
    }

    /// Returns how dangerous the permission to call it is.
    #[must_use]
    pub const fn risk(self) -> Risk {
        match self {
            Self::File(tool) => match tool.access() {
                Access::Read => Risk::Safe,
                Access::Write => Risk::Write,
            },
            Self::RegistrySearch | Self::RegistryPull | Self::RegistryPublish | Self::WebFetch => Risk::Elevated,
        }
    }

    /// Returns the paths that a call with these parameters touches, and how. Which files a pull writes is known only when the
    /// registry was asked: each is checked then.
    ///
    /// # Errors
    ///
    /// Says which parameter is missing or names no path of the project.
    pub fn touches(self, parameters: &Map<String, Value>) -> Result<Vec<Touch>, String> {
        match self {
            Self::File(tool) => tool.touches(parameters),
            Self::RegistrySearch | Self::RegistryPull | Self::RegistryPublish | Self::WebFetch => Ok(Vec::new()),
        }
    }
}

impl FileTool {
    const fn id(self) -> &'static str {
        match self {
            Self::Read => "rye/file-system/read",
            Self::List => "rye/file-system/list",
            Self::Glob => "rye/file-system/glob",
            Self::Grep => "rye/file-system/grep",
            Self::Write => "rye/file-system/write",
            Self::Edit => "rye/file-system/edit",
            Self::Move => "rye/file-system/move",
            Self::Delete => "rye/file-system/delete",
        }
    }

    const fn parameters(self) -> &'static [Parameter] {
        match self {
            Self::Read => const { &[PATH, optional("offset"), optional("limit")] },
            Self::List => const { &[FOLDER] },
            Self::Glob => const { &[required("pattern"), FOLDER, optional("ignored")] },
            Self::Grep => {
                const {
                    &[
                        required("pattern"),
                        FOLDER,
                        optional("glob"),
                        optional("ignore_case"),
                        optional("context"),
                        optional("limit"),
                        optional("ignored"),
                    ]
                }
            }
            Self::Write => const { &[PATH, required("content")] },
            Self::Edit => const { &[PATH, required("old"), required("new"), optional("all")] },
            Self::Move => const { &[FROM, TO] },
            Self::Delete => const { &[PATH] },
        }
    }

    /// Returns the most that it does with files.
    #[must_use]
    pub const fn access(self) -> Access {
        match self {
            Self::Read | Self::List | Self::Glob | Self::Grep => Access::Read,
            Self::Write | Self::Edit | Self::Move | Self::Delete => Access::Write,
        }
    }

    /// Returns the paths that a call with these parameters touches, and how. A call that looks for something in the whole project names none: each
    /// file that it finds is checked then.
    ///
    /// # Errors
    ///
    /// Says which parameter is missing or names no path of the project.
    pub fn touches(self, parameters: &Map<String, Value>) -> Result<Vec<Touch>, String> {
        let touch = |access, parameter| path(parameters, parameter).map(|path| Touch { access, path });
        let (read, write) = (Access::Read, Access::Write);
        match self {
            Self::Read => Ok(vec![touch(read, PATH)?]),
            Self::List => Ok(vec![touch(read, FOLDER)?]),
            Self::Glob | Self::Grep if !parameters.contains_key(FOLDER.name) => Ok(Vec::new()),
            Self::Glob | Self::Grep => Ok(vec![touch(read, FOLDER)?]),
            Self::Write | Self::Delete => Ok(vec![touch(write, PATH)?]),
            // The replaced text and its surroundings are in the result.
            Self::Edit => Ok(vec![touch(write, PATH)?, touch(read, PATH)?]),
            Self::Move => Ok(vec![touch(write, FROM)?, touch(read, FROM)?, touch(write, TO)?]),
        }
    }
}

/// Parses the path that a parameter names; one that need not be given means the project's folder.
fn path(parameters: &Map<String, Value>, parameter: Parameter) -> Result<ProjectPath, String> {
    let text = match parameters.get(parameter.name) {
        Some(Value::String(text)) => text.as_str(),
        None if !parameter.required => "",
        _ => return Err(format!("`{}` is missing or not a string", parameter.name)),
    };
    text.parse().map_err(|error| format!("{error}"))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use serde_json::json;

    use super::*;

    fn touches(builtin: Builtin, parameters: Value) -> Result<Vec<(Access, String)>, String> {
        let touches = builtin.touches(parameters.as_object().unwrap())?;
        Ok(touches.into_iter().map(|touch| (touch.access, touch.path.as_str().to_owned())).collect())
    }

    #[test]
    fn every_path_of_a_call_is_told_with_its_access() {
        let (read, write) =
            (|path: &str| (Access::Read, path.to_owned()), |path: &str| (Access::Write, path.to_owned()));
        let of = |tool, parameters| touches(Builtin::File(tool), parameters);
        assert_eq!(of(FileTool::Read, json!({"path": "a//b"})), Ok(vec![read("a/b")]));
        assert_eq!(of(FileTool::List, json!({})), Ok(vec![read("")]));
        assert_eq!(of(FileTool::Write, json!({"path": "./a"})), Ok(vec![write("a")]));
        assert_eq!(of(FileTool::Edit, json!({"path": "a"})), Ok(vec![write("a"), read("a")]));
        assert_eq!(of(FileTool::Move, json!({"from": "a", "to": "b"})), Ok(vec![write("a"), read("a"), write("b")]));
        for tool in [FileTool::Glob, FileTool::Grep] {
            assert_eq!(of(tool, json!({"pattern": "x"})), Ok(Vec::new()));
            assert_eq!(of(tool, json!({"pattern": "x", "path": ""})), Ok(vec![read("")]));
        }
        for parameters in [json!({}), json!({"path": 3}), json!({"path": "../a"}), json!({"path": "/a"})] {
            for tool in [FileTool::Read, FileTool::Write, FileTool::Edit, FileTool::Delete, FileTool::Move] {
                assert!(of(tool, parameters.clone()).is_err(), "{tool:?} {parameters}");
            }
        }
    }
}
