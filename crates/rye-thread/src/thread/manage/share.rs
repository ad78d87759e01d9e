//! What is shared with threads: `threads.share` of the person's configuration.

use serde::Serialize;

use crate::context::{Config, Share, written_into};
use crate::session::Session;
use crate::thread::error::Error;
use crate::workspace::OwnConfig;

/// The folders and presets that threads share from now on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShareOutcome {
    /// All of them.
    pub shared: Vec<String>,
    /// The file of the configuration.
    pub path: String,
    /// Whether it was written.
    pub changed: bool,
}

/// Adds folders and presets to `threads.share` of the person's configuration, or removes them.
///
/// # Errors
///
/// Fails when a folder to add is missing in the person's tree, and when the configuration cannot be read or written.
pub fn share(session: &Session, added: &[Share], removed: &[Share]) -> Result<ShareOutcome, Error> {
    let ctx = session.context();
    let path = ctx.config_dir()?.join("config.toml");
    let before = &ctx.config().threads.share;
    let mut shares: Vec<Share> = before.iter().filter(|share| !removed.contains(share)).cloned().collect();
    for share in added {
        if shares.contains(share) {
            continue;
        }
        let folder = share.folder().map(|path| (path, session.project().persons_tree()));
        if let Some((path, root)) = folder
            && !root.is_some_and(|root| root.join(path.as_str()).is_dir())
        {
            return Err(Error::ShareMissing { path: path.clone() });
        }
        shares.push(share.clone());
    }
    let changed = shares != *before;
    if changed {
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
    }
    Ok(ShareOutcome {
        shared: shares.iter().map(Share::to_string).collect(),
        path: path.display().to_string(),
        changed,
    })
}
