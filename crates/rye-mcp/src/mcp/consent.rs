//! Asking the person behind a client: for calls that the configuration wants to be asked about.
//!
//! Only a client that declared it can ask. Any answer other than a clear yes is no.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use rmcp::RoleServer;
use rmcp::model::{
    BooleanSchema, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationSchema, InputRequest, InputRequiredResult, InputResponses, PrimitiveSchemaDefinition, ServerRequest,
};
use rmcp::service::RequestContext;
use serde::Serialize;

use super::shared_state::is_stateless;
use crate::capability::Capability;
use crate::trust::ContentHash;

/// The field of the form that says yes.
const ALLOW: &str = "allow";

/// Tells whether the client can ask its person while a call runs. Since revision 2026-07-28 it asks between two calls: [`Round`].
pub(super) fn can_ask(context: &RequestContext<RoleServer>) -> bool {
    !is_stateless(context) && has_forms(context)
}

fn has_forms(context: &RequestContext<RoleServer>) -> bool {
    let declared = context.client_capabilities().and_then(|capabilities| capabilities.elicitation);
    // Without either, a client has forms: it is older than addresses.
    declared.is_some_and(|declared| declared.form.is_some() || declared.url.is_none())
}

/// Writes what a person is asked about a call, which is described whole.
pub(super) fn question(whole: &str, pattern: &Capability) -> String {
    format!("Your configuration of Rye asks before `{pattern}`. Allow this call?\n\n{whole}")
}

/// Asks the client's person, and tells whether they allow it.
pub(super) async fn ask(context: &RequestContext<RoleServer>, message: String) -> bool {
    let answer = context.peer.send_request(ServerRequest::ElicitRequest(form(message))).await;
    matches!(answer, Ok(ClientResult::ElicitResult(answer)) if is_yes(&answer))
}

fn form(message: String) -> ElicitRequest {
    let allow = BooleanSchema::new().title("Allow this call").with_default(false);
    let fields = BTreeMap::from([(ALLOW.to_owned(), PrimitiveSchemaDefinition::Boolean(allow))]);
    let requested_schema = ElicitationSchema::new(fields).with_required(vec![ALLOW.to_owned()]);
    ElicitRequest::new(ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema })
}

fn is_yes(answer: &ElicitResult) -> bool {
    let allowed = answer.content.as_ref().is_some_and(|content| content.get(ALLOW) == Some(&true.into()));
    answer.action == ElicitationAction::Accept && allowed
}

/// A request of revision 2026-07-28: its result can be a question, and the client sends it again with the answer.
///
/// The state that goes back and forth is the digest of call and question: an answer counts for the very same call only.
#[derive(Debug)]
pub(super) struct Round {
    /// The call.
    call: String,
    /// The state of the question that the client's person answered, and whether with yes.
    answered: Option<(String, bool)>,
    asked: OnceLock<(String, String)>,
}

/// Puts the round of a request where its work finds it, if it is of such a client, and the client can ask.
pub(super) fn begin(
    context: &mut RequestContext<RoleServer>,
    call: &impl Serialize,
    state: Option<String>,
    responses: Option<&InputResponses>,
) -> Option<Arc<Round>> {
    if !is_stateless(context) || !has_forms(context) {
        return None;
    }
    let answer = responses.and_then(|responses| serde_json::from_value(responses.get(ALLOW)?.clone()).ok());
    let answered = state.zip(answer).map(|(state, answer): (_, ElicitResult)| (state, is_yes(&answer)));
    let call = serde_json::to_string(call).ok()?;
    let round = Arc::new(Round { call, answered, asked: OnceLock::new() });
    context.extensions.insert(Arc::clone(&round));
    Some(round)
}

/// Returns what the client has to ask before a request can be answered.
pub(super) fn required(round: Option<Arc<Round>>) -> Option<InputRequiredResult> {
    let (question, state) = round?.asked.get()?.clone();
    let requests = BTreeMap::from([(ALLOW.to_owned(), InputRequest::Elicitation(form(question)))]);
    Some(InputRequiredResult::new(Some(requests), Some(state)))
}

impl Round {
    /// Tells whether the person said yes to this question. An unanswered question becomes the result.
    pub(super) fn ask(&self, question: String) -> bool {
        let state = ContentHash::of_parts(&[self.call.as_bytes(), b"\n", question.as_bytes()]).to_string();
        match &self.answered {
            Some((answered, allowed)) if *answered == state => *allowed,
            Some(_) | None => {
                // Only the first of a call counts: without its answer the call goes no further.
                let _ = self.asked.set((question, state));
                false
            }
        }
    }
}
