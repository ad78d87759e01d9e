//! Which agent client started the program, as far as its environment says.
//!
//! The one list of variables that agent clients set for the commands their models run. A variable that an editor also
//! sets in a person's own terminal is not in it. A model with a shell can unset a variable: this is a speed bump.

use std::collections::BTreeMap;

/// Each variable, and the client that sets it.
const CLIENTS: &[(&str, &str)] = &[
    ("AGENT", "an agent client"),
    ("AGENT_THREAD_ID", "Amp"),
    ("AI_AGENT", "an agent client"),
    ("AMP_CURRENT_THREAD_ID", "Amp"),
    ("ANTIGRAVITY_AGENT", "Antigravity"),
    ("AUGMENT_AGENT", "Auggie"),
    ("CLAUDECODE", "Claude Code"),
    ("CLAUDE_CODE", "Claude Code"),
    ("CLAUDE_CODE_ENTRYPOINT", "Claude Code"),
    ("CLAUDE_CODE_SESSION_ID", "Claude Code"),
    ("CLINE_ACTIVE", "Cline"),
    ("CODEX_CI", "Codex"),
    ("CODEX_SANDBOX", "Codex"),
    ("CODEX_SANDBOX_NETWORK_DISABLED", "Codex"),
    ("CODEX_THREAD_ID", "Codex"),
    ("COPILOT_AGENT", "GitHub Copilot"),
    ("COPILOT_CLI", "GitHub Copilot"),
    ("CRUSH", "Crush"),
    ("CURSOR_AGENT", "Cursor"),
    ("GEMINI_CLI", "Gemini CLI"),
    ("GOOSE_TERMINAL", "Goose"),
    ("OPENCODE", "opencode"),
    ("OPENCODE_CLIENT", "opencode"),
    ("QWEN_CODE", "Qwen Code"),
];

/// An agent client, told from its environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgentClient {
    /// The variable that is set.
    pub variable: &'static str,
    /// The client that sets it.
    pub name: &'static str,
}

impl AgentClient {
    /// Finds the first variable of the list that is set and not empty.
    pub(super) fn find(environment: &BTreeMap<String, String>) -> Option<Self> {
        let is_set = |variable: &str| environment.get(variable).is_some_and(|value| !value.is_empty());
        let found = CLIENTS.iter().find(|(variable, _)| is_set(variable));
        found.map(|(variable, name)| Self { variable, name })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_told_by_its_variable_and_an_empty_one_counts_as_not_set() {
        let found = |name: &str, value: &str| AgentClient::find(&BTreeMap::from([(name.to_owned(), value.to_owned())]));
        for (variable, name) in CLIENTS {
            assert_eq!(found(variable, "1"), Some(AgentClient { variable, name }));
            assert_eq!(found(variable, ""), None);
        }
        for pipeline in ["CI", "GITHUB_ACTIONS", "TERM_PROGRAM", "CURSOR_TRACE_ID", "SSH_AGENT_PID"] {
            assert_eq!(found(pipeline, "1"), None, "{pipeline}");
        }
    }
}
