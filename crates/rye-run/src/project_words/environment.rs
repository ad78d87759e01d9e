//! What a thread tells its model of where it runs: project, date, platform and budget.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::budget::LEAST_TOKENS;
use crate::format::event_text::one_line;
use crate::id::Timestamp;
use crate::project::Project;

/// The most characters of a project's name.
const MOST_OF_NAME: usize = 80;

/// The characters of a time that are its date.
const DATE: usize = 10;

/// Tells project, date, platform and limits: the name of the project's folder, and nothing of the path to it.
#[must_use]
pub fn environment(project: &Project, now: Timestamp, limits: &BTreeMap<String, String>) -> String {
    let mut text = String::new();
    // Writing to a `String` cannot fail.
    if let Some(name) = project.work_dir().and_then(|folder| folder.file_name()) {
        let name: String = one_line(&name.to_string_lossy()).chars().take(MOST_OF_NAME).collect();
        let _ = writeln!(text, "Project: {name}");
    }
    let (now, platform) = (now.to_string(), std::env::consts::OS);
    let date = now.get(..DATE).unwrap_or(&now);
    let _ = write!(text, "Date: {date} (UTC)\nPlatform: {platform} {}", std::env::consts::ARCH);
    let tokens = limits.get("tokens").and_then(|tokens| tokens.parse::<u64>().ok());
    if tokens.is_none_or(|tokens| tokens < LEAST_TOKENS) {
        return text;
    }
    let told = [("turns", " turns"), ("tokens", " tokens"), ("spend", ""), ("duration", " s")];
    let told = told.iter().filter_map(|(name, unit)| Some(format!("{}{unit}", limits.get(*name)?)));
    let told = told.collect::<Vec<_>>().join(", ");
    let _ = write!(text, "\nBudget: {told}");
    text
}
