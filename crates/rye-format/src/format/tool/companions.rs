//! The companions of a tool: files next to it that travel with it, each with its digest.
//!
//! A list of `{path, sha256}`. Only the form is judged here; that a file is there and has the digest is found out when
//! the tool runs.

use serde_json::Value;

use crate::format::header::Header;
use crate::format::rules;
use crate::item::{Companion, CompanionPath};
use crate::trust::ContentHash;

/// The most companions of one tool.
const MOST: usize = 64;
const HINT: &str =
    "write `- {path: helper.py, sha256: …}`: the path from the tool's folder, the digest from `sha256sum`";

/// Takes the companions out of a header.
pub(super) fn take(header: &mut Header<'_, '_>) -> Vec<Companion> {
    let list = match header.keys.remove("companions") {
        None | Some(Value::Null) => return Vec::new(),
        Some(Value::Array(list)) => list,
        Some(_) => {
            report(header, "`companions` is not a list".to_owned());
            return Vec::new();
        }
    };
    if list.len() > MOST {
        report(header, format!("a tool has at most {MOST} companions, and this one has {}", list.len()));
    }
    let mut companions: Vec<Companion> = Vec::new();
    for entry in list.iter().take(MOST) {
        match companion(entry) {
            Ok(companion) if companions.iter().any(|known| same_file(&known.path, &companion.path)) => {
                report(header, format!("the companion `{}` appears twice", companion.path));
            }
            Ok(companion) => companions.push(companion),
            Err(message) => report(header, message),
        }
    }
    companions
}

fn report(header: &mut Header<'_, '_>, message: String) {
    header.findings.at(&rules::TOOL_COMPANION, header.place("companions"), message, HINT);
}

fn companion(entry: &Value) -> Result<Companion, String> {
    let Value::Object(map) = entry else { return Err("a companion is not a map of `path` and `sha256`".to_owned()) };
    if let Some(key) = map.keys().find(|key| !matches!(key.as_str(), "path" | "sha256")) {
        return Err(format!("a companion has no key `{}`", key.chars().take(40).collect::<String>()));
    }
    let text = |key: &str| map.get(key).and_then(Value::as_str).ok_or_else(|| format!("a companion has no `{key}`"));
    let path: CompanionPath = text("path")?.parse().map_err(|error| format!("{error}"))?;
    let sha256: ContentHash = text("sha256")?
        .parse()
        .map_err(|_| format!("the digest of the companion `{path}` is not 64 lowercase hexadecimal digits"))?;
    Ok(Companion { path, sha256 })
}

/// Tells whether some file system takes two paths for one, or one for a folder of the other.
fn same_file(a: &CompanionPath, b: &CompanionPath) -> bool {
    let (a, b) = (a.as_str().to_ascii_lowercase(), b.as_str().to_ascii_lowercase());
    a == b || a.starts_with(&format!("{b}/")) || b.starts_with(&format!("{a}/"))
}
