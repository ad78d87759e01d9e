//! What a connection may do: its own permissions, narrowed by the project's and by the directive that it follows, under the
//! policy that beats all of them.
//!
//! Only the directive is remembered from call to call, with the permissions it had when it was executed. All else that a
//! person changes counts at once.

use super::consent;
use super::error::Failure;
use super::follow::Placed;
use super::work::Running;
use crate::action::{Action, MOST_IN_FORM, Permitted};
use crate::capability::{Authority as _, Call, Capabilities, Capability, Consent, Denial, Grant, PathRules, Primary};
use crate::id::{ItemId, ItemType, nearest};
use crate::locate::{Instead, LocateError};
use crate::permissions::Caller;
use crate::session::Session;

/// The default permissions of a connection: everything but sign.
const USUAL: [Primary; 3] = [Primary::Search, Primary::Load, Primary::Execute];

/// The bounds of a connection, whichever project a call works in.
#[derive(Debug, Clone)]
pub(super) struct Connection<'a> {
    /// The permissions it was started with.
    pub(super) caller: Option<&'a Caller>,
    /// The directive it follows.
    pub(super) following: Option<Placed>,
}

/// Gathers what a connection may do in the project of a call: the person's file, narrowed by all else.
///
/// # Errors
///
/// Fails when the project's configuration is wrong.
pub(super) fn grant(session: &Session, connection: &Connection<'_>) -> Result<Grant, Failure> {
    let project = session.project();
    let mcp = &session.context().config().mcp;
    let usual = || USUAL.iter().filter_map(|primary| format!("rye.{primary}.*").parse().ok()).collect();
    let own = calls(mcp.permissions.clone().unwrap_or_else(usual));
    let following = connection.following.clone().map(|(place, following)| {
        if place.as_deref() == project.work_dir() { following } else { following.elsewhere() }
    });
    let grant = Grant::new(own, project.policy()?).following(following);
    // The flags of a server's command line and the project tighten what the person's file allows.
    let of_flags =
        mcp.narrowing.iter().cloned().map(calls).chain(connection.caller.map(|it| it.capabilities().clone()));
    let of_project = project.configs()?.into_iter().filter_map(|config| config.mcp.permissions).map(calls);
    Ok(of_flags.chain(of_project).fold(grant, Grant::narrowed))
}

const fn calls(calls: Vec<Capability>) -> Capabilities {
    Capabilities { calls, paths: PathRules { read: Vec::new(), write: Vec::new() }, hosts: Vec::new() }
}

/// Checks an action, and asks the person where the configuration wants that and the client can.
///
/// # Errors
///
/// Returns the denial, also where the person did not agree.
pub(super) fn permit_or_ask(action: Action, grant: &Grant, running: &Running) -> Result<Permitted, Denial> {
    let permitted = action.permit(grant)?;
    match permitted.must_ask() {
        None => Ok(permitted),
        Some((call, pattern)) => {
            let whole = permitted.whole(call, pattern, MOST_IN_FORM)?;
            if !running.can_ask() {
                return Err(Denial::NotAskable { call: call.to_string(), pattern: pattern.clone() });
            }
            if !running.ask(consent::question(&whole, pattern)) {
                return Err(Denial::NotAgreed { call: call.to_string(), pattern: pattern.clone() });
            }
            Ok(permitted)
        }
    }
}

/// Checks an action. A call that needs a person's approval is denied: a list does not ask.
///
/// # Errors
///
/// Returns the denial.
pub(super) fn permit(action: Action, grant: &Grant) -> Result<Permitted, Denial> {
    let permitted = action.permit(grant)?;
    match permitted.must_ask() {
        Some((call, pattern)) => Err(Denial::NotAgreed { call: call.to_string(), pattern: pattern.clone() }),
        None => Ok(permitted),
    }
}

/// Tells whether a connection may know that an item is there: whether it may find, load or execute it.
fn knows(grant: &Grant, item_type: ItemType, item_id: &ItemId) -> bool {
    let given = |primary| matches!(grant.judge(&Call::on(primary, item_type, item_id.clone())), Ok(Consent::Given));
    USUAL.into_iter().any(given)
}

/// Lets a failure suggest only what the connection may know of: any other name would tell that the item is there.
pub(super) fn without_hidden(session: &Session, connection: &Connection<'_>, mut failure: Failure) -> Failure {
    if let Some(LocateError::Unknown { item_type, item_id, space, suggestion, instead }) = failure.locate()
        && (suggestion.is_some() || instead.is_some())
    {
        // Without a grant nothing is known.
        let grant = grant(session, connection).unwrap_or_default();
        let named = match instead {
            Some(Instead::Type(other)) => *other,
            Some(Instead::Space(_) | Instead::Project) | None => *item_type,
        };
        if !knows(&grant, named, item_id) {
            *instead = None;
        }
        let listed = session
            .project()
            .workspace()
            .list(Some(*item_type), *space)
            .map(|listing| listing.items)
            .unwrap_or_default();
        let known: Vec<ItemId> =
            listed.into_iter().map(|item| item.id).filter(|id| knows(&grant, *item_type, id)).collect();
        let nearest = nearest(item_id.as_str(), known.iter().map(ItemId::as_str));
        *suggestion = nearest.and_then(|id| id.parse().ok());
    }
    failure
}
