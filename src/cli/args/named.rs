//! An item that an argument names: by its id, or by the path of its file or folder.

use std::str::FromStr;

use crate::cli::error::Error;
use crate::id::{ItemId, ItemIdError, ItemType};
use crate::ops::locate::{item_at, no_skill};
use crate::project::Project;

/// An item that an argument names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) enum Named {
    /// By its id.
    Id(ItemId),
    /// By a path.
    Path(String),
}

impl FromStr for Named {
    type Err = ItemIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.parse() {
            Ok(id) => Ok(Self::Id(id)),
            Err(_) if is_path(text) => Ok(Self::Path(text.to_owned())),
            Err(error) => Err(error),
        }
    }
}

impl Named {
    /// Returns the id of the item.
    ///
    /// # Errors
    ///
    /// Fails when no item lies at the path, or one of another type.
    pub(in crate::cli) fn id(&self, project: &Project, wanted: Option<ItemType>) -> Result<ItemId, Error> {
        self.typed(project, wanted).map(|(_, item_id)| item_id)
    }

    /// Returns the type and the id of the item: a path says both.
    ///
    /// # Errors
    ///
    /// Fails when no item lies at the path, or one of another type.
    pub(in crate::cli) fn typed(
        &self,
        project: &Project,
        wanted: Option<ItemType>,
    ) -> Result<(Option<ItemType>, ItemId), Error> {
        let path = match self {
            Self::Id(id) => return Ok((wanted, id.clone())),
            Self::Path(path) => path,
        };
        match (item_at(project, path)?, wanted) {
            (None, None | Some(ItemType::Skill)) => match no_skill(project, path)? {
                Some(error) => Err(error.into()),
                None => Err(Error::NoItemAt { path: path.clone() }),
            },
            (None, Some(ItemType::Directive | ItemType::Tool | ItemType::Knowledge)) => {
                Err(Error::NoItemAt { path: path.clone() })
            }
            (Some((found, _)), Some(wanted)) if found != wanted => {
                Err(Error::OtherType { path: path.clone(), found, wanted })
            }
            (Some((found, id)), _) => Ok((Some(found), id)),
        }
    }
}

/// Tells whether a text that is not an id may be a path: no part of an id has a dot, and no id ends with a slash.
pub(in crate::cli) fn is_path(text: &str) -> bool {
    text.starts_with('/') || text.ends_with('/') || text.contains('.')
}
