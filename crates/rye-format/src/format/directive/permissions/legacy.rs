//! Forms of permissions from before the hierarchical one, as what they mean now.

use crate::capability::{Capability, CapabilityError, Primary};
use crate::id::ItemType;
use crate::item::{Acknowledge, Risk};

/// The resources that a legacy `<execute>` could name.
const RESOURCES: &str = "`shell`, `tool` or `kiwi-mcp`";

type Wrong = (String, String);

/// Reads `<execute resource="…" action="…" id="…">`. The inner error is a name that is not part of a capability.
pub(in crate::format) fn resource<'e>(
    primary: Primary,
    attribute: impl Fn(&str) -> Option<&'e str>,
) -> Result<Result<Capability, CapabilityError>, Wrong> {
    let resource = attribute("resource").unwrap_or_default();
    if primary != Primary::Execute {
        let message = format!("`<{primary}>` takes no `resource`");
        return Err((
            message,
            format!("write `<{primary}><tool>pattern</tool></{primary}>`, or `<{primary}>*</{primary}>`"),
        ));
    }
    let named = |name: &str, example: &str| match attribute(name).map(str::trim) {
        Some(value) if !value.is_empty() => Ok(value),
        _ => {
            let message = format!("`<execute resource=\"{resource}\">` has no `{name}`");
            Err((message, format!("write `<execute><tool>{example}</tool></execute>`")))
        }
    };
    let tool = |specifics: &str| Capability::of(Primary::Execute, ItemType::Tool, specifics);
    match resource {
        "shell" => Ok(tool(&format!("rye/shell/{}", named("action", "rye.shell.pytest")?))),
        "tool" => Ok(tool(named("id", "the.tools.id")?)),
        "kiwi-mcp" => primary_action(named("action", "rye.registry.*")?, tool),
        other => {
            let other: String = other.chars().take(40).collect();
            let hint = "write `<execute><tool>pattern</tool></execute>`".to_owned();
            Err((format!("`{other}` is not a resource: known were {RESOURCES}"), hint))
        }
    }
}

/// Reads the actions of the server that the primary actions come from. The registry's are tools of their own now.
fn primary_action(
    action: &str,
    tool: impl Fn(&str) -> Result<Capability, CapabilityError>,
) -> Result<Result<Capability, CapabilityError>, Wrong> {
    match action {
        "*" => Ok(Ok(Capability::everything())),
        "search" => Ok(Ok(Capability::all_of(Primary::Search))),
        "load" => Ok(Ok(Capability::all_of(Primary::Load))),
        "execute" => Ok(Ok(Capability::all_of(Primary::Execute))),
        "publish" | "update" | "delete" => Ok(tool(&format!("rye/registry/{action}"))),
        other => {
            let message = format!("`{}` was not an action of `kiwi-mcp`", other.chars().take(40).collect::<String>());
            Err((message, "it had `search`, `load`, `execute`, `publish`, `update`, `delete` and `*`".to_owned()))
        }
    }
}

/// Reads an acknowledgement whose text names the tier first: `elevated: it runs the tests`.
pub(in crate::format) fn acknowledge(text: &str) -> Option<Acknowledge> {
    let end = text.find(|found: char| !found.is_ascii_alphabetic()).unwrap_or(text.len());
    let risk: Risk = text[..end].to_ascii_lowercase().parse().ok()?;
    let reason = text[end..].trim_start_matches([':', ' ', '-', '–', '—', '(']).trim_end_matches(')').to_owned();
    Some(Acknowledge { risk, reason })
}

/// Returns the current element for a capability; `None` for a pattern whose wildcards reach across elements.
pub(super) fn element(capability: &Capability) -> Option<String> {
    Some(match capability.parts()? {
        (primary, None) => format!("<{primary}>*</{primary}>"),
        (primary, Some((item_type, specifics))) => {
            format!("<{primary}><{item_type}>{specifics}</{item_type}></{primary}>")
        }
    })
}

/// Says how to write a capability now.
pub(super) fn replacement(capability: &Capability) -> String {
    if *capability == Capability::everything() {
        return "write `<permissions>*</permissions>`, or better only the needed ones".to_owned();
    }
    match element(capability) {
        Some(element) => format!("write `{element}`"),
        None => "spell out each action and type: `<execute><tool>pattern</tool></execute>` and so on".to_owned(),
    }
}
