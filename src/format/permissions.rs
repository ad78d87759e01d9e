//! The `<permissions>` element: capabilities, path rules and acknowledged risks (docs/formats.md, section 2).

use super::elements::{check, leaf, list};
use super::span::Findings;
use super::xml::Element;
use super::{Span, rules};
use crate::capability::{Access, Capabilities, Capability, Primary};
use crate::id::ItemType;
use crate::item::{Acknowledge, Risk};

const TYPES: [&str; 3] = ["tool", "directive", "knowledge"];

/// Reads what a directive may do, and files a finding for every risk that is not acknowledged.
pub(super) fn read(element: &Element, findings: &mut Findings<'_>) -> (Capabilities, Vec<Acknowledge>) {
    let mut reading = Reading { findings, capabilities: Capabilities::default(), granted: Vec::new() };
    if element.text.trim() == "*" && element.children.is_empty() {
        reading.grant(Ok(Capability::everything()), element.text_place());
        check(element, &leaf(&[], true), reading.findings);
    } else {
        let known = list(&["execute", "search", "load", "sign", "read", "write", "acknowledge"]);
        check(element, &known, reading.findings);
    }
    let mut acknowledged = Vec::new();
    for child in &element.children {
        match child.name.as_str() {
            "read" => reading.path(child, Access::Read),
            "write" => reading.path(child, Access::Write),
            "acknowledge" => acknowledged.extend(acknowledge(child, reading.findings)),
            name => name.parse().into_iter().for_each(|primary| reading.primary(child, primary)),
        }
    }
    reading.judge(element, &acknowledged);
    (reading.capabilities, acknowledged)
}

struct Reading<'t, 'f> {
    findings: &'f mut Findings<'t>,
    capabilities: Capabilities,
    /// Where each capability stands.
    granted: Vec<Span>,
}

impl Reading<'_, '_> {
    fn grant(&mut self, capability: Result<Capability, crate::capability::CapabilityError>, span: Span) {
        match capability {
            Ok(capability) => {
                self.capabilities.calls.push(capability);
                self.granted.push(span);
            }
            Err(error) => {
                let hint = "write an id or a pattern such as `rye.file-system.*`, `/` and `.` alike, or `*`";
                self.findings.at(&rules::BAD_PATTERN, span, error.to_string(), hint);
            }
        }
    }

    fn primary(&mut self, element: &Element, primary: Primary) {
        if element.attributes.iter().any(|attribute| matches!(attribute.name.as_str(), "resource" | "action" | "id")) {
            let message = format!("`<{primary} resource=…>` is a legacy form that is not supported by this version");
            let hint = "write `<execute><tool>rye.shell.*</tool></execute>` or what else it is to permit";
            return self.findings.at(&rules::LEGACY_PERMISSION, element.span, message, hint);
        }
        if element.children.is_empty() && element.text.trim() == "*" {
            self.grant(Ok(Capability::all_of(primary)), element.text_place());
            return check(element, &leaf(&[], true), self.findings);
        }
        check(element, &list(&TYPES), self.findings);
        if element.children.is_empty() && element.text_span.is_none() {
            let message = format!("`<{primary}>` permits nothing");
            self.findings.at(
                &rules::EMPTY_PERMISSIONS,
                element.span,
                message,
                "add `<tool>pattern</tool>`, or remove it",
            );
        }
        for child in element.children.iter().filter(|child| TYPES.contains(&child.name.as_str())) {
            check(child, &leaf(&[], true), self.findings);
            let item_type = child.name.parse().unwrap_or(ItemType::Tool);
            self.grant(Capability::of(primary, item_type, &child.text), child.text_place());
        }
    }

    fn path(&mut self, element: &Element, access: Access) {
        match element.value("resource") {
            Some("filesystem") => check(element, &leaf(&["resource", "path"], false), self.findings),
            Some(other) => {
                let message =
                    format!("`<{access} resource=\"{other}\">` is a legacy form that is not supported by this version");
                let hint = "only `resource=\"filesystem\"` names paths";
                return self.findings.at(&rules::LEGACY_PERMISSION, element.span, message, hint);
            }
            None => {
                let message = format!("`<{access}>` does not say of which resource");
                let hint = "add `resource=\"filesystem\"`";
                return self.findings.at(&rules::MISSING_ATTRIBUTE, element.span, message, hint);
            }
        }
        let patterns = element.value("path").unwrap_or("");
        if patterns.split(',').all(|pattern| pattern.trim().is_empty()) {
            let message = format!("`<{access}>` names no path");
            let hint = "add `path=\"docs/**\"`, globs separated by commas";
            return self.findings.at(&rules::MISSING_ATTRIBUTE, element.span, message, hint);
        }
        if let Err(error) = self.capabilities.paths.add(access, patterns) {
            let span = element.attribute("path").map_or(element.span, |attribute| attribute.span);
            let hint = "write globs inside the project, such as `docs/**,README.md`";
            self.findings.at(&rules::BAD_PATH, span, error.to_string(), hint);
        }
    }

    /// Judges the risk of every capability against what the author acknowledged.
    fn judge(&mut self, element: &Element, acknowledged: &[Acknowledge]) {
        if self.capabilities.calls.is_empty() && element.children.is_empty() {
            let hint = "add `<execute>`, `<search>`, `<load>` or `<sign>`, or remove the element";
            self.findings.at(&rules::EMPTY_PERMISSIONS, element.span, "the permissions permit nothing", hint);
        }
        let accepted = acknowledged.iter().map(|named| named.risk).max().unwrap_or(Risk::Write);
        for (capability, span) in self.capabilities.calls.iter().zip(&self.granted) {
            let risk = Risk::of(capability);
            if risk <= accepted || self.findings.is_full() {
                continue;
            }
            let message = format!("`{capability}` is {risk}");
            let hint =
                format!("narrow it, or add `<acknowledge risk=\"{risk}\">reason</acknowledge>` to the permissions");
            match risk {
                Risk::Unrestricted => self.findings.at(&rules::UNRESTRICTED, *span, message, hint),
                Risk::Elevated => self.findings.at(&rules::ELEVATED, *span, message, hint),
                Risk::Write | Risk::Safe => {}
            }
        }
    }
}

fn acknowledge(element: &Element, findings: &mut Findings<'_>) -> Option<Acknowledge> {
    check(element, &leaf(&["risk"], true), findings);
    let Some(risk) = element.value("risk") else {
        let message = "an acknowledgement without `risk` is a legacy form that is not supported by this version";
        let hint = "write `<acknowledge risk=\"elevated\">reason</acknowledge>`";
        findings.at(&rules::LEGACY_ACKNOWLEDGE, element.span, message, hint);
        return None;
    };
    let reason = super::prose::one_line(&element.text);
    match risk.parse() {
        Ok(risk) if !reason.is_empty() => Some(Acknowledge { risk, reason }),
        Ok(_) => {
            let hint = "write why the risk is taken into the element";
            findings.at(&rules::BAD_ACKNOWLEDGE, element.span, "an acknowledgement gives no reason", hint);
            None
        }
        Err(error) => {
            let hint = "write `elevated` or `unrestricted`";
            findings.at(&rules::BAD_ACKNOWLEDGE, element.span, error.to_string(), hint);
            None
        }
    }
}
