//! The tools of an MCP server, and what becomes of their wrappers.

use super::{Page, clean, one_line};
use crate::ops::import::{Imported, Outcome, Reached, State};

/// Writes what the server may reach, and each tool: of one that is signed all that it says.
pub(in crate::cli) fn write(page: &mut Page<'_>, outcome: &Outcome) {
    page.line(format!("MCP server {}", outcome.server));
    for (name, value) in reach(&outcome.reach) {
        let name = page.paint().dim(format!("{name:<9}"));
        page.line(format!("  {name} {}", one_line(&value)));
    }
    for tool in &outcome.tools {
        page.line(format!("{:<9} {}", word(tool.state), line(tool)));
        if matches!(tool.state, State::New | State::Changed) {
            tool.description.trim().lines().for_each(|line| page.line(format!("            {}", clean(line))));
        }
        if !tool.differs.is_empty() {
            page.line(format!("            differs: {}", tool.differs.join(", ")));
        }
        for line in tool.before.iter().flat_map(|before| before.trim().lines()) {
            page.line(format!("            before: {}", clean(line)));
        }
        if let Some(reason) = &tool.reason {
            page.line(format!("            {}", clean(reason)));
        }
    }
}

/// Writes one line for each wrapper, for whoever saw the tools before.
pub(in crate::cli) fn write_written(page: &mut Page<'_>, outcome: &Outcome) {
    let written = outcome.tools.iter().filter(|tool| matches!(tool.state, State::New | State::Changed));
    for id in written.filter_map(|tool| tool.item_id.as_ref()) {
        page.line(format!("signed tool {id}  .ai/tools/{id}.yaml"));
    }
}

fn reach(reach: &Reached) -> Vec<(&'static str, String)> {
    let listed = |list: &[String]| if list.is_empty() { "nothing".to_owned() } else { list.join(", ") };
    match &reach.url {
        Some(url) => vec![("address", url.clone()), ("secrets", listed(&reach.secrets))],
        None => vec![
            ("command", reach.command.join(" ")),
            ("reads", listed(&reach.read)),
            ("writes", listed(&reach.write)),
            ("hosts", listed(&reach.hosts)),
            ("secrets", listed(&reach.secrets)),
        ],
    }
}

const fn word(state: State) -> &'static str {
    match state {
        State::New => "new",
        State::Changed => "changed",
        State::Unchanged => "unchanged",
        State::Gone => "gone",
        State::Refused => "left out",
    }
}

fn line(tool: &Imported) -> String {
    let name = tool.item_id.as_ref().map_or_else(|| one_line(&tool.tool), ToString::to_string);
    match tool.parameters.as_slice() {
        [] => name,
        parameters => format!("{name} ({})", one_line(&parameters.join(", "))),
    }
}
