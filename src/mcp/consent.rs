//! Asking the person behind a client: for calls that the configuration wants to be asked about.
//!
//! Only a client that declared it can ask. What is not answered with a clear yes is no.

use std::collections::BTreeMap;

use rmcp::RoleServer;
use rmcp::model::{
    BooleanSchema, ClientResult, ElicitRequest, ElicitRequestParams, ElicitationAction, ElicitationSchema,
    PrimitiveSchemaDefinition, ServerRequest,
};
use rmcp::service::RequestContext;

use super::shared::is_stateless;
use crate::action::Permitted;
use crate::capability::Capability;

/// The field of the form that says yes.
const ALLOW: &str = "allow";

/// Tells whether the client can ask its person while a call runs. Since revision 2026-07-28 no server asks by itself.
pub(super) fn can_ask(context: &RequestContext<RoleServer>) -> bool {
    let declared = context.client_capabilities().and_then(|capabilities| capabilities.elicitation);
    // Without either, a client has forms: it is older than addresses.
    !is_stateless(context) && declared.is_some_and(|declared| declared.form.is_some() || declared.url.is_none())
}

/// Writes what a person is asked about a call.
pub(super) fn question(permitted: &Permitted, pattern: &Capability) -> String {
    format!("Your configuration of Rye asks before `{pattern}`. Allow this call?\n\n{}", permitted.described())
}

/// Asks the client's person, and tells whether they allow it.
pub(super) async fn ask(context: &RequestContext<RoleServer>, message: String) -> bool {
    let allow = BooleanSchema::new().title("Allow this call").with_default(false);
    let fields = BTreeMap::from([(ALLOW.to_owned(), PrimitiveSchemaDefinition::Boolean(allow))]);
    let requested_schema = ElicitationSchema::new(fields).with_required(vec![ALLOW.to_owned()]);
    let params = ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema };
    let answer = context.peer.send_request(ServerRequest::ElicitRequest(ElicitRequest::new(params))).await;
    let Ok(ClientResult::ElicitResult(answer)) = answer else { return false };
    let allowed = answer.content.is_some_and(|content| content.get(ALLOW) == Some(&true.into()));
    answer.action == ElicitationAction::Accept && allowed
}
