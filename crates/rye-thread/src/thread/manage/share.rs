//! What the tools of a project need that git does not have: found by its files, and shared with threads by `threads.share`.

use serde::Serialize;

use crate::capability::ProjectPath;
use crate::context::{Config, Preset, Share, written_into};
use crate::session::Session;
use crate::thread::error::Error;
use crate::thread::model::OwnConfig;
use crate::workspace::tool_folders;

/// A preset that a project has a use for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolNeed {
    /// The preset.
    pub preset: Preset,
    /// Its folders in the person's tree.
    pub folders: Vec<ProjectPath>,
    /// Whether threads have it.
    pub is_shared: bool,
}

/// The folders and presets that threads share from now on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShareOutcome {
    /// All of them.
    pub shared: Vec<String>,
    /// The file of the configuration.
    pub path: String,
}

/// Finds the presets that the project has a use for, by its files. None outside of a project.
#[must_use]
pub fn tool_needs(session: &Session) -> Vec<ToolNeed> {
    let Ok(root) = session.project().root() else { return Vec::new() };
    let in_force = session.project().presets();
    let needs = Preset::ALL.into_iter().map(|preset| ToolNeed {
        preset,
        folders: tool_folders(root, preset),
        is_shared: in_force.contains(&preset),
    });
    let has_mark = |preset: Preset| preset.row().marks.iter().any(|mark| root.join(mark).is_file());
    needs.filter(|need| !need.folders.is_empty() || has_mark(need.preset)).collect()
}

/// Adds folders and presets to `threads.share` of the person's configuration.
///
/// # Errors
///
/// Fails when the configuration cannot be read or written.
pub fn share(session: &Session, added: &[Share]) -> Result<ShareOutcome, Error> {
    let ctx = session.context();
    let path = ctx.config_dir()?.join("config.toml");
    let mut shares = ctx.config().threads.share.clone();
    for share in added {
        if !shares.contains(share) {
            shares.push(share.clone());
        }
    }
    let is_meant = |old: Config, new: Config| {
        let without = |mut config: Config| {
            config.threads.share.clear();
            config
        };
        new.threads.share == shares && without(old) == without(new)
    };
    OwnConfig::new(ctx, path.clone())
        .edit(|text| written_into(text, &shares), is_meant, "edit `threads.share` there by hand")
        .map_err(|reason| Error::ShareNotWritten { path: path.clone(), reason })?;
    Ok(ShareOutcome { shared: shares.iter().map(Share::to_string).collect(), path: path.display().to_string() })
}
