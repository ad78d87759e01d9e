//! What a request says by itself, before anything is looked at in a project, and errors of the protocol.

use rmcp::RoleServer;
use rmcp::model::{ErrorCode, ErrorData, PaginatedRequestParams, SKILLS_EXTENSION_ID};
use rmcp::service::RequestContext;
use serde_json::Value;

use super::page::Place;

/// A cursor is the place that the page before ended with.
pub(super) fn after(request: Option<PaginatedRequestParams>) -> Result<Option<Place>, ErrorData> {
    let cursor = request.and_then(|request| request.cursor);
    let place = cursor.map(|cursor| cursor.parse()).transpose();
    place.map_err(|()| ErrorData::invalid_params("unknown cursor", None))
}

/// Tells whether a client knows skills by themselves.
pub(super) fn knows_skills(context: &RequestContext<RoleServer>) -> bool {
    let extensions = context.client_capabilities().and_then(|capabilities| capabilities.extensions);
    extensions.is_some_and(|extensions| extensions.contains_key(SKILLS_EXTENSION_ID))
}

/// Gives an error the code that the methods of the extension have for a wrong address, in every revision.
pub(super) fn of_skills(error: ErrorData) -> ErrorData {
    if error.code == ErrorCode::RESOURCE_NOT_FOUND {
        return ErrorData { code: ErrorCode::INVALID_PARAMS, ..error };
    }
    error
}

/// Answers a request of no known method, and one of a known method whose parameters do not fit it.
pub(super) fn unreadable(method: &str) -> ErrorData {
    const KNOWN: [&str; 13] = [
        "initialize",
        "tools/call",
        "tools/list",
        "prompts/get",
        "prompts/list",
        "resources/read",
        "resources/list",
        "resources/templates/list",
        "resources/directory/read",
        "skills/get",
        "skills/list",
        "completion/complete",
        "subscriptions/listen",
    ];
    if KNOWN.contains(&method) {
        return ErrorData::invalid_params(format!("the parameters of `{method}` do not fit it"), None);
    }
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("unknown method `{method}`"), None::<Value>)
}
