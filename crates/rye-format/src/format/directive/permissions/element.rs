//! The `<permissions>` element: capabilities, path rules and acknowledged risks (docs/formats.md, section 2.6).
//!
//! Legacy forms are read as what they mean now, with a warning that shows the replacement; `legacy` knows them. The
//! printed form is always the current one.

use std::fmt::Write as _;

use super::granted::{Grant, Granted};
use super::{judge, legacy};
use crate::capability::{Access, Capabilities, Capability, CapabilityError, HostRule, Primary, aliases};
use crate::format::directive::elements::{Shape, check, leaf, list};
use crate::format::span::Findings;
use crate::format::syntax::xml::Element;
use crate::format::{Span, rules};
use crate::id::{ItemId, ItemType};
use crate::item::{Acknowledge, Risk};

const TYPES: [&str; 4] = ["tool", "directive", "knowledge", "skill"];
/// Item types are listed for a better message than "unknown": they are one level too high.
const CHILDREN: Shape = list(&[
    "execute",
    "search",
    "load",
    "sign",
    "read",
    "write",
    "network",
    "acknowledge",
    "cap",
    "tool",
    "directive",
    "knowledge",
    "skill",
]);

/// Reads what a directive may do, and files a finding for every risk that is not acknowledged.
pub(in crate::format) fn read(element: &Element, findings: &mut Findings<'_>) -> (Capabilities, Vec<Acknowledge>) {
    let (grants, acknowledged) = collect(element, findings);
    let mut capabilities = Capabilities::default();
    for grant in grants {
        match grant.granted {
            Granted::Call(capability) => capabilities.calls.push(capability),
            Granted::Path(Access::Read, pattern) => capabilities.paths.read.push(pattern),
            Granted::Path(Access::Write, pattern) => capabilities.paths.write.push(pattern),
            Granted::Host(rule) => capabilities.hosts.push(rule),
        }
    }
    (capabilities, acknowledged)
}

/// Reads what a directive may do, each part with its place.
pub(in crate::format) fn collect(element: &Element, findings: &mut Findings<'_>) -> (Vec<Grant>, Vec<Acknowledge>) {
    let mut reading = Reading { findings, grants: Vec::new() };
    let everything = element.text.trim() == "*";
    if everything {
        reading.grant(Ok(Capability::everything()), element.text_place());
    }
    check(element, &Shape { text: everything, ..CHILDREN }, reading.findings);
    let mut acknowledged = Vec::new();
    for child in &element.children {
        match child.name.as_str() {
            "read" => reading.path(child, Access::Read),
            "write" => reading.path(child, Access::Write),
            "network" => reading.network(child),
            "acknowledge" => {
                let named = acknowledge(child, reading.findings);
                named.iter().for_each(|named| idle(child, named.risk, reading.findings));
                acknowledged.extend(named);
            }
            "cap" => reading.cap(child),
            name if TYPES.contains(&name) => reading.too_high(child),
            name => name.parse().into_iter().for_each(|primary| reading.primary(child, primary)),
        }
    }
    let Reading { findings, grants } = reading;
    judge::judge(element, &grants, &acknowledged, findings);
    (grants, acknowledged)
}

struct Reading<'t, 'f> {
    findings: &'f mut Findings<'t>,
    grants: Vec<Grant>,
}

impl Reading<'_, '_> {
    fn grant(&mut self, capability: Result<Capability, CapabilityError>, span: Span) {
        match capability {
            Ok(capability) => self.grants.push(Grant { granted: Granted::Call(capability), span }),
            Err(error) => {
                let hint =
                    "write an id or a pattern such as `rye.file-system.*` or `demo/[ab]*`, `/` and `.` alike, or `*`";
                self.bad_pattern(&error, span, hint);
            }
        }
    }

    fn primary(&mut self, element: &Element, primary: Primary) {
        if element.attribute("resource").is_some() {
            return self.resource(element, primary);
        }
        if element.children.is_empty() && element.text.trim() == "*" {
            self.grant(Ok(Capability::all_of(primary)), element.text_place());
            return check(element, &leaf(&[], true), self.findings);
        }
        if let Some(span) = element.text_span {
            let pattern = shortened(element.text.trim());
            let message = format!("`<{primary}>` does not say of which type `{pattern}` is");
            let hint =
                format!("write `<{primary}><tool>{pattern}</tool></{primary}>`, or `<directive>`, `<knowledge>`");
            self.findings.at(&rules::STRAY_TEXT, span, message, hint);
        }
        check(element, &Shape { text: true, ..list(&TYPES) }, self.findings);
        if element.children.is_empty() && element.text_span.is_none() {
            let message = format!("`<{primary}>` permits nothing");
            let hint = "add `<tool>pattern</tool>`, or remove it";
            self.findings.at(&rules::EMPTY_PERMISSIONS, element.span, message, hint);
        }
        for child in element.children.iter().filter(|child| TYPES.contains(&child.name.as_str())) {
            check(child, &leaf(&[], true), self.findings);
            let item_type = child.name.parse().unwrap_or(ItemType::Tool);
            self.pattern(primary, item_type, child);
        }
    }

