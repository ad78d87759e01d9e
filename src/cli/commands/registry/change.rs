//! What the commands that change a registry share

use crate::cli::commands::{drafted, git_terminal};
use crate::cli::error::Error;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;
use crate::id::Segment;
use crate::keys::PersonKey;
use crate::ops::registries::{self, Change};
use crate::session::Session;

/// Picks the key: one that would have to be made first owns nothing.
pub(super) fn owners_key(ctx: &Context, output: &Output) -> Result<PersonKey, Error> {
    let key = drafted(ctx, output, None)?;
    if key.is_draft() { Err(Error::OwnsNothing) } else { Ok(key) }
}

/// Changes the registry, and shows what its log says now.
pub(super) fn change(
    output: &mut Output,
    session: &Session,
    registry: Option<&Segment>,
    change: &Change,
    key: &PersonKey,
) -> Result<(), Error> {
    let outcome = registries::change(session, registry, change, key, git_terminal(output))?;
    output.outcome(&outcome, |page| text::registry::write_change(page, &outcome))?;
    Ok(())
}
