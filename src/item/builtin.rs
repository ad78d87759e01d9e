//! The tools that are built into the program: what each is called, takes, touches and risks.
//!
//! Whoever decides about a built-in tool matches [`Builtin`] exhaustively, so a new one does not compile until its paths,
//! access and risk are decided. What a tool says of itself to people and models is its item below
//! `.ai/tools/rye/`; a test holds both to the same ids and parameters.

use serde_json::{Map, Value};

use super::Risk;
use crate::capability::{Access, ProjectPath};
use crate::id::ItemId;

/// A tool that the program performs itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Builtin {
    /// Reads a file of the project.
    Read,
    /// Lists a folder of the project.
    List,
    /// Writes a file of the project.
    Write,
    /// Searches the person's registries.
    RegistrySearch,
    /// Writes an item of a registry into the project.
    RegistryPull,
    /// Publishes an item under the person's key.
    RegistryPublish,
}

/// A parameter of a built-in tool. All of them are strings.
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

const PATH: Parameter = Parameter { name: "path", required: true };
const FOLDER: Parameter = Parameter { name: "path", required: false };
const CONTENT: Parameter = Parameter { name: "content", required: true };
const QUERY: Parameter = Parameter { name: "query", required: true };
const ITEM: Parameter = Parameter { name: "item_id", required: true };
const TYPE: Parameter = Parameter { name: "item_type", required: true };
const ANY_TYPE: Parameter = Parameter { name: "item_type", required: false };
const VERSION: Parameter = Parameter { name: "version", required: false };
const REGISTRY: Parameter = Parameter { name: "registry", required: false };

impl Builtin {
    /// Every built-in tool.
    pub const ALL: [Self; 6] =
        [Self::Read, Self::List, Self::Write, Self::RegistrySearch, Self::RegistryPull, Self::RegistryPublish];

    /// Returns the built-in tool of this id.
    #[must_use]
    pub fn of(id: &ItemId) -> Option<Self> {
        Self::ALL.into_iter().find(|builtin| builtin.id() == id.as_str())
    }

    /// Returns the id of its item.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Read => "rye/file-system/read",
            Self::List => "rye/file-system/list",
            Self::Write => "rye/file-system/write",
            Self::RegistrySearch => "rye/registry/search",
            Self::RegistryPull => "rye/registry/pull",
            Self::RegistryPublish => "rye/registry/publish",
        }
    }

    /// Returns what a call takes.
    #[must_use]
    pub const fn parameters(self) -> &'static [Parameter] {
        match self {
            Self::Read => &[PATH],
            Self::List => &[FOLDER],
            Self::Write => &[PATH, CONTENT],
            Self::RegistrySearch => &[QUERY, ANY_TYPE, REGISTRY],
            Self::RegistryPull => &[ITEM, VERSION, ANY_TYPE, REGISTRY],
            Self::RegistryPublish => &[TYPE, ITEM, REGISTRY],
        }
    }

    /// Returns how dangerous the permission to call it is.
    #[must_use]
    pub const fn risk(self) -> Risk {
        match self {
            Self::Read | Self::List => Risk::Safe,
            Self::Write => Risk::Write,
            Self::RegistrySearch | Self::RegistryPull | Self::RegistryPublish => Risk::Elevated,
        }
    }

    /// Returns the paths that a call with these parameters touches, and how. Which files a pull writes is known only when the
    /// registry was asked: each is checked then.
    ///
    /// # Errors
    ///
    /// Says which parameter is missing or names no path of the project.
    pub fn touches(self, parameters: &Map<String, Value>) -> Result<Vec<Touch>, String> {
        let touch = |access, parameter| Ok(vec![Touch { access, path: path(parameters, parameter)? }]);
        match self {
            Self::Read => touch(Access::Read, PATH),
            Self::List => touch(Access::Read, FOLDER),
            Self::Write => touch(Access::Write, PATH),
            Self::RegistrySearch | Self::RegistryPull | Self::RegistryPublish => Ok(Vec::new()),
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
        assert_eq!(touches(Builtin::Read, json!({"path": "a//b"})), Ok(vec![(Access::Read, "a/b".to_owned())]));
        assert_eq!(touches(Builtin::List, json!({})), Ok(vec![(Access::Read, String::new())]));
        assert_eq!(touches(Builtin::Write, json!({"path": "./a"})), Ok(vec![(Access::Write, "a".to_owned())]));
        for parameters in [json!({}), json!({"path": 3}), json!({"path": "../a"}), json!({"path": "/a"})] {
            for builtin in [Builtin::Read, Builtin::Write] {
                assert!(touches(builtin, parameters.clone()).is_err(), "{builtin:?} {parameters}");
            }
        }
    }
}
