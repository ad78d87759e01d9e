//! What executing an item came to.

use std::path::Path;

use serde_json::Value;

use super::{Cell, Page, Table, clean, one_line};
use crate::format::Severity;
use crate::item::Output;
use crate::ops::execute::{
    DirectiveOutcome, KnowledgeOutcome, Outcome, PlannedRun, SkillOutcome, ToolOutcome, ToolStatus,
};

/// How many lines of what a failed tool said are shown: the last ones tell why.
const LAST_LINES: usize = 40;

/// Writes instructions to follow, something to know, or a result.
pub(in crate::cli) fn write(page: &mut Page<'_>, outcome: &Outcome) {
    match outcome {
        Outcome::Directive(directive) => write_directive(page, directive),
        Outcome::Skill(skill) => write_skill(page, skill),
        Outcome::Knowledge(knowledge) => write_knowledge(page, knowledge),
        // A failure is an error, not data.
        Outcome::Tool(tool) if tool.status == ToolStatus::Error => {}
        Outcome::Tool(tool) => write_value(page, &tool.result),
        Outcome::Planned(planned) => write_planned(page, planned),
    }
}

fn write_directive(page: &mut Page<'_>, directive: &DirectiveOutcome) {
    let DirectiveOutcome { item_id, version, description, .. } = directive;
    page.line(format!("{} {}", page.paint().bold(item_id), page.paint().dim(version)));
    page.line(one_line(description));
    page.line("");
    page.item_text(&directive.instructions);
    write_entries(page, "Related files", &directive.related_files);
    write_entries(page, "Dependencies", &directive.dependencies);
    write_entries(page, "Used by", &directive.used_by);
    write_entries(page, "Suggests", &directive.suggests);
    write_entries(page, "Example of", &directive.example_of);
    if !directive.outputs.is_empty() {
        page.line("");
        page.line(page.paint().bold("Return"));
        directive.outputs.iter().for_each(|output| page.line(format!("  {}", returned(page, output))));
    }
}

/// Writes a list of what an item is related to, if there is any.
fn write_entries(page: &mut Page<'_>, title: &str, entries: &[impl ToString]) {
    if !entries.is_empty() {
        page.line("");
        page.line(page.paint().bold(title));
        entries.iter().for_each(|entry| page.line(format!("  {}", one_line(&entry.to_string()))));
    }
}

fn write_knowledge(page: &mut Page<'_>, knowledge: &KnowledgeOutcome) {
    page.item_text(&knowledge.content);
    let used_by = knowledge.metadata.get("used_by").and_then(Value::as_array);
    let entries: Vec<&str> = used_by.into_iter().flatten().filter_map(Value::as_str).collect();
    write_entries(page, "Used by", &entries);
}

fn write_skill(page: &mut Page<'_>, skill: &SkillOutcome) {
    let version = skill.version.map(|version| version.to_string()).unwrap_or_default();
    page.line(format!("{} {}", page.paint().bold(&skill.item_id), page.paint().dim(version)));
    page.line(one_line(&skill.description));
    page.line("");
    page.item_text(&skill.instructions);
    if !skill.files.is_empty() {
        page.line("");
        page.line(page.paint().bold(format!("Files in {}", one_line(&skill.folder))));
        for file in &skill.files {
            let mark = if file.executable { page.paint().dim(" (executable)") } else { String::new() };
            page.line(format!("  {}{mark}", one_line(&file.path)));
        }
    }
    if !skill.allowed_tools.is_empty() {
        page.line("");
        page.line(page.paint().bold("Asks a client to allow (nothing is granted by it)"));
        skill.allowed_tools.iter().for_each(|entry| page.line(format!("  {}", one_line(entry))));
    }
}

fn returned(page: &Page<'_>, output: &Output) -> String {
    let optional = if output.required { "" } else { ", optional" };
    let kind = page.paint().dim(format!("({}{optional})", output.kind));
    format!("{} {kind} {}", one_line(&output.name), one_line(&output.description)).trim_end().to_owned()
}

/// Writes text, nothing as nothing, and everything else as JSON.
pub(super) fn write_value(page: &mut Page<'_>, value: &Value) {
    match value {
        Value::Null => {}
        Value::String(text) => page.words(text),
        other => page.words(&format!("{other:#}")),
    }
}

fn write_planned(page: &mut Page<'_>, planned: &PlannedRun) {
    let mut table = Table::new(vec!["WOULD RUN", ""]);
    let mut row = |name: &str, value: &str| table.row(vec![Cell::dim(name), Cell::new(value)]);
    row("tool", planned.item_id.as_str());
    row("kind", &planned.kind);
    if let Some(command) = &planned.command {
        row("command", &command.join(" "));
    }
    row("parameters", &Value::Object(planned.parameters.clone()).to_string());
    row("needs", &planned.needs);
    page.table(&table);
}

/// Writes why a tool failed, as far as its result says so: the last line of its stderr, where nothing else does.
pub(in crate::cli) fn write_failure(page: &mut Page<'_>, tool: &ToolOutcome) {
    let text = |pointer: &str| tool.result.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let last_line = text("/stderr").lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
    let said = [text("/error/message"), text("/message"), text("/error"), ending(&tool.result), last_line.trim()]
        .into_iter()
        .find(|text| !text.is_empty());
    let reason_line = said.unwrap_or_default();
    let reason = said.map_or_else(String::new, |said| format!(": {}", clean(said)));
    page.line(format!("{} tool `{}` failed{reason}", page.paint().severity(Severity::Error), tool.item_id));
    if let Some(code) = tool.result.get("exit_code").and_then(Value::as_i64) {
        page.line(format!("{} it ended with exit code {code}", page.paint().dim("cause:")));
    }
    // Its error message comes before its other output.
    for pointer in ["/stderr", "/stdout"] {
        let said = text(pointer).trim_end();
        if !said.is_empty() && said != reason_line {
            page.line(page.paint().dim(format!("its {}:", &pointer[1..])));
            let lines = said.lines().count();
            if lines > LAST_LINES {
                page.line(page.paint().dim(format!("  ({} lines before; `--json` has them all)", lines - LAST_LINES)));
            }
            let last = said.lines().skip(lines.saturating_sub(LAST_LINES));
            last.for_each(|line| page.line(format!("  {}", clean(line))));
        }
    }
}

/// Writes what a tool that succeeded wrote to standard error.
pub(in crate::cli) fn write_said(page: &mut Page<'_>, said: &str) {
    page.line(page.paint().dim("its stderr:"));
    said.lines().for_each(|line| page.line(format!("  {}", clean(line))));
}

fn ending(result: &Value) -> &'static str {
    if result.get("timed_out").is_some() {
        "its time was over"
    } else if result.get("signal").is_some() {
        "a signal ended it"
    } else {
        ""
    }
}

/// Writes what a script may write outside of threads, after it failed on a refusal.
pub(in crate::cli) fn write_refused(page: &mut Page<'_>, config: &Path) {
    let hint = page.paint().dim("hint:");
    page.line(format!(
        "{hint} a script reads the project, and writes and reaches only granted paths and hosts; to let scripts write `out` or reach `example.org`, set `sandbox.write = [\"out\"]` or `sandbox.network = [\"example.org\"]` in `{}`",
        config.display()
    ));
}

/// Writes that somebody stopped a tool.
pub(in crate::cli) fn write_cancelled(page: &mut Page<'_>, tool: &ToolOutcome) {
    page.line(format!("{} tool `{}` was stopped", page.paint().severity(Severity::Error), tool.item_id));
}