    /// Reads one pattern of a permission element.
    fn pattern(&mut self, primary: Primary, item_type: ItemType, child: &Element) {
        let text = child.text.trim();
        let whole = format!("rye.{primary}.{item_type}.");
        if let Some(rest) = text.strip_prefix(&whole) {
            // Read as written, which grants less: only the author knows the intended meaning.
            let id = shortened(&whole.replace('.', "/")).to_string();
            let message = format!("as written this covers only ids that start with `{id}`");
            let hint = format!(
                "if you mean it without what the elements say already, write `<{item_type}>{}</{item_type}>`",
                shortened(rest)
            );
            self.findings.at(&rules::WHOLE_CAPABILITY, child.text_place(), message, hint);
        }
        let former: Option<ItemId> = text.replace('.', "/").parse().ok();
        if let Some(current) = former.and_then(|id| aliases::current(item_type, &id)) {
            let message = format!("`{}` is a former name", shortened(text));
            let hint = format!("write `<{item_type}>{}</{item_type}>`", current.dotted());
            self.findings.at(&rules::FORMER_NAME, child.text_place(), message, hint);
        }
        let capability = Capability::of(primary, item_type, text);
        self.grant(capability, child.text_place());
    }

    /// Reads `<execute resource="…">`.
    fn resource(&mut self, element: &Element, primary: Primary) {
        check(element, &leaf(&["resource", "action", "id"], false), self.findings);
        let read = legacy::resource(primary, |name| element.value(name));
        match read {
            Ok(capability) => self.replaced(element, capability),
            Err((message, hint)) => self.findings.at(&rules::BAD_RESOURCE, element.span, message, hint),
        }
    }

    fn cap(&mut self, element: &Element) {
        check(element, &leaf(&[], true), self.findings);
        self.replaced(element, element.text.trim().parse());
    }

    /// Grants what a legacy element means, and shows how to write it now.
    fn replaced(&mut self, element: &Element, capability: Result<Capability, CapabilityError>) {
        match capability {
            Ok(capability) => {
                let message = format!("`<{}{}>` is a legacy form", element.name, first_attribute(element));
                self.findings.at(&rules::LEGACY_PERMISSION, element.span, message, legacy::replacement(&capability));
                self.grant(Ok(capability), element.span);
            }
            Err(error) => {
                let hint = "write it in the current form, such as `<execute><tool>rye.file-system.*</tool></execute>`";
                self.bad_pattern(&error, element.span, hint);
            }
        }
    }

    fn bad_pattern(&mut self, error: &CapabilityError, span: Span, hint: &str) {
        self.findings.at(&rules::BAD_PATTERN, span, error.to_string(), hint);
    }

    fn too_high(&mut self, element: &Element) {
        let name = &element.name;
        let message = format!("`<{name}>` does not say what may be done with it");
        let hint = format!(
            "put it into `<execute>`, `<search>`, `<load>` or `<sign>`: `<execute><{name}>…</{name}></execute>`"
        );
        self.findings.at(&rules::UNKNOWN_ELEMENT, element.span, message, hint);
    }

    /// Reads `<read>` and `<write>`; without `path` they speak of the whole project.
    fn path(&mut self, element: &Element, access: Access) {
        match element.value("resource") {
            Some("filesystem") => check(element, &leaf(&["resource", "path"], false), self.findings),
            Some(other) => {
                let message = format!("`{}` is not a resource that can be {access}", shortened(other));
                let hint = "only `resource=\"filesystem\"` names paths";
                return self.findings.at(&rules::BAD_RESOURCE, element.span, message, hint);
            }
            None => {
                let message = format!("`<{access}>` does not say of which resource");
                let hint = "add `resource=\"filesystem\"`";
                return self.findings.at(&rules::MISSING_ATTRIBUTE, element.span, message, hint);
            }
        }
        let patterns = element.value("path").unwrap_or("**");
        if patterns.split(',').all(|pattern| pattern.trim().is_empty()) {
            let message = format!("`<{access}>` names no path");
            let hint = "write `path=\"docs/**\"`, globs separated by commas";
            return self.findings.at(&rules::MISSING_ATTRIBUTE, element.span, message, hint);
        }
        let span = element.attribute("path").map_or(element.span, |attribute| attribute.span);
        let mut paths = crate::capability::PathRules::default();
        if let Err(error) = paths.add(access, patterns) {
            let hint = "write globs inside the project, such as `docs/**,README.md`";
            return self.findings.at(&rules::BAD_PATH, span, error.to_string(), hint);
        }
        let patterns = paths.read.into_iter().chain(paths.write);
        self.grants.extend(patterns.map(|pattern| Grant { granted: Granted::Path(access, pattern), span }));
    }

