//! What a connection may do: its own permissions, narrowed by the project's, under the policy that beats both.
//!
//! Nothing is remembered from call to call: what a person changes counts at once.

use super::error::Failure;
use crate::capability::{Capabilities, Capability, Denial, Grant, PathRules, Primary};
use crate::ops::locate::Locator;
use crate::ops::permissions::Caller;
use crate::thread::toolbox::{Action, Permitted};

/// What a connection may do when nobody says otherwise: everything but sign.
const USUAL: [Primary; 3] = [Primary::Search, Primary::Load, Primary::Execute];

/// Gathers what a connection may do in the project of a call.
///
/// # Errors
///
/// Fails when the project's configuration is wrong.
pub(super) fn grant(locator: &Locator<'_>, caller: Option<&Caller>) -> Result<Grant, Failure> {
    let configured = locator.context().config().mcp.permissions.clone();
    let own = match (caller, configured) {
        (Some(caller), _) => caller.capabilities().clone(),
        (None, Some(patterns)) => calls(patterns),
        (None, None) => calls(USUAL.iter().filter_map(|primary| format!("rye.{primary}.*").parse().ok()).collect()),
    };
    let grant = Grant::new(own, locator.policy()?);
    Ok(match locator.project_config()?.mcp.permissions {
        Some(patterns) => grant.narrowed(calls(patterns)),
        None => grant,
    })
}

const fn calls(calls: Vec<Capability>) -> Capabilities {
    Capabilities { calls, paths: PathRules { read: Vec::new(), write: Vec::new() } }
}

/// Checks an action. What a person would have to be asked about is denied: over this connection nobody is.
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
