//! A capability document to begin with.

use super::error::Error;
use crate::capability::ProjectPath;
use crate::id::{ItemId, SPACE_FOLDER};
use crate::locate::LocateError;
use crate::project::Project;
use crate::workspace::{DOCUMENTS_FOLDER, ProjectDir};

const TEMPLATE: &str = include_str!("capabilities.yaml");

/// The created document.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Document {
    /// Its file, from the project's folder.
    pub path: ProjectPath,
    /// The command to run once it is edited.
    pub next: String,
}

/// Makes a capability document in the project.
///
/// # Errors
///
/// Fails when there is one already, or it cannot be written.
pub fn new_document(project: &Project, name: &ItemId) -> Result<Document, Error> {
    let files = ProjectDir::open(project.root()?).map_err(LocateError::from)?;
    let path = format!("{SPACE_FOLDER}/{DOCUMENTS_FOLDER}/{name}.yaml");
    let path: ProjectPath = path.parse().map_err(|_| Error::Document { path: path.clone(), source: None })?;
    let failed = |source| Error::Document { path: path.to_string(), source: Some(source) };
    if files.exists(&path) {
        return Err(Error::DocumentExists { path });
    }
    let text = TEMPLATE.replace("NAME", name.as_str());
    files.create(&path, text.as_bytes()).map_err(failed)?;
    let next = format!("rye lint {path}");
    Ok(Document { path, next })
}
