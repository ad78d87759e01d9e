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
