//! The hosts that a tool may reach, and what a call comes to that asks for another one.

use serde_json::{Value, json};

use super::bounds::Bounds;
use super::status::{Ended, ToolStatus};
use crate::capability::HostRules;
use crate::net::{Address, Asked};
use crate::project::Project;

/// The hosts that a tool may reach: those that the permissions name, and outside of threads those of the person's configuration, too.
pub(super) fn permitted(project: &Project, bounds: &Bounds<'_>) -> HostRules {
    let permitted = HostRules::default().or(bounds.hosts.to_vec());
    if project.is_in_tree() {
        return permitted;
    }
    permitted.or(vec![project.context().config().sandbox.network.clone()])
}

/// What a call comes to whose host no rule names. The request is recorded.
pub(super) fn not_permitted(address: &Address, is_in_thread: bool) -> (ToolStatus, Value, Ended) {
    let (host, rule) = (address.authority(), address.rule_text());
    let message = match is_in_thread {
        true => format!("no permission to reach `{host}`: the directive needs `<network host=\"{rule}\"/>`"),
        false => {
            format!("no permission to reach `{host}`: `{rule}` is not in `sandbox.network`")
        }
    };
    let asked = vec![Asked { host, is_allowed: false }];
    let result = json!({"error": {"code": "host_not_permitted", "message": message}, "message": message});
    (ToolStatus::Error, result, Ended { asked, ..Ended::default() })
}
