//! Findings about granted permissions: unacknowledged risks, whole servers, and duplicates.

use super::granted::{Grant, Granted};
use crate::capability::{Capability, Primary};
use crate::format::span::Findings;
use crate::format::syntax::xml::Element;
use crate::format::{Span, no_effect, rules};
use crate::id::ItemType;
use crate::item::{Acknowledge, Risk};

/// Judges the risk of every capability against what the author acknowledged.
pub(super) fn judge(element: &Element, grants: &[Grant], acknowledged: &[Acknowledge], findings: &mut Findings<'_>) {
    // An invalid acknowledgement has a finding of its own.
    let is_bare = element.children.len() == acknowledged.len();
    if grants.is_empty() && is_bare && element.text_span.is_none() {
        let hint = "add `<execute>`, `<search>`, `<load>`, `<sign>`, `<read>` or `<write>`, or remove the element";
        findings.at(&rules::EMPTY_PERMISSIONS, element.span, "the permissions permit nothing", hint);
    }
    let accepted = acknowledged.iter().map(|named| named.risk).max().unwrap_or(Risk::Write);
    for (number, grant) in grants.iter().enumerate() {
        if findings.is_full() {
            return;
        }
        let capability = match &grant.granted {
            Granted::Call(capability) => capability,
            Granted::Host(rule) => {
                let why = "tools send there what they read";
                findings.beyond(&format!("network {rule}"), Risk::Elevated, grant.span, accepted, why);
                continue;
            }
            Granted::Path(..) => continue,
        };
        findings.risk(capability, grant.span, accepted);
        findings.server(capability, grant.span);
        no_effect::capability(capability, grant.span, findings);
        if let Some(wide) = wider(grants, number, capability) {
            let message = format!("`{capability}` is covered by `{wide}` already");
            findings.at(
                &rules::COVERED_TWICE,
                grant.span,
                message,
                "remove the wider one if this suffices, else this one",
            );
        }
    }
}

/// Finds another grant that covers all of this one; of two equal ones the second has one.
fn wider(grants: &[Grant], number: usize, capability: &Capability) -> Option<Capability> {
    if number > MOST_JUDGED {
        return None;
    }
    let others = grants.iter().take(MOST_COMPARED).enumerate().filter(|(other, _)| *other != number);
    others
        .filter_map(|(other, grant)| match &grant.granted {
            Granted::Call(wide) => Some((other, wide)),
            Granted::Path(..) | Granted::Host(_) => None,
        })
        .find(|(other, wide)| wide.includes(capability) && (*other < number || !capability.includes(wide)))
        .map(|(_, wide)| wide.clone())
}

/// How many earlier grants one is compared with: a hostile list must not cost the square of its length.
const MOST_COMPARED: usize = 64;

/// How many grants are compared.
const MOST_JUDGED: usize = 500;

impl Findings<'_> {
    /// Advises against granting all tools of an MCP server, those it will have tomorrow included.
    fn server(&mut self, capability: &Capability, span: Span) {
        let Some((Primary::Execute, Some((ItemType::Tool, specifics)))) = capability.parts() else { return };
        let Some(server) = specifics.strip_prefix("mcp.").and_then(|rest| rest.strip_suffix('*')) else { return };
        if !server.trim_end_matches('.').contains('.') {
            let message = format!("`{capability}` grants every tool of the server, also those it does not have yet");
            let hint = "grant the tools that are needed, or a group of them: `mcp.server.group.*`";
            self.at(&rules::WHOLE_SERVER, span, message, hint);
        }
    }

    /// Files a finding for a capability beyond the accepted ones.
    fn risk(&mut self, capability: &Capability, span: Span, accepted: Risk) {
        let risk = Risk::of(capability);
        let why = match risk {
            Risk::Unrestricted => "it lets every tool there is run",
            Risk::Elevated => "it lets calls sign, run commands, or reach a network or a registry",
            Risk::Write | Risk::Safe => return,
        };
        self.beyond(&capability.to_string(), risk, span, accepted, why);
    }

    fn beyond(&mut self, granted: &str, risk: Risk, span: Span, accepted: Risk, why: &str) {
        let rule = if risk == Risk::Unrestricted { &rules::UNRESTRICTED } else { &rules::ELEVATED };
        if risk > accepted {
            let hint =
                format!("narrow it, or add `<acknowledge risk=\"{risk}\">reason</acknowledge>` to the permissions");
            self.at(rule, span, format!("`{granted}` is {risk}: {why}"), hint);
        }
    }
}