    /// Reads `<network>`, which names hosts.
    fn network(&mut self, element: &Element) {
        check(element, &leaf(&["host"], false), self.findings);
        let hosts = element.value("host").unwrap_or_default().split(',').map(str::trim).filter(|host| !host.is_empty());
        let hosts: Vec<&str> = hosts.collect();
        if hosts.is_empty() {
            let hint = "write `host=\"api.example.org, *.example.net:8443\"`, names separated by commas";
            return self.findings.at(&rules::MISSING_ATTRIBUTE, element.span, "`<network>` names no host", hint);
        }
        let span = element.attribute("host").map_or(element.span, |attribute| attribute.span);
        for host in hosts {
            match host.parse::<HostRule>() {
                Ok(rule) => self.grants.push(Grant { granted: Granted::Host(rule), span }),
                Err(error) => {
                    let hint = "write a name such as `api.example.org` or `*.example.org:8443`";
                    self.findings.at(&rules::BAD_HOST, span, error.to_string(), hint);
                }
            }
        }
    }
}

fn acknowledge(element: &Element, findings: &mut Findings<'_>) -> Option<Acknowledge> {
    check(element, &leaf(&["risk"], true), findings);
    let text = crate::format::syntax::prose::one_line(&element.text);
    let Some(risk) = element.value("risk") else {
        return legacy_acknowledge(element, &text, findings);
    };
    match risk.parse() {
        Ok(risk) if !text.is_empty() => Some(Acknowledge { risk, reason: text }),
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

/// Warns of an acknowledgement that nothing asks for.
fn idle(element: &Element, risk: Risk, findings: &mut Findings<'_>) {
    match risk {
        Risk::Safe | Risk::Write => {
            let message = format!("an acknowledgement of `{risk}` has no effect: this tier asks for none");
            findings.at(&rules::IDLE_ACKNOWLEDGE, element.span, message, "remove it, or name `elevated`");
        }
        Risk::Elevated | Risk::Unrestricted => {}
    }
}

/// Reads the text form: the tier first, then the reason.
fn legacy_acknowledge(element: &Element, text: &str, findings: &mut Findings<'_>) -> Option<Acknowledge> {
    let Some(acknowledge) = legacy::acknowledge(text) else {
        let hint = "write `<acknowledge risk=\"elevated\">reason</acknowledge>`";
        findings.at(&rules::BAD_ACKNOWLEDGE, element.span, "an acknowledgement does not say of which risk", hint);
        return None;
    };
    let reason = if acknowledge.reason.is_empty() { "reason" } else { &acknowledge.reason };
    let hint = format!("write `<acknowledge risk=\"{}\">{reason}</acknowledge>`", acknowledge.risk);
    findings.at(&rules::LEGACY_ACKNOWLEDGE, element.span, "the risk is named in a legacy form", hint);
    Some(acknowledge)
}

/// Prints permissions in their current form; reading them again gives the same ones.
#[must_use]
pub fn print_permissions(capabilities: &Capabilities, acknowledged: &[Acknowledge]) -> String {
    let everything = Capability::everything();
    let mut printed = "<permissions>".to_owned();
    if capabilities.calls.contains(&everything) {
        printed.push('*');
    }
    for capability in capabilities.calls.iter().filter(|capability| **capability != everything) {
        // Capabilities without an element stay in the form that can express them.
        let element = legacy::element(capability).unwrap_or_else(|| format!("<cap>{capability}</cap>"));
        let _ = write!(printed, "\n  {element}");
    }
    let paths = [(Access::Read, &capabilities.paths.read), (Access::Write, &capabilities.paths.write)];
    for (access, patterns) in paths.into_iter().filter(|(_, patterns)| !patterns.is_empty()) {
        let patterns = escaped(&patterns.join(","));
        let _ = write!(printed, "\n  <{access} resource=\"filesystem\" path=\"{patterns}\" />");
    }
    if !capabilities.hosts.is_empty() {
        let hosts: Vec<String> = capabilities.hosts.iter().map(ToString::to_string).collect();
        let _ = write!(printed, "\n  <network host=\"{}\" />", hosts.join(", "));
    }
    for Acknowledge { risk, reason } in acknowledged {
        let _ = write!(printed, "\n  <acknowledge risk=\"{risk}\">{}</acknowledge>", escaped(reason));
    }
    let end = if printed.contains('\n') { "\n" } else { "" };
    format!("{printed}{end}</permissions>")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn first_attribute(element: &Element) -> String {
    let first = element.attributes.first();
    first.map(|found| format!(" {}=\"{}\"", found.name, shortened(&found.value))).unwrap_or_default()
}

/// Keeps hostile texts out of messages.
fn shortened(text: &str) -> String {
    text.chars().take(80).collect()
}
