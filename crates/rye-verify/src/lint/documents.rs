//! The findings of a project's capability documents.

use crate::capability::ProjectPath;
use crate::format::{self, Finding, rules};
use crate::locate::LocateError;
use crate::project::Project;
use crate::workspace::ProjectDir;

/// The largest document, in bytes.
const MOST_BYTES: u64 = 1024 * 1024;

/// A document with its text and findings.
pub(super) struct Document {
    pub(super) path: ProjectPath,
    pub(super) text: String,
    pub(super) findings: Vec<Finding>,
}

/// Looks the documents over.
pub(super) fn documents(project: &Project) -> Result<Vec<Document>, LocateError> {
    let Ok(root) = project.root() else { return Ok(Vec::new()) };
    let files = ProjectDir::open(root)?;
    let paths = files.capability_documents()?;
    Ok(paths.into_iter().map(|path| document(&files, path)).collect())
}

fn document(project: &ProjectDir, path: ProjectPath) -> Document {
    let (text, findings) = match project.read(&path, MOST_BYTES) {
        Ok(read) if read.truncated => {
            let hint = "split it";
            (String::new(), vec![Finding::whole(&rules::TOO_LARGE, "the file is larger than 1 MiB".to_owned(), hint)])
        }
        Ok(read) => match String::from_utf8(read.bytes) {
            Ok(text) => {
                let findings = format::capabilities(&text).findings;
                (text, findings)
            }
            Err(_) => {
                let finding = Finding::whole(&rules::NOT_UTF8, "the file is not UTF-8".to_owned(), "write it in UTF-8");
                (String::new(), vec![finding])
            }
        },
        Err(error) => {
            let message = format!("this file cannot be read: {error}");
            let hint = "put a regular file that you can read in its place, or remove it";
            (String::new(), vec![Finding::whole(&rules::UNUSABLE_ITEM, message, hint)])
        }
    };
    Document { path, text, findings }
}
