//! The path of an item's file: type, id and extension in, path out, and back (docs/formats.md, section 1).

use std::fmt;

use thiserror::Error;

use super::{Extension, ExtensionError, ItemId, ItemIdError, ItemType};

/// The folder of a space that holds its items' folders.
pub const SPACE_FOLDER: &str = ".ai";

/// Which item a file is, by its path alone.
///
/// Its text is the path below [`SPACE_FOLDER`], such as `tools/demo/count.sh`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemPath {
    /// The item's type.
    pub item_type: ItemType,
    /// The item's id.
    pub item_id: ItemId,
    /// The file's extension.
    pub extension: Extension,
}

/// Why a file in the folder of a type is not an item.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum ItemPathError {
    /// Its name has no extension.
    #[error("it has no extension")]
    NoExtension,
    /// Its path without the extension is not an id.
    #[error(transparent)]
    Id(#[from] ItemIdError),
    /// No item has its extension.
    #[error(transparent)]
    Extension(#[from] ExtensionError),
    /// It is not the signature of a skill, and lies among these.
    #[error("`.ai/skills` contains the signatures of skills (`NAME.sig`), not the skills themselves")]
    NoSignature,
    /// No item of its type has its extension.
    #[error("a {item_type} cannot be a `.{extension}` file")]
    Unsuited { item_type: ItemType, extension: Extension },
}

impl ItemPath {
    /// Reads a path from the top of a project; nothing for a file outside of the items' folders.
    #[must_use]
    pub fn in_project(path: &str) -> Option<Result<Self, ItemPathError>> {
        Self::in_space(path.strip_prefix(SPACE_FOLDER)?.strip_prefix('/')?)
    }

    /// Reads a path below [`SPACE_FOLDER`]; nothing for a file outside of the items' folders.
    #[must_use]
    pub fn in_space(path: &str) -> Option<Result<Self, ItemPathError>> {
        let (folder, name) = path.split_once('/')?;
        Some(Self::in_folder(ItemType::of_folder(folder)?, name))
    }

    /// Reads a path below the folder of a type.
    ///
    /// # Errors
    ///
    /// Fails when no item of the type has such a path.
    pub fn in_folder(item_type: ItemType, name: &str) -> Result<Self, ItemPathError> {
        if item_type == ItemType::Skill && !name.ends_with(".sig") {
            return Err(ItemPathError::NoSignature);
        }
        let (stem, extension) = name.rsplit_once('.').ok_or(ItemPathError::NoExtension)?;
        let (item_id, extension): (ItemId, Extension) = (stem.parse()?, extension.parse()?);
        if extension.suits(item_type) {
            Ok(Self { item_type, item_id, extension })
        } else {
            Err(ItemPathError::Unsuited { item_type, extension })
        }
    }
}

impl fmt::Display for ItemPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&item_path(self.item_type, &self.item_id, &self.extension))
    }
}

/// Returns the path of an item's file below [`SPACE_FOLDER`].
#[must_use]
pub fn item_path(item_type: ItemType, item_id: &ItemId, extension: &Extension) -> String {
    [item_type.folder(), "/", item_id.as_str(), ".", extension.as_str()].concat()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_path_is_read_and_printed_back() {
        for (path, item_type, id, extension) in [
            ("directives/greet.md", ItemType::Directive, "greet", "md"),
            ("tools/demo/deep/count.sh", ItemType::Tool, "demo/deep/count", "sh"),
            ("knowledge/a.yaml", ItemType::Knowledge, "a", "yaml"),
        ] {
            let read = ItemPath::in_space(path).unwrap().unwrap();
            let wanted = ItemPath { item_type, item_id: id.parse().unwrap(), extension: extension.parse().unwrap() };
            assert_eq!(read, wanted);
            assert_eq!(read.to_string(), path);
            assert_eq!(ItemPath::in_project(&format!(".ai/{path}")), Some(Ok(wanted)));
        }
    }

    #[test]
    fn a_file_elsewhere_is_not_judged() {
        for path in
            ["README.md", ".ai/greet.md", ".ai/trust/revoked", ".ai", ".ai/tools", ".aix/tools/a.sh", "tools/a.sh"]
        {
            assert_eq!(ItemPath::in_project(path), None, "{path}");
        }
    }

    #[test]
    fn a_stray_in_the_folder_of_a_type_is_named_with_its_reason() {
        for (path, reason) in [
            ("tools/count", "it has no extension".to_owned()),
            ("tools/count.exe", "exe".parse::<Extension>().unwrap_err().to_string()),
            ("tools/co unt.sh", "co unt".parse::<ItemId>().unwrap_err().to_string()),
            ("tools/count.md", "a tool cannot be a `.md` file".to_owned()),
            ("directives/greet.py", "a directive cannot be a `.py` file".to_owned()),
            ("skills/x/SKILL.md", ItemPathError::NoSignature.to_string()),
            ("skills/x/LICENSE", ItemPathError::NoSignature.to_string()),
        ] {
            assert_eq!(ItemPath::in_space(path).unwrap().unwrap_err().to_string(), reason, "{path}");
        }
    }
}
