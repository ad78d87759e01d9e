//! Performing a permitted action: one operation, under its bounds.
//!
//! The only place where what a model asked for becomes an effect.

use super::bounds::Bounds;
use super::done::Done;
use super::error::Error;
use super::permit::{Action, Permitted};
use super::registries;
use super::search::Search;
use super::written_items::Watch;
use crate::capability::{Access, ProjectPath};
use crate::execute::{self, Given};
use crate::id::{ItemId, ItemType, Space};
use crate::item::Builtin;
use crate::session::Session;
use crate::workspace;
use crate::{load, search, sign};

/// How often signing begins again because the file changed meanwhile.
const SIGN_ATTEMPTS: usize = 4;

/// Performs an action.
///
/// # Errors
///
/// Returns whatever the operation fails with. A tool that ran and failed, and an item that cannot be signed, are done.
pub fn perform(session: &Session, permitted: Permitted, bounds: &Bounds<'_>) -> Result<Done, Error> {
    match permitted.into_action() {
        Action::Tool { id, given } => executed(session, ItemType::Tool, id, given, bounds),
        Action::TakeIn { item_type, id, given } => executed(session, item_type, id, given, bounds),
        Action::Load { item_type, id, is_copied } => {
            let to = is_copied.then_some(Space::Project);
            let options = load::Options { item_type, item_id: id, from: None, to, force: false };
            let may_write = |path: &ProjectPath| bounds.authority.judge_path(Access::Write, path);
            Ok(Done::Loaded(load::load_for_model(session.project(), &options, &may_write)?))
        }
        Action::Search(search) => Ok(Done::Found(found(session, &search, bounds)?)),
        Action::Sign { item_type, id } => Ok(Done::Signed(signed(session, item_type, &id)?)),
    }
}

fn executed(
    session: &Session,
    item_type: ItemType,
    item_id: ItemId,
    given: Given,
    bounds: &Bounds<'_>,
) -> Result<Done, Error> {
    let options = execute::Options { item_type, item_id, given, dry_run: bounds.dry_run };
    // The rules of who permitted it, whatever the caller thought of.
    let paths = bounds.authority.path_rules();
    let hosts = bounds.authority.host_rules();
    let run =
        execute::Bounds { paths: Some(&paths), hosts: &hosts, registries: Some(registries::perform), ..bounds.run };
    let is_watched = item_type == ItemType::Tool && Builtin::of(&options.item_id).is_none();
    let watch = is_watched.then(|| Watch::begin(session)).flatten();
    let done = execute::execute(session, &options, &run);
    watch.map_or(Ok(()), |watch| watch.remember(session))?;
    Ok(Done::Executed(done?.outcome))
}

/// Signs an item; begins again if another process wrote its file meanwhile, such as another call that signs it.
fn signed(session: &Session, item_type: ItemType, id: &ItemId) -> Result<sign::Outcome, Error> {
    let project = session.project();
    let mut outcome = sign::sign_for_model(project, item_type, id, project.agent()?)?;
    for _ in 1..SIGN_ATTEMPTS {
        if !outcome.failures.iter().any(is_outdated) {
            break;
        }
        outcome = sign::sign_for_model(project, item_type, id, project.agent()?)?;
    }
    Ok(outcome)
}

/// Tells whether a file changed between being read and being written.
const fn is_outdated(failure: &sign::Error) -> bool {
    matches!(failure, sign::Error::Write { source: workspace::Error::ChangedMeanwhile { .. }, .. })
}

/// Searches what the authority lets be found.
fn found(session: &Session, search: &Search, bounds: &Bounds<'_>) -> Result<search::Outcome, Error> {
    let mut note = |done, total| {
        if let Some(progress) = bounds.progress {
            progress.note(done, total);
        }
    };
    Ok(search::search(session.project(), &search.options(bounds.authority, bounds.run.secrets), &mut note)?)
}
